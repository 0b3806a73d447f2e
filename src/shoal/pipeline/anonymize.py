"""`anonymize`: Table -> Encoded -> Partition -> released Table -> Report."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any, Unpack, overload

import numpy.typing as npt

from shoal.errors import PrivacyWarning, TypeChangeWarning, listed, shown
from shoal.hints import Message, option
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.plan.estimate import Estimate
from shoal.pipeline.plan.steps import with_secret
from shoal.pipeline.result import FrameT, Result
from shoal.pipeline.stages import STAGES
from shoal.pipeline.state import Means, State, carry_out
from shoal.progress import Callback, Reporter
from shoal.report.fields import BUT, ColumnReport, verdict_text
from shoal.report.report import Report
from shoal.series.no_series import NoSeries
from shoal.series.series import Series
from shoal.settings import Settings
from shoal.settings.signatures import AnonymizeOptions
from shoal.settings.table import takes_options
from shoal.settings.tree import settings_and_run
from shoal.table.dataframes.type_changes import TypeChange, type_changes
from shoal.table.roles import Kind
from shoal.table.table import Table


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
    unsafe = None
    if result.report.verdict == BUT:
        unsafe = PrivacyWarning(
            f"{verdict_text(result.report.verdict, result.report.measures)}; drop, round or "
            "quasi_identifiers can name such columns"
        )
    for warning in (changed, unsafe):
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
    series: NoSeries | None = None,
) -> Result[Any]:
    """Return the verified Result of data and settings, step by step.

    `folder` holds the files of hierarchies; `on_estimate` is called with the estimated time and
    memory before the groups are formed. `kind` is the kind of file that the release is for, where
    it is known: what such a file could not hold is refused before that, too. If it is not
    `measured`, the report has no measures of utility and risk, and cannot be published. `series` is
    what is known of earlier releases, where it is not the whole ledger that settings name.
    """
    means = Means(
        Reporter.of(callback), threads, folder, kind, measured=measured, on_estimate=on_estimate
    )
    request, notes = with_secret(settings)
    series = series or Series.of(request)
    state = State(data, request, means, series, notes=notes)
    return carry_out(STAGES, state).result


NAMED = 6  # columns whose types are told


def type_change_warning(
    changes: Sequence[TypeChange], report: Report, hierarchies: Collection[str]
) -> TypeChangeWarning | None:
    """Return one warning that names every changed column and what keeps its type; None of none.

    Nothing is advised of columns whose hierarchy was given: their words were asked for.
    """
    if not changes:
        return None
    told = [f"{shown(own.name)} ({own.before}, now {own.after})" for own in changes[:NAMED]]
    if len(changes) > NAMED:
        told.append(f"{len(changes) - NAMED} more")
    names = {own.name for own in changes}.difference(hierarchies)
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
