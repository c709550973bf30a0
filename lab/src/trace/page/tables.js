// Tables about the selected item: its successors, and what templates contribute.

function table(heads, rows) {
  const head = make("tr", {}, ...heads.map(([name, kind]) => make("th", { className: kind ?? "", scope: "col" }, name)));
  return make("table", {}, make("thead", {}, head), make("tbody", {}, ...rows));
}
const cell = (content, kind = "") => make("td", { className: kind }, content);

function drawSuccessors() {
  const item = selected();
  const box = byId("successors");
  if (state.rank === "gold" && item.rank && items(state.step)[item.rank - 1]) {
    const link = make("button", { type: "button", className: "pill" }, `Its item in the beam, rank ${item.rank}`);
    link.addEventListener("click", () => go(state.step, item.rank));
    box.replaceChildren(link);
    return;
  }
  if (state.rank === "gold") {
    const next = beam().gold.path[state.step + 1];
    const rest = next ? `The gold derivation goes on with ${actionName(next)} (${signed(next.score - item.score)}).` : "The gold derivation ends here.";
    box.replaceChildren(make("p", {}, rest, " It is followed beside the beam, which has no successors of it."));
    return;
  }
  if (!item.successors?.length) {
    box.replaceChildren(make("p", {}, state.step === beam().steps.length - 1 ? "This is the last step." : "It has no successors."));
    return;
  }
  const fates = {
    kept: (s) => {
      const link = make("button", { type: "button" }, `kept, ${ordinal(s.rank)}`);
      link.addEventListener("click", () => go(state.step + 1, s.rank));
      return link;
    },
    twin: (s) => `twin of the ${ordinal(s.rank)}`,
    pruned: () => "pruned",
  };
  const rows = item.successors.map((s) => make("tr", { className: s.fate },
    cell(actionName(s), `t w${s.correct ? " gold" : ""}`), cell(signed(s.score - item.score)), cell(score(s.score)), cell(fates[s.fate](s), "t"),
    ...(gold ? [cell(s.cost === undefined ? "" : String(s.cost), s.cost ? "bad" : "")] : [])));
  const heads = [["action", "t"], ["gains"], ["score"], ["what became of it", "t"], ...(gold ? [["cost"]] : [])];
  const notes = [];
  if (item.more) notes.push(`${item.more} more, all pruned.`);
  if (item.successors.some((s) => s.fate === "twin")) notes.push("A twin made the same arcs in another order, has the same future and is no better.");
  if (item.successors.some((s) => s.correct)) notes.push("Golden: a gold derivation goes on with it.");
  if (gold) notes.push("Cost: what the oracle says that the action loses, in words.");
  box.replaceChildren(make("div", { className: "scroll still" }, table(heads, rows)), make("p", { className: "soft" }, notes.join(" ")));
}

// By template, what a derivation has gained by it so far.
function gainedBy(path) {
  const sums = trace.templates.map(() => 0);
  for (const item of path) item.weights?.forEach((weight, i) => { sums[i] += weight; });
  return sums;
}

// What the selected item is compared with.
function rival() {
  const onGold = state.rank === "gold" || (beam().gold && sameAsGold(state.step, state.rank));
  if (beam().gold && !onGold) return { name: "gold", step: Math.min(state.step, beam().gold.path.length - 1), rank: "gold" };
  if (state.rank !== 1 && items(state.step).length) return { name: "the first", step: state.step, rank: 1 };
  if (items(state.step).length > 1) return { name: "the second", step: state.step, rank: 2 };
  return null;
}
const sameAsGold = (step, rank) => goldItem(step)?.rank === rank && step < beam().gold.path.length;

function drawTemplates() {
  const box = byId("templates");
  if (trace.templates.length === 0) {
    box.replaceChildren(make("p", { className: "soft" }, "This model’s scores are not sums over templates: there are hidden layers, or moves and labels are decided on one after the other."));
    return;
  }
  if (state.step === 0) {
    box.replaceChildren(make("p", { className: "soft" }, "Nothing has been scored yet."));
    return;
  }
  const item = selected();
  const other = rival();
  const against = other && itemAt(other.step, other.rank);
  const own = gainedBy(derivation(state.step, state.rank));
  const their = other ? gainedBy(derivation(other.step, other.rank)) : own.map(() => 0);
  const difference = own.map((sum, i) => sum - their[i]);
  const most = Math.max(1, ...difference.map(Math.abs));
  const order = difference.map((_, i) => i).sort((a, b) => Math.abs(difference[b]) - Math.abs(difference[a]) || a - b);
  const bar = (points) => {
    const stripe = make("span", { className: `bar${points < 0 ? " minus" : ""}` });
    stripe.style.width = `${(Math.abs(points) / most) * 100}%`;
    const half = (filled) => make("i", {}, ...(filled ? [stripe] : []));
    return make("td", { className: "bars" }, make("span", {}, half(points < 0), half(points > 0)));
  };
  const value = (of, i) => (of?.reads?.length ? trace.values[of.reads[i]] : "");
  const sameValues = (i) => value(item, i) === value(against, i) || !value(against, i);
  const row = (i) => make("tr", {},
    cell(make("code", {}, trace.templates[i]), "t w"),
    cell(sameValues(i) ? value(item, i) : `${value(item, i)} / ${value(against, i)}`, "t w"),
    cell(item.weights?.length ? signed(item.weights[i]) : ""), ...(other ? [cell(against.weights?.length ? signed(against.weights[i]) : ""), cell(signed(difference[i])), bar(difference[i])] : [bar(difference[i])]));
  const heads = [["template", "t"], ["what it read last", "t"], ["in its last action"],
    ...(other ? [[`in that of ${other.name}`], ["since they parted"]] : []), [other ? `behind ${other.name} or ahead` : "so far", "t"]];
  const comparison = [];
  if (other) {
    const gap = item.score - against.score;
    const parted = partedAt(other);
    comparison.push(parted === null ? `This and ${other.name} are the same derivation.` : `This item and ${other.name} (${score(against.score)}) part at step ${parted}: ${actionName(derivation(state.step, state.rank)[parted] ?? {})} here, ${actionName(derivation(other.step, other.rank)[parted] ?? {})} there. Since then it has gained ${gap >= 0 ? `${score(gap)} more` : `${score(-gap)} less`}, of which templates have:`);
  }
  const rest = order.slice(12).filter((i) => difference[i] !== 0 || item.weights?.[i]);
  const parts = [make("p", {}, comparison.join(" ")), make("div", { className: "scroll still" }, table(heads, order.slice(0, 12).map(row)))];
  if (rest.length) parts.push(make("details", {}, make("summary", {}, `${rest.length} more templates`), make("div", { className: "scroll still" }, table(heads, rest.map(row)))));
  if (!item.reads?.length) parts.push(make("p", { className: "soft" }, "What templates read is on record for the first ranks, the way to the output and the gold derivation."));
  box.replaceChildren(...parts);
}

// The first step at which two derivations differ.
function partedAt(other) {
  const [own, their] = [derivation(state.step, state.rank), derivation(other.step, other.rank)];
  for (let step = 1; step < Math.max(own.length, their.length); step++) {
    const [a, b] = [own[step], their[step]];
    if (!a || !b || a.action !== b.action || a.point !== b.point) return step;
  }
  return null;
}
