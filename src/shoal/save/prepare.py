"""What becomes of a release before it is written: its dialect, and texts no spreadsheet runs.

The report says how a file holds columns, where that does not go without saying.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from shoal.errors import RequestError, listed
from shoal.hints import option
from shoal.release.dialects import IN_PLAIN, is_usual, plain_table, written_as
from shoal.release.intervals import TYPED, handed_over, names_in
from shoal.save.spreadsheet import guarded_table
from shoal.table.files.formats import HELD_BY_STATISTICS, is_csv
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table

if TYPE_CHECKING:
    from shoal.ledger.pending import Pending
    from shoal.report.report import Report
    from shoal.save.release import Release
    from shoal.settings import Settings


@dataclass(frozen=True)
class Prepared:
    """A release as it is written."""

    table: Table
    report: Report
    settings: Settings
    pending: Pending | None = None


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
    if kind in (*HELD_BY_STATISTICS, "xlsx", "jsonl"):
        own = own.mapped(partial(as_missing, kind != "jsonl"))
    report = with_text(_with_names(release.report, own), own, kind)
    if kind in HELD_BY_STATISTICS:
        from shoal.release.statistics import held_as

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


def as_missing(empty: bool, column: Column) -> Column:
    """Return a column in which not-a-number, and where said empty texts, are missing."""
    from shoal.release.plain_values import as_texts, without_nan

    if column.kind is Kind.FLOAT:
        return column.replace(values=without_nan(column.values))
    if column.kind is Kind.TEXT and empty:
        return column.replace(values=as_texts(column.values))
    return column
