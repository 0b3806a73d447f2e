"""`microaggregate` and `refine`: a matrix or table in, a Partition out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar, overload

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import group_means, percent, squared_error, squares
from shoal.methods.auto import by_hierarchies, check_effort
from shoal.methods.ils.parameters import Search
from shoal.methods.options import check_options
from shoal.methods.problem import Nodes, Points, Problem, check_size
from shoal.methods.registry import find, find_refinement
from shoal.methods.solve import solve
from shoal.partition import Partition, check_labels, first_rows
from shoal.pipeline.live import Shown, reporting
from shoal.progress import Callback, Reporter
from shoal.release.aggregate import Aggregators
from shoal.release.aggregate import aggregate as aggregate_groups
from shoal.settings import count, search_options, whole
from shoal.table.assign import all_quasi_identifiers
from shoal.table.encode import Encoded, check_numeric, encode
from shoal.table.encode_nodes import code
from shoal.table.ordinal import with_orders
from shoal.table.read import read
from shoal.table.roles import Role
from shoal.table.survey import check_weights
from shoal.table.table import Table

FrameT = TypeVar("FrameT")


def microaggregate(
    X: Any,
    k: int,
    *,
    method: str = "mdav",
    seed: int = 0,
    standardize: bool = True,
    column_weights: Mapping[str, float] | None = None,
    start: Any = None,
    max_iterations: int | None = None,
    time_limit: float | None = None,
    runs: int | None = None,
    search: Search | Mapping[str, Any] | None = None,
    effort: str = "normal",
    hierarchies: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    threads: int | None = None,
    progress: Shown = False,
    callback: Callback | None = None,
    weights: Any = None,
) -> Partition:
    """Group similar records so that every group has at least k, and return the groups.

    Parameters
    ----------
    X : array, dataframe, list or Table
        The records; of a Table its quasi-identifiers are used. Numbers count by their squared
        standardized differences, texts by the paths between them in their hierarchies; a missing
        cell is far from all others.
    k : int
        The least number of records of a group.
    method : str, default "mdav"
        A name of `shoal.methods()`.
    seed : int, default 0
        The same seed gives the same groups, on any number of threads.
    standardize : bool, default True
        Whether numbers are divided by their standard deviation.
    column_weights : mapping of str to float, optional
        How much a column counts in distances.
    start : str or labels, optional
        Where a search begins: the name of a method, "random", or labels. For `kaim` and its
        relatives random, farthest or common (the record a group begins with).
    max_iterations : int, optional
        Perturbations of a search (restarts of `ls` and `lsc`).
    time_limit : float, optional
        Seconds of a search, after compilation.
    runs : int, optional
        Searches that are made, on up to `threads` threads; the best counts, of searches on trees
        the best of every connected block of groups.
    search : Search or mapping, optional
        Other parts of a search, as a recipe's [search] has them.
    effort : {"quick", "normal", "best"}, default "normal"
        How long `auto` searches.
    hierarchies : mapping of str to str, optional
        The hierarchy of a column, as in `shoal.anonymize`; flat where none is given.
    orders : mapping of str to sequence of str, optional
        The values of ordinal columns, the least first; they count by rank.
    threads : int, optional
        The most threads that work at once.
    progress : bool or callable, default False
        True shows how far it is: on a terminal, in a notebook, else in lines on stderr. A callable
        gets a `Progress`, as `callback` does.
    callback : callable, optional
        Gets a `Progress`; True from it cancels the run, and ends a search with its best.
    weights : array of n floats above 0, optional
        Survey weights: how many of the population a record stands for. Standardization, centroids
        and losses count by them; a group has k records whatever they weigh.

    Returns
    -------
    Partition
        Labels, group sizes and the information loss.

    Notes
    -----
    The rows keep their order: the same rows in another order may give other groups where distances
    tie.

    References
    ----------
    `shoal.methods()` has the citation of every method.

    Examples
    --------
    >>> import numpy as np, shoal
    >>> groups = shoal.microaggregate(np.array([[1.0], [2.0], [9.0], [8.0]]), 2)
    >>> groups.labels.tolist()
    [0, 0, 1, 1]
    """
    k, seed = group_size(k), checked_seed(seed)
    check_effort(effort)
    info = find(method).info
    tree = search.to_dict() if isinstance(search, Search) else search or {}
    counts = count(max_iterations, "max_iterations"), time_limit, count(runs, "runs")
    options = search_options(tree, *counts)
    if method != "auto":
        check_options(info, start, options)
    table = with_orders(read(X), orders)
    check_size(table.rows, k)
    if start is not None and not isinstance(start, str):
        start = check_labels(start, table.rows, k, "start")
    threads = None if threads is None else max(1, whole(threads, "threads"))
    own = None if weights is None else _survey_weights(weights, table.rows)
    as_table = method == "auto" or info.by_table
    on_nodes = info.on_nodes or (as_table and by_hierarchies(table, hierarchies))
    encoding = encoding_of(
        table, on_nodes, k, standardize, column_weights, hierarchies, own, threads
    )
    problem = Problem(encoding, k, seed, effort, start, options, threads=threads)
    with reporting(progress, callback) as report:
        return solve(problem, method, Reporter.of(report))


def encoding_of(
    table: Table, on_nodes: bool, k: int, standardize: bool, weights: Mapping[str, float] | None,
    hierarchies: Mapping[str, str] | None, survey: Floats | None = None, threads: int | None = None,
) -> Points | Nodes:  # fmt: skip
    """Return the records as they are grouped: as nodes of hierarchies, or as points."""
    if on_nodes:
        return Nodes(code(table, hierarchies), weights, weights=survey)
    encoded = encoded_table(table, k, standardize, weights, hierarchies, survey, threads)
    return Points(encoded.matrix, encoded.mixed, survey)


def _survey_weights(weights: Any, rows: int) -> Floats:
    """Return weights as floats, one above 0 a record."""
    try:
        own = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise RequestError("weights must be one number a record") from None
    if own.shape != (rows,):
        raise RequestError(f"weights must be one number a record: {own.size} for {rows} records")
    return check_weights(own, "weights", lambda bad: f"the first in row {bad[0]}")


def refine(
    X: Any,
    labels: Any,
    k: int,
    *,
    how: str = "iterative+",
    standardize: bool = True,
    column_weights: Mapping[str, float] | None = None,
    hierarchies: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
    seed: int = 0,
    max_iterations: int | None = None,
    time_limit: float | None = None,
    progress: Shown = False,
    callback: Callback | None = None,
) -> Partition:
    """Refine a given grouping: fewer, larger groups where that loses less.

    Parameters
    ----------
    X : array, dataframe or Table
        The records, as in `microaggregate`.
    labels : sequence of n
        The group of each record, as numbers or texts; every group must have k records.
    k : int
        The least number of records of a group.
    how : str, default "iterative+"
        `phase2` (groups of much loss are dissolved into their neighbors [1]_), `decompose` (every
        group is tried once [2]_), `iterative` (dissolved and shrunk until nothing changes [2]_),
        `decompose+` and `iterative+` (our own forms of these, with less loss), or a search from
        there: `ilsmc+` for the least squared error, `kaim+` for the least generalization.
    standardize, column_weights, hierarchies, orders
        As in `microaggregate`.
    seed, max_iterations, time_limit
        Of a search, as in `microaggregate`.
    progress : bool or callable, default False
        True shows how far it is: on a terminal, in a notebook, else in lines on stderr. A callable
        gets a `Progress`, as `callback` does.
    callback : callable, optional
        Gets a `Progress`; True from it cancels the run, and ends a search with its best.

    Returns
    -------
    Partition
        Never with more loss than the given groups; where nothing helps, the same groups.

    References
    ----------
    .. [1] Chang, Li and Huang 2007, TFRP: an efficient microaggregation algorithm for statistical
       disclosure control, JSS 80(11).
    .. [2] Khomnotai, Lin, Peng and Santra 2018, Iterative group decomposition for refining
       microaggregation solutions, Symmetry 10(7).

    Examples
    --------
    >>> import numpy as np, shoal
    >>> X = np.array([[1.0], [2.0], [8.0], [9.0], [1.5], [8.5]])
    >>> shoal.refine(X, ["all"] * 6, 3).labels.tolist()
    [0, 0, 1, 1, 0, 1]
    """
    k = group_size(k)
    table = with_orders(read(X), orders)
    check_size(table.rows, k)
    start = check_labels(labels, table.rows, k)
    options = search_options({}, count(max_iterations, "max_iterations"), time_limit, None)
    seed = checked_seed(seed)
    method = find_refinement(how, options)
    encoding = encoding_of(table, method.info.on_nodes, k, standardize, column_weights, hierarchies)
    problem = Problem(encoding, k, seed, start=start, options=options)
    with reporting(progress, callback) as report:
        return solve(problem, method, Reporter.of(report))


def encoded_table(
    table: Table,
    k: int,
    standardize: bool,
    weights: Mapping[str, float] | None,
    hierarchies: Mapping[str, str] | None,
    survey: Floats | None = None,
    threads: int | None = None,
) -> Encoded:
    """Return the matrix that is grouped; refuse hierarchies that it ignores."""
    texts = [c.name for c in table.with_role(Role.QUASI_IDENTIFIER) if not c.has_places]
    encoded = encode(
        table, standardize=standardize, weights=weights, hierarchies=hierarchies, k=k,
        survey=survey, threads=threads,
    )  # fmt: skip
    if hierarchies and not set(texts).intersection(hierarchies):
        raise RequestError(
            "hierarchies are given for numbers only, which this method groups by their differences"
        )
    return encoded


def checked_seed(seed: Any) -> int:
    """Return a seed as a number; raise RequestError if it is invalid."""
    number = whole(seed, "seed")
    if number < 0:
        raise RequestError("seed must not be negative")
    return number


def group_size(k: Any) -> int:
    """Return k as a number; raise RequestError if it is invalid."""
    size = whole(k, "k")
    if size < 1:
        raise RequestError(f"k must be at least 1, not {size}")
    return size


@dataclass(frozen=True, eq=False, repr=False)
class ColumnByColumn(Generic[FrameT]):
    """Every column grouped on its own. Not k-anonymous jointly: for comparison, not for release.

    `data` has the caller's type of dataframe, `labels` one column of group numbers for each of
    `names`, `information_loss` is SSE/SST over all columns, in percent.
    """

    data: FrameT
    labels: Integers
    names: tuple[str, ...]
    k: int
    information_loss: float
    jointly_k_anonymous: bool = False

    def summary(self) -> str:
        """Return a summary in two lines."""
        return (
            f"{len(self.labels)} records, {len(self.names)} columns each grouped on its own, "
            f"k = {self.k}: information loss {self.information_loss:.4f} (SSE/SST, percent)\n"
            "not k-anonymous jointly: records can be told apart by their combinations; "
            "do not release"
        )

    def __str__(self) -> str:
        return self.summary()


@overload
def microaggregate_columns(
    X: str | os.PathLike[str] | npt.NDArray[Any], k: int
) -> ColumnByColumn[Table]:
    """Of a file or an array."""


@overload
def microaggregate_columns(X: Table, k: int) -> ColumnByColumn[object]:
    """Of a Table, whose dataframe, if it is of one, can be of any type."""


@overload
def microaggregate_columns(X: FrameT, k: int) -> ColumnByColumn[FrameT]:
    """Of a dataframe, whose type comes back."""


def microaggregate_columns(X: Any, k: int) -> ColumnByColumn[Any]:
    """Group each column on its own, optimally: individual ranking [1]_.

    Every single value is shared by k records, their combinations are not: nearly every record can
    be found again. It is what risk measures compare with, and what `anonymize` refuses to do.

    Parameters
    ----------
    X : array, dataframe or Table
        The records; of a Table its quasi-identifiers are grouped.
    k : int
        The least number of records that share a value.

    Returns
    -------
    ColumnByColumn
        The data with the mean of each column's groups, and the labels.

    References
    ----------
    .. [1] Hansen and Mukherjee (2003), A polynomial algorithm for optimal univariate
       microaggregation.
    """
    k = group_size(k)
    table = read(X)
    if not table.roles_given:
        table = all_quasi_identifiers(table)
    check_size(table.rows, k)
    for each in table.with_role(Role.QUASI_IDENTIFIER):
        check_numeric(each, table)
    encoded = encode(table)
    labels = np.empty(encoded.matrix.shape, dtype=np.int64)
    released: dict[str, Any] = {}
    lost = 0.0
    for j, name in enumerate(encoded.names):
        column = np.ascontiguousarray(encoded.matrix[:, j : j + 1])
        alone = replace(table, columns=(table[name],))
        partition = solve(Problem(Points(column), k), "optimal-1d", Reporter(None))
        labels[:, j] = partition.labels
        lost += float(squared_error(column, partition.labels).sum())
        released[name] = aggregate_groups(alone, partition, Aggregators("mean"))[name]
    total = float(squares(encoded.matrix - encoded.matrix.mean(axis=0)).sum())
    shown = table.mapped(lambda column: released.get(column.name, column))
    return ColumnByColumn(shown.to_native(), labels, encoded.names, k, percent(lost, total))


def distance_groups(table: Table, k: int, method: str, seed: int, standardize: bool) -> Partition:
    """Group the records of a table by the distance that means and modes lose.

    `microaggregate` would let `auto` group texts and missing cells by hierarchies, which is for
    generalized values.
    """
    k = group_size(k)
    if find(method).info.on_nodes:
        return microaggregate(table, k, method=method, seed=seed)
    check_size(table.rows, k)
    encoding = encoding_of(table, False, k, standardize, None, None)
    return solve(Problem(encoding, k, checked_seed(seed)), method, Reporter.of(None))


def present_means(matrix: Floats, labels: Integers, k: int) -> Floats:
    """Return each group's means of the cells that are there, one row a group.

    One of fewer than k cells is NaN, as in `shoal.anonymize`: else it would tell who has a value.
    """
    means = np.full((int(labels.max()) + 1, matrix.shape[1]), np.nan)
    for place, column in enumerate(matrix.T):
        there = ~np.isnan(column)
        enough = np.bincount(labels[there], minlength=len(means)) >= k
        rows = there & enough[labels]
        if rows.any():
            groups, own = np.unique(labels[rows], return_inverse=True)
            means[groups, place] = group_means(column[rows, None], own)[:, 0]
    return means


def group_rows(table: Table, partition: Partition) -> Any:
    """Return what each group releases, one row a group, in the caller's type of dataframe.

    Means of numbers and dates, medians of ordinal columns, modes of texts; no value of a text
    where a cell of the group is missing.
    """
    texts = table.only(lambda column: not column.has_places)
    ways = {c.name: "mean" if c.has_places else "mode" for c in table.columns}
    coded = code(texts) if texts.columns else None
    released = aggregate_groups(table, partition, Aggregators(ways), coded)
    return released.take(first_rows(partition.labels, partition.groups)).to_native()
