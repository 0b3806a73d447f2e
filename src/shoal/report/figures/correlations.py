"""Correlations of the complete columns of numbers, before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.report.aggregation import Aggregation
from shoal.report.chunk import Chunk
from shoal.report.figures.ranges import Ranges

Floats = npt.NDArray[np.float64]

SIDES = {"before": "values", "after": "after"}  # and what their ranges are called


def chunk(chunk: Chunk, ranges: Ranges) -> dict[str, Any]:
    """Sum up products of the numbers of complete columns, about the means of all."""
    pairs = [pair for pair in chunk.pairs if pair.name in ranges.complete]
    scales = [ranges.scale(pair.name) for pair in pairs]
    found: dict[str, Any] = {}
    for number, side in enumerate(SIDES if pairs else ()):
        values = np.stack(
            [
                scale.place(pair.cells()[number]) - scale.centers[number]
                for pair, scale in zip(pairs, scales, strict=True)
            ]
        )
        found[side] = {"products": (values @ values.T).tolist(), "sums": values.sum(1).tolist()}
    return found


def finalize(sums: dict[str, Any], ranges: Ranges) -> dict[str, Any]:
    """Return Pearson's correlations; None where a column is constant."""
    names, rows = ranges.complete, sums["cells"]["records"]
    found: dict[str, Any] = {"columns": names, "before": [], "after": []}
    for side, values in SIDES.items() if names else ():
        own = {key: np.array(part) for key, part in sums["correlations"][side].items()}
        about = own["products"] - np.outer(own["sums"], own["sums"]) / rows
        deviations = np.sqrt(np.maximum(np.diagonal(about), 0.0))
        varied = [ranges.varies(name, values) and bool(d > 0) for name, d in
                  zip(names, deviations, strict=True)]  # fmt: skip
        safe = np.where(varied, deviations, 1.0)
        matrix = np.clip(about / safe / safe[:, None], -1.0, 1.0).tolist()
        found[side] = [
            [value if varied[i] and varied[j] else None for j, value in enumerate(row)]
            for i, row in enumerate(matrix)
        ]
    return found


CORRELATIONS = Aggregation(chunk, finalize)
