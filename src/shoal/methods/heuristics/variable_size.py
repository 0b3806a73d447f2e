"""V-MDAV: groups of k to 2k - 1 records, sized by the data."""

from __future__ import annotations

from functools import partial

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import inlined, loop
from shoal.kernels.nearest import slack
from shoal.kernels.tree import Pool
from shoal.methods.heuristics import pool as pools
from shoal.methods.heuristics.fixed_size import label, run
from shoal.methods.heuristics.pool import (
    distance_to,
    farthest_from,
    nearest_neighbors,
    nearest_to,
    point,
    runs_on,
    size,
    take,
)
from shoal.methods.heuristics.refine.steps import better
from shoal.progress import Reporter

GAMMAS = (0.2, 1.1)  # for scattered and for clustered data, say the authors


def v_mdav(matrix: Floats, k: int, report: Reporter) -> Integers:
    """Group around the records farthest from the mean of all, and extend each group.

    Solanas and Martínez-Ballesté 2006, V-MDAV: a multivariate microaggregation with variable
    group size. How eager a group is to grow is their gamma; both of their values are tried, and
    the grouping with less loss is returned.
    """
    scattered, clustered = (_with_gamma(matrix, k, gamma, report) for gamma in GAMMAS)
    return better(matrix, scattered, clustered)


def _with_gamma(matrix: Floats, k: int, gamma: float, report: Reporter) -> Integers:
    pool = pools.make(matrix, 2 * k)
    loop = partial(
        grow_and_extend,
        pool,
        k,
        gamma * gamma,
        matrix.mean(axis=0),
        np.empty(2 * k, dtype=np.int64),
        np.empty(2 * k),
    )
    return run(matrix, pool, k, loop, report)


@loop
def grow_and_extend(
    pool: Pool,
    k: int,
    gamma_squared: float,
    mean: Floats,
    nearest_rows: Integers,
    distances: Floats,
    labels: Integers,
    made: int,
    rounds: int,
) -> int:
    """While the pool holds k: grow the record farthest from the mean, then extend its group.

    mean IN (d), nearest_rows OUT (2k), distances OUT (2k) work space, labels IN/OUT (n).
    """
    for _ in range(rounds):
        if not runs_on(pool, k):
            break
        count = nearest_neighbors(pool, farthest_from(pool, mean), k)
        count = extend(pool, count, 2 * k - 1, gamma_squared, nearest_rows, distances)
        label(pool, count, labels, made)
        made += 1
    return made


@inlined
def extend(
    pool: Pool,
    count: int,
    limit: int,
    gamma_squared: float,
    nearest_rows: Integers,
    distances: Floats,
) -> int:
    """Add records that belong to the group rather than to the rest; return the group's size.

    u is the record of the pool nearest to any member, at distance d_in; d_out is that from u to
    the nearest other record of the pool. u is added if d_in < gamma d_out. The group stands in
    pool.group; nearest_rows OUT, distances OUT (limit + 1) work space.
    """
    known = 0
    while count < limit and size(pool) > 1:
        for i in range(known, count):
            _look(pool, i, nearest_rows, distances)
        known = count
        least = distances[0]
        for i in range(count):
            least = min(least, distances[i])
        margin = slack(least, pool.error)
        row = -1
        for i in range(count):
            if distances[i] <= least + margin and (row < 0 or nearest_rows[i] < row):
                row = nearest_rows[i]
        other = nearest_to(pool, point(pool, row), 1, row)[0]
        outside = distance_to(pool, other, point(pool, row))
        if least + margin >= gamma_squared * outside:
            break
        pool.group[count] = row
        take(pool, pool.group[count : count + 1], 1)
        count += 1
        for i in range(known):
            if nearest_rows[i] == row:
                _look(pool, i, nearest_rows, distances)
    return count


@inlined
def _look(pool: Pool, i: int, nearest_rows: Integers, distances: Floats) -> None:
    """Find the record of the pool nearest to member i. nearest_rows OUT, distances OUT."""
    center = point(pool, pool.group[i])
    nearest_rows[i] = nearest_to(pool, center, 1)[0]
    distances[i] = distance_to(pool, nearest_rows[i], center)
