"""What the parts share: the adult table, whole, sampled or blanked, and what methods lose of it."""

from __future__ import annotations

import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.measures.generalization import loss_rate
from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.assign import with_roles
from shoal.table.encode_nodes import code
from shoal.table.read import read
from shoal.table.roles import Role

REPOSITORY = Path(__file__).parents[2]
sys.path.append(str(REPOSITORY / "benchmarks"))  # for `telling`, which others have too
from reference import NAMES, adult, trees  # noqa: E402

WIDTH = len(NAMES)


class Data(NamedTuple):
    """Which records and cells: so many random records, so great a share of missing cells."""

    records: int | None = None  # None: all
    missing: float | None = None  # None: as they are
    draw: int = 0  # another one draws other records and cells


ALL = Data()


class Loss(NamedTuple):
    """ILossRate in percent, and the part of it that is deleted records."""

    total: float
    deleted: float


def sampled(table, records, draw):
    """Return some random records; a larger sample holds the smaller ones of the same draw."""
    return table.take(np.random.default_rng(draw).permutation(table.rows)[:records])


def blanked(table, share, draw):
    """Return the quasi-identifiers with random cells blanked until a share of them is missing.

    A greater share blanks the cells of a smaller one too.
    """
    values = [table[name].values for name in NAMES]
    missing = np.stack([np.asarray(column.is_null()) for column in values])
    present = np.random.default_rng(draw).permutation(np.flatnonzero(~missing))
    missing.flat[present[: round(share * missing.size) - int(missing.sum())]] = True
    return read(
        pa.table(
            {
                name: pc.if_else(pa.array(absent), None, column)
                for name, column, absent in zip(NAMES, values, missing, strict=True)
            }
        )
    )


def missing_share(table):
    """Return the share of missing cells: the paper's VMR."""
    return sum(table[name].values.null_count for name in NAMES) / (len(NAMES) * table.rows)


@lru_cache(maxsize=8)
def coded(data, width):
    """Return the first few quasi-identifiers as nodes of their trees.

    A sample is coded anew, since KAIM weighs values by their share of the records at hand.
    """
    table = adult()
    if data.records is not None:
        table = sampled(table, data.records, data.draw)
    if data.missing is not None:
        table = blanked(table, data.missing, data.draw)
    names = NAMES[:width]
    table = with_roles(table, dict.fromkeys(names, Role.QUASI_IDENTIFIER))
    return code(table, trees(names))


def incomplete(coded):
    """Return which records miss a cell."""
    return np.any([column.absent for column in coded.columns], axis=0)


def lose(method, k, width=WIDTH, data=ALL, start=None, seed=0):
    """Return what a method loses; k-member deletes incomplete records first, as in the paper."""
    begun = time.perf_counter()
    whole = some = coded(data, width)
    if method == "k-member":
        some = whole.take(np.flatnonzero(~incomplete(whole)))
    gone = whole.rows - some.rows
    labels = solve(Problem(Nodes(some), k, seed, start=start), method, Reporter(None)).labels
    found = Loss(loss_rate(some, labels, gone), 100 * gone / whole.rows)
    name = method if start is None else f"{method}, {start} starts"
    print(
        f"      {whole.rows:>6,} records, |QI| = {width}, k = {k:<2} {name:<20} seed {seed:<2} "
        f"loss {found.total:7.4f} %  {time.perf_counter() - begun:5.1f} s",
        flush=True,
    )
    return found
