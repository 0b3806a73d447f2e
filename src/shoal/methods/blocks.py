"""Block-wise grouping of large tables; borders are improved along other cuts.

Records are cut into boxes of a few thousand, half by half, across the direction in which they vary
most (Friedman, Bentley and Finkel 1977). Each block is grouped and searched on its own. Then whole
groups are cut anew, by their centroids and across random directions, so that groups that a border
kept apart meet, and the search goes on in the new blocks; after a few rounds no border is left
that was in the way of all. A round takes time in proportion to the number of records, its blocks
are independent of each other, and what comes out depends on the seed alone, not on who runs them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import in_shape
from shoal.executor import Executor, Threads, local_threads
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.generalization import loss_rate
from shoal.measures.loss import group_means, squared_error
from shoal.methods.cutting import cut, turned
from shoal.methods.heuristics.fixed_size import mdav
from shoal.methods.ils.driver import descend
from shoal.methods.ils.hierarchies.search import search_trees
from shoal.methods.ils.parameters import MOVES, Annealing, Search, Task
from shoal.methods.ils.search import NOT_CLOSING, search
from shoal.methods.topdown.grouping import top_down
from shoal.partition import canonical_labels
from shoal.progress import Reporter
from shoal.table.encode_nodes import Coded

TREE_DESCENT = Search(perturbations=("dissolve", "regroup", "resplit"), samples=3)
ENOUGH = 1e-3  # of the loss: a round that gains less is the last
LEAST = 40  # groups of a block, at least
QUIET = Reporter(None)


@dataclass(frozen=True)
class Blocks:
    """How many records a block has, and how often borders are mended at most.

    In the last `searched` rounds the groups of blocks twice as large are also perturbed, so many
    `iterations` a block, but at most `per_group` times its groups.
    """

    records: int = 2_000
    rounds: int = 3
    searched: int = 0
    iterations: int = 600
    per_group: float = math.inf

    def size(self, k: int) -> int:
        """Return the records of a block for groups of k."""
        return max(self.records, LEAST * k)

    def steps(self, groups: int) -> int:
        """Return the iterations of a block with so many groups."""
        return int(min(self.iterations, self.per_group * groups))


EFFORTS = {"quick": Blocks(rounds=1), "normal": Blocks(), "best": Blocks(searched=3)}
TREE_EFFORTS = {  # of methods by trees, which need larger blocks: equal cells cost nothing
    "quick": Blocks(8_000, rounds=1),
    "normal": Blocks(16_000, rounds=0, searched=1, iterations=20_000, per_group=12),
    "best": Blocks(16_000, rounds=0, searched=3, iterations=60_000, per_group=36),
}


class Block(NamedTuple):
    """One block: its records, the groups they are in so far (None: none), seed and iterations."""

    matrix: Floats
    k: int
    labels: Integers | None
    seed: int
    iterations: int = 0
    weights: Floats | None = None

    def __repr__(self) -> str:
        return in_shape(self)


def solve_block(block: Block, report: Reporter = QUIET) -> Integers:
    """Return the groups of a block, numbered from 0: no shift or swap gains."""
    matrix, k, labels, seed, iterations, weights = block
    labels = mdav(matrix, k, report, classic=True) if labels is None else canonical_labels(labels)
    if matrix.shape[0] < 2 * k or k == 1:
        return labels
    if not iterations:
        return descend(matrix, k, labels, seed, report.stop, weights)
    parameters = Search(moves=MOVES, samples=5, acceptance=Annealing()).replace(
        {"stop": {"iterations": iterations}}
    )
    task = Task(k, labels, parameters, seed, threads=1)
    return search(matrix, task, report, weights=weights, sizes=NOT_CLOSING)[0]


def group_in_blocks(
    matrix: Floats,
    k: int,
    plan: Blocks,
    seed: int,
    report: Reporter,
    executor: Executor | None = None,
    labels: Integers | None = None,
    weights: Floats | None = None,
) -> Integers:
    """Return groups of at least k of the rows of a matrix, one result for any executor.

    With `labels`, these groups are only mended. `weights` (n) say how many a record stands for.
    """

    def block(rows: Integers, labels: Integers | None, seed: int, iterations: int) -> Block:
        own = None if weights is None else weights[rows]
        return Block(np.ascontiguousarray(matrix[rows]), k, labels, seed, iterations, own)

    run = executor or Threads()

    def lost(labels: Integers) -> float:
        return float(squared_error(matrix, labels, weights, local_threads(run)).sum())

    problem = BlockProblem(matrix, block, partial(solve_block, report=report.quiet()), lost)
    return _in_rounds(problem, k, plan, seed, report, run, labels)


class CodedBlock(NamedTuple):
    """A block of coded cells, as `Block`.

    `weights` say how much columns count, `survey` weights how much records do.
    """

    coded: Coded
    k: int
    labels: Integers | None
    seed: int
    iterations: int
    weights: Mapping[str, float] | None
    survey: Floats | None = None


def solve_coded_block(block: CodedBlock, report: Reporter = QUIET) -> Integers:
    """Return the groups of a block by trees: top-down's, then shifts and swaps until none gains."""
    coded, k, labels, seed, iterations, weights, survey = block
    if coded.rows < 2 * k:
        return np.zeros(coded.rows, dtype=np.int64)
    warm = labels is not None
    if labels is None:
        labels = top_down(coded, k, report, weights, survey)
    labels = canonical_labels(labels)
    parameters = TREE_DESCENT.replace({"stop": {"iterations": iterations}})
    task = Task(k, labels, parameters, seed, threads=1, warm=warm)
    return search_trees(coded, task, report, weights, survey)[0]


def group_coded_in_blocks(
    coded: Coded,
    k: int,
    plan: Blocks,
    seed: int,
    report: Reporter,
    executor: Executor | None = None,
    weights: Mapping[str, float] | None = None,
    labels: Integers | None = None,
    survey: Floats | None = None,
) -> Integers:
    """Return groups of at least k of coded records, as `group_in_blocks` does of a matrix."""

    def block(rows: Integers, labels: Integers | None, seed: int, iterations: int) -> CodedBlock:
        own = None if survey is None else survey[rows]
        return CodedBlock(coded.take(rows), k, labels, seed, iterations, weights, own)

    def lost(labels: Integers) -> float:
        return loss_rate(coded, labels, weights=survey)

    solve = partial(solve_coded_block, report=report.quiet())
    problem = BlockProblem(coordinates(coded), block, solve, lost)
    return _in_rounds(problem, k, plan, seed, report, executor or Threads(), labels)


def coordinates(coded: Coded) -> Floats:
    """Return coordinates of records: numbers scaled to [0, 1], words by rank.

    Words are in the order of their tree, where those of one parent are neighbors; a missing cell
    lies before all.
    """
    points = np.empty((coded.rows, len(coded.columns)))
    for j, column in enumerate(coded.columns):
        if column.places is not None:
            points[:, j] = np.append(column.places, -0.5)[column.values.indices]
        else:
            used = np.unique(column.nodes)
            ranks = np.where(column.absent, -1, np.searchsorted(used, column.codes))
            points[:, j] = ranks / max(used.size - 1, 1)
    return points


@dataclass(frozen=True, repr=False)
class BlockProblem:
    """A table to solve in blocks: points to cut by, how a block is made and solved, the loss."""

    points: Floats
    block: Callable[[Integers, Integers | None, int, int], Any]
    solve: Callable[[Any], Integers]
    lost: Callable[[Integers], float]


def _in_rounds(
    problem: BlockProblem, k: int, plan: Blocks, seed: int, report: Reporter, run: Executor,
    labels: Integers | None,
) -> Integers:  # fmt: skip
    """Solve the blocks of a first cut, then those of others, until little is gained."""
    whole = False
    threads = local_threads(run)
    if labels is None:
        parts = cut(problem.points, plan.size(k), k, threads)
        labels = _solved(problem, parts, None, seed, report, run)
        whole = len(parts) == 1
    rng = np.random.default_rng(seed)
    lost = problem.lost(labels)
    for number in range(0 if whole else plan.rounds):
        parts = _cut_groups(problem.points, labels, plan.size(k) // k, rng, threads)
        labels = _solved(problem, parts, labels, seed + number + 1, report, run)
        left = problem.lost(labels)
        if lost - left <= ENOUGH * lost:
            break
        lost = left
    for number in range(plan.searched):
        parts = _cut_groups(problem.points, labels, 2 * plan.size(k) // k, rng, threads)
        own = seed + plan.rounds + number + 1
        labels = _solved(problem, parts, labels, own, report, run, plan)
    return canonical_labels(labels)


def _solved(
    problem: BlockProblem, parts: list[Integers], labels: Integers | None, seed: int,
    report: Reporter, run: Executor, plan: Blocks | None = None,
) -> Integers:  # fmt: skip
    """Solve every block and join what they return; with a plan, their groups are perturbed."""

    def block(rows: Integers) -> Any:
        own = None if labels is None else labels[rows]
        steps = 0 if plan is None or own is None else plan.steps(np.unique(own).size)
        return problem.block(rows, own, seed, steps)

    if isinstance(run, Threads):  # which read this memory themselves
        solved = run.map(lambda rows: problem.solve(block(rows)), parts, report.stop)
    else:
        solved = run.map(problem.solve, map(block, parts), report.stop)
    stage = "grouping blocks" if labels is None else "mending borders"
    stage = "searching blocks" if plan else stage
    joined = np.empty(problem.points.shape[0], dtype=np.int64)
    count = 0
    report(stage, 0, len(parts))
    for done, (rows, own) in enumerate(zip(parts, solved, strict=True), start=1):
        joined[rows] = own + count
        count += int(own.max()) + 1
        report(stage, done, len(parts))
    return joined


def _cut_groups(
    matrix: Floats, labels: Integers, groups: int, rng: np.random.Generator, threads: Threads
) -> list[Integers]:
    """Cut whole groups into blocks, across random directions; return the rows of each block."""
    means = turned(group_means(matrix, labels, threads=threads), rng, threads)
    parts = cut(means, groups, threads=threads)
    few = len(parts) < 2**16
    block = np.empty(means.shape[0], dtype=np.uint16 if few else np.int64)  # those sort fastest
    for number, some in enumerate(parts):
        block[some] = number
    own = block[labels]
    counts = np.bincount(own, minlength=len(parts))
    return np.split(np.argsort(own, kind="stable"), np.cumsum(counts)[:-1])
