"""Searches on numbers, integer programmes, and blocks of large tables."""

from __future__ import annotations

from shoal.methods.catalog.by_trees import KAIM_PLUS_SEARCH
from shoal.methods.citations import (
    COLUMNS,
    ILSMC_2020,
    LARGE,
    LS_2015,
    OUR_2020,
)
from shoal.methods.families.blocks import PointBlocks
from shoal.methods.families.local_search import LocalSearch
from shoal.methods.families.matheuristics import Best, Exact
from shoal.methods.ils.parameters import MOVES, Annealing, Search
from shoal.methods.method import Info, Method

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
