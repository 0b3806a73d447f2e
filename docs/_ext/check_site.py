"""Check the built site: definitions and links, then every page in a browser without network.

What is defined nowhere or linked from nowhere (`covered.py`), a page that asks another machine for
something, whose script or picture fails, or that is wider than the window at 1280 or 390 pixels, is
printed, and the exit code is 1.
"""

from __future__ import annotations

import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import chain
from pathlib import Path

import covered
from playwright.sync_api import Page, Request, sync_playwright

SITE = Path(__file__).parents[1] / "_build" / "html"
WIDTHS = (1280, 390)
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


class Window:
    """A tab that notes what goes wrong in it; one for all pages, as opening one takes long."""

    def __init__(self, page: Page):
        self.page = page
        self.widths = list(WIDTHS)
        self.found: list[str] = []
        page.on("requestfailed", self._failed)
        page.on("console", lambda one: one.type == "error" and self.found.append(one.text))
        page.on("pageerror", lambda error: self.found.append(str(error)))

    def _failed(self, request: Request) -> None:
        """Note a request that failed; the icon of a page may be cut off by the next page."""
        if request.failure != "net::ERR_ABORTED":
            self.found.append(f"failed: {request.url}: {request.failure}")

    def problems(self, file: Path) -> list[str]:
        """Load a page; return what is wrong with it."""
        self.found.clear()
        self.page.goto(file.as_uri())
        self.widths.reverse()  # the window has the width at which the last page was seen
        for width in self.widths:
            self.page.set_viewport_size({"width": width, "height": 900})
            if self.page.evaluate(TOO_WIDE):
                self.found.append(f"wider than {width} pixels")
        return list(self.found)


def looked_at(chromium: str, files: list[Path]) -> list[str]:
    """Load pages in a browser of their own; return what is wrong with them."""
    with sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window = Window(browser.new_context(offline=True).new_page())
        told = [
            f"{file.relative_to(SITE)}: {problem}"
            for file in files
            for problem in window.problems(file)
        ]
        browser.close()
    return told


def in_browsers(chromium: str, files: list[Path]) -> list[str]:
    """Load pages in as many browsers as there are processors; return what is wrong with them."""
    browsers = min(os.cpu_count() or 1, 4)
    with ProcessPoolExecutor(browsers) as pool:
        shares = [files[first::browsers] for first in range(browsers)]
        return sorted(chain(*pool.map(partial(looked_at, chromium), shares)))


def main() -> int:
    """Check the text of all pages, then each in a browser; without Chromium say so."""
    told = list(covered.problems(SITE))
    print(*told, f"{len(covered.places())} definitions, {len(told)} problems", sep="\n")
    chromium = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if chromium is None:
        print("no chromium: pages were not loaded in a browser")
        return int(bool(told))
    files = sorted(SITE.rglob("*.html"))
    bad = in_browsers(chromium, files)
    print(*bad, sep="\n", end="\n" if bad else "")
    print(f"{len(files)} pages at {' and '.join(map(str, WIDTHS))} pixels, {len(bad)} problems")
    return int(bool(bad or told))


if __name__ == "__main__":
    sys.exit(main())
