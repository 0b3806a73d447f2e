"""Refinement of given groups."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.methods.families.descent import by_weights
from shoal.methods.heuristics.refine.refinements import Refinement
from shoal.methods.method import Family
from shoal.methods.problem import Problem, Solution
from shoal.progress import Reporter


@dataclass(frozen=True)
class Refiner(Family):
    """Refines the groups that a problem starts from; never more loss than they had."""

    refine: Refinement

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the better of the groups before and after, which is refined without weights."""
        start, points = problem.start_labels, problem.points
        assert start is not None
        labels = self.refine(points.matrix, start, problem.k, report)
        if points.weights is not None:
            labels = min(start, by_weights(problem, labels, report), key=points.loss)
        return Solution(labels)
