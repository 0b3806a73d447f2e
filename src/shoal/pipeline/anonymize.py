"""`anonymize`: Table -> Encoded -> Partition -> released Table -> Report."""

from __future__ import annotations

import logging
import os
import time
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Unpack, cast, overload

import numpy as np
import numpy.typing as npt

from shoal.judge.engine import limited
from shoal.ledger.pending import Pending
from shoal.measures.compute import classes_by, measure_release
from shoal.methods.enforce.rules import judge_dominance
from shoal.methods.enforce.wider import wider_groups
from shoal.methods.series.group import Counterfeits
from shoal.pipeline.frame import framed, with_trees_of
from shoal.pipeline.group import Conditions, find_groups, recoded
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.plan.constraints import build_constraints
from shoal.pipeline.plan.costs import Estimate
from shoal.pipeline.plan.design import survey_columns, survey_design
from shoal.pipeline.plan.notes import (
    column_notes,
    kept_notes,
    people_notes,
    preset_notes,
    type_notes,
    unnamed_notes,
    value_notes,
)
from shoal.pipeline.plan.plan import plan_table, suppressed_section
from shoal.pipeline.plan.reading import read_table
from shoal.pipeline.plan.recipe import repeating_settings
from shoal.pipeline.plan.steps import after_release, costs_before, with_secret
from shoal.pipeline.privacy_warning import privacy_warning
from shoal.pipeline.result import FrameT, Result
from shoal.pipeline.series import Series
from shoal.pipeline.series_groups import group_series, with_counterfeits
from shoal.pipeline.series_report import series_section, with_drift
from shoal.pipeline.steps_risk import steps_risk
from shoal.pipeline.totals import Grouped, read_totals, with_totals
from shoal.pipeline.type_change_warning import type_change_warning
from shoal.progress import Callback, Reporter
from shoal.release.aggregate import aggregate as aggregate_groups
from shoal.release.aggregate import with_weights
from shoal.release.claims import check_coverage, check_release, check_survey
from shoal.release.intervals import for_frame
from shoal.release.prepare import check_holdable
from shoal.release.write import with_group_column
from shoal.report.build import Findings, Released, Run, build_report
from shoal.report.chunk import Chunk
from shoal.report.figures import figures_of
from shoal.report.figures.ranges import compared
from shoal.report.html.document import draw_ahead
from shoal.report.sections import DominanceSection, SuppressedSection
from shoal.report.steps import step_sections
from shoal.settings import Settings
from shoal.settings.signatures import AnonymizeOptions
from shoal.settings.table import takes_options
from shoal.settings.tree import settings_and_run
from shoal.table.dataframes.type_changes import type_changes
from shoal.table.dataframes.whole_periods import in_whole_periods
from shoal.table.encode_nodes import code
from shoal.table.table import Table

Integers = npt.NDArray[np.int64]
LOG = logging.getLogger(__name__)


@overload
def anonymize(
    data: str | os.PathLike[str] | npt.NDArray[Any],
    k: int | None = None,
    *,
    progress: Shown = False,
    callback: Callback | None = None,
    **options: Unpack[AnonymizeOptions],
) -> Result[Table]:
    """Of a file or an array."""


@overload
def anonymize(
    data: Table,
    k: int | None = None,
    *,
    progress: Shown = False,
    callback: Callback | None = None,
    **options: Unpack[AnonymizeOptions],
) -> Result[object]:
    """Of a Table, whose dataframe, if it is of one, can be of any type."""


@overload
def anonymize(
    data: FrameT,
    k: int | None = None,
    *,
    progress: Shown = False,
    callback: Callback | None = None,
    **options: Unpack[AnonymizeOptions],
) -> Result[FrameT]:
    """Of a dataframe, whose type comes back."""


@takes_options("anonymize")
def anonymize(
    data: Any,
    k: int | None = None,
    *,
    progress: Shown = False,
    callback: Callback | None = None,
    **options: Unpack[AnonymizeOptions],
) -> Result[Any]:
    """Make a table safe to release: each record hides among at least k.

    Parameters
    ----------
    data : path, dataframe, array, list, dict or Table
        A file (csv, Parquet, Feather, JSON lines, SPSS, Stata, SAS, Excel), a table of a database
        ("survey.duckdb#patients"), or a table in memory, which is never changed. Lazy frames
        (polars, DuckDB, Ibis) and Arrow streams are computed and read once. Also a list of rows,
        whose columns are x0, x1, …, a list of dicts, or a dict of columns.
    {progress}
    callback : callable, optional
        Gets a `Progress`; True from it ends a search with its best, and cancels anything else.
    {options}

    Returns
    -------
    Result
        The released data in the caller's type, its report, partition and settings. Of a polars
        LazyFrame it is a DataFrame, of a DuckDB relation, an Ibis expression or another Arrow
        stream a pyarrow Table, of a file or an array a Table; lists and dicts come back as such.

    Raises
    ------
    InputError
        The data cannot be read, or hold what no rule covers.
    RequestError
        The options contradict each other or the data.
    PrivacyError
        What is asked cannot be met by any release of these records.

    Warns
    -----
    TypeChangeWarning
        Columns come back with another type; it says which option keeps theirs.
    PrivacyWarning
        Kept columns single out more than 5 % of the records; `result.report` says more.

    Notes
    -----
    With no roles given every column is a quasi-identifier; with any given, the unnamed ones are
    released as they are, and listed in the report. With `group`, the groups that this column holds
    are refined (`refine` is how, see `shoal.refine`) instead of new ones made. `method="auto"`
    searches for the least loss as long as `effort` says: quick, normal or best, about 1, 10 or 60
    seconds for a thousand records; `start` to `search` are for searches, see
    `shoal.microaggregate`.

    Groups release the means of numbers and dates, and the closest common generalization of texts.
    `numbers="interval"` releases intervals instead, and so do methods that are named for it
    (`kaim`, `k-member`), and columns that have a hierarchy. Where quasi-identifiers hold texts,
    `auto` is `kaim+`, which generalizes as little as possible; where all release means, medians,
    modes or medoids, it searches with the distance that these lose (see `shoal.microaggregate`).
    `suppress` leaves out up to this share of the records, those without which the others lose
    least; the loss counts each as wholly lost.
    `full-domain` releases one level of every column for all records, and leaves out up to the share
    `suppress` of them where their classes are smaller than k.
    `hierarchies` says of a column what its tree is ("ages.csv", "widths:5,10", "prefixes:3,2",
    "dates"; see `shoal hierarchy build`), or is a folder of files COLUMN.csv; the others get
    balanced intervals or a flat tree, texts that are codes of one length, such as postcodes, their
    prefixes, which report and recipe say. In matching a missing cell is a value of its own. A group
    releases a mean for all its records if at least k of its cells are present (of k people, where
    `person` is given), so that nobody can tell who had none; else, and of texts, `*`.
    `incomplete="delete"` leaves such records out. `orders` lists the values of an ordinal column,
    the least first ({"pain": ["mild", "severe"]}); ordered categories of a dataframe need none.
    Such a column counts by rank and releases its groups' medians, or ranges where other columns are
    generalized. `aggregate` is a group's value, for all columns or by name: mean, median, mode,
    medoid, generalize, or range ([least,greatest]).

    Of columns that are kept, `round` says to multiples of what they are rounded ({"cost": 100};
    dates to days). An other column in which more than half of the records are unique is an error,
    unless `keep_unique` names it; the report says how many records the kept columns single out.

    `group_column` adds a last column of this name with the number of each record's group. The
    numbers are drawn at random at every run and say nothing but which records were grouped; the
    judge counts them as one more quasi-identifier.

    `weight` is a column of survey weights: means, distances and losses count by them, and the
    weighted totals of means stay what they were, up to rounding. `weights_as` is what becomes of
    the weights: mean (each group's, the default), rounded:N, exact or drop. `by` names columns
    whose combinations are strata: groups are made within them; one with fewer than k records is an
    error, or joined to another with `small_strata="merge"`. `household` says which records stay
    together: groups are then of at least k households. `person` names the identifier that says
    whose record each is, where people have several: every group is then of at least k people, each
    with all records, and l, t and alpha count people: each person and value of a group once. Where
    identifiers are given and every one of them repeats, one of them must be the `person`, or
    `count="records"` says that records are meant.

    Beyond k, of every sensitive column, or by the names of some: `l` different values in each group
    (`l_kind`: distinct, entropy, or recursive with `c`), a distribution within `t` of the table's
    (earth mover's distance: ordered for numbers, by the tree for columns in `hierarchies`, else
    equal), no value more than `alpha` of a group. l and alpha take texts that differ in case,
    spaces or signs that cannot be seen for one value, and t takes the larger distance; a missing
    cell adds nothing to l and alpha, or is a value with `missing_sensitive="value"`; `dominance` is
    the p of the p % rule for numbers that release means; `beta`, `delta`, `e` and `l_of` are
    β-likeness, δ-disclosure privacy, (k,e)-anonymity of numbers and an l of combinations
    ({("ill", "pay"): 3}); `k_of` is an own k for some quasi-identifiers
    ({("age", "zip"): 10}). Every method keeps what is asked: `enforce` says how, by slices, swap or
    merge, auto by what loses least. What cannot be met is a PrivacyError.

    Examples
    --------
    >>> import shoal
    >>> patients = {"age": [34, 36, 35, 61, 63, 62], "stay": [2, 3, 2, 9, 8, 9]}
    >>> result = shoal.anonymize(patients, 3)
    >>> result.data["age"]
    [35, 35, 35, 62, 62, 62]
    """
    settings, run = settings_and_run({"k": k, **options})
    with reporting(progress, callback) as report:
        result = anonymize_with(data, settings, report, run.threads)
    changes = type_changes(result.table, result.data)
    changed = type_change_warning(changes, result.report, settings.hierarchies)
    for warning in (changed, privacy_warning(result.report)):
        if warning is not None:
            warnings.warn(warning, stacklevel=3)
    return result


def anonymize_with(
    data: Any,
    settings: Settings,
    callback: Callback | Reporter | None = None,
    threads: int | None = None,
    folder: Path | None = None,
    on_estimate: Callable[[Estimate], None] | None = None,
    measured: bool = True,
    kind: str | None = None,
    series: Series | None = None,
) -> Result[Any]:
    """Return the verified Result of data and settings, step by step.

    `folder` holds the files of hierarchies; `on_estimate` is called with the estimated time and
    memory before the groups are formed. `kind` is the kind of file that the release is for, where
    it is known: what such a file could not hold is refused before that, too. If it is not
    `measured`, the report has no measures of utility and risk, and cannot be published. `series` is
    what is known of earlier releases, where it is not the whole ledger that settings name.
    """
    start = time.perf_counter()
    report = Reporter.of(callback)
    report("reading", 0, 1)
    settings, drawn = with_secret(settings)
    asked, gone = settings, 0
    series = Series.open(settings) if series is None else series
    original, given = read_table(data, settings, threads)
    LOG.info("%d records, %d columns", original.rows, len(original.columns))
    if series is not None:
        settings = series.grouped_settings
        original, gone = series.admitted(original)
    plan, profile = plan_table(original, settings, folder)
    stable = None if series is None else series.stable
    if stable is not None and stable.frame is not None:
        settings = with_trees_of(stable.frame, plan, settings)
        plan, profile = plan_table(original, settings, folder)
    table, survey, notes = survey_design(plan.prepared(original), plan)
    plan.check_fits()
    totals = read_totals(table, plan, survey)
    who = None if series is None else series.members(table, plan)
    if plan.estimate is not None and on_estimate is not None:
        on_estimate(plan.estimate)

    grouped = plan.without_strata(table)
    coded = None
    if plan.needs_codes:
        on_column = partial(report, "coding")
        coded = code(grouped, plan.hierarchies, folder, plan.ranges, on_column)
    if kind is not None:
        check_holdable(table, plan.settings, plan.aggregators, coded, kind)
    if who is not None:
        who, drift = framed(
            who, grouped, plan, coded, survey.weights, stable, series is not None and series.strict
        )
    rule = None if who is None else who.rule
    conditions = Conditions(given, build_constraints(grouped, plan, survey.persons, rule), survey)
    pending: Pending | None = None
    promised: list[str] = []
    false = Counterfeits.none()
    if who is None:
        partition, more = find_groups(grouped, plan, coded, conditions, report, threads)
    else:
        own = group_series(table, grouped, plan, coded, conditions, who, gone, report, threads)
        table, grouped, coded, survey = own.table, own.grouped, own.coded, own.survey
        partition, more, promised = own.partition, [*own.notes, *drift], own.promised
        who, false, pending = own.who, own.counterfeits, own.pending
    LOG.info("%s", partition.summary())
    left_out = SuppressedSection()
    if partition.recoding is None:
        if partition.suppression is not None:
            left_out = suppressed_section(table, plan, survey, partition.suppressed)
        if partition.suppressed.size:
            kept = np.delete(np.arange(table.rows), partition.suppressed)
            table, grouped, survey = table.take(kept), grouped.take(kept), survey.take(kept)
            if coded is not None:  # intervals of the data are those of the records that are left
                coded = code(grouped, plan.hierarchies, folder, plan.ranges)
        wider = wider_groups(grouped, partition, plan.requirement, report, survey.strata)
    else:  # whose classes have the k of every column
        assert coded is not None
        wider = {}
        table, coded, survey = recoded(partition.recoding, table, coded, survey)

    report("releasing", 0, 1)
    aggregators = plan.released_as
    released = aggregate_groups(table, partition, plan.aggregation, coded, wider, survey)
    released = in_whole_periods(released)
    if totals is not None:
        groups = Grouped(partition, wider, survey.strata)
        released = with_totals(released, table, totals, plan, groups)
    released, weights = with_weights(released, partition, *plan.released_weights)
    stepped = after_release(released, plan.settings, partition.labels)
    released = stepped.table
    if coded is not None:
        on_column = partial(report, "checking")
        check_coverage(table, released, aggregators, plan.all_hierarchies, folder, on_column)
    recipe = repeating_settings(plan, partition.method, partition.search)
    wide = replace(partition, labels=false.joined_to(partition.labels))
    shown = released
    if who is not None and who.kinds is not None:
        shown = with_counterfeits(released, false, who.column, who.kinds.own)
    numbered = with_group_column(shown, wide, plan.settings.release.group_column)
    with limited(threads=threads):
        verification = check_release(numbered, recipe)
    LOG.info("verified: %d classes, the smallest of %d", verification.classes, verification.k)
    notes = [*notes, *check_survey(numbered, recipe, survey), *more]

    deleted = original.rows - table.rows
    steps = step_sections(costs_before(original, plan.settings, folder), stepped.costs)
    trees = {} if coded is None else {column.name: column for column in coded.columns}
    rules = [column.rule for column in trees.values()]
    chunk = Chunk(
        table, released, partition.labels, aggregators, coded,
        {name: groups.labels for name, groups in wider.items()}, survey.weights, weights,
        table if deleted else plan.stepped(original),
    )  # fmt: skip
    classes = classes_by(numbered, recipe.class_columns)[: released.rows]
    result = build_report(
        Released(
            table, numbered.names, aggregators, trees, recipe.roles.drop, plan.rounding,
            compared(table, released, trees, plan.k, threads, classes) if measured else {},
            recipe.release.group_column, left_out, steps,
            steps_risk(steps, original, table, released, classes) if measured else {},
        ),
        Run.of(partition, plan.seed, time.perf_counter() - start, given is not None),
        Findings(
            verification.to_dict(),
            [
                *column_notes(plan, plan.grouped_profile(profile), rules),
                *kept_notes(plan.settings),
                *preset_notes(plan.settings),
                *type_notes(table, released, plan.all_hierarchies),
                *drawn,
                *notes,
                *people_notes(plan.schema, plan.settings, profile),
                *value_notes(table, plan.requirement),
            ],
            [*unnamed_notes(plan.untouched), *preset_notes(plan.settings), *promised],
            plan.requirement,
            cast(
                list[DominanceSection],
                judge_dominance(table, partition, wider, plan.requirement, aggregators),
            ),
            survey_columns(recipe),
            series=series_section(pending, promised),
        ),
        figures_of([chunk], plan.k, deleted, coded, threads, left_out.get("records") or 0),
    )  # fmt: skip
    if pending is not None:
        result, pending = with_drift(result, pending, stable is not None)
    if measured:
        draw_ahead(result)  # while the rest is measured
        report("measuring", 0, 1)
        measures = measure_release(
            table, released, coded, deleted, plan.seed, plan.weight, plan.strata, threads, classes
        )
        result = replace(result, measures=measures.to_dict())
        report("measuring", 1, 1)
    data = for_frame(numbered, recipe.release.intervals).to_native()
    recipe = recipe.replace(roles={"person": asked.roles.person})
    return Result(data, result, partition, numbered, recipe, pending)
