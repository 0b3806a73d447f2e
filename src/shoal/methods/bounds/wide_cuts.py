"""Cuts of more than three records, found by local search from random ones around every record.

Which shares are worth trying for up to five records is known: Pecin, Pessoa, Poggi, Uchoa and
Santos (2017), Limited memory rank-1 cuts for vehicle routing problems, Operations Research Letters
45(3). Here wider ones matter as much; they are of the same kinds.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import loop, part, steps
from shoal.kernels.random import Random, draw
from shoal.methods.bounds.cuts import NOBODY, Cuts

EXCESS = 0.01  # by less it is not worth a row
A_RECORD = 4  # cuts a round
PASSES = 20  # of the local search
OF_KINDS = 3  # one of so many kinds is searched from a record
LEAN = 1e-3  # towards records that are together, where no group has a whole of them yet

SPECIAL = (5, (3, 2, 2, 1, 1)), (4, (3, 3, 2, 2, 1))
PARTS = range(2, 8)  # where all records count the same
MIXED = range(3, 6)  # where some count more
LARGE = range(1, 4)  # how many those are


def kinds(width: int) -> list[tuple[int, tuple[int, ...]]]:
    """Return the kinds of cuts of 4 to `width` records.

    Each is into how many parts records are divided, and how many parts each counts: all together
    one part less than a whole number of records, so that most is rounded off.
    """
    found = [(parts, (1,) * size) for parts in PARTS for size in range(4, width + 1)]
    found += [
        (parts, (share,) * large + (1,) * (size - large))
        for parts in MIXED
        for share in range(2, parts)
        for large in LARGE
        for size in range(4, width + 1)
    ]
    found = [(parts, shares) for parts, shares in found if _rounds_most_off(parts, sum(shares))]
    return found + [kind for kind in SPECIAL if len(kind[1]) <= width]


def _rounds_most_off(parts: int, total: int) -> bool:
    return total > parts and total % parts == parts - 1


class FractionalColumns(NamedTuple):
    """The columns of a solution that are chosen in part."""

    members: Integers  # (columns, width) rows, then NOBODY
    values: Floats  # (columns)
    starts: Integers  # (n + 1) where a record's columns begin in `columns`
    columns: Integers  # the columns that records are in
    counts: Integers  # (columns) work space: parts that a column has of the cut; all 0
    seen: Integers  # (n) work space: when a record was looked at last
    clock: Integers  # (1) work space
    random: Random  # (1) work space


@part
def count(f: FractionalColumns, row: int, parts: int) -> None:
    """Count a record into its columns with so many parts. f IN/OUT."""
    for i in range(f.starts[row], f.starts[row + 1]):
        f.counts[f.columns[i]] += parts


@part
def gain(f: FractionalColumns, row: int, share: int, parts: int, lean: float) -> float:
    """Return by how much the columns have more of a cut with another record in it."""
    total = 0.0
    for i in range(f.starts[row], f.starts[row + 1]):
        has = f.counts[f.columns[i]]
        more = (has + share) // parts - has // parts + lean * share * (2 * has + share)
        total += f.values[f.columns[i]] * more
    return total


@part
def best_row(f: FractionalColumns, rows: Integers, share: int, parts: int) -> int:
    """Return the record by which a cut gains most, or -1.

    rows IN: the cut's records, or -1; it is among those that share a column with one of them.
    """
    f.clock[0] += 1
    now, best, who = f.clock[0], -1.0, -1
    for i in range(rows.shape[0]):
        if rows[i] >= 0:
            f.seen[rows[i]] = now
    for i in range(rows.shape[0]):
        if rows[i] < 0:
            continue
        for j in range(f.starts[rows[i]], f.starts[rows[i] + 1]):
            for m in range(f.members.shape[1]):
                row = f.members[f.columns[j], m]
                if row < 0 or f.seen[row] == now:
                    continue
                f.seen[row] = now
                gained = gain(f, row, share, parts, LEAN)
                if gained > best:
                    best, who = gained, row
    return who


@part
def random_row(f: FractionalColumns, rows: Integers, width: int) -> int:
    """Return a record from a random column of a random one of a cut's records, or -1. f IN/OUT.

    rows IN: the cut's records so far, `width` of them.
    """
    of = rows[draw(f.random, width)]
    column = f.columns[f.starts[of] + draw(f.random, f.starts[of + 1] - f.starts[of])]
    places = f.members.shape[1]
    first = draw(f.random, places)
    for i in range(places):
        row = f.members[column, (first + i) % places]
        new = row >= 0
        for j in range(width):
            new = new and rows[j] != row
        if new:
            return row  # type: ignore[no-any-return]
    return -1


@part
def exchange(
    f: FractionalColumns, rows: Integers, shares: Integers, width: int, parts: int
) -> bool:
    """Exchange the records of a cut one by one for better ones; tell whether any was. f IN/OUT.

    rows IN/OUT.
    """
    better = False
    for i in range(width):
        old, share = rows[i], shares[i]
        count(f, old, -share)
        rows[i] = -1
        before = gain(f, old, share, parts, LEAN)
        new = best_row(f, rows, share, parts)
        if new >= 0 and gain(f, new, share, parts, LEAN) > before + 1e-9:
            rows[i], better = new, True
        else:
            rows[i] = old
        count(f, rows[i], share)
    return better


@part
def left_side(
    f: FractionalColumns, rows: Integers, shares: Integers, width: int, parts: int
) -> float:
    """Return what the columns have of a cut, and count its records out. f IN/OUT."""
    total = 0.0
    for i in range(width):
        count(f, rows[i], -shares[i])
        total += gain(f, rows[i], shares[i], parts, 0.0)
    return total


@steps
def search(f: FractionalColumns, seed: int, shares: Integers, parts: int, rows: Integers) -> float:
    """Search a violated cut, beginning with one record; return by how much it is.

    shares IN: parts of its records, then 0; rows OUT: its records, then -1. f IN/OUT.
    """
    for i in range(rows.shape[0]):
        rows[i] = -1
    rows[0] = seed
    count(f, seed, shares[0])
    width, whole = 1, shares[0]
    while width < shares.shape[0] and shares[width] > 0:
        row = random_row(f, rows, width)
        if row < 0:
            row = best_row(f, rows, shares[width], parts)
        if row < 0:
            break
        rows[width] = row
        count(f, row, shares[width])
        whole += shares[width]
        width += 1
    found_all = width == shares.shape[0] or shares[width] == 0
    turn = 0
    while found_all and turn < PASSES and exchange(f, rows, shares, width, parts):
        turn += 1
    has = left_side(f, rows, shares, width, parts)
    return has - whole // parts if found_all else -1.0


@loop
def search_all(
    f: FractionalColumns,
    seeds: Integers,
    shares: Integers,
    parts: Integers,
    rows: Integers,
    excess: Floats,
) -> None:
    """Search a cut from every seed with some of the shares, drawn at random.

    shares IN (kinds, width), parts IN (kinds); rows OUT (seeds, kinds, width) and excess OUT
    (seeds, kinds) are as of `search`; what was not drawn stays as it is. f IN/OUT.
    """
    for i in range(seeds.shape[0]):
        for kind in range(parts.shape[0]):
            if draw(f.random, OF_KINDS) == 0:
                excess[i, kind] = search(f, seeds[i], shares[kind], parts[kind], rows[i, kind])


def violated_wide_cuts(
    members: Integers, values: Floats, rows: int, *, most: int, width: int, seed: int
) -> Cuts:
    """Return cuts of at most `width` records that a fractional solution violates, the worst first.

    members (columns, width) of `rows` records, and values of the columns.
    """
    f = _fractional_columns(members, values, rows, seed)
    seeds = np.flatnonzero(np.diff(f.starts))
    own = kinds(width)
    shares = np.zeros((len(own), width), dtype=np.int64)
    for kind, (_, some) in enumerate(own):
        shares[kind, : len(some)] = some
    parts = np.array([parts for parts, _ in own], dtype=np.int64)
    found = np.full((seeds.size, *shares.shape), NOBODY)
    excess = np.full((seeds.size, parts.size), -1.0)
    search_all(f, seeds, shares, parts, found, excess)
    return _worst(found, shares, parts, excess, most)


def _fractional_columns(
    members: Integers, values: Floats, rows: int, seed: int
) -> FractionalColumns:
    which = np.flatnonzero((values > 1e-6) & (values < 1.0 - 1e-6))
    members, values = np.ascontiguousarray(members[which]), values[which]
    there, random = members != NOBODY, np.random.default_rng(seed)
    order = np.argsort(members[there], kind="stable")
    starts = np.concatenate(([0], np.cumsum(np.bincount(members[there], minlength=rows))))
    return FractionalColumns(
        members, values, starts.astype(np.int64), np.nonzero(there)[0][order].astype(np.int64),
        np.zeros(which.size, dtype=np.int64), np.zeros(rows, dtype=np.int64),
        np.zeros(1, dtype=np.int64), random.integers(1, 2**63, size=1, dtype=np.uint64),
    )  # fmt: skip


def _worst(
    found: Integers, shares: Integers, parts: Integers, excess: Floats, most: int
) -> Cuts:  # fmt: skip
    """Return the cuts that are violated most, each once, and few of any record."""
    used: Counter[int] = Counter()
    known: set[tuple[object, ...]] = set()
    chosen: list[tuple[int, int]] = []
    for at in np.argsort(-np.round(excess, 9), axis=None, kind="stable"):
        seed, kind = divmod(int(at), parts.size)
        if excess[seed, kind] <= EXCESS or len(chosen) == most:
            break
        rows = found[seed, kind]
        name = (int(parts[kind]), *sorted(zip(rows.tolist(), shares[kind].tolist(), strict=True)))
        own = rows[rows != NOBODY].tolist()
        if name not in known and max(used[row] for row in own) < A_RECORD:
            known.add(name)
            used.update(own)
            chosen.append((seed, kind))
    seeds, kinds = np.array(chosen, dtype=np.int64).reshape(-1, 2).T
    return Cuts(found[seeds, kinds], shares[kinds], parts[kinds])
