"""`recode`: the levels of all columns that lose least, and the classes that they make."""

from __future__ import annotations

from functools import partial

from shoal.errors import RequestError, shown
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.methods.fulldomain.columns import leveled
from shoal.methods.fulldomain.judge import Judge, Needs
from shoal.methods.fulldomain.lattice import Lattice, least
from shoal.methods.problem import Problem
from shoal.partition import Recoding
from shoal.progress import Reporter

ROUNDING = 1e-9  # of a share of the records


def recode(problem: Problem, report: Reporter) -> tuple[Integers, Recoding]:
    """Return the classes of the records that are kept, and the levels that make them.

    Of all combinations of levels whose classes keep what is asked, once at most the share
    `suppress` of the records is left out, it is the one with the least loss by column weights and
    survey weights.
    """
    nodes = problem.nodes
    rows, weights = nodes.rows, nodes.column_weights or {}
    on_node = partial(_report, report, rows)
    on_node(0, 1)
    spare = int(problem.suppress * rows + ROUNDING)
    if spare:
        _check_labels(problem)
    rules = None if problem.constraints is None else problem.constraints.rules
    survey = nodes.weights
    columns = [leveled(one, weights.get(one.name, 1.0), survey) for one in nodes.coded.columns]
    lattice = Lattice([one.sums for one in columns], [one.kinds for one in columns])
    judge = Judge(columns, Needs(problem.k, spare, rules, problem.k_of), survey)
    node = least(lattice, judge, on_node)
    labels, suppressed = judge.labels(node)
    levels = {one.name: int(one.levels[at]) for one, at in zip(columns, node, strict=True)}
    return labels, Recoding(levels, suppressed)


def _report(report: Reporter, rows: int, done: int, of: int) -> None:
    report("grouping", rows * done // max(of, 1), rows)


def _check_labels(problem: Problem) -> None:
    """Refuse to suppress records whose values the labels of a hierarchy would show all the same."""
    for column in problem.nodes.coded.columns:
        if column.rule.shows_values:
            such = option("hierarchies", {column.name: "widths:5,10"})
            raise RequestError(
                f"{option('suppress')}: the intervals of column {shown(column.name)} "
                f"({column.rule}) end in values of the data, also of records that are left out; "
                f"give it a hierarchy, such as {such}"
            )
