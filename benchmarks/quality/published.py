"""Every printed figure of the 2007 and 2018 papers beside ours: `make published`.

Needs the reference tables (SHOAL_DATA). Prints one line for every cell that is off and the totals,
writes docs/published/, and fails where a bar is missed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import sheet
from printed import cells_2007, cells_2018
from winners import table5, table6

DOCS = Path(__file__).parents[2] / "docs/published"


def bars(cells):
    """Each bar as (what, measured, asked, met)."""
    plain, twos, threes = (
        [c for c in cells if c.paper == "2018" and c.suffix == suffix] for suffix in ("", "2", "3")
    )
    old = [c for c in cells if c.paper == "2007"]

    def off(some):
        return max((abs(c.percent) for c in some if not c.equal), default=0.0)

    def gap(some):
        return max((abs(c.found - float(c.printed)) for c in some if not c.equal), default=0.0)

    at_least = [
        (f"{what}, equal of {len(some)}", sum(c.equal for c in some), least)
        for what, some, least in (
            ("2018 unrefined", plain, 120), ("2018 suffix 2", twos, 120),
            ("2018 suffix 3", threes, 105), ("2007", old, 80),
        )
    ]  # fmt: skip
    winners, marks = list(table5(cells)), list(table6(cells))
    at_least += [
        (f"2018 table 5, the same best method of {len(winners)}",
         sum(w.equal for w in winners), len(winners)),
        (f"2018 table 6, the same mark of {len(marks)}",
         sum(m.found == m.printed for m in marks), len(marks)),
    ]  # fmt: skip
    at_most = [
        ("2018 unrefined, largest difference", gap(plain), 0.05),
        ("2018 suffix 3, largest difference, percent", off(threes), 0.8),
        ("2018, our own forms: most above the paper's, percent",
         max(c.plus_percent for c in twos + threes), 1),
        ("2007, largest difference", gap(old), 0.02),
    ]  # fmt: skip
    return [(what, found, asked, found >= asked) for what, found, asked in at_least] + [
        (what, found, asked, found <= asked) for what, found, asked in at_most
    ]


def main():
    """Run all cells; the exit code says whether every bar is met."""
    start = time.perf_counter()
    cells = [*cells_2018(), *cells_2007()]
    for cell in cells:
        if not cell.equal:
            print(cell)
    met = bars(cells)
    print()
    for what, value, asked, ok in met:
        text = value if isinstance(value, int) else f"{value:.4f}"
        print(f"{'ok  ' if ok else 'MISS'}  {what:<55} {text:>9} (bar {asked})")
    print(f"      {len(cells)} cells in {time.perf_counter() - start:.0f} s")
    sheet.write(DOCS, cells, met)
    return 0 if all(ok for *_, ok in met) else 1


if __name__ == "__main__":
    sys.exit(main())
