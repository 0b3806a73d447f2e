"""A tab of a real browser on a desk; whoever imports this is skipped where there is no Chromium."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest

# the shell is the same browser without windows: a page takes it a third of the time
NAMES = "chromium-headless-shell", "chromium"
BROWSER = next(filter(None, map(shutil.which, NAMES)), "/usr/bin/chromium")
# words that no German text has
ENGLISH = re.compile(
    r"\b(the|of|is|are|and|or|records?|groups?|which|that|were|by|with|released?|whoever|than|at)\b"
)
SHOTS = Path(os.environ.get("SHOAL_SHOTS", "out/screenshots"))

sync_api = pytest.importorskip("playwright.sync_api")
expect, sync_playwright = sync_api.expect, sync_api.sync_playwright
if not Path(BROWSER).exists():
    if os.environ.get("SHOAL_BROWSER"):
        raise RuntimeError("SHOAL_BROWSER is set, and there is no chromium")
    pytest.skip("needs Chromium: install Debian's chromium", allow_module_level=True)


class Page:
    """A tab on a desk that notes what goes wrong in it, and whatever is asked of elsewhere."""

    def __init__(self, browser, desk):
        self.desk = desk
        self.context = browser.new_context(accept_downloads=True, reduced_motion="reduce")
        self.tab = self.context.new_page()
        self.look()
        self.tab.set_default_timeout(30_000)
        self.wrong = []
        self.tab.on("pageerror", lambda error: self.wrong.append(str(error)))
        self.tab.on("console", self._heard)
        self.tab.on("request", self._asked)
        self.tab.add_init_script(
            "document.addEventListener('securitypolicyviolation', "
            "(e) => console.error('policy: ' + e.violatedDirective));"
        )
        self._open()

    def _open(self):
        self.tab.goto(self.desk.address)
        self.tab.wait_for_url(lambda url: "token" not in url)

    def begin(self):
        """Open the desk anew, whatever was done in this tab before."""
        for other in self.context.pages:
            if other is not self.tab:
                other.close()
        self.tab.unroute_all()
        self.tab.goto("about:blank")
        self.look()
        self.wrong.clear()
        self._open()

    def _heard(self, message):
        if (
            message.type == "error"
            and "the server responded with a status of 4" not in message.text
        ):
            self.wrong.append(message.text)

    def _asked(self, request):
        here = f"http://127.0.0.1:{self.desk.port}/"
        if not request.url.startswith((here, "data:", "blob:")):
            self.wrong.append(f"asked {request.url}")

    def on(self, name, nth=0):
        """Return the control of a name."""
        return self.tab.locator(f"[data-test={name}]").nth(nth)

    def row(self, column):
        """Return the row of a column, by its place."""
        return self.tab.locator("[data-test=column-row]").nth(column)

    def go(self, step):
        """Go to a step of the rail, unless it is shown."""
        if not self.on(f"at-{step}").is_visible():
            self.on(f"step-{step}").click()
        self.on(f"at-{step}").wait_for()

    def unfold(self, name):
        """Open a part that is folded away."""
        if self.on(name).get_attribute("open") is None:
            self.on(name).locator("summary").first.click()

    def protect(self, k=None, **chosen):
        """Choose a protection; a method, its effort and time limit are the expert's."""
        self.go("protection")
        if k is not None:
            self.on("k").fill(str(k))
        if chosen:
            self.unfold("expert")
        for name, value in chosen.items():
            control = self.on(name.replace("_", "-"))
            if name == "time_limit":
                control.fill(value)
            else:
                control.select_option(value)

    def upload(self, *files):
        """Upload a file, and wait for its page."""
        self.on("upload").set_input_files(*files)
        self.tab.wait_for_url("**/files/*")

    def columns(self):
        """Go to the columns of the file, once it was looked at."""
        self.on("rows").wait_for()
        self.go("columns")

    def role(self, column, role):
        """Choose a column's role."""
        self.go("columns")
        self.row(column).locator("[data-test=role]").select_option(role)

    def sample(self):
        """Open the sample."""
        self.on("open-sample").click()
        self.tab.wait_for_url("**/files/*")
        self.columns()

    def run(self):
        """Start the run that was chosen."""
        self.go("run")
        self.on("run").click()
        self.tab.wait_for_url("**/jobs/*")

    def verdict(self, seconds=60):
        """Wait for the verdict."""
        self.on("verdict").wait_for(timeout=seconds * 1000)
        return self.on("verdict").inner_text()

    def chart(self, name="chart"):
        """Wait until a chart is drawn: it is when it comes into view."""
        self.on(name).scroll_into_view_if_needed()
        self.tab.locator(f"[data-test={name}][data-drawn=yes] canvas").first.wait_for()

    def look(self, width=1280, theme="light"):
        """Make the window so wide, in a theme."""
        self.tab.set_viewport_size({"width": width, "height": 900})
        self.tab.emulate_media(color_scheme=theme)

    def shot(self, name):
        """Take a picture of the whole page."""
        SHOTS.mkdir(parents=True, exist_ok=True)
        self.tab.screenshot(path=SHOTS / f"{name}.png", full_page=True)

    def is_wide(self):
        """Tell whether the page scrolls sideways."""
        return self.tab.evaluate(
            "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        )

    def cut_off(self, *places):
        """Return which of some places hold more than they show."""
        wide = "(nodes) => nodes.some((node) => node.scrollWidth > node.clientWidth)"
        return [one for one in places if self.tab.eval_on_selector_all(one, wide)]

    def module(self, name):
        """Return the address of one of the page's own modules, as it has loaded it."""
        main = self.tab.locator("script[type=module]").get_attribute("src")
        return main.replace("main.js", name)

    def check(self):
        """Nothing may have gone wrong."""
        assert self.wrong == []

    def close(self):
        """Close the tab; nothing may have gone wrong."""
        self.context.close()
        self.check()


class Chromium:
    """A headless browser, started when a tab is needed and started anew after it was closed."""

    def __init__(self):
        self._playwright = self._browser = self._page = None

    def new_context(self, **how):
        """Return a context of its own, with no cookies and no tabs."""
        if self._browser is None:
            expect.set_options(timeout=30_000)
            self._playwright = sync_playwright().start()
            self._browser = self._playwright.chromium.launch(
                executable_path=BROWSER, args=["--no-sandbox"]
            )
        return self._browser.new_context(**how)

    def page(self, desk):
        """Return a tab on a desk's first page, the same every time: opening one takes seconds."""
        if self._page is None:
            self._page = Page(self, desk)
        else:
            self._page.begin()
        return self._page

    def close(self):
        """Close it with all its tabs."""
        if self._browser is not None:
            self._browser.close()
            self._playwright.stop()
        self._playwright = self._browser = self._page = None


CHROMIUM = Chromium()
QUASI = "quasi-identifier"
SAMPLE_ROLES = ["identifier", "identifier", QUASI, QUASI, QUASI, "drop", "drop", "drop", QUASI,
                "sensitive", "drop"]  # fmt: skip


def choose_roles(page, roles=SAMPLE_ROLES):
    """Say what every column is."""
    for column, role in enumerate(roles):
        page.role(column, role)


def taken_home(page, name):
    """Download a file of the job; return its bytes."""
    page.go("take")
    with page.tab.expect_download() as waiting:
        page.on("downloads").get_by_role("button", name=name, exact=True).click()
    return Path(waiting.value.path()).read_bytes()
