"""The named methods as data: the only menu.

A recipe joins the parts of `numeric` and `search` (and of the rooms to come) and says what it costs
and where it is from. `solve` is the one place that runs a recipe, `improve` the one that refines a
grouping, `choose` the one where `auto` is decided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, nearest_names, shown
from shoal.measures.loss import information_loss
from shoal.numeric.candidates import gsms
from shoal.numeric.diameter import diameter
from shoal.numeric.fixed_size import fixed_size, mdav
from shoal.numeric.paths import hilbert, mdav_mhm, mst, optimal_1d
from shoal.numeric.refine.how import HOW, Refinement, decompose_once, iterate, phase_two
from shoal.numeric.seed import column_extremes, overall_extremes
from shoal.numeric.variable_size import v_mdav
from shoal.partition import Partition
from shoal.progress import Reporter
from shoal.search.parameters import MOVES, Annealing, Search
from shoal.search.run import search

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Grouping = Callable[[Floats, int, Reporter], Integers]

MDAV_2005 = (
    "Domingo-Ferrer and Torra 2005, Ordinal, continuous and heterogeneous k-anonymity through "
    "microaggregation, DMKD 11(2)"
)
MST_2005 = (
    "Laszlo and Mukherjee 2005, Minimum spanning tree partitioning algorithm for "
    "microaggregation, IEEE TKDE 17(7)"
)
TFRP_2007 = (
    "Chang, Li and Huang 2007, TFRP: an efficient microaggregation algorithm for statistical "
    "disclosure control, JSS 80(11)"
)
GSMS_2013 = (
    "Panagiotakis and Tziritas 2013, Successive group selection for microaggregation, "
    "IEEE TKDE 25(5)"
)
DECOMPOSE_2018 = (
    "Khomnotai, Lin, Peng and Santra 2018, Iterative group decomposition for refining "
    "microaggregation solutions, Symmetry 10(7)"
)
LS_2015 = (
    "Laszlo and Mukherjee 2015, Iterated local search for microaggregation, Journal of Systems and "
    "Software 100"
)
ILSMC_2020 = "Iterated local search for microaggregation with change tracking (2020 thesis)"


@dataclass(frozen=True)
class Method:
    """One line of the menu: what `shoal methods` shows, and the parts that run."""

    name: str
    kind: str
    summary: str
    cost: str
    citation: str
    group: Grouping | None
    refine: Refinement | None = None
    columns: int | None = None
    search: Search | None = None


FIXED = "numeric, fixed size"
NN = "O(n²/k) time at most, O(n·d) memory"
NC = "O(n²) time at most, O(n·d) memory"

_SEVEN = (
    Method(
        "cbfs-nn", FIXED,
        "the record farthest from the mean takes in its k - 1 nearest",
        NN, MST_2005, fixed_size,
    ),
    Method(
        "cbfs-nc", FIXED,
        "the record farthest from the mean takes in whoever is nearest to its group",
        NC, MST_2005, partial(fixed_size, by_centroid=True),
    ),
    Method(
        "mdav-nn", FIXED,
        "as mdav, but groups of exactly k and left-overs to the nearest group",
        NN, DECOMPOSE_2018, mdav,
    ),
    Method(
        "mdav-nc", FIXED,
        "as mdav-nn, but each group takes in whoever is nearest to its centroid",
        NC, DECOMPOSE_2018, partial(mdav, by_centroid=True),
    ),
    Method(
        "tfrp-nn", FIXED,
        "seeds are farthest from the corners of all maxima and all minima in turn",
        NN, DECOMPOSE_2018, partial(fixed_size, references=column_extremes),
    ),
    Method(
        "tfrp-nc", FIXED,
        "as tfrp-nn, but each group takes in whoever is nearest to its centroid",
        NC, DECOMPOSE_2018, partial(fixed_size, references=column_extremes, by_centroid=True),
    ),
    Method(
        "gsms-nn", FIXED,
        "of all groups of a record and its k - 1 nearest, the one that leaves the least loss",
        "O(n²/k + n·k log n) time on usual data, O(n·(k + d)) memory", GSMS_2013, gsms,
    ),
)  # fmt: skip

_OTHERS = (
    Method(
        "mdav", FIXED,
        "groups in pairs, around the record farthest from the mean and its opposite",
        NN, MDAV_2005, partial(mdav, classic=True),
    ),
    Method(
        "centroid", FIXED,
        "the record farthest from the mean takes in whoever is nearest to its group (cbfs-nc)",
        NC, MST_2005, partial(fixed_size, by_centroid=True),
    ),
    Method(
        "diameter", FIXED,
        "groups in pairs, around the two records farthest from each other",
        "O(n²) time on usual data, O(n·d) memory", MST_2005, diameter,
    ),
    Method(
        "tfrp1", FIXED,
        "seeds are farthest from two fixed points in turn: all places least, all places largest",
        NN, TFRP_2007, partial(fixed_size, references=overall_extremes),
    ),
)  # fmt: skip

_VARIABLE = (
    Method(
        "v-mdav", "numeric, variable size",
        "groups of k, extended to up to 2k - 1 while a neighbor is nearer to them than to others; "
        "gamma 0.2 and 1.1, the better of the two",
        "O(n²) time at most, O(n·d) memory",
        "Solanas and Martínez-Ballesté 2006, V-MDAV: a multivariate microaggregation with "
        "variable group size, COMPSTAT",
        v_mdav,
    ),
    Method(
        "mdav-mhm", "numeric, variable size",
        "the best cuts of a path through the groups of mdav, nearest group next",
        "O(n²/k + n·k) time at most, O(n·d) memory",
        "Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006, Efficient multivariate "
        "data-oriented microaggregation, VLDB Journal 15(4)",
        mdav_mhm,
    ),
    Method(
        "mst", "numeric, variable size",
        "the longest edges of the minimum spanning tree are cut; what has 2k records is split",
        "O(n²) time, O(n·d) memory", MST_2005, mst,
    ),
    Method(
        "hilbert", "numeric, variable size",
        "the best cuts of a Hilbert curve through all records; time hardly more than linear",
        "O(n log n + n·k) time, O(n·d) memory",
        "Skilling 2004, Programming the Hilbert curve, AIP 707; Hansen and Mukherjee 2003",
        hilbert,
    ),
    Method(
        "optimal-1d", "one numeric column, optimal",
        "no grouping of one column loses less",
        "O(n log n) time, O(n) memory",
        "Hansen and Mukherjee 2003, A polynomial algorithm for optimal univariate "
        "microaggregation, IEEE TKDE 15(4)",
        optimal_1d, columns=1,
    ),
)  # fmt: skip

SEARCH = "numeric, search"

_SEARCHES = (
    Method(
        "ls", SEARCH,
        "shifts and swaps between all pairs of groups until none gains, from random starts",
        "O(n²/k²) a pass, O(n·d) memory; 100 restarts", LS_2015, None,
        search=Search(local="all", neighbors=0, restarts=True),
    ),
    Method(
        "lsc", SEARCH,
        "as ls, but a pass looks only at pairs with a group that has changed",
        "O(n²/k²) for the first pass, O(n·d) memory; 100 restarts", ILSMC_2020, None,
        search=Search(neighbors=0, restarts=True),
    ),
    Method(
        "ilsm", SEARCH,
        "ls, then again and again: a group dissolved or a new one distilled, and ls",
        "O(n²/k²) a pass, O(n·d) memory; 5,000 iterations", LS_2015, None,
        search=Search(local="all", neighbors=0),
    ),
    Method(
        "ilsmc", SEARCH,
        "as ilsm, but only what changed is looked at, and only where neighbors are",
        "an iteration about O(k²·d) whatever n is, O(n·(k + d)) memory; 5,000 iterations",
        ILSMC_2020, None, search=Search(),
    ),
    Method(
        "ilsmc+", SEARCH,
        "as ilsmc, with groups of much loss dissolved first and annealing: the least loss",
        "an iteration about O(k²·d) whatever n is, O(n·(k + d)) memory; 5,000 iterations",
        ILSMC_2020, None, search=Search(moves=MOVES, samples=5, acceptance=Annealing()),
    ),
)  # fmt: skip


def _refined(method: Method, name: str, refinement: Refinement, what: str, citation: str) -> Method:
    return replace(
        method,
        name=name,
        kind="numeric, refined",
        summary=f"{method.name}, then {what}",
        cost=f"{method.cost}; a pass of the refinement O(n²/k) on usual data",
        citation=citation,
        refine=refinement,
    )


def _menu() -> dict[str, Method]:
    every = [*_OTHERS]
    phase2 = "groups of much loss dissolved into their neighbors (phase II)"
    for method in _OTHERS[1:]:
        name = "tfrp" if method.name == "tfrp1" else f"{method.name}+"
        every.append(_refined(method, name, phase_two, phase2, TFRP_2007))
    for method in _SEVEN:
        every.append(method)
        once = "groups dissolved into their neighbors where that loses less"
        every.append(_refined(method, f"{method.name}2", decompose_once, once, DECOMPOSE_2018))
        often = "groups dissolved and shrunk until nothing changes"
        every.append(_refined(method, f"{method.name}3", iterate, often, DECOMPOSE_2018))
    return {method.name: method for method in (*every, *_VARIABLE, *_SEARCHES)}


RECIPES = _menu()
AUTO = "ilsmc+"
EFFORTS = {"quick": 1.0, "normal": 10.0, "best": 60.0}  # seconds for a thousand records
SECONDS_AN_ITERATION = 3.5e-6  # times k²: measured on a thousand records of 13 columns
RANDOM = "random"
COLUMN_BY_COLUMN = "individual-ranking"


def methods() -> list[Method]:
    """Return the methods there are: name, kind, summary, cost and citation of each."""
    return list(RECIPES.values())


def find(name: str) -> Method:
    """Return a method by its name; `auto` is what suits most tables."""
    if not isinstance(name, str):
        raise RequestError("method must be a name; `shoal methods` lists them")
    if name == "auto":
        return RECIPES[AUTO]  # `choose` decides when the table is known
    if name == COLUMN_BY_COLUMN:
        raise RequestError(
            "individual ranking groups each column on its own: jointly it is not k-anonymous and "
            "nearly every record can be found again; shoal.microaggregate_columns does it, for "
            "comparison"
        )
    if name not in RECIPES:
        raise RequestError(
            f"there is no method {shown(name)}{nearest_names(name, ['auto', *RECIPES])}"
        )
    return RECIPES[name]


def check_size(rows: int, k: int, name: str = "the table") -> None:
    """Refuse a table with fewer than k records."""
    if rows < k:
        raise RequestError(f"{name}: n = {rows} records < k = {k}, a group cannot be made")


def _varying(matrix: Floats) -> Floats:
    """Return the columns that vary, which alone have a say; the first one where none does."""
    varying = np.ptp(matrix, axis=0) > 0
    if varying.all():
        return matrix
    return np.ascontiguousarray(matrix[:, varying] if varying.any() else matrix[:, :1])


@dataclass(frozen=True)
class Choice:
    """What `auto` runs, with which parameters of its search, and why."""

    method: str
    changes: Mapping[str, Any]
    reason: str


def choose(rows: int, columns: int, k: int, effort: str) -> Choice:
    """Decide what suits a table of so many records and columns that vary.

    Effort is a number of iterations computed from n and k: about 1, 10 or 60 seconds for a thousand
    records, less for fewer, and growing with the square root of their number beyond.
    """
    if effort not in EFFORTS:
        raise RequestError(f"effort must be one of {', '.join(EFFORTS)}")
    if columns <= 1:
        return Choice("optimal-1d", {}, "one column varies: its best grouping can be computed")
    size = rows / 1000
    seconds = EFFORTS[effort] * (size * size if size < 1 else size**0.5)
    iterations = max(100, round(seconds / (SECONDS_AN_ITERATION * k * k)))
    return Choice(
        AUTO,
        {"stop": {"iterations": iterations}, "schedule": iterations},
        f"the search with the least loss, {iterations:,} iterations: effort {effort}",
    )


def solve(
    matrix: Floats,
    k: int,
    method: str,
    report: Reporter,
    *,
    seed: int = 0,
    start: str | Integers | None = None,
    changes: Mapping[str, Any] | None = None,
    effort: str = "normal",
    threads: int | None = None,
) -> Partition:
    """Group the rows of an encoded matrix by a named method; the order of the rows is kept.

    Requires k <= number of rows. Ensures that every group has at least k records and that every
    record is in one group (`Partition` checks both). `start` (a method's name or labels from 0,
    each k times), `changes` (to the recipe's Search), `effort` and `threads` are for searches.
    """
    recipe = find(method)
    matrix = _varying(matrix)
    rows, width = matrix.shape
    asked = dict(changes or {})
    if method == "auto" and start is None:
        choice = choose(rows, width, k, effort)
        recipe = RECIPES[choice.method]
        asked = merged(choice.changes, asked) if recipe.search is not None else {}
    if recipe.columns is not None and width > recipe.columns:
        raise RequestError(
            f"{recipe.name} takes {recipe.columns} column that varies, the table has {width}; "
            "`shoal methods` lists the methods for several"
        )
    check_search(recipe, start, asked)
    log = None
    if rows < 2 * k or (k == 1 and recipe.search is not None):  # there is only one best grouping
        report("grouping", 0, rows)
        labels = np.arange(rows) if k == 1 else np.zeros(rows, dtype=np.int64)
    elif recipe.search is not None:
        options = recipe.search.having(asked)
        first = _start(matrix, k, start, report)
        labels, log = search(matrix, k, first, options, seed, report, threads)
    else:
        assert recipe.group is not None
        labels = recipe.group(matrix, k, report)
        if recipe.refine is not None:
            labels = recipe.refine(matrix, labels, k, report)
    loss = information_loss(matrix, labels)
    report("grouping", rows, rows)
    return Partition(labels, k, recipe.name, loss, search=log)


def merged(tree: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return two trees of parameters as one; what the second says counts.

    A limit of another kind takes the place of a number of iterations that nobody asked for; a
    number of iterations is planned for as a whole.
    """
    both = {**tree, **more}
    stop = more.get("stop")
    if isinstance(stop, Mapping):
        limited = stop.get("seconds") is not None or stop.get("target") is not None
        both["stop"] = {**({} if limited else tree.get("stop", {})), **stop}
        if "schedule" not in more and stop.get("iterations") is not None:
            both.pop("schedule", None)
    return both


def check_search(recipe: Method, start: Any, changes: Mapping[str, Any]) -> None:
    """Refuse the wishes of a search for a method that makes none, and nonsense."""
    if recipe.search is not None:
        recipe.search.having(changes)
        if isinstance(start, str) and start != RANDOM and find(start).search is not None:
            raise RequestError(f"start: {shown(start)} is a search itself; give its groups instead")
        return
    given = ["start"] if start is not None else []
    given += [_OUTSIDE.get(name, name) for name in changes.get("stop", {})]
    given += [name for name in changes if name != "stop"]
    if given:
        raise RequestError(f"{given[0]} is for methods that search; {recipe.name} does not")


_OUTSIDE = {"iterations": "max_iterations", "seconds": "time_limit"}


def _start(
    matrix: Floats, k: int, start: str | Integers | None, report: Reporter
) -> Integers | None:
    if isinstance(start, str) and start != RANDOM:
        return np.array(solve(matrix, k, start, report).labels)
    return None if isinstance(start, str) else start


def improve(
    matrix: Floats,
    labels: Integers,
    k: int,
    how: str,
    report: Reporter,
    *,
    seed: int = 0,
    changes: Mapping[str, Any] | None = None,
    threads: int | None = None,
) -> Partition:
    """Refine a grouping of the rows of an encoded matrix; never more loss than it had.

    Requires labels from 0 without gaps, each at least k times. `how` is a refinement or a search.
    """
    searches = [name for name, method in RECIPES.items() if method.search is not None]
    if isinstance(how, str) and how in searches:
        return solve(
            matrix, k, how, report, seed=seed, start=labels, changes=changes, threads=threads
        )
    if not isinstance(how, str) or how not in HOW:
        raise RequestError(f"how must be one of {', '.join([*HOW, *searches])}")
    if changes:
        raise RequestError(f"{how} is no search: it takes no parameters")
    matrix = _varying(matrix)
    refined = HOW[how](matrix, labels, k, report)
    return Partition(refined, k, f"{how} refinement", information_loss(matrix, refined))
