"""Methods with linear and integer programmes: `best` comes near the optimum, `exact` proves it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.backends.executor import Threads
from shoal.measures.loss import percent, total_squares
from shoal.methods.blocks import EFFORTS, group_in_blocks
from shoal.methods.families.descent import within_constraints
from shoal.methods.ils.task import Task
from shoal.methods.matheuristic.exact import exact
from shoal.methods.matheuristic.on_trees import exact_on_trees
from shoal.methods.matheuristic.run import best
from shoal.methods.matheuristic.steps import WHOLE
from shoal.methods.method import Family
from shoal.methods.problem import Nodes, Points, Problem, Solution
from shoal.partition import Bound
from shoal.progress import Reporter


class Unweighted(Family):
    """Methods that take no survey weights."""

    def supports(self, problem: Problem) -> str | None:
        """Return why it cannot solve a problem; None if it can."""
        why_not = super().supports(problem)
        if why_not is not None or problem.encoding.weights is None:
            return why_not
        name = self.info.name
        if isinstance(problem.encoding, Nodes):
            return f"{name} takes no survey weights; kaim+ does, and auto"
        return f"{name} takes no survey weights, no households and no people; ilsmc+ does, and auto"


class Best(Unweighted):
    """Rounds of searches, programmes, dives and neighborhoods, with a bound."""

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the incumbent of the last round, with its log and the bound."""
        if problem.k == 1:
            return problem.alone()
        parameters, points, k, seed = self.info.search, problem.points, problem.k, problem.seed
        assert parameters is not None
        start = problem.start_labels
        if start is None and points.rows > WHOLE:
            plan, run = EFFORTS[problem.effort], Threads(problem.threads)
            start = group_in_blocks(points.matrix, k, plan, seed, report, run)
        task = Task(k, start, parameters.replace(self._rounds(problem)), seed, problem.threads)
        labels, log, bound = best(points.matrix, task, report)
        return within_constraints(
            problem, Solution(labels, log, _bound(points, *bound)), report, parameters
        )

    def _rounds(self, problem: Problem) -> Mapping[str, Any]:
        """Return the search options, with the rounds of the effort where none are given."""
        if problem.options.get("stop"):
            return problem.options
        assert self.info.rounds is not None
        return {**problem.options, "stop": {"iterations": self.info.rounds[problem.effort]}}


class Exact(Unweighted):
    """The partition of least SSE, or of nodes that of least ILoss, by proof."""

    def supports(self, problem: Problem) -> str | None:
        """Return why it cannot solve a problem; None if it can."""
        encoding = problem.encoding
        if isinstance(encoding, Nodes) and {*(encoding.column_weights or {}).values()} - {1}:
            return (
                "exact proves the least ILoss, in which all columns count the same; leave column "
                "weights out, or take kaim+"
            )
        return super().supports(problem)

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the optimum, or raise RequestError where it cannot be proven."""
        if problem.k == 1:
            return problem.alone()
        if isinstance(problem.encoding, Nodes):
            coded = problem.nodes.coded
            labels, rate = exact_on_trees(coded, problem.k, problem.seed, report, problem.threads)
            return Solution(labels, bound=Bound(rate, None, True, problem.nodes.loss_name))
        points = problem.points
        labels, least = exact(points.matrix, problem.k, problem.seed, report, problem.threads)
        return Solution(labels, bound=_bound(points, least, True))


def _bound(points: Points, least: float, complete: bool) -> Bound:
    loss = percent(least, total_squares(points.matrix))
    return Bound(loss, least, complete, points.loss_name)
