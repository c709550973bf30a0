// What the beam shares: each cell of its lists once.

let shownList = 0;

function drawStacks() {
  const box = byId("stacks");
  const step = Math.min(state.step, beam().steps.length - 1);
  const { places, cells } = beam().steps[step];
  const n = items(step).length;
  const saved = make("p", {}, `After step ${step}, ${n === 1 ? "the one item holds" : `${n} items hold`} ${places} places in ${cells} cells: `,
    make("b", {}, `${places - cells} are saved`), ` (${Math.round((100 * (places - cells)) / Math.max(places, 1))} %). Each cell is drawn once, with its node; where a node has several cells, they have other dependents or stand on something else.`);
  const tabs = make("div", { className: "tabs" });
  trace.lists.forEach((name, number) => {
    const tab = make("button", { type: "button", className: "pill" }, LIST_NAMES[name] ?? name);
    tab.setAttribute("aria-pressed", number === shownList);
    tab.addEventListener("click", () => { shownList = number; drawStacks(); });
    tabs.append(tab);
  });
  box.replaceChildren(saved, tabs, make("div", { className: "scroll still" }, sharedGraph(step, shownList)));
}

// The cells of a list of an item, from the end at which it changes.
function chainCells(item, list) {
  const found = [];
  for (let chain = item.chains[list]; chain !== null && chain !== undefined; chain = beam().chains[chain][1]) found.push(beam().chains[chain][0]);
  return found;
}

function sharedGraph(step, list) {
  const of = items(step);
  // Stacks grow to the right from their bottom, side by side with what they share; other lists stand as the sentence does.
  const byDepth = list < trace.stacks;
  const nodes = new Map();
  const edges = new Map();
  const own = new Set(state.rank === "gold" ? [] : chainCells(selected(), list));
  const tops = new Map();
  for (const item of of) {
    const cells = chainCells(item, list);
    cells.forEach((id, i) => {
      const column = byDepth ? cells.length - 1 - i : beam().cells[id].node;
      const node = nodes.get(id) ?? { id, column, sum: 0, n: 0 };
      node.sum += item.rank;
      node.n += 1;
      nodes.set(id, node);
      if (i > 0) edges.set(`${cells[i - 1]} ${id}`, [cells[i - 1], id]);
    });
    const top = cells[0] ?? "empty";
    tops.set(top, [...(tops.get(top) ?? []), item.rank]);
  }
  const columns = [...new Set([...nodes.values()].map((node) => node.column))].sort((a, b) => a - b);
  const x = new Map();
  let right = 14;
  for (const column of columns) {
    const inColumn = [...nodes.values()].filter((node) => node.column === column).sort((a, b) => a.sum / a.n - b.sum / b.n || a.id - b.id);
    const width = Math.max(...inColumn.map((node) => textWidth(name(node.id)))) + 18;
    x.set(column, { left: right, width });
    right += width + 26;
    inColumn.forEach((node, i) => { node.y = 16 + i * 27; node.width = width; });
  }
  const height = Math.max(34, ...[...nodes.values()].map((node) => node.y + 24)) + (tops.has("empty") ? 22 : 8);
  const svg = picture(Math.max(right + 120, 240), height, `Cells of ${trace.lists[list]} after step ${step}`);
  const boxOf = (id) => { const node = nodes.get(id); return { ...x.get(node.column), y: node.y }; };
  for (const [above, below] of edges.values()) {
    const [a, b] = [boxOf(above), boxOf(below)];
    const [from, to] = a.left > b.left ? [b, a] : [a, b];
    const [x1, x2, y1, y2] = [from.left + from.width, to.left, from.y + 10, to.y + 10];
    const kind = own.has(above) && own.has(below) ? "way" : "alive";
    svg.append(draw("path", { class: `lines ${kind}`, d: `M${round(x1)} ${y1}C${round((x1 + x2) / 2)} ${y1} ${round((x1 + x2) / 2)} ${y2} ${round(x2)} ${y2}` }));
  }
  for (const { id, y } of nodes.values()) {
    const { left, width } = boxOf(id);
    svg.append(draw("rect", { class: `box${own.has(id) ? " of-best" : " in"}`, x: round(left), y, width: round(width), height: 20, rx: 4 }));
    svg.append(text(left + width / 2, y + 14, name(id), "mid"));
    const ranks = tops.get(id);
    if (ranks && byDepth) svg.append(text(left + width + 5, y - 2, (ranks.length === 1 ? "item " : "items ") + ranked(ranks), "small soft"));
  }
  if (nodes.size === 0) svg.append(text(14, 22, "empty in all items", "soft"));
  else if (tops.has("empty")) svg.append(text(14, height - 6, `empty in ${tops.get("empty").length === 1 ? "item" : "items"} ${ranked(tops.get("empty"))}`, "small soft"));
  return svg;

  function name(id) {
    const { node, dependents } = beam().cells[id];
    return shortened(form(node), 16) + (dependents && dependents[0] + dependents[1] > 0 ? ` ${"◂".repeat(Math.min(dependents[0], 3))}${"▸".repeat(Math.min(dependents[1], 3))}` : "");
  }
}

// Ranks in few words: 1-4, 7.
function ranked(ranks) {
  const runs = [];
  for (const rank of ranks) {
    const last = runs.at(-1);
    if (last && last[1] === rank - 1) last[1] = rank;
    else runs.push([rank, rank]);
  }
  return runs.slice(0, 5).map(([a, b]) => (a === b ? a : `${a}–${b}`)).join(", ") + (runs.length > 5 ? ", …" : "");
}
