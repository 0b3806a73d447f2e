"""`solve`: choose a method, check that it supports the problem, run it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.errors import RequestError
from shoal.methods.auto import check_effort, chosen, lower_effort, pace, runs_blocks
from shoal.methods.families.local_search import within_constraints
from shoal.methods.options import RANDOM, check_options
from shoal.methods.problem import Method, Nodes, Points, Problem, Solution
from shoal.methods.registry import find
from shoal.partition import Partition
from shoal.progress import Reporter

SHARE = 8  # the part of the iterations of a search by distance: more of them gain little in ILoss
LEAST = 100


def solve(problem: Problem, method: str | Method, report: Reporter) -> Partition:
    """Group records by a method; the order of the records is kept.

    Requires k <= number of records. Ensures that every group has at least k records and that every
    record is in one group (`Partition` checks both). More effort never loses more: what less effort
    finds is kept where it is better, and a search by `best` effort begins with what `normal` finds.
    """
    check_effort(problem.effort)
    problem, known = replace(problem, encoding=problem.encoding.varying()), None
    if (lower := lower_effort(problem, method)) is not None:
        assert isinstance(method, str)
        known = solve(replace(problem, effort=lower), method, report)
        if not (find(known.method).info.is_search or runs_blocks(problem, method)):
            return known  # the same by any effort
    twice = method == "auto" and begins_twice(problem)
    one, problem, reason = chosen(problem, method)
    if known is not None and problem.effort == "best" and one.info.is_search:
        problem = replace(problem, start=known.labels)
    elif twice:
        problem = with_second_start(problem, report)
    why_not = one.supports(problem)
    if why_not is not None:
        raise RequestError(why_not)
    solution = _solution(problem, one, report)
    encoding = problem.encoding
    report("grouping", encoding.rows, encoding.rows)
    if solution.recoding is not None:
        encoding = problem.nodes.recoded(solution.recoding)
    own = Partition(
        solution.labels, problem.k, one.info.name,
        encoding.loss(solution.labels, problem.threads), encoding.loss_name,
        search=solution.log, reason=reason, enforced=solution.enforced, bound=solution.bound,
        way=solution.enforcement, recoding=solution.recoding,
    )  # fmt: skip
    if known is None or own.information_loss < known.information_loss:
        return own
    return replace(known, reason=reason)


def _solution(problem: Problem, method: Method, report: Reporter) -> Solution:
    """Run a method that supports the problem; its groups keep the constraints."""
    check_options(method.info, problem.start, problem.options)
    rows = problem.encoding.rows
    if rows < 2 * problem.k and not method.info.recodes:  # there is only one grouping
        report("grouping", 0, rows)
        solution = problem.alone() if problem.k == 1 else Solution(np.zeros(rows, dtype=np.int64))
    else:
        solution = method.run(_with_start(problem, report), report)
    if solution.enforcement or solution.recoding is not None:
        return solution
    return within_constraints(problem, solution, report)


def _with_start(problem: Problem, report: Reporter) -> Problem:
    """Return the problem with the groups of the method that its start names."""
    start, encoding = problem.start, problem.encoding
    if not isinstance(start, str) or start == RANDOM or not isinstance(encoding, Points):
        return problem
    first = solve(Problem(Points(encoding.matrix), problem.k), start, report)
    return replace(problem, start=np.array(first.labels))


# Numbers that are released as intervals: the search by trees begins with groups by distance, too.
#
# Groups of near records have narrow intervals, and a search by distance finds them fast; but what
# an interval loses is not what a mean loses, so that the search by trees goes on from them. It goes
# on from its own start as well, and in the end the better groups of both count, block by block.


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
