"""The lowest losses, with bounds and label files: `make records`.

    python benchmarks/records/records.py [records] [check] [minute] [moment] [exact]

`records` runs `best` for SECONDS on every table and k, each time with another seed; where it, or
any other run here, loses less than all runs before, its groups are the new label file (`keep.py`).
`check`, which always ends a run, has docs/records/check.py compute every loss again; `minute` and
`moment` are the bars of 60 and 10 seconds, `exact` the proofs. Needs the reference tables
(SHOAL_DATA). Prints every bar, writes docs/records/ and fails where a bar is missed. A part that is
not asked for stays on the page as it was measured last.
"""

from __future__ import annotations

import subprocess
import sys
import time
from itertools import product

import numpy as np
import page
from keep import DOCS, REPOSITORY, kept, matrix, offer, printed, told

import shoal
from telling import Bar, run

TABLES = "tarragona", "census", "eia", "eia10"
SIZES = 3, 4, 5, 6, 10, 20, 30
SECONDS = 30

MINUTE = {
    "census": (4.670, 7.35, 11.50), "tarragona": (14.468, 20.165, 30.13),
    "eia10": (0.360, 0.747, 1.850), "eia": (0.352, 0.748, 1.94),
}  # fmt: skip
GAPS = {("eia10", 3): 3.0} | {
    (name, k): gap
    for name in ("census", "tarragona")
    for k, gap in ((3, 0.05), (4, 0.05), (5, 0.1), (6, 1.0), (10, 30.0))
}
BELOW = 1.2  # percent below the best printed figure, at k = 20 and 30


def half_digit(text):
    """Half of the last digit of a printed figure."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


def best(name, k, *, seed=0, **options):
    """One run of `best`, and its seconds; its groups are offered to the records."""
    start = time.perf_counter()
    found = shoal.microaggregate(
        matrix(name), k, method="best", standardize=False, seed=seed, **options
    )
    seconds = time.perf_counter() - start
    command = told(name, k, found, seed)
    better = offer(name, k, found.labels, command, found.bound.information_loss)
    print(f"      {name:<9} k = {k:<2} {seconds:6.1f} s  {found.information_loss:.5f}  "
          f"{found.bound.describe(found.information_loss)}{', a record' if better else ''}",
          flush=True)  # fmt: skip
    return found, seconds


def records():
    """Every table and k: one more run of those that have had the fewest, each with a new seed."""
    cells = list(product(TABLES, SIZES))
    runs = {cell: int(kept()[cell]["runs"]) if cell in kept() else 0 for cell in cells}
    for cell in [cell for cell in cells if runs[cell] < max(runs.values())] or cells:
        best(*cell, time_limit=SECONDS, seed=runs[cell])
    return [], {}


def check():
    """The bars of all records, and every loss computed again from the label files."""
    bars = [bar for cell, row in kept().items() for bar in bars_of(*cell, row)]
    checked = subprocess.run([sys.executable, str(DOCS / "check.py")], check=False).returncode
    bars.append(Bar("label files that the checker refuses (its exit code)", checked, "<=", 0))
    at_or_below = sum(float(row["loss"]) <= float(row["printed"]) + half_digit(row["printed"])
                      for row in kept().values() if row["printed"])  # fmt: skip
    bars.append(Bar("records at or below print, of those that have a printed figure", at_or_below,
                    ">=", sum(bool(row["printed"]) for row in kept().values())))  # fmt: skip
    return bars, {}


def bars_of(name, k, row):
    """Return the bars of a table and k."""
    loss, what = float(row["loss"]), f"{name} k = {k}"
    bars = []
    if row["printed"] and k >= 20:
        bars.append(Bar(f"{what}: percent below the best printed figure",
                        float(row["below_percent"]), ">=", BELOW))  # fmt: skip
    elif row["printed"]:
        bars.append(Bar(f"{what}: at or below everything printed", loss, "<=",
                        float(row["printed"]) + half_digit(row["printed"])))  # fmt: skip
    if (name, k) in GAPS:
        gap = float(row["gap_percent"])
        bars.append(Bar(f"{what}: certified gap, percent", gap, "<=", GAPS[name, k]))
    return bars


def minute():
    """60 seconds: the losses that are asked for."""
    rows, bars = [], []
    for name, k in product(MINUTE, (3, 5, 10)):
        found, seconds = best(name, k, time_limit=60)
        asked = MINUTE[name][(3, 5, 10).index(k)]
        bars.append(Bar(f"{name} k = {k}, 60 s: loss", found.information_loss, "<=", asked))
        rows.append([name, k, f"{seconds:.1f}", f"{found.information_loss:.6f}",
                     f"{found.bound.above(found.information_loss):.4f}"])  # fmt: skip
    return bars, {"minute": [["table", "k", "seconds", "loss", "gap_percent"], *rows]}


def moment():
    """10 seconds: the printed figure plus half its last digit."""
    rows, bars = [], []
    for name, k in product(TABLES, (3, 5)):
        found, seconds = best(name, k, time_limit=10)
        least, text, _ = printed()[name, k]
        bars.append(Bar(f"{name} k = {k}, 10 s: loss", found.information_loss, "<=",
                        least + half_digit(text)))  # fmt: skip
        rows.append([name, k, f"{seconds:.1f}", f"{found.information_loss:.6f}"])
    return bars, {"moment": [["table", "k", "seconds", "loss"], *rows]}


def exact():
    """A hundred random clustered tables of 60 records, k = 3: proven, and how fast."""
    slowest, proven = 0.0, 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        centers = rng.normal(0, 5, size=(int(rng.integers(3, 9)), 3))
        table = centers[rng.integers(0, len(centers), 60)] + rng.normal(size=(60, 3))
        start = time.perf_counter()
        found = shoal.microaggregate(table, 3, method="exact")
        slowest = max(slowest, time.perf_counter() - start)
        proven += found.bound.above(found.information_loss) == 0.0
    return [
        Bar("exact: tables of 100 that are proven optimal", proven, ">=", 100),
        Bar("exact: seconds of the slowest", slowest, "<", 60),
    ], {}


def write_pages(folder):
    """Write the page, and the table on the page of methods."""
    page.write(folder, list(PARTS))
    page.write_table(REPOSITORY / "docs/methods/about.md", list(kept().values()))


PARTS = {part.__name__: part for part in (records, check, minute, moment, exact)}

if __name__ == "__main__":
    sys.exit(run(DOCS, PARTS, write_pages, {"check": check}))
