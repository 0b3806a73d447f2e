"""Pictures of the desk for the page about it: `python docs/_ext/desk_pictures.py`.

A desk is started, Chromium opens the sample and goes through all steps, and every step is kept as
docs/start/desk-STEP.png. The sample is invented: no picture holds anything about anybody.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

DOCS = Path(__file__).parents[1]
sys.path.insert(0, str(DOCS.parent / "tests"))

from browsers import CHROMIUM, Page, choose_roles, expect  # noqa: E402
from desks import Server  # noqa: E402

PLACE = DOCS / "start"
HEIGHT = 860


def keep(page: Page, step: str) -> None:
    """Keep a picture of the window as it is."""
    page.tab.evaluate("scrollTo(0, 0); document.activeElement?.blur()")
    page.tab.mouse.move(0, 0)
    page.tab.wait_for_timeout(400)  # what fades in has faded in
    page.tab.screenshot(path=PLACE / f"desk-{step}.png")
    print(f"docs/start/desk-{step}.png", flush=True)


def walk(page: Page) -> None:
    """Go from the first step to the last with the sample."""
    page.tab.set_viewport_size({"width": 1180, "height": HEIGHT})
    page.tab.set_default_timeout(180_000)
    expect.set_options(timeout=180_000)
    page.on("open-sample").click()
    page.tab.wait_for_url("**/files/*")
    page.on("rows").wait_for()
    keep(page, "open")
    choose_roles(page)
    keep(page, "columns")
    page.go("risk")
    page.tab.locator("[data-test=risk-now] .answers").wait_for()
    keep(page, "risk")
    page.protect(5)
    page.on("speed-fast").click()
    page.tab.locator("[data-test=gauges][aria-busy=false] .gauge").first.wait_for()
    keep(page, "protection")
    page.go("preview")
    page.on("preview-rows").wait_for()
    keep(page, "preview")
    page.go("run")
    expect(page.on("estimate")).to_contain_text("loss about")
    keep(page, "run")
    page.run()
    page.verdict(300)
    page.chart()
    keep(page, "judge")
    page.go("take")
    keep(page, "take")


def main() -> None:
    """Start a desk and a browser, and take the pictures."""
    with tempfile.TemporaryDirectory() as folder, Server(Path(folder), draws=True) as desk:
        page = Page(CHROMIUM, desk)
        try:
            walk(page)
            page.check()
        finally:
            CHROMIUM.close()


if __name__ == "__main__":
    main()
