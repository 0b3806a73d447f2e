"""The warning that columns of a dataframe are released with another type than they had."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shoal.errors import TypeChangeWarning, listed, shown
from shoal.hints import Message, option
from shoal.report.fields import ColumnReport
from shoal.report.report import Report
from shoal.table.dataframes.type_changes import TypeChange
from shoal.table.roles import Kind

NAMED = 6  # columns whose types are told


def type_change_warning(
    changes: Sequence[TypeChange], report: Report, hierarchies: Collection[str]
) -> TypeChangeWarning | None:
    """Return one warning that names every changed column and what keeps its type; None of none.

    Nothing is advised of columns whose hierarchy was given: their words were asked for.
    """
    if not changes:
        return None
    told = [f"{shown(one.name)} ({one.before}, now {one.after})" for one in changes[:NAMED]]
    if len(changes) > NAMED:
        told.append(f"{len(changes) - NAMED} more")
    names = {one.name for one in changes}.difference(hierarchies)
    keeping: dict[str, list[str]] = {}
    for column in report.columns:
        keeper = _keeper(column) if column.name in names else None
        if keeper is not None:
            keeping.setdefault(keeper, []).append(column.name)
    advice = "".join(f"; {keeper} keeps {listed(own)}" for keeper, own in keeping.items())
    return TypeChangeWarning(Message(f"released with another type: {', '.join(told)}{advice}"))


def _keeper(column: ColumnReport) -> str | None:
    """Return the option that keeps a column's type; none does where all have one level."""
    if column.level is not None:
        return None
    if column.released_as not in ("generalize", "range"):
        return option("decimals", 0) if column.kind == Kind.INTEGER else None
    if column.kind == "ordinal":
        return option("aggregate", "median")
    return option("aggregate", "mode" if column.kind == Kind.TEXT else "mean")
