"""Risk of a file as it is, for the page: figures, columns, sets of them, and who is at risk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from shoal.kernels.arrays import Flags, Integers
from shoal.measures.disclosure.figures import ColumnRisk, SetRisk
from shoal.measures.disclosure.key import key_of
from shoal.pipeline.plan.plan import once_read
from shoal.pipeline.risk import risk as risk_of
from shoal.report.risk.result import Risk
from shoal.settings import Settings, build
from shoal.table.roles import Kind
from shoal.table.table import Table
from shoal.web.charts import cells
from shoal.web.held import held_table
from shoal.web.jobs import ProgressWriter

SHOWN = 8  # records
LARGEST = 4  # of sets of values that are looked for
TRIED = 400  # sets of columns that are tried for a record
LISTED = 5  # sets of each size that are shown
SIZES = 3  # of sets that are shown, at most
MANY = 100_000  # records, beyond which larger sets are not visited


def risk(request: Mapping[str, Any], place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """Tell how risky the file is before anything is protected."""
    settings = once_read(build(request["settings"]))
    table, records = held_table(request, place)
    return {"records": records, **risk_now(table, settings, request.get("fraction"))}


def quasi_identifiers(settings: Settings) -> list[str]:
    """Return the columns that could be looked up elsewhere, strata among them."""
    return list(dict.fromkeys([*settings.roles.quasi_identifiers, *settings.roles.by]))


def risk_now(table: Table, settings: Settings, fraction: float | None = None) -> dict[str, Any]:
    """Return the risk of a table by its quasi-identifiers, as `shoal.risk` tells it.

    `fraction` is the share of the population that is in the file, where there are no weights. A
    missing cell is a value of its own, as in the judge's count.
    """
    roles, k = settings.roles, settings.protect.k
    apart = (roles.weight, roles.household)
    names = [name for name in _there(table, quasi_identifiers(settings)) if name not in apart]
    if not names:
        return {"seen": table.rows, "k": k, "columns": [], "all": None}
    found = risk_of(
        table,
        quasi_identifiers=names,
        weight=roles.weight,
        household=roles.household,
        sampling_fraction=None if roles.weight else fraction,
        k=k,
        size=SIZES if table.rows > MANY else None,
        hierarchies={name: rule for name, rule in settings.hierarchies.items() if name in names},
        seed=settings.protect.seed or 0,
    )
    told = _told(found, table)
    told["same"] = alike(table, names, roles.sensitive) if told["all"]["smallest"] > 1 else []
    return {"seen": table.rows, "k": k, "columns": names, **told}


def alike(table: Table, names: Sequence[str], sensitive: Sequence[str]) -> list[dict[str, Any]]:
    """Return how many records share each sensitive value with all who match them, by column."""
    classes = key_of([table[name] for name in names]).classes()
    count, found = int(classes.max()) + 1, []
    for name in _there(table, sensitive):
        codes = key_of([table[name]]).codes[0]
        first = np.zeros(count, dtype=np.int64)
        first[classes] = codes  # any one of the class
        mixed = np.bincount(classes, codes != first[classes], count) > 0
        found.append({"column": name, "records": int((~mixed)[classes].sum())})
    return found


def _there(table: Table, names: Sequence[str]) -> list[str]:
    """Return the columns that can be counted now: not what steps will make of others."""
    return [name for name in names if name in table.names and table[name].kind is not Kind.UNKNOWN]


def alone_and_below(table: Table, names: Sequence[str], k: int) -> dict[str, int]:
    """Return how many records are alone by columns, or among fewer than k."""
    columns = [table[name] for name in _there(table, names)]
    if not columns:
        return {"alone": 0, "below": 0}
    sizes = np.bincount(key_of(columns).classes())
    return {"alone": int((sizes == 1).sum()), "below": int(sizes[sizes < k].sum())}


def _told(found: Risk, table: Table) -> dict[str, Any]:
    """Return a risk as the page shows it."""
    names = list(found.quasi_identifiers)
    members = np.asarray(found.table["class_size"].values)
    smallest = None
    if "smallest_set" in found.table.names:
        sizes = np.bincount(np.asarray(found.table["smallest_set"].values), minlength=1)
        smallest = [int(number) for number in sizes[1:]]
    sets = [one for one in found.sets if 1 < len(one.columns) <= SIZES and len(names) > 2]
    return {
        "all": {
            "columns": names,
            "alone": int((members == 1).sum()),
            "below": int((members < found.k).sum()),
            "smallest": int(members.min()),
        },
        "figures": [
            {"key": one.key, "value": one.value, "unit": one.words.unit, "rest": one.rest,
             "sentence": one.sentence}
            for one in found.figures.values()
        ],
        "by_column": [_column(one) for one in found.columns],
        "sets": [_set(one) for size in range(2, SIZES + 1)
                 for one in _most(sets, size)],
        "counted": found.sampled or found.rows,
        "smallest": smallest,
        "riskiest": riskiest(found, table),
        "threshold": found.threshold,
        "notes": list(found.notes),
    }  # fmt: skip


def _most(sets: Sequence[SetRisk], size: int) -> list[SetRisk]:
    """Return the sets of a size that make most records unique."""
    own = [one for one in sets if len(one.columns) == size and one.unique]
    return sorted(own, key=lambda one: (-one.unique, -one.below))[:LISTED]


def _set(one: SetRisk) -> dict[str, Any]:
    return {"columns": list(one.columns), "alone": one.unique, "below": one.below}


def _column(one: ColumnRisk) -> dict[str, Any]:
    """Return what a column does: alone, left out, and one level coarser."""
    up = one.coarser
    return {
        "name": one.name,
        "distinct": one.distinct,
        "alone": one.unique,
        "without": one.unique_without,
        "below_without": one.below_without,
        "share": one.share,
        "coarser": None if up is None else {
            "rule": up.hierarchy, "distinct": up.distinct, "alone": up.unique, "below": up.below,
        },
    }  # fmt: skip


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
