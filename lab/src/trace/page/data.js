// The record, and what can be asked of it.

const trace = unpacked(packed);

// The record of what the page holds, in which items share what they have in common.
function unpacked({ packed, weights, reads, options, ...record }) {
  packed.forEach(({ steps, counts, path, cells }, number) => {
    const of = record.beams[number];
    of.cells = cells.map(([node, dependents]) => (dependents ? { node, dependents } : { node }));
    const nodes = (chain) => {
      const found = [];
      for (; chain !== null; chain = of.chains[chain][1]) found.push(of.cells[of.chains[chain][0]].node);
      return found;
    };
    const item = ({ arcs = [], lost = [], fates = [], correct = [], options: line, ...rest }, before) => {
      const made = { ...rest };
      record.lists.forEach((name, list) => {
        made[name] = nodes(rest.chains[list]);
        if (list < record.stacks) made[name].reverse();
      });
      const byWord = new Map((before?.arcs ?? []).map((arc) => [arc[1], arc]));
      lost.forEach((word) => byWord.delete(word));
      arcs.forEach((arc) => byWord.set(arc[1], arc));
      made.arcs = [...byWord.values()].sort((a, b) => a[1] - b[1]);
      if (line !== undefined) {
        made.successors = options[line].map(([action, point, gain, cost], i) => {
          const successor = { score: rest.score + gain, fate: fates[i] > 0 ? "kept" : fates[i] < 0 ? "twin" : "pruned" };
          if (action !== null) successor.action = action;
          if (point !== null) successor.point = point;
          if (fates[i] !== 0) successor.rank = Math.abs(fates[i]);
          if (cost !== null) successor.cost = cost;
          if (correct.includes(i)) successor.correct = true;
          return successor;
        });
      }
      if (rest.weights !== undefined) made.weights = weights[rest.weights];
      if (rest.reads !== undefined) made.reads = reads[rest.reads];
      return made;
    };
    of.steps = [];
    steps.forEach((packedItems, step) => {
      const before = of.steps[step - 1]?.items;
      const [places, n_cells, successors] = counts[step];
      const items = packedItems.map((one, i) => item({ rank: i + 1, ...one }, before?.[one.parent - 1]));
      of.steps.push({ items, places, cells: n_cells, successors });
    });
    path?.forEach((one, i) => of.gold.path.push(item(one, of.gold.path[i - 1])));
  });
  return record;
}

const words = trace.sentence.words;
const gold = trace.sentence.gold;

const form = (node) => (node === 0 ? "ROOT" : words[node - 1].form);
const shortened = (text, most) => ([...text].length > most ? [...text].slice(0, most - 1).join("") + "…" : text);
// Scores are integers; people see sums of weights.
const digits = trace.scale > 1 ? 2 : 0;
const score = (points) => (points / trace.scale).toFixed(digits).replace("-", "−");
const signed = (points) => (points > 0 ? "+" : "") + score(points);

const actionName = ({ action, point }, fallback = "waits") => {
  if (action === undefined) return fallback;
  const { move, label } = trace.actions[action];
  return move + (label === undefined ? "" : ` ${label}`) + (point === undefined ? "" : ` @${point}`);
};

// What is shown: the number of a beam, a step, and a rank or "gold".
const state = { beam: 0, step: 0, rank: 1 };

const beam = () => trace.beams[state.beam];
const lastStep = (of = beam()) => Math.max(of.steps.length, of.gold ? of.gold.path.length : 0) - 1;
const items = (step, of = beam()) => of.steps[step]?.items ?? [];
const goldItem = (step, of = beam()) => of.gold?.path[Math.min(step, of.gold.path.length - 1)];
const itemAt = (step, rank) => (rank === "gold" ? goldItem(step) : items(step)[rank - 1]);
const selected = () => itemAt(state.step, state.rank);

// The items from the first one to this one.
function derivation(step, rank) {
  if (rank === "gold") return beam().gold.path.slice(0, step + 1);
  const found = [];
  for (let item = items(step)[rank - 1]; item; item = items(--step)[item.parent - 1]) found.unshift(item);
  return found;
}

// Whether an item is in the beam because gold derivations begin like it.
const goldRank = (step) => items(step).find((item) => item.gold)?.rank;
// The step from which on gold is not in the beam.
const fall = (of = beam()) => of.gold?.fell_off;

// By step, the ranks that have descendants in the last step, and those on the way to the output.
const fates = new Map();
function survivors(of = beam()) {
  if (fates.has(of)) return fates.get(of);
  const alive = of.steps.map(() => new Set());
  const best = of.steps.map(() => 0);
  const last = of.steps.length - 1;
  of.steps[last].items.forEach((item) => alive[last].add(item.rank));
  best[last] = of.output.rank;
  for (let step = last; step > 0; step--) {
    for (const rank of alive[step]) alive[step - 1].add(of.steps[step].items[rank - 1].parent);
    best[step - 1] = of.steps[step].items[best[step] - 1].parent;
  }
  // Until when an item that dies has descendants.
  const until = of.steps.map((step) => step.items.map(() => 0));
  for (let step = last; step >= 0; step--) {
    of.steps[step].items.forEach((item, i) => {
      until[step][i] = Math.max(until[step][i], step);
      if (step > 0) until[step - 1][item.parent - 1] = Math.max(until[step - 1][item.parent - 1], until[step][i]);
    });
  }
  const found = { alive, best, until };
  fates.set(of, found);
  return found;
}

// The address says what is shown, so that it can be sent to others.
function readAddress() {
  const found = new URLSearchParams(address.read());
  const width = Number(found.get("width"));
  const at = trace.beams.findIndex((of) => of.width === width);
  if (at < 0) return false;
  state.beam = at;
  state.step = Number(found.get("step")) || 0;
  state.rank = found.get("rank") === "gold" ? "gold" : Number(found.get("rank")) || 1;
  settle();
  return true;
}

const writeAddress = () => address.write(`width=${beam().width}&step=${state.step}&rank=${state.rank}`);

// Makes the state one that exists.
function settle() {
  if (state.rank === "gold" && !beam().gold) state.rank = 1;
  const last = state.rank === "gold" ? beam().gold.path.length - 1 : beam().steps.length - 1;
  state.step = Math.min(Math.max(state.step, 0), last);
  if (state.rank !== "gold") state.rank = Math.min(Math.max(state.rank, 1), items(state.step).length);
}
