"""Integers that may be codes of categories, such as occupations 1 to 6."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import attrgetter

from shoal.errors import shown
from shoal.hints import option
from shoal.table.roles import Column, Kind
from shoal.table.table import Table

FEWEST, MOST = 3, 30  # different numbers: two release their majority, many are amounts
OFTEN = 10  # records that each of them has on average, at least

Different = Callable[[Column], int]


def may_be_codes(column: Column, different: int, rows: int) -> bool:
    """Tell whether a column holds few different whole numbers, each in many records."""
    few = FEWEST <= different <= MOST and different * OFTEN <= rows
    return column.kind is Kind.INTEGER and few


def advice(name: str, source: str) -> str:
    """Return the option that makes categories of a column of numbers; `source` is its kind."""
    if source == "csv":
        return option("types", {name: "text"})
    return option("aggregate", {name: "mode"})


def integer_code_notes(
    table: Table, names: Sequence[str], rows: int, different: Different = attrgetter("different")
) -> list[str]:
    """Return notes on columns that release means and may hold codes."""
    notes = []
    for name in names:
        many = different(table[name])
        if may_be_codes(table[name], many, rows):
            notes.append(
                f"{shown(name)} holds {many} different whole numbers, and means of them are "
                f"released: if they are codes, say {advice(name, table.source.kind)}"
            )
    return notes


def question(column: Column, different: int, rows: int, source: str) -> str | None:
    """Return what to ask of a column before a run; None where there is nothing to ask."""
    if not may_be_codes(column, different, rows):
        return None
    return (
        f"only {different} different whole numbers: a run averages them; if they are codes, say "
        f"{advice(column.name, source)}"
    )
