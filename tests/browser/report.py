"""Looks at the page of `treebeam report` in a browser, as its readers do.

Opens it from a file, light and dark, on a telephone and on a desk, and checks that nothing is fetched, nothing is
reported to the console, nothing is wider than the page, texts are legible, and that what should move does. Pictures
of what it saw go to a folder.

    python report.py PAGE PICTURES

It needs Python's playwright (pip install playwright) and a Chromium, of which CHROMIUM is the path.
"""

import os
import sys
from pathlib import Path

from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
QUIET = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking"
    " --disable-component-update --disable-sync"
)
SIZES = {"telephone": (390, 844), "desk": (1400, 900)}
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
            ".filter((href) => !document.getElementById(href.slice(1)))"
        )
        self.expect(not lost, f"links lead nowhere: {lost}")

    def legibility(self):
        for pair in self.page.evaluate(CONTRASTS):
            least = LARGE if pair["large"] else TEXT
            self.expect(pair["contrast"] >= least, f"contrast {pair['contrast']:.2f}: {pair['key']}: {pair['text']!r}")

    def sorting(self):
        box = self.visible(".box.table").first
        self.go(box)
        column = box.evaluate(
            "b => [...b.querySelectorAll('thead th')].findIndex((h) => !h.classList.contains('t'))"
        )
        rows = lambda: box.evaluate(
            "(b, i) => [...b.querySelectorAll('tbody tr')].map((r) => [r.textContent.trim(),"
            " Number(r.cells[i].dataset.v ?? r.cells[i].firstChild.textContent)])",
            column,
        )
        last = lambda: box.evaluate("b => [...b.querySelectorAll('tr')].at(-1).textContent")
        head, before, bottom = box.locator("thead th").nth(column), rows(), last()
        for state in ("descending", "ascending"):
            # By keyboard, once each; a click does the same.
            head.locator("button").press("Enter")
            self.expect(head.get_attribute("aria-sort") == state, f"the head says that it is sorted {state}")
            values = [value for _, value in rows() if value == value]
            self.expect(values == sorted(values, reverse=state == "descending"), f"{state}: {values}")
            self.picture(f"sorted-{state}")
        head.locator("button").click()
        self.expect(head.get_attribute("aria-sort") is None, "the third time it is not sorted")
        self.expect(rows() == before, "the third time restores the order")
        if "average" in bottom:
            self.expect(last() == bottom, "the average stays at the bottom")

    def tooltips(self):
        plot = self.visible(".plot").first
        self.go(plot)
        points, tip = plot.locator(".p"), self.page.locator(".tip")
        self.expect(points.count() > 0, "nothing to check: no point")
        at = points.nth(points.count() // 2).locator("use").bounding_box()
        self.page.mouse.move(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
        self.expect(tip.is_visible(), "a point that is pointed at tells what it is")
        facts = [fact for fact in tip.locator("b, span").all_inner_texts() if fact]
        self.expect(len(facts) >= 3, f"curve, x and y are told: {facts}")
        self.picture("tooltip")
        self.page.mouse.move(2, 300)
        self.expect(not tip.is_visible(), "the tooltip goes")
        points.first.focus()
        self.expect(tip.is_visible(), "a point in focus tells what it is")
        first = tip.inner_text()
        self.page.keyboard.press("ArrowRight")
        self.expect(tip.is_visible() and tip.inner_text() != first, "the arrow key goes to the next point")
        self.page.evaluate("document.activeElement.blur()")

    def legends(self):
        chart = self.visible(".chart").first
        self.go(chart)
        button = chart.locator(".legend button").first
        shown = chart.locator(".curve").locator("visible=true").count()
        button.click()
        self.expect(button.get_attribute("aria-pressed") == "false", "the entry says that its curve is hidden")
        self.expect(chart.locator(".curve").locator("visible=true").count() == shown - 1, "the curve is hidden")
        button.click()
        self.expect(chart.locator(".curve").locator("visible=true").count() == shown, "the curve is back")
        self.page.evaluate("document.activeElement.blur()")

    def profiles(self):
        tabs = self.visible(".tabs").first
        experiment = self.page.locator(".experiment", has=self.page.locator(".tabs")).first
        self.go(experiment)
        panels = experiment.locator(".profile")
        shown = lambda: [panels.nth(i).is_visible() for i in range(panels.count())]
        self.expect(shown()[0] and sum(shown()) == 1, f"the first profile alone is shown: {shown()}")
        tabs.get_by_role("tab").nth(1).click()
        self.expect(shown()[1] and sum(shown()) == 1, f"the second profile alone is shown: {shown()}")
        self.picture("profile")
        self.page.keyboard.press("ArrowLeft")
        self.expect(shown()[0] and sum(shown()) == 1, f"the arrow key goes back: {shown()}")
        hidden = panels.nth(1).locator(".block").first
        self.page.evaluate("id => { location.hash = id; }", hidden.get_attribute("id"))
        self.page.wait_for_timeout(150)
        self.expect(hidden.is_visible(), "a link into another profile shows it")
        tabs.get_by_role("tab").first.click()

    def heat(self):
        if self.page.locator(".map").count() == 0:
            return
        cell = self.visible(".map td").first
        self.go(self.visible(".heat").first)
        cell.hover()
        self.expect(self.page.locator(".tip").is_visible(), "a cell of a heat map that is pointed at tells what it is")
        self.picture("heat")

    def theme(self):
        colour = lambda: self.page.evaluate("getComputedStyle(document.body).backgroundColor")
        before = colour()
        self.page.locator(".theme").click()
        self.expect(colour() != before, "the button changes colours")
        self.page.locator(".theme").click()
        self.expect(colour() == before, "the button changes them back")

    def tour(self):
        self.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        self.picture("top")
        for experiment in self.page.locator(".experiment").all():
            self.go(experiment)
            self.picture(experiment.get_attribute("id"))

    def all(self):
        self.layout()
        self.legibility()
        for part in (self.theme, self.sorting, self.tooltips, self.legends, self.profiles, self.heat, self.tour):
            part()
        self.layout()


def without_scripts(browser, url, pictures):
    """Everything is there to be read."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(url)
    hidden = [p for p in page.locator(".profile").all() if not p.is_visible()]
    page.screenshot(path=pictures / "without-scripts.png")
    return ["without scripts: profiles are hidden"] if hidden else []


def main(path, pictures):
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
                check = Check(page, f"{scheme}-{size}", pictures)
                page.on("console", lambda m: check.expect(m.type == "log", f"console: {m.text}"))
                page.on("pageerror", lambda error: check.expect(False, f"error: {error}"))
                page.on("request", lambda r: check.expect(r.url.split("#")[0] == url, f"fetches {r.url}"))
                page.goto(url)
                check.all()
                faults += check.faults
                context.close()
        faults += without_scripts(browser, url, pictures)
        if not faults:
            page = browser.new_page()
            page.goto(url)
            page.pdf(path=pictures / "print.pdf", format="A4")
        browser.close()
    for fault in faults:
        print(fault, file=sys.stderr)
    print(f"{len(faults)} faults; pictures in {pictures}")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
