"""Coded records -> labels: groups of k grown by cost, the left-over records to where they fit."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.kmember.build import Records, build
from shoal.methods.kmember.forest import Forest
from shoal.methods.kmember.grow import FARTHEST, ORDERED, RANDOM, grow, join
from shoal.progress import Reporter
from shoal.table.encode_nodes import Coded

STARTS = {"random": RANDOM, "farthest": FARTHEST, "common": ORDERED}
BUDGET = 20_000_000  # looks at records in one call of the kernel: some tenths of a second


def cluster(
    coded: Coded,
    k: int,
    report: Reporter,
    *,
    form: str,
    start: str,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
    survey: Floats | None = None,
) -> Integers:
    """Group records by a cost (`form`) and a rule for the first record of a group (`start`).

    random: any record; farthest: the one farthest from the last start; common: the one with the
    commonest values (on the adult table with 8 quasi-identifiers, k = 10, kaim loses 10.0 % from
    there, 10.7 % from random records and 12.4 % from the farthest).

    floor(n/k) groups of k; the fewer than k records left then join, in random order, the group
    they cost least (k-member: in the order of their rows). `weights` say how much columns count,
    `survey` weights (n) how much records do.
    """
    forest, records = build(coded, form, weights, survey)
    rows = records.which.size
    if rows < k:
        return np.zeros(rows, dtype=np.int64)
    rng = np.random.default_rng(seed)
    random = np.array([rng.integers(1, 2**63)], dtype=np.uint64)
    groups, taken = _grow(forest, records, k, STARTS[start], random, report)
    members = _by_record(records)
    labels = np.full(rows, -1, dtype=np.int64)
    labels[_rows_of(taken, members)] = np.repeat(np.arange(rows // k), k)
    rest = np.flatnonzero(labels < 0)
    rest = rest if form == "height" else rng.permutation(rest)
    sizes = records.weights[taken].reshape(rows // k, k).sum(axis=1)
    for row in rest.tolist():
        at = int(records.which[row])
        weight = float(records.weights[at])
        labels[row] = join(forest, records.codes, at, groups, sizes, weight)
    report("grouping", rows, rows)
    return labels


def _grow(
    forest: Forest, records: Records, k: int, start: int, random: npt.NDArray[np.uint64],
    report: Reporter,
) -> tuple[Integers, Integers]:  # fmt: skip
    rows, width = records.which.size, records.codes.shape[1]
    counts = records.counts.copy()
    open_ = np.arange(counts.size, dtype=np.int64)
    state = np.array([counts.size, rows, 0, -1], dtype=np.int64)
    groups = np.zeros((rows // k, width, 2), dtype=np.int64)
    prices = np.empty(forest.parents.size)
    others = np.empty(prices.size if records.weighed else 0)
    taken = np.empty(rows // k * k, dtype=np.int64)
    order = surprise(records, forest.parents.size)
    done = False
    while not done:
        report("grouping", rows - int(state[1]), rows)
        done = grow(
            forest, records.codes, counts, open_, state, random, order, groups, prices, others,
            records.weights, taken, k, start, BUDGET,
        )  # fmt: skip
    return groups, taken


def surprise(records: Records, nodes: int) -> Floats:
    """Return of every distinct record the sum of -log p over its cells; missing is a value too."""
    total = np.zeros(records.counts.size)
    rows = int(records.counts.sum())
    for codes in records.codes.T:
        often = np.bincount(codes, weights=records.counts, minlength=nodes)
        total -= np.log(often[codes] / rows)
    return np.round(total, 9)  # equal sums in another order of columns stay equal


def _by_record(records: Records) -> tuple[Integers, Integers]:
    """Return the rows sorted by their distinct record, and where each of those begins."""
    order = np.argsort(records.which, kind="stable")
    return order, np.concatenate(([0], np.cumsum(records.counts)[:-1]))


def _rows_of(taken: Integers, members: tuple[Integers, Integers]) -> Integers:
    """Return a row for every distinct record that was taken: of equal ones the lowest first."""
    order, begins = members
    by = np.argsort(taken, kind="stable")
    sorted_ = taken[by]
    new = np.concatenate(([True], sorted_[1:] != sorted_[:-1]))
    starts = np.flatnonzero(new)
    turn = np.arange(taken.size) - np.repeat(starts, np.diff(np.append(starts, taken.size)))
    rows = np.empty(taken.size, dtype=np.int64)
    rows[by] = order[begins[sorted_] + turn]
    return rows
