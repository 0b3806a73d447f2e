"""Heuristics: groups grown or cut one after the other, and refined by name."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.methods.families.local_search import by_weights
from shoal.methods.heuristics.refine.refinements import Grouping, Refinement
from shoal.methods.problem import Family, Problem, Solution
from shoal.progress import Reporter


@dataclass(frozen=True)
class Heuristic(Family):
    """Groups points by one function of `numeric`, and refines them by another, if there is one."""

    group: Grouping
    refine: Refinement | None = None

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the groups; with survey weights, the next local optimum by them."""
        matrix, k = problem.points.matrix, problem.k
        labels = self.group(matrix, k, report)
        if self.refine is not None:
            labels = self.refine(matrix, labels, k, report)
        return Solution(by_weights(problem, labels, report))
