"""GSMS: of all candidate groups, form the one of greatest gain.

Every record x of the pool T has a candidate p: x and its k - 1 nearest in T. The candidate with the
least SSE(p) + SSE(T without p) becomes a group (Panagiotakis and Tziritas 2013, TKDE 25(5)). Since
SSE(T) = SSE(p) + SSE(T without p) + |p| |T| / (|T| - |p|) D(c_p, c_T) and all candidates have k
records, it is the candidate whose centroid is farthest from the centroid of T: one sweep over the
candidates' centroids, with no error summed at all.

The paper keeps a queue of all n records for each record. Here each record keeps its REACH * k
nearest; when one of them leaves, whoever listed it moves up, and asks anew when fewer than k - 1
are left. Memory is O(n k).

Equal records have candidates of equal points, so that the lowest row of them wins: it alone, their
leader, keeps a list. When it leaves, the next of them that is in the pool leads.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.distance import BLOCK, squared_distances
from shoal.kernels.jit import inlined, loop, part
from shoal.kernels.layout import LEAF
from shoal.kernels.nearest import slack
from shoal.kernels.tree import Pool
from shoal.methods.heuristics import pool as pools
from shoal.methods.heuristics.fixed_size import run
from shoal.methods.heuristics.pool import (
    centroid,
    distance_to,
    holds,
    nearest_to,
    point,
    runs_on,
    size,
    take,
)
from shoal.progress import Reporter

REACH = 2


class Candidates(NamedTuple):
    """The candidates of the records in the pool; lists of all who listed a record."""

    centers: Floats  # (d, n) centroid of a candidate; those of the leaders in the pool in front
    rows: Integers  # (n) row at a position of the centers
    places: Integers  # (n) its inverse
    leaders: Integers  # (1) how many leaders are in the pool
    following: Integers  # (n) next row that equals a row, or -1
    listed: Integers  # (n, m) rows near a record, nearest first; -1 where one has left
    left: Integers  # (n) how many of them are in the pool
    head: Integers  # (n) first entry that lists a record, an entry being row * m + number; or -1
    after: Integers  # (n * m) next entry that lists the same record, or -1
    before: Integers  # (n * m) the one before, or -1
    changed: Integers  # (n) work space: rows whose list lost someone
    marked: Integers  # (n) work space: whether a row is among them
    distances: Floats  # (m + 2) work space
    block: Floats  # (BLOCK) work space


def gsms(matrix: Floats, k: int, report: Reporter, *, leave: bool = False) -> Integers:
    """Group by successive selection of the best candidate."""
    rows, width = matrix.shape
    long = min(rows - 1, REACH * k)
    leaders, following = equals(matrix)
    order = np.concatenate((leaders, np.setdiff1d(np.arange(rows), leaders)))
    pool = pools.make(matrix, max(k, long + 1))
    candidates = Candidates(
        centers=np.empty((width, rows)),
        rows=order,
        places=np.argsort(order).astype(np.int64),
        leaders=np.array([leaders.size], dtype=np.int64),
        following=following,
        listed=np.full((rows, long), -1, dtype=np.int64),
        left=np.zeros(rows, dtype=np.int64),
        head=np.full(rows, -1, dtype=np.int64),
        after=np.empty(rows * long, dtype=np.int64),
        before=np.empty(rows * long, dtype=np.int64),
        changed=np.empty(rows, dtype=np.int64),
        marked=np.zeros(rows, dtype=np.int64),
        distances=np.empty(long + 2),
        block=np.empty(BLOCK),
    )
    nobody = np.empty(0, dtype=np.int64)
    for start in range(0, leaders.size, 10_000):
        report("candidates", start, leaders.size)
        best_by_best(pool, candidates, k, leaders[start : start + 10_000], nobody, 0, 0)
    return run(matrix, pool, k, partial(best_by_best, pool, candidates, k, nobody), report, leave)


def equals(matrix: Floats) -> tuple[Integers, Integers]:
    """Return the lowest row of every point, in order, and the next equal row of each, or -1."""
    _, kinds = np.unique(matrix, axis=0, return_inverse=True)
    order = np.argsort(kinds.ravel(), kind="stable")
    same = np.diff(kinds.ravel()[order]) == 0
    following = np.full(order.size, -1, dtype=np.int64)
    following[order[:-1][same]] = order[1:][same]
    leaders = np.sort(order[np.append(True, ~same)])
    return leaders.astype(np.int64), following


@loop
def best_by_best(
    pool: Pool,
    candidates: Candidates,
    k: int,
    first: Integers,
    labels: Integers,
    made: int,
    rounds: int,
) -> int:
    """Make the candidates of the first rows; then, while the pool holds k, the best one a group.

    pool IN/OUT, candidates IN/OUT, first IN, labels IN/OUT (n).
    """
    count = first.shape[0]
    for i in range(count):
        candidates.changed[i] = first[i]
    for turn in range(rounds + 1):
        for i in range(count):
            _mend(pool, candidates, candidates.changed[i], k)
        if turn == rounds or not runs_on(pool, k):
            break
        row = _best(pool, candidates)
        pool.group[0] = row
        labels[row] = made
        count = 1
        for i in range(candidates.listed.shape[1]):
            other = candidates.listed[row, i]
            if count < k and other >= 0:
                pool.group[count] = other
                labels[other] = made
                count += 1
        count = _withdraw(pool, candidates, k)
        made += 1
    return made


@inlined
def _best(pool: Pool, candidates: Candidates) -> int:
    """Return the row whose candidate's centroid is farthest from the pool's. All IN.

    The lowest row wins a tie.
    """
    center = centroid(pool)
    count = candidates.leaders[0]
    most, low, row = -1.0, -1.0, -1
    for start in range(0, count, BLOCK):
        stop = min(start + BLOCK, count)
        squared_distances(candidates.centers, start, stop, center, candidates.block)
        for i in range(stop - start):
            distance = candidates.block[i]
            if distance >= low:
                other = candidates.rows[start + i]
                margin = slack(max(distance, most), pool.error)
                if row < 0 or distance > most + margin or other < row:
                    row = other
                most = max(distance, most)
                low = most - margin
    return row


@inlined
def _list_nearest(pool: Pool, candidates: Candidates, row: int) -> None:
    """List the nearest records of a row, nearest first, lowest first where they tie."""
    wanted = min(candidates.listed.shape[1], size(pool) - 1)
    for i in range(candidates.listed.shape[1]):
        candidates.listed[row, i] = -1
    candidates.left[row] = wanted
    if wanted == 0:
        return
    found = nearest_to(pool, point(pool, row), wanted, row)
    for i in range(wanted):
        other = found[i]
        distance = distance_to(pool, other, pool.center)
        at = i
        while at > 0:
            previous = candidates.distances[at - 1]
            margin = slack(max(previous, distance), pool.error)
            if distance < previous - margin or (
                distance <= previous + margin and other < candidates.listed[row, at - 1]
            ):
                candidates.distances[at] = previous
                candidates.listed[row, at] = candidates.listed[row, at - 1]
                at -= 1
            else:
                break
        candidates.distances[at] = distance
        candidates.listed[row, at] = other
    for i in range(wanted):
        _link(candidates, row, i)


@inlined
def _link(candidates: Candidates, row: int, number: int) -> None:
    """Let a record know that a row listed it."""
    entry = row * candidates.listed.shape[1] + number
    target = candidates.listed[row, number]
    first = candidates.head[target]
    candidates.after[entry] = first
    candidates.before[entry] = -1
    if first >= 0:
        candidates.before[first] = entry
    candidates.head[target] = entry


@inlined
def _unlink(candidates: Candidates, row: int, number: int) -> None:
    """Let a record forget that a row listed it."""
    entry = row * candidates.listed.shape[1] + number
    after, before = candidates.after[entry], candidates.before[entry]
    if after >= 0:
        candidates.before[after] = before
    if before >= 0:
        candidates.after[before] = after
    else:
        candidates.head[candidates.listed[row, number]] = after


@part
def _center(pool: Pool, candidates: Candidates, row: int, k: int) -> None:
    """Set the centroid of a row's candidate: the row and the first k - 1 it lists."""
    width = point(pool, row).shape[0]
    count = 1
    for i in range(candidates.listed.shape[1]):
        other = candidates.listed[row, i]
        if other >= 0 and count < k:
            at = pool.places[other]
            for j in range(width):
                pool.center[j] += pool.points[at // LEAF, j, at % LEAF]
            count += 1
    place = candidates.places[row]
    for j in range(width):
        candidates.centers[j, place] = pool.center[j] / count


@inlined
def _withdraw(pool: Pool, candidates: Candidates, k: int) -> int:
    """Take the pool's group out; list in `changed` whoever listed one of it, and return how many.

    Where fewer than k are left, no candidate is of use any more.
    """
    length = candidates.listed.shape[1]
    take(pool, pool.group, k)
    count = 0
    for i in range(k):
        heir = _succeed(pool, candidates, pool.group[i])
        if heir >= 0:
            candidates.marked[heir] = 1
            candidates.changed[count] = heir
            count += 1
    for i in range(k):
        entry = candidates.head[pool.group[i]]
        while entry >= 0:
            row = entry // length
            candidates.listed[row, entry % length] = -1
            candidates.left[row] -= 1
            if candidates.marked[row] == 0 and holds(pool, row):
                candidates.marked[row] = 1
                candidates.changed[count] = row
                count += 1
            entry = candidates.after[entry]
    for i in range(count):
        candidates.marked[candidates.changed[i]] = 0
    return count if size(pool) >= k else 0


@inlined
def _mend(pool: Pool, candidates: Candidates, row: int, k: int) -> None:
    """Make the candidate of a row anew; ask for its nearest where it lists too few of the pool."""
    if candidates.left[row] < k - 1:
        for number in range(candidates.listed.shape[1]):
            if candidates.listed[row, number] >= 0:
                _unlink(candidates, row, number)
        _list_nearest(pool, candidates, row)
    _center(pool, candidates, row, k)


@inlined
def _succeed(pool: Pool, candidates: Candidates, row: int) -> int:
    """Let the next equal row in the pool lead where a leader has left; return it, or -1."""
    at = candidates.places[row]
    if at >= candidates.leaders[0]:
        return -1
    heir = candidates.following[row]
    while heir >= 0 and not holds(pool, heir):
        heir = candidates.following[heir]
    if heir < 0:
        candidates.leaders[0] -= 1
        _drop(candidates, row, candidates.leaders[0])
        return -1
    place = candidates.places[heir]
    candidates.rows[at], candidates.rows[place] = heir, row
    candidates.places[heir], candidates.places[row] = at, place
    return heir  # type: ignore[no-any-return]


@inlined
def _drop(candidates: Candidates, row: int, last: int) -> None:
    """Move a leader's candidate behind the others: it swaps places with the last one."""
    at = candidates.places[row]
    for j in range(candidates.centers.shape[0]):
        candidates.centers[j, at] = candidates.centers[j, last]
    other = candidates.rows[last]
    candidates.rows[at], candidates.rows[last] = other, row
    candidates.places[other], candidates.places[row] = at, last
