"""Table and released Table -> Report: what each column lost, and what became of the groups."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import metadata
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.measures.generalization import Costs, cell_losses, costs
from shoal.measures.histogram import histogram
from shoal.measures.loss import percent
from shoal.measures.moments import correlation_matrix, mean, variance
from shoal.measures.reading import both_sides
from shoal.measures.sides import Numbers
from shoal.measures.utility.errors import variation_lost
from shoal.models.requirement import Requirement
from shoal.partition import Partition
from shoal.release.aggregate import AVERAGED, STRATUM
from shoal.release.claims import asked_beyond_k
from shoal.release.counts import (
    cell_counts,
    days_or_numbers,
    group_counts,
    is_numbers,
    missing_said,
    moment_said,
    present,
    same_cells,
    starred,
    starred_for_missing,
    unit_of,
)
from shoal.release.promises import guarantee
from shoal.release.public.figures import nested, stable_figures
from shoal.release.report import SCHEMA, ColumnReport, Report
from shoal.release.rounded import constant_columns, is_constant, rounding_loss, spread
from shoal.release.totals import kept_totals, totals
from shoal.table.code import Coded, CodedColumn
from shoal.table.encode import near_zero
from shoal.table.roles import Column, Role
from shoal.table.survey import Survey
from shoal.table.table import Table, as_floats, some_rows

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]


def make_report(
    table: Table,
    released: Table,
    partition: Partition,
    *,
    coded: Coded | None,
    how: Mapping[str, str],
    deleted: int,
    seed: int,
    verification: dict[str, Any],
    wider: Mapping[str, Partition],
    dropped: Sequence[str],
    notes: Sequence[str],
    seconds: float,
    given: bool = False,
    asked: Requirement | None = None,
    dominance: Sequence[dict[str, Any]] = (),
    survey: Survey | None = None,
    drawn: Mapping[str, Any] | None = None,
    public_notes: Sequence[str] = (),
    weights: Floats | None = None,
    originals: Table | None = None,
    rounded: Mapping[str, float] | None = None,
) -> Report:
    """Compare the table with its release, column by column and pair by pair.

    `wider` has the groups of columns that have an own, larger k; `given` says that the groups came
    with the data, `asked` is what was asked beyond k, `dominance` how the p % rule was judged,
    `survey` how the records were drawn, `drawn` which columns say so; `public_notes` are those that
    may be published; `weights` are those that are released, `originals` the table before kept
    columns were `rounded`.
    """
    survey = survey or Survey()
    before = table.having(Role.QUASI_IDENTIFIER)
    after = [released[column.name] for column in before]
    trees = {} if coded is None else {column.name: column for column in coded.columns}
    by_trees = not averaged(how)
    grouped = [b for b in before if how[b.name] != STRATUM]
    errors = [
        _lost_by(how[b.name], b, a, trees.get(b.name), wider.get(b.name, partition), survey.weights)
        for b, a in zip(before, after, strict=True)
    ]
    columns = [
        _column_report(b, a, error, partition.k, how[b.name], trees.get(b.name), survey.weights)
        for b, a, error in zip(before, after, errors, strict=True)
    ]
    off = [
        rounding_loss(how[b.name], b, a, wider.get(b.name, partition).labels, survey.weights)
        for b, a in zip(before, after, strict=True)
    ]
    columns = [replace(one, rounding_loss=own) for one, own in zip(columns, off, strict=True)]
    constant = constant_columns(after)
    whole = [(b, a) for b, a in zip(before, after, strict=True)
             if is_numbers(b, a) and not (b.missing or a.missing)]  # fmt: skip
    groups = group_counts(partition, before)
    roles = {str(role): [c.name for c in table.having(role)] for role in Role}
    shown = [c for c in trees.values() if how[c.name] in ("generalize", "range")]
    found = None
    if by_trees and coded is not None:
        found = _costs(shown, coded.rows, partition, wider, deleted)
    values = any(c.by_range or c.rule.shows_values for c in shown)
    return Report(
        schema=SCHEMA,
        versions=versions(),
        method=partition.method,
        k=partition.k,
        seed=seed,
        aggregate=ways_said(how),
        input={
            "kind": table.source.kind,
            "sha256": table.source.sha256,
            "records": table.rows + deleted,
            "columns": len(table.columns) + len(dropped),
        },
        release={"columns": released.names, "records": table.rows},
        roles={**roles, "dropped": list(dropped)},
        groups=groups,
        verification=verification,
        information_loss=partition.information_loss,
        information_loss_released=overall(
            [error for b, error in zip(before, errors, strict=True) if how[b.name] != STRATUM],
            None if by_trees else _varied(grouped),
            table.rows,
            deleted,
        ),
        loss_name=partition.loss_name,
        columns=columns,
        correlations=_correlations(whole),
        guarantee=guarantee(
            k=partition.k,
            smallest=int(verification["k"]),
            values=values,
            records=shows_records(before, how),
            given=given,
            asked=asked,
            sensitive=roles[Role.SENSITIVE],
            households=survey.households is not None,
            people=survey.persons is not None,
            weights_as=(drawn or {}).get("weights_as"),
        ),
        notes=[*notes, *said_of_equals(groups["without_spread"])],
        seconds=round(seconds, 3),
        search=None if partition.search is None else partition.search.to_dict(),
        bound=_bound(partition),
        missing=_missing(before, after, columns, partition.labels, deleted),
        costs=None if found is None else found.to_dict(),
        dominance=list(dominance),
        asked={} if asked is None else asked_beyond_k(asked),
        totals=[
            *totals(table, released, how, survey.weights, weights),
            *kept_totals(originals or table, released, survey.weights, weights, rounded or {}),
        ],
        survey=dict(drawn or {}),
        public=nested(stable_figures(table, released, how, trees, partition.k, deleted)),
        public_notes=list(public_notes),
        rounded=dict(rounded or {}),
        enforced=partition.way,
        rounding_loss=None
        if by_trees
        else overall([own or 0.0 for own in off], _varied(grouped), table.rows, 0),
        constant=constant,
        made_constant=[name for name in constant if not is_constant(spread(table[name]))],
    )


def _bound(partition: Partition) -> dict[str, Any] | None:
    """Return what no grouping can lose less than, and how far the grouping is from it."""
    if partition.bound is None:
        return None
    above = partition.bound.above(partition.information_loss)
    return {
        "information_loss": partition.bound.information_loss,
        "complete": partition.bound.complete,
        "at_most_above_percent": above if math.isfinite(above) else None,
        "told": partition.bound.told(partition.information_loss),
    }


def _costs(
    columns: Sequence[CodedColumn],
    rows: int,
    partition: Partition,
    wider: Mapping[str, Partition],
    deleted: int,
) -> Costs:
    """Return the measures of a grouping; of columns with groups of their own, those of these."""
    found = costs(Coded(tuple(columns), rows), partition.labels, partition.k, deleted)
    if not any(column.name in wider for column in columns):
        return found
    each = [
        costs(Coded((c,), rows), wider.get(c.name, partition).labels, partition.k, deleted)
        for c in columns
    ]
    return replace(
        found,
        iloss_rate=sum(one.iloss_rate for one in each) / len(each),
        ncp=sum(one.ncp for one in each) / len(each),
        non_uniform_entropy=sum(one.non_uniform_entropy for one in each),
    )


def _lost_by(
    way: str,
    before: Column,
    after: Column,
    coded: CodedColumn | None,
    partition: Partition,
    weights: Floats | None,
) -> float:
    """Return what a column lost, in percent.

    Of means, medians and majorities SSE/SST (of ordinal columns on ranks), of generalized cells
    ILoss, of cells that became another's (mode, medoid) the share of those that changed.
    """
    if way == STRATUM:
        return 0.0
    if way in AVERAGED:
        return _lost(before, after, weights)
    if way in ("generalize", "range"):
        assert coded is not None
        return 100.0 * float(np.average(cell_losses(coded, partition.labels), weights=weights))
    changed = present(before) & ~same_cells(before, after)
    return 100.0 * float(np.average(changed, weights=weights))


def ways_said(how: Mapping[str, str]) -> str:
    """Return what groups release in one word, or column by column."""
    different = set(how.values())
    if len(different) == 1:
        return next(iter(different))
    return ", ".join(f"{name}: {way}" for name, way in how.items())


def averaged(how: Mapping[str, str]) -> bool:
    """Tell whether all columns of numbers stay numbers: means, medians, majorities, or strata."""
    return {*AVERAGED, STRATUM}.issuperset(how.values())


def _varied(before: Sequence[Column]) -> int:
    """Return how many columns vary."""
    there = [some_rows(b, present(b)) for b in before if present(b).any()]
    return sum(bool(np.ptp(near_zero(b)) > 0) for b in there)


def overall(errors: Sequence[float], varied: int | None, rows: int, deleted: int) -> float:
    """Return the loss of all columns: of those that vary, or of all, deleted records included."""
    if varied is None:
        lost = float(np.mean(errors))
    else:
        lost = percent(float(np.sum(errors)), 100.0 * varied)
    return (lost * rows + 100.0 * deleted) / (rows + deleted)


def shows_records(columns: Sequence[Column], how: Mapping[str, str]) -> bool:
    """Tell whether groups release a member's own values."""
    return any(
        how[c.name] in ("mode", "medoid") or (c.is_ordinal and how[c.name] == "median")
        for c in columns
    )


def said_of_equals(equal: int) -> list[str]:
    """Say how many groups hold equal records, if any does."""
    if not equal:
        return []
    return [f"{equal} groups hold equal records, whose values are released as they were"]


def _correlations(whole: Sequence[tuple[Column, Column]]) -> dict[str, Any]:
    """Return the correlations of the complete columns of numbers, before and after."""
    return {
        "columns": [b.name for b, _ in whole],
        "before": _matrix([b for b, _ in whole]),
        "after": _matrix([a for _, a in whole]),
    }


def _matrix(columns: Sequence[Column]) -> list[list[float | None]]:
    """Return the correlations of complete columns; None where one is constant."""
    found = correlation_matrix([near_zero(column) for column in columns])
    return [[None if np.isnan(r) else float(r) for r in row] for row in found]


def _missing(
    before: Sequence[Column],
    after: Sequence[Column],
    columns: Sequence[ColumnReport],
    labels: Integers,
    deleted: int,
) -> dict[str, Any]:
    """Return how many cells were missing, what that means, and what was done about it."""
    cells = sum(column.missing or 0 for column in columns)
    suppressed = sum(column.suppressed or 0 for column in columns)
    beside = sum(starred_for_missing(column, labels) for column in before)
    nothing = int(np.logical_and.reduce([starred(column) for column in after]).sum())
    incomplete = {row for column in before for row in column.missing_rows()}
    return missing_said(
        cells=cells,
        records=len(incomplete),
        suppressed=suppressed,
        starred=beside,
        nothing=nothing,
        deleted=deleted,
    )


def versions() -> dict[str, str]:
    """Return the versions of what can change a result."""
    names = ("shoal", "numpy", "numba", "pyarrow")
    found = {name: metadata.version(name) for name in names}
    return {**found, "python": platform.python_version()}


def _lost(before: Column, after: Column, weights: Floats | None) -> float:
    """Return 100 * SSE / SST of the released cells of a column; 0 for a constant one.

    A suppressed cell has lost everything, whatever it was: a figure that depended on it would give
    it away.
    """
    there = present(before)
    if not (there & ~starred(after)).any():
        return percent(float(there.sum()), float(there.size))
    side = both_sides(before, after, None, None)
    assert isinstance(side, Numbers)
    return variation_lost(side, weights)


def _column_report(
    before: Column,
    after: Column,
    lost: float,
    k: int,
    way: str,
    coded: CodedColumn | None,
    weights: Floats | None,
) -> ColumnReport:
    unchanged, changed, suppressed, missing = cell_counts(before, after, way, coded)
    report = ColumnReport(
        name=before.name,
        kind=before.kind_name,
        information_loss=lost,
        released_as=way,
        unchanged=unchanged,
        generalized=changed,
        suppressed=suppressed,
        missing=missing,
        hierarchy=None if coded is None else str(coded.rule),
        levels=None if coded is None else int(coded.tree.heights[0]) + 1,
    )
    kept = present(before) & present(after)  # means of all would give the suppressed cells away
    if not is_numbers(before, after) or not kept.any():
        return report
    b, a = some_rows(before, kept), some_rows(after, kept)
    own = None if weights is None else weights[kept]
    return replace(
        report,
        mean_before=_mean(b, own),
        mean_after=_mean(a, own),
        variance_before=_variance(b, own),
        variance_after=_variance(a, own),
        histogram=histogram(days_or_numbers(b), days_or_numbers(a), k),
    )


def _mean(column: Column, weights: Floats | None) -> float | str:
    values = as_floats(column)
    try:
        average = mean(values, weights)
    except OverflowError:
        average = mean(values / values.size, weights) * values.size
    return moment_said(average, column.kind, unit_of(column))


def _variance(column: Column, weights: Floats | None) -> float | None:
    """Return the variance, of times in days²; None where no float can hold it."""
    values = days_or_numbers(column)
    with np.errstate(over="ignore"):
        try:
            found = variance(values, weights)
        except OverflowError:
            return None
    return found if np.isfinite(found) else None
