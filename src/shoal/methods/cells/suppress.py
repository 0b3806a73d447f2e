"""`fewest_cells`: which cells to suppress so that every class has k records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.methods.cells.greedy import first_masks
from shoal.methods.cells.local import Masks
from shoal.methods.cells.patterns import Patterns
from shoal.methods.cells.programme import best_masks
from shoal.methods.problem import Nodes, Problem, check_size
from shoal.methods.solve import solve
from shoal.partition import rows_of_groups
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read

ROUNDS = 20  # perturbations of a local search


@dataclass(frozen=True)
class _Task:
    """What cells of the columns cost, the seed, and the reporter."""

    __repr__ = in_shape

    weights: Floats
    seed: int
    report: Reporter


def fewest_cells(
    codes: Integers,
    k: int,
    *,
    importance: Floats | None = None,
    sets: Sequence[Sequence[int]] | None = None,
    exact: bool = False,
    seed: int = 0,
    report: Reporter | None = None,
) -> Flags:
    """Return which cells to suppress, so that they cost least.

    Parameters
    ----------
    codes : array of int, shape (n, columns)
        The records, equal values by equal numbers.
    k : int
        How many records are equal in every chosen set of columns, at least; a suppressed cell
        equals suppressed ones alone.
    importance : array of float, optional
        What a cell of each column costs. Default: 1.
    sets : sequence of sequences of int, optional
        Columns that are judged together. Default: all. Sets that share columns are taken for one,
        which is safe, and may suppress more than each of them needs.
    exact : bool, default False
        Solve the integer programme (extra `optimal`), for some hundred records.
    seed : int, default 0
        Of the perturbations of the local search.
    report : Reporter, optional
        Carries the stop token.

    Returns
    -------
    array of bool, shape (n, columns)

    References
    ----------
    Meyerson and Williams 2004, On the complexity of optimal k-anonymity, PODS.
    """
    check_size(len(codes), k)
    report = report or Reporter(None)
    weights = np.ones(codes.shape[1]) if importance is None else importance
    found: Flags = np.zeros(codes.shape, dtype=bool)
    for columns in _joined(sets, codes.shape[1]):
        patterns = Patterns(codes[:, columns], k, weights[columns])
        task = _Task(weights[columns], seed, report)
        masks = best_masks(patterns) if exact else _searched(patterns, codes[:, columns], task)
        found[:, columns] = patterns.hidden[masks]
    return found


def _searched(patterns: Patterns, codes: Integers, task: _Task) -> Integers:
    """Return masks by greedy choice and by a search for groups, each improved by local search.

    Groups that are generalized by flat trees release what differs within them as suppressed: the
    search for the least ILoss by column weights is one for the fewest cells.
    """
    starts = [first_masks(patterns), _of_groups(patterns, codes, task)]
    solutions = [Masks(patterns, masks) for masks in starts]
    for one in solutions:
        one.descend(task.report)
    best = min(solutions, key=lambda one: one.cost)
    random = np.random.default_rng(task.seed)
    for done in range(ROUNDS):
        task.report("suppressing", done, ROUNDS)
        other = Masks(patterns, best.masks)
        other.perturb(random)
        other.descend(task.report)
        best = min(best, other, key=lambda one: one.cost)
    task.report("suppressing", ROUNDS, ROUNDS)
    return best.masks


def _of_groups(patterns: Patterns, codes: Integers, task: _Task) -> Integers:
    """Return the masks of groups that a search makes."""
    names = [str(j) for j in range(codes.shape[1])]
    texts = {name: [f"v{code}" for code in codes[:, j]] for j, name in enumerate(names)}
    weights = dict(zip(names, task.weights.tolist(), strict=True))
    nodes = Nodes(code(read(texts)), weights)
    problem = Problem(nodes, patterns.k, task.seed, "quick")
    labels = solve(problem, "auto", task.report.quiet()).labels
    masks = np.empty(len(codes), dtype=np.int64)
    number = {tuple(hidden): mask for mask, hidden in enumerate(patterns.hidden.tolist())}
    for rows in rows_of_groups(np.array(labels)):
        varying = np.ptp(codes[rows], axis=0) > 0
        masks[rows] = number[tuple(varying.tolist())]
    return masks


def _joined(sets: Sequence[Sequence[int]] | None, columns: int) -> list[list[int]]:
    """Return the sets of columns; those that have a column in common are one."""
    joined: list[set[int]] = []
    for one in sets if sets is not None else [range(columns)]:
        own = set(one)
        apart = [other for other in joined if own.isdisjoint(other)]
        for other in joined:
            own |= other if not own.isdisjoint(other) else set()
        joined = [*apart, own]
    return [sorted(one) for one in joined]
