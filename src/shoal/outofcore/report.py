"""Report of an out-of-core run; costs and risks from a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.backends.executor import local_threads
from shoal.judge.sections import VerificationSection
from shoal.measures.sections import MeasuresSection
from shoal.measures.tables import classes_by, measure_release
from shoal.methods.problem import ILOSS, SSE
from shoal.outofcore.release import ReleasedRegions, Releasing
from shoal.outofcore.shuffle import gather
from shoal.plan.notes import (
    column_notes,
    ended_early,
    kept_notes,
    people_notes,
    preset_notes,
    unnamed_notes,
)
from shoal.report.build import Findings, Released, Run, build_report
from shoal.report.figures import finalize
from shoal.report.figures.stable import Key, compared
from shoal.report.public.rounding import Stable
from shoal.report.report import Report
from shoal.settings import Settings
from shoal.table.roles import Role


def report_of(
    releasing: Releasing, made: ReleasedRegions, verification: VerificationSection, seconds: float
) -> Report:
    """Return the report of all regions."""
    file_plan, solver = releasing.file_plan, releasing.solver
    settings = file_plan.plan.settings
    trees = {} if releasing.known is None else {c.name: c for c in releasing.known.columns}
    figures = finalize(made.figures, made.ranges)
    loss = figures["losses"]["iloss"] if trees else figures["classes"]["loss"]
    measures, stable, note = _measured(releasing, made)
    return build_report(
        Released(
            file_plan.plan.schema, made.released.names, file_plan.plan.aggregators, trees,
            settings.roles.drop, settings.release.round, stable,
        ),
        Run(
            solver.encoder.method, solver.k, solver.seed, loss,
            ILOSS if file_plan.plan.by_hierarchies else SSE[False], seconds,
        ),
        Findings(
            verification,
            [
                *column_notes(
                    file_plan.plan, file_plan.profile, [column.rule for column in trees.values()]
                ),
                *people_notes(file_plan.plan.schema, settings, file_plan.profile),
                *file_plan.profile.repeat_notes(file_plan.plan.schema.with_role(Role.IDENTIFIER)),
                *kept_notes(settings),
                *preset_notes(settings),
                _grouped_by(settings, len(releasing.stage.regions)),
                *ended_early(solver.runner.report.stop),
                *_counted(verification),
                *note,
            ],
            [*unnamed_notes(file_plan.plan.unnamed), *preset_notes(settings)],
            settings.requirement,
            measures=measures,
        ),
        figures,
    )  # fmt: skip


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
