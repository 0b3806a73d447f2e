"""Constraints beyond k, and their enforcement on the groups of any method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from shoal.errors import PrivacyError
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit
from shoal.kernels.rules import ROWS, Rules, reordered
from shoal.methods.enforce.swapping import breaches, of_labels, of_members, swap_in
from shoal.methods.enforce.values import Sensitive
from shoal.partition import canonical_labels, rows_of_groups
from shoal.progress import Reporter

BEGIN, END, TAKE, TAKEN = range(4)  # of a piece: where it stands, what a group takes, and has
Loss = Callable[[Integers], float]
GROWTH, STEP = 1.2, 1.05  # from one number of slices to the next, and to the next that is judged
JOINED = 1.6  # slices that are joined, from one try to the next
DRAWN = 200  # groups that are judged before any are made
TRIES_LEAST, TRIES, WORK = 2, 8, 2e8  # how often groups are made; records, squared


@dataclass(frozen=True, repr=False)
class Enforced:
    """Labels whose groups keep the rules, and how they were enforced."""

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


@dataclass(frozen=True, eq=False, repr=False)
class Constraints:
    """What groups must keep beyond k: rules, sensitive values, and how they are enforced."""

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


# Slices: groups that keep the rules by construction, one record of every slice in each.
#
# The records are sorted by their sensitive values and cut into as many slices as a group has
# records; a group of one record of each has nearly the distribution of all. With a number that is
# sorted, n records and k slices, its earth mover's distance is at most (n - k) / (2 (n - 1) k)
# (Soria-Comas and others 2015, t-closeness first).
@jit
def _build(
    points: Floats, order: Integers, pieces: Integers, labels: Integers, work: Floats
) -> None:
    """Form the groups. points IN (n, d), labels IN/OUT (n): -1; work (3, d) is work space.

    The record farthest from the mean of those that are left begins a group; then the one nearest to
    the group's centroid joins it, again and again, of the pieces from which it may take more.
    pieces IN/OUT (pieces, 4): each has at least what all groups take. order IN/OUT: the rows, piece
    by piece; those that are left come first.
    """
    rows, width = points.shape
    size = 0
    for piece in range(pieces.shape[0]):
        size += pieces[piece, TAKE]
    for i in range(rows):
        for j in range(width):
            work[0, j] += points[i, j]
    left = rows
    for group in range(rows // size):
        for piece in range(pieces.shape[0]):
            pieces[piece, TAKEN] = 0
        for j in range(width):
            work[1, j] = 0.0
        for turn in range(size):
            for j in range(width):
                work[2, j] = work[0, j] / left if turn == 0 else work[1, j] / turn
            sign = -1.0 if turn == 0 else 1.0
            found, source, least = -1, -1, np.inf
            for piece in range(pieces.shape[0]):
                if pieces[piece, TAKEN] == pieces[piece, TAKE]:
                    continue
                for place in range(pieces[piece, BEGIN], pieces[piece, END]):
                    row = order[place]
                    distance = 0.0
                    for j in range(width):
                        away = points[row, j] - work[2, j]
                        distance += away * away
                        if turn > 0 and distance >= least:
                            break
                    if sign * distance < least:
                        found, source, least = place, piece, sign * distance
            row = order[found]
            labels[row] = group
            pieces[source, END] -= 1
            pieces[source, TAKEN] += 1
            order[found] = order[pieces[source, END]]
            left -= 1
            for j in range(width):
                work[1, j] += points[row, j]
                work[0, j] -= points[row, j]


def sliced(matrix: Floats, order: Integers, slices: int, pieces: int | None = None) -> Integers:
    """Return groups of one record of each slice of the ordered rows; left-overs join the nearest.

    Slices are as even as can be: what is over is spread from the middle outwards. With `pieces`,
    fewer than there are slices, neighboring slices are joined to so many: of a piece of three
    slices a group has three records, whichever.
    """
    rows = order.size
    labels = np.full(rows, -1, dtype=np.int64)
    first = np.argsort(-matrix.var(axis=0), kind="stable")  # what is far is soon known to be
    points = np.ascontiguousarray(matrix[:, first])
    work = np.zeros((3, points.shape[1]))
    _build(points, order.copy(), cut(rows, slices, pieces or slices), labels, work)
    return _with_rest(points, labels, rows // slices)


def cut(rows: int, slices: int, pieces: int) -> Integers:
    """Return where pieces of sorted rows begin and end and how many of each a group takes."""
    groups = rows // slices
    sizes = np.full(slices, groups, dtype=np.int64)
    outward = np.argsort(np.abs(np.arange(slices) - (slices - 1) / 2), kind="stable")
    sizes[outward[: rows - groups * slices]] += 1
    ends = np.concatenate(([0], np.cumsum(sizes)))
    edges = np.round(np.linspace(0, slices, pieces + 1)).astype(np.int64)
    bounds = np.zeros((pieces, 4), dtype=np.int64)
    bounds[:, BEGIN], bounds[:, END] = ends[edges[:-1]], ends[edges[1:]]
    bounds[:, TAKE] = np.diff(edges)
    return bounds


def _with_rest(points: Floats, labels: Integers, groups: int) -> Integers:
    """Let every record that is left over join its nearest group, one to a group."""
    rest = np.flatnonzero(labels < 0)
    if not rest.size:
        return labels
    there = labels >= 0
    sums = np.zeros((groups, points.shape[1]))
    np.add.at(sums, labels[there], points[there])
    centers = sums / np.bincount(labels[there], minlength=groups)[:, None]
    taken = np.zeros(groups, dtype=np.int64)
    for row in rest:
        away = centers - points[row]
        distances = np.where(taken == taken.min(), (away * away).sum(axis=1), np.inf)
        labels[row] = int(distances.argmin())
        taken[labels[row]] += 1
    return labels


def merge(matrix: Floats, labels: Integers, rules: Rules, report: Reporter) -> Integers:
    """Return groups that keep the rules, made of whole groups that came in.

    Requires that all records together keep the rules.
    """
    broken = of_labels(rules, labels)
    return joined(matrix, labels, broken, lambda rows: of_members(rules, rows), report)


def merge_to(matrix: Floats, labels: Integers, k: int, report: Reporter) -> Integers:
    """Return groups of at least k records, made of whole groups that came in."""
    lacking = np.maximum(0, k - np.bincount(labels)).astype(np.float64)
    return joined(matrix, labels, lacking, lambda rows: max(0.0, float(k - rows.size)), report)


def joined(
    matrix: Floats,
    labels: Integers,
    broken: Floats,
    measure: Callable[[Integers], float],
    report: Reporter,
) -> Integers:
    """Return groups none of which is broken, made of whole groups that came in.

    The group that is broken most is joined to the one that this adds least squared error to (its
    nearest by Ward's distance), again and again. `measure` says by how much some records as one
    group are broken; all of them together must not be.
    """
    if not broken.any():
        return labels
    broken = broken.copy()
    members = rows_of_groups(labels)
    sizes = np.array([rows.size for rows in members], dtype=np.float64)
    centers = np.array([matrix[rows].mean(axis=0) for rows in members])
    squares = (centers * centers).sum(axis=1)
    first = int((broken > 0).sum())
    while True:
        worst = int(broken.argmax())
        report("merging", first - int((broken > 0).sum()), first)
        if broken[worst] <= 0.0:
            break
        weights = sizes * sizes[worst] / np.maximum(sizes + sizes[worst], 1.0)
        costs = weights * (
            squares - 2.0 * np.einsum("ij,j->i", centers, centers[worst]) + squares[worst]
        )
        costs[sizes == 0] = np.inf
        costs[worst] = np.inf
        other = int(costs.argmin())
        if not np.isfinite(costs[other]):
            break
        members[other] = np.concatenate((members[other], members[worst]))
        members[worst] = members[worst][:0]
        sizes[other], sizes[worst] = sizes[other] + sizes[worst], 0.0
        centers[other] = matrix[members[other]].mean(axis=0)
        squares[other] = (centers[other] * centers[other]).sum()
        broken[other], broken[worst] = measure(members[other]), 0.0
        there = sizes > 0
        if 2 * int(there.sum()) < sizes.size:  # the others have joined some group
            members = [rows for rows in members if rows.size]
            sizes, centers, squares, broken = (
                numbers[there] for numbers in (sizes, centers, squares, broken)
            )
    merged = np.empty_like(labels)
    for group, rows in enumerate(members):
        merged[rows] = group
    return canonical_labels(merged)
