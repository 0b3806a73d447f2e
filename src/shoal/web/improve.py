"""Improvements: changes to a request that lose less, each tried on the same sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError
from shoal.plan.plan import once_read
from shoal.report.fields import ColumnReport
from shoal.settings import Settings, build
from shoal.table.roles import Column, Kind
from shoal.table.table import Table
from shoal.web.held import held_sample
from shoal.web.messages import ProgressWriter
from shoal.web.trial import Trial, tried

MUCH = 20.0  # percent of a column that must be lost before a change of it is tried
TRIED = 4  # changes at most
BETTER = 0.98  # of the loss must be left at most, or a change is not worth a word
SHORTEST, LONGEST = 3, 12  # signs of a code
MOST_VALUES = 5_000  # different codes that are looked at


@dataclass(frozen=True)
class Change:
    """A change to one column: a rule for its hierarchy, or that it is left out."""

    column: str
    rule: str | None = None

    def to(self, settings: Settings) -> Settings:
        """Return the settings with the change."""
        if self.rule is not None:
            return settings.model_copy(
                update={"hierarchies": {**settings.hierarchies, self.column: self.rule}}
            )
        roles = settings.roles
        rest = tuple(name for name in roles.quasi_identifiers if name != self.column)
        return settings.replace(
            roles={"quasi_identifiers": rest, "drop": (*roles.drop, self.column)}
        )


def improve(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Try changes to the columns that lose most; return those that help, the best first."""
    settings = once_read(build(request["settings"]))
    table, _ = held_sample(request, place, settings)
    first = tried(table, settings, progress)
    found = [_told(one, first, table, settings) for one in changes(first, settings)]
    return {"changes": sorted(filter(None, found), key=lambda one: one["loss"])}


def changes(done: Trial, settings: Settings) -> list[Change]:
    """Return the changes that are worth a trial, of the column that loses most first."""
    report = done.result.report
    worst = sorted(report.columns, key=lambda column: -(column.information_loss or 0.0))
    found = [
        change
        for column in worst
        if (column.information_loss or 0.0) >= MUCH
        for change in _of_column(column, done.before[column.name], settings)
    ]
    return found[:TRIED]


def _of_column(column: ColumnReport, values: Column, settings: Settings) -> Iterator[Change]:
    """Yield the changes that suit a column: digits of a code, months of a date, leaving it out."""
    if settings.hierarchies.get(column.name, "flat") == "flat":
        if values.kind is Kind.TEXT and (length := code_length(values)) is not None:
            kept = range(length - 1, max(0, length - 4), -1)
            yield Change(column.name, f"prefixes:{','.join(map(str, kept))}")
        elif values.kind in (Kind.DATE, Kind.DATETIME) and column.released_as != "mean":
            yield Change(column.name, "dates:month,quarter,year")
    others = [name for name in settings.roles.quasi_identifiers if name != column.name]
    if (column.information_loss or 0.0) >= 3 * MUCH and others:
        yield Change(column.name)


def code_length(column: Column) -> int | None:
    """Return how many signs every code of a column has; None where they are no codes."""
    import pyarrow.compute as pc

    different = pc.unique(column.values.drop_null())
    if not 1 < len(different) <= MOST_VALUES:
        return None
    codes = [str(one) for one in different.to_pylist()]
    length = len(codes[0])
    alike = all(len(one) == length and one.isalnum() for one in codes)
    numbered = any(sign.isdigit() for one in codes[:100] for sign in one)
    return length if alike and numbered and SHORTEST <= length <= LONGEST else None


def _told(change: Change, first: Trial, table: Table, settings: Settings) -> dict[str, Any] | None:
    """Return what a change brings on the sample; None where it does not help, or cannot be made."""
    with suppress(ShoalError):
        report = tried(table, change.to(settings)).result.report
        before = first.result.report
        if report.exact_loss <= BETTER * before.exact_loss:
            losses = {column.name: column.information_loss for column in report.columns}
            own = {column.name: column.information_loss for column in before.columns}
            return {
                "column": change.column, "rule": change.rule,
                "loss": report.exact_loss, "loss_before": before.exact_loss,
                "column_loss": losses.get(change.column), "column_before": own[change.column],
            }  # fmt: skip
    return None
