"""Methods for large tables: blocks of records, grouped one by one, whose borders are mended."""

from __future__ import annotations

from shoal.executor import Threads
from shoal.methods.blocks import (
    EFFORTS,
    TREE_EFFORTS,
    group_coded_in_blocks,
    group_in_blocks,
)
from shoal.methods.problem import Family, Problem, Solution
from shoal.progress import Reporter


class PointBlocks(Family):
    """Groups points block by block."""

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the groups of all blocks."""
        points, plan, run = problem.points, EFFORTS[problem.effort], Threads(problem.threads)
        labels = group_in_blocks(
            points.matrix, problem.k, plan, problem.seed, report, run, weights=points.weights
        )
        return Solution(labels)


class NodeBlocks(Family):
    """Groups coded records block by block."""

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the groups of all blocks."""
        if problem.k == 1:
            return problem.alone()
        nodes, plan, run = problem.nodes, TREE_EFFORTS[problem.effort], Threads(problem.threads)
        labels = group_coded_in_blocks(
            nodes.coded, problem.k, plan, problem.seed, report, run, nodes.column_weights,
            survey=nodes.weights,
        )  # fmt: skip
        return Solution(labels)
