"""The k-member family: groups of k grown over hierarchies by what the next record costs."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.kernels.arrays import Integers
from shoal.methods.kmember.cluster import cluster
from shoal.methods.problem import Family, Problem, Solution
from shoal.progress import Reporter


@dataclass(frozen=True)
class KMember(Family):
    """Grows groups by a cost (`form`), each from the record that a rule (`begin`) names."""

    form: str
    begin: str

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the groups that are grown."""
        return problem.alone() if problem.k == 1 else Solution(self.grow(problem, report))

    def grow(self, problem: Problem, report: Reporter) -> Integers:
        """Grow the groups; the problem's start, if there is one, names another rule."""
        nodes = problem.nodes
        begin = problem.start if isinstance(problem.start, str) else self.begin
        return cluster(
            nodes.coded, problem.k, report, form=self.form, start=begin, seed=problem.seed,
            weights=nodes.column_weights, survey=nodes.weights,
        )  # fmt: skip
