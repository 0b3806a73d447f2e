"""Records most at risk, and by which of their values: for the screen of whoever has the file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from shoal.kernels.arrays import Flags, Integers
from shoal.measures.disclosure.key import key_of
from shoal.report.risk.result import Risk
from shoal.table.table import Table
from shoal.web.cells import cells

SHOWN = 8  # records
LARGEST = 4  # of sets of values that are looked for
TRIED = 400  # sets of columns that are tried for a record


def riskiest(found: Risk, table: Table) -> dict[str, Any] | None:
    """Return records that are alone and have the highest scores, and which values find each.

    They are for the screen of whoever holds the file, and for nothing else.
    """
    rows = _most_at_risk(found)
    if not rows.size:
        return None
    names = list(found.quasi_identifiers)
    codes = key_of([table[name] for name in names]).codes
    some = table.take(rows)
    shown = [cells(some[name]) for name in names]
    return {
        "names": names,
        "rows": [
            {"cells": [column[at] for column in shown], "found_by": _found_by(codes, int(row)),
             "risk": 100.0 * float(found.table["risk"].values[int(row)].as_py())}
            for at, row in enumerate(rows)
        ],
    }  # fmt: skip


def _most_at_risk(found: Risk) -> Integers:
    """Return the rows of unique records, those with the highest score and risk first."""
    members = np.asarray(found.table["class_size"].values)
    alone: Integers = np.flatnonzero(members == 1)
    order = [-np.asarray(found.table["risk"].values)[alone]]
    if "suda" in found.table.names:
        order.append(-np.asarray(found.table["suda"].values)[alone])
    return alone[np.lexsort(order)][:SHOWN]


def _found_by(codes: Sequence[Integers], row: int) -> list[bool]:
    """Return which columns' values find a record alone: the fewest, the first such set."""
    same: list[Flags] = [column == column[row] for column in codes]
    order = sorted(range(len(same)), key=lambda j: int(np.count_nonzero(same[j])))
    tried = 0
    for size in range(1, min(LARGEST, len(order)) + 1):
        for chosen in combinations(order, size):
            tried += 1
            if tried > TRIED:
                return [True] * len(same)
            if int(np.count_nonzero(np.logical_and.reduce([same[j] for j in chosen]))) == 1:
                return [j in chosen for j in range(len(same))]
    return [True] * len(same)
