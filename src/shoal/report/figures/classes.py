"""Groups: how many, of which sizes, how many of equal records, and how far from their points."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.measures.loss import percent, squared_error
from shoal.report.chunk import Aggregation, Chunk
from shoal.report.figures.ranges import Ranges


def chunk(chunk: Chunk, _: Ranges) -> dict[str, Any]:
    """Count groups by size; sum up squared distances of points, where there are some."""
    sizes = np.bincount(chunk.labels)
    order = np.argsort(chunk.labels, kind="stable")
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    varied = np.zeros(sizes.size, dtype=bool)
    for pair in chunk.pairs:
        filled = pair.before.values.dictionary_encode(null_encoding="encode").indices
        codes = np.asarray(filled)[order]
        varied |= np.maximum.reduceat(codes, starts) > np.minimum.reduceat(codes, starts)
    different, counts = np.unique(sizes, return_counts=True)
    sums: dict[str, Any] = {
        "without_spread": int(np.count_nonzero(~varied)),
        "sizes": {str(s): int(c) for s, c in zip(different, counts, strict=True)},
    }
    points = chunk.points
    if points is not None:
        sums["error"] = float(squared_error(points, chunk.labels).sum())
        sums["points"] = points.sum(axis=0).tolist()
        sums["squares"] = float((points * points).sum())
    return sums


def finalize(sums: dict[str, Any], _: Ranges) -> dict[str, Any]:
    """Return the groups, and IL = 100 SSE / SST of the points, which lie around 0."""
    own = sums["classes"]
    sizes = sorted((int(size), count) for size, count in own["sizes"].items())
    groups = {
        "count": sum(count for _, count in sizes),
        "smallest": sizes[0][0],
        "largest": sizes[-1][0],
        "without_spread": own["without_spread"],
        "sizes": {str(size): count for size, count in sizes},
    }
    if "error" not in own:
        return {"groups": groups}
    about = sum(total * total for total in own["points"]) / sums["cells"]["records"]
    return {"groups": groups, "loss": percent(own["error"], own["squares"] - about)}


CLASSES = Aggregation(chunk, finalize)
