"""Distributions of columns that release numbers, before and after, in the same bins."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.measures.histogram import Histogram, counted, shown_histogram
from shoal.release.counts import days_or_numbers
from shoal.report.aggregation import Aggregation
from shoal.report.chunk import Chunk
from shoal.report.figures.ranges import Ranges


def chunk(chunk: Chunk, ranges: Ranges) -> dict[str, Any]:
    """Count the kept cells of both sides by bin."""
    found = {}
    for pair in chunk.pairs:
        edges = ranges.edges(pair.name)
        if edges is not None and pair.is_numbers:
            before, after = (counted(days_or_numbers(side), edges) for side in pair.cells())
            found[pair.name] = {"before": before.tolist(), "after": after.tolist()}
    return found


def finalize(sums: dict[str, Any], ranges: Ranges) -> dict[str, Histogram]:
    """Return what may be shown of both sides' counts."""
    found = {}
    for name, own in sums["histograms"].items():
        edges = ranges.edges(name)
        assert edges is not None
        before, after = np.array(own["before"]), np.array(own["after"])
        found[name] = shown_histogram(edges, before, after, ranges.k)
    return found


HISTOGRAMS = Aggregation(chunk, finalize)
