"""The room of methods: one Protocol, one registry, and a stop token that is passed along."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.methods.problem import Nodes, Points, Problem
from shoal.methods.registry import REFINEMENTS, find_refinement
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read

MATRIX = np.random.default_rng(0).normal(size=(30, 2))
ENCODINGS = {"points": Points(MATRIX), "nodes": Nodes(code(read(MATRIX)))}


@pytest.mark.parametrize("how", [*REFINEMENTS, "ilsmc", "kaim+"])
def test_refinements_are_methods_that_start_from_groups(how):
    """A refinement is solved as any method, and never loses more than its start."""
    method = find_refinement(how)
    encoding = ENCODINGS[method.info.encoding]
    start = np.arange(30) % 7
    changes = {"stop": {"iterations": 5}} if method.info.is_search else {}
    found = solve(Problem(encoding, 3, start=start, options=changes), method, Reporter(None))
    assert found.information_loss <= encoding.loss(start)
    assert found.sizes.min() >= 3
