"""What becomes of a release before it is written: its dialect, and texts no spreadsheet runs.

The report says how a file holds columns, where that does not go without saying.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from shoal.errors import RequestError, listed
from shoal.hints import option
from shoal.release.intervals import TYPED, ends_type, handed_names, handed_over
from shoal.release.plain_values import as_texts, without_nan
from shoal.release.statistics import held_as
from shoal.release.write import (
    IN_PLAIN,
    Format,
    format_of,
    is_usual,
    plain_table,
    written_as,
)
from shoal.settings import Settings
from shoal.table.encode_nodes import Coded
from shoal.table.files.formats import HELD_BY_STATISTICS, is_csv
from shoal.table.intervals import names_in
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table

if TYPE_CHECKING:
    from shoal.report.report import Report
    from shoal.series.series import Series
    from shoal.settings import Settings

FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠].", re.DOTALL)  # also of full width
NUMBER = re.compile(r"[+-]?(\d[\d.,]*|[.,]\d+)([eE][+-]?\d+)?%?")


class Release(Protocol):
    """What there is to write: the released table, its report, the settings that repeat it.

    Under a ledger also the entry that is pending.
    """

    @property
    def table(self) -> Table: ...  # noqa: D102 - as the class says
    @property
    def report(self) -> Report: ...  # noqa: D102
    @property
    def settings(self) -> Settings: ...  # noqa: D102
    @property
    def pending(self) -> Series | None: ...  # noqa: D102


@dataclass(frozen=True)
class Prepared:
    """A release as it is written."""

    table: Table
    report: Report
    settings: Settings
    pending: Series | None = None


def with_text(report: Report, table: Table, kind: str) -> Report:
    """Return a report that says how a csv release is written, where the file does not show it."""
    if not is_csv(kind) or is_usual(table):
        return report
    return replace(report, release={**report.release, "text": written_as(table)})


def prepared(release: Release, kind: str, wanted: bool | None = None) -> Release:
    """Return a release as it is written: in its dialect, its texts guarded where wanted."""
    settings = release.settings
    if wanted is not None and wanted != settings.release.spreadsheet_safe:
        settings = settings.replace(release={"spreadsheet_safe": wanted})
    own = handed_over(release.table, settings.release.intervals, kind in TYPED)
    if settings.release.dialect == IN_PLAIN and own.source.kind == "csv":
        own = plain_table(own)
    own = own.mapped(partial(as_missing, format_of(kind)))
    report = with_text(_with_names(release.report, own), own, kind)
    if kind in HELD_BY_STATISTICS:
        report = replace(report, release={**report.release, "held_as": held_as(own, kind)})
    if not settings.release.spreadsheet_safe or not is_csv(kind):
        return Prepared(own, report, settings, release.pending)
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
            f"change them there and in the table, or leave out {option('spreadsheet_safe')}"
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
    return Prepared(table, report, settings, release.pending)


def _with_names(report: Report, table: Table) -> Report:
    """Return a report that names the columns as a file has them: two for intervals that are split.

    What became of a column is still told by its own name.
    """
    if report.release["columns"] == table.names:
        return report
    roles = {role: names_in(table.names, names) if role == Role.QUASI_IDENTIFIER else names
             for role, names in report.roles.items()}  # fmt: skip
    return replace(report, roles=roles, release={**report.release, "columns": table.names})


def as_missing(form: Format, column: Column) -> Column:
    """Return a column whose not-a-number and empty texts are missing, where no file tells them."""
    if column.kind is Kind.FLOAT and not form.keeps_nan:
        return column.replace(values=without_nan(column.values))
    if column.kind is Kind.TEXT and not form.keeps_empty:
        return column.replace(values=as_texts(column.values))
    return column


# Protection against formulas in spreadsheets.
#
# A cell that begins with one of these signs is run by spreadsheet programs as it is opened
# (CWE-1236). An apostrophe before it makes it a text. Numbers stay what they are, also -5 in a
# column of texts; so does a lone sign. A text that begins with apostrophes before such a sign gets
# one more, so that no two texts become one.
def is_formula(text: str) -> bool:
    """Tell whether a spreadsheet could run a cell of this text."""
    return FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None


def as_text(text: str) -> str:
    """Return a cell's text as no spreadsheet runs it."""
    return f"'{text}" if is_formula(text) else text


def formulas_in(names: Iterable[str]) -> list[str]:
    """Return the names that a spreadsheet would run as headers."""
    return [name for name in names if is_formula(name)]


def check_headers(names: Iterable[str]) -> None:
    """Refuse names of columns that a spreadsheet would run."""
    risky = formulas_in(names)
    if risky:
        raise RequestError(
            f"a spreadsheet would run the header of {listed(risky)} as a formula; rename or drop "
            f"such a column, or leave out {option('spreadsheet_safe')}"
        )


def guarded_table(table: Table) -> Table:
    """Return a table whose texts no spreadsheet runs; a column's name that it would is refused."""
    check_headers(table.names)
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


# What a kind of file can hold of a release, as far as it is known before records are grouped.
#
# Names of columns, their number, that of records and the cells of columns that are kept are known;
# values that the groups decide are checked when they are written.


def check_holdable(
    table: Table,
    settings: Settings,
    aggregators: Mapping[str, str],
    coded: Coded | None,
    kind: str,
) -> None:
    """Raise an error, in one line, for a table whose release no file of this kind could hold.

    `aggregators` and `coded` tell which columns become intervals.
    """
    weight, dropped = settings.roles.weight, settings.release.weights[0] == "drop"
    columns = [
        column
        for column in table.columns
        if column.role is not Role.IDENTIFIER and not (dropped and column.name == weight)
    ]
    own = settings.release.group_column
    names = handed_names(
        [*(column.name for column in columns), *([own] if own is not None else [])],
        _wide(table, aggregators, coded),
        settings.release.intervals,
        kind in TYPED,
    )
    if settings.release.spreadsheet_safe and is_csv(kind):
        check_headers(names)
    form = format_of(kind)
    form.check(table.rows, names)
    for column in columns:
        if column.role is not Role.QUASI_IDENTIFIER and column.name != weight:
            form.hold(column)


def _wide(table: Table, aggregators: Mapping[str, str], coded: Coded | None) -> set[str]:
    """Return the columns that are released as intervals with two ends."""
    ranged = {column.name for column in coded.columns if column.by_range} if coded else set()
    return {
        name
        for name, one in aggregators.items()
        if one in ("generalize", "range") and name in ranged and ends_type(table[name]) is not None
    }
