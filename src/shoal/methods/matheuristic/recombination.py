"""Groups of several groupings, chosen anew: set partitioning, block by block.

Every grouping that its groups can be put together to is looked at, so that what one search has
found and what another has need not be whole blocks to go together. A block of all groupings is an
integer programme of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from shoal.backends.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.methods.bounds.cuts import NO_CUTS, NOBODY
from shoal.methods.bounds.generation import Remaining
from shoal.methods.bounds.highs import choose
from shoal.methods.ils.recombine import GAIN, Grouping, blocks
from shoal.partition import rows_of_groups

MOST = 3_000  # records of a block whose programme is solved
NODES = 20  # branches of one


class Pool(NamedTuple):
    """The distinct groups of a block: `members` padded by NOBODY, what they lose, where it starts.

    `rows` are the block's, `start` the numbers of the groups that are taken so far.
    """

    rows: Integers
    members: Integers
    costs: Floats
    start: Integers


class Better(NamedTuple):
    """The groups of a block, as rows, that lose less than those so far, and what each loses."""

    groups: list[Integers]
    costs: Floats


def chosen(
    best: Grouping, groupings: Sequence[Grouping], remaining: Remaining, threads: int | None
) -> Grouping:
    """Return the best choice of groups in every block that is not too large, else the best's."""

    def solve(pool: Pool) -> Better | None:
        seconds = remaining()
        return None if seconds is not None and seconds <= 0.0 else _solve(pool, seconds)

    labels, shares = best.labels.copy(), best.shares.copy()
    for better in Threads(threads).map(solve, pools(best, groupings)):
        if better is None:
            continue
        for group, cost in zip(better.groups, better.costs, strict=True):
            labels[group], shares[group] = labels.max() + 1, cost / group.size
    return Grouping(np.unique(labels, return_inverse=True)[1].astype(np.int64), shares)


def pools(best: Grouping, groupings: Sequence[Grouping]) -> list[Pool]:
    """Return the pools of all blocks, of up to MOST records, in which groupings differ."""
    every = [best, *groupings]
    block = blocks([one.labels for one in every])
    sizes = np.bincount(block)
    found: dict[int, dict[bytes, tuple[Integers, float, bool]]] = {}
    for number, one in enumerate(every):
        losses = np.bincount(one.labels, one.shares)
        for group, loss in zip(rows_of_groups(one.labels), losses, strict=True):
            place = int(block[group[0]])
            if sizes[place] <= MOST:
                own = found.setdefault(place, {})
                own.setdefault(group.tobytes(), (group, float(loss), number == 0))
    several = [own for _, own in sorted(found.items()) if len(own) > 1]
    return [_pool(own) for own in several]


def _pool(own: dict[bytes, tuple[Integers, float, bool]]) -> Pool:
    groups = [group for group, _, _ in own.values()]
    rows = np.unique(np.concatenate(groups))
    members = np.full((len(groups), max(group.size for group in groups)), NOBODY, dtype=np.int64)
    for number, group in enumerate(groups):
        members[number, : group.size] = np.searchsorted(rows, group)
    costs = np.array([cost for _, cost, _ in own.values()])
    start = np.flatnonzero([taken for _, _, taken in own.values()])
    return Pool(rows, members, costs, start)


def _solve(pool: Pool, seconds: float | None) -> Better | None:
    """Choose among the groups of a block; None where nothing is gained."""
    if pool.start.size == pool.costs.size:  # all groupings have the same
        return None
    every = np.arange(pool.costs.size)
    found = choose(
        pool, every, pool.rows.size, pool.start, cuts=NO_CUTS, nodes=NODES, seconds=seconds
    )
    if found.which is None:
        return None
    if pool.costs[found.which].sum() > pool.costs[pool.start].sum() - GAIN:
        return None
    members = pool.members[found.which]
    groups = [pool.rows[group[group != NOBODY]] for group in members]
    return Better(groups, pool.costs[found.which])
