"""A finding made small: fewer options, columns, records and signs, while the same oracle speaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from fuzz.cases import Case, Column

SECONDS = 60.0
KEPT = {"k", "effort", "threads"}
ROLES = ("quasi_identifiers", "sensitive", "other", "identifiers", "drop", "by", "keep_unique")


def shrink(case: Case, fails: Callable[[Case], bool], seconds: float = SECONDS) -> Case:
    """Return the smallest case found that still fails, within some seconds."""
    end = time.monotonic() + seconds
    smaller = True
    while smaller and time.monotonic() < end:
        smaller = False
        for other in _smaller(case):
            if time.monotonic() > end:
                break
            if fails(other):
                case, smaller = other, True
                break
    return case


def _smaller(case: Case) -> Iterator[Case]:
    """Cases that are a little smaller, those that save most first."""
    yield from _fewer_rows(case)
    yield from _fewer_columns(case)
    yield from _fewer_options(case)
    yield from _plainer(case)


def _fewer_rows(case: Case) -> Iterator[Case]:
    size = (case.rows + 1) // 2
    while size:
        for start in range(0, case.rows, size):
            rows = [row for row in range(case.rows) if not start <= row < start + size]
            yield case.only_rows(rows)
        size = size // 2 if size > 1 else 0


def _fewer_columns(case: Case) -> Iterator[Case]:
    for column in case.columns:
        columns = tuple(one for one in case.columns if one is not column)
        yield case.replace(columns=columns, options=_without(case.options, column.name))


def _without(options: dict[str, Any], name: str) -> dict[str, Any]:
    """Return options that do not name a column."""
    found = {}
    for option, value in options.items():
        if option in ROLES and isinstance(value, list):
            rest = [one for one in value if one != name]
            if rest:
                found[option] = rest
        elif isinstance(value, dict):
            rest_of = {key: one for key, one in value.items() if key != name}
            if rest_of or not value:
                found[option] = rest_of
        elif value != name:
            found[option] = value
    return found


def _fewer_options(case: Case) -> Iterator[Case]:
    for name in case.options:
        if name not in KEPT:
            yield case.replace(options={n: v for n, v in case.options.items() if n != name})


def _plainer(case: Case) -> Iterator[Case]:
    for source in ("arrow", "csv"):
        if case.source not in ("arrow", "csv"):
            yield case.replace(source=source)
    for place, column in enumerate(case.columns):
        for other in _plainer_cells(column):
            columns = (*case.columns[:place], other, *case.columns[place + 1 :])
            yield case.replace(columns=columns)


def _plainer_cells(column: Column) -> Iterator[Column]:
    words = list(dict.fromkeys(cell for cell in column.cells if cell is not None))
    if None in column.cells and words:
        yield replace(column, cells=tuple(words[0] if c is None else c for c in column.cells))
    for word in words[1:]:
        yield replace(column, cells=tuple(words[0] if c == word else c for c in column.cells))
