// The page of one record, which is in it. The other scripts draw it into `root`, and keep in `address` what is shown of it, until
// `signal` is aborted.

const root = document;
const packed = JSON.parse(byId("data").textContent);
const address = {
  read: () => location.hash.slice(1),
  write: (shown) => { if (location.hash !== `#${shown}`) history.replaceState(null, "", `#${shown}`); },
};
const signal = undefined;
themes();
