"""The named methods as data: the only menu.

A recipe joins the parts of `numeric`, `mixed` and `search` and says what it costs and where it is
from. `solving.py` runs them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, nearest_names, shown
from shoal.numeric.candidates import gsms
from shoal.numeric.diameter import diameter
from shoal.numeric.fixed_size import fixed_size, mdav
from shoal.numeric.paths import hilbert, mdav_mhm, mst, optimal_1d
from shoal.numeric.refine.how import Refinement, decompose_once, iterate, phase_two
from shoal.numeric.seed import column_extremes, overall_extremes
from shoal.numeric.variable_size import v_mdav
from shoal.progress import Reporter
from shoal.search.parameters import MOVES, Annealing, Search

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
K_MEMBER_2007 = (
    "Byun, Kamra, Bertino and Li 2007, Efficient k-anonymization using clustering techniques, "
    "DASFAA"
)
KAIM = "KAIM: k-anonymity for incomplete microdata, by information entropy distance"
KAIM_PLUS = f"{KAIM}; its groups improved by a local search of our own on ILoss"
KAIM_FAST = f"{KAIM}; blocks and their mending are our own"
LARGE = (
    f"{MDAV_2005}; local search of the 2020 thesis; cuts of Friedman, Bentley and Finkel 1977, ACM "
    "TOMS 3(3); blocks and their mending are our own"
)
COLUMNS = (
    "Column generation: Aloise, Hansen and Liberti 2012, An improved column generation algorithm "
    "for minimum sum-of-squares clustering, Mathematical Programming 131; subset-row cuts: Jepsen "
    "and others 2008, Operations Research 56(2); search of the 2020 thesis"
)
ILSMC_2020 = "Iterated local search for microaggregation with change tracking (2020 thesis)"


@dataclass(frozen=True)
class Mixed:
    """How a method for categories and missing cells grows groups: its cost, and what starts one."""

    form: str
    start: str


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
    mixed: Mixed | None = None
    blocks: bool = False
    programme: str = ""


FIXED = "by distance, fixed size"
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
        "v-mdav", "by distance, variable size",
        "groups of k, extended to up to 2k - 1 while a neighbor is nearer to them than to others; "
        "gamma 0.2 and 1.1, the better of the two",
        "O(n²) time at most, O(n·d) memory",
        "Solanas and Martínez-Ballesté 2006, V-MDAV: a multivariate microaggregation with "
        "variable group size, COMPSTAT",
        v_mdav,
    ),
    Method(
        "mdav-mhm", "by distance, variable size",
        "the best cuts of a path through the groups of mdav, nearest group next",
        "O(n²/k + n·k) time at most, O(n·d) memory",
        "Domingo-Ferrer, Martínez-Ballesté, Mateo-Sanz and Sebé 2006, Efficient multivariate "
        "data-oriented microaggregation, VLDB Journal 15(4)",
        mdav_mhm,
    ),
    Method(
        "mst", "by distance, variable size",
        "the longest edges of the minimum spanning tree are cut; what has 2k records is split",
        "O(n²) time, O(n·d) memory", MST_2005, mst,
    ),
    Method(
        "hilbert", "by distance, variable size",
        "the best cuts of a Hilbert curve through all records; time hardly more than linear",
        "O(n log n + n·k) time, O(n·d) memory",
        "Skilling 2004, Programming the Hilbert curve, AIP 707; Hansen and Mukherjee 2003",
        hilbert,
    ),
    Method(
        "optimal-1d", "one column, optimal",
        "no grouping of one column loses less",
        "O(n log n) time, O(n) memory",
        "Hansen and Mukherjee 2003, A polynomial algorithm for optimal univariate "
        "microaggregation, IEEE TKDE 15(4)",
        optimal_1d, columns=1,
    ),
)  # fmt: skip

SEARCH = "by distance, search"

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


_PROGRAMMES = (
    Method(
        "best", SEARCH,
        "searches whose groups are recombined by integer programmes, dives into the linear one, "
        "neighborhoods solved; says how far from the optimum it is at the most",
        "rounds of a few seconds at a thousand records, O(n² + n·d) memory up to 5,000 records, "
        "O(n·(k + d)) beyond; 12 rounds", COLUMNS, None, search=Search(), programme="best",
    ),
    Method(
        "exact", "by distance, optimal",
        "proven optimal: no grouping loses less; for small tables and small k",
        "seconds for 60 records, minutes for a thousand at k = 3, if at all; O(n²) memory",
        COLUMNS, None, programme="exact",
    ),
)  # fmt: skip


_BLOCKS = (
    Method(
        "fast", "by distance, blocks",
        "cut into blocks, mdav and a local search in each, borders mended along other cuts",
        "O(n log n) time, O(n·d) memory", LARGE, None, blocks=True,
    ),
)  # fmt: skip


MIXED = "by trees"

_MIXED = (
    Method(
        "kaim", MIXED,
        "groups of k by information entropy; missing cells are roots, no record is deleted",
        "O(n²) time at most, O(n·d) memory", KAIM, None,
        mixed=Mixed("root", "common"),
    ),
    Method(
        "kaim+", MIXED,
        "kaim, then groups dissolved or formed anew, shifts and swaps: the least generalization",
        "O(n²/k) for the last shifts and swaps, O(n·d) memory; 20,000 iterations", KAIM_PLUS, None,
        search=Search(perturbations=("dissolve", "regroup"), samples=3),
        mixed=Mixed("root", "common"),
    ),
    Method(
        "kaim-fast", MIXED,
        "cut into blocks, kaim and shifts and swaps in each, borders mended along other cuts",
        "O(n log n) time, O(n·d) memory", KAIM_FAST, None,
        mixed=Mixed("root", "common"), blocks=True,
    ),
    Method(
        "kaim-paper", MIXED,
        "as kaim, with the paper's own distance and random starts",
        "O(n²) time at most, O(n·d) memory", KAIM, None,
        mixed=Mixed("paper", "random"),
    ),
    Method(
        "k-member", MIXED,
        "groups of k that span least: ranges of numbers, heights of common ancestors",
        "O(n²) time at most, O(n·d) memory", K_MEMBER_2007, None,
        mixed=Mixed("height", "farthest"),
    ),
)  # fmt: skip


def _refined(method: Method, name: str, refinement: Refinement, what: str, citation: str) -> Method:
    return replace(
        method,
        name=name,
        kind="by distance, refined",
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
    every += [*_VARIABLE, *_SEARCHES, *_PROGRAMMES, *_BLOCKS, *_MIXED]
    return {method.name: method for method in every}


RECIPES = _menu()
AUTO = "ilsmc+"
AUTO_LARGE, AUTO_MIXED_LARGE = "fast", "kaim-fast"
AUTO_MIXED = "kaim+"  # where cells are missing or not numbers
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
