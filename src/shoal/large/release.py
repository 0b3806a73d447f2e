"""Grouped regions -> released rows in buckets, and the report of all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.large.figures import (
    Figures,
    added,
    column_report,
    correlations,
    costs,
    ranges,
    wider,
)
from shoal.large.form import ROW, Form
from shoal.large.opening import Asked
from shoal.large.plan import Plan
from shoal.large.shuffle import gather, keep, kept, part
from shoal.large.solve import Solver, Stage
from shoal.large.survey import Moments, drawn
from shoal.large.write import Buckets, strewn
from shoal.measures.loss import percent
from shoal.measuring import measure_release
from shoal.partition import Partition
from shoal.release.aggregate import aggregate
from shoal.release.compare import versions
from shoal.release.counts import missing_said
from shoal.release.coverage import check_coverage
from shoal.release.promises import guarantee
from shoal.release.report import SCHEMA, Report
from shoal.release.write import needs_decimals
from shoal.request import notes, resolved
from shoal.solving import ILOSS, SSE
from shoal.table.code import Coded
from shoal.table.roles import Kind, Role
from shoal.table.table import Table

Integers = npt.NDArray[np.int64]

MEASURED = 100_000  # records on which costs and risks are measured, at most: whole groups


@dataclass(frozen=True)
class Made:
    """What became of all regions: the sums of their figures, and the release without its rows."""

    released: Table
    form: Form
    rows: int
    sums: Mapping[str, Any]
    figures: Figures
    files: list[str]
    settings: Any


@dataclass(frozen=True)
class Releasing:
    """How regions are released."""

    solver: Solver
    stage: Stage
    asked: Asked
    known: Coded | None
    plan: Plan
    rows: int
    shuffle_seed: int | None

    @property
    def moments(self) -> dict[str, Moments]:
        """The moments of the columns of numbers."""
        seen = self.asked.survey.columns
        return {name: one.moments for name, one in seen.items() if one.moments is not None}

    def release(self) -> Made:
        """Give every group its values, then strew the rows over buckets and sum up figures."""
        solver, count = self.solver, len(self.stage.regions)
        spans: dict[str, list[float]] = {}
        for region in range(count):
            solver.report("releasing", region, 2 * count)
            found = solver.work.once(f"values-{region}", partial(self._value, region))
            spans = wider(spans, found)
        form = Form.from_dict(solver.work.read("released"))
        figures = Figures(self.asked.how, self.moments, spans, self._complete(), self.known)
        every = []
        for region in range(count):
            solver.report("releasing", count + region, 2 * count)
            make = partial(self._strew, region, form, figures)
            every.append(solver.work.once(f"out-{region}", make))
        solver.report("releasing", 2 * count, 2 * count)
        solver.work.drop(*self.stage.files)
        files = [f"rows-{region}" for region in range(count)]
        settings = resolved(
            self.asked.settings, self.asked.table, solver.lens.method, None, self.asked.folder
        )
        bare = form.unpack(gather(solver.work, files[:1], 0).slice(0, 0))
        return Made(bare, form, self.rows, reduce(added, every), figures, files, settings)

    def _complete(self) -> list[str]:
        """Return the columns of numbers that miss no cell."""
        seen = self.asked.survey.columns
        deletes = self.asked.settings.protect.incomplete == "delete"
        return [
            c.name
            for c in self.asked.table.having(Role.QUASI_IDENTIFIER)
            if c.kind.is_numeric and (deletes or not seen[c.name].missing)
        ]

    def _grouped(self, region: int) -> tuple[Table, Partition, Any]:
        packed = self.stage.packed(self.solver.work, region)
        labels = self.solver.labels(self.stage, region)
        table = self.solver.form.unpack(packed)
        return table, Partition(labels, self.solver.k, self.solver.lens.method), packed

    def _value(self, region: int) -> dict[str, list[float]]:
        """Write down what the groups of a region release; return the ranges of their numbers."""
        table, partition, _ = self._grouped(region)
        coded = self.solver.lens.coded(table)
        asked = self.asked
        made = aggregate(table, partition, asked.how, asked.settings.release.decimals, coded)
        if coded is not None:
            check_coverage(
                table, made, asked.how, asked.settings.hierarchies, asked.folder,
                lambda _done, _total: None,
            )  # fmt: skip
        first = np.zeros(partition.groups, dtype=np.int64)
        first[partition.labels[::-1]] = np.arange(table.rows)[::-1]
        values = {c.name: c.values.take(pa.array(first)) for c in made.columns if c.protected}
        keep(self.solver.work, f"group-values-{region}", pa.table(values))
        if region == 0:
            form = Form.of(made, whole=self.solver.form.whole)
            self.solver.work.note("released", form.to_dict())
        return ranges(table, made)

    def _released(self, region: int, table: Table, partition: Partition, form: Form) -> Table:
        held = kept(self.solver.work, f"group-values-{region}")
        rows = pa.array(partition.labels)
        columns = []
        for column in form.columns:
            if column.protected:
                values = held.column(column.name).combine_chunks().take(rows)
                columns.append(column.having(values=values))
            else:
                columns.append(table[column.name])
        return replace(table, columns=tuple(columns))

    def _strew(self, region: int, form: Form, figures: Figures) -> dict[str, Any]:
        """Write the released rows of a region by bucket; return its figures."""
        table, partition, packed = self._grouped(region)
        after = self._released(region, table, partition, form)
        lens, work = self.solver.lens, self.solver.work
        sums = figures.of(table, after, partition, lens.points(table), lens.coded(table))
        buckets = self.plan.places(self.rows)
        more = {}
        if ROW in packed.column_names:
            more = {ROW: packed.column(ROW)}
            places = np.asarray(packed.column(ROW)) * buckets // max(self.asked.survey.rows, 1)
        else:
            seed = None if self.shuffle_seed is None else self.shuffle_seed + region
            places = strewn(table.rows, buckets, seed)
        part(work, f"rows-{region}", form.pack(after, more), places, buckets)
        chosen = self._chosen(region, partition)
        for side, one, own in (("before", table, self.solver.form), ("after", after, form)):
            rows = np.zeros(chosen.size, dtype=np.int64)
            part(work, f"{side}-{region}", own.pack(one.taken(chosen)), rows, 1)
        return sums

    def _chosen(self, region: int, partition: Partition) -> Integers:
        """Return the records of the groups that are measured: whole ones, drawn evenly."""
        share = min(1.0, MEASURED / self.rows)
        draws = drawn(self.solver.seed + region, 0, partition.groups) / 2.0**64
        return np.flatnonzero((draws <= share)[partition.labels])

    def buckets(self, made: Made) -> Buckets:
        """Return the released rows by bucket."""
        exact = {
            c.name
            for c in made.released.columns
            if c.kind is Kind.DECIMAL and _is_long(self.moments.get(c.name), c.values.type.scale)
        }
        release = self.asked.settings.release
        quasi = made.settings.roles.quasi_identifiers
        return Buckets(
            self.solver.work, made.form, made.files, self.plan.places(self.rows), quasi, exact,
            release.keep_order, self.shuffle_seed,
        )  # fmt: skip

    def report(self, made: Made, verification: dict[str, Any], seconds: float) -> Report:
        """Return the report of all regions."""
        asked, sums, k = self.asked, made.sums, self.solver.k
        quasi = asked.table.having(Role.QUASI_IDENTIFIER)
        trees = {} if self.known is None else {c.name: c for c in self.known.columns}
        columns = [
            column_report(
                c, asked.how[c.name], sums["columns"][c.name], made.rows, self.moments.get(c.name),
                trees.get(c.name), made.figures.spans.get(c.name), k,
            )
            for c in quasi
        ]  # fmt: skip
        shown = [c for c in trees.values() if asked.how[c.name] in ("generalize", "range")]
        roles = {str(role): [c.name for c in asked.table.having(role)] for role in Role}
        dropped = asked.settings.roles.drop
        deleted = asked.survey.rows - made.rows
        equal = sums["without_spread"]
        told = [f"{equal} groups hold equal records, whose values are released as they were"]
        sizes = sorted((int(size), many) for size, many in sums["sizes"].items())
        measures, note = self._measured(made, deleted)
        loss = self._lost(made)
        return Report(
            schema=SCHEMA,
            versions=versions(),
            method=self.solver.lens.method,
            k=k,
            seed=self.solver.seed,
            aggregate=_ways(asked.how),
            input={
                "kind": asked.table.source.kind,
                "sha256": asked.table.source.sha256,
                "records": asked.survey.rows,
                "columns": len(asked.table.columns) + len(dropped),
            },
            release={"columns": made.released.names, "records": made.rows},
            roles={**roles, "dropped": list(dropped)},
            groups={
                "count": sums["groups"],
                "smallest": sizes[0][0],
                "largest": sizes[-1][0],
                "without_spread": equal,
                "sizes": {str(size): many for size, many in sizes},
            },
            verification=verification,
            information_loss=loss,
            information_loss_released=_overall(columns, sums, asked.how, made.rows, deleted),
            loss_name=ILOSS if asked.by_trees else SSE[False],
            columns=columns,
            correlations=correlations(made.figures.numbers(made.released), sums, made.rows),
            guarantee=guarantee(
                k=k,
                smallest=sizes[0][0],
                values=any(c.by_range or c.rule.shows_values for c in shown),
                records=any(
                    asked.how[c.name] == "mode" or (c.is_ordinal and asked.how[c.name] == "median")
                    for c in quasi
                ),
                asked=asked.settings.requirement,
                sensitive=roles[Role.SENSITIVE],
            ),
            notes=[
                *notes(asked.table, asked.unnamed, asked.settings.orders, asked.reason),
                f"the file was grouped in {len(self.stage.regions)} regions, whose borders were "
                "mended along other cuts: it does not fit in the memory given",
                *note,
                *(told if equal else []),
            ],
            seconds=round(seconds, 3),
            missing=missing_said(
                cells=sum(c.missing for c in columns),
                records=sums["incomplete"],
                suppressed=sum(c.suppressed for c in columns),
                starred=sum(sums["columns"][c.name]["beside"] for c in quasi),
                nothing=sums["nothing"],
                deleted=deleted,
            ),
            costs=costs(sums, len(shown), k, deleted).to_dict() if shown else None,
            measures=measures,
        )

    def _lost(self, made: Made) -> float:
        """Return the loss of the groups as the method sees it, in percent."""
        sums = made.sums
        if self.known is not None:
            return percent(sums["costs"]["iloss_all"], made.rows * len(self.known.columns))
        weights = self.asked.settings.protect.column_weights
        total = 0.0
        for name, one in sums["columns"].items():
            if self.moments[name].deviation:
                total += weights.get(name, 1.0) * (one["bb"] - one["b"] ** 2 / one["kept"])
        return percent(sums["error"], total)

    def _measured(self, made: Made, deleted: int) -> tuple[dict[str, Any], list[str]]:
        """Return costs and risks, measured on whole groups, and what is to be said of that."""
        work, regions = self.solver.work, range(len(self.stage.regions))
        before = self.solver.form.unpack(gather(work, [f"before-{r}" for r in regions], 0))
        after = made.form.unpack(gather(work, [f"after-{r}" for r in regions], 0))
        share = before.rows / made.rows
        coded = self.solver.lens.coded(before)
        gone = round(deleted * share)
        found = measure_release(before, after, coded, gone, self.solver.seed).to_dict()
        if before.rows == made.rows:
            return found, []
        return found, [
            f"what it cost and what is left to fear was measured on {before.rows:,} of the "
            f"{made.rows:,} records, in whole groups; among all records a person is harder to find"
        ]


def _is_long(own: Moments | None, scale: int) -> bool:
    if own is None or not own.count:
        return False
    ends = [abs(float(own.base or 0) + end) for end in (own.low, own.high)]
    return needs_decimals(int(max(ends)), scale)


def _ways(how: Mapping[str, str]) -> str:
    different = set(how.values())
    if len(different) == 1:
        return next(iter(different))
    return ", ".join(f"{name}: {way}" for name, way in how.items())


def _overall(
    columns: list[Any], sums: Mapping[str, Any], how: Mapping[str, str], rows: int, deleted: int
) -> float:
    """Return the loss of all columns: of those that vary, or of all, deleted records included."""
    errors = [column.information_loss for column in columns]
    if {"mean", "median"}.issuperset(how.values()):
        varied = sum(
            1.0
            for column in columns
            if column.missing < rows and _varies(sums["columns"][column.name])
        )
        lost = percent(float(np.sum(errors)), 100.0 * varied)
    else:
        lost = float(np.mean(errors))
    return (lost * rows + 100.0 * deleted) / (rows + deleted)


def _varies(sums: Mapping[str, Any]) -> bool:
    return "kept" not in sums or bool(sums["bb"] - sums["b"] ** 2 / sums["kept"] > 0)
