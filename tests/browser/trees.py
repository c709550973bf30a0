"""Looks at a page of `treebeam draw` in a browser, as its readers do.

Opens it from a file, light and dark, on a telephone and on a desktop, and checks that nothing is fetched, nothing is
reported to the console, nothing is wider than the page, texts are legible, that sorting, filters and search find what
they should, that the address keeps the state and that pictures are saved. Pictures of what it saw go to a folder.

    python trees.py PAGE PICTURES

The page is one of gold trees and those of two parsers. It needs Python's playwright (pip install playwright) and a
Chromium, of which CHROMIUM is the path.
"""

import sys
from xml.etree import ElementTree

from page import Check, look


class Trees(Check):
    """One page in one surrounding."""

    def cards(self):
        return self.page.locator("article").count()

    def found(self):
        return self.page.evaluate("found.map((sentence) => sentence.number)")

    def choose(self, control, value):
        self.page.locator(f"#{control}").select_option(value)

    def first(self):
        self.picture("top")
        self.expect(self.page.locator("#answer p").count() == 2, "both parsers' scores are shown")
        self.expect(self.cards() > 0, "there are sentences")
        errors = self.page.evaluate("found.map((sentence) => compared(sentence, 0, 1).all)")
        self.expect(errors == sorted(errors, reverse=True), f"the worst come first: {errors}")
        self.go(self.page.locator("article").first)
        self.picture("worst")

    def drawn(self):
        """Every word and every arrow is there once in each tree, and no picture is wider than its card."""
        wrong = self.page.evaluate(
            """() => {
              showMore(1000);
              return [...document.querySelectorAll("article")].map((card, i) => {
                const n = found[i].columns[0].length;
                const svg = card.querySelector(".scroll svg");
                const forms = svg.querySelectorAll("text.form").length;
                const heads = svg.querySelectorAll(".arc .head").length;
                const wide = svg.getBoundingClientRect().width > card.clientWidth;
                return forms === n && heads === 2 * n && !wide ? null : `sentence ${found[i].number}: ${forms} words, ${heads} arrows of ${n}; wide: ${wide}`;
              }).filter((fault) => fault);
            }"""
        )
        self.expect(not wrong, wrong)

    def filters(self):
        total = len(self.found())
        self.choose("show", "differing")
        self.expect(all(self.page.evaluate("found.map((sentence) => compared(sentence, 0, 1).all > 0)")), "those with errors")
        with_errors = len(self.found())
        self.choose("show", "same")
        self.expect(len(self.found()) + with_errors == total, "those with and without errors are all")
        self.choose("show", "parsers")
        self.expect(all(self.page.evaluate("found.map((sentence) => compared(sentence, 1, 2).all > 0)")), "where parsers differ")
        self.choose("show", "second")
        self.expect(
            all(self.page.evaluate("found.map((s) => compared(s, 0, 2).all < compared(s, 0, 1).all)")), "the second is better"
        )
        self.choose("pair", "1-2")
        self.go(self.page.locator("#status"))
        self.picture("parsers")
        self.choose("pair", "0-1")
        self.choose("show", "all")

    def confusions(self):
        chip = self.visible("#chips button").first
        n = int(chip.locator("b").inner_text())
        chip.click()
        marked = self.page.evaluate("(showMore(1000), document.querySelectorAll('.picture rect.found').length)")
        self.expect(marked == n, f"{marked} of {n} words are marked")
        self.expect(self.visible("#chips button[aria-pressed=true]").count() == 1, "the chip says that it is chosen")
        self.go(self.page.locator("article").first)
        self.picture("confusion")
        before = self.found()
        self.page.reload()
        self.expect(self.found() == before, "the address keeps what is shown")
        self.page.locator("#chips button[aria-pressed=true]").click()
        self.expect(self.page.evaluate("location.hash") == "", "nothing is chosen any more")

    def search(self):
        name = self.page.evaluate("found[3].id ?? String(found[3].number)")
        self.page.locator("#find").fill(name)
        self.page.wait_for_timeout(300)
        self.expect(len(self.found()) == 1, "a sentence is found by its id")
        self.page.locator("#find").fill("no such word")
        self.page.wait_for_timeout(300)
        self.expect(self.cards() == 0 and self.page.locator("#status").is_visible(), "the page says that nothing is found")
        self.page.locator("#find").fill("")
        self.page.wait_for_timeout(300)

    def strange_addresses(self):
        self.page.evaluate("location.hash = '#show=nothing&sort=toString&pair=7-8&confusion=taken-9999-1'")
        self.page.wait_for_timeout(100)
        self.expect(len(self.found()) == len(self.page.evaluate("sentences")), "what the address cannot mean is left aside")
        self.page.evaluate("location.hash = ''")
        self.page.wait_for_timeout(100)

    def saving(self):
        with self.page.expect_download() as download:
            self.page.locator("article button").first.click()
        path = self.pictures / f"{self.name}-saved.svg"
        download.value.save_as(path)
        text = path.read_text()
        ElementTree.fromstring(text)
        self.expect("var(" not in text and "light-dark(" not in text, "colours are resolved")

    def all(self):
        self.layout()
        self.first()
        self.legibility()
        self.theme("#theme")
        for part in (self.drawn, self.filters, self.confusions, self.search, self.strange_addresses, self.saving):
            part()
        self.layout()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(look(Trees, *sys.argv[1:], may_fetch=lambda url: url.startswith("blob:")))
