"""Constraints beyond k, and their enforcement on the groups of any method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.errors import PrivacyError, in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import ROWS, Rules, reordered
from shoal.methods.enforce.groups import breaches, of_labels, of_members
from shoal.methods.enforce.merging import merge, merge_to
from shoal.methods.enforce.slices import BEGIN, END, cut, sliced
from shoal.methods.enforce.swapping import swap_in
from shoal.methods.enforce.values import Sensitive
from shoal.progress import Reporter

Loss = Callable[[Integers], float]

GROWTH, STEP = 1.2, 1.05  # from one number of slices to the next, and to the next that is judged
JOINED = 1.6  # slices that are joined, from one try to the next
DRAWN = 200  # groups that are judged before any are made
TRIES_LEAST, TRIES, WORK = 2, 8, 2e8  # how often groups are made; records, squared


@dataclass(frozen=True)
class Enforced:
    """Labels whose groups keep the rules, and how they were enforced."""

    __repr__ = in_shape

    labels: Integers
    enforcement: str
    note: str


def check_possible(rules: Rules, some: int | None = None) -> None:
    """Raise a PrivacyError if no grouping can keep the rules: all records in one group do not.

    `some` is the number of records where the rules are for those of a stratum.
    """
    rows = int(rules[ROWS]) if some is None else some
    if of_members(rules, np.arange(rows)) > 0.0:
        where = "all records" if some is None else f"all {rows:,} records of a stratum"
        raise PrivacyError(
            f"what is asked cannot be met: even {where} as one group do not have it; "
            "nothing was written"
        )


@dataclass(frozen=True, eq=False)
class Constraints:
    """What groups must keep beyond k: rules, sensitive values, and how they are enforced."""

    __repr__ = in_shape

    rules: Rules
    values: Sequence[Sensitive]
    enforcement: str = "auto"

    def take(self, order: Integers) -> Constraints:
        """Return the same for the records in another order."""
        values = [replace(one, codes=one.codes[order]) for one in self.values]
        return replace(self, rules=reordered(self.rules, order), values=values)


def enforced_partitions(
    matrix: Floats, labels: Integers, constraints: Constraints, k: int, loss: Loss, report: Reporter
) -> list[Enforced]:
    """Return groupings that keep the rules, of a method's groups or by construction.

    `constraints.enforcement` is `slices` (where there are sensitive values to cut), `swap` (then
    merge what is left), `merge`, or `auto`: the method's own groups where they keep the rules, else
    both of the first.
    """
    rules, values, enforcement = constraints.rules, constraints.values, constraints.enforcement
    broken = of_labels(rules, labels)
    count = int((broken > 0).sum())
    if not count and enforcement != "slices":
        return [Enforced(labels, "none", "the groups keep what is asked of them as they were made")]
    broken_note = f"{count:,} of {broken.size:,} groups did not keep what is asked"
    if enforcement == "merge" or (enforcement == "slices" and not values):
        return [Enforced(merge(matrix, labels, rules, report), "merge", f"{broken_note}: merged")]
    partitions = []
    size = _likely(constraints, _sorted(values), k) if values else k
    if enforcement in ("auto", "swap"):
        swapped = labels
        if size > k and 2 * count > broken.size:  # groups of k would hardly ever keep the rules
            swapped = merge_to(matrix, labels, size, report)
            broken = of_labels(rules, swapped)
        swapped = swap_in(matrix, swapped, rules, broken, report)
        left = int((of_labels(rules, swapped) > 0).sum())
        merged = merge(matrix, swapped, rules, report)
        tail = f", {left:,} of them merged with others" if left else ""
        note = f"{broken_note}: mended by swapping records between groups{tail}"
        partitions.append(Enforced(merged, "swap", note))
    if enforcement in ("auto", "slices") and values:
        best, made, left = _slices(matrix, constraints, size, k, loss, report)
        tail = f", {left:,} groups of which were mended" if left else ""
        note = f"{broken_note}: made anew, {made}{tail}"
        partitions.append(Enforced(best, "slices", note))
    return partitions


def _slices(
    matrix: Floats,
    constraints: Constraints,
    size: int,
    k: int,
    loss: Loss,
    report: Reporter,
) -> tuple[Integers, str, int]:
    """Return the best groups by slices, what they were made of, and how many had to be mended.

    Slices are joined to fewer, wider pieces while that loses less; then more slices are tried.
    Requires that groups of `size` records are likely to keep the rules.
    """
    rules, order = constraints.rules, _sorted(constraints.values)
    best: tuple[float, Integers, int, int, int] | None = None
    slices, worse, tries = size, 0, max(TRIES_LEAST, min(TRIES, int(WORK / order.size**2)))
    pieces = slices
    while k <= slices <= order.size and worse < 2 and tries > 0:
        report("slicing", slices, order.size)
        labels = sliced(matrix, order, slices, pieces)
        broken = of_labels(rules, labels)
        left = int((broken > 0).sum())
        if left:
            labels = swap_in(matrix, labels, rules, broken, report)
            labels = merge(matrix, labels, rules, report)
        lost, tries = loss(labels), tries - 1
        better = best is None or lost < best[0]
        worse = 0 if better else worse + 1
        if best is None or lost < best[0]:
            best = lost, labels, slices, pieces, left
        if (better or not worse) and pieces > 1:
            pieces = max(1, int(pieces / JOINED))
        else:
            slices, pieces = _next(constraints, order, slices), max(1, best[3])
    assert best is not None
    made = f"one record of each of {best[2]:,} slices"
    if best[3] < best[2]:
        made = f"{best[2]:,} records of {best[3]:,} slices" if best[3] > 1 else "without slices"
    return best[1], made, best[4]


def _likely(constraints: Constraints, order: Integers, k: int) -> int:
    """Return a number of records of which groups are likely to keep the rules: one of each slice.

    Groups of records that are drawn from the slices are judged; half of them must keep the rules.
    """
    size = k
    while size < order.size:
        pieces, random = cut(order.size, size, size), np.random.default_rng(0)
        starts, widths = pieces[:, BEGIN], pieces[:, END] - pieces[:, BEGIN]
        drawn = order[starts + (random.random((DRAWN, size)) * widths).astype(np.int64)]
        rows = np.hstack([np.full((DRAWN, 1), size), drawn])
        if 2 * int((breaches(constraints.rules, rows) > 0).sum()) <= DRAWN:
            break
        size = max(size + 1, int(size * STEP))
    return min(size, order.size)


def _next(constraints: Constraints, order: Integers, slices: int) -> int:
    """Return the next number of slices to try, a good deal more."""
    return _likely(constraints, order, max(slices + 1, int(slices * GROWTH)))


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
