"""The iterated local search beside the 2020 thesis and a prototype: `make search`.

    python benchmarks/search/search.py [table6] [pairs] [speed] [growth] [curves]

Needs the reference tables (SHOAL_DATA) and, for `speed`, a folder with a prototype `ilsmc.py`
(SHOAL_BASELINE). Prints every bar, writes docs/search/ and fails where a bar is missed. A part that
is not asked for stays on the page as it was measured last.
"""

from __future__ import annotations

import csv
import sys
import time

import page
from losses import curves, table6
from runs import REPOSITORY
from seconds import growth, speed
from work import pairs

DOCS = REPOSITORY / "docs/search"
PARTS = {part.__name__: part for part in (table6, pairs, speed, growth, curves)}


def write(name, rows):
    """Write a csv file; the first row is its head."""
    with (DOCS / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows(rows)


def main():
    """Measure the parts that are asked for; the exit code says whether every bar is met."""
    wanted = sys.argv[1:] or list(PARTS)
    unknown = [name for name in wanted if name not in PARTS]
    if unknown:
        sys.exit(f"search: there is no part {unknown[0]}; there are {', '.join(PARTS)}")
    DOCS.mkdir(parents=True, exist_ok=True)
    missed = 0
    for name in wanted:
        print(name, flush=True)
        start = time.process_time()
        bars, tables = PARTS[name]()
        seconds = time.process_time() - start
        for bar in bars:
            print(bar)
        print(f"      {name}: {seconds:.0f} s", flush=True)
        missed += sum(not bar.met for bar in bars)
        for table, rows in tables.items():
            write(table, rows)
        if bars:
            told = [
                [bar.what, f"{bar.measured:.6g}", bar.sign, bar.asked, "yes" if bar.met else "no"]
                for bar in bars
            ]
            write(f"bars_{name}", [["what", "measured", "sign", "bar", "met"], *told])
    page.write(DOCS, list(PARTS))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
