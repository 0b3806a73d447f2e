"""What became of cells: kept, changed, suppressed, missing; which columns became constant."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.report.chunk import Aggregation, Chunk, Pair, left_out_text, missing_text
from shoal.report.figures.ranges import Ranges
from shoal.table.roles import Column, Kind

SEVERAL = 2  # values that show a column to vary


def chunk(chunk: Chunk, _: Ranges) -> dict[str, Any]:
    """Count cells by column, and records with a missing cell, or with stars alone."""
    return {
        "records": chunk.before.rows,
        "incomplete": int(np.logical_or.reduce([~pair.there for pair in chunk.pairs]).sum()),
        "nothing": int(np.logical_and.reduce([pair.stars for pair in chunk.pairs]).sum()),
        "beside": sum(_beside_missing(pair, chunk.labels) for pair in chunk.pairs),
        "columns": {pair.name: _counts(pair) for pair in chunk.pairs},
    }


def _counts(pair: Pair) -> dict[str, int]:
    flags = {
        "unchanged": pair.same,
        "generalized": pair.kept & ~pair.same,
        "suppressed": pair.there & pair.stars,
        "missing": ~pair.there,
        "filled": ~pair.there & ~pair.stars,
    }
    return {name: int(np.count_nonzero(cells)) for name, cells in flags.items()}


def _beside_missing(pair: Pair, labels: Integers) -> int:
    """Return how many cells are suppressed in a group in which they are missing for others."""
    holed = np.bincount(labels, weights=~pair.there) > 0
    return int(np.count_nonzero(pair.there & pair.stars & holed[labels]))


def finalize(sums: dict[str, Any], ranges: Ranges) -> dict[str, Any]:
    """Return the counts by column, and a text on missing cells."""
    own = sums["cells"]
    return {
        "records": own["records"],
        "deleted": ranges.deleted,
        "columns": own["columns"],
        "missing": missing_text(
            cells=sum(one["missing"] for one in own["columns"].values()),
            records=own["incomplete"],
            filled=sum(one["filled"] for one in own["columns"].values()),
            suppressed=sum(one["suppressed"] for one in own["columns"].values()),
            starred=own["beside"],
            nothing=own["nothing"],
            left_out=left_out_text(ranges.deleted, ranges.suppressed, recoded=ranges.recoded),
            deleted=ranges.deleted,
            recoded=ranges.recoded,
        ),
    }


CELLS = Aggregation(chunk, finalize)


def constant_chunk(pair: Pair, _: Ranges) -> dict[str, list[str]]:
    """Return hashes of two different values of each side; of the original where one is released."""
    after = _some_values(pair.after)
    return {"after": after, "before": [] if len(after) >= SEVERAL else _some_values(pair.before)}


def _some_values(column: Column) -> list[str]:
    cells = column.values.cast("double") if column.kind is Kind.FLOAT else column.values
    values = cells.unique().slice(0, SEVERAL).to_pylist()
    return sorted(hashlib.sha256(str(value).encode()).hexdigest() for value in values)


def constant_combine(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return two different values of both, if there are."""
    return {
        name: {side: sorted({*own[side], *other[name][side]})[:SEVERAL] for side in own}
        for name, own in one.items()
    }


def constant_finalize(sums: dict[str, Any], _: Ranges) -> dict[str, list[str]]:
    """Return the names of columns that are constant, and of those that were made so."""
    own = sums["constants"]
    constant = [name for name, one in own.items() if len(one["after"]) < SEVERAL]
    made = [name for name in constant if len(own[name]["before"]) >= SEVERAL]
    return {"constant": constant, "made_constant": made}


CONSTANTS = Aggregation(constant_chunk, constant_finalize, constant_combine, by_column=True)
