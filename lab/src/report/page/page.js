"use strict";
// What moves: themes, profiles, the place in the contents, sorting, tooltips. The page is whole without any of it.
(() => {
  const root = document.documentElement;
  root.classList.add("js");

  const all = (selector, within = document) => [...within.querySelectorAll(selector)];
  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  // Storage may be forbidden to pages from files.
  const stored = {
    get() { try { return localStorage.getItem("treebeam-theme"); } catch { return null; } },
    set(theme) { try { localStorage.setItem("treebeam-theme", theme); } catch { /* not kept, then */ } },
  };
  if (["light", "dark"].includes(stored.get())) root.dataset.theme = stored.get();

  function themes() {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const current = () => root.dataset.theme ?? (system.matches ? "dark" : "light");
    const other = () => (current() === "dark" ? "light" : "dark");
    const button = make("button", { type: "button", className: "theme" });
    const label = () => {
      button.innerHTML = '<svg aria-hidden="true" viewBox="0 0 16 16"><path d="M8 1a7 7 0 1 0 0 14A7 7 0 1 0 8 1M8 2.5v11a5.5 5.5 0 0 1 0-11"/></svg>';
      button.append(other() === "dark" ? "Dark" : "Light");
      button.setAttribute("aria-label", `Switch to ${other()} colours`);
    };
    button.addEventListener("click", () => {
      root.dataset.theme = other();
      stored.set(root.dataset.theme);
      label();
    });
    system.addEventListener("change", label);
    label();
    document.querySelector(".top").append(button);
  }

  // Arrow keys move among the elements of a group, of which one is reached by Tab.
  function rove(elements, event) {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const at = elements.indexOf(document.activeElement);
    if (!step || at < 0) return null;
    event.preventDefault();
    return elements[(at + step + elements.length) % elements.length];
  }

  function profiles(experiment) {
    const panels = all(".profile", experiment);
    const lists = all(`nav [data-for="${experiment.id}"] > ol`);
    const show = (shown) => {
      panels.forEach((panel) => panel.classList.toggle("shown", panel === shown));
      lists.forEach((list) => list.classList.toggle("shown", list.dataset.for === shown.id));
      tabs.forEach((tab) => {
        const selected = tab.getAttribute("aria-controls") === shown.id;
        tab.setAttribute("aria-selected", selected);
        tab.tabIndex = selected ? 0 : -1;
      });
    };
    const tabs = panels.length < 2 ? [] : panels.map((panel) => {
      const tab = make("button", { type: "button", role: "tab", id: `${panel.id}-tab` }, panel.dataset.profile);
      tab.setAttribute("aria-controls", panel.id);
      tab.addEventListener("click", () => panel.show());
      panel.setAttribute("role", "tabpanel");
      panel.setAttribute("aria-labelledby", tab.id);
      return tab;
    });
    if (tabs.length) {
      const list = make("div", { className: "tabs", role: "tablist" }, ...tabs);
      list.setAttribute("aria-label", "Profile");
      list.addEventListener("keydown", (event) => {
        const next = rove(tabs, event);
        next?.click();
        next?.focus();
      });
      panels[0].before(list);
    }
    panels.forEach((panel) => {
      panel.show = () => {
        show(panel);
        measure(panel);
      };
    });
    show(panels[0]);
  }

  // A link into a profile that is not shown shows it.
  function follow() {
    const target = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    const panel = target && target.closest(".profile");
    const folds = [];
    for (let fold = target?.closest(".fold"); fold; fold = fold.parentElement.closest(".fold")) folds.push(fold);
    const isHidden = (panel && !panel.classList.contains("shown")) || folds.some((fold) => !fold.open);
    folds.forEach((fold) => { fold.open = true; });
    if (isHidden) {
      panel?.show();
      target.scrollIntoView();
    }
  }

  function contents() {
    const details = document.querySelector(".contents");
    const narrow = matchMedia("(max-width: 62rem)");
    const fold = () => { details.open = !narrow.matches; };
    narrow.addEventListener("change", fold);
    fold();
    details.addEventListener("click", (event) => {
      if (narrow.matches && event.target.closest("a")) details.open = false;
    });
    const place = document.querySelector(".place");
    const enter = (section) => {
      all(".contents .here").forEach((item) => item.classList.remove("here"));
      const item = document.querySelector(`.contents li[data-for="${section.id}"]`);
      item?.classList.add("here");
      place.textContent = item ? item.firstElementChild.textContent : "";
      if (item && !narrow.matches) {
        const nav = details.parentElement;
        const [box, own] = [nav.getBoundingClientRect(), item.getBoundingClientRect()];
        if (own.top < box.top || own.bottom > box.bottom) nav.scrollTop += own.top - box.top - box.height / 4;
      }
    };
    const watch = new IntersectionObserver((entries) => {
      entries.filter((entry) => entry.isIntersecting).forEach((entry) => enter(entry.target));
    }, { rootMargin: "-25% 0px -74% 0px" });
    all(".opening, .experiment").forEach((section) => watch.observe(section));
  }

  // A table that fits needs no box that scrolls; its head then stays below the bar at the top of the page. All widths are
  // read before any class is changed, so that the page is laid out once and not once a table.
  function measure(within) {
    const widths = all(".box", within)
      .map((box) => [box, box.firstElementChild.offsetWidth, box.parentElement.clientWidth])
      .filter(([, own]) => own > 0);
    for (const [box, own, room] of widths) {
      box.classList.toggle("fits", own <= room);
      if (own <= room) box.removeAttribute("tabindex"); else box.tabIndex = 0;
    }
    edges(widths.map(([box]) => box));
  }

  // Whether tables have more to show on either side.
  function edges(boxes) {
    const sides = boxes.map((box) => [box, box.scrollLeft > 0, box.scrollLeft + box.clientWidth < box.scrollWidth - 1]);
    for (const [box, left, right] of sides) {
      box.classList.toggle("moved", left);
      box.classList.toggle("more", right);
    }
  }

  function sortable(box) {
    const table = box.firstElementChild;
    const body = table.tBodies[0];
    const original = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    // A number if it is said to be one or, in a column of figures, if it looks like one.
    const key = (cell, isText) => {
      const said = cell.dataset.v ?? (isText ? "" : cell.firstChild?.textContent ?? "");
      const value = said === "" ? NaN : Number(said);
      return { value, text: cell.textContent };
    };
    const compare = (a, b, direction) => {
      const [aIsNumber, bIsNumber] = [!Number.isNaN(a.value), !Number.isNaN(b.value)];
      // What has no number stays behind the others, whatever the direction.
      if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
      return direction * (aIsNumber ? a.value - b.value : a.text.localeCompare(b.text));
    };
    const sort = (head, column) => {
      const isText = head.classList.contains("t");
      const keys = new Map(original.map((row) => [row, key(row.cells[column], isText)]));
      const isNumeric = [...keys.values()].some((key) => !Number.isNaN(key.value));
      // Figures begin with the highest, texts with the first.
      const order = isNumeric ? ["descending", "ascending", null] : ["ascending", "descending", null];
      const next = order[(order.indexOf(head.getAttribute("aria-sort")) + 1) % order.length];
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      const rows = [...original];
      if (next) {
        head.setAttribute("aria-sort", next);
        const direction = next === "ascending" ? 1 : -1;
        rows.sort((a, b) => compare(keys.get(a), keys.get(b), direction));
      }
      body.append(...rows);
    };
    heads.forEach((head, column) => {
      const button = make("button", { type: "button", title: "Sort by this column" });
      button.append(...head.childNodes);
      button.addEventListener("click", () => sort(head, column));
      head.append(button);
    });
    const rows = () => [...table.rows].map((row) => [...row.cells]);
    tools(box, [["TSV", () => delimited(rows(), "\t")], ["CSV", () => delimited(rows(), ",")], ["LaTeX", () => latex(rows())]]);
  }

  const said = (cell) => cell.textContent.trim().replace(/\s+/g, " ");
  function delimited(rows, mark) {
    const field = (text) => (mark === "," && /[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
    return rows.map((cells) => cells.map((cell) => field(said(cell))).join(mark)).join("\n") + "\n";
  }

  // A tabular in the style of the package booktabs; the highest figures are bold.
  function latex(rows) {
    const special = { "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}", "±": "$\\pm$", "†": "$\\dagger$", "‡": "$\\ddagger$",
      "×": "$\\times$", "–": "--", "−": "$-$", "≤": "$\\leq$", "<": "$<$", ">": "$>$", "µ": "$\\mu$", "…": "\\dots{}" };
    const escaped = (text) => text.replace(/[&%$#_{}]/g, "\\$&").replace(/[\\~^±†‡×–−≤<>µ…](?![&%$#_{}])/g, (c) => special[c])
      .replace(/(^|[\s(])-(?=\d)/g, "$1$-$");
    const line = (cells) => cells.map((cell) => (cell.classList.contains("b") ? `\\textbf{${escaped(said(cell))}}` : escaped(said(cell)))).join(" & ") + " \\\\";
    const isText = (cell) => cell.classList.contains("t");
    const [head, ...others] = rows;
    const foot = others.findIndex((cells) => cells[0].closest("tfoot"));
    const lines = others.map(line);
    if (foot > 0) lines.splice(foot, 0, "\\midrule");
    return ["% \\usepackage{booktabs}", `\\begin{tabular}{${head.map((cell) => (isText(cell) ? "l" : "r")).join("")}}`, "\\toprule", line(head), "\\midrule",
      ...lines, "\\bottomrule", "\\end{tabular}", ""].join("\n");
  }

  // Buttons that copy what stands above them.
  function tools(after, kinds) {
    const buttons = kinds.map(([name, text]) => {
      const button = make("button", { type: "button" }, name);
      button.setAttribute("aria-label", `Copy as ${name}`);
      button.addEventListener("click", async () => {
        button.textContent = (await write(text())) ? "copied" : "could not be copied";
        setTimeout(() => { button.textContent = name; }, 1500);
      });
      return button;
    });
    after.after(make("div", { className: "tools" }, "Copy as ", ...buttons));
  }

  async function write(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = make("textarea", { value: text });
      document.body.append(area);
      area.select();
      const done = document.execCommand("copy");
      area.remove();
      return done;
    }
  }

  const tip = make("div", { className: "tip", hidden: true });
  tip.setAttribute("role", "tooltip");
  function showTip(facts, beside) {
    const [first, ...others] = facts.split("\n");
    tip.replaceChildren(make("b", {}, first), ...others.map((fact) => make("span", {}, fact)));
    tip.hidden = false;
    const at = beside.getBoundingClientRect();
    const own = tip.getBoundingClientRect();
    const x = Math.min(Math.max(at.left + at.width / 2 - own.width / 2, 6), root.clientWidth - own.width - 6);
    const above = at.top - own.height - 9;
    tip.style.left = `${x}px`;
    tip.style.top = `${above > 54 ? above : at.bottom + 9}px`;
  }

  function chart(figure) {
    const plot = figure.querySelector(".plot");
    const curves = all(".curve", plot);
    const points = curves.flatMap((curve) => all(".p", curve).map((element) => {
      const title = element.querySelector("title");
      const facts = title.textContent;
      title.remove();
      element.setAttribute("role", "img");
      element.setAttribute("aria-label", facts.replaceAll("\n", ", "));
      const [x, y] = element.getAttribute("transform").match(/-?[\d.]+/g).map(Number);
      return { element, curve, facts, x, y };
    }));
    const seen = () => points.filter((point) => !point.curve.classList.contains("off"));
    const light = (curve) => {
      curves.forEach((other) => other.classList.toggle("on", other === curve));
      plot.classList.toggle("lit", Boolean(curve));
    };
    let shown = null;
    const show = (point) => {
      if (point === shown) return;
      shown?.element.classList.remove("on");
      shown = point;
      light(point?.curve);
      if (!point) { tip.hidden = true; return; }
      point.element.classList.add("on");
      showTip(point.facts, point.element.querySelector("use"));
    };
    const reach = () => {
      points.forEach((point) => { point.element.tabIndex = -1; });
      const first = seen()[0];
      if (first) first.element.tabIndex = 0;
    };

    const nearest = (event) => {
      const matrix = plot.getScreenCTM();
      const distance = (point) => Math.hypot(
        matrix.a * point.x + matrix.e - event.clientX, matrix.d * point.y + matrix.f - event.clientY);
      let best = null;
      let least = 26;
      for (const point of seen()) {
        const here = distance(point);
        if (here < least) [best, least] = [point, here];
      }
      return best;
    };
    for (const kind of ["pointermove", "pointerdown"]) plot.addEventListener(kind, (event) => show(nearest(event)));
    plot.addEventListener("pointerleave", () => show(null));
    plot.addEventListener("focusin", (event) => show(points.find((point) => point.element === event.target) ?? null));
    plot.addEventListener("focusout", () => show(null));
    plot.addEventListener("keydown", (event) => {
      const from = points.find((point) => point.element === document.activeElement);
      if (event.key === "Escape") show(null);
      if (!from) return;
      let to = null;
      if (["ArrowUp", "ArrowDown"].includes(event.key)) {
        // The next curve, where it is nearest.
        event.preventDefault();
        const others = [...new Set(seen().map((point) => point.curve))];
        const step = event.key === "ArrowDown" ? 1 : -1;
        const curve = others[(others.indexOf(from.curve) + step + others.length) % others.length];
        const away = (point) => Math.abs(point.x - from.x);
        to = seen().filter((point) => point.curve === curve).sort((a, b) => away(a) - away(b))[0];
      } else {
        const own = seen().filter((point) => point.curve === from.curve);
        const element = rove(own.map((point) => point.element), event);
        to = own.find((point) => point.element === element);
      }
      if (!to) return;
      points.forEach((point) => { point.element.tabIndex = point === to ? 0 : -1; });
      to.element.focus();
    });

    all(".legend li", figure).forEach((item, i) => {
      const button = make("button", { type: "button", title: "Show or hide" });
      button.append(...item.childNodes);
      button.setAttribute("aria-pressed", "true");
      const on = () => { if (!curves[i].classList.contains("off")) light(curves[i]); };
      for (const kind of ["pointerenter", "focus"]) button.addEventListener(kind, on);
      for (const kind of ["pointerleave", "blur"]) button.addEventListener(kind, () => light(null));
      button.addEventListener("click", () => {
        const off = curves[i].classList.toggle("off");
        button.setAttribute("aria-pressed", String(!off));
        light(off ? null : curves[i]);
        reach();
      });
      item.append(button);
    });
    reach();
  }

  function heat(table) {
    const heads = [...table.tHead.rows[0].cells];
    all("td", table).forEach((cell) => {
      cell.facts = cell.title;
      cell.removeAttribute("title");
    });
    let lit = [];
    const show = (cell) => {
      lit.forEach((element) => element.classList.remove("on"));
      lit = cell ? [cell, cell.parentElement.cells[0], heads[cell.cellIndex]] : [];
      lit.forEach((element) => element.classList.add("on"));
      if (cell) showTip(cell.facts, cell); else tip.hidden = true;
    };
    table.addEventListener("pointerover", (event) => show(event.target.closest("td")));
    table.addEventListener("pointerleave", () => show(null));
  }

  document.addEventListener("DOMContentLoaded", () => {
    document.body.append(tip);
    themes();
    all(".box.table").forEach(sortable);
    all(".box").forEach((box) => box.addEventListener("scroll", () => edges([box]), { passive: true }));
    all(".experiment").forEach(profiles);
    all(".chart").forEach(chart);
    all("figure[data-csv]").forEach((figure) => tools(figure, [["CSV (the plot's data)", () => `${figure.dataset.csv}\n`]]));
    all(".map").forEach(heat);
    measure(document);
    contents();
    follow();
    addEventListener("hashchange", follow);
    all(".fold").forEach((fold) => fold.addEventListener("toggle", () => measure(fold)));
    // Paper has no folds to open.
    addEventListener("beforeprint", () => all(".fold").forEach((fold) => { fold.open = true; }));
    addEventListener("resize", () => { measure(document); tip.hidden = true; });
    addEventListener("scroll", () => { tip.hidden = true; }, { passive: true, capture: true });
  });
})();
