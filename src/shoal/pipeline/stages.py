"""Stages of a run: each reads some of the options, and turns one state into the next.

`STAGES` is the whole way of the data in memory. Files larger than memory and engines carry out
those that need not see all records at once, and group the records region by region. What is asked
and read by no stage of the list is refused by its name: no run ignores an option.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, cast

import numpy as np

from shoal.errors import RequestError
from shoal.hints import option
from shoal.judge.engine import limited
from shoal.measures.compute import classes_by, measure_release
from shoal.methods.enforce.rules import judge_dominance
from shoal.methods.enforce.wider import wider_groups
from shoal.methods.registry import find
from shoal.pipeline.group import Conditions, recoded
from shoal.pipeline.plan.constraints import build_constraints
from shoal.pipeline.plan.design import suppressed_section, survey_columns, survey_design
from shoal.pipeline.plan.estimate import check_fits, machine_memory
from shoal.pipeline.plan.notes import (
    column_notes,
    kept_notes,
    people_notes,
    preset_notes,
    type_notes,
    unnamed_notes,
    value_notes,
)
from shoal.pipeline.plan.plan import plan_table
from shoal.pipeline.plan.recipe import read_table, repeating_settings
from shoal.pipeline.plan.steps import after_release, check_row_wise, costs_before, steps_risk
from shoal.pipeline.result import Result
from shoal.pipeline.series_groups import group_series
from shoal.pipeline.state import (
    Reads,
    Release,
    State,
    Working,
    check_read,
    needs_all_records,
    stage,
)
from shoal.pipeline.totals import read_totals, with_totals
from shoal.release.aggregate import aggregate as aggregate_groups
from shoal.release.aggregate import with_weights
from shoal.release.claims import check_coverage, check_release, check_survey
from shoal.release.intervals import for_frame
from shoal.release.prepare import check_holdable
from shoal.release.write import with_group_column
from shoal.report.build import Findings, Released, Run, build_report
from shoal.report.figures import figures_of
from shoal.report.figures.ranges import compared
from shoal.report.html.document import draw_ahead
from shoal.report.sections import DominanceSection
from shoal.report.steps import step_sections
from shoal.settings import Settings
from shoal.table.dataframes.whole_periods import in_whole_periods
from shoal.table.encode_nodes import Coded, code

LOG = logging.getLogger(__name__)
BLOCKS = "auto", "fast", "kaim-fast"  # methods that group region by region


@stage(
    Reads((
        "input.delimiter", "input.encoding", "input.decimal", "input.thousands",
        "input.date_format", "input.skip_lines", "input.comment", "input.quote", "input.widths",
        "input.missing", "input.types", "input.sheet",
    )),
    by_region=True,
    says="reading",
)  # fmt: skip
def read(state: State) -> State:
    """Read the data, without the column of given groups and without people who left a series."""
    original, given = read_table(state.data, state.request, state.means.threads)
    LOG.info("%d records, %d columns", original.rows, len(original.columns))
    series, original = state.series.admit(original)
    return replace(state, original=original, given=given, series=series)


@stage(
    Reads((
        "protect.k", "protect.preset", "protect.allow_k1", "protect.allow_empty", "protect.count",
        "protect.incomplete", "roles.identifiers", "roles.quasi_identifiers", "roles.sensitive",
        "roles.other", "roles.drop", "roles.keep_unique", "hierarchies", "input.hierarchies",
        "orders", "steps", "release.round", "release.numbers",
    )),
    by_region=True,
)  # fmt: skip
def plan(state: State) -> State:
    """Decide what the settings mean for the table."""
    folder, series = state.means.folder, state.series
    asked = series.settings
    made, profile = plan_table(state.original, asked, folder)
    framed = series.with_trees(made, asked)
    if framed is not asked:
        made, profile = plan_table(state.original, framed, folder)
    return replace(state, plan=made, profile=profile)


@stage(
    Reads(("roles.person",), "a count of people"),
    Reads(
        ("roles.weight", "roles.by", "roles.household", "protect.small_strata"),
        "a survey's weights, strata or households",
    ),
)
def design(state: State) -> State:
    """Read how the records were drawn; say what the run takes."""
    made, means = state.plan, state.means
    table, survey, notes = survey_design(made.prepared(state.original), made)
    check_fits(made.estimate, made.settings, made.by_hierarchies, machine_memory())
    totals = read_totals(table, made, survey)
    series = state.series.meet(table, made.settings)
    if made.estimate is not None and means.on_estimate is not None:
        means.on_estimate(made.estimate)
    working = Working(table, made.without_strata(table), survey=survey)
    notes = [*state.notes, *notes]
    return replace(state, working=working, totals=totals, series=series, notes=notes)


@stage(Reads(("protect.column_weights",)), by_region=True)
def encode(state: State) -> State:
    """Look cells up in hierarchies, where records are grouped or released by them."""
    made, means, working = state.plan, state.means, state.working
    if made.needs_codes:
        working = replace(working, coded=_coded(state, partial(means.report, "coding")))
    if means.kind is not None:
        check_holdable(working.table, made.settings, made.aggregators, working.coded, means.kind)
    series = state.series.fit(working.grouped, made, working.coded, working.survey.weights)
    return replace(state, working=working, series=series)


def _coded(state: State, on_column: Callable[[int, int], None] | None = None) -> Coded:
    """Return the cells of the records as nodes of hierarchies."""
    made = state.plan
    return code(state.working.grouped, made.hierarchies, made.folder, made.ranges, on_column)


@stage(
    Reads(("roles.group", "protect.refine"), "a refinement of given groups"),
    Reads(("protect.method", "protect.effort", "protect.seed")),
    Reads(
        ("protect.start", "protect.max_iterations", "protect.time_limit", "protect.runs", "search"),
        "a search with limits of its own",
    ),
    Reads(
        (
            "protect.l", "protect.l_kind", "protect.c", "protect.t", "protect.alpha",
            "protect.beta", "protect.beta_kind", "protect.delta", "protect.e", "protect.l_of",
            "protect.dominance", "protect.k_of", "protect.missing_sensitive", "protect.enforce",
        ),
        "what is asked beyond k",
    ),
    Reads(
        (
            "series.ledger", "series.withhold", "series.counterfeits", "series.changing",
            "series.over_series", "series.stable", "series.expect_overlap",
        ),
        "a release of a series",
    ),
)  # fmt: skip
def group(state: State) -> State:
    """Put the records into groups that keep what is asked."""
    made, means, working = state.plan, state.means, state.working
    constraints = build_constraints(
        working.grouped, made, working.survey.persons, state.series.rule
    )
    conditions = Conditions(state.given, constraints, working.survey)
    working, grouping, series = group_series(
        working, made, conditions, state.series, means.report, means.threads
    )
    LOG.info("%s", grouping.partition.summary())
    return replace(state, working=working, grouping=grouping, series=series)


@stage(Reads(("protect.suppress",), "suppression with a budget"))
def suppress(state: State) -> State:
    """Leave out the records that groups do without; widen those of columns with an own k."""
    made, working, partition = state.plan, state.working, state.grouping.partition
    if partition.recoding is not None:  # whose classes have the k of every column
        assert working.coded is not None
        table, coded, survey = recoded(
            partition.recoding, working.table, working.coded, working.survey
        )
        return replace(state, working=Working(table, working.grouped, coded, survey))
    grouping, gone = state.grouping, partition.suppressed
    if partition.suppression is not None:
        left_out = suppressed_section(working.table, made, working.survey, gone)
        grouping = replace(grouping, left_out=left_out)
    if gone.size:
        working = working.take(np.delete(np.arange(working.table.rows), gone))
        state = replace(state, working=working)
        if working.coded is not None:  # intervals of the data are those of the records left
            state = replace(state, working=replace(working, coded=_coded(state)))
    wider = wider_groups(
        state.working.grouped, partition, made.requirement, state.means.report,
        state.working.survey.strata,
    )  # fmt: skip
    return replace(state, grouping=replace(grouping, wider=wider))


def _has(word: str) -> Callable[[Any], bool]:
    """Return what tells whether a value of an option is a word, or names it for a column."""
    return lambda value: word in (value.values() if isinstance(value, dict) else [value])


@stage(
    Reads(("release.decimals",), "a release of means without rounding", _has("none")),
    Reads(("release.aggregate",), "a release of medoids", _has("medoid")),
    by_region=True,
    says="releasing",
)
def aggregate(state: State) -> State:
    """Give every group its values."""
    working, grouping = state.working, state.grouping
    aggregation = replace(state.plan.aggregation, grains=state.grains)
    released = aggregate_groups(
        working.table, grouping.partition, aggregation, working.coded, grouping.wider,
        working.survey,
    )  # fmt: skip
    return replace(state, release=Release(in_whole_periods(released)))


@stage(Reads(("release.totals", "release.totals_within"), "a release with given totals"))
def total(state: State) -> State:
    """Move means so that they have the totals that are given."""
    if state.totals is None:
        return state
    working, grouping, release = state.working, state.grouping, state.release
    table = with_totals(
        release.table, working.table, state.totals, state.plan, grouping.wider,
        grouping.partition, working.survey.strata,
    )  # fmt: skip
    return replace(state, release=replace(release, table=table))


@stage(Reads(("release.weights_as",), "a survey's weights, strata or households"))
def weigh(state: State) -> State:
    """Release survey weights as it was asked."""
    settings, partition = state.plan.settings, state.grouping.partition
    table, weights = with_weights(
        state.release.table, partition, settings.roles.weight, *settings.release.weights
    )
    return replace(state, release=replace(state.release, table=table, weights=weights))


@stage(Reads(("secret",), "a step that draws at random"))
def step(state: State) -> State:
    """Carry out the steps that follow grouping."""
    release, settings = state.release, state.plan.settings
    table, costs = after_release(release.table, settings, state.grouping.partition.labels)
    before = costs_before(state.original, settings, state.plan.folder)
    return replace(state, release=replace(release, table=table, steps=step_sections(before, costs)))


@stage(by_region=True)
def cover(state: State) -> State:
    """Refuse released values that do not cover the original ones."""
    made, working = state.plan, state.working
    if working.coded is not None:
        check_coverage(
            working.table, state.release.table, made.released_as, made.settings.hierarchies,
            made.folder, partial(state.means.report, "checking"),
        )  # fmt: skip
    return state


@stage(Reads(("release.group_column",), "a column of group numbers"))
def verify(state: State) -> State:
    """Let the judge verify the release as it is shown, and what it does not show."""
    made, partition, release = state.plan, state.grouping.partition, state.release
    settings, series, survey = made.settings, state.series, state.working.survey
    recipe = repeating_settings(made, partition.method, partition.search)
    wide = replace(partition, labels=series.counterfeits.joined_to(partition.labels))
    shown = series.with_counterfeits(release.table)
    shown = with_group_column(shown, wide, settings.release.group_column)
    with limited(threads=state.means.threads):
        verification = check_release(shown, recipe)
    LOG.info("verified: %d classes, the smallest of %d", verification.classes, verification.k)
    release = replace(
        release, shown=shown, recipe=recipe, verification=verification.to_dict(),
        classes=classes_by(shown, recipe.class_columns, state.means.threads)[: release.table.rows],
    )  # fmt: skip
    notes = [*state.notes, *check_survey(shown, recipe, survey)]
    return replace(state, release=release, notes=notes)


@stage()
def count(state: State) -> State:
    """Count the figures of the report."""
    working, means, release, made = state.working, state.means, state.release, state.plan
    gone = state.grouping.left_out.get("records") or 0
    how = Run.of(state.grouping.partition, made.seed, 0.0, state.given is not None)
    figures = figures_of([state.chunk], made.k, state.deleted, working.coded, means.threads, gone)
    release = replace(release, figures=figures)
    if means.measured:
        table, after, classes = working.table, release.table, release.classes
        release = replace(
            release,
            compared=compared(table, after, working.trees, made.k, means.threads, classes),
            steps_risk=steps_risk(release.steps, state.original, table, after, classes),
        )
    return replace(state, release=release, how=how)


@stage(by_region=True)
def report(state: State) -> State:
    """Put together what is to be said of the release."""
    made, working, release, series = state.plan, state.working, state.release, state.series
    settings, table, recipe = made.settings, working.table, release.recipe
    profile = made.grouped_profile(state.profile)
    grouping, trees = state.grouping, working.trees
    findings = Findings(
        release.verification,
        [
            *column_notes(made, profile, [column.rule for column in trees.values()]),
            *kept_notes(settings),
            *preset_notes(settings),
            *type_notes(table, release.shown, settings.hierarchies),
            *state.notes,
            *grouping.notes,
            *people_notes(made.schema, settings, state.profile),
            *value_notes(table, made.requirement),
        ],
        [*unnamed_notes(made.untouched), *preset_notes(settings), *series.promises],
        made.requirement,
        cast(
            list[DominanceSection],
            judge_dominance(
                table, grouping.partition, grouping.wider, made.requirement, made.released_as
            ),
        ),
        survey_columns(recipe),
        release.measures,
        series.section,
    )
    released = Released(
        table, release.shown.names, made.released_as, trees, recipe.roles.drop,
        settings.release.round, release.compared, recipe.release.group_column,
        grouping.left_out, release.steps, release.steps_risk,
    )  # fmt: skip
    how = replace(state.how, seconds=time.perf_counter() - state.means.begin)
    series, built = series.seal(build_report(released, how, findings, release.figures))
    return replace(state, report=built, series=series)


@stage()
def measure(state: State) -> State:
    """Measure what the release costs, and what it still tells."""
    means, working, made, release = state.means, state.working, state.plan, state.release
    if not means.measured:
        return state
    draw_ahead(lambda: state.report)  # while the rest is measured
    means.report("measuring", 0, 1)
    measures = measure_release(
        working.table, release.table, working.coded, state.deleted, made.seed,
        made.settings.roles.weight, made.settings.roles.by, means.threads, release.classes,
    )  # fmt: skip
    built = replace(state.report, measures=measures.to_dict())
    draw_ahead(lambda: built)
    draw_ahead(built.published)
    means.report("measuring", 1, 1)
    return replace(state, report=built)


@stage(
    Reads(("release.intervals",), "a release of intervals in two columns", _has("columns")),
    Reads(("release.keep_order", "release.spreadsheet_safe", "release.dialect")),
    by_region=True,
)
def hand_over(state: State) -> State:
    """Give the release back in the type of the data, with what is known of it."""
    release, series = state.release, state.series
    recipe = release.recipe.replace(roles={"person": state.request.roles.person})
    data = for_frame(release.shown, recipe.release.intervals).to_native()
    partition = state.grouping.partition
    result = Result(data, state.report, partition, release.shown, recipe, series.pending)
    return replace(state, result=result)


STAGES = (
    read, plan, design, encode, group, suppress, aggregate, total, weigh, step, cover, verify,
    count, report, measure, hand_over,
)  # fmt: skip
REGION_STAGES = aggregate, cover  # of each region by itself

READS = [own for each in STAGES for own in each.reads]
READS_BY_REGION = [
    Reads(("protect.method",), "method {}", lambda name: find(name).info.name not in BLOCKS),
    Reads(("protect.effort", "protect.seed", "protect.memory", "protect.engine")),
    *(own for each in STAGES if each.by_region for own in each.reads),
]
check_read([*READS, *READS_BY_REGION])


def check_possible(settings: Settings) -> None:
    """Raise RequestError for options that no stage by regions reads."""
    needs = needs_all_records(settings, READS, READS_BY_REGION)
    check_row_wise(settings)
    if needs is None:
        return
    if settings.protect.engine is not None:
        raise RequestError(
            f"{needs} takes all records at once, which no engine has; ask for k alone and method "
            "auto"
        )
    raise RequestError(
        f"the file does not fit in the memory given, and {needs} takes all records at once; "
        f"allow more with {option('memory')}, or ask for k alone and {option('method', 'auto')}"
    )
