"""Groups that come to keep constraints during a search: breaking them costs more and more."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.families.descent import within_constraints
from shoal.methods.ils.hierarchies.search import TIMES_K, search_trees
from shoal.methods.ils.parameters import Search
from shoal.methods.ils.task import Task
from shoal.methods.problem import Problem, Solution
from shoal.progress import Reporter

PENALTIES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)  # of every member, for rules broken by 1: whole records
TURNS, MOST = 4, 10_000  # iterations a group at each penalty, and of all groups at most
LOOKS = 300  # of a record at groups, at each penalty
SEARCH = Search(perturbations=("dissolve", "regroup", "resplit"), samples=3)
SECOND = "; beside that, groups were searched in which breaking it costs more and more"


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
