"""Descent to a local optimum from the groups of another method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.kernels.rules import NONE, Rules
from shoal.methods.enforce.constraints import enforced_partitions
from shoal.methods.ils.parameters import Search
from shoal.methods.ils.room import ROOM
from shoal.methods.ils.search import search
from shoal.methods.ils.task import Task
from shoal.methods.problem import Problem, Solution
from shoal.progress import Reporter

DESCENT: Mapping[str, Any] = {"stop": {"iterations": 0}, "runs": 1}  # to the next local optimum


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
