"""Local searches, on points and on nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.kernels.rules import NONE, Rules
from shoal.methods.enforce.constraints import enforced_partitions
from shoal.methods.families.kmember import KMember
from shoal.methods.ils.hierarchies.search import TIMES_K, search_trees
from shoal.methods.ils.parameters import Search, Task
from shoal.methods.ils.search import ROOM, search
from shoal.methods.problem import Family, Problem, Solution
from shoal.progress import Reporter

DESCENT: Mapping[str, Any] = {"stop": {"iterations": 0}, "runs": 1}  # to the next local optimum
PENALTIES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # of every member, for rules broken by 1: whole records
TURNS, MOST = 4, 10_000  # iterations a group at each penalty, and of all groups at most
LOOKS = 300  # of a record at groups, at each penalty
SEARCH = Search(perturbations=("dissolve", "regroup", "resplit"), samples=3)
SECOND = "; beside that, groups were searched in which breaking it costs more and more"


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


def second_start(
    problem: Problem, first: Integers, start: Solution, task: Task, report: Reporter
) -> Integers | None:
    """Return groups that keep the constraints, from those of a method that do not.

    A search from the `first` groups on trades what cells lose for the penalty of broken rules,
    which rises in steps; what is broken then is mended by swaps. None where the groups kept them
    anyway, where another way to enforce them is asked for, or groups would be larger than those of
    `start` let a search make.
    """
    constraints, nodes, k = problem.constraints, problem.nodes, problem.k
    if constraints is None or start.enforcement == "none" or constraints.enforcement != "auto":
        return None
    turns = min(MOST, TURNS * (nodes.rows // k))
    options = SEARCH.replace({"stop": {"iterations": turns}, "looks": LOOKS * nodes.rows})
    cells, labels = float(len(nodes.coded.columns)), first
    for penalty in PENALTIES:
        own = replace(task, start=labels, options=options, penalty=penalty * cells)
        labels, _ = search_trees(nodes.coded, own, report, nodes.column_weights, nodes.weights)
    by_swaps = replace(problem, constraints=replace(constraints, enforcement="swap"))
    labels = within_constraints(by_swaps, Solution(labels), report).labels
    most = max(TIMES_K * k, int(np.bincount(start.labels).max()))
    return labels if int(np.bincount(labels).max()) <= most else None


def has_room(labels: Integers, k: int) -> bool:
    """Tell whether groups are not so large that a search has no room for them."""
    return int(np.bincount(labels).max()) * (labels.size // k) <= ROOM


def descend(
    problem: Problem, labels: Integers, report: Reporter, parameters: Search, rules: Rules = NONE
) -> Integers:
    """Return the next local optimum from some groups of points; no group of it breaks a rule."""
    task = Task(problem.k, labels, parameters.replace(DESCENT), problem.seed, 1, rules)
    return search(problem.points.matrix, task, report, weights=problem.points.weights)[0]


def by_weights(problem: Problem, labels: Integers, report: Reporter) -> Integers:
    """Return the next local optimum by survey weights, of groups that were made without them."""
    if problem.points.weights is None or problem.k == 1 or not has_room(labels, problem.k):
        return labels
    return descend(problem, labels, report, Search())


def within_constraints(
    problem: Problem, solution: Solution, report: Reporter, parameters: Search | None = None
) -> Solution:
    """Return the groups that keep the constraints and lose least, in the best way there.

    With the options of a search, each way goes on to a local optimum, by moves that break no rule;
    perturbed groups seldom find back to the rules, so there is no more than that.
    """
    constraints, k, loss = problem.constraints, problem.k, problem.encoding.loss
    matrix = problem.encoding.matrix
    if constraints is None:
        return solution
    assert matrix is not None
    every = []
    for one in enforced_partitions(matrix, solution.labels, constraints, k, loss, report):
        labels, note = one.labels, one.note
        if parameters is not None and labels.max() > 0 and has_room(labels, k):
            labels = descend(problem, labels, report, parameters, constraints.rules)
            note += f"; then {loss(one.labels):.4f} % → {loss(labels):.4f} % by moves within it"
        every.append((loss(labels), labels, one.enforcement, note))
    _, labels, enforcement, note = min(every, key=lambda one: one[0])
    return replace(solution, labels=labels, enforcement=enforcement, enforced=note)
