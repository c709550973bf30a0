// What is on the page, and what keys and buttons do.

let timeline;

// Sets a text if the page has an element for it.
function setText(id, text) {
  const box = byId(id);
  if (box) box.textContent = text;
}

// Shows another beam: draws its timeline.
function showBeam() {
  settle();
  const box = byId("timeline");
  timeline = drawTimeline(box.clientWidth - 4);
  box.replaceChildren(timeline);
  answer();
  byId("width").value = state.beam;
  byId("width-is").textContent = `${beam().width}${beam().width === 1 ? " (greedy)" : ""}`;
  show();
}

// Shows what is selected.
function show() {
  settle();
  markTimeline(timeline);
  drawItem();
  drawSuccessors();
  drawTemplates();
  drawStacks();
  writeAddress();
  const item = selected();
  const place = state.rank === "gold" ? "gold" : `rank ${item.rank} of ${items(state.step).length}`;
  setText("place", `width ${beam().width} · step ${state.step} of ${lastStep()} · ${place}`);
  byId("status").textContent = `Step ${state.step}, ${place}, ${actionName(item, "")}, score ${score(item.score)}`;
  byId("to-gold").disabled = !beam().gold;
  byId("to-fall").disabled = !fall();
  const box = byId("timeline");
  const x = grid.x(state.step);
  if (x < box.scrollLeft + 40) box.scrollLeft = x - 60;
  else if (x > box.scrollLeft + box.clientWidth - 40) box.scrollLeft = x - box.clientWidth + 60;
}

function go(step, rank) {
  Object.assign(state, { step, rank });
  show();
}

// In a sentence or two, what became of gold.
function answer() {
  const of = beam();
  const box = byId("answer");
  const right = gold && words.every((_, i) => of.output.heads[i] === gold.heads[i] && of.output.labels[i] === gold.labels[i]);
  const heads = gold && words.filter((_, i) => of.output.heads[i] === gold.heads[i]).length;
  const both = gold && words.filter((_, i) => of.output.heads[i] === gold.heads[i] && of.output.labels[i] === gold.labels[i]).length;
  box.className = `answer ${of.gold?.verdict ?? ""}`;
  const first = make("p", {}, of.width === 1 ? "Greedy, " : `With a beam of width ${of.width}, `,
    gold ? `the parser finds ${heads} of ${words.length} heads, ${both} with their labels` : "the parser puts out a tree", ` and scores it ${score(of.output.score)}.`,
    of.margin === undefined ? "" : ` Items that lag more than ${score(of.margin)} behind the best of their step are left out.`);
  const parts = [first];
  if (of.gold) {
    const { verdict, fell_off: fell, score: best, output, derivable } = of.gold;
    const fallen = fell && fell.gap < 0
      ? `The last gold item is dropped at step ${fell.step} of ${of.steps.length - 1} for a twin, which made the same arcs in another order.`
      : fell
      ? `The last gold item falls off the beam at step ${fell.step} of ${of.steps.length - 1}: the best gold successor would have been ${ordinal(fell.rank)}, ${score(fell.gap)} behind the last that was kept.`
      : "A gold derivation stays in the beam to the end.";
    const explanations = {
      right: right ? "Nothing is wrong." : "What is put out is the best tree that the system derives; the gold tree is not.",
      "search-error": `In the end the best gold derivation that was found scores ${score(best)}, which is ${score(best - output)} more than the output: the model prefers gold, and the search has lost it. A search error; a wider beam may find it.`,
      "model-error": `In the end the best gold derivation that was found scores ${score(best)}, which is ${score(output - best)} less than the output: the model prefers a wrong tree. A model error; no wider beam would help.`,
    };
    const name = { right: right ? "Right. " : "As good as can be derived. ", "search-error": "Search error. ", "model-error": "Model error. " }[verdict];
    parts.push(make("p", {}, make("span", { className: "verdict" }, name), fallen, " ", explanations[verdict]));
    if (!derivable) parts.push(make("p", {}, `${trace.model.system} cannot derive the gold tree with the labels that the model knows; gold is here the best tree that it derives.`));
  }
  box.replaceChildren(...parts);
}

// Along the derivation: back to the parent, on to the successor that lasts longest.
function back() {
  if (state.step === 0) return;
  if (state.rank === "gold") return go(state.step - 1, "gold");
  go(state.step - 1, selected().parent);
}

function on() {
  if (state.rank === "gold") return state.step < beam().gold.path.length - 1 && go(state.step + 1, "gold");
  if (state.step >= beam().steps.length - 1) return;
  const { best, until } = survivors();
  const next = items(state.step + 1);
  const children = next.filter((item) => item.parent === state.rank);
  const lasting = (item) => until[state.step + 1][item.rank - 1];
  const onBest = children.find((item) => best[state.step + 1] === item.rank);
  const child = onBest ?? children.reduce((a, b) => (!a || lasting(b) > lasting(a) ? b : a), null);
  go(state.step + 1, child ? child.rank : Math.min(state.rank, next.length));
}

function rankBy(by) {
  const n = items(state.step).length;
  if (state.rank === "gold") return by < 0 && n > 0 && go(state.step, isOff(state.step) ? n : Math.max(1, (selected().rank ?? n) - 1));
  if (state.rank === n && by > 0 && isOff(state.step)) return go(state.step, "gold");
  go(state.step, Math.min(Math.max(state.rank + by, 1), n));
}

// To gold: its item in the beam, as long as there is one.
function toGold() {
  if (!beam().gold) return;
  go(state.step, isOff(state.step) ? "gold" : goldItem(state.step).rank ?? goldRank(state.step) ?? "gold");
}

function toFall() {
  if (fall()) go(fall().step, "gold");
}

function otherWidth(by) {
  const next = state.beam + by;
  if (next < 0 || next >= trace.beams.length) return;
  state.beam = next;
  showBeam();
}

const toBest = () => go(Math.min(state.step, beam().steps.length - 1), survivors().best[Math.min(state.step, beam().steps.length - 1)]);
const toEnd = () => (state.rank === "gold" ? go(beam().gold.path.length - 1, "gold") : go(beam().steps.length - 1, beam().output.rank));
const saveStep = () => save(stepPicture(), `beam-${beam().width}-step-${state.step}`);
function help() {
  const keys = byId("keys");
  keys.hidden = !keys.hidden;
  byId("help").setAttribute("aria-expanded", !keys.hidden);
}

const TRAINED = { greedy: "greedily", global: "globally", l2s: "by learning to search" };

const KEYS = {
  ArrowLeft: back, ArrowRight: on, ArrowUp: () => rankBy(-1), ArrowDown: () => rankBy(1), g: toGold, b: toBest, f: toFall,
  Home: () => go(0, state.rank === "gold" ? "gold" : 1), End: toEnd, "[": () => otherWidth(-1), "]": () => otherWidth(1), s: saveStep, "?": help,
};

function listen() {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }, { signal });
  const buttons = { "to-start": KEYS.Home, back, on, "to-end": toEnd, "to-best": toBest, "to-gold": toGold, "to-fall": toFall, "save-step": saveStep, help,
    "save-line": () => save(timeline, `beam-${beam().width}-timeline`) };
  for (const [id, act] of Object.entries(buttons)) byId(id).addEventListener("click", act);
  const slider = byId("width");
  slider.max = trace.beams.length - 1;
  slider.parentElement.hidden = trace.beams.length < 2;
  byId("widths").append(...trace.beams.map((of, i) => make("option", { value: i, label: String(of.width) })));
  slider.addEventListener("input", () => { state.beam = Number(slider.value); showBeam(); });
  const box = byId("timeline");
  const tip = make("div", { className: "tip", hidden: true });
  (root.body ?? root).append(tip);
  box.addEventListener("click", (event) => {
    const at = pointed(timeline, event);
    if (at) go(at.step, at.rank ?? (state.rank === "gold" ? "gold" : Math.min(state.rank, items(at.step).length || 1)));
  });
  box.addEventListener("pointermove", (event) => {
    const at = pointed(timeline, event);
    const item = at && at.rank && itemAt(at.step, at.rank);
    tip.hidden = !item;
    if (!item) return;
    tip.textContent = `step ${at.step}, ${at.rank === "gold" ? "gold" : `rank ${at.rank}`}: ${actionName(item, at.step ? "waits" : "start")}, ${score(item.score)}`;
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${event.clientY + 16}px`;
  });
  box.addEventListener("pointerleave", () => { tip.hidden = true; });
  addEventListener("hashchange", () => { if (readAddress()) showBeam(); }, { signal });
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; showBeam(); } }, { signal });
}

function frame() {
  setText("text", words.map((word) => word.form).join(" "));
  const id = trace.sentence.id ? ` (${trace.sentence.id})` : "";
  const { system, about, features, training } = trace.model;
  const name = trace.sentence.number ? `Sentence ${trace.sentence.number}${id}, ` : "";
  byId("about").textContent = `${name}${words.length} words. ${system}: ${about}. Features ${features}; trained ${TRAINED[training.training] ?? ""}${training.training === "global" ? ` at width ${training.beam} with ${training.update} updates` : ""}.`;
  setText("footer", `${trace.program}, format ${trace.format}. Scores are sums of weights. ${gold ? `Gold: ${trace.beams[0].gold.oracle}.` : "The sentence has no gold tree."}`);
  const sample = (kind, name) => {
    const svg = draw("svg", { class: "picture", viewBox: "0 0 30 12", "aria-hidden": "true" }, draw("path", { class: kind, d: "M1 6H29" }));
    return make("span", {}, svg, name);
  };
  byId("legend").append(sample("best", "the way to the output"), sample("lines alive", "in the last beam"), sample("lines dead", "dropped on the way"),
    ...(gold ? [sample("gold", "gold"), sample("gold off", "gold, off the beam")] : []), sample("way", "the way to what is selected"));
}

// At first what one came for: where gold falls off at the model's own width, or else the end.
function begin() {
  const at = trace.beams.findIndex((of) => of.width === trace.model.beam);
  state.beam = at < 0 ? trace.beams.length - 1 : at;
  const fell = fall();
  Object.assign(state, fell ? { step: fell.step, rank: 1 } : { step: beam().steps.length - 1, rank: 1 });
}

frame();
listen();
if (!readAddress()) begin();
showBeam();
