"""Columns with one value in the whole release, and which of them had several before."""

from __future__ import annotations

import hashlib
from typing import Any

from shoal.report.aggregation import Aggregation
from shoal.report.chunk import Chunk
from shoal.report.figures.ranges import Ranges
from shoal.table.roles import Column, Kind

SEVERAL = 2  # values that show a column to vary


def chunk(chunk: Chunk, _: Ranges) -> dict[str, Any]:
    """Return hashes of two different values of each side; of the original where one is released."""
    found = {}
    for pair in chunk.pairs:
        after = _some_values(pair.after)
        varies = len(after) >= SEVERAL
        found[pair.name] = {"after": after, "before": [] if varies else _some_values(pair.before)}
    return found


def _some_values(column: Column) -> list[str]:
    cells = column.values.cast("double") if column.kind is Kind.FLOAT else column.values
    values = cells.unique().slice(0, SEVERAL).to_pylist()
    return sorted(hashlib.sha256(str(value).encode()).hexdigest() for value in values)


def combine(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return two different values of both, if there are."""
    return {
        name: {side: sorted({*own[side], *other[name][side]})[:SEVERAL] for side in own}
        for name, own in one.items()
    }


def finalize(sums: dict[str, Any], _: Ranges) -> dict[str, list[str]]:
    """Return the names of columns that are constant, and of those that were made so."""
    own = sums["constants"]
    constant = [name for name, one in own.items() if len(one["after"]) < SEVERAL]
    made = [name for name in constant if len(own[name]["before"]) >= SEVERAL]
    return {"constant": constant, "made_constant": made}


CONSTANTS = Aggregation(chunk, finalize, combine)
