"""Every printed figure of the 2007 and 2018 papers beside ours: `make published`.

Needs the reference tables (SHOAL_DATA). Prints one line for every cell that is off and the totals,
writes docs/published/, and fails where a bar is missed.
"""

from __future__ import annotations

import csv
import sys
import time
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

import shoal

REPOSITORY = Path(__file__).parents[2]
FIGURES = REPOSITORY / "tests/published"
DOCS = REPOSITORY / "docs/published"
NAMES_2007 = {"TFRP_I": "tfrp1", "TFRP": "tfrp"}


@dataclass(frozen=True)
class Cell:
    """One printed figure and what we found."""

    paper: str
    table: str
    method: str
    k: int
    printed: Decimal
    found: float

    @property
    def half_digit(self) -> Decimal:
        """Half a unit of the last printed digit."""
        return Decimal(1).scaleb(int(self.printed.as_tuple().exponent)) / 2

    @property
    def equal(self) -> bool:
        """Whether we print the same digits."""
        return abs(Decimal(self.found) - self.printed) <= self.half_digit

    @property
    def not_above(self) -> bool:
        """Whether we lose no more than is printed."""
        return Decimal(self.found) <= self.printed + self.half_digit

    @property
    def refined(self) -> bool:
        """Whether it is one of the refined methods of the 2018 paper."""
        return self.paper == "2018" and self.method[-1] in "23"

    @property
    def off(self) -> bool:
        """Whether a reader should see it: not equal, or, where it is refined, above."""
        return not (self.not_above if self.refined else self.equal)

    def __str__(self) -> str:
        difference = self.found - float(self.printed)
        percent = 100 * difference / float(self.printed)
        return (
            f"{self.paper} {self.table:<9} {self.method:<8} k = {self.k:<2}  printed "
            f"{self.printed}, found {self.found:.5f}: {difference:+.5f} ({percent:+.2f} %)"
        )


@cache
def table(name):
    """A reference table, loaded once."""
    return shoal.datasets.load(name)


def cells_2018(wanted=lambda _name, _method: True):
    """The 378 cells of tables 2 to 4 of the 2018 paper, or those of wanted names and methods."""
    with (FIGURES / "group_decomposition_2018.csv").open() as file:
        for row in csv.DictReader(file):
            method = row["method"].lower()
            if wanted(row["dataset"], method):
                yield _cell("2018", row, method)


def cells_2007():
    """The 96 cells of table 2 of the 2007 paper; its eia has ten attributes."""
    with (FIGURES / "tfrp_2007_table2.csv").open() as file:
        for row in csv.DictReader(file):
            yield _cell("2007", row, NAMES_2007[row["method"]])


def _cell(paper, row, method):
    name, k = row["dataset"], int(row["k"])
    found = shoal.microaggregate(table(name), k, method=method).information_loss
    return Cell(paper, name, method, k, Decimal(row["information_loss_percent"]), found)


def bars(cells):
    """Each bar as (what, measured, asked, met)."""
    plain = [c for c in cells if c.paper == "2018" and not c.refined]
    refined = [c for c in cells if c.refined]
    old = [c for c in cells if c.paper == "2007"]

    def gap(some):
        return max((abs(c.found - float(c.printed)) for c in some if not c.equal), default=0.0)

    above = max((100 * (c.found / float(c.printed) - 1) for c in refined), default=0.0)
    equal, low = sum(c.equal for c in plain), sum(c.not_above for c in refined)
    same = sum(c.equal for c in old)
    return [
        (f"2018 unrefined, equal of {len(plain)}", equal, 120, equal >= 120),
        ("2018 unrefined, largest difference", gap(plain), 0.05, gap(plain) <= 0.05),
        (f"2018 refined, at or below of {len(refined)}", low, 235, low >= 235),
        ("2018 refined, most above the printed figure, percent", above, 2, above <= 2),
        (f"2007, equal of {len(old)}", same, 80, same >= 80),
        ("2007, largest difference", gap(old), 0.02, gap(old) <= 0.02),
    ]


def write(cells, met):
    """Write one csv a paper and one page."""
    DOCS.mkdir(parents=True, exist_ok=True)
    for paper in ("2007", "2018"):
        with (DOCS / f"{paper}.csv").open("w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["table", "method", "k", "printed", "found"])
            for c in cells:
                if c.paper == paper:
                    writer.writerow([c.table, c.method, c.k, c.printed, f"{c.found:.6f}"])
    (DOCS / "README.md").write_text(page(cells, met))


def page(cells, met):
    """The page of the docs: totals, cells that are off, all figures."""
    lines = [
        "# Printed figures beside ours",
        "",
        "Information loss in percent (100 · SSE/SST) on the reference tables tarragona, census and",
        "eia, as printed in the papers and as Shoal finds it. Made by `make published`.",
        "",
        "| what | measured | bar |",
        "|---|---|---|",
        *(f"| {what} | {value if isinstance(value, int) else f'{value:.4f}'} | {asked} |"
          for what, value, asked, _ in met),
        "",
        "2007 is table 2 of Chang, Li and Huang, *TFRP* (JSS 80(11)); its EIA is `eia10`, without",
        "UTILITYID. 2018 is tables 2 to 4 of Khomnotai and others, *Iterative group decomposition*",
        "(Symmetry 10(7)). Refined methods (suffix 2 and 3) follow the paper's pseudo-code, which",
        "loses less than most printed figures; there a cell is off where it is above the printed",
        "one.",
        "",
        "## Cells that are off",
        "",
        "Two of the unrefined cells differ only because the paper rounds twice (22.818496 to",
        "22.8185 to 22.819, and 43.19446 to 43.1945 to 43.195); why census cbfs-nn at k = 10 is",
        "off is not known, it has no left-over record. The cells of 2007 that are off depend on",
        "the order in which left-over records join groups: the nearest pair of a record and a",
        "group first comes closest to both papers. The refined ones depend on the order in which",
        "groups are visited, which the paper does not say; both directions are tried, and the",
        "better result is kept.",
        "",
        *(f"- {c}" for c in cells if c.off),
        "",
    ]  # fmt: skip
    for paper in ("2018", "2007"):
        for name in dict.fromkeys(c.table for c in cells if c.paper == paper):
            some = [c for c in cells if c.paper == paper and c.table == name]
            sizes = sorted({c.k for c in some})
            lines += [f"## {name}, {paper}: found (printed)", ""]
            lines += ["| method | " + " | ".join(f"k = {k}" for k in sizes) + " |"]
            lines += ["|---" * (len(sizes) + 1) + "|"]
            methods = dict.fromkeys(c.method for c in some)
            for method in methods:
                of = {c.k: c for c in some if c.method == method}
                texts = [f"{of[k].found:.3f} ({of[k].printed})" for k in sizes]
                lines += [f"| {method} | " + " | ".join(texts) + " |"]
            lines.append("")
    return "\n".join(lines)


def main():
    """Run all cells; the exit code says whether every bar is met."""
    start = time.perf_counter()
    cells = [*cells_2018(), *cells_2007()]
    for cell in cells:
        if cell.off:
            print(cell)
    met = bars(cells)
    print()
    for what, value, asked, ok in met:
        text = value if isinstance(value, int) else f"{value:.4f}"
        print(f"{'ok  ' if ok else 'MISS'}  {what:<55} {text:>9} (bar {asked})")
    print(f"      {len(cells)} cells in {time.perf_counter() - start:.0f} s")
    write(cells, met)
    return 0 if all(ok for *_, ok in met) else 1


if __name__ == "__main__":
    sys.exit(main())
