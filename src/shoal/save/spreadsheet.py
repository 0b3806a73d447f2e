"""Protection against formulas in spreadsheets.

A cell that begins with one of these signs is run by spreadsheet programs as it is opened
(CWE-1236). An apostrophe before it makes it a text. Numbers stay what they are, also -5 in a column
of texts; so does a lone sign. A text that begins with apostrophes before such a sign gets one more,
so that no two texts become one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from shoal.errors import RequestError, listed
from shoal.release.dialects import IN_PLAIN, is_usual, plain_table, written_as
from shoal.table.roles import Column, Kind
from shoal.table.source import Source
from shoal.table.table import Table

if TYPE_CHECKING:
    from shoal.report.report import Report
    from shoal.save.release import Release
    from shoal.settings import Settings

FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠].", re.DOTALL)  # also of full width
NUMBER = re.compile(r"[+-]?(\d[\d.,]*|[.,]\d+)([eE][+-]?\d+)?%?")


def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet could run a cell of this text."""
    return FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None


def as_text(text: str) -> str:
    """Return a cell's text as no spreadsheet runs it."""
    return f"'{text}" if is_formula(text) else text


def formulas_in(names: Iterable[str]) -> list[str]:
    """Return the names that a spreadsheet would run as headers."""
    return [name for name in names if is_formula(name)]


def guarded_table(table: Table) -> Table:
    """Return a table whose texts no spreadsheet runs; a column's name that it would is refused."""
    risky = formulas_in(table.names)
    if risky:
        raise RequestError(
            f"a spreadsheet would run the header of {listed(risky)} as a formula; rename or drop "
            "such a column, or leave out --spreadsheet-safe"
        )
    return table.mapped(_guarded)


def _guarded(column: Column) -> Column:
    if column.kind is not Kind.TEXT:
        return column
    cells = column.cells if column.cells is None else _mapped(column.cells)
    return column.replace(values=_mapped(column.values), cells=cells)


def _mapped(values: Any) -> Any:
    """Return texts with an apostrophe where one is needed; the same object where none is."""
    import pyarrow as pa

    encoded = values.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary.to_pylist()
    changed = [as_text(text) for text in texts]
    if changed == texts:
        return values
    return pa.array(changed, type=encoded.dictionary.type).take(encoded.indices)


@dataclass(frozen=True)
class Guarded:
    """A release whose texts no spreadsheet runs."""

    table: Table
    report: Report
    settings: Settings


def with_text(report: Report, source: Source, kind: str) -> Report:
    """Return a report that says how a csv release is written, where the file does not show it."""
    if kind == "parquet" or is_usual(source):
        return report
    return replace(report, release={**report.release, "text": written_as(source)})


def guarded(release: Release, kind: str, wanted: bool | None = None) -> Release:
    """Return a release as it is written: csv with guarded texts, where that is wanted."""
    settings = release.settings
    if wanted is not None and wanted != settings.release.spreadsheet_safe:
        settings = settings.replace(release={"spreadsheet_safe": wanted})
    own = release.table
    if settings.release.dialect == IN_PLAIN and own.source.kind == "csv":
        own = plain_table(own)
    report = with_text(release.report, own.source, kind)
    if not settings.release.spreadsheet_safe or kind == "parquet":
        return Guarded(own, report, settings)
    table = guarded_table(own)
    changed = [
        one.name
        for one, other in zip(table.columns, own.columns, strict=True)
        if one.values is not other.values or one.cells is not other.cells
    ]
    named = [name for name in changed if name in settings.hierarchies or name in settings.orders]
    if named:
        raise RequestError(
            f"{listed(named)}: texts that a spreadsheet would run stand in a hierarchy or order; "
            "change them there and in the table, or leave out --spreadsheet-safe"
        )
    if changed:
        wanted_by_settings = (
            f"texts of {listed(changed)} that a spreadsheet would take for formulas stand after an "
            "apostrophe"
        )
        notes, public = (
            [*report.notes, wanted_by_settings],
            [*report.public_notes, wanted_by_settings],
        )
        report = replace(report, notes=notes, public_notes=public)
    return Guarded(table, report, settings)
