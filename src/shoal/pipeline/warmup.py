"""`warmup`: compile the kernels of every method, of rules and of risks."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from shoal.extras import has
from shoal.judge.requirement import Requirement
from shoal.measures.risk.assignment import by_auction, exactly
from shoal.methods.enforce.constraints import Constraints
from shoal.methods.enforce.rules import make_rules
from shoal.methods.problem import Nodes, Points, Problem
from shoal.methods.registry import methods
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.settings import RoleSettings
from shoal.table.assign import assign
from shoal.table.encode_nodes import code
from shoal.table.read import read


def warmup() -> dict[str, float]:
    """Run every method on a tiny table; return the seconds each took, compilation included.

    Methods whose extra is not installed are left out.
    """
    matrix = np.random.default_rng(0).normal(size=(24, 3))
    coded = code(read(matrix))
    seconds = {}
    for method in methods():
        if method.extra is not None and not has(method.extra):
            continue
        start = time.perf_counter()
        encoding = Nodes(coded) if method.on_nodes else Points(matrix[:, : method.columns])
        solve(Problem(encoding, 3), method.name, Reporter(None))
        seconds[method.name] = time.perf_counter() - start
    start = time.perf_counter()
    _within_rules(matrix)
    seconds["what is asked beyond k"] = time.perf_counter() - start
    start = time.perf_counter()
    for way in (exactly, by_auction):
        way(np.abs(matrix), np.full(matrix.shape[1], matrix.shape[0] // matrix.shape[1]))
    seconds["linkage one to one"] = time.perf_counter() - start
    return seconds


def _within_rules(matrix: npt.NDArray[np.float64]) -> None:
    """Bring about l-diversity in every way."""
    table = assign(
        read(matrix), RoleSettings(quasi_identifiers=("x0", "x1"), sensitive=("x2",))
    ).table
    rules, values = make_rules(table, Requirement(k=3, l=2, t=0.4), {}, None, ())
    for enforcement in ("swap", "slices"):
        problem = Problem(Points(matrix), 3, constraints=Constraints(rules, values, enforcement))
        solve(problem, "ilsmc-near", Reporter(None))
