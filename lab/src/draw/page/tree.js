// Pictures of sentences.

const FORM = 15, NOTE = 11, LABEL = 11.5, FIRST = 27, STEP = 20, LIFT = 3.5, MARGIN = 8;

// How wide texts are in the fonts that are there.
const measured = (() => {
  const context = document.createElement("canvas").getContext("2d");
  const family = getComputedStyle(document.body).fontFamily;
  const known = new Map();
  return (content, size) => {
    const key = `${size} ${content}`;
    if (!known.has(key)) {
      context.font = `${size}px ${family}`;
      known.set(key, context.measureText(content).width);
    }
    return known.get(key);
  };
})();

function cut(content, size, limit) {
  if (measured(content, size) <= limit) return content;
  const letters = [...content];
  while (letters.length > 1 && measured(`${letters.join("")}…`, size) > limit) letters.pop();
  return `${letters.join("")}…`;
}

const height = (level) => FIRST + STEP * (level - 1);

// The trees `first` and, beneath the words, `second` (none if it is negative) of a sentence, within `limit`; words for which `found`
// holds are marked.
function drawSentence(sentence, first, second, limit, found) {
  const n = sentence.columns[0].length;
  const columns = sentence.columns.filter((texts, i) => i === 0 || texts.some((shown) => shown));
  const texts = columns.map((column, i) => column.map((full) => cut(full, i ? NOTE : FORM, Math.min(i ? 150 : 240, limit - 24))));
  const widths = Array.from({ length: n }, (_, w) => Math.max(...texts.map((column, i) => measured(column[w], i ? NOTE : FORM))));
  const chosen = second < 0 ? [first] : [first, second];
  const arcsOf = ({ heads, labels }) => heads.map((head, dependent) => {
    const label = data.with_labels ? data.labels[labels[dependent]] : "";
    return { head: head - 1, dependent, width: label ? measured(label, LABEL) + 6 : 0, text: label };
  });
  const rows = rowsOf(widths, chosen.map((tree) => arcsOf(sentence.trees[tree])), limit - 2 * MARGIN);
  const width = Math.max(...rows.map((row) => row.width));
  const across = (x) => round(MARGIN + (sentence.right_to_left ? width - x : x));
  const svg = draw("g");
  let y = MARGIN;
  // Whose tree is above the words, and whose beneath them.
  const whose = (tree) => (tree === 0 ? `gold: ${data.names[0]}` : data.names[tree]);
  const owner = (tree) => {
    svg.append(text(MARGIN, y + 10, cut(whose(tree), NOTE, limit - 2 * MARGIN), "small soft"));
    y += 16;
  };
  if (second >= 0) owner(first);
  for (const row of rows) {
    y += height(row.heights[0]) + LIFT + LABEL;
    for (const arc of row.sides[0]) svg.append(drawArc(sentence, arc, first, second, { y, up: 1 }, across));
    y += 5;
    columns.forEach((column, i) => {
      const size = i ? NOTE : FORM;
      row.words.forEach((x, k) => {
        const word = row.start + k;
        if (i === 0 && found(word)) {
          const half = measured(texts[0][word], FORM) / 2 + 4;
          svg.append(draw("rect", { class: "found", x: across(x) - round(half), y: round(y), width: round(2 * half), height: 20, rx: 3 }));
        }
        const shown = text(across(x), y + size, texts[i][word], i ? "mid small soft" : "mid form");
        if (texts[i][word] !== column[word]) shown.append(draw("title", {}, column[word]));
        svg.append(shown);
      });
      y += size * 1.35;
    });
    if (second >= 0) {
      y += 4;
      for (const arc of row.sides[1]) svg.append(drawArc(sentence, arc, second, first, { y, up: -1 }, across));
      y += height(row.heights[1]) + LIFT + LABEL;
    }
    y += 16;
  }
  if (second >= 0) owner(second);
  const picked = chosen.map((tree) => data.names[tree]).join(" (above) and ") + (second < 0 ? "" : " (below)");
  const whole = picture(Math.ceil(width + 2 * MARGIN), Math.ceil(y), `${sentence.columns[0].join(" ")}: ${picked}`);
  whole.append(svg);
  return whole;
}

// How the arc into a word differs from that of another tree.
function difference(sentence, word, tree, other) {
  if (other < 0) return "";
  const [a, b] = [sentence.trees[tree], sentence.trees[other]];
  return a.heads[word] !== b.heads[word] ? "wrong" : a.labels[word] !== b.labels[word] ? "label" : "";
}

const nameOf = (sentence, node) => (node === 0 ? "ROOT" : sentence.columns[0][node - 1]);
const arcIn = (sentence, tree, word) => {
  const { heads, labels } = sentence.trees[tree];
  return `${nameOf(sentence, heads[word])} −${data.labels[labels[word]]}→ ${nameOf(sentence, word + 1)}`;
};

function drawArc(sentence, arc, tree, other, { y, up }, across) {
  const kind = difference(sentence, arc.dependent, tree, other);
  const quiet = !kind && sentence.punctuation.includes(arc.dependent) ? " quiet" : "";
  const [from, to, label] = [across(arc.headX), across(arc.dependentX), across(arc.label)];
  const top = round(y - up * height(arc.level));
  const end = round(y - up * 6);
  let d;
  if (arc.head < 0) d = `M${to} ${top}V${end}`;
  else {
    const direction = Math.sign(to - from);
    const r = Math.min(12, Math.abs(to - from) / Math.max(1, arc.hasHead + arc.hasDependent));
    const shoulder = round(top + up * 12);
    d = arc.hasHead ? `M${from} ${y}V${shoulder}Q${from} ${top} ${round(from + direction * r)} ${top}` : `M${from} ${top}`;
    d += arc.hasDependent ? `H${round(to - direction * r)}Q${to} ${top} ${to} ${shoulder}V${end}` : `H${to}`;
  }
  const group = draw("g", { class: `arc ${kind}${quiet}` }, draw("path", { class: "line", d }));
  if (arc.hasDependent) group.append(draw("path", { class: "head", d: `M${to} ${round(y)}l-3.2 ${-up * 7}h6.4Z` }));
  const foot = up > 0 ? top - LIFT - 0.2 * LABEL : top + LIFT + 0.8 * LABEL;
  if (kind === "label") group.append(draw("rect", { class: "frame", x: round(label - arc.width / 2 + 1), y: round(foot - 0.85 * LABEL), width: round(arc.width - 2), height: 13, rx: 3 }));
  if (arc.text) group.append(text(label, foot, arc.text, "mid name"));
  const lines = [arcIn(sentence, tree, arc.dependent), ...(kind ? [`${data.names[other]}: ${arcIn(sentence, other, arc.dependent)}`] : [])];
  group.append(draw("title", {}, lines.join("; ")));
  return group;
}
