"""The cells of the papers' tables, each with what we find, and how near that is to print."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from pathlib import Path

import shoal

FIGURES = Path(__file__).parents[2] / "tests/published"
NAMES_2007 = {"TFRP_I": "tfrp1", "TFRP": "tfrp"}
ONCE, TWICE = "equal", "equal, rounded twice"
DIGITS = 4  # to which census and tarragona of 2018 seem to be rounded before they are printed


def rounded(value, digits):
    """Return a number with so many digits after the point, halves away from zero."""
    return Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


@dataclass(frozen=True)
class Cell:
    """One printed figure, what the paper's method finds, and what our own form of it finds."""

    paper: str
    table: str
    method: str
    k: int
    printed: Decimal
    found: float
    plus: float | None = None

    @property
    def verdict(self):
        """How we print the same digits: rounded once, or to four digits and then; else nothing."""
        digits = -int(self.printed.as_tuple().exponent)
        if rounded(self.found, digits) == self.printed:
            return ONCE
        twice = rounded(rounded(self.found, max(DIGITS, digits)), digits) == self.printed
        return TWICE if twice else ""

    @property
    def equal(self):
        """Whether we print the same digits, rounded once or twice."""
        return bool(self.verdict)

    @property
    def percent(self):
        """By how much we are above the printed figure, in percent of it."""
        return 100 * (self.found / float(self.printed) - 1)

    @property
    def plus_percent(self):
        """By how much our own form is above the paper's, in percent of what that finds."""
        return None if self.plus is None else 100 * (self.plus / self.found - 1)

    @property
    def suffix(self):
        """The refinement of the 2018 paper: 2, 3, or nothing."""
        return self.method[-1] if self.paper == "2018" and self.method[-1] in "23" else ""

    def __str__(self):
        return (
            f"{self.paper} {self.table:<9} {self.method:<8} k = {self.k:<2}  printed "
            f"{self.printed}, found {self.found:.5f}: {self.found - float(self.printed):+.5f} "
            f"({self.percent:+.3f} %)"
        )


@cache
def table(name):
    """A reference table, loaded once."""
    return shoal.datasets.load(name)


def loss(name, method, k):
    """The information loss of a method on a reference table, in percent."""
    return shoal.microaggregate(table(name), k, method=method).information_loss


def rows(name):
    """The rows of a file of printed figures."""
    with (FIGURES / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def cells_2018(wanted=lambda _name, _method: True, plus=True):
    """The 378 cells of tables 2 to 4 of the 2018 paper, or those of wanted names and methods.

    `plus` is whether our own forms are run too.
    """
    for row in rows("group_decomposition_2018"):
        name, method, k = row["dataset"], row["method"].lower(), int(row["k"])
        if wanted(name, method):
            ours = loss(name, f"{method}+", k) if plus and method[-1] in "23" else None
            printed = Decimal(row["information_loss_percent"])
            yield Cell("2018", name, method, k, printed, loss(name, method, k), ours)


def cells_2007(wanted=lambda _name: True):
    """The 96 cells of table 2 of the 2007 paper, or of wanted tables; its eia has ten columns."""
    for row in rows("tfrp_2007_table2"):
        name, method, k = row["dataset"], NAMES_2007[row["method"]], int(row["k"])
        if wanted(name):
            printed = Decimal(row["information_loss_percent"])
            yield Cell("2007", name, method, k, printed, loss(name, method, k))
