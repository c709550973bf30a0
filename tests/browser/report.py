"""Looks at the page of `treebeam report` in a browser, as its readers do.

Opens it from a file, light and dark, on a telephone and on a desktop, and checks that nothing is fetched, nothing is
reported to the console, nothing is wider than the page, texts are legible, that the answer is on the first screen, and
that what should move does. Pictures of what it saw go to a folder.

    python report.py PAGE PICTURES

It needs Python's playwright (pip install playwright) and a Chromium, of which CHROMIUM is the path.
"""

import sys

from page import Check, look


class Report(Check):
    """The page of results in one surrounding."""

    def answer(self):
        """What one sees without doing anything."""
        self.picture("top")
        headline = self.page.locator(".headline")
        if headline.count() == 0:
            return
        box, height = headline.bounding_box(), self.page.viewport_size["height"]
        self.expect(box["y"] + box["height"] < height, "the answer is on the first screen")
        self.expect(self.page.locator(".answer .forest").first.is_visible(), "there is a chart")
        self.expect(not self.page.locator(".fold .block").locator("visible=true").count(), "details are folded")
        self.go(self.page.locator(".answer .forest").first)
        self.picture("chart")

    def unfold(self):
        self.page.evaluate("document.querySelectorAll('.fold').forEach((fold) => { fold.open = true; })")
        self.page.wait_for_timeout(200)

    def copies(self):
        box = self.visible(".box.table").last
        tools = box.locator("xpath=following-sibling::*[1]")
        kept = "window.copied = []; navigator.clipboard.writeText = async (text) => { window.copied.push(text); }"
        self.page.evaluate(f"() => {{ {kept} }}")
        for name in ("TSV", "CSV", "LaTeX"):
            tools.get_by_role("button", name=f"Copy as {name}").click()
        self.page.wait_for_timeout(100)
        tsv, csv, latex = self.page.evaluate("window.copied")
        rows = box.locator("tr").count()
        self.expect(tsv.count("\n") == rows and csv.count("\n") == rows, "a line is copied for each row")
        for part in (r"\begin{tabular}{", r"\toprule", r"\midrule", r"\bottomrule", r"\end{tabular}"):
            self.expect(part in latex, f"LaTeX without {part}: {latex[:200]}")
        columns = latex.split("{tabular}{")[1].split("}")[0]
        lines = [line for line in latex.split("\n") if line.endswith(r"\\")]
        ands = {line.replace(r"\&", "").count("&") for line in lines}
        self.expect(ands == {len(columns) - 1}, f"{columns}: {ands}")
        data = self.page.locator("figure[data-csv] + .tools button")
        if data.count():
            data.first.evaluate("button => button.click()")
            self.page.wait_for_timeout(100)
            self.expect(self.page.evaluate("window.copied").pop().startswith("curve,"), "the plot's data is copied")

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
        self.expect(tip.is_visible(), "a point that is pointed at says what it is")
        facts = [fact for fact in tip.locator("b, span").all_inner_texts() if fact]
        self.expect(len(facts) >= 3, f"curve, x and y are named: {facts}")
        self.picture("tooltip")
        self.page.mouse.move(2, 300)
        self.expect(not tip.is_visible(), "the tooltip goes")
        points.first.focus()
        self.expect(tip.is_visible(), "a point in focus says what it is")
        first = tip.inner_text()
        self.page.keyboard.press("ArrowRight")
        self.expect(tip.is_visible() and tip.inner_text() != first, "the arrow key goes to the next point")
        self.page.evaluate("document.activeElement.blur()")

    def legends(self):
        chart = self.visible(".chart:has(.legend button)").first
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
        self.expect(self.page.locator(".tip").is_visible(), "a cell of a heat map that is pointed at says what it is")
        self.picture("heat")

    def tour(self):
        self.page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
        self.picture("top")
        for experiment in self.page.locator(".experiment").all():
            self.go(experiment)
            self.picture(experiment.get_attribute("id"))

    def all(self):
        self.layout()
        self.answer()
        self.legibility()
        self.theme(".theme")
        self.tour()
        self.unfold()
        self.layout()
        self.legibility()
        for part in (self.sorting, self.copies, self.tooltips, self.legends, self.profiles, self.heat):
            part()
        self.layout()


def without_scripts(browser, url, pictures):
    """Everything is there to be read."""
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(url)
    hidden = [p for p in page.locator(".profile").all() if not p.is_visible()]
    page.screenshot(path=pictures / "without-scripts.png")
    page.pdf(path=pictures / "print.pdf", format="A4")
    return ["without scripts: profiles are hidden"] if hidden else []


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(look(Report, *sys.argv[1:], also=without_scripts))
