"""Check the built site: definitions and links, then every page in a browser without network.

What is defined nowhere or linked from nowhere (`covered.py`), a page that asks another machine for
something, whose script or picture fails, or that is wider than the window at 1280 or 390 pixels, is
printed, and the exit code is 1.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import covered
from playwright.sync_api import Page, sync_playwright

SITE = Path(__file__).parents[1] / "_build" / "html"
WIDTHS = (1280, 390)
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


class Window:
    """A tab that notes what goes wrong in it; one for all pages, as opening one takes long."""

    def __init__(self, page: Page):
        self.page = page
        self.found: list[str] = []
        page.on("requestfailed", lambda request: self.found.append(f"failed: {request.url}"))
        page.on("console", lambda one: one.type == "error" and self.found.append(one.text))
        page.on("pageerror", lambda error: self.found.append(str(error)))

    def problems(self, file: Path) -> list[str]:
        """Load a page; return what is wrong with it."""
        self.found.clear()
        self.page.goto(file.as_uri())
        for width in WIDTHS:
            self.page.set_viewport_size({"width": width, "height": 900})
            if self.page.evaluate(TOO_WIDE):
                self.found.append(f"wider than {width} pixels")
        return list(self.found)


def main() -> int:
    """Check the text of all pages, then each in a browser; without Chromium say so."""
    told = list(covered.problems(SITE))
    print(*told, f"{len(covered.places())} definitions, {len(told)} problems", sep="\n")
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        print("no chromium: pages were not loaded in a browser")
        return int(bool(told))
    files = sorted(SITE.rglob("*.html"))
    bad = 0
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = Window(browser.new_context(offline=True).new_page())
        for file in files:
            for problem in window.problems(file):
                bad += 1
                print(f"{file.relative_to(SITE)}: {problem}", flush=True)
        browser.close()
    print(f"{len(files)} pages at {' and '.join(map(str, WIDTHS))} pixels, {bad} problems")
    return int(bad > 0 or bool(told))


if __name__ == "__main__":
    sys.exit(main())
