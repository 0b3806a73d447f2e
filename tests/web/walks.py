"""Walks through the desk in a real browser, click by click: `python tests/web/walks.py [NAME …]`.

Each opens a file as a steward would, goes through every step, runs, judges and takes home. On every
step, wide and narrow, light and dark, it looks for faults of accessibility and for what is wider
than the window, and takes a picture (into SHOAL_SHOTS). It prints how many clicks a walk took, and
how long gauges took to follow k.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from two_years import years

import hospital
from accessibility import faults_of
from browsers import CHROMIUM, Page, expect
from desks import Server

LOOKS = ((1280, "light"), (390, "dark"), (1280, "dark"), (390, "light"))
DATA = Path(os.environ.get("SHOAL_DATA", "nowhere"))
WAIT = 120_000  # ms
RUN = 1_200  # seconds that a run may take


class Walk:
    """A walk: a tab, its clicks, and what it found wrong."""

    def __init__(self, name, desk, folder, looks=LOOKS[:2]):
        self.name, self.folder, self.looks = name, folder, looks
        self.page = Page(CHROMIUM, desk)
        self.page.tab.set_default_timeout(WAIT)
        expect.set_options(timeout=WAIT)
        self.clicks, self.faults, self.gauges = 0, [], []

    def click(self, test):
        """Click a control that can be seen."""
        self.page.tab.locator(f"[data-test={test}]:visible").first.click()
        self.clicks += 1

    def next(self, step, year=None):
        """Go on to a step, and look at it once it shows what it asked for."""
        self.click("next")
        self.page.on(f"at-{step}").wait_for()
        self.ready(step)
        self.see(step if year is None else f"{year}-{step}")

    def ready(self, step):
        """Wait until a step has its answers."""
        shown = {"risk": "risk-now", "protection": "gauges", "preview": "preview-rows",
                 "run": "estimate"}  # fmt: skip
        if step in shown:
            expect(self.page.on(shown[step])).to_contain_text(re.compile(r"\d"))
            expect(self.page.tab.locator(".stale:visible")).to_have_count(0)

    def scroll(self):
        """Scroll through the page, so that every chart is drawn."""
        self.page.tab.evaluate(
            """async () => {
              for (let at = 0; at < document.body.scrollHeight; at += 500) {
                scrollTo(0, at);
                await new Promise((resolve) => setTimeout(resolve, 150));
              }
              scrollTo(0, 0);
            }"""
        )
        expect(self.page.tab.locator(".chart:visible:not([data-drawn=yes])")).to_have_count(0)

    def see(self, step):
        """Look for faults of a step in every look, and take its picture."""
        self.ready(step)
        for width, theme in self.looks:
            self.page.look(width, theme)
            self.page.tab.wait_for_timeout(400)
            where = f"{step} {width} {theme}"
            self.faults += [f"{where}: {fault}" for fault in faults_of(self.page.tab)]
            if self.page.is_wide():
                self.faults.append(f"{where}: wider than the window")
            self.page.shot(f"{self.name}-{step}-{width}-{theme}")
        self.page.look(*LOOKS[0])

    def follow_k(self, times=30):
        """Change k, and note how long the gauges take to follow."""
        self.page.go("protection")
        self.ready("protection")
        for turn in range(times):
            begin = time.perf_counter()
            self.page.on("k-slider").fill(str(4 + turn % 12))
            stale = self.page.tab.locator("[data-test=gauges].stale")
            stale.wait_for(state="attached")
            stale.wait_for(state="detached")
            self.gauges.append(time.perf_counter() - begin)

    def through(self):
        """Go from the first rows to the pack."""
        self.see("open")
        for step in ("columns", "risk", "protection", "preview", "run"):
            self.next(step)
        self.click("run")
        self.page.tab.wait_for_url("**/jobs/*", timeout=WAIT)
        verdict = self.page.verdict(RUN)
        self.scroll()
        self.see("judge")
        self.next("take")
        with self.page.tab.expect_download() as waiting:
            self.click("take-all")
        assert waiting.value.suggested_filename == "everything.zip"
        return verdict

    def tell(self, verdict):
        """Print what came of it."""
        print(f"{self.name}: {' '.join(verdict.split())[:160]}")
        print(f"  {self.clicks} clicks; {len(self.faults)} faults; went wrong: {self.page.wrong}")
        for fault in self.faults:
            print(f"  {fault}")
        if self.gauges:
            last = sorted(self.gauges)[max(0, round(0.95 * len(self.gauges)) - 1)]
            middle = statistics.median(self.gauges)
            print(f"  gauges follow k in {middle:.2f} s (median), {last:.2f} s (95 %)")
        self.page.context.close()
        sys.stdout.flush()


def sample(walk):
    """The sample, from the first page to the pack, without typing."""
    walk.see("home")
    walk.click("open-sample")
    walk.page.on("rows").wait_for()
    verdict = walk.through()
    walk.follow_k()
    return verdict


def adult(walk):
    """Adult, and its eight hierarchies dropped at once."""
    walk.page.upload(DATA / "adult.csv")
    walk.page.on("rows").wait_for()
    files = sorted((DATA / "adult_hierarchies").glob("*.csv"))
    texts = [[path.name, path.read_text(encoding="utf-8")] for path in files]
    walk.page.tab.evaluate(
        """(files) => {
          const data = new DataTransfer();
          for (const [name, text] of files) data.items.add(new File([text], name));
          document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true,
            cancelable: true }));
        }""",
        texts,
    )
    expect(walk.page.on("dropped").locator("li.good")).to_have_count(len(files))
    verdict = walk.through()
    walk.follow_k()
    return verdict


def german(walk):
    """An export of a German hospital, in German."""
    path = walk.folder / "stationen.csv"
    hospital.export(path)
    walk.page.on("language").select_option("de")
    walk.page.upload(path)
    walk.page.on("rows").wait_for()
    verdict = walk.through()
    walk.page.tab.evaluate("localStorage.clear()")
    return verdict


def spss(walk):
    """An SPSS file with labels of variables and values."""
    import pandas as pd
    import pyreadstat

    rng = random.Random(3)
    frame = pd.DataFrame({
        "v1": [rng.randrange(18, 90) for _ in range(800)],
        "v2": [rng.choice([1, 2]) for _ in range(800)],
        "v3": [rng.choice([1, 2, 3, 4]) for _ in range(800)],
        "v4": [round(rng.lognormvariate(10, 0.4), -2) for _ in range(800)],
    })  # fmt: skip
    path = walk.folder / "panel.sav"
    pyreadstat.write_sav(
        frame, path, column_labels=["Age in years", "Sex", "Region of living", "Yearly income"],
        variable_value_labels={"v2": {1: "male", 2: "female"},
                               "v3": {1: "north", 2: "east", 3: "south", 4: "west"}},
    )  # fmt: skip
    walk.page.upload(path)
    walk.page.on("rows").wait_for()
    expect(walk.page.on("rows")).to_contain_text("Age in years")
    return walk.through()


def survey(walk):
    """A survey with weights and households."""
    rng = random.Random(5)
    lines = ["household,age,sex,region,education,income,weight"]
    for household in range(500):
        region, weight = rng.choice("NESW"), 50 + rng.randrange(400)
        for _ in range(rng.randrange(1, 5)):
            education = rng.choice(["none", "school", "college", "university"])
            income = int(rng.lognormvariate(10, 0.4)) // 100 * 100
            lines.append(f"{household},{rng.randrange(1, 90)},{rng.choice('fm')},{region},"
                         f"{education},{income},{weight}")  # fmt: skip
    path = walk.folder / "survey.csv"
    path.write_text("\n".join(lines) + "\n")
    walk.page.upload(path)
    walk.page.on("rows").wait_for()
    walk.page.go("protection")
    expect(walk.page.on("weight")).to_have_value("6")  # as was proposed
    expect(walk.page.on("household")).to_have_value("0")
    walk.page.go("open")
    return walk.through()


def million(walk):
    """A million records."""
    rng = random.Random(1)
    path = walk.folder / "million.csv"
    with path.open("w") as file:
        file.write("id,age,sex,postcode,region,income,education,diagnosis\n")
        for i in range(1_000_000):
            file.write(
                f"{i},{min(99, int(abs(rng.gauss(45, 20))))},{rng.choice('fm')},"
                f"{rng.randrange(10000, 99999) // 7 * 7},{rng.choice('ABCDEFGH')},"
                f"{int(rng.lognormvariate(10, 0.5)) // 100 * 100},"
                f"{rng.choice(['none', 'school', 'college', 'university'])},"
                f"{rng.choice(['flu', 'cancer', 'asthma', 'diabetes', 'healthy'])}\n"
            )
    walk.page.upload(path)
    walk.page.on("rows").wait_for()
    walk.page.go("protection")
    walk.ready("protection")
    walk.follow_k(10)
    walk.page.on("speed-fast").click()
    walk.page.go("open")
    return walk.through()


WALKS = {"sample": sample, "adult": adult, "german": german, "spss": spss, "survey": survey,
         "million": million, "years": years}  # fmt: skip


def main(names):
    """Go some walks, or all."""
    with tempfile.TemporaryDirectory() as base, Server(Path(base) / "desk") as desk:
        for name in names or WALKS:
            folder = Path(base) / name
            folder.mkdir()
            walk = Walk(name, desk, folder, LOOKS if name in ("sample", "years") else LOOKS[:2])
            walk.tell(WALKS[name](walk))
            desk.clear()
    CHROMIUM.close()


if __name__ == "__main__":
    main(sys.argv[1:])
