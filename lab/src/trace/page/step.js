// A step as a picture for slides: the beam before, the beam after, and the tree of what is selected.

const MOST_SHOWN = 12;

function stepPicture() {
  const step = Math.min(state.step, beam().steps.length - 1);
  const before = step > 0 ? items(step - 1).slice(0, MOST_SHOWN) : [];
  const after = items(step).slice(0, MOST_SHOWN);
  const { best } = survivors();
  const lost = fall() && fall().step <= step ? goldItem(step) : null;
  const line = (item) => [state.step === 0 && step === 0 ? "the start" : actionName(item, "start"), listsOf(item)];
  const widthOf = (of) => Math.max(150, ...of.map((item) => Math.max(textWidth(line(item)[0]) + 90, textWidth(line(item)[1], 10.5) + 16)));
  const [w1, w2] = [widthOf(before.length ? before : after), widthOf(lost ? [...after, lost] : after)];
  const row = 46, top = 66, gap = 90;
  const rows = Math.max(before.length, after.length + (lost ? 1 : 0));
  const tree = drawTree(selected());
  const treeWidth = Number(tree.getAttribute("width")), treeHeight = Number(tree.getAttribute("height"));
  const total = Math.max(24 + w1 + gap + w2 + 24, treeWidth + 24, 360);
  const height = top + rows * row + 34 + treeHeight;
  const svg = picture(Math.ceil(total), Math.ceil(height), `Step ${step} of a beam of width ${beam().width}`);
  svg.append(text(16, 24, `${trace.model.system}, beam of width ${beam().width}, step ${step}`, "strong"));
  svg.append(text(16, 42, shortened(words.map((word) => word.form).join(" "), Math.floor(total / 7)), "soft"));
  const [x1, x2] = [24, 24 + w1 + gap];
  const y = (i) => top + i * row;
  if (before.length) svg.append(text(x1, top - 7, `after step ${step - 1}`, "soft small"));
  svg.append(text(x2, top - 7, `after step ${step}`, "soft small"));
  after.forEach((item, i) => {
    if (!item.parent || item.parent > before.length) return;
    const [a, b] = [y(item.parent - 1) + 18, y(i) + 18];
    const kind = best[step] === item.rank ? "best" : item.gold ? "gold" : "alive";
    svg.append(draw("path", { class: kind, d: `M${x1 + w1} ${a}C${x1 + w1 + gap / 2} ${a} ${x2 - gap / 2} ${b} ${x2} ${b}` }));
  });
  const box = (item, x, at, width, onBest, name) => {
    const kind = onBest ? "of-best" : item.gold ? "of-gold" : "in";
    svg.append(draw("rect", { class: `box ${kind}`, x, y: at, width: round(width), height: 38, rx: 5 }));
    const [action, lists] = line(item);
    svg.append(text(x + 8, at + 15, `${name}  ${action}`, item.gold ? "gold-text" : "strong"));
    svg.append(text(x + width - 8, at + 15, score(item.score), "end"));
    svg.append(text(x + 8, at + 31, lists, "small soft"));
  };
  before.forEach((item, i) => box(item, x1, y(i), w1, best[step - 1] === item.rank, String(item.rank)));
  after.forEach((item, i) => box(item, x2, y(i), w2, best[step] === item.rank, String(item.rank)));
  if (lost) box(lost, x2, y(after.length), w2, false, fall().step === step ? `would be ${ordinal(fall().rank)}` : "off");
  const hidden = items(step).length - after.length;
  const under = y(rows) + 8;
  const chosen = state.rank === "gold" ? "the gold derivation" : `item ${state.rank}`;
  svg.append(text(16, under, `${hidden > 0 ? `${hidden} more items. ` : ""}The tree of ${chosen}:`, "soft small"));
  const group = draw("g", { transform: `translate(8 ${under + 8})` });
  group.append(...[...tree.children].slice(1));
  svg.append(group);
  return svg;
}

// What stands in an item's lists, near where they change.
function listsOf(item) {
  const near = 4;
  return trace.lists.map((name, number) => {
    const nodes = item[name];
    const forms = (of) => of.map((node) => shortened(form(node), 10)).join(" ");
    const more = nodes.length > near ? "… " : "";
    return number < trace.stacks ? more + forms(nodes.slice(-near)) : forms(nodes.slice(0, near)) + (more && " …");
  }).join(" | ");
}
