"""Trials: a release of a sample, for gauges and a look at rows; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, ShoalError
from shoal.methods.problem import check_size
from shoal.methods.registry import find
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.plan.plan import Plan, once_read, plan_table
from shoal.pipeline.preview import samples, with_roles
from shoal.pipeline.result import Result
from shoal.report.fields import ColumnReport
from shoal.settings import Settings, build
from shoal.table.dialects.notation import STRICT
from shoal.table.roles import Column, Kind
from shoal.table.table import Table
from shoal.web.charts import cells
from shoal.web.held import held_sample
from shoal.web.jobs import ProgressWriter
from shoal.web.risk_now import alone_and_below, quasi_identifiers

Integers = npt.NDArray[np.int64]
SAMPLE = 2_000
PATIENCE = 0.05  # seconds of a search on a sample
ITERATIONS = 100  # of one by trees: within 0.6 % of what 0.1 s find on the sample's 2,000 stays
TOP_DOWN = "top-down"
ROWS = 20  # that are shown before and after
MANY = 15  # of whole groups, to which no part of another is added


@dataclass(frozen=True)
class Trial:
    """A release of a sample, with the records that it is of."""

    before: Table
    result: Result[Any]

    @property
    def in_order(self) -> bool:
        """Whether the released rows are those before, one by one: none was left out."""
        return self.before.rows == self.result.table.rows


def trial(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Release a sample: its risk and loss by column, and with `rows` some records on both sides."""
    settings = once_read(build(request["settings"]))
    table, records = held_sample(request, place, settings)
    done = tried(table, settings, progress)
    answer = {"records": records, "sample": done.before.rows, **figures(done)}
    names = quasi_identifiers(done.result.settings)
    answer["before"] = alone_and_below(done.before, names, settings.protect.k)
    if request.get("rows"):
        answer["rows"] = shown_rows(done)
    return answer


def tried(table: Table, settings: Settings, progress: ProgressWriter | None = None) -> Trial:
    """Return the release of a sample of a table, by a search of a moment where it is a search."""
    if settings.roles.group is not None:
        raise RequestError("groups that are given hold every record: there is no sample of them")
    check_size(table.rows, settings.protect.k, table.source.name)
    largest = max([settings.protect.k, *settings.protect.k_of.values()])
    plan, _ = plan_table(table, settings)
    named = with_roles(settings, plan)
    before, most = table, max(SAMPLE, 40 * largest)
    if table.rows > most:
        before = table.take(samples(table, plan, most)[0])
    reporter = None if progress is None else progress.reporter()
    return Trial(before, anonymize_with(before, _brief(named, plan), reporter, measured=False))


def _brief(settings: Settings, plan: Plan) -> Settings:
    """Return settings whose search, if it is one, takes a moment.

    Where `auto` groups by trees, one start and few iterations must do: most of what a search gains
    in a moment it gains by the shifts and swaps that end it.
    """
    method, start = settings.protect.method, settings.protect.start
    if method != "auto" and not find(method).info.is_search:
        return settings
    limit = min(PATIENCE, settings.protect.time_limit or PATIENCE)
    iterations = None
    if method == "auto" and plan.by_hierarchies:
        start, iterations = start or TOP_DOWN, ITERATIONS
    brief = {"time_limit": limit, "max_iterations": iterations, "start": start}
    return settings.replace(protect=brief)


def figures(done: Trial) -> dict[str, Any]:
    """Return what the release of a sample loses, by column, and which risk is left.

    The highest risk is one over the smallest class, the average the number of classes over that of
    records (prosecutor and marketer risk: Dankar and El Emam 2010).
    """
    report = done.result.report
    found = report.verification
    return {
        "method": report.method,
        "loss_name": report.loss_name,
        "loss": report.exact_loss,
        "k": found["k"],
        "highest": 100.0 / max(1, found["k"]),
        "average": 100.0 * found["classes"] / max(1, done.result.table.rows),
        "columns": [_column(column, done.result.table.rows) for column in report.columns],
    }


def _column(column: ColumnReport, rows: int) -> dict[str, Any]:
    """Return what is said of a column: its loss, how it is released, how much of it is gone."""
    return {
        "name": column.name,
        "kind": column.kind,
        "loss": column.information_loss,
        "released_as": column.released_as,
        "suppressed": 100.0 * (column.suppressed or 0) / max(1, rows),
    }


def shown_rows(done: Trial) -> dict[str, Any] | None:
    """Return some records before and after, those of a group together; None where rows are gone.

    They are for the screen of whoever holds the file, and for nothing else.
    """
    if not done.in_order:
        return None
    after = done.result.table
    labels = np.asarray(done.result.partition.labels)
    order = np.argsort(labels, kind="stable")
    rows = _whole_groups(labels, order)
    names = [name for name in after.names if name in done.before.names]
    notations = dict(done.before.source.notations)
    sides = [
        [cells(side[name], notations.get(name, STRICT)) for name in names]
        for side in (done.before.take(rows), after.take(rows))
    ]
    changed = {column.name for column in after.columns if column.protected or column.rounded}
    return {
        "names": names,
        "changed": [name in changed for name in names],
        "groups": np.unique(labels[rows], return_inverse=True)[1].reshape(-1).tolist(),
        "before": [list(row) for row in zip(*sides[0], strict=True)],
        "after": [list(row) for row in zip(*sides[1], strict=True)],
    }


def _whole_groups(labels: Integers, order: Integers) -> Integers:
    """Return rows of groups spread over the sample: whole ones while they fit.

    Where few fit, a part of another fills the rest.
    """
    starts = np.flatnonzero(np.diff(labels[order], prepend=-1))
    ends = np.append(starts[1:], order.size)
    chosen: list[Integers] = []
    left, larger = ROWS, None
    for at in np.linspace(0, starts.size - 1, min(starts.size, ROWS)).astype(int):
        rows = order[starts[at] : ends[at]]
        if rows.size <= left:
            chosen.append(rows)
            left -= rows.size
        elif larger is None:
            larger = rows
    if larger is not None and ROWS - left < MANY:
        chosen.append(larger[:left])
    return np.concatenate(chosen)


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
