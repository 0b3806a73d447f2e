"""Release of grouped regions: rows in buckets, and the figures of the report."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.executor import local_threads
from shoal.judge.sections import VerificationSection
from shoal.kernels.arrays import Integers
from shoal.measures.compute import classes_by, measure_release
from shoal.measures.sections import MeasuresSection
from shoal.methods.problem import ILOSS, SSE
from shoal.partition import Partition, first_rows
from shoal.pipeline.plan.notes import ended_early
from shoal.pipeline.plan.plan import Plan
from shoal.pipeline.plan.recipe import repeating_settings
from shoal.pipeline.regions.arrow import ROW, Form
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.file_plan import FilePlan
from shoal.pipeline.regions.profile import Moments
from shoal.pipeline.regions.solve import Solver, Stage
from shoal.pipeline.regions.write import Buckets, gather, keep, kept, part, random_buckets
from shoal.pipeline.stages import REGION_STAGES
from shoal.pipeline.stages import report as write_report
from shoal.pipeline.state import UNSET, Grouping, Means, Release, State, Working, carry_out
from shoal.release.intervals import TEXT, ends_type
from shoal.release.plain_values import needs_decimals
from shoal.release.write import IN_PLAIN
from shoal.report.build import Run
from shoal.report.chunk import Chunk
from shoal.report.figures import chunk_figures, finalize, value_counts
from shoal.report.figures.ranges import Key, Ranges, compared, ranges_of, widened
from shoal.report.public.rounding import Stable
from shoal.report.report import Report
from shoal.report.steps import listed_sections
from shoal.series.no_series import NoSeries
from shoal.settings import Settings
from shoal.table.encode_nodes import Coded
from shoal.table.roles import Kind, Role
from shoal.table.sampling import drawn
from shoal.table.table import Table

OF_A_REGION = 4  # of so many records of a region, one at most is measured: both sides take memory
FEWEST = 1_000  # records that are measured, whatever the memory


@dataclass(frozen=True)
class ReleasedRegions:
    """The released regions: partial figures, and the schema of the release."""

    released: Table
    form: Form
    rows: int
    ranges: Ranges
    figures: list[dict[str, Any]]
    files: list[str]
    settings: Settings


@dataclass(frozen=True)
class Releasing:
    """Releases regions: aggregates groups, writes rows to buckets, sums up figures."""

    solver: Solver
    stage: Stage
    file_plan: FilePlan
    known: Coded | None
    budget: Budget
    rows: int
    secret: str

    @property
    def moments(self) -> dict[str, Moments]:
        """The moments of the columns of numbers."""
        seen = self.file_plan.profile.columns
        return {name: one.moments for name, one in seen.items() if one.moments is not None}

    def release(self) -> ReleasedRegions:
        """Aggregate every group, then write the rows to random buckets and sum up figures."""
        solver, regions = self.solver, range(len(self.stage.regions))
        own = replace(self, solver=solver.beside())
        runner = own.solver.runner
        step = own.solver.once("values-{}", own._valued)
        columns = reduce(widened, runner.each("giving groups their values", step, regions))
        form = Form.from_dict(solver.work.read("released"))
        deleted = self.file_plan.profile.rows - self.rows
        ranges = Ranges(
            columns, self.file_plan.plan.aggregators, solver.k, deleted, value_counts(self.known)
        )
        step = solver.once("out-{}", partial(self._to_buckets, form, ranges))
        every = solver.runner.all("releasing", step, regions)
        solver.work.drop(*self.stage.files)
        files = [f"rows-{region}" for region in regions]
        settings = repeating_settings(self.file_plan.plan, solver.encoder.method, None)
        bare = form.unpack(gather(solver.work, files[:1], 0).slice(0, 0))
        return ReleasedRegions(bare, form, self.rows, ranges, every, files, settings)

    def _grouped(self, region: int) -> tuple[Table, Partition, Any]:
        packed = self.stage.packed(self.solver.work, region)
        labels = self.solver.labels(self.stage, region)
        table = self.solver.form.unpack(packed)
        return table, Partition(labels, self.solver.k, self.solver.encoder.method), packed

    def _state(self, plan: Plan, table: Table, partition: Partition) -> State:
        """Return a region as the stages get it."""
        quiet = Means(self.solver.runner.report.quiet())
        grains = {name: seen.grain for name, seen in self.file_plan.profile.columns.items()}
        return State(
            None, plan.settings, quiet, NoSeries(plan.settings), plan=plan, grains=grains,
            working=Working(table, table, self.solver.encoder.coded(table)),
            grouping=Grouping(partition),
        )  # fmt: skip

    def _valued(self, region: int) -> dict[str, Any]:
        """Store the released values of a region; return the ranges of their numbers."""
        table, partition, _ = self._grouped(region)
        with self.file_plan.here() as plan:
            state = carry_out(REGION_STAGES, self._state(plan, table, partition))
        made = state.release.table
        rows = pa.array(first_rows(partition.labels, partition.groups))
        values = {c.name: c.values.take(rows) for c in made.columns if c.protected}
        keep(self.solver.work, f"group-values-{region}", pa.table(values))
        if region == 0:
            form = Form.of(made, whole=self.solver.form.whole)
            self.solver.work.note("released", form.to_dict())
        return ranges_of(state.chunk, self.solver.runner.threads)

    def _released(self, region: int, table: Table, partition: Partition, form: Form) -> Table:
        held = kept(self.solver.work, f"group-values-{region}")
        rows = pa.array(partition.labels)
        columns = []
        for column in form.columns:
            if column.protected:
                values = held.column(column.name).combine_chunks().take(rows)
                columns.append(column.replace(values=values))
            else:
                columns.append(table[column.name])
        return replace(table, columns=tuple(columns))

    def _to_buckets(self, form: Form, ranges: Ranges, region: int) -> dict[str, Any]:
        """Write the released rows of a region by bucket; return its figures."""
        table, partition, packed = self._grouped(region)
        state = self._state(self.file_plan.plan, table, partition)
        release = Release(self._released(region, table, partition, form))
        chunk = replace(state, release=release).chunk
        if chunk.coded is None:
            chunk = replace(chunk, points=self.solver.encoder.points(table))
        figures = chunk_figures(chunk, ranges, self.solver.runner.threads)
        self._write(region, chunk, partition, packed, form)
        return figures

    def _write(
        self, region: int, chunk: Chunk, partition: Partition, packed: Any, form: Form
    ) -> None:
        """Write the rows of a region by bucket, and those that are measured."""
        work, table, after = self.solver.work, chunk.before, chunk.after
        buckets = self.budget.places(self.rows)
        more = {}
        if ROW in packed.column_names:
            more = {ROW: packed.column(ROW)}
            places = np.asarray(packed.column(ROW)) * buckets // max(self.file_plan.profile.rows, 1)
        else:
            places = random_buckets(self.secret, region, table.rows, buckets)
        part(work, f"rows-{region}", form.pack(after, more), places, buckets)
        chosen = self._chosen(region, partition)
        for side, one, own in (("before", table, self.solver.form), ("after", after, form)):
            rows = np.zeros(chosen.size, dtype=np.int64)
            part(work, f"{side}-{region}", own.pack(one.take(chosen)), rows, 1)

    @property
    def room(self) -> int:
        """The number of records that can be measured in the memory that was given."""
        return max(FEWEST, self.budget.records // OF_A_REGION)

    def _chosen(self, region: int, partition: Partition) -> Integers:
        """Return the records of the groups that are measured: whole ones, drawn evenly."""
        most = min(self.budget.measured, self.room)
        share = min(1.0, most / self.rows)
        draws = drawn(self.solver.seed + region, 0, partition.groups) / 2.0**64
        least = float(draws.min()) if region == 0 else 0.0  # one group there is, however large
        return np.flatnonzero((draws <= max(share, least))[partition.labels])

    def buckets(self, made: ReleasedRegions) -> Buckets:
        """Return the released rows by bucket."""
        exact = {
            c.name
            for c in made.released.columns
            if c.kind is Kind.DECIMAL
            and (c.written is None or _is_long(self.moments.get(c.name), c.values.type.scale))
        }
        release = self.file_plan.plan.settings.release
        quasi = made.settings.roles.quasi_identifiers
        return Buckets(
            self.solver.work, made.form, made.files, self.budget.places(self.rows), quasi, exact,
            release.keep_order, self.secret, release.spreadsheet_safe,
            release.dialect == IN_PLAIN and made.form.source.kind == "csv",
            self._ends() if release.intervals != TEXT else {}, self.solver.runner.threads,
        )  # fmt: skip

    def _ends(self) -> dict[str, Any]:
        """Return the types of the ends of intervals, by column."""
        plan = self.file_plan.plan
        ranged = [
            plan.schema[name]
            for name, one in plan.aggregators.items()
            if one == "range" or (one == "generalize" and name not in plan.hierarchies)
        ]
        ends = {column.name: ends_type(column) for column in ranged}
        long = {c.name: c.values.type for c in ranged if c.kind is Kind.DECIMAL
                and _is_long(self.moments.get(c.name), c.values.type.scale)}  # fmt: skip
        return {name: kind for name, kind in {**ends, **long}.items() if kind is not None}


def _is_long(own: Moments | None, scale: int) -> bool:
    if own is None or not own.count:
        return False
    ends = [abs(float(own.base or 0) + end) for end in (own.low, own.high)]
    return needs_decimals(int(max(ends)), scale)


def report_of(
    releasing: Releasing, made: ReleasedRegions, verification: VerificationSection, seconds: float
) -> Report:
    """Return the report of all regions."""
    file_plan, solver = releasing.file_plan, releasing.solver
    plan, settings, report = file_plan.plan, made.settings, solver.runner.report
    working = Working(plan.schema, plan.grouped, releasing.known)
    figures = finalize(made.figures, made.ranges)
    loss = figures["losses"]["iloss"] if working.trees else figures["classes"]["loss"]
    measures, stable, note = _measured(releasing, made)
    notes = [
        *file_plan.profile.repeat_notes(plan.schema.with_role(Role.IDENTIFIER)),
        _grouped_by(settings, len(releasing.stage.regions)),
        *ended_early(report.stop),
        *_counted(verification),
        *note,
    ]
    release = Release(
        made.released, shown=made.released, recipe=settings, verification=verification,
        figures=figures, compared=stable, measures=measures, steps=listed_sections(settings.steps),
    )  # fmt: skip
    means = Means(report.quiet(), begin=time.perf_counter() - seconds)
    how = Run(
        solver.encoder.method, solver.k, solver.seed, loss,
        ILOSS if plan.by_hierarchies else SSE[False], seconds,
    )  # fmt: skip
    state = State(
        None, settings, means, NoSeries(settings), plan=plan, profile=file_plan.profile,
        working=working, grouping=Grouping(UNSET), release=release, how=how, notes=notes,
    )  # fmt: skip
    return carry_out([write_report], state).report


def _grouped_by(settings: Settings, regions: int) -> str:
    """Return in words how the records were grouped."""
    engine = settings.protect.engine
    why = (
        "the file does not fit in the memory given" if engine is None else f"the engine is {engine}"
    )
    return (
        f"records were grouped in {regions} regions, whose borders were mended along other cuts: "
        f"{why}"
    )


def _counted(verification: Mapping[str, Any]) -> list[str]:
    """Return in words where the engine could not count the release itself."""
    counted = verification.get("engine")
    if counted is None or counted["records"] is not None:
        return []
    return [
        f"{counted['name']} cannot read a column of the release: our own check alone verified it"
    ]


def _measured(
    releasing: Releasing, made: ReleasedRegions
) -> tuple[MeasuresSection, dict[Key, Stable], list[str]]:
    """Return costs and risks, measured on whole groups, and notes on that."""
    work, regions = releasing.solver.work, range(len(releasing.stage.regions))
    before = releasing.solver.form.unpack(gather(work, [f"before-{r}" for r in regions], 0))
    after = made.form.unpack(gather(work, [f"after-{r}" for r in regions], 0))
    share = before.rows / made.rows
    coded = releasing.solver.encoder.coded(before)
    gone = round(made.ranges.deleted * share)
    threads = local_threads(releasing.solver.runner.run).workers
    classes = classes_by(after, before.schema.with_role(Role.QUASI_IDENTIFIER))
    measures = measure_release(
        before, after, coded, gone, releasing.solver.seed, threads=threads, classes=classes
    ).to_dict()
    trees = {} if coded is None else {column.name: column for column in coded.columns}
    public = compared(before, after, trees, releasing.solver.k, threads, classes)
    if before.rows == made.rows:
        return measures, public, []
    is_little = releasing.room < releasing.budget.measured
    why = ", as many as fit in the memory that was given" if is_little else ""
    return (
        measures,
        public,
        [
            f"costs and risks were measured on {before.rows:,} of the "
            f"{made.rows:,} records, in whole groups{why}; among all records a person is harder "
            "to find"
        ],
    )
