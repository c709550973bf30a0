// The timeline: steps across, ranks down; beneath it the score gap of gold.

let grid;

function layout(room) {
  const of = beam();
  const steps = lastStep(of);
  const width = Math.max(...of.steps.map((step) => step.items.length));
  const dx = Math.min(44, Math.max(13, Math.floor((room - 98) / Math.max(steps, 1))));
  const dy = width <= 4 ? 26 : width <= 8 ? 21 : width <= 16 ? 15 : width <= 32 ? 10 : width <= 64 ? 7 : 4;
  const left = 54, top = 26;
  const bottom = top + (width - 1) * dy;
  const lane = of.gold ? bottom + Math.max(dy, 16) + 6 : bottom;
  const chart = of.gold ? { top: lane + 58, height: 84 } : null;
  return {
    dx, dy, left, top, steps, width, lane, chart,
    r: Math.min(5, Math.max(1.4, dy / 3.2, 0)),
    x: (step) => left + step * dx,
    y: (rank) => (rank === "gold" ? lane : top + (rank - 1) * dy),
    total: { width: left + steps * dx + 60, height: (chart ? chart.top + chart.height + 26 : bottom + 34) },
  };
}

// Gold is drawn beneath the beam from where it has fallen off.
const isOff = (step) => beam().gold && (fall() ? step >= fall().step : step >= beam().steps.length);

function drawTimeline(room) {
  const of = beam();
  const { alive, best } = survivors(of);
  grid = layout(room);
  const { x, y, r } = grid;
  const svg = picture(grid.total.width, grid.total.height, `Beam of width ${of.width}: ${grid.steps} steps`);
  svg.append(draw("rect", { class: "column", id: "column", y: 0, width: grid.dx, height: grid.total.height }));
  const lines = { dead: "", alive: "", best: "", gold: "", off: "" };
  const dots = { dead: "", alive: "", best: "", gold: "" };
  const dot = (cx, cy, of = r) => `M${round(cx - of)} ${cy}a${round(of)} ${round(of)} 0 1 0 ${round(2 * of)} 0a${round(of)} ${round(of)} 0 1 0 ${round(-2 * of)} 0`;
  of.steps.forEach((step, number) => {
    for (const item of step.items) {
      const kind = best[number] === item.rank ? "best" : alive[number].has(item.rank) ? "alive" : "dead";
      if (number > 0) {
        const line = `M${x(number - 1)} ${y(item.parent)}L${x(number)} ${y(item.rank)}`;
        lines[kind] += line;
        if (item.gold) lines.gold += line;
      }
      dots[kind] += dot(x(number), y(item.rank));
      if (item.gold) dots.gold += dot(x(number), y(item.rank), r + 0.4);
    }
  });
  if (of.gold) {
    of.gold.path.forEach((item, number) => {
      if (!isOff(number)) return;
      const from = isOff(number - 1) ? "gold" : of.gold.path[number - 1]?.rank ?? goldRank(number - 1);
      if (number > 0 && from) lines.off += `M${x(number - 1)} ${y(from)}L${x(number)} ${y("gold")}`;
      dots.gold += dot(x(number), y("gold"), r + 0.4);
    });
  }
  const path = (kind, d) => d && svg.append(draw("path", { class: kind, d }));
  path("lines dead", lines.dead);
  path("dead-dots", dots.dead);
  path("lines alive", lines.alive);
  path("best", lines.best);
  path("alive-dots", dots.alive);
  path("best-dots", dots.best);
  path("gold", lines.gold);
  path("gold off", lines.off);
  path("gold-dots", dots.gold);
  svg.append(draw("g", { id: "way" }));
  axes(svg, of);
  if (grid.chart) margins(svg, of);
  return svg;
}

function axes(svg, of) {
  const { x, y, left, dx, steps, width } = grid;
  const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((n) => n * dx >= 26) ?? 2000;
  for (let step = 0; step <= steps; step += every) svg.append(text(x(step), 14, String(step), "mid soft small"));
  const ranks = new Set([1, width]);
  const gap = Math.ceil(18 / grid.dy);
  for (let rank = 1 + gap; rank <= width - gap; rank += gap) ranks.add(rank);
  for (const rank of ranks) svg.append(text(left - 12, y(rank) + 3.5, String(rank), "end soft small"));
  if (of.gold && (fall() || lastStep(of) > of.steps.length - 1)) svg.append(text(left - 12, grid.lane + 4, "gold", "end gold-text small"));
  const fell = fall(of);
  if (fell) {
    const at = x(fell.step) - dx / 2;
    const end = at > grid.total.width * 0.6;
    svg.append(draw("path", { class: "mark", d: `M${at} 20V${grid.lane + 12}` }));
    svg.append(text(at + (end ? -5 : 5), grid.lane + 22, fell.gap < 0 ? "gold is dropped for a twin" : `gold falls off: would be ${ordinal(fell.rank)}, ${score(fell.gap)} behind the last`, `gold-text small${end ? " end" : ""}`));
  }
}

const ordinal = (n) => n + (n % 100 > 10 && n % 100 < 14 ? "th" : ["th", "st", "nd", "rd"][n % 10] ?? "th");

// Score gap between the beam’s first item and the best gold prefix, step by step.
function margins(svg, of) {
  const { x, chart, left } = grid;
  const behind = of.gold.margins.map((margin) => margin.best - margin.gold);
  const [low, high] = [Math.min(0, ...behind), Math.max(0, ...behind)];
  const span = high - low || 1;
  const y = (points) => chart.top + ((high - points) / span) * chart.height;
  svg.append(text(8, chart.top - 8, "score gap between the beam’s first item and the best gold prefix", "soft small"));
  svg.append(draw("path", { class: "axis", d: `M${left} ${round(y(0))}H${x(grid.steps)}` }));
  svg.append(text(left - 6, y(0) + 3.5, "0", "end soft small"));
  if (high > 0) svg.append(text(left - 6, y(high) + 3.5, score(high), "end soft small"));
  if (low < 0 && y(low) - y(0) > 12) svg.append(text(left - 6, y(low) + 3.5, score(low), "end soft small"));
  svg.append(draw("path", { class: "margin", d: "M" + behind.map((points, i) => `${x(i + 1)} ${round(y(points))}`).join("L") }));
  const marked = new Map();
  for (const [update, step] of Object.entries(of.gold.updates)) {
    if (update === "early" || update === "max-violation") marked.set(step, [...(marked.get(step) ?? []), update.replace("-", " ")]);
  }
  for (const [step, names] of marked) {
    const at = y(behind[step - 1]);
    const end = x(step) > grid.total.width * 0.75;
    svg.append(draw("circle", { class: "gold-dots", cx: x(step), cy: round(at), r: 4 }));
    svg.append(text(x(step) + (end ? -8 : 8), at + (at > chart.top + 30 ? -6 : 14), names.join(", "), `gold-text small${end ? " end" : ""}`));
  }
}

// Marks what is selected, and the way to it.
function markTimeline(svg) {
  const { x, y, r, dx } = grid;
  const column = svg.querySelector("#column");
  column.setAttribute("x", round(x(state.step) - dx / 2));
  const way = svg.querySelector("#way");
  way.replaceChildren();
  const places = derivation(state.step, state.rank).map((item, step) => {
    const rank = state.rank === "gold" ? (isOff(step) ? "gold" : item.rank) : item.rank;
    return rank ? `${x(step)} ${y(rank)}` : null;
  }).filter(Boolean);
  way.append(draw("path", { class: "way", d: "M" + places.join("L") }));
  const rank = state.rank === "gold" && !isOff(state.step) ? selected().rank ?? goldRank(state.step) ?? "gold" : state.rank;
  way.append(draw("circle", { class: "chosen", cx: x(state.step), cy: y(rank), r: r + 4 }));
}

// What is at a point of the picture.
function pointed(svg, event) {
  const frame = svg.getBoundingClientRect();
  const step = Math.round((event.clientX - frame.left - grid.left) / grid.dx);
  const down = event.clientY - frame.top;
  if (step < 0 || step > grid.steps) return null;
  if (grid.chart && down > grid.lane + 14) return { step, rank: null };
  const rank = Math.round((down - grid.top) / grid.dy) + 1;
  if (isOff(step) && Math.abs(down - grid.lane) < 10) return { step, rank: "gold" };
  return { step, rank: Math.max(1, Math.min(rank, items(step).length)) };
}
