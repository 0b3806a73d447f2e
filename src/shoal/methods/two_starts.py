"""Numbers that are released as intervals: the search by trees begins with groups by distance, too.

Groups of near records have narrow intervals, and a search by distance finds them fast; but what an
interval loses is not what a mean loses, so that the search by trees goes on from them. It goes on
from its own start as well, and in the end the better groups of both count, block by block.
"""

from __future__ import annotations

from dataclasses import replace

from shoal.methods.auto import chosen, pace
from shoal.methods.problem import Nodes, Points, Problem
from shoal.progress import Reporter

SHARE = 8  # the part of the iterations of a search by distance: more of them gain little in ILoss
LEAST = 100


def begins_twice(problem: Problem) -> bool:
    """Tell whether `auto` has two starts: of numbers, all of them there, released as intervals.

    Not where a start or search options are given, constraints are to be kept, or blocks are
    searched.
    """
    nodes = problem.encoding
    if not isinstance(nodes, Nodes) or nodes.matrix is None or problem.start is not None:
        return False
    if problem.options or problem.constraints is not None or problem.k == 1:
        return False
    ranges = all(column.by_range and not column.absent.any() for column in nodes.coded.columns)
    return ranges and 2 * problem.k <= nodes.rows < pace().large


def with_second_start(problem: Problem, report: Reporter) -> Problem:
    """Return the problem with the groups that a short search by distance finds."""
    nodes = problem.nodes
    assert nodes.matrix is not None
    points = Points(nodes.matrix, weights=nodes.weights).varying()
    own = Problem(points, problem.k, problem.seed, problem.effort, threads=problem.threads)
    method, own, _ = chosen(own, "auto")
    if method.info.is_search:
        count = max(LEAST, own.options["stop"]["iterations"] // SHARE)
        own = replace(own, options={"stop": {"iterations": count}, "schedule": count})
    return replace(problem, second=method.run(own, report.quiet()).labels)
