"""Every family of figures, declared once; and their chunks, combined and finalized."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from shoal.measures.result import FEW, side_by_side
from shoal.report.chunk import Aggregation, Chunk
from shoal.report.figures.cells import CELLS, CONSTANTS
from shoal.report.figures.classes import CLASSES
from shoal.report.figures.distributions import CORRELATIONS, HISTOGRAMS
from shoal.report.figures.losses import LOSSES
from shoal.report.figures.numbers import NUMBERS
from shoal.report.figures.ranges import STABLE, Ranges, ranges_of, widened
from shoal.report.figures.totals import TOTALS
from shoal.table.encode_nodes import Coded

FIGURES: dict[str, Aggregation] = {
    "cells": CELLS,
    "classes": CLASSES,
    "constants": CONSTANTS,
    "correlations": CORRELATIONS,
    "histograms": HISTOGRAMS,
    "losses": LOSSES,
    "numbers": NUMBERS,
    "stable": STABLE,
    "totals": TOTALS,
}


def chunk_figures(chunk: Chunk, ranges: Ranges, threads: int | None = 1) -> dict[str, Any]:
    """Return the partial results of a chunk, as plain values."""
    threads = 1 if chunk.before.rows < FEW else threads
    parts = [
        (name, part)
        for name, family in FIGURES.items()
        for part in (chunk.pairs if family.by_column else [chunk])
    ]
    every = side_by_side(lambda part: FIGURES[part[0]].chunk(part[1], ranges), parts, threads)
    figures: dict[str, Any] = {name: {} for name in FIGURES}
    for (name, part), found in zip(parts, every, strict=True):
        if isinstance(part, Chunk):
            figures[name] = found
        elif found is not None:
            figures[name][part.name] = found
    return figures


def combine(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Return the partial results of two chunks together."""
    return {name: family.combine(one[name], other[name]) for name, family in FIGURES.items()}


def finalize(parts: Iterable[dict[str, Any]], ranges: Ranges) -> dict[str, Any]:
    """Return the figures of all chunks."""
    sums = reduce(combine, parts)
    return {name: family.finalize(sums, ranges) for name, family in FIGURES.items()}


def figures_of(
    chunks: Sequence[Chunk],
    k: int,
    deleted: int,
    known: Coded | None,
    threads: int | None = None,
    suppressed: int = 0,
) -> dict[str, Any]:
    """Return the figures of a release in memory, by both passes; `known` has the counts of values.

    `deleted` records were left out, so many of them `suppressed` within a budget. The figures are
    the same for any number of threads; None are all cores.
    """
    columns = reduce(widened, (ranges_of(chunk, threads) for chunk in chunks))
    recoded = known is not None and any(one.level is not None for one in known.columns)
    ranges = Ranges(
        columns, chunks[0].aggregators, k, deleted, value_counts(known), recoded, suppressed
    )
    return finalize((chunk_figures(chunk, ranges, threads) for chunk in chunks), ranges)


def value_counts(known: Coded | None) -> dict[str, Any]:
    """Return how many records have each value of the columns with trees."""
    return {} if known is None else {one.name: one.values.counts for one in known.columns}
