"""Looks at the page of `treebeam eval --html` in a browser, as its readers do.

Opens it from a file, light and dark, on a telephone and on a desktop, and checks that nothing is fetched, nothing is wider
than the page, texts are legible, and that the answer is on the first screen. Pictures of what it saw go to a folder.

    python scores.py PAGE PICTURES

It needs Python's playwright (pip install playwright) and a Chromium, of which CHROMIUM is the path.
"""

import sys

from page import Check, look


class Scores(Check):
    """The page in one surrounding."""

    def all(self):
        self.layout()
        answer = self.visible(".answer").last.bounding_box()
        self.expect(answer["y"] + answer["height"] < self.page.viewport_size["height"], "the answer is on the first screen")
        self.picture("top")
        self.legibility()
        folds = self.page.locator("details")
        self.expect(folds.count() > 0, "nothing to check: no breakdown")
        self.page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
        self.page.wait_for_timeout(100)
        self.go(folds.first)
        self.picture("breakdown")
        self.layout()
        self.legibility()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(look(Scores, *sys.argv[1:]))
