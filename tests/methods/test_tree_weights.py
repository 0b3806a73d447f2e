"""Survey weights in methods by trees: what a record loses counts as often as it weighs."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.measures.generalization import loss_rate
from shoal.methods.masses import UNIT, masses_of, unit_of
from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read

QUIET = Reporter(None)
METHODS = ["top-down", "kaim", "kaim+", "kaim-fast", "k-member", "full-domain"]
ROWS = 160


def survey(seed=0, rows=ROWS):
    """A table of texts, numbers and gaps, and whole weights."""
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 8, rows)
    table = pa.table({
        "a": [f"a{(c + int(e)) % 6}" for c, e in zip(kind, rng.random(rows) < 0.3, strict=True)],
        "b": [f"b{c % 3}{int(v)}" for c, v in zip(kind, rng.integers(0, 3, rows), strict=True)],
        "x": pa.array([None if gap else int(5 * c + d) for c, d, gap in zip(
            kind, rng.integers(0, 6, rows), rng.random(rows) < 0.05, strict=True)]),
    })  # fmt: skip
    return table, rng.choice([1.0, 1.0, 2.0, 25.0], rows)


def solved(coded, method, weights, k=4):
    """The groups of coded records, by weights."""
    options = {"stop": {"iterations": 60}} if method == "kaim+" else {}
    nodes = Nodes(coded, weights=weights)
    return solve(Problem(nodes, k, effort="quick", options=options), method, QUIET)


@pytest.mark.parametrize("method", METHODS)
def test_weight_two_is_the_record_twice(method):
    """The loss is that of a table in which every record stands as often as it weighs.

    Nothing but the ratios of weights counts, and equal ones change nothing.
    """
    table, weights = survey()
    coded = code(read(table), {"b": "prefixes:2"})
    found = solved(coded, method, weights)
    every = np.repeat(np.arange(ROWS), weights.astype(int))
    if found.recoding is None:
        repeated = loss_rate(coded.take(every), np.asarray(found.labels)[every])
        assert found.information_loss == pytest.approx(repeated, abs=1e-9)
    scaled = solved(coded, method, 0.37 * weights)
    assert scaled.labels.tolist() == found.labels.tolist()
    assert scaled.information_loss == pytest.approx(found.information_loss, abs=1e-9)
    assert solved(coded, method, np.full(ROWS, 0.1)) == solved(coded, method, None)


@pytest.mark.parametrize("method", ["top-down", "kaim+"])
def test_heavy_records_lose_less(method):
    """Groups that are made by weights lose less by weights than those that are not."""
    with_, without = 0.0, 0.0
    for seed in range(3):
        table, weights = survey(seed)
        coded = code(read(table), {"b": "prefixes:2"})
        with_ += solved(coded, method, weights).information_loss
        labels = np.asarray(solved(coded, method, None).labels)
        without += loss_rate(coded, labels, weights=weights)
    assert with_ < without


def test_masses_are_whole():
    """Masses are UNIT on average, in the ratios of the weights; 1 where all weigh the same."""
    weights = np.array([1.0, 2.0, 5.0, 1e-12])
    masses = masses_of(weights, 4)
    assert masses.sum() == pytest.approx(4 * UNIT, rel=1e-8)
    assert masses[1] == pytest.approx(2 * masses[0], abs=2)
    assert masses.min() == 1
    assert unit_of(masses) == UNIT
    assert masses_of(np.full(3, 0.3), 3).tolist() == masses_of(None, 3).tolist() == [1, 1, 1]
    assert unit_of(masses_of(None, 3)) == 1


@pytest.mark.parametrize("options", [{}, {"suppress": 0.05}, {"method": "full-domain"}])
def test_the_report_says_the_weighted_loss(options):
    """Partition and report state one loss, in which records count by their weights."""
    table, weights = survey(1)
    data = table.append_column("w", pa.array(weights))
    found = shoal.anonymize(
        data, 4, quasi_identifiers=["a", "b", "x"], weight="w", effort="quick",
        hierarchies={"b": "prefixes:2", "x": "widths:10"}, **options,
    )  # fmt: skip
    assert not any("no say" in str(note) for note in found.report.notes)
    kept = np.delete(np.arange(ROWS), found.partition.suppressed)
    if not options:
        rate = found.report.costs["iloss_rate"]
        assert rate == pytest.approx(found.partition.information_loss, abs=1e-9)
        assert found.report.exact_loss == pytest.approx(rate, abs=1e-9)
    else:
        share = weights[kept].sum() / weights.sum()
        assert found.partition.information_loss >= 100.0 * (1.0 - share) - 1e-9


def test_who_takes_no_weights():
    """A method that proves the least loss of records that count the same says so."""
    table, weights = survey()
    with pytest.raises(shoal.RequestError, match=r"exact takes no survey weights; kaim\+ does"):
        shoal.microaggregate(table, 4, method="exact", weights=weights)
