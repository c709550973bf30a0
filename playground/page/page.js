// The playground: a sentence and a width, and what both parsers make of it. `beams` draws each of them.

const TRAININGS = ["greedy", "global"];
const FIRST_WIDTH = 8;

const embedded = (id) => Uint8Array.from(atob(byId(id).textContent), (c) => c.charCodeAt(0));
const groups = JSON.parse(new TextDecoder().decode(embedded("sentences")));
const listed = groups.flatMap((group) => group.sentences.map((text) => ({ text, width: group.width })));

// The words of a sentence in CoNLL-U: ranges and empty nodes are none.
const rowsOf = (text) => text.split("\n").map((line) => line.split("\t")).filter(([id]) => /^\d+$/.test(id));
const formsOf = (text) => rowsOf(text).map((row) => row[1]).join(" ");

// Words as people write them: punctuation at their edges is apart.
function words(typed) {
  const edges = /^([\p{P}\p{S}]*)(.*?)([\p{P}\p{S}]*)$/su;
  return typed.split(/\s+/u).flatMap((chunk) => {
    if (/\p{L}\.$/u.test(chunk) && /\..*\./u.test(chunk)) return [chunk];
    const [, before, word, after] = edges.exec(chunk);
    return [...before, ...(word ? [word] : []), ...after];
  }).filter(Boolean);
}
const untagged = (typed) => words(typed).map((word, i) => `${i + 1}\t${word}\t${"_\t".repeat(7)}_\n`).join("");

// The engine takes text or bytes, and answers in text.
let engine;
function ask(name, said, ...numbers) {
  const bytes = typeof said === "string" ? new TextEncoder().encode(said) : said;
  const at = engine.room(bytes.length);
  new Uint8Array(engine.memory.buffer, at, bytes.length).set(bytes);
  const n = engine[name](...numbers);
  const answer = new TextDecoder().decode(new Uint8Array(engine.memory.buffer, engine.answer(), Math.abs(n)));
  if (n < 0) throw new Error(answer);
  return answer;
}

// What is asked: the number of a listed sentence or a typed text, the width, and by training what is selected.
const asked = { sentence: 0, text: "", width: FIRST_WIDTH, greedy: "", global: "" };
const drawn = {};
let stop = new AbortController();

function readAsked() {
  const found = new URLSearchParams(location.hash.slice(1));
  const text = found.get("text");
  const number = Number(found.get("sentence"));
  asked.sentence = text === null && listed.length ? Math.min(Math.max(1, Math.trunc(number) || 1), listed.length) : 0;
  asked.text = text ?? "";
  const first = listed[asked.sentence - 1]?.width ?? FIRST_WIDTH;
  asked.width = Math.min(Math.max(Math.trunc(Number(found.get("width"))) || first, 1), 64);
  for (const training of TRAININGS) asked[training] = found.get(training) ?? "";
}

function address() {
  const shown = new URLSearchParams(asked.sentence ? { sentence: asked.sentence } : { text: asked.text });
  for (const name of ["width", ...TRAININGS]) if (asked[name]) shown.set(name, asked[name]);
  return `#${shown}`;
}
// Browsers refuse addresses that change too often.
let keeping;
function keepAsked() {
  clearTimeout(keeping);
  keeping = setTimeout(() => { if (location.hash !== address()) history.replaceState(null, "", address()); }, 150);
}

// Of each training an address of its own, as a page of one beam has it.
const addressOf = (training) => ({
  read: () => {
    const [step, rank] = asked[training].split(".");
    return rank ? `width=${asked.width}&step=${step}&rank=${rank}` : "";
  },
  write: (shown) => {
    const found = new URLSearchParams(shown);
    asked[training] = `${found.get("step")}.${found.get("rank")}`;
    keepAsked();
  },
});

function tellFailure(error) {
  byId("compared").textContent = error instanceof WebAssembly.RuntimeError ? `The engine has stopped (${error.message}); load the page again.` : error.message;
  byId("compared").classList.add("failed");
}

// Parses and draws what is asked.
function run() {
  const one = listed[asked.sentence - 1];
  const text = one ? one.text : untagged(asked.text);
  byId("chosen").value = asked.sentence || "";
  byId("typed").value = one ? formsOf(one.text) : asked.text;
  byId("beam").value = asked.width;
  byId("beam-is").textContent = asked.width;
  byId("compared").classList.remove("failed");
  stop.abort();
  stop = new AbortController();
  try {
    if (!text) throw new Error("Type a sentence.");
    const start = performance.now();
    const tagged = ask("tag", text);
    const records = TRAININGS.map((_, parser) => JSON.parse(ask("trace", tagged, parser, asked.width)));
    const parsed = performance.now();
    TRAININGS.forEach((training, i) => {
      const host = byId(`${training}-beam`);
      const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
      const pane = make("div", { className: "pane" }, byId("pane").content.cloneNode(true));
      root.replaceChildren(...[...document.querySelectorAll("style")].map((style) => style.cloneNode(true)), pane);
      drawn[training] = beams(root, records[i], addressOf(training), stop.signal);
    });
    compare();
    const n = rowsOf(tagged).length;
    drawn.time = { parsed: parsed - start, drawn: performance.now() - parsed };
    byId("time").textContent = `${n} ${n === 1 ? "word" : "words"}, tagged and parsed twice in ${drawn.time.parsed.toFixed(0)} ms, drawn in ${drawn.time.drawn.toFixed(0)} ms.`;
  } catch (error) {
    for (const training of TRAININGS) byId(`${training}-beam`).shadowRoot?.replaceChildren();
    byId("time").textContent = "";
    tellFailure(error);
  }
  keepAsked();
}

// In a sentence, how both trees compare.
function compare() {
  const [greedy, global] = TRAININGS.map((training) => drawn[training].trace.beams[0].output);
  const gold = drawn.global.trace.sentence.gold;
  const same = (a, b, i) => a.heads[i] === b.heads[i] && a.labels[i] === b.labels[i];
  const differ = greedy.heads.filter((_, i) => !same(greedy, global, i)).length;
  const many = (n, what) => `${n} ${what}${n === 1 ? "" : "s"}`;
  const right = (of) => gold.heads.filter((_, i) => same(of, gold, i)).length;
  byId("compared").textContent = (differ === 0 ? "Both parsers make the same tree" : `The trees of both parsers differ in ${many(differ, "arc")}`) +
    (gold ? `: of ${many(gold.heads.length, "arc")} the greedily trained one has ${right(greedy)} right, the globally trained one ${right(global)}.` : ".");
}

function choose(number) {
  Object.assign(asked, { sentence: number, greedy: "", global: "" });
  if (number) asked.width = listed[number - 1].width;
  else asked.text = byId("typed").value;
  run();
}

function widen(width) {
  asked.width = Math.min(Math.max(width, 1), 64);
  run();
}

function attend() {
  let number = 0;
  for (const group of groups) {
    const options = group.sentences.map((text) => make("option", { value: ++number }, formsOf(text)));
    byId("chosen").append(make("optgroup", { label: group.name }, ...options));
  }
  byId("chosen").addEventListener("change", () => choose(Number(byId("chosen").value)));
  byId("form").addEventListener("submit", (event) => {
    event.preventDefault();
    Object.assign(asked, { sentence: 0, text: byId("typed").value.trim(), greedy: "", global: "" });
    run();
  });
  // While the slider moves, only its last place is parsed.
  let waits = false;
  byId("beam").addEventListener("input", () => {
    byId("beam-is").textContent = byId("beam").value;
    if (waits) return;
    waits = true;
    requestAnimationFrame(() => { waits = false; widen(Number(byId("beam").value)); });
  });
  addEventListener("hashchange", () => {
    if (location.hash === address()) return;
    readAsked();
    run();
  });
}

// `ready` is for those who look on.
async function begin() {
  themes();
  attend();
  try {
    const { instance } = await WebAssembly.instantiate(embedded("engine"), {});
    engine = instance.exports;
    for (const name of ["tagger", ...TRAININGS]) ask("load", embedded(name));
  } catch (error) {
    tellFailure(error);
    return;
  }
  readAsked();
  run();
}

const ready = begin();
