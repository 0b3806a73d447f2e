"""Stable series: standardization, hierarchies and boundaries of the release before."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from shoal.errors import RequestError, shown
from shoal.hints import FILE, option
from shoal.kernels.arrays import Floats
from shoal.report.report import Report
from shoal.report.sections import DriftSection
from shoal.series.ledger import Frame, Release, Scale, Tree
from shoal.settings import Settings
from shoal.table.encode_nodes import Coded, step
from shoal.table.hierarchy.specify import digests, is_file
from shoal.table.hierarchy.tree import Quantiles
from shoal.table.hierarchy.values import distinct_values
from shoal.table.roles import Column, Role
from shoal.table.table import Table, as_floats, missing_cells, some_rows

FURTHEST = 1000.0  # a spread that is so many times another is that of something else
AUTOMATIC = "flat"  # of texts without a hierarchy


class Plan(Protocol):
    """What a series reads of the plan of a table."""

    @property
    def settings(self) -> Settings: ...
    @property
    def grouped(self) -> Table: ...
    @property
    def by_hierarchies(self) -> bool: ...
    @property
    def hierarchies(self) -> Mapping[str, str]: ...
    @property
    def proposed(self) -> Mapping[str, str]: ...
    @property
    def folder(self) -> Path | None: ...


def frame_of(
    table: Table, plan: Plan, coded: Coded | None, survey: Floats | None, last: Frame | None = None
) -> Frame:
    """Return the frame of a table as it is grouped; trees are those of the `last` one, if any."""
    columns = table.with_role(Role.QUASI_IDENTIFIER)
    hashes = digests(plan.hierarchies, plan.folder)
    rules = {} if coded is None else {one.name: one for one in coded.columns}
    trees = {}
    for column in columns:
        asked = used = plan.hierarchies.get(column.name, "")
        own = rules.get(column.name)
        if own is not None and isinstance(own.rule, Quantiles):
            cuts = own.rule.as_cuts(own.values)
            used = asked if cuts is None else str(cuts)
        trees[column.name] = Tree(asked, used, hashes.get(column.name, ""))
    if last is not None:
        trees |= {name: tree for name, tree in last.trees.items() if name in trees}
    scales = {one.name: _scale(one, survey) for one in columns if one.has_places}
    return Frame({name: scale for name, scale in scales.items() if scale is not None}, trees)


def _scale(column: Column, survey: Floats | None) -> Scale | None:
    """Return the scale of a column's numbers; None where it has none."""
    there = ~missing_cells(column)
    if not there.any():
        return None
    numbers = as_floats(some_rows(column, there))
    weights = None if survey is None else survey[there]
    mean = float(np.average(numbers, weights=weights))
    deviation = math.sqrt(float(np.average((numbers - mean) ** 2, weights=weights)))
    width = float(numbers.max() - numbers.min()) + float(step(distinct_values(column)))
    return Scale(mean, deviation, width)


def with_trees_of(last: Frame, plan: Plan, settings: Settings) -> Settings:
    """Return settings with the hierarchies of the release before.

    The plan has those that settings ask for, spelled out. Raises RequestError where they ask for
    others, or for intervals that follow the data.
    """
    now, kept = plan.hierarchies, dict(settings.hierarchies)
    hashes = digests(now, plan.folder)
    for name in plan.grouped.schema.with_role(Role.QUASI_IDENTIFIER):
        before = last.trees.get(name)
        if before is None:
            continue
        asked = now.get(name, "")
        if "balanced" in (asked, before.asked):
            raise RequestError(
                f"stable: the hierarchy balanced of {shown(name)} follows the data; take widths or "
                "cuts"
            )
        if asked and is_file(asked) and hashes[name] == before.sha256:
            continue
        if before.used and is_file(before.used):
            raise RequestError(
                f"stable: the hierarchy of {shown(name)} was a file with other content in the "
                f"release before; say {option('hierarchies', {name: FILE})} with that file"
            )
        if asked not in ("", before.asked, before.used) and name not in plan.proposed:
            raise RequestError(
                f"stable: {shown(name)} had another hierarchy in the release before, or none; "
                f"leave out {option('hierarchies', {name: asked})}, or {option('stable')}"
            )
        if before.used or asked:
            kept[name] = before.used or AUTOMATIC
    return settings.replace(hierarchies=kept)


def stable_weights(last: Frame, now: Frame, plan: Plan, strict: bool = True) -> dict[str, float]:
    """Return the column weights by which distances are those of the release before.

    A standardized difference is divided by the deviation of the table, and one of ILoss by its
    width; weights undo that and divide by those of the release before. Those of distances count
    squares.
    """
    weights = dict(plan.settings.protect.column_weights)
    for name, scale in now.scales.items():
        before = last.scales.get(name)
        if before is None:
            continue
        if plan.by_hierarchies:
            factor = scale.width / before.width if before.width else 1.0
        else:
            factor = (scale.deviation / before.deviation) ** 2 if before.deviation else 1.0
        if not factor:
            continue  # the same value everywhere: nothing is as far as it was
        if strict and not 1 / FURTHEST < factor < FURTHEST:
            raise RequestError(
                f"stable: the numbers of {shown(name)} spread far more or less than in the release "
                f"before; see whether they are in the same unit, or leave out {option('stable')}"
            )
        if factor != 1.0:
            weights[name] = weights.get(name, 1.0) * factor
    return weights


def drift_notes(last: Frame, now: Frame, number: int) -> list[str]:
    """Return how far each column of numbers is from the release of that number."""
    notes = [f"standardization, hierarchies and boundaries are those of release {number}"]
    for name, scale in now.scales.items():
        before = last.scales.get(name)
        if before is None or not before.deviation:
            continue
        moved = (scale.mean - before.mean) / before.deviation
        notes.append(
            f"drift of {shown(name)} since release {number}: the mean moved by {moved:+.3f} "
            f"deviations, the deviation is {scale.deviation / before.deviation:.3f} times as large"
        )
    return notes


def published_means(report: Report) -> dict[str, tuple[float, float]]:
    """Return the means that the public report tells, with their steps, by column."""
    columns: Mapping[str, Any] = report.public.get("columns", {})
    every = {name: own["mean"] for name, own in columns.items() if "mean" in own}
    return {
        name: (mean["value"], mean["step"])
        for name, mean in every.items()
        if mean["value"] is not None and mean["step"] is not None
    }


def drift_of(
    report: Report,
    earlier: Sequence[Release],
    number: int,
    means: Mapping[str, tuple[float, float]],
) -> list[DriftSection]:
    """Return the published means of every column that at least two releases tell one of."""
    kinds = {column.name: column.kind for column in report.columns}
    told = [(one.number, {} if one.frame is None else one.frame.means) for one in earlier]
    drift = []
    for name, kind in kinds.items():
        own = [(at, *every[name]) for at, every in [*told, (number, means)] if name in every]
        if len(own) > 1:
            drift.append(
                DriftSection(
                    column=name, kind=kind, releases=[at for at, _, _ in own],
                    means=[mean for _, mean, _ in own], steps=[step for *_, step in own],
                )
            )  # fmt: skip
    return drift
