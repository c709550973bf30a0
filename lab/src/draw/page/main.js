// Which sentences are shown, in what order, and what the controls do.

const { sentences, names } = data;
const BATCH = 25;
const NOTHING = { pair: names.length > 1 ? "0-1" : "0", show: "all", sort: names.length > 1 ? "worst" : "file", confusion: "", find: "", punctuation: true };
const state = { ...NOTHING };
let [found, shown] = [[], 0];

const pair = () => {
  const [first, second] = state.pair.split("-").map(Number);
  return { first, second: second ?? -1 };
};
const counts = (sentence) => (word) => state.punctuation || !sentence.punctuation.includes(word);
const plural = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
const wordsOf = (sentence) => sentence.columns[0].map((_, word) => word).filter(counts(sentence));

// What of the words of a sentence differs between two trees.
function compared(sentence, first, second) {
  const kinds = wordsOf(sentence).map((word) => difference(sentence, word, first, second));
  const [heads, labels] = ["wrong", "label"].map((kind) => kinds.filter((found) => found === kind).length);
  return { words: kinds.length, heads, labels, all: heads + labels };
}

// Whether a word is one of those that the chosen confusion is about.
function confused(sentence, word) {
  const { first, second } = pair();
  if (!state.confusion || !counts(sentence)(word)) return false;
  const [kind, one, other] = state.confusion.split("-");
  const label = (tree) => sentence.trees[tree].labels[word];
  if (kind === "label") return label(first) === Number(one);
  if (kind === "head") return label(first) === Number(one) && label(second) === Number(one) && difference(sentence, word, first, second) === "wrong";
  return label(first) === Number(one) && label(second) === Number(other);
}

// What labels are taken for, which heads are missed, or, with one tree, which labels there are: the most frequent first.
function confusions() {
  const { first, second } = pair();
  const n = new Map();
  for (const sentence of sentences) {
    for (const word of wordsOf(sentence)) {
      const [one, other] = [first, second].map((tree) => sentence.trees[tree]?.labels[word]);
      const key = second < 0 ? `label-${one}` : one !== other ? `taken-${one}-${other}` : difference(sentence, word, first, second) === "wrong" ? `head-${one}` : "";
      if (key) n.set(key, (n.get(key) ?? 0) + 1);
    }
  }
  return [...n].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
}

const confusionName = (key) => {
  const [kind, one, other] = key.split("-");
  return kind === "taken" ? `${data.labels[one]} → ${data.labels[other]}` : data.labels[one];
};

const SHOWN = {
  all: () => true,
  differing: (sentence) => compared(sentence, pair().first, pair().second).all > 0,
  same: (sentence) => compared(sentence, pair().first, pair().second).all === 0,
  parsers: (sentence) => compared(sentence, 1, 2).all > 0,
  first: (sentence) => compared(sentence, 0, 1).all < compared(sentence, 0, 2).all,
  second: (sentence) => compared(sentence, 0, 2).all < compared(sentence, 0, 1).all,
};
const of = (sentence) => compared(sentence, pair().first, pair().second);
const SORTED = {
  file: () => 0,
  worst: (sentence) => -of(sentence).all,
  share: (sentence) => -of(sentence).all / Math.max(1, of(sentence).words),
  longest: (sentence) => -sentence.columns[0].length,
  shortest: (sentence) => sentence.columns[0].length,
};

// Finds what is asked for, and shows the first of it.
function find() {
  const asked = state.find.toLowerCase().trim();
  const isNamed = (sentence) => String(sentence.number) === asked || (sentence.id ?? "").toLowerCase() === asked;
  // Whoever names a sentence wants that one.
  const has = !asked ? () => true : sentences.some(isNamed) ? isNamed
    : (sentence) => (sentence.id ?? "").toLowerCase().includes(asked) || sentence.columns.some((texts) => texts.join(" ").toLowerCase().includes(asked));
  const wanted = (sentence) => SHOWN[state.show](sentence) && has(sentence) && (!state.confusion || wordsOf(sentence).some((word) => confused(sentence, word)));
  const keys = new Map(sentences.filter(wanted).map((sentence) => [sentence, SORTED[state.sort](sentence)]));
  found = [...keys.keys()].sort((a, b) => keys.get(a) - keys.get(b) || a.number - b.number);
  byId("status").textContent = found.length === 0 ? "No sentence is like that." : found.length === sentences.length ? `All ${plural(sentences.length, "sentence")}` : `${found.length} of ${plural(sentences.length, "sentence")}`;
  byId("place").textContent = byId("status").textContent;
  byId("list").replaceChildren();
  shown = 0;
  showMore();
}

function showMore(n = BATCH) {
  const next = found.slice(shown, shown + n);
  byId("list").append(...next.map(card));
  shown += next.length;
  const more = byId("more");
  more.hidden = shown === found.length;
  more.textContent = `${Math.min(BATCH, found.length - shown)} more of ${found.length - shown}`;
}

function card(sentence) {
  const { first, second } = pair();
  const width = byId("list").clientWidth - 16;
  const svg = drawSentence(sentence, first, second, Math.max(240, width), (word) => confused(sentence, word));
  const title = sentence.id ? `${sentence.number} · ${sentence.id}` : `Sentence ${sentence.number}`;
  const header = make("header", {}, make("h2", {}, make("a", { href: `#find=${encodeURIComponent(sentence.id ?? sentence.number)}` }, title)));
  const comparison = (a, b, name) => {
    const { words, heads, labels } = compared(sentence, a, b);
    const what = [heads && plural(heads, "head"), labels && plural(labels, "label")].filter(Boolean).join(", ");
    const verb = a === 0 ? "wrong" : "differ";
    return make("p", { className: "soft" }, `${name}: `, what ? make("span", { className: "bad" }, `${what} ${verb}`) : a === 0 ? "all right" : "no difference", ` of ${plural(words, "word")}`);
  };
  if (second < 0) header.append(make("p", { className: "soft" }, plural(sentence.columns[0].length, "word")));
  else if (first === 0) for (let tree = 1; tree < names.length; tree++) header.append(comparison(0, tree, names[tree]));
  else header.append(comparison(first, second, `${names[first]}, ${names[second]}`));
  const button = make("button", { type: "button", className: "pill" }, "SVG");
  button.setAttribute("aria-label", `Save sentence ${sentence.number} as SVG`);
  button.addEventListener("click", () => save(svg, `sentence-${sentence.number}`));
  header.append(button);
  const frame = make("div", { className: "scroll", tabIndex: svg.width.baseVal.value > width ? 0 : -1 }, svg);
  return make("article", {}, header, frame);
}

// In a sentence or two, how good the trees are.
function answer() {
  const parts = names.slice(1).map((name, i) => {
    const all = sentences.map((sentence) => compared(sentence, 0, i + 1));
    const sum = (of) => all.reduce((n, found) => n + of(found), 0);
    const words = Math.max(1, sum(({ words }) => words));
    const percent = (n) => (100 * n / words).toFixed(2);
    const errors = all.filter(({ all }) => all > 0).length;
    return make("p", {}, `${name}: UAS ${percent(words - sum(({ heads }) => heads))}, LAS ${percent(words - sum(({ all }) => all))} over ${plural(words, "word")}, punctuation ${state.punctuation ? "included" : "excluded"}; ${errors} of ${plural(sentences.length, "sentence")} differ from ${names[0]}.`);
  });
  if (!parts.length) parts.push(make("p", {}, `${plural(sentences.length, "sentence")}, ${plural(sentences.reduce((n, { columns }) => n + columns[0].length, 0), "word")}.`));
  byId("answer").replaceChildren(...parts);
}

function options(id, all) {
  const select = byId(id);
  select.replaceChildren(...all.map(([value, name]) => make("option", { value }, name)));
  select.closest("label").hidden = all.length < 2;
}

// What there is to choose among the labels of the trees that are shown.
function fillConfusions() {
  const all = confusions();
  const { second } = pair();
  if (state.confusion && !all.some(([key]) => key === state.confusion)) all.push([state.confusion, 0]);
  const group = (kind, label) => {
    const of = all.filter(([key]) => key.startsWith(kind)).slice(0, 300);
    return of.length ? [make("optgroup", { label }, ...of.map(([key, n]) => make("option", { value: key }, `${confusionName(key)} (${n})`)))] : [];
  };
  byId("confusion-name").textContent = second < 0 ? "Label" : "Confusion";
  byId("confusion").replaceChildren(make("option", { value: "" }, "any"), ...group("taken", "Label taken for"), ...group("head", "Same label, other head"), ...group("label", "Label"));
  byId("confusion").value = state.confusion;
  byId("chips").replaceChildren(...all.filter(([key]) => !key.startsWith("head")).slice(0, 8).map(([key, n]) => {
    const chip = make("button", { type: "button", className: "pill" }, `${confusionName(key)} `, make("b", {}, String(n)));
    chip.setAttribute("aria-pressed", state.confusion === key);
    chip.addEventListener("click", () => change({ confusion: state.confusion === key ? "" : key }));
    return chip;
  }));
}

function writeAddress() {
  const changed = Object.entries(state).filter(([name, value]) => value !== NOTHING[name]);
  history.replaceState(null, "", `#${new URLSearchParams(changed.map(([name, value]) => [name, String(value)]))}`);
}

function readAddress() {
  Object.assign(state, NOTHING);
  const allowed = { show: (value) => Object.hasOwn(SHOWN, value), sort: (value) => Object.hasOwn(SORTED, value), pair: (value) => [...byId("pair").options].some((option) => option.value === value),
    confusion: (value) => /^(taken-\d+-\d+|head-\d+|label-\d+)$/.test(value) && value.split("-").slice(1).every((label) => Number(label) < data.labels.length), find: () => true };
  for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
    if (name === "punctuation") state.punctuation = value !== "false";
    else if (allowed[name]?.(value)) state[name] = value;
  }
}

function change(changes) {
  Object.assign(state, changes);
  writeAddress();
  show();
}

function show() {
  for (const id of ["pair", "show", "sort", "find"]) if (byId(id).value !== state[id]) byId(id).value = state[id];
  byId("punctuation").checked = state.punctuation;
  answer();
  fillConfusions();
  find();
}

function frame() {
  const pairs = names.length < 3 ? [[NOTHING.pair, ""]] : [["0-1", `gold and ${names[1]}`], ["0-2", `gold and ${names[2]}`], ["1-2", `${names[1]} and ${names[2]}`]];
  const showing = [["all", "all"], ["differing", "with errors"], ["same", "without errors"]];
  if (names.length > 2) showing.push(["parsers", "where the parsers differ"], ["first", `${names[1]} is better`], ["second", `${names[2]} is better`]);
  options("pair", pairs);
  options("show", names.length > 1 ? showing : showing.slice(0, 1));
  const sorting = [["worst", "worst first"], ["share", "most errors per word first"], ["file", "as in the file"], ["longest", "longest first"], ["shortest", "shortest first"]];
  options("sort", names.length > 1 ? sorting : sorting.slice(2));
  byId("punctuation").closest("label").hidden = names.length < 2 || !sentences.some(({ punctuation }) => punctuation.length);
  const sample = (kind, name) => make("span", {}, draw("svg", { class: "picture", viewBox: "0 0 30 12", "aria-hidden": "true" },
    draw("g", { class: kind }, draw("path", { class: "line", d: "M1 6H29" }), ...(kind.includes("label") ? [draw("rect", { class: "frame", x: 7, y: 1, width: 16, height: 10, rx: 3 })] : []))), name);
  if (names.length > 1) byId("legend").append(sample("arc wrong", "wrong head"), sample("arc label", "right head, wrong label"), sample("arc", "right"), ...(names.length > 2 ? ["Between two parsers: another head, another label, the same."] : []));
}

function listen() {
  const controls = byId("controls");
  controls.addEventListener("submit", (event) => event.preventDefault());
  for (const id of ["show", "sort", "confusion"]) byId(id).addEventListener("change", () => change({ [id]: byId(id).value }));
  byId("pair").addEventListener("change", () => change({ pair: byId("pair").value, confusion: "" }));
  byId("punctuation").addEventListener("change", () => change({ punctuation: byId("punctuation").checked }));
  let waiting;
  byId("find").addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => change({ find: byId("find").value }), 150);
  });
  byId("more").addEventListener("click", () => showMore());
  addEventListener("hashchange", () => { readAddress(); show(); });
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return;
    width = innerWidth;
    const n = shown;
    byId("list").replaceChildren();
    shown = 0;
    showMore(n);
  });
}

frame();
themes();
listen();
readAddress();
show();
