"""The named methods as data: the only menu.

A recipe joins the parts of `numeric` (and of the rooms to come) and says what it costs and where
it is from. `solve` is the one place that runs a recipe.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, nearest_names, shown
from shoal.measures.loss import information_loss
from shoal.numeric.fixed_size import Loop, join_nearest, one_by_one, two_by_two
from shoal.numeric.grow import nearest_to_centroid
from shoal.numeric.pool import Pool
from shoal.numeric.seed import farthest_from_centroid
from shoal.partition import Partition
from shoal.progress import Reporter

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Method:
    """One line of the menu: what `shoal methods` shows, and the loop that runs it."""

    name: str
    kind: str
    summary: str
    cost: str
    citation: str
    loop: Loop


RECIPES: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            name="mdav",
            kind="numeric, fixed size",
            summary="groups in pairs, around the record farthest from the mean and its opposite",
            cost="O(n²/k) time, O(n·d) memory",
            citation=(
                "Domingo-Ferrer and Torra 2005, Ordinal, continuous and heterogeneous "
                "k-anonymity through microaggregation, DMKD 11(2)"
            ),
            loop=partial(two_by_two, seed=farthest_from_centroid),
        ),
        Method(
            name="cbfs-nc",
            kind="numeric, fixed size",
            summary="the record farthest from the mean takes in whoever is nearest to its group",
            cost="O(n²) time, O(n·d) memory",
            citation=(
                "Laszlo and Mukherjee 2005, Minimum spanning tree partitioning algorithm for "
                "microaggregation, IEEE TKDE 17(7)"
            ),
            loop=partial(one_by_one, seed=farthest_from_centroid, grow=nearest_to_centroid),
        ),
    )
}

AUTO = "mdav"


def methods() -> list[Method]:
    """Return the methods there are: name, kind, summary, cost and citation of each."""
    return list(RECIPES.values())


def find(name: str) -> Method:
    """Return a method by its name; `auto` is what suits most tables."""
    if not isinstance(name, str):
        raise RequestError("method must be a name; `shoal methods` lists them")
    if name == "auto":
        return RECIPES[AUTO]
    if name not in RECIPES:
        raise RequestError(
            f"there is no method {shown(name)}{nearest_names(name, ['auto', *RECIPES])}"
        )
    return RECIPES[name]


def check_size(rows: int, k: int, name: str = "the table") -> None:
    """Refuse a table with fewer than k records."""
    if rows < k:
        raise RequestError(f"{name}: n = {rows} records < k = {k}, a group cannot be made")


def solve(matrix: Floats, k: int, method: str, report: Reporter) -> Partition:
    """Group the rows of an encoded matrix by a named method; the order of the rows is kept.

    Requires k <= number of rows. Ensures that every group has at least k records and that every
    record is in one group (`Partition` checks both).
    """
    recipe = find(method)
    rows = matrix.shape[0]
    pool = Pool(matrix)
    groups: list[list[int]] = []
    report("grouping", 0, rows)
    for group in recipe.loop(pool, k):
        groups.append(group)
        report("grouping", rows - pool.count, rows)
    join_nearest(matrix, groups, pool.rows())
    report("grouping", rows, rows)
    partition = Partition.from_groups(groups, rows, k, recipe.name)
    return replace(partition, information_loss=information_loss(matrix, partition.labels))
