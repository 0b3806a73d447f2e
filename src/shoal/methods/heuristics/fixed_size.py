"""The fixed-size methods: a seeding rule, a growing rule and an end game, repeated.

Each loop is compiled whole. It makes at most `rounds` groups (or pairs of groups) a call, writes
their numbers into `labels`, and returns how many groups there are now, so that whoever runs it can
show progress and stop in between. What is left in the pool at the end is a group of its own if
it has k records; else each record joins the nearest group.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, loop
from shoal.kernels.nearest import rounding, slack
from shoal.kernels.tree import COUNT, Pool
from shoal.measures.loss import group_means
from shoal.methods.heuristics import pool as pools
from shoal.methods.heuristics.grow import grow
from shoal.methods.heuristics.pool import runs_on, size
from shoal.methods.heuristics.seed import farthest_in_turn, opposite
from shoal.progress import Reporter

Loop = Callable[[Integers, int, int], int]

DISTANCES_A_CALL = 1_000_000  # where nothing can be skipped: a fraction of a second


@inlined
def label(pool: Pool, count: int, labels: Integers, group: int) -> None:
    """Write a group's number for the first count rows of the pool's group. labels IN/OUT (n)."""
    for i in range(count):
        labels[pool.group[i]] = group


@loop
def make_groups(
    pool: Pool,
    k: int,
    references: Floats,
    pairs_from: int,
    by_centroid: bool,
    labels: Integers,
    made: int,
    rounds: int,
) -> int:
    """Pick a first record and grow it, while the pool holds enough.

    One by one (pairs_from = 0), while the pool holds k: CBFS (Laszlo and Mukherjee 2005) without
    reference points, TFRP (Chang, Li and Huang 2007) with two of them.

    Two by two, MDAV (Domingo-Ferrer and Torra 2005): while the pool holds pairs_from, r is the
    record farthest from the centroid, s the one farthest from r; both grow. Then, while it holds
    pairs_from - k, one more. Classic MDAV has pairs_from = 3k, so that the rest is a group of k to
    2k - 1; the form of the 2018 tables has 2k. references IN (points, d), labels IN/OUT (n).
    """
    least = k if pairs_from == 0 else pairs_from - k
    first, second = -1, False
    for _ in range(2 * rounds):
        if not second and not runs_on(pool, least):
            break
        paired = second or size(pool) >= pairs_from
        first = opposite(pool, first) if second else farthest_in_turn(pool, references, made)
        label(pool, grow(pool, first, k, by_centroid), labels, made)
        made += 1
        if not paired:
            break
        second = pairs_from > 0 and not second
    return made


def fixed_size(
    matrix: Floats,
    k: int,
    report: Reporter,
    *,
    references: Callable[[Floats], Floats] | None = None,
    by_centroid: bool = False,
    leave: bool = False,
) -> Integers:
    """Group one by one: farthest from the centroid, or from the reference points in turn."""
    pool = pools.make(matrix, k)
    points = np.empty((0, matrix.shape[1])) if references is None else references(matrix)
    loop = partial(make_groups, pool, k, np.ascontiguousarray(points), 0, by_centroid)
    return run(matrix, pool, k, loop, report, leave)


def mdav(
    matrix: Floats,
    k: int,
    report: Reporter,
    *,
    classic: bool = False,
    by_centroid: bool = False,
    leave: bool = False,
) -> Integers:
    """Group two by two: the farthest from the centroid and its opposite."""
    pool = pools.make(matrix, k)
    centroid = np.empty((0, matrix.shape[1]))
    loop = partial(make_groups, pool, k, centroid, 3 * k if classic else 2 * k, by_centroid)
    return run(matrix, pool, k, loop, report, leave)


def run(
    matrix: Floats, pool: Pool, k: int, loop: Loop, report: Reporter, leave: bool = False
) -> Integers:
    """Call a loop until it makes no more groups, then place what is left, or `leave` it at -1."""
    rows = matrix.shape[0]
    labels = np.full(rows, -1, dtype=np.int64)
    rounds = max(1, DISTANCES_A_CALL // rows)
    made, before = 0, -1
    while pools.rebuild(pool) or made != before:
        report("grouping", rows - int(pool.state[COUNT]), rows)
        made, before = loop(labels, made, rounds), made
    rest = np.flatnonzero(labels < 0)
    if rest.size >= k:
        labels[rest] = made
    elif not leave:
        join_nearest(matrix, labels, rest)
    report("grouping", rows, rows)
    return labels


def join_nearest(matrix: Floats, labels: Integers, rest: Integers) -> None:
    """Put the left-over records into the groups with the nearest centroids. labels IN/OUT.

    Of all pairs of a record and a group the nearest is joined first; the group's centroid moves
    with it. So 123 of the 126 unrefined figures of the 2018 paper come out at the printed digits;
    in order of the rows it is 121 (centroids as they were) or 119 (refreshed). The lowest row and
    the lowest group win ties.
    """
    if rest.size == 0:
        return
    placed = labels >= 0
    sizes = np.bincount(labels[placed])
    centers = group_means(matrix[placed], labels[placed])
    points = matrix[rest]
    distances = _squared(points[:, None, :] - centers[None, :, :])
    nearest = distances.min(axis=1)
    error = rounding(matrix)
    for _ in rest:
        least = nearest.min()
        high = least + slack(least, error)
        i = int((nearest <= high).argmax())
        group = int((distances[i] <= high).argmax())
        labels[rest[i]] = group
        sizes[group] += 1
        centers[group] += (points[i] - centers[group]) / sizes[group]
        distances[i] = nearest[i] = np.inf
        waiting = np.isfinite(nearest)
        before = distances[:, group].copy()
        distances[waiting, group] = _squared(points[waiting] - centers[group])
        again = waiting & (before <= nearest)  # the group was their nearest, and moved
        nearest[again] = distances[again].min(axis=1)
        nearest[waiting] = np.minimum(nearest[waiting], distances[waiting, group])


def _squared(differences: Floats) -> Floats:
    total = np.zeros(differences.shape[:-1])
    for j in range(differences.shape[-1]):
        total += differences[..., j] ** 2
    return total
