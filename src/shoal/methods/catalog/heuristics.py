"""Methods that make groups of numbers without a search, and their refined forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

from shoal.kernels.arrays import Integers
from shoal.methods.citations import (
    DECOMPOSE_2018,
    GSMS_2013,
    MDAV_2005,
    MST_2005,
    PLUS_2018,
    TFRP_2007,
)
from shoal.methods.families.heuristics import Heuristic
from shoal.methods.heuristics.candidates import gsms
from shoal.methods.heuristics.diameter import diameter
from shoal.methods.heuristics.fixed_size import fixed_size, mdav
from shoal.methods.heuristics.paths import hilbert, mdav_mhm, mst, optimal_1d
from shoal.methods.heuristics.refine.refinements import (
    HOW,
    Grouping,
    Refinement,
    phase_two,
)
from shoal.methods.heuristics.seed import column_extremes, overall_extremes
from shoal.methods.heuristics.variable_size import v_mdav
from shoal.methods.method import Info

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
