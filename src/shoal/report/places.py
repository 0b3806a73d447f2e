"""Released cells of a column as numbers, intervals or categories."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.cell_texts import span
from shoal.table.hierarchy.listed import FAR
from shoal.table.hierarchy.values import Axis
from shoal.table.roles import STAR, Column
from shoal.table.table import as_floats, missing_cells, some_rows
from shoal.table.texts import texts_of

DATES = "date", "datetime"
NUMBERS = "integer", "float", "number", *DATES
SHOWN = 30  # categories; rarer ones are shown as one
REST = "all others"


@dataclass(frozen=True)
class Places:
    """The distinct released values of a column: `at` says of each record which, -1 for a missing.

    Values are `spans` (least, greatest; equal for a number), or `labels` where they are categories.
    """

    name: str
    at: Integers
    spans: Floats | None = None
    labels: tuple[str, ...] = ()
    dates: bool = False

    @property
    def middles(self) -> Floats:
        """The middles of the spans."""
        assert self.spans is not None
        middle: Floats = self.spans[:, 0] / 2 + self.spans[:, 1] / 2
        return middle


def places_of(column: Column, kind: str | None = None) -> Places:
    """Return where the released cells of a column lie; `kind` is what its originals were."""
    there = ~missing_cells(column)
    at = np.full(there.size, -1, dtype=np.int64)
    kind = kind or column.kind_name
    if column.has_places and not column.is_ordinal:
        numbers, own = np.unique(as_floats(some_rows(column, there)), return_inverse=True)
        at[there] = own
        return Places(column.name, at, np.stack([numbers] * 2, axis=1), dates=kind in DATES)
    encoded = column.values.dictionary_encode()
    texts = [str(text) for text in texts_of(column, encoded.dictionary)]
    at[there] = encoded.indices.drop_null().to_numpy(zero_copy_only=False)
    known = np.array([text != STAR for text in texts], dtype=bool)
    at[there] = np.where(known[at[there]], at[there], -1) if known.size else -1
    spans = _spans(texts, kind) if kind in NUMBERS else None
    if spans is not None:
        return Places(column.name, at, spans, dates=kind in DATES)
    return _categories(column.name, at, texts)


def _spans(texts: list[str], kind: str) -> Floats | None:
    """Return what texts span; an open end is the outermost that is known. None: no spans."""
    axis = Axis(kind)
    spans = [None if text == STAR else span(text, axis, {}) for text in texts]
    if any(one is None and text != STAR for one, text in zip(spans, texts, strict=True)):
        return None
    ends = [end for one in spans if one is not None for end in one[:2] if abs(end) < FAR]
    if not ends:
        return None
    low, high = min(ends), max(ends)
    pairs = [(low, high) if one is None else (max(one[0], low), min(one[1], high)) for one in spans]
    return np.array([[float(a), float(b)] for a, b in pairs], dtype=np.float64)


def _categories(name: str, at: Integers, texts: list[str]) -> Places:
    """Return the most frequent texts, and all rarer ones as one."""
    counts = np.bincount(at[at >= 0], minlength=len(texts))
    used = [int(i) for i in np.flatnonzero(counts)]
    order = sorted(used, key=lambda i: (-counts[i], texts[i]))
    most = SHOWN if len(order) <= SHOWN else SHOWN - 1
    labels = [texts[i] for i in order[:most]] + ([REST] if len(order) > most else [])
    where = np.full(len(texts) + 1, len(labels) - 1, dtype=np.int64)
    where[order[:most]] = np.arange(min(most, len(order)))
    where[-1] = -1  # of what is missing
    return Places(name, where[at], labels=tuple(labels))
