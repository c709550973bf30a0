"""Looks at a page of `treebeam trace` in a browser, as its readers do.

Opens it from a file, light and dark, on a telephone and on a desktop, and checks that nothing is fetched, nothing is
reported to the console, nothing is wider than the page, texts are legible, that keys, slider and clicks do what they
should, that the address keeps the state and that pictures are saved. Pictures of what it saw go to a folder.

    python trace.py PAGE PICTURES

It needs Python's playwright (pip install playwright) and a Chromium, of which CHROMIUM is the path.
"""

import json
import sys
from pathlib import Path
from urllib.parse import unquote, urlparse
from xml.etree import ElementTree

from page import Check, look


class Watched(Check):
    """One page in one surrounding."""

    def state(self):
        return self.page.evaluate("({ ...state, width: beam().width, hash: location.hash })")

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def first(self):
        """What one sees without doing anything: the answer. Of the record, which may lie beside the page, nothing is lost."""
        record = Path(unquote(urlparse(self.page.url).path)).with_suffix(".json")
        if record.exists():
            record_of_page = json.loads(self.page.evaluate("JSON.stringify(trace)"))
            self.expect(record_of_page == json.loads(record.read_text(encoding="utf-8")), "the page holds the whole record")
        self.expect(self.page.locator("#answer").inner_text().strip(), "the answer is shown")
        self.expect(self.page.locator("#timeline svg path").count() > 4, "there is a timeline")
        fell = self.page.evaluate("fall()?.step ?? null")
        if fell is not None:
            self.expect(self.state()["step"] == fell, "it opens where gold falls off")
        self.picture("top")

    def keys(self):
        self.press("Home")
        self.expect(self.state()["step"] == 0, "Home goes to the start")
        self.press("ArrowRight", "ArrowRight", "ArrowRight")
        self.expect(self.state()["step"] == 3, "the right arrow takes a step")
        parent = self.page.evaluate("selected().parent")
        self.press("ArrowLeft")
        self.expect((self.state()["step"], self.state()["rank"]) == (2, parent), "the left arrow goes to the parent")
        self.press("b")
        self.expect(self.state()["rank"] == self.page.evaluate("survivors().best[2]"), "b goes to the best")
        if self.page.evaluate("items(2).length > 1"):
            self.press("ArrowDown")
            self.press(*["ArrowUp"] * (self.page.evaluate("items(2).length") + 1))
            self.expect(self.state()["rank"] == 1, "the up arrow stops at the first")
        if self.page.evaluate("!!beam().gold"):
            self.press("g")
            self.expect(self.page.evaluate("selected().gold"), "g goes to gold")
        if self.page.evaluate("!!fall()"):
            self.press("f")
            self.expect(self.state()["rank"] == "gold", "f goes to where gold falls off")
            self.go(self.page.locator("#item"))
            self.picture("fall")
            self.go(self.page.locator("#templates"))
            self.picture("templates")
            self.go(self.page.locator("#stacks"))
            self.picture("stacks")
        self.press("End", "?")
        self.expect(self.page.locator("#keys").is_visible(), "? lists the keys")
        self.press("?")

    def every_item(self):
        """Nothing fails wherever one goes."""
        wrong = self.page.evaluate(
            """() => {
              for (const [number, of] of trace.beams.entries()) {
                state.beam = number;
                showBeam();
                const last = of.steps.length - 1;
                for (let step = 0; step <= last; step += Math.max(1, Math.ceil(last / 12))) {
                  for (const rank of [1, 2, of.width, "gold"]) {
                    go(step, rank);
                    if (!selected()) return `nothing at ${step}, ${rank}`;
                    for (let list = 0; list < trace.lists.length; list++) { shownList = list; drawStacks(); }
                  }
                }
              }
              shownList = 0;
              return null;
            }"""
        )
        self.expect(wrong is None, wrong)

    def widths(self):
        self.page.evaluate("state.beam = 0; showBeam()")
        n = self.page.evaluate("trace.beams.length")
        self.press(*["]"] * n)
        self.expect(self.page.evaluate("state.beam") == n - 1, "] goes to the widest beam")
        self.go(self.page.locator("#timeline"))
        self.picture("widest")
        slider = self.page.locator("#width")
        slider.focus()
        if n > 1:
            self.press("ArrowLeft")
            self.expect(self.page.evaluate("state.beam") == n - 2, "the slider takes arrows itself")
        self.page.evaluate("document.activeElement.blur()")

    def pointing(self):
        self.press("Home")
        self.go(self.page.locator("#timeline"))
        x, y = self.page.evaluate(
            "(() => { const frame = timeline.getBoundingClientRect(); return [frame.left + grid.x(2), frame.top + grid.y(1)]; })()"
        )
        self.page.mouse.move(x, y)
        self.expect(self.page.locator(".tip").is_visible(), "an item that is pointed at says what it is")
        self.page.mouse.click(x, y)
        self.expect((self.state()["step"], self.state()["rank"]) == (2, 1), f"a click selects: {self.state()}")
        kept = self.page.locator("#successors td button").first
        kept.click()
        self.expect(self.state()["step"] == 3, "a kept successor is a link")
        self.page.mouse.move(2, 2)

    def address(self):
        before = self.state()
        self.page.reload()
        after = self.state()
        self.expect({k: before[k] for k in ("width", "step", "rank")} == {k: after[k] for k in ("width", "step", "rank")}, "the address keeps the state")
        self.page.evaluate("location.hash = '#width=1&step=1&rank=1'")
        self.page.wait_for_timeout(100)
        if self.page.evaluate("trace.beams[0].width") == 1:
            self.expect((self.state()["width"], self.state()["step"]) == (1, 1), "the address can be changed")
        self.page.evaluate("location.hash = '#width=77&step=x&rank=zzz'")
        self.page.wait_for_timeout(100)

    def saving(self):
        self.page.evaluate("begin(); showBeam()")
        for button, name in (("#save-step", "step"), ("#save-line", "timeline")):
            with self.page.expect_download() as download:
                self.page.locator(button).click()
            path = self.pictures / f"{self.name}-{name}.svg"
            download.value.save_as(path)
            text = path.read_text()
            ElementTree.fromstring(text)
            self.expect("var(" not in text and "light-dark(" not in text, f"{name}: colours are resolved")

    def all(self):
        self.layout()
        self.first()
        self.legibility()
        self.theme("#theme")
        for part in (self.keys, self.every_item, self.widths, self.pointing, self.address, self.saving):
            part()
        self.layout()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(look(Watched, *sys.argv[1:], may_fetch=lambda url: url.startswith("blob:")))
