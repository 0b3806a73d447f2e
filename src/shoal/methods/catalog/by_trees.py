"""Methods by trees: texts, hierarchies and missing cells."""

from __future__ import annotations

from dataclasses import replace

from shoal.methods.citations import (
    FULL_DOMAIN,
    K_MEMBER_2007,
    KAIM,
    KAIM_FAST,
    KAIM_PLUS,
    LOCAL_SUPPRESSION,
    TOP_DOWN,
)
from shoal.methods.families.blocks import NodeBlocks
from shoal.methods.families.full_domain import FullDomain
from shoal.methods.families.kmember import KMember
from shoal.methods.families.local_search import NodeSearch
from shoal.methods.families.local_suppression import LocalSuppression
from shoal.methods.families.top_down import TopDown
from shoal.methods.ils.parameters import Search
from shoal.methods.problem import NODES, Info, Method


def _on_nodes(
    name: str, summary: str, cost: str, citation: str, *, search: Search | None = None,
    in_blocks: bool = False,
) -> Info:  # fmt: skip
    return Info(
        name, "by trees", summary, cost, citation, NODES, search=search, in_blocks=in_blocks
    )


QUADRATIC = "O(n²) time at most, O(n·d) memory"

_KAIM = KMember(_on_nodes(
    "kaim",
    "groups of k by information entropy; missing cells are roots, no record is deleted",
    QUADRATIC, KAIM,
), "root", "common")  # fmt: skip
_KAIM_PAPER = KMember(_on_nodes(
    "kaim-paper", "as kaim, with the paper's own distance and random starts", QUADRATIC, KAIM,
), "paper", "random")  # fmt: skip
_K_MEMBER = KMember(_on_nodes(
    "k-member", "groups of k that span least: ranges of numbers, heights of common ancestors",
    QUADRATIC, K_MEMBER_2007,
), "height", "farthest")  # fmt: skip

_TOP_DOWN = TopDown(_on_nodes(
    "top-down",
    "all records, then their parts, split where most loss is saved for the entropy it takes; small "
    "parts are left over at a price and grouped among themselves",
    "O(n log n·d²) time, O(n·d) memory", TOP_DOWN,
))  # fmt: skip

KAIM_PLUS_SEARCH = NodeSearch(
    _on_nodes(
        "kaim+",
        "top-down, then groups dissolved, grown or split anew by simulated annealing, shifts and "
        "swaps: the least generalization",
        "an iteration about O(k·d²) whatever n is, O(n·d) memory; 20,000 iterations",
        KAIM_PLUS,
        search=Search(perturbations=("dissolve", "regroup", "resplit"), samples=3),
    ),
    _KAIM,
    {
        "top-down": _TOP_DOWN,
        "kaim": _KAIM,
        "kaim-fast": _KAIM,
        "kaim-paper": _KAIM_PAPER,
        "k-member": _K_MEMBER,
    },
)

BY_TREES: tuple[Method, ...] = (
    _TOP_DOWN,
    _KAIM,
    KAIM_PLUS_SEARCH,
    NodeBlocks(_on_nodes(
        "kaim-fast",
        "cut into blocks, top-down and a search in each, borders mended along other cuts",
        "O(n log n) time, O(n·d) memory", KAIM_FAST, in_blocks=True,
    )),
    _KAIM_PAPER,
    _K_MEMBER,
    FullDomain(replace(_on_nodes(
        "full-domain",
        "one level of every hierarchy for all records, proven to lose least; may leave out a share "
        "of them",
        "O(n·d) time for each combination of levels looked at, O(n·d) memory and 17 bytes for each "
        "of up to 10 million combinations", FULL_DOMAIN,
    ), recodes=True)),
    LocalSuppression(replace(_on_nodes(
        "local-suppression",
        "values as they are or *: the fewest cells suppressed by column weights, with a bound",
        "as kaim+, then O(n·2^d) time and memory where that is at most 50 million; else as kaim+",
        LOCAL_SUPPRESSION,
    ), suppresses=True), KAIM_PLUS_SEARCH),
)  # fmt: skip
