"""Saves pictures of beams for the book, as readers of a page of `treebeam trace` do: by its buttons.

    python pictures.py PAGE FOLDER

The page is of one sentence at several widths; PICTURES says what of it is saved. It needs Python's playwright (pip install
playwright) and a Chromium, of which CHROMIUM is the path.
"""

import sys
from pathlib import Path

from page import CHROMIUM, QUIET
from playwright.sync_api import sync_playwright

# Names of files, what the page shows, and the button that saves it.
PICTURES = {
    "beam-narrow.svg": ("width=4&step=11&rank=gold", "#save-line"),
    "beam-fall.svg": ("width=4&step=11&rank=gold", "#save-step"),
    "beam-wide.svg": ("width=8&step=11&rank=1", "#save-line"),
    "greedy-fall.svg": ("width=1&step=4&rank=gold", "#save-step"),
}


def main(page, folder):
    url = Path(page).resolve().as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET.split())
        context = browser.new_context(viewport={"width": 1000, "height": 900}, color_scheme="light", reduced_motion="reduce")
        for name, (shown, button) in PICTURES.items():
            tab = context.new_page()
            tab.goto(f"{url}#{shown}")
            with tab.expect_download() as download:
                tab.locator(button).click()
            download.value.save_as(Path(folder) / name)
            tab.close()
        browser.close()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
