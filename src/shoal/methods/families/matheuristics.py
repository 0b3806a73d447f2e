"""Methods with linear and integer programmes: `best` comes near the optimum, `exact` proves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from shoal.executor import Threads
from shoal.kernels.rules import NONE
from shoal.measures.loss import percent, total_squares
from shoal.methods.blocks import EFFORTS, group_in_blocks
from shoal.methods.families.local_search import NodeSearch, has_room, within_constraints
from shoal.methods.ils.parameters import Task
from shoal.methods.matheuristic.best_on_trees import best_on_trees
from shoal.methods.matheuristic.on_trees import exact_on_trees
from shoal.methods.matheuristic.run import best, exact
from shoal.methods.matheuristic.steps import WHOLE
from shoal.methods.problem import Family, Nodes, Points, Problem, Solution
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


@dataclass(frozen=True)
class Best(Unweighted):
    """Rounds of searches, programmes, dives and neighborhoods, with a bound.

    Records that are nodes are searched by runs of `on_nodes`, and their groups recombined.
    """

    on_nodes: NodeSearch

    def supports(self, problem: Problem) -> str | None:
        """Return why it cannot solve a problem; None if it can."""
        start = problem.start
        named = isinstance(problem.encoding, Nodes) and isinstance(start, str)
        if named and start not in self.on_nodes.starts:
            able = ", ".join(self.on_nodes.starts)
            return f"start of best, by trees, must be one of {able}, or labels"
        return super().supports(problem)

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return the incumbent of the last round, with its log and the bound."""
        if problem.k == 1:
            return problem.alone()
        if isinstance(problem.encoding, Nodes):
            return self._run_on_nodes(problem, report)
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

    def _run_on_nodes(self, problem: Problem, report: Reporter) -> Solution:
        """Search from groups that keep the constraints, by moves that break none."""
        assert self.info.search is not None
        nodes, k = problem.nodes, problem.k
        start = self.on_nodes.begun(problem, report)
        if not has_room(start.labels, k):
            return start
        options = self.info.search.replace(self._rounds(problem))
        rules = NONE if problem.constraints is None else problem.constraints.rules
        task = Task(k, start.labels, options, problem.seed, problem.threads, rules)
        labels, log, bound = best_on_trees(nodes.coded, task, report, nodes.column_weights)
        known = None if bound is None else Bound(bound[0], None, bound[1], nodes.loss_name)
        return replace(start, labels=labels, log=log, bound=known)

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
