"""Registry of methods: parts, cost and citation of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from shoal.errors import RequestError, nearest_names, shown
from shoal.kernels.arrays import Integers
from shoal.methods.catalog.by_trees import BY_TREES, KAIM_PLUS_SEARCH
from shoal.methods.citations import (
    COLUMNS,
    DECOMPOSE_2018,
    GSMS_2013,
    ILSMC_2020,
    LARGE,
    LS_2015,
    MDAV_2005,
    MST_2005,
    OUR_2020,
    PLUS_2018,
    TFRP_2007,
)
from shoal.methods.families.blocks import PointBlocks
from shoal.methods.families.heuristics import Heuristic
from shoal.methods.families.local_search import LocalSearch, by_weights
from shoal.methods.families.matheuristics import Best, Exact
from shoal.methods.heuristics.candidates import gsms
from shoal.methods.heuristics.fixed_size import (
    column_extremes,
    diameter,
    fixed_size,
    mdav,
    overall_extremes,
)
from shoal.methods.heuristics.paths import hilbert, mdav_mhm, mst, optimal_1d
from shoal.methods.heuristics.refine.refinements import (
    HOW,
    Grouping,
    Refinement,
    phase_two,
)
from shoal.methods.heuristics.variable_size import v_mdav
from shoal.methods.ils.parameters import MOVES, Annealing, Search
from shoal.methods.problem import Family, Info, Method, Methods, Problem, Solution
from shoal.progress import Reporter

FIXED = "by distance, fixed size"
NN = "O(n²/k) time at most, O(n·d) memory"
NC = "O(n²) time at most, O(n·d) memory"


def _heuristic(
    name: str, kind: str, summary: str, cost: str, citation: str, group: Grouping,
    columns: int | None = None,
) -> Heuristic:  # fmt: skip
    return Heuristic(Info(name, kind, summary, cost, citation, columns=columns), group)


_SEVEN = (
    _heuristic(
        "cbfs-nn", FIXED,
        "the record farthest from the mean takes in its k - 1 nearest",
        NN, MST_2005, fixed_size,
    ),
    _heuristic(
        "cbfs-nc", FIXED,
        "the record farthest from the mean takes in whoever is nearest to its group",
        NC, MST_2005, partial(fixed_size, by_centroid=True),
    ),
    _heuristic(
        "mdav-nn", FIXED,
        "as mdav, but groups of exactly k and left-overs to the nearest group",
        NN, DECOMPOSE_2018, mdav,
    ),
    _heuristic(
        "mdav-nc", FIXED,
        "as mdav-nn, but each group takes in whoever is nearest to its centroid",
        NC, DECOMPOSE_2018, partial(mdav, by_centroid=True),
    ),
    _heuristic(
        "tfrp-nn", FIXED,
        "seeds are farthest from the corners of all maxima and all minima in turn",
        NN, DECOMPOSE_2018, partial(fixed_size, references=column_extremes),
    ),
    _heuristic(
        "tfrp-nc", FIXED,
        "as tfrp-nn, but each group takes in whoever is nearest to its centroid",
        NC, DECOMPOSE_2018, partial(fixed_size, references=column_extremes, by_centroid=True),
    ),
    _heuristic(
        "gsms-nn", FIXED,
        "of all groups of a record and its k - 1 nearest, the one that leaves the least loss",
        "O(n²/k + n·k log n) time on usual data, O(n·(k + d)) memory", GSMS_2013, gsms,
    ),
)  # fmt: skip
_OTHERS = (
    _heuristic(
        "mdav", FIXED,
        "groups in pairs, around the record farthest from the mean and its opposite",
        NN, MDAV_2005, partial(mdav, classic=True),
    ),
    _heuristic(
        "centroid", FIXED,
        "the record farthest from the mean takes in whoever is nearest to its group (cbfs-nc)",
        NC, MST_2005, partial(fixed_size, by_centroid=True),
    ),
    _heuristic(
        "diameter", FIXED,
        "groups in pairs, around the two records farthest from each other",
        "O(n²) time on usual data, O(n·d) memory", MST_2005, diameter,
    ),
    _heuristic(
        "tfrp1", FIXED,
        "seeds are farthest from two fixed points in turn: all places least, all places largest",
        NN, TFRP_2007, partial(fixed_size, references=overall_extremes),
    ),
)  # fmt: skip
_VARIABLE = (
    _heuristic(
        "v-mdav", "by distance, variable size",
        "groups of k, extended to up to 2k - 1 while a neighbor is nearer to them than to others; "
        "gamma 0.2 and 1.1, the better of the two",
        "O(n²) time at most, O(n·d) memory",
        "Solanas and Martínez-Ballesté 2006, V-MDAV: a multivariate microaggregation with "
        "variable group size, COMPSTAT",
        v_mdav,
    ),
    _heuristic(
        "mdav-mhm", "by distance, variable size",
        "the best cuts of a path through the groups of mdav, nearest group next",
        "O(n²/k + n·k) time at most, O(n·d) memory",
        "Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006, Efficient multivariate "
        "data-oriented microaggregation, VLDB Journal 15(4)",
        mdav_mhm,
    ),
    _heuristic(
        "mst", "by distance, variable size",
        "the longest edges of the minimum spanning tree are cut; what has 2k records is split",
        "O(n²) time, O(n·d) memory", MST_2005, mst,
    ),
    _heuristic(
        "hilbert", "by distance, variable size",
        "the best cuts of a Hilbert curve through all records; time hardly more than linear",
        "O(n log n + n·k) time, O(n·d) memory",
        "Skilling 2004, Programming the Hilbert curve, AIP 707; Hansen and Mukherjee 2003",
        hilbert,
    ),
    _heuristic(
        "optimal-1d", "one column, optimal",
        "no grouping of one column loses less",
        "O(n log n) time, O(n) memory",
        "Hansen and Mukherjee 2003, A polynomial algorithm for optimal univariate "
        "microaggregation, IEEE TKDE 15(4)",
        optimal_1d, columns=1,
    ),
)  # fmt: skip


def _refined(
    method: Heuristic, name: str, refinement: Refinement, what: str, citation: str
) -> Heuristic:
    own = method.info
    cost = f"{own.cost}; a pass of the refinement O(n²/k) on usual data"
    info = Info(name, "by distance, refined", f"{own.name}, then {what}", cost, citation)
    return Heuristic(info, method.group, refinement)


def _with_phase_two(method: Heuristic) -> Heuristic:
    """Return a method of the 2007 paper with phase II, which splits large groups as it groups."""
    own = method.info.name
    name = "tfrp" if own == "tfrp1" else f"{own}-phase2"
    paper = "TFRP" if own == "tfrp1" else f"{own.capitalize()}+"
    what = f"groups of much loss dissolved into their neighbors (phase II: {paper} of the paper)"
    return _refined(method, name, partial(phase_two, part=method.group), what, TFRP_2007)


_REFINED_2018 = (
    ("2", "decompose", "groups dissolved into their neighbors where that loses less"),
    ("3", "iterative", "groups dissolved and shrunk until nothing changes"),
    ("2+", "decompose+", "groups dissolved in two orders, centroids moving, or as in 2: the best"),
    (
        "3+",
        "iterative+",
        "groups dissolved and shrunk in two orders, centroids moving, or as in 3: the best",
    ),
)


def _leaving(method: Heuristic) -> Heuristic:
    """Return a method of the 2018 paper that leaves records over, for its refinement to place."""
    group: Callable[..., Integers] = method.group
    return replace(method, group=partial(group, leave=True))


def heuristics() -> Iterable[Heuristic]:
    """Yield those that make groups without a search, each with its refined forms."""
    yield from _OTHERS
    yield from map(_with_phase_two, _OTHERS[1:])
    for method in _SEVEN:
        yield method
        for suffix, how, what in _REFINED_2018:
            citation = PLUS_2018 if suffix.endswith("+") else DECOMPOSE_2018
            own = _leaving(method) if suffix == "3" else method
            yield _refined(own, f"{method.info.name}{suffix}", HOW[how], what, citation)
    yield from _VARIABLE


SEARCH = "by distance, search"
ALL_PAIRS = "O(n²/k²) a pass, O(n·d) memory"
ALL_AT_FIRST = "O(n²/k²) for the first pass, O(n·d) memory"
ROUNDS = {"quick": 3, "normal": 12, "best": 60}  # of `best`, by effort


def _search(name: str, summary: str, cost: str, citation: str, search: Search) -> LocalSearch:
    return LocalSearch(Info(name, SEARCH, summary, cost, citation, search=search))


_SEARCHES = (
    _search(
        "ls",
        "pairs of groups in random order, each swap and shift that gains made at once, until none "
        "does; from random starts",
        f"{ALL_PAIRS}; 100 restarts", LS_2015,
        Search(local="all", visits="pairs", restarts=True),
    ),
    _search(
        "lsc",
        "as ls, but a pass visits only pairs with a group that has changed",
        f"{ALL_AT_FIRST}; 100 restarts", ILSMC_2020, Search(visits="pairs", restarts=True),
    ),
    _search(
        "ilsm",
        "ls, then again and again: a group dissolved or a new one distilled, and ls",
        f"{ALL_PAIRS}; 5,000 iterations", LS_2015, Search(local="all", visits="pairs"),
    ),
    _search(
        "ilsmc",
        "as ilsm, but a pass visits only pairs with a group that has changed",
        f"{ALL_AT_FIRST}; an iteration about O(n·d/k); 5,000 iterations",
        ILSMC_2020, Search(visits="pairs"),
    ),
    _search(
        "ls-steepest",
        "as ls, but group by group, and the best move of a pair while one gains",
        f"{ALL_PAIRS}; 100 restarts", OUR_2020,
        Search(local="all", neighbors=0, restarts=True),
    ),
    _search(
        "lsc-steepest",
        "as ls-steepest, but a pass looks only at pairs with a group that has changed",
        f"{ALL_AT_FIRST}; 100 restarts", OUR_2020, Search(neighbors=0, restarts=True),
    ),
    _search(
        "ilsm-steepest",
        "ls-steepest, then again and again: a group dissolved or a new one distilled",
        f"{ALL_PAIRS}; 5,000 iterations", OUR_2020, Search(local="all", neighbors=0),
    ),
    _search(
        "ilsmc-near",
        "as ilsmc, but only groups that own a near record are partners, and the best move of a "
        "pair is made: much faster",
        "an iteration about O(k²·d) whatever n is, O(n·(k + d)) memory; 5,000 iterations",
        OUR_2020, Search(),
    ),
    _search(
        "ilsmc+",
        "as ilsmc-near, with groups of much loss dissolved first and annealing: the least loss",
        "an iteration about O(k²·d) whatever n is, O(n·(k + d)) memory; 5,000 iterations",
        OUR_2020, Search(moves=MOVES, samples=5, acceptance=Annealing()),
    ),
)  # fmt: skip
_PROGRAMMES = (
    Best(Info(
        "best", SEARCH,
        "searches whose groups are recombined by integer programmes, of tables with categories or "
        "missing cells in ILoss; of numbers dives into the linear one and neighborhoods solved; "
        "says how far from the optimum it is at the most",
        "rounds of a few seconds at a thousand records, O(n² + n·d) memory up to 5,000 records, "
        "O(n·(k + d)) beyond; 12 rounds", COLUMNS, search=Search(), rounds=ROUNDS,
        extra="optimal", by_table=True,
    ), KAIM_PLUS_SEARCH),
    Exact(Info(
        "exact", "by distance, optimal",
        "proven optimal: no grouping loses less, of numbers in SSE, of tables with categories or "
        "missing cells in ILoss; for small tables and small k",
        "seconds for 60 records, minutes for a thousand at k = 3, if at all; O(n²) memory",
        COLUMNS, extra="optimal", by_table=True,
    )),
)  # fmt: skip
_BLOCKS = (
    PointBlocks(Info(
        "fast", "by distance, blocks",
        "cut into blocks, mdav and a local search in each, borders mended along other cuts",
        "O(n log n) time, O(n·d) memory", LARGE, in_blocks=True,
    )),
)  # fmt: skip
SEARCHES: tuple[Method, ...] = (*_SEARCHES, *_PROGRAMMES, *_BLOCKS)


@dataclass(frozen=True)
class Refiner(Family):
    """Refines the groups that a problem starts from; never more loss than they had."""

    refine: Refinement

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the better of the groups before and after, which is refined without weights."""
        start, points = problem.start_labels, problem.points
        assert start is not None
        labels = self.refine(points.matrix, start, problem.k, report)
        if points.weights is not None:
            labels = min(start, by_weights(problem, labels, report), key=points.loss)
        return Solution(labels)


METHODS: dict[str, Method] = {
    method.info.name: method for method in (*heuristics(), *SEARCHES, *BY_TREES)
}
REFINEMENTS = {
    how: Refiner(Info(f"{how} refinement", "refinement", "", "", "", refines=True), refine)
    for how, refine in HOW.items()
}
REFINEMENT = "iterative+"  # of given groups, where none is named
AUTO, AUTO_LARGE = "ilsmc+", "fast"
AUTO_MIXED, AUTO_MIXED_LARGE = "kaim+", "kaim-fast"  # where cells are missing or not numbers
COLUMN_BY_COLUMN = "individual-ranking"


def methods() -> Methods:
    """Return the methods there are.

    Returns
    -------
    Methods
        A list of Info: name, kind, summary, cost and citation of each.
    """
    return Methods(method.info for method in METHODS.values())


def find(name: str) -> Method:
    """Return a method by its name; `auto` is what suits most tables."""
    if not isinstance(name, str):
        raise RequestError("method must be a name; `shoal methods` lists them")
    if name == "auto":
        return METHODS[AUTO]  # `auto.choose` decides when the table is known
    if name == COLUMN_BY_COLUMN:
        raise RequestError(
            "individual ranking groups each column on its own: jointly it is not k-anonymous and "
            "nearly every record can be found again; shoal.microaggregate_columns does it, for "
            "comparison"
        )
    if name not in METHODS:
        raise RequestError(
            f"there is no method {shown(name)}{nearest_names(name, ['auto', *METHODS])}"
        )
    return METHODS[name]


def find_refinement(how: str, options: object = None) -> Method:
    """Return a refinement of given groups by its name, which may be a search's.

    Raises RequestError for another name, and for search options of one that is no search.
    """
    searches = {name: method for name, method in METHODS.items() if method.info.is_search}
    if isinstance(how, str) and how in searches:
        return searches[how]
    if not isinstance(how, str) or how not in REFINEMENTS:
        raise RequestError(f"how must be one of {', '.join([*REFINEMENTS, *searches])}")
    if options:
        raise RequestError(f"{how} is no search: it takes no parameters")
    return REFINEMENTS[how]


def is_on_nodes(how: str | None) -> bool:
    """Tell whether a refinement is a search on nodes."""
    method = METHODS.get(how or "")
    return method is not None and method.info.is_search and method.info.on_nodes
