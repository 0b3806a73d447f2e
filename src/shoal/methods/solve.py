"""`solve`: choose a method, check that it supports the problem, run it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from shoal.errors import RequestError
from shoal.methods.auto import check_effort, chosen, lower_effort, runs_blocks
from shoal.methods.families.descent import within_constraints
from shoal.methods.method import Method
from shoal.methods.options import RANDOM, check_options
from shoal.methods.problem import Points, Problem, Solution
from shoal.methods.registry import find
from shoal.methods.two_starts import begins_twice, with_second_start
from shoal.partition import Partition
from shoal.progress import Reporter


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
