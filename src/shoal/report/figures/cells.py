"""What became of cells: kept, changed, suppressed, missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.release.counts import missing_said
from shoal.report.aggregation import Aggregation
from shoal.report.chunk import Chunk, Pair
from shoal.report.figures.ranges import Ranges

Integers = npt.NDArray[np.int64]


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
    }
    return {name: int(np.count_nonzero(cells)) for name, cells in flags.items()}


def _beside_missing(pair: Pair, labels: Integers) -> int:
    """Return how many cells are in a group in which the column is missing for others."""
    holed = np.bincount(labels, weights=~pair.there) > 0
    return int(np.count_nonzero(pair.there & holed[labels]))


def finalize(sums: dict[str, Any], ranges: Ranges) -> dict[str, Any]:
    """Return the counts by column, and what is to be said of missing cells."""
    own = sums["cells"]
    return {
        "records": own["records"],
        "deleted": ranges.deleted,
        "columns": own["columns"],
        "missing": missing_said(
            cells=sum(one["missing"] for one in own["columns"].values()),
            records=own["incomplete"],
            suppressed=sum(one["suppressed"] for one in own["columns"].values()),
            starred=own["beside"],
            nothing=own["nothing"],
            deleted=ranges.deleted,
        ),
    }


CELLS = Aggregation(chunk, finalize)
