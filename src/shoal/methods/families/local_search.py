"""Local searches, on points and on nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Protocol

from shoal.kernels.arrays import Integers
from shoal.kernels.rules import NONE
from shoal.methods.families.descent import has_room, within_constraints
from shoal.methods.families.kmember import KMember
from shoal.methods.families.penalties import SECOND, second_start
from shoal.methods.ils.hierarchies.search import search_trees
from shoal.methods.ils.search import search
from shoal.methods.ils.task import Task
from shoal.methods.method import Family
from shoal.methods.problem import Problem, Solution
from shoal.progress import Reporter


class LocalSearch(Family):
    """Iterated local search for the least squared error."""

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Search from the start, then within the constraints."""
        if problem.k == 1:
            return problem.alone()
        parameters, points = self.info.search, problem.points
        assert parameters is not None
        options = parameters.replace(problem.options)
        task = Task(problem.k, problem.start_labels, options, problem.seed, problem.threads)
        labels, log = search(points.matrix, task, report, weights=points.weights)
        return within_constraints(problem, Solution(labels, log), report, parameters)


class Grower(Protocol):
    """A method that makes the groups that a search begins with."""

    def grow(self, problem: Problem, report: Reporter) -> Integers:
        """Return the groups."""


@dataclass(frozen=True)
class NodeSearch(Family):
    """Iterated local search for the least generalization.

    It begins with groups that are given, or that one of the methods in `starts` makes: one that is
    named, `grower` by a rule that is named for the first record of a group, else the first of
    `starts`. Where groups are given and there are several runs, those after the first begin with
    groups that it makes.
    """

    grower: KMember
    starts: Mapping[str, Grower]

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Begin with groups that keep the constraints, and search by moves that break none.

        Where the constraints had to be enforced, groups that came to keep them at a rising penalty
        are a second start; the better end counts.
        """
        if problem.k == 1:
            return problem.alone()
        parameters, nodes, constraints = self.info.search, problem.nodes, problem.constraints
        assert parameters is not None
        first = self._start(problem, report)
        start = within_constraints(problem, Solution(first), report)
        if not has_room(start.labels, problem.k):
            return start
        rules = NONE if constraints is None else constraints.rules
        options = parameters.replace(problem.options)
        task = Task(
            problem.k, start.labels, options, problem.seed, problem.threads, rules,
            warm=problem.start_labels is not None,
        )  # fmt: skip
        other = second_start(problem, first, start, task, report)
        if other is not None:
            task = replace(task, others=(other,))
            start = replace(start, enforced=f"{start.enforced}{SECOND}")
        elif problem.second is not None and constraints is None:
            task = replace(task, others=(problem.second,))
        elif problem.start_labels is not None and options.runs > 1 and constraints is None:
            own = self._start(replace(problem, start=None), report)
            one = replace(options, runs=1)
            task = replace(task, options=one, others=(own,) * (options.runs - 1))
        labels, log = search_trees(nodes.coded, task, report, nodes.column_weights, nodes.weights)
        return replace(start, labels=labels, log=replace(log, runs=options.runs))

    def begun(self, problem: Problem, report: Reporter) -> Solution:
        """Return the groups to begin with, which keep the constraints."""
        return within_constraints(problem, Solution(self._start(problem, report)), report)

    def _start(self, problem: Problem, report: Reporter) -> Integers:
        if problem.start_labels is not None:
            return problem.start_labels
        unnamed = replace(problem, start=None)
        if problem.start in self.starts:
            return self.starts[str(problem.start)].grow(unnamed, report)
        if problem.start is not None:
            return self.grower.grow(problem, report)
        return next(iter(self.starts.values())).grow(unnamed, report)
