"""Saves pictures of beams for the book, as readers of a page of `treebeam trace` do: by its buttons.

    python pictures.py PAGE FOLDER

The page is of one sentence at several widths; PICTURES says what of it is saved, in both colour schemes. It needs Python's playwright (pip install
playwright) and a Chromium, of which CHROMIUM is the path.
"""

import re
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


STYLE = re.compile(r"<style>(.*?)</style>", re.DOTALL)


def saved(browser, url, scheme):
    """By name, the text of each picture as it is saved from the page in this colour scheme."""
    context = browser.new_context(viewport={"width": 1000, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    texts = {}
    for name, (shown, button) in PICTURES.items():
        tab = context.new_page()
        tab.goto(f"{url}#{shown}")
        with tab.expect_download() as download:
            tab.locator(button).click()
        texts[name] = Path(download.value.path()).read_text(encoding="utf-8")
        tab.close()
    return texts


def main(page, folder):
    url = Path(page).resolve().as_uri()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET.split())
        light, dark = (saved(browser, url, scheme) for scheme in ("light", "dark"))
        browser.close()
    for name, text in light.items():
        # Colours are all that differs: those of the dark scheme are shown to readers who prefer it.
        [of_light], [of_dark] = STYLE.findall(text), STYLE.findall(dark[name])
        if STYLE.sub("", text) != STYLE.sub("", dark[name]):
            sys.exit(f"{name}: more than the style differs between the colour schemes")
        lines = set(of_light.splitlines())
        other = [line for line in of_dark.splitlines() if line not in lines]
        style = f"{of_light.rstrip()}\n@media (prefers-color-scheme: dark) {{\n" + "\n".join(other) + "\n}\n"
        (Path(folder) / name).write_text(STYLE.sub(lambda _: f"<style>{style}</style>", text), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
