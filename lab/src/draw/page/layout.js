// Where words, arcs and labels are, as the program's own pictures have them, but for the width of the screen.

const GAP = 18, SLOT = 7.5, CLEARANCE = 5, REACH = 260, SHORTEST = 16;

// Rows of words that are no wider than `limit`, if there are several words in them. A tree is a list of arcs: the numbers of head
// (-1 for the root) and dependent, the width of the label.
function rowsOf(widths, trees, limit) {
  const rows = [];
  for (let start = 0; start < widths.length; ) {
    let end = start + 1;
    for (let texts = widths[start]; end < widths.length && texts + GAP + widths[end] <= limit; end++) texts += GAP + widths[end];
    let tooLong = end + 1;
    let row = rowOf(widths, trees, start, end);
    while (row.width > limit && end > start + 1) {
      tooLong = end;
      end = start + Math.min(Math.max(Math.floor((end - start) * limit / row.width), 1), end - start - 1);
      row = rowOf(widths, trees, start, end);
    }
    while (row.end + 1 < tooLong && row.width <= limit) {
      const longer = rowOf(widths, trees, start, row.end + 1);
      if (longer.width > limit) break;
      row = longer;
    }
    rows.push(row);
    start = row.end;
  }
  return rows;
}

// The words from `start` to before `end`. Arcs that reach beyond them end at the edges, which are cells without width.
function rowOf(widths, trees, start, end) {
  const before = start > 0 ? 1 : 0;
  const cells = [...Array(before).fill(0), ...widths.slice(start, end), ...Array(end < widths.length ? 1 : 0).fill(0)];
  const cell = (word) => (word < start ? 0 : Math.min(word - start + before, cells.length - 1));
  const isHere = (word) => word >= start && word < end;
  const sides = trees.map((tree) => {
    const arcs = tree
      .filter(({ head, dependent }) => Math.min(head < 0 ? dependent : head, dependent) < end && Math.max(head, dependent) >= start)
      .map((arc) => ({ ...arc, hasHead: arc.head < 0 || isHere(arc.head), hasDependent: isHere(arc.dependent), from: 0, to: 0 }));
    orderStems(arcs, cells, cell, isHere);
    return arcs;
  });
  const gaps = cells.slice(1).map((width, i) => (width + cells[i]) / 2 + GAP);
  const demand = (left, right, distance) => {
    const missing = distance - gaps.slice(left, right).reduce((a, b) => a + b, 0);
    if (missing > 0) for (let i = left; i < right; i++) gaps[i] += missing / (right - left);
  };
  for (const arcs of sides) makeRoom(arcs, cell, demand);
  const centres = () => gaps.reduce((all, gap) => [...all, all[all.length - 1] + gap], [0]);
  sides.forEach(raise);
  for (const last of [false, true]) {
    const at = centres();
    const shortages = sides.flatMap((arcs) => place(arcs, at, cell));
    if (!last) for (const { left, right, distance } of shortages) demand(left, right, distance);
  }
  return aligned({ start, end, sides }, cells, centres(), before);
}

// Moves everything to the right of 0.
function aligned(row, cells, at, before) {
  let [low, high] = [0, 0];
  const hold = (x, width) => { low = Math.min(low, x - width / 2); high = Math.max(high, x + width / 2); };
  at.forEach((x, i) => hold(x, cells[i]));
  for (const arc of row.sides.flat()) hold(arc.label, arc.width);
  for (const arc of row.sides.flat()) for (const name of ["headX", "dependentX", "label"]) arc[name] -= low;
  const words = at.slice(before, before + row.end - row.start).map((x) => x - low);
  const heights = row.sides.map((arcs) => Math.max(1, ...arcs.map(({ level }) => level)));
  return { ...row, words, heights, width: high - low };
}

// Stems at a word: leftward arcs, the longest last; the root's; rightward arcs, the longest first.
function orderStems(arcs, cells, cell, isHere) {
  const stems = cells.map(() => []);
  for (const arc of arcs) {
    const ends = arc.head < 0 ? [[arc.dependent, arc.dependent, "to"]] : [[arc.head, arc.dependent, "from"], [arc.dependent, arc.head, "to"]];
    for (const [here, there, end] of ends) if (isHere(here)) stems[cell(here)].push({ arc, end, there, side: Math.sign(there - here) });
  }
  stems.forEach((of, i) => {
    of.sort((a, b) => a.side - b.side || b.there - a.there);
    cells[i] = Math.max(cells[i], of.length * SLOT);
    of.forEach((stem, k) => { stem.arc[stem.end] = (k - (of.length - 1) / 2) * SLOT; });
  });
}

// Labels fit on their arcs, and those of several roots beside each other.
function makeRoom(arcs, cell, demand) {
  const wanted = [];
  for (const { head, dependent, width, from, to } of arcs.filter((arc) => arc.head >= 0)) {
    const ends = [[cell(head), from], [cell(dependent), to]].sort((a, b) => a[0] - b[0]);
    wanted.push([ends[0][0], ends[1][0], Math.max(width, SHORTEST) + ends[0][1] - ends[1][1]]);
  }
  const roots = arcs.filter((arc) => arc.head < 0).sort((a, b) => a.dependent - b.dependent);
  roots.slice(1).forEach((right, i) => {
    const left = roots[i];
    wanted.push([cell(left.dependent), cell(right.dependent), (left.width + right.width) / 2 + CLEARANCE + left.to - right.to]);
  });
  wanted.sort((a, b) => a[1] - a[0] - (b[1] - b[0]) || a[0] - b[0]);
  for (const [left, right, distance] of wanted) demand(left, right, distance);
}

// Levels: above all arcs between their words, apart from those that they cross.
function raise(arcs) {
  const spans = arcs.filter((arc) => arc.head >= 0).map((arc) => ({ arc, left: Math.min(arc.head, arc.dependent), right: Math.max(arc.head, arc.dependent) }));
  spans.sort((a, b) => a.right - a.left - (b.right - b.left) || a.left - b.left);
  spans.forEach(({ arc, left, right }, i) => {
    let level = 1;
    const taken = new Set();
    for (const other of spans.slice(0, i)) {
      if (left <= other.left && other.right <= right) level = Math.max(level, other.arc.level + 1);
      else if (other.left < right && left < other.right) taken.add(other.arc.level);
    }
    while (taken.has(level)) level++;
    arc.level = level;
  });
}

// Gives arcs their places over cells with their middles at `at`; what is too close together for labels to keep clear of stems.
function place(arcs, at, cell) {
  for (const arc of arcs) {
    arc.dependentX = at[cell(arc.dependent)] + arc.to;
    arc.headX = arc.head < 0 ? arc.dependentX : at[cell(arc.head)] + arc.from;
    arc.label = (arc.headX + arc.dependentX) / 2;
  }
  const extent = ({ headX, dependentX }) => [Math.min(headX, dependentX), Math.max(headX, dependentX)];
  for (const root of arcs.filter((arc) => arc.head < 0)) {
    const reach = root.width / 2 + CLEARANCE;
    const below = arcs.filter((arc) => arc.head >= 0 && extent(arc)[0] < root.dependentX + reach && root.dependentX - reach < extent(arc)[1]);
    root.level = Math.max(0, ...below.map(({ level }) => level)) + 1;
  }
  const stems = arcs.flatMap((arc) => [
    { x: arc.dependentX, cell: cell(arc.dependent), offset: arc.to, level: arc.level },
    ...(arc.head < 0 ? [] : [{ x: arc.headX, cell: cell(arc.head), offset: arc.from, level: arc.level }]),
  ]).sort((a, b) => a.x - b.x);
  const shortages = [];
  for (const arc of arcs.filter(({ head, width }) => head >= 0 && width > 0)) {
    const [left, right] = extent(arc);
    const bounds = stems.filter(({ x, level }) => x === left || x === right || (x > left && x < right && level > arc.level));
    const best = Math.min(Math.max(arc.label, arc.dependentX - REACH), arc.dependentX + REACH);
    const gaps = bounds.slice(1).map((after, i) => {
      const [b, a] = [i === 0 ? 0 : CLEARANCE, i + 2 === bounds.length ? 0 : CLEARANCE];
      return { before: bounds[i], after, b, a, room: after.x - a - bounds[i].x - b + 1e-6 };
    });
    const places = gaps.filter(({ room }) => room >= arc.width).map(({ before, after, b, a }) => {
      const low = before.x + b + arc.width / 2;
      return Math.max(low, Math.min(best, after.x - a - arc.width / 2));
    });
    if (places.length) {
      arc.label = places.reduce((one, other) => (Math.abs(other - best) < Math.abs(one - best) ? other : one));
      continue;
    }
    const { before, after, b, a } = gaps.filter((gap) => gap.before.cell !== gap.after.cell).reduce((one, other) => (other.room > one.room ? other : one));
    shortages.push({ left: before.cell, right: after.cell, distance: arc.width + b + a + before.offset - after.offset });
  }
  return shortages;
}
