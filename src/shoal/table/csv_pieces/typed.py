"""Cells of csv text, kept as they stood, read as columns of a Table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.errors import InputError
from shoal.table.csv_text.cells import Cells
from shoal.table.csv_text.decide import column_of, decide, doubt_of, misfit
from shoal.table.csv_text.facts import look
from shoal.table.dialects.notation import has_thousands
from shoal.table.read import notations_of
from shoal.table.roles import Column, Kind
from shoal.table.source import Source
from shoal.table.table import Table

DECLARED = {Kind.TEXT: "text", Kind.DATE: "date", Kind.DATETIME: "date", Kind.BOOLEAN: "boolean"}


def typed(cells: Mapping[str, Any], source: Source, types: Mapping[str, str]) -> Table:
    """Return the Table of cells by column; those with a type must be of it."""
    columns, grouped = [], set()
    for name, own in cells.items():
        every = Cells(own, source.missing, types.get(name), source.dialect.notation(name))
        try:
            verdict = decide(name, look(every), types.get(name))
        except InputError as error:
            raise InputError(f"{source.name}, {error.marked}") from None
        doubt = doubt_of([every], verdict, source.where)
        if doubt is not None and name in types:
            raise InputError(f"{source.name}, {misfit(name, doubt).marked}")
        if has_thousands(own, every.notation):
            grouped.add(name)
        columns.append(column_of(name, every, verdict, doubt))
    kinds = [(column.name, column.kind) for column in columns]
    notations = notations_of(kinds, grouped, source.dialect)
    return Table(tuple(columns), replace(source, notations=notations))


def types_of(table: Table) -> dict[str, str]:
    """Return the type of every column that has cells, as it is declared."""
    return {column.name: _declared(column) for column in table.columns if _has_cells(column)}


def _declared(column: Column) -> str:
    return DECLARED.get(column.kind, "number")


def _has_cells(column: Column) -> bool:
    return bool(column.values.null_count < len(column.values))
