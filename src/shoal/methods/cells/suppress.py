"""`fewest_cells`: which cells to suppress so that every class has k records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.methods.cells.patterns import Patterns
from shoal.methods.cells.programme import best_masks
from shoal.methods.cells.search import cheapest_masks
from shoal.methods.problem import Nodes, Problem, check_size
from shoal.methods.solve import solve
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
        The records, equal values by equal numbers, from 0 on; -1 is a missing cell.
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
        if exact:
            masks = best_masks(patterns)
        else:
            groups = _of_groups(patterns, codes[:, columns], task)
            masks = cheapest_masks(patterns, groups, ROUNDS, seed, report).masks
        found[:, columns] = patterns.hidden[masks]
    return found


def _of_groups(patterns: Patterns, codes: Integers, task: _Task) -> Integers:
    """Return groups of least ILoss by flat trees, which suppress what differs within them."""
    names = [str(j) for j in range(codes.shape[1])]
    texts = {
        name: [None if code < 0 else f"v{code}" for code in codes[:, j]]
        for j, name in enumerate(names)
    }
    weights = dict(zip(names, task.weights.tolist(), strict=True))
    nodes = Nodes(code(read(texts)), weights)
    problem = Problem(nodes, patterns.k, task.seed, "quick")
    return solve(problem, "auto", task.report.quiet()).labels


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
