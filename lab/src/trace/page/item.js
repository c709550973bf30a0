// The selected item: its place, its lists, its partial tree.

const LIST_NAMES = { stack: "stack", buffer: "buffer", pending: "pending", lambda1: "λ₁, up to the left focus", lambda2: "λ₂, between", active: "active stack", other: "other stack" };

function drawItem() {
  const item = selected();
  const { alive, best, until } = survivors();
  const off = state.rank === "gold";
  const fact = (name, ...values) => make("span", {}, name + " ", ...values);
  const facts = make("p", { className: "facts" });
  const of = items(state.step).length;
  facts.append(fact("step", make("b", {}, `${state.step} of ${lastStep()}`)));
  facts.append(off ? fact("gold derivation,", make("b", {}, item.rank ? `rank ${item.rank} of ${of}` : "not in the beam"))
    : fact("rank", make("b", {}, `${item.rank} of ${of}`)));
  facts.append(fact("score", make("b", {}, score(item.score))));
  const first = items(state.step)[0];
  if (first && first.score !== item.score) facts.append(fact("behind the first by", make("b", {}, score(first.score - item.score))));
  facts.append(fact("last action", make("b", {}, state.step === 0 ? "none yet" : actionName(item))));
  if (item.complete) facts.append(fact("complete"));
  if (item.gold && !off) facts.append(make("span", { className: "gold" }, "gold so far"));
  if (!off) {
    const end = until[state.step][item.rank - 1];
    facts.append(fact(best[state.step] === item.rank ? "on the way to the output" : alive[state.step].has(item.rank) ? "has descendants in the last beam" : end === state.step ? "no successor of it was kept" : `its last descendants are dropped after step ${end}`));
  }
  const lists = make("div", { className: "lists" });
  trace.lists.forEach((name, number) => {
    const isStack = number < trace.stacks;
    const row = make("div", { className: `nodes ${isStack ? "stack" : "buffer"}`, tabIndex: 0 });
    row.setAttribute("aria-label", LIST_NAMES[name]);
    const nodes = item[name];
    const front = isStack ? nodes.length - 1 : 0;
    nodes.forEach((node, i) => {
      const chip = make("span", { className: `node${i === front ? " first" : ""}` }, shortened(form(node), 24), make("sub", {}, String(node)));
      chip.dir = "auto";
      row.append(chip);
    });
    if (nodes.length === 0) row.append(make("span", { className: "empty" }, "empty"));
    lists.append(make("span", {}, LIST_NAMES[name] ?? name), row);
  });
  const frame = make("div", { className: "scroll still" }, drawTree(item));
  byId("item-title").textContent = `Item: ${state.step === 0 ? "the start" : actionName(item)}`;
  byId("item").replaceChildren(facts, lists, frame, treeNote(item));
  lists.querySelectorAll(".stack").forEach((row) => { row.scrollLeft = row.scrollWidth; });
}

// How an arc compares with the gold tree.
function arcKind([head, dependent, label]) {
  if (!gold) return "";
  // Labels of lifted arcs say more than those of the gold tree.
  const plain = trace.labels[label].split(/[↑↓]/)[0];
  if (gold.heads[dependent - 1] !== head) return trace.labels[label] === plain ? "wrong" : "";
  return gold.labels[dependent - 1] === plain ? "" : "label";
}

function treeNote(item) {
  const kinds = item.arcs.map(arcKind);
  const n = (kind) => kinds.filter((found) => found === kind).length;
  const parts = [`${item.arcs.length} of ${words.length} words have a head`];
  if (gold) {
    const not = (count, what) => (count === 1 ? `1 ${what} is not that of the gold tree` : `${count} ${what}s are not those of the gold tree`);
    parts.push(n("wrong") ? `${not(n("wrong"), "head")} (dashed)` : "all heads are gold");
    if (n("label")) parts.push(`${not(n("label"), "label")} (blue)`);
  }
  return make("p", { className: "soft" }, parts.join("; ") + ".");
}

// Levels of arcs: above all arcs between their words, apart from those that they cross.
function levelsOf(arcs) {
  const levels = new Map();
  const spans = arcs.map(([head, dependent]) => [Math.min(head, dependent), Math.max(head, dependent), dependent]);
  spans.sort((a, b) => a[1] - a[0] - (b[1] - b[0]) || a[0] - b[0]);
  const placed = [];
  for (const [left, right, dependent] of spans) {
    let level = 1;
    const taken = new Set();
    for (const [l, r, other] of placed) {
      if (left <= l && r <= right) level = Math.max(level, levels.get(other) + 1);
      else if (l < right && left < r) taken.add(levels.get(other));
    }
    while (taken.has(level)) level++;
    levels.set(dependent, level);
    placed.push([left, right, dependent]);
  }
  return levels;
}

// The arcs of an item over the words.
function drawTree(item) {
  const texts = words.map((word) => shortened(word.form, 22));
  const widths = texts.map((shown, i) => Math.max(textWidth(shown, 14), textWidth(shortened(words[i].tag, 10), 10.5)));
  // Labels want room between neighbours.
  const gaps = words.map(() => 16);
  for (const [head, dependent, label] of item.arcs) {
    if (head !== 0 && Math.abs(head - dependent) === 1) {
      const i = Math.min(head, dependent) - 1;
      gaps[i] = Math.max(gaps[i], textWidth(trace.labels[label], 11) + 18 - (widths[i] + widths[i + 1]) / 2);
    }
  }
  const centres = [];
  let at = 18;
  widths.forEach((width, i) => { centres.push(at + width / 2); at += width + gaps[i]; });
  const total = Math.max(at + 2, 240);
  const middle = (node) => (trace.sentence.right_to_left ? total - centres[node - 1] : centres[node - 1]);
  const arcs = item.arcs.filter(([head]) => head !== 0);
  const levels = levelsOf(arcs);
  const step = arcs.length > 60 ? 13 : 19;
  const height = Math.max(2, ...levels.values()) * step + 44;
  const svg = picture(Math.ceil(total), height + 46, "Partial tree: " + item.arcs.map(([head, dependent, label]) => `${form(head)} −${trace.labels[label]}→ ${form(dependent)}`).join(", "));
  const base = height;
  const arrow = (x, kind) => draw("path", { class: `head ${kind}`, d: `M${round(x)} ${base}l-3.2 -7h6.4Z` });
  // Stems at a word stand side by side: to nearer words further out.
  const stems = words.map(() => []);
  for (const arc of arcs) {
    const [head, dependent] = arc;
    for (const [here, there, end] of [[head, dependent, "from"], [dependent, head, "to"]]) {
      const side = (middle(there) < middle(here)) ? -1 : 1;
      stems[here - 1].push({ arc, end, key: side * (1000 - Math.abs(here - there)) });
    }
  }
  const places = new Map(arcs.map((arc) => [arc, {}]));
  stems.forEach((of, i) => {
    of.sort((a, b) => a.key - b.key);
    of.forEach((stem, place) => { places.get(stem.arc)[stem.end] = middle(i + 1) + (place - (of.length - 1) / 2) * 7; });
  });
  for (const arc of arcs) {
    const { from, to } = places.get(arc);
    const top = base - levels.get(arc[1]) * step - 8;
    const kind = arcKind(arc);
    const direction = Math.sign(to - from);
    const r = Math.min(10, Math.abs(to - from) / 2);
    const d = `M${round(from)} ${base}V${top + r}Q${round(from)} ${top} ${round(from + direction * r)} ${top}H${round(to - direction * r)}Q${round(to)} ${top} ${round(to)} ${top + r}V${base - 6}`;
    svg.append(draw("path", { class: `arc ${kind}`, d }), arrow(to, kind));
    svg.append(text((from + to) / 2, top - 3, trace.labels[arc[2]], `mid small${kind === "wrong" ? " wrong-text" : kind === "label" ? " label-text" : ""}`));
  }
  for (const arc of item.arcs.filter(([head]) => head === 0)) {
    const kind = arcKind(arc);
    const x = middle(arc[1]);
    svg.append(draw("path", { class: `arc ${kind}`, d: `M${round(x)} 16V${base - 6}` }), arrow(x, kind));
    svg.append(text(x, 12, trace.labels[arc[2]], `mid small${kind === "wrong" ? " wrong-text" : kind === "label" ? " label-text" : ""}`));
  }
  words.forEach((word, i) => {
    const label = text(middle(i + 1), base + 18, texts[i], "mid");
    label.setAttribute("font-size", 14);
    label.setAttribute("style", "font-size:14px");
    svg.append(label, text(middle(i + 1), base + 34, shortened(word.tag, 10), "mid small soft"));
  });
  return svg;
}
