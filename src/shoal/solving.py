"""How a recipe is run: `solve` and `solve_mixed` make groups, `improve` refines them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.blocks import EFFORTS, TREE_EFFORTS, group_coded_in_blocks, group_in_blocks
from shoal.choosing import at_least, check_effort, choose, choose_mixed, merged
from shoal.enforce.how import Keep, enforce, ways_to
from shoal.engines.executor import Threads
from shoal.errors import RequestError, check_weights, shown
from shoal.kernels.rules import NONE
from shoal.measures.generalization import loss_rate
from shoal.measures.loss import information_loss, percent, total_squares
from shoal.mixed.cluster import STARTS, cluster
from shoal.numeric.refine.how import HOW
from shoal.partition import Bound, Partition
from shoal.progress import Reporter
from shoal.recipes import AUTO_MIXED, RECIPES, Method, find
from shoal.search.best.exact import exact
from shoal.search.best.run import best
from shoal.search.best.steps import WHOLE
from shoal.search.parameters import Search
from shoal.search.run import search
from shoal.search.trees.run import check as check_trees
from shoal.search.trees.run import search_trees
from shoal.table.code import Coded

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

RANDOM = "random"
DESCENT = {"stop": {"iterations": 0}, "runs": 1}  # to the next local optimum
ROUNDS = {"quick": 3, "normal": 12, "best": 60}  # of `best`, by effort
ROOM = 10**8  # places for the members of groups
ILOSS = "ILoss rate, percent"
SSE = {False: "SSE/SST, percent", True: "SSE/SST of numbers and tree paths, percent"}  # mixed?


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
    mixed: bool = False,
    keep: Keep | None = None,
    weights: Floats | None = None,
) -> Partition:
    """Group the rows of an encoded matrix by a named method; the order of the rows is kept.

    More effort never loses more: what less effort finds is kept where it is better.

    Requires k <= number of rows. Ensures that every group has at least k records and that every
    record is in one group (`Partition` checks both). `start` (a method's name or labels from 0,
    each k times), `changes` (to the recipe's Search), `effort` and `threads` are for searches;
    `mixed` tells that the matrix stands for texts or missing cells too. With `keep` every group
    keeps its rules, which all records together must. `weights` (n), above 0, say how many a record
    stands for: searches take them into account; what other methods return goes on to where no move
    between two groups gains.
    """
    again = partial(
        _solved, matrix, k, method, report, seed=seed, changes=changes, threads=threads,
        mixed=mixed, keep=keep, weights=weights,
    )  # fmt: skip
    if start is None and not changes:
        return at_least(again, method, effort, matrix.shape[0])
    return again(start=start, effort=effort)


def _solved(
    matrix: Floats,
    k: int,
    method: str,
    report: Reporter,
    *,
    seed: int,
    effort: str,
    start: str | Integers | None = None,
    changes: Mapping[str, Any] | None = None,
    threads: int | None,
    mixed: bool,
    keep: Keep | None,
    weights: Floats | None,
    known: Integers | None = None,
) -> Partition:
    """Group by a method as it is; a search of `auto` begins with the groups that are `known`."""
    recipe = find(method)
    if weights is not None and recipe.programme:
        raise RequestError(
            f"{recipe.name} takes no survey weights, no households and no people; ilsmc+ does, and "
            "auto"
        )
    if recipe.mixed is not None:
        raise RequestError(f"{recipe.name} groups cells of a table by their trees, not a matrix")
    matrix = _varying(matrix)
    rows, width = matrix.shape
    asked = dict(changes or {})
    reason = ""
    if method == "auto" and start is None:
        wide = width if weights is None else max(width, 2)  # one column alone is solved without
        choice = choose(rows, wide, k, effort, mixed, limited=bool(asked))
        recipe, reason = RECIPES[choice.method], choice.reason
        if asked.get("stop") and recipe.search is not None:
            reason = "the search for the least squared error (SSE)"
        asked = merged(choice.changes, asked) if recipe.search is not None else {}
    if recipe.columns is not None and width > recipe.columns:
        raise RequestError(
            f"{recipe.name} takes {recipe.columns} column that varies, the table has {width}"
            f"{', as texts and missing cells count several times' if mixed else ''}; "
            "`shoal methods` lists the methods for several"
        )
    check_search(recipe, start, asked)
    log, kept, way, bound = None, "", "", None

    def lost(labels: Integers) -> float:
        return information_loss(matrix, labels, weights)

    alone = k == 1 and (recipe.search is not None or recipe.programme != "")
    if rows < 2 * k or alone:  # there is only one best grouping
        report("grouping", 0, rows)
        labels = np.arange(rows) if k == 1 else np.zeros(rows, dtype=np.int64)
    elif recipe.programme == "exact":
        labels, least = exact(matrix, k, seed, report, threads)
        bound = _bound(matrix, least, True)
    elif recipe.programme:
        assert recipe.search is not None
        options = recipe.search.having(_rounds(asked, effort))
        first = _start(matrix, k, start, report)
        if first is None and rows > WHOLE:
            first = group_in_blocks(matrix, k, EFFORTS[effort], seed, report, Threads(threads))
        labels, log, found = best(matrix, k, first, options, seed, report, threads)
        bound = _bound(matrix, *found)
    elif recipe.search is not None:
        options = recipe.search.having(asked)
        first = _start(matrix, k, start, report) if known is None else known
        labels, log = search(matrix, k, first, options, seed, report, threads, weights=weights)
    elif recipe.blocks:
        check_effort(effort)
        labels = group_in_blocks(
            matrix, k, EFFORTS[effort], seed, report, Threads(threads), weights=weights
        )
    else:
        assert recipe.group is not None
        labels = recipe.group(matrix, k, report)
        if recipe.refine is not None:
            labels = recipe.refine(matrix, labels, k, report)
        if weights is not None:
            labels = _descended(matrix, labels, k, seed, report, weights)
    if keep is not None:
        descend = None if recipe.search is None else recipe.search.having(DESCENT)
        labels, way, kept = _within(matrix, labels, keep, k, descend, seed, report, weights)
    report("grouping", rows, rows)
    return Partition(
        labels, k, recipe.name, lost(labels), SSE[mixed], search=log, reason=reason, enforced=kept,
        bound=bound, way=way,
    )  # fmt: skip


def _descended(
    matrix: Floats, labels: Integers, k: int, seed: int, report: Reporter, weights: Floats
) -> Integers:
    """Return the next local optimum by weights from groups that were made without them."""
    if k == 1 or not can_search(labels, k):
        return labels
    return search(matrix, k, labels, Search().having(DESCENT), seed, report, 1, weights=weights)[0]


def _bound(matrix: Floats, least: float, complete: bool) -> Bound:
    total = total_squares(matrix)
    return Bound(percent(least, total), least, complete)


def _rounds(asked: Mapping[str, Any], effort: str) -> dict[str, Any]:
    """Return what was asked of `best`: by its effort, if by nothing else."""
    check_effort(effort)
    if asked.get("stop"):
        return dict(asked)
    return {**asked, "stop": {"iterations": ROUNDS[effort]}}


def _within(
    matrix: Floats,
    labels: Integers,
    keep: Keep,
    k: int,
    descend: Search | None,
    seed: int,
    report: Reporter,
    weights: Floats | None = None,
) -> tuple[Integers, str, str]:
    """Return groups that keep the rules, the way they came about, and the same in words.

    With `descend`, each way that leads to some goes on to a local optimum, by moves that break no
    rule; perturbed groups seldom find back to the rules, so there is no more than that.
    """

    def lost(labels: Integers) -> float:
        return information_loss(matrix, labels, weights)

    found = []
    for one in ways_to(matrix, labels, keep, k, lost, report):
        better, said = one.labels, one.said
        if descend is not None and k > 1 and better.max() > 0 and can_search(better, k):
            better, _ = search(
                matrix, k, better, descend, seed, report, 1, keep.rules, weights=weights
            )
            said += f"; then {lost(one.labels):.4f} % → {lost(better):.4f} % by moves within it"
        found.append((lost(better), better, one.way, said))
    return min(found, key=lambda one: one[0])[1:]


def solve_mixed(
    coded: Coded,
    k: int,
    method: str,
    report: Reporter,
    *,
    seed: int = 0,
    start: str | Integers | None = None,
    weights: Mapping[str, float] | None = None,
    changes: Mapping[str, Any] | None = None,
    effort: str = "normal",
    threads: int | None = None,
    keep: Keep | None = None,
    matrix: Floats | None = None,
) -> Partition:
    """Group coded records by a method for categories and missing cells; the rows keep their order.

    Ensures what `solve` does. `start` says which record a group is begun with, or which groups a
    search begins with: those of a method, or labels; the rest is as in `solve`. With `keep`, the
    records' `matrix` says which groups are near each other.
    """
    again = partial(
        _solved_mixed, coded, k, method, report, seed=seed, weights=weights, changes=changes,
        threads=threads, keep=keep, matrix=matrix,
    )  # fmt: skip
    if start is None and not changes:
        return at_least(again, method, effort, coded.rows)
    return again(start=start, effort=effort)


def _solved_mixed(
    coded: Coded,
    k: int,
    method: str,
    report: Reporter,
    *,
    seed: int,
    effort: str,
    weights: Mapping[str, float] | None,
    threads: int | None,
    keep: Keep | None,
    matrix: Floats | None,
    start: str | Integers | None = None,
    changes: Mapping[str, Any] | None = None,
    known: Integers | None = None,
) -> Partition:
    """Group by a method as it is; a search of `auto` begins with the groups that are `known`."""
    recipe, asked, reason = find(method), said_to_trees(changes or {}), ""
    if method == "auto":
        choice = choose_mixed(coded.rows, len(coded.columns), k, effort, limited=bool(asked))
        recipe, reason = RECIPES[choice.method], choice.reason
        asked = merged(choice.changes, asked) if recipe.search is not None else {}
    if recipe.mixed is None:
        raise RequestError(
            f"{recipe.name} groups the rows of a matrix, not cells by their trees; {AUTO_MIXED} "
            "and auto do"
        )
    check_weights(weights or {}, coded.names)
    check_search(recipe, start, asked)
    options = None if recipe.search is None else recipe.search.having(asked)
    log, kept, way, rules = None, "", "", NONE if keep is None else keep.rules
    one_group = coded.rows < 2 * k
    if one_group or k == 1:  # there is only one best grouping
        labels = np.arange(coded.rows) if k == 1 else np.zeros(coded.rows, dtype=np.int64)
        report("grouping", 0, coded.rows)
    elif recipe.blocks:
        check_effort(effort)
        plan = TREE_EFFORTS[effort]
        run = Threads(threads)
        labels = group_coded_in_blocks(coded, k, plan, seed, report, run, weights)
    else:
        first = start if known is None else known
        labels = _grow(coded, k, recipe, first, report, seed, weights)
    if keep is not None:
        assert matrix is not None
        done = enforce(matrix, labels, keep, k, lambda some: loss_rate(coded, some), report)
        labels, kept, way = done.labels, done.said, done.way
    if options is not None and not one_group and k > 1 and can_search(labels, k):
        labels, log = search_trees(
            coded, k, labels, options, seed, report, threads=threads, weights=weights, rules=rules
        )
    lost = loss_rate(coded, labels)
    report("grouping", coded.rows, coded.rows)
    return Partition(
        labels, k, recipe.name, lost, ILOSS, search=log, reason=reason, enforced=kept, way=way
    )


def _grow(
    coded: Coded, k: int, recipe: Method, start: str | Integers | None, report: Reporter, seed: int,
    weights: Mapping[str, float] | None,
) -> Integers:  # fmt: skip
    """Return the groups that a recipe grows, or those its search begins with."""
    if isinstance(start, np.ndarray):
        return start
    if isinstance(start, str) and start not in STARTS:
        recipe, start = find(start), None
    assert recipe.mixed is not None
    begin = recipe.mixed.start if start is None else start
    return cluster(
        coded, k, report, form=recipe.mixed.form, start=begin, seed=seed, weights=weights
    )


def can_search(labels: Integers, k: int) -> bool:
    """Tell whether groups are not so large that a search has no room for them."""
    return int(np.bincount(labels).max()) * (labels.size // k) <= ROOM


def check_search(recipe: Method, start: Any, changes: Mapping[str, Any]) -> None:
    """Refuse the wishes of a search for a method that makes none, and nonsense."""
    if recipe.mixed is not None and isinstance(start, str):
        check_start(recipe, start)
        start = None
    if recipe.search is not None:
        options = recipe.search.having(changes if recipe.mixed is None else said_to_trees(changes))
        if recipe.mixed is not None:
            check_trees(options)
        if isinstance(start, str) and start != RANDOM and find(start).search is not None:
            raise RequestError(f"start: {shown(start)} is a search itself; give its groups instead")
        return
    given = ["start"] if start is not None else []
    stop = changes.get("stop", {})
    named = isinstance(stop, Mapping)
    given += [_OUTSIDE.get(name, name) for name in stop] if named else ["stop"]
    given += [name for name in changes if name != "stop"]
    if given:
        raise RequestError(f"{given[0]} is for methods that search; {recipe.name} does not")


def check_start(recipe: Method, start: str) -> None:
    """Refuse a start that a method for categories does not know.

    It is a word for the first record of a group or, for a search, the method that makes the groups.
    """
    if start in STARTS:
        return
    if recipe.search is None:
        raise RequestError(f"start of {recipe.name} must be one of {', '.join(STARTS)}")
    first = find(start)
    if first.mixed is None or first.search is not None:
        able = [m.name for m in RECIPES.values() if m.mixed is not None and m.search is None]
        raise RequestError(
            f"start of {recipe.name} must be one of {', '.join([*STARTS, *able])}, or labels"
        )


_OUTSIDE = {"iterations": "max_iterations", "seconds": "time_limit"}


def _start(
    matrix: Floats, k: int, start: str | Integers | None, report: Reporter
) -> Integers | None:
    if isinstance(start, str) and start != RANDOM:
        return np.array(solve(matrix, k, start, report).labels)
    return None if isinstance(start, str) else start


def said_to_trees(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was asked of a search on trees.

    A `Search` names all its parts; those that are as usual nobody has asked for.
    """
    usual = Search().to_dict()
    asked = {name: part for name, part in changes.items() if part != usual.get(name, ...)}
    if isinstance(asked.get("stop"), Mapping):
        asked["stop"] = {name: one for name, one in asked["stop"].items() if one is not None}
    return asked


def on_trees(how: str | None) -> bool:
    """Tell whether a refinement is a search on trees."""
    recipe = RECIPES.get(how) if isinstance(how, str) else None
    return recipe is not None and recipe.search is not None and recipe.mixed is not None


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
    mixed: bool = False,
    keep: Keep | None = None,
    weights: Floats | None = None,
) -> Partition:
    """Refine a grouping of the rows of an encoded matrix; never more loss than it had.

    Requires labels from 0 without gaps, each at least k times. `how` is a refinement or a search.
    With `keep` there may be more loss: as much as its rules take.
    """
    searches = [
        name for name, method in RECIPES.items()
        if method.search is not None and method.mixed is None
    ]  # fmt: skip
    if isinstance(how, str) and how in searches:
        return solve(
            matrix, k, how, report, seed=seed, start=labels, changes=changes, threads=threads,
            mixed=mixed, keep=keep, weights=weights,
        )  # fmt: skip
    if not isinstance(how, str) or how not in HOW:
        raise RequestError(f"how must be one of {', '.join([*HOW, *searches, AUTO_MIXED])}")
    if changes:
        raise RequestError(f"{how} is no search: it takes no parameters")
    matrix = _varying(matrix)
    refined, kept, way = HOW[how](matrix, labels, k, report), "", ""

    def loss(some: Integers) -> float:
        return information_loss(matrix, some, weights)

    if weights is not None:
        refined = _descended(matrix, refined, k, seed, report, weights)
        refined = min(labels, refined, key=loss)  # it was refined without them
    if keep is not None:
        done = enforce(matrix, refined, keep, k, loss, report)
        refined, kept, way = done.labels, done.said, done.way
    lost = loss(refined)
    return Partition(refined, k, f"{how} refinement", lost, SSE[mixed], enforced=kept, way=way)
