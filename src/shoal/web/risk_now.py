"""Risk of a file as it is: records alone, or among fewer than k, by sets of quasi-identifiers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.plan.plan import once_read
from shoal.settings import Settings, build
from shoal.table.roles import Kind
from shoal.table.table import Table
from shoal.web.messages import ProgressWriter
from shoal.web.tables import some_table

Integers = npt.NDArray[np.int64]

CELLS = 30_000_000  # records times sets of columns that are counted at most
LISTED = 8  # sets of each size that are shown


def risk(request: Mapping[str, Any], place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """Count how many records the quasi-identifiers single out before anything is protected."""
    settings = once_read(build(request["settings"]))
    table, records = some_table(Path(request["path"]), request["settings"].get("input", {}), place)
    return {"records": records, **risk_now(table, quasi_identifiers(settings), settings.protect.k)}


def quasi_identifiers(settings: Settings) -> list[str]:
    """Return the columns that could be looked up elsewhere, strata among them."""
    return list(dict.fromkeys([*settings.roles.quasi_identifiers, *settings.roles.by]))


def risk_now(table: Table, names: Sequence[str], k: int) -> dict[str, Any]:
    """Return the risk of a table by all of these columns, by each, by pairs, and without each.

    Alone is a record whose combination of values nobody else has (a sample unique: Samarati and
    Sweeney 1998); `below` counts the records that share theirs with fewer than k - 1 others. A
    missing cell is a value of its own, as in the judge's count.
    """
    there = [name for name in names if name in table.names]  # not what steps will make
    codes = {name: _codes(table, name) for name in there if table[name].kind is not Kind.UNKNOWN}
    every = tuple(codes)
    room = max(1, CELLS // max(table.rows, 1))
    sets = [every, *combinations(every, 1)]
    without = [tuple(one for one in every if one != left) for left in every]
    sets += without if len(every) > 2 else []
    sets += combinations(every, 2) if len(every) > 2 else []
    found = {
        columns: _counted([codes[one] for one in columns], table.rows, k)
        for columns in dict.fromkeys(sets[:room])
        if columns
    }
    told: list[dict[str, Any]] = [
        {"columns": list(columns), **counts} for columns, counts in found.items()
    ]
    return {
        "seen": table.rows,
        "k": k,
        "columns": list(every),
        "all": next((one for one in told if len(one["columns"]) == len(every)), None),
        "each": [one for one in told if len(one["columns"]) == 1],
        "pairs": sorted(
            (one for one in told if len(one["columns"]) == 2 < len(every)),
            key=lambda one: (-one["alone"], -one["below"]),
        )[:LISTED],
        "without": [
            {"column": left, **found[rest]}
            for left, rest in zip(every, without, strict=True)
            if len(every) > 2 and rest in found
        ],
    }


def _codes(table: Table, name: str) -> Integers:
    """Return a column as small numbers, equal where its cells are; missing cells are one value."""
    encoded = table[name].values.dictionary_encode(null_encoding="encode")
    indices: Integers = encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
    return indices


def _counted(codes: Sequence[Integers], rows: int, k: int) -> dict[str, int]:
    """Return the number of classes, and how many records are alone or among fewer than k."""
    classes = np.zeros(rows, dtype=np.int64)
    for one in codes:
        paired = classes * (int(one.max(initial=0)) + 1) + one
        classes = np.unique(paired, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(classes, minlength=1)
    return {
        "classes": int(np.count_nonzero(sizes)),
        "alone": int(np.count_nonzero(sizes == 1)),
        "below": int(sizes[sizes < k].sum()),
    }
