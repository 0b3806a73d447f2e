"""Counts of a released column, or of pairs of columns, by bins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, shown
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.histogram import edges_of, evenly, is_whole
from shoal.report.places import Places, places_of
from shoal.table.table import Table

MOST = 1_500  # groups that are drawn one by one; of more, the cells of a grid
CELLS = 40  # a side

Axis = dict[str, Any]


def spread(
    released: Table, x: str, y: str, kinds: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return the places that the released cells of two columns share, and how many records each.

    A number is a place, an interval a span with its middle, a text a category; `kinds` are those of
    the originals. Where numbers have too many places, they are the middles of cells of a grid.
    """
    if x == y:
        raise RequestError("name two different columns")
    first, second = (_places(released, name, kinds) for name in (x, y))
    there = (first.at >= 0) & (second.at >= 0)
    if not there.any():
        raise RequestError("no record has both values")
    both = np.stack([first.at[there], second.at[there]], axis=1)
    where, counts = np.unique(both, axis=0, return_counts=True)
    axes = [_axis(one) for one in (first, second)]
    binned = where.shape[0] > MOST and not (first.labels or second.labels)
    if binned:
        middles = np.stack([first.middles[where[:, 0]], second.middles[where[:, 1]]], axis=1)
        cells, counts = _gridded(middles, counts)
        points = [{"x": a, "y": b, "records": n} for (a, b), n in _listed(cells, counts)]
    else:
        points = [
            {**_place(first, i, "x"), **_place(second, j, "y"), "records": n}
            for (i, j), n in _listed(where, counts)
        ]
    return {"x": x, "y": y, "axes": axes, "binned": binned, "points": points}


def shares(released: Table, name: str, kind: str | None) -> dict[str, Any]:
    """Return a released column in counts: of bins that spans are spread over, or of categories."""
    places = _places(released, name, {} if kind is None else {name: kind})
    at = places.at[places.at >= 0]
    if not at.size:
        raise RequestError(f"{shown(name)}: every cell of the release is missing or suppressed")
    counts = np.bincount(at)
    if places.spans is None:
        return {"name": name, "labels": list(places.labels), "counts": counts.tolist()}
    spans = places.spans[: counts.size]
    edges = edges_of(float(spans.min()), float(spans.max()), is_whole(spans))
    records = np.round(evenly(spans, edges) @ counts, 6)  # whatever the order of the rows
    return {"name": name, "dates": places.dates, "edges": edges.tolist(),
            "records": records.tolist()}  # fmt: skip


def _places(released: Table, name: str, kinds: Mapping[str, str] | None) -> Places:
    column = released[name]
    if not column.protected:
        raise RequestError(f"{shown(name)} is released as it is: a chart of it would show records")
    return places_of(column, (kinds or {}).get(name))


def _axis(places: Places) -> Axis:
    spans = places.spans is not None and bool((places.spans[:, 0] < places.spans[:, 1]).any())
    return {"labels": list(places.labels), "dates": places.dates, "spans": spans}


def _place(places: Places, index: int, name: str) -> dict[str, Any]:
    if places.spans is None:
        return {name: places.labels[index]}
    low, high = places.spans[index].tolist()
    point = {name: float(places.middles[index])}
    return {**point, f"{name}_low": low, f"{name}_high": high} if low < high else point


def _listed(where: npt.NDArray[Any], counts: Integers) -> Any:
    return zip(where.tolist(), counts.tolist(), strict=True)


def _gridded(where: Floats, counts: Integers) -> tuple[Floats, Integers]:
    """Return the middles of the cells of a grid that hold records, and how many."""
    low, high = where.min(axis=0), where.max(axis=0)
    width = np.where(high > low, (high - low) / CELLS, 1.0)
    cells = np.minimum((where - low) // width, CELLS - 1).astype(np.int64)
    used, which = np.unique(cells, axis=0, return_inverse=True)
    total = np.bincount(which.ravel(), counts).astype(np.int64)
    return low + (used + 0.5) * width, total
