"""Check the built site: definitions and links, then every page in a browser without network.

What is defined nowhere or linked from nowhere (`covered.py`), a page that asks another machine for
something, whose script or picture fails, or that is wider than the window at 1280 or 390 pixels, is
printed, and the exit code is 1.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import covered
from playwright.sync_api import Page, sync_playwright

SITE = Path(__file__).parents[1] / "_build" / "html"
WIDTHS = (1280, 390)
TOO_WIDE = "document.documentElement.scrollWidth > innerWidth"


def in_browser(page: Page, file: Path) -> Iterator[str]:
    """Yield what is wrong with a page."""
    found: list[str] = []
    page.on("requestfailed", lambda request: found.append(f"failed: {request.url}"))
    page.on("console", lambda one: found.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.goto(file.as_uri())
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        if page.evaluate(TOO_WIDE):
            found.append(f"wider than {width} pixels")
    yield from found


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
        context = browser.new_context(offline=True)
        for file in files:
            page = context.new_page()
            for problem in in_browser(page, file):
                bad += 1
                print(f"{file.relative_to(SITE)}: {problem}")
            page.close()
        browser.close()
    print(f"{len(files)} pages at {' and '.join(map(str, WIDTHS))} pixels, {bad} problems")
    return int(bad > 0 or bool(told))


if __name__ == "__main__":
    sys.exit(main())
