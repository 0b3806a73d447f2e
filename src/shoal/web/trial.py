"""Trials: a release of a sample, for gauges and a look at rows; nothing of it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError
from shoal.methods.problem import check_size
from shoal.methods.registry import find
from shoal.plan.plan import Plan, once_read, plan_table
from shoal.report.fields import ColumnReport
from shoal.run.anonymize import anonymize_with
from shoal.run.preview import samples, with_roles
from shoal.run.result import Result
from shoal.settings import Settings, build
from shoal.table.dialects.notation import STRICT
from shoal.table.table import Table
from shoal.web.cells import cells
from shoal.web.held import held_sample
from shoal.web.messages import ProgressWriter
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
