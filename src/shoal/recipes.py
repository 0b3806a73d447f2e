"""The named methods as data: the only menu.

A recipe joins the parts of `numeric` (and of the rooms to come) and says what it costs and where
it is from. `solve` is the one place that runs a recipe, `improve` the one that refines a grouping.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

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


@dataclass(frozen=True)
class Method:
    """One line of the menu: what `shoal methods` shows, and the parts that run."""

    name: str
    kind: str
    summary: str
    cost: str
    citation: str
    group: Grouping
    refine: Refinement | None = None
    columns: int | None = None


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
    return {method.name: method for method in (*every, *_VARIABLE)}


RECIPES = _menu()
AUTO = "mdav"
COLUMN_BY_COLUMN = "individual-ranking"


def methods() -> list[Method]:
    """Return the methods there are: name, kind, summary, cost and citation of each."""
    return list(RECIPES.values())


def find(name: str) -> Method:
    """Return a method by its name; `auto` is what suits most tables."""
    if not isinstance(name, str):
        raise RequestError("method must be a name; `shoal methods` lists them")
    if name == "auto":
        return RECIPES[AUTO]
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


def solve(matrix: Floats, k: int, method: str, report: Reporter) -> Partition:
    """Group the rows of an encoded matrix by a named method; the order of the rows is kept.

    Requires k <= number of rows. Ensures that every group has at least k records and that every
    record is in one group (`Partition` checks both).
    """
    recipe = find(method)
    matrix = _varying(matrix)
    rows, width = matrix.shape
    if recipe.columns is not None and width > recipe.columns:
        raise RequestError(
            f"{recipe.name} takes {recipe.columns} column that varies, the table has {width}; "
            "`shoal methods` lists the methods for several"
        )
    if rows < 2 * k:  # there is only one grouping
        report("grouping", 0, rows)
        labels = np.zeros(rows, dtype=np.int64)
    else:
        labels = recipe.group(matrix, k, report)
        if recipe.refine is not None:
            labels = recipe.refine(matrix, labels, k, report)
    loss = information_loss(matrix, labels)
    report("grouping", rows, rows)
    return Partition(labels, k, recipe.name, loss)


def improve(matrix: Floats, labels: Integers, k: int, how: str, report: Reporter) -> Partition:
    """Refine a grouping of the rows of an encoded matrix; never more loss than it had.

    Requires labels from 0 without gaps, each at least k times.
    """
    if not isinstance(how, str) or how not in HOW:
        raise RequestError(f"how must be one of {', '.join(HOW)}")
    matrix = _varying(matrix)
    refined = HOW[how](matrix, labels, k, report)
    return Partition(refined, k, f"{how} refinement", information_loss(matrix, refined))
