"use strict";
// What the pages have in common that draw their pictures themselves: elements, pictures, saving them, light and dark.

const byId = (id) => document.getElementById(id);
const make = (tag, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children);
  return element;
};

// The button that switches between light and dark.
function themes() {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const button = byId("theme");
  const other = () => ((root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark" ? "light" : "dark");
  const label = () => {
    button.textContent = other() === "dark" ? "Dark" : "Light";
    button.setAttribute("aria-label", `Switch to ${other()} colours`);
  };
  button.addEventListener("click", () => { root.dataset.theme = other(); label(); });
  system.addEventListener("change", label);
  label();
}

const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes = {}, ...children) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};
const picture = (width, height, label) => {
  const svg = draw("svg", { class: "picture", width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  svg.append(draw("rect", { class: "ground", width, height }));
  return svg;
};
const text = (x, y, content, kind = "") => draw("text", { x: round(x), y: round(y), class: kind }, content);
const round = (x) => Math.round(x * 10) / 10;

// How wide a text is, about: nobody knows before a font is chosen.
function textWidth(content, size = 12) {
  let sum = 0;
  for (const c of content) {
    const code = c.codePointAt(0);
    if (code >= 0x300 && code < 0x370) continue;
    sum += code >= 0x1100 && (code < 0x1160 || (code >= 0x2e80 && code < 0xa4d0) || (code >= 0xac00 && code < 0xd7a4) || (code >= 0xf900 && code < 0xfb00) || (code >= 0xff00 && code < 0xff61)) ? 1.05
      : "iljI|'.,:;!".includes(c) ? 0.34 : "frt()[]/- ".includes(c) ? 0.41 : "mwMW@%".includes(c) ? 0.95 : c >= "A" && c <= "Z" ? 0.74 : 0.6;
  }
  return sum * size;
}

// The style sheet of pictures with the colours that are shown.
function resolvedStyle() {
  const probe = make("i");
  document.body.append(probe);
  const resolve = (name) => {
    probe.style.color = `var(${name})`;
    return getComputedStyle(probe).color;
  };
  const style = byId("pictures").textContent.replace(/var\((--[a-z]+)\)/g, (_, name) => resolve(name));
  probe.remove();
  return style;
}

function save(svg, name) {
  const copy = svg.cloneNode(true);
  copy.setAttribute("xmlns", SVG);
  copy.prepend(draw("style", {}, resolvedStyle()));
  const url = URL.createObjectURL(new Blob([new XMLSerializer().serializeToString(copy)], { type: "image/svg+xml" }));
  make("a", { href: url, download: `${name}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}
