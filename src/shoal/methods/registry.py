"""Registry of methods: parts, cost and citation of each."""

from __future__ import annotations

from shoal.errors import RequestError, nearest_names, shown
from shoal.methods.catalog.by_trees import BY_TREES
from shoal.methods.catalog.heuristics import heuristics
from shoal.methods.catalog.searches import SEARCHES
from shoal.methods.families.refinements import Refiner
from shoal.methods.heuristics.refine.refinements import (
    HOW,
)
from shoal.methods.method import Info, Method, Methods

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
