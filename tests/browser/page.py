"""What all checks of pages in a browser have in common: surroundings, layout, legibility."""

import os
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
)
SIZES = {"telephone": (390, 844), "desktop": (1400, 900)}
# Contrasts that WCAG 2.2 asks for, level AA: texts, and large texts.
TEXT, LARGE = 4.5, 3.0

# Pairs of colours of texts and of what is behind them, with their contrast.
CONTRASTS = """() => {
  const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const known = new Map();
  const linear = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const luminance = (colour) => {
    if (!known.has(colour)) {
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = colour;
      context.fillRect(0, 0, 1, 1);
      const [r, g, b] = context.getImageData(0, 0, 1, 1).data;
      known.set(colour, 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b));
    }
    return known.get(colour);
  };
  const clear = (colour) => colour === "rgba(0, 0, 0, 0)" || colour === "transparent";
  const seen = new Map();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !element.checkVisibility()) continue;
    const style = getComputedStyle(element);
    const ink = element.closest("svg") ? style.fill : style.color;
    let behind = element;
    while (behind && clear(getComputedStyle(behind).backgroundColor)) behind = behind.parentElement;
    const paper = getComputedStyle(behind ?? document.body).backgroundColor;
    const large = parseFloat(style.fontSize) >= 24;
    const key = `${ink} on ${paper}${large ? ", large" : ""}`;
    if (seen.has(key)) continue;
    const [high, low] = [luminance(ink), luminance(paper)].sort((a, b) => b - a);
    seen.set(key, { key, large, text: walker.currentNode.data.trim(), contrast: (high + 0.05) / (low + 0.05) });
  }
  return [...seen.values()];
}"""


class Check:
    """One page in one surrounding."""

    def __init__(self, page, name, pictures):
        self.page, self.name, self.pictures, self.faults = page, name, pictures, []

    def expect(self, holds, what):
        if not holds:
            self.faults.append(f"{self.name}: {what}")

    def picture(self, what):
        self.page.screenshot(path=self.pictures / f"{self.name}-{what}.png")

    def visible(self, selector):
        found = self.page.locator(selector).locator("visible=true")
        self.expect(found.count() > 0, f"nothing to check: no {selector}")
        return found

    def go(self, locator):
        """Puts an element a little below the top, where the bar does not cover it."""
        locator.evaluate("e => { const top = e.getBoundingClientRect().top + scrollY - 90; scrollTo({ top, behavior: 'instant' }); }")
        self.page.wait_for_timeout(150)

    def layout(self):
        width, inner = self.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        self.expect(width <= inner, f"the page is {width} wide on a screen of {inner}")
        twice = self.page.evaluate(
            "() => { const ids = [...document.querySelectorAll('[id]')].map((e) => e.id);"
            " return ids.filter((id, i) => ids.indexOf(id) !== i); }"
        )
        self.expect(not twice, f"ids that stand twice: {twice}")
        levels = self.page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4,h5,h6')].map((e) => Number(e.tagName[1]))")
        self.expect(levels[:1] == [1] and levels.count(1) == 1, "there is one first heading")
        skipped = [(a, b) for a, b in zip(levels, levels[1:]) if b > a + 1]
        self.expect(not skipped, f"headings skip a level: {skipped}")
        lost = self.page.evaluate(
            "[...document.querySelectorAll('a[href^=\"#\"]')].map((a) => a.getAttribute('href'))"
            # With an equals sign, it is what the page is to show.
            ".filter((href) => !href.includes('='))"
            ".filter((href) => !document.getElementById(href.slice(1)))"
        )
        self.expect(not lost, f"links lead nowhere: {lost}")

    def legibility(self):
        for pair in self.page.evaluate(CONTRASTS):
            least = LARGE if pair["large"] else TEXT
            self.expect(pair["contrast"] >= least, f"contrast {pair['contrast']:.2f}: {pair['key']}: {pair['text']!r}")

    def theme(self, button):
        colour = lambda: self.page.evaluate("getComputedStyle(document.body).backgroundColor")
        before = colour()
        self.page.locator(button).click()
        self.expect(colour() != before, "the button changes colours")
        self.page.locator(button).click()
        self.expect(colour() == before, "the button changes them back")
        self.page.evaluate("document.activeElement.blur()")


def look(kind, path, pictures, may_fetch=lambda url: False, also=lambda browser, url, pictures: []):
    """Checks a page in every surrounding, as `kind` does; the number of faults is the exit code."""
    url = Path(path).resolve().as_uri()
    pictures = Path(pictures)
    pictures.mkdir(parents=True, exist_ok=True)
    faults = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET.split())
        for scheme in ("light", "dark"):
            for size, (width, height) in SIZES.items():
                context = browser.new_context(
                    viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce"
                )
                page = context.new_page()
                check = kind(page, f"{scheme}-{size}", pictures)
                page.on("console", lambda m: check.expect(m.type == "log", f"console: {m.text}"))
                page.on("pageerror", lambda error: check.expect(False, f"error: {error}"))
                page.on(
                    "request",
                    lambda r: check.expect(r.url.split("#")[0] == url or may_fetch(r.url), f"fetches {r.url}"),
                )
                page.goto(url)
                check.all()
                faults += check.faults
                context.close()
        faults += also(browser, url, pictures)
        browser.close()
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(faults)} faults; pictures in {pictures}")
    return 1 if faults else 0
