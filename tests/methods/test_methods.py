"""The room of methods: one Protocol, one registry, and a stop token that is passed along."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import RequestError
from shoal.methods.problem import Nodes, Points, Problem
from shoal.methods.registry import METHODS, REFINEMENTS, find_refinement
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read

MATRIX = np.random.default_rng(0).normal(size=(30, 2))
ENCODINGS = {"points": Points(MATRIX), "nodes": Nodes(code(read(MATRIX)))}


@pytest.mark.parametrize("name", METHODS)
def test_a_method_supports_the_encoding_that_it_names(name):
    """A method gives a reason against the other encoding, and `solve` raises it."""
    method = METHODS[name]
    other = "points" if method.info.on_nodes else "nodes"
    reason = method.supports(Problem(ENCODINGS[other], 3))
    if method.info.by_table:  # it takes both
        assert reason is None
        return
    assert reason is not None
    assert reason.startswith(name)
    with pytest.raises(RequestError) as raised:
        solve(Problem(ENCODINGS[other], 3), name, Reporter(None))
    assert str(raised.value) == reason
    fits = method.info.columns is None
    assert (method.supports(Problem(ENCODINGS[method.info.encoding], 3)) is None) == fits


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


def test_refinements_that_are_not_there():
    """A wrong name, and search options of a refinement that is no search, are refused."""
    with pytest.raises(RequestError, match=r"how must be one of phase2, .*best, kaim\+$"):
        find_refinement("phase3")
    with pytest.raises(RequestError, match="phase2 is no search: it takes no parameters"):
        find_refinement("phase2", {"runs": 2})
