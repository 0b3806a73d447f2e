"""Splitting from the top down: all records, then parts of them, while that saves loss."""

from __future__ import annotations

from shoal.kernels.arrays import Integers
from shoal.methods.problem import Family, Problem, Solution
from shoal.methods.topdown.grouping import top_down
from shoal.progress import Reporter


class TopDown(Family):
    """Splits coded records by what they lose; nothing is drawn at random."""

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the groups that cannot be split."""
        return problem.alone() if problem.k == 1 else Solution(self.grow(problem, report))

    def grow(self, problem: Problem, report: Reporter) -> Integers:
        """Split all records."""
        nodes = problem.nodes
        return top_down(nodes.coded, problem.k, report, nodes.column_weights, nodes.weights)
