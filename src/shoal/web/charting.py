"""The charts of a release that the page shows: specs of counts, a list with titles."""

from __future__ import annotations

from typing import Any

from shoal.errors import shown
from shoal.release.charts import (
    attacks,
    cells_by_column,
    correlations,
    distribution,
    frequencies,
    group_sizes,
    loss_by_column,
    loss_curve,
)
from shoal.release.report import Report
from shoal.table.roles import Kind
from shoal.table.table import Table

MOST = 200  # columns that have a chart
LABELS = 12


def charts_of(report: Report, before: Table | None, after: Table | None) -> list[dict[str, Any]]:
    """Return every chart: of columns before and after, of groups, of losses, of attacks."""
    found = []
    for column in report.columns[:MOST]:
        spec = None
        if column.histogram is not None:
            spec = distribution(column)
        elif before is not None and after is not None:
            spec = _side_by_side(column.name, report.k, before, after)
        if spec is not None:
            found.append(_chart(f"{shown(column.name)[1:-1]}", "columns", spec, column.name))
    found.append(_chart("group sizes", "groups", group_sizes(report)))
    found.append(_chart("what every column lost", "loss", loss_by_column(report)))
    if any(column.released_as in ("generalize", "range") for column in report.columns):
        found.append(_chart("how cells were released", "loss", cells_by_column(report)))
    if len(report.correlations["columns"]) > 1:
        found.append(_chart("correlations before and after", "loss", correlations(report)))
    if report.search is not None and report.search["curve"]:
        curve = loss_curve(report.search, report.loss_name)
        found.append(_chart("how the search went", "loss", curve))
    risks = attacks(report.measures)
    if risks is not None:
        found.append(_chart("what attacks find, percent", "attacks", risks))
    return found


def _chart(
    title: str, group: str, spec: dict[str, Any], column: str | None = None
) -> dict[str, Any]:
    return {"title": title, "group": group, "column": column, "spec": spec}


def _side_by_side(name: str, k: int, before: Table, after: Table) -> dict[str, Any] | None:
    """Return the most frequent values before beside those after; rarer ones than k as one."""
    from shoal.web.answers import counted

    columns = before[name], after[name]
    if any(column.kind is Kind.UNKNOWN for column in columns):
        return None
    sides = [counted(column, LABELS, least=k, rest="all others") for column in columns]
    return frequencies(name, sides[0], sides[1])
