"""Distributions of columns that release numbers, in the same bins, and their correlations."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.measures.histogram import Histogram, counted, shown_histogram
from shoal.report.chunk import Aggregation, Chunk, Pair
from shoal.report.figures.ranges import Ranges
from shoal.table.table import days_or_numbers

SIDES = {"before": "values", "after": "after"}  # and what their ranges are called


def histogram_chunk(pair: Pair, ranges: Ranges) -> dict[str, list[int]] | None:
    """Count the kept cells of both sides by bin."""
    edges = ranges.edges(pair.name)
    if edges is None or not pair.is_numbers:
        return None
    before, after = (counted(days_or_numbers(side), edges) for side in pair.cells())
    return {"before": before.tolist(), "after": after.tolist()}


def histogram_finalize(sums: dict[str, Any], ranges: Ranges) -> dict[str, Histogram]:
    """Return what may be shown of both sides' counts."""
    histograms = {}
    for name, own in sums["histograms"].items():
        edges = ranges.edges(name)
        assert edges is not None
        before, after = np.array(own["before"]), np.array(own["after"])
        histograms[name] = shown_histogram(edges, before, after, ranges.k)
    return histograms


HISTOGRAMS = Aggregation(histogram_chunk, histogram_finalize, by_column=True)


def correlation_chunk(chunk: Chunk, ranges: Ranges) -> dict[str, Any]:
    """Sum up products of the numbers of complete columns, about the means of all."""
    pairs = [pair for pair in chunk.pairs if pair.name in ranges.complete]
    scales = [ranges.scale(pair.name) for pair in pairs]
    sums: dict[str, Any] = {}
    for number, side in enumerate(SIDES if pairs else ()):
        values = np.stack(
            [
                scale.place(pair.cells()[number]) - scale.centers[number]
                for pair, scale in zip(pairs, scales, strict=True)
            ]
        )
        sums[side] = {"products": (values @ values.T).tolist(), "sums": values.sum(1).tolist()}
    return sums


def correlation_finalize(sums: dict[str, Any], ranges: Ranges) -> dict[str, Any]:
    """Return Pearson's correlations; None where a column is constant."""
    names, rows = ranges.complete, sums["cells"]["records"]
    correlations: dict[str, Any] = {"columns": names, "before": [], "after": []}
    for side, values in SIDES.items() if names else ():
        own = {key: np.array(part) for key, part in sums["correlations"][side].items()}
        about = own["products"] - np.outer(own["sums"], own["sums"]) / rows
        deviations = np.sqrt(np.maximum(np.diagonal(about), 0.0))
        varied = [ranges.varies(name, values) and bool(d > 0) for name, d in
                  zip(names, deviations, strict=True)]  # fmt: skip
        safe = np.where(varied, deviations, 1.0)
        matrix = np.clip(about / safe / safe[:, None], -1.0, 1.0).tolist()
        correlations[side] = [
            [value if varied[i] and varied[j] else None for j, value in enumerate(row)]
            for i, row in enumerate(matrix)
        ]
    return correlations


CORRELATIONS = Aggregation(correlation_chunk, correlation_finalize)
