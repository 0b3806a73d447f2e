"""The ways joined: groups of any method in, groups that keep the rules out."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from shoal.enforce.groups import of_labels, of_members
from shoal.enforce.merging import merge
from shoal.enforce.rules import Sensitive
from shoal.enforce.slices import sliced
from shoal.enforce.swapping import swap_in
from shoal.errors import PrivacyError
from shoal.kernels.rules import (
    ALPHA,
    COLUMNS,
    FORM,
    FROM,
    HEAD,
    HEADS,
    LEAST,
    LOG,
    ROWS,
    Rules,
    T,
    reordered,
)
from shoal.models.closeness import slices_needed
from shoal.progress import Reporter

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Loss = Callable[[Integers], float]

WAYS = ("auto", "slices", "swap", "merge")
GROWTH = 1.2  # from one number of slices to the next


@dataclass(frozen=True)
class Enforced:
    """A grouping that keeps the rules, and how it came about."""

    labels: Integers
    way: str
    said: str


def check_possible(rules: Rules) -> None:
    """Raise a PrivacyError if no grouping can keep the rules: all records in one group do not."""
    rows = int(rules.asked[ROWS])
    if of_members(rules, np.arange(rows)) > 0.0:
        raise PrivacyError(
            "what is asked cannot be met: even all records as one group do not have it; "
            "nothing was written"
        )


@dataclass(frozen=True, eq=False)
class Keep:
    """What groups must keep, and in which way that is brought about."""

    rules: Rules
    values: Sequence[Sensitive]
    way: str = "auto"

    def taken(self, order: Integers) -> Keep:
        """Return the same for the records in another order."""
        values = [replace(one, codes=one.codes[order]) for one in self.values]
        return replace(self, rules=reordered(self.rules, order), values=values)


def ways_to(
    matrix: Floats, labels: Integers, keep: Keep, k: int, loss: Loss, report: Reporter
) -> list[Enforced]:
    """Return groupings that keep the rules, of a method's groups or by construction.

    `keep.way` is `slices` (where there are sensitive values to cut), `swap` (then merge what is
    left), `merge`, or `auto`: the method's own groups where they keep the rules, else both of the
    first.
    """
    rules, values, way = keep.rules, keep.values, keep.way
    broken = of_labels(rules, labels)
    count = int((broken > 0).sum())
    if not count and way != "slices":
        return [Enforced(labels, "none", "the groups keep what is asked of them as they were made")]
    told = f"{count:,} of {broken.size:,} groups did not keep what is asked"
    if way == "merge" or (way == "slices" and not values):
        return [Enforced(merge(matrix, labels, rules, report), "merge", f"{told}: merged")]
    found = []
    if way in ("auto", "swap"):
        swapped = swap_in(matrix, labels, rules, broken, report)
        left = int((of_labels(rules, swapped) > 0).sum())
        merged = merge(matrix, swapped, rules, report)
        tail = f", {left:,} of them merged with others" if left else ""
        said = f"{told}: mended by swapping records between groups{tail}"
        found.append(Enforced(merged, "swap", said))
    if way in ("auto", "slices") and values:
        best, slices, left = _slices(matrix, rules, values, k, loss, report)
        tail = f", {left:,} groups of which were mended" if left else ""
        said = f"{told}: made anew, one record of each of {slices:,} slices{tail}"
        found.append(Enforced(best, "slices", said))
    return found


def enforce(
    matrix: Floats, labels: Integers, keep: Keep, k: int, loss: Loss, report: Reporter
) -> Enforced:
    """Return the groups that keep the rules and lose least."""
    return min(ways_to(matrix, labels, keep, k, loss, report), key=lambda one: loss(one.labels))


def _slices(
    matrix: Floats,
    rules: Rules,
    values: Sequence[Sensitive],
    k: int,
    loss: Loss,
    report: Reporter,
) -> tuple[Integers, int, int]:
    """Return the best groups by slices, of how many, and how many groups had to be mended.

    More slices are tried while groups break the rules, fewer while that loses less.
    """
    order = _sorted(values)
    best: tuple[float, Integers, int, int] | None = None
    first = _needed(rules, k)
    for upward in (True, False):
        slices, worse = first if upward else _next(first, False), 0
        while k <= slices <= order.size and worse < 2:
            report("slicing", slices, order.size)
            labels = sliced(matrix, order, slices)
            broken = of_labels(rules, labels)
            left = int((broken > 0).sum())
            if left:
                labels = swap_in(matrix, labels, rules, broken, report)
                labels = merge(matrix, labels, rules, report)
            lost = loss(labels)
            worse = 0 if best is None or lost < best[0] else worse + 1
            if best is None or lost < best[0]:
                best = lost, labels, slices, left
            if upward and not left:
                break
            slices = _next(slices, upward)
    assert best is not None
    return best[1:]


def _next(slices: int, upward: bool) -> int:
    """Return the next number of slices to try: a good deal more, or fewer."""
    if upward:
        return max(slices + 1, int(slices * GROWTH))
    return min(slices - 1, int(slices / GROWTH))


def _needed(rules: Rules, k: int) -> int:
    """Return a number of slices that is likely to keep the rules."""
    asked, rows, most = rules.asked, int(rules.asked[ROWS]), k
    for j in range(int(asked[COLUMNS])):
        head = HEADS + j * HEAD
        wanted = max(asked[head + LEAST], asked[head + FROM], math.exp(asked[head + LOG]))
        if asked[head + ALPHA] > 0:
            wanted = max(wanted, 1.0 / asked[head + ALPHA])
        if asked[head + FORM] > 0:
            wanted = max(wanted, slices_needed(asked[head + T], rows))
        most = max(most, math.ceil(wanted - 1e-9))
    return min(rows, most)


def _sorted(values: Sequence[Sensitive]) -> Integers:
    """Return the rows by their first sensitive value, then to and fro by the next ones.

    Neighbors in this order differ little in every column.
    """
    keys: list[Integers] = []
    for one in values:
        codes = one.codes
        for before in keys:
            codes = np.where(_ranks(before) % 2 == 1, -codes, codes)
        keys.append(codes)
    return np.lexsort(keys[::-1])


def _ranks(codes: Integers) -> Integers:
    """Return the place of every code among the different ones."""
    return np.unique(codes, return_inverse=True)[1].astype(np.int64)
