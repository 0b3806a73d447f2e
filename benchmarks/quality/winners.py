"""Tables 5 and 6 of the 2018 paper: the best method of each k, and which beat an earlier paper."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from printed import rows

TABLES = "tarragona", "census", "eia"


@dataclass(frozen=True)
class Winner:
    """A row of table 5: the best of an earlier paper, the best printed, and the best we find."""

    table: str
    k: int
    reference: Decimal
    reference_method: str
    printed: Decimal
    printed_method: str
    found: float
    method: str
    plus: float
    plus_method: str

    @property
    def equal(self):
        """Whether the same method is best. The paper once writes GSMS-NC3, which there is not."""
        return self.method == self.printed_method.lower().replace("gsms-nc", "gsms-nn")


@dataclass(frozen=True)
class Mark:
    """A cell of table 6: whether a method loses less than the best of the earlier paper."""

    table: str
    method: str
    k: int
    printed: bool
    found: bool
    plus: bool


def iterated(cells):
    """The cells of the methods with suffix 3, by table and k."""
    found = {}
    for cell in cells:
        if cell.suffix == "3":
            found.setdefault((cell.table, cell.k), []).append(cell)
    return found


def table5(cells):
    """The rows of table 5, of our cells."""
    every = iterated(cells)
    for row in rows("group_decomposition_2018_table5"):
        name, k = row["dataset"], int(row["k"])
        best = min(every[name, k], key=lambda cell: cell.found)
        ours = min(every[name, k], key=lambda cell: cell.plus)
        yield Winner(
            name, k, Decimal(row["reference_loss_percent"]), row["reference_method"],
            Decimal(row["best_loss_percent"]), row["best_method"],
            best.found, best.method, ours.plus, f"{ours.method}+",
        )  # fmt: skip


def table6(cells):
    """The cells of table 6, of our cells."""
    every = iterated(cells)
    reference = {
        (row["dataset"], int(row["k"])): Decimal(row["reference_loss_percent"])
        for row in rows("group_decomposition_2018_table5")
    }
    for row in rows("group_decomposition_2018_table6"):
        place = row["dataset"], int(row["k"])
        cell = next(one for one in every[place] if one.method == row["method"].lower())
        least = reference[place]
        digits = Decimal(1).scaleb(-3)  # as many as are printed of ours
        lower = Decimal(cell.found).quantize(digits) < least
        plus = Decimal(cell.plus).quantize(digits) < least
        yield Mark(place[0], cell.method, place[1], row["lower"] == "yes", lower, plus)
