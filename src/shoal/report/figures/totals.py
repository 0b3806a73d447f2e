"""Totals of columns before and after, by survey weights where there are some."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from shoal.kernels.arrays import Floats
from shoal.kernels.exact_sum import as_float, whole_sum
from shoal.measures.loss import percent
from shoal.report.chunk import Aggregation, Chunk
from shoal.report.figures.ranges import Ranges
from shoal.table.roles import Column, Role
from shoal.table.table import as_floats


def chunk(chunk: Chunk, _: Ranges) -> dict[str, Any]:
    """Sum up columns that release means, and kept columns of numbers.

    Nothing where weights are not released, as nobody can compute a total then, or where it is not
    known what kept columns were.
    """
    if chunk.originals is None or (chunk.weights is not None and chunk.released_weights is None):
        return {}
    averaged = [(pair.before, pair.after) for pair in chunk.pairs if pair.aggregator == "mean"]
    kept = [
        (chunk.originals[c.name], c) for c in chunk.after.columns
        if c.role in (Role.OTHER, Role.SENSITIVE) and c.kind.is_number and not c.protected
        and (chunk.weights is not None or c.rounded)
    ]  # fmt: skip
    return {
        "mean": {before.name: _sums(before, after, chunk) for before, after in averaged},
        "kept": {before.name: _sums(before, after, chunk) for before, after in kept},
    }


def _sums(before: Column, after: Column, chunk: Chunk) -> dict[str, int]:
    """Return the exact totals of a column; `other` counts cells that are not the weights."""
    if not (before.kind.is_number and after.kind.is_number) or before.missing or after.missing:
        return {"gone": 1}
    was, now = as_floats(before), as_floats(after)
    other = was.size if chunk.weights is None else int(np.count_nonzero(now != chunk.weights))
    with np.errstate(over="ignore"):
        parts = {
            "before": _weighted(was, chunk.weights),
            "after": _weighted(now, chunk.released_weights),
            "size": _weighted(np.abs(was), chunk.weights),
        }
    if not all(np.isfinite(part).all() for part in parts.values()):
        return {"gone": 1}
    return {"gone": 0, "other": other} | {key: whole_sum(part) for key, part in parts.items()}


def _weighted(values: Floats, weights: Floats | None) -> Floats:
    return values if weights is None else values * weights


def finalize(sums: dict[str, Any], _: Ranges) -> list[dict[str, Any]]:
    """Return the totals of columns of which no cell is missing, and how far they drifted.

    Those of means, then those of kept columns that rounding or released weights changed; the
    weights themselves have none.
    """
    totals = []
    for kind, columns in sums["totals"].items():
        for name, own in columns.items():
            if own["gone"] or (kind == "kept" and not own["other"]):
                continue
            was, now, size = (as_float(own[key]) for key in ("before", "after", "size"))
            if not (math.isfinite(was) and math.isfinite(now)):
                continue
            drift = percent(now - was, size)
            total = {"column": name, "before": was, "after": now, "drift_percent": drift}
            totals.append(total | ({"kept": True} if kind == "kept" else {}))
    return totals


TOTALS = Aggregation(chunk, finalize)
