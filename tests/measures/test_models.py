"""Further attacks and figures of models, each against brute force on 300 random tables."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import shoal
from later import Later
from measured_tables import made
from naive import measuring, shares
from shoal.measures.compute import compare_tables
from shoal.measures.pairing import Pairing
from shoal.measures.result import Effort, Task
from shoal.measures.risk.assignment import assign, by_auction, exactly
from shoal.measures.risk.likeness import ranges
from shoal.measures.risk.model_figures import (
    column_sets,
    of_assignment,
    of_models,
    of_nearest,
    of_partial,
)
from shoal.pipeline.measure import hierarchies_of
from shoal.table.assign import with_roles
from shoal.table.read import read
from shoal.table.roles import Role
from thorough import is_thorough

TOGETHER = "scikit-learn"  # with SciPy; and what is measured once is measured in one process
optimize = Later("scipy.optimize")
TABLES = 300 if is_thorough() else 120
FAMILY = "means"


@cache
def measured(seed):
    """A random table, and the new risks of its release."""
    table = made(FAMILY, seed)
    before, after = map(read, table.tables())
    before = with_roles(before, dict.fromkeys(table.names, Role.QUASI_IDENTIFIER))
    rows = np.arange(before.rows)
    compared = compare_tables(
        before, after, table.names, table.sensitive_names,
        hierarchies_of(before, table.names, None, None), Pairing(rows, rows, ""), None, [],
    )  # fmt: skip
    task = Task(compared, Effort(), None, np.random.default_rng(0), False)
    families = (of_assignment, of_partial, of_nearest, of_models)
    return table, {one.key: one for family in families for one in family(task)}


def worst(figures, of=max):
    """The worst of those that there are."""
    there = [figure for figure in figures if figure is not None]
    return of(there) if there else None


def figure(table, of, combined=max):
    """A figure of the classes of every sensitive column that has a value."""
    found = []
    for values in table.sensitive:
        known = [value for value in values if value is not None]
        parts = shares.by_class(table.release, values)
        if known:
            found.append(combined(of(part, known) for part in parts if part))
    return worst(found)


def test_likeness_and_disclosure():
    """The largest gain and change of a sensitive value are those of loops over all classes."""
    for seed in range(TABLES):
        table, risk = measured(seed)
        gained = figure(table, shares.gain)
        assert gained is None or risk["likeness"].value == pytest.approx(float(gained))
        changed = figure(table, shares.change_of_present)
        assert changed is None or risk["disclosure"].value == pytest.approx(changed)


def test_combined_diversity():
    """The fewest combinations of sensitive values are counted; a missing value makes it none."""
    seen = 0
    for seed in range(TABLES):
        table, risk = measured(seed)
        if len(table.sensitive) < 2:
            assert "combined_diversity" not in risk
            continue
        rows = list(zip(*table.sensitive, strict=True))
        counts = [
            len({rows[i] for i in group if None not in rows[i]})
            for group in measuring.classes(table.release)
        ]
        assert risk["combined_diversity"].value == min(counts)
        seen += 1
    assert seen > TABLES / 4


def test_partial_linkage():
    """Every set of columns links as many as loops over all pairs do; the worst set counts."""
    for seed in range(TABLES):
        table, risk = measured(seed)
        found = shares.partial_linkage(table.original, table.release, table.numbers)
        if not found:
            assert "partial_linkage" not in risk
            continue
        assert risk["partial_linkage"].value == pytest.approx(max(found.values()))
        assert sorted(risk["partial_linkage"].by.values()) == pytest.approx(sorted(found.values()))


def test_nearest_inference():
    """The gain of who guesses from the nearest records is what loops over all pairs find."""
    for seed in range(TABLES):
        table, risk = measured(seed)
        found = [
            shares.nearest_inference(table.original, table.release, table.numbers, values)
            for values in table.sensitive
        ]
        wanted = worst(found)
        assert wanted is None or risk["nearest_inference"].value == pytest.approx(wanted)


def test_assignment():
    """Both assignments have the least sum of all permutations; the exact one is one of the best."""
    rng = np.random.default_rng(0)
    for _ in range(TABLES):
        sizes = rng.integers(1, 3, int(rng.integers(1, 4)))
        rows = int(rng.integers(1, sizes.sum() + 1))
        apart = np.round(rng.random((rows, sizes.size)) * 4, int(rng.integers(0, 3)))
        owner = np.repeat(np.arange(sizes.size), sizes)
        least, best = shares.best_assignments(apart[:, owner].tolist())
        exact, bid = exactly(apart, sizes), by_auction(apart, sizes)
        assert exact.total == pytest.approx(least)
        assert tuple(exact.classes) in {tuple(owner[list(chosen)]) for chosen in best}
        assert least - 1e-9 <= bid.total <= least + bid.slack + 1e-9
        for made_ in (exact, bid):
            assert (np.bincount(made_.classes, minlength=sizes.size) <= sizes).all()


def test_auctions_end():
    """An auction ends, near the least sum, where distances are all but equal, tie, or are huge."""
    rng = np.random.default_rng(1)
    rows, sizes = 300, np.full(60, 5)
    plain = rng.random((rows, 60))
    hidden = np.where(np.arange(60) == np.arange(rows)[:, None] // 5, 0.0, 1.0)
    tables = (
        -1e-9 * plain,
        hidden - 1e-8 * plain,
        np.floor(3 * plain),
        np.where(rng.random(plain.shape) < 0.2, 1e6, plain),
        np.zeros_like(plain),
    )
    for apart in tables:
        least, bid = exactly(apart, sizes).total, by_auction(apart, sizes)
        assert np.array_equal(np.bincount(bid.classes), sizes)
        assert least - 1e-9 <= bid.total <= least + bid.slack + 1e-9


def test_assignment_linkage():
    """Of all best assignments the one that links most counts, equal originals sharing theirs."""
    seen = 0
    for seed in range(TABLES):
        table, risk = measured(seed)
        if len(table.original) > 6:
            continue
        wanted = shares.assignment_linkage(table.original, table.release, table.numbers)
        assert risk["assignment_linkage"].value == pytest.approx(wanted)
        seen += 1
    assert seen > 20


def test_larger_assignments():
    """Of hundreds of records both are what a library finds, and the larger one says how it ran."""
    rng = np.random.default_rng(1)
    for rows, way in ((200, "exactly"), (900, "by an auction")):
        points, k = rng.normal(size=(rows, 2)), 4
        sizes = np.full(rows // k, k)
        centers = points[np.argsort(points[:, 0])].reshape(-1, k, 2).mean(axis=1)
        apart = np.sqrt(((points[:, None] - centers[None]) ** 2).sum(axis=-1))
        found = assign(apart, sizes)
        columns = np.repeat(np.arange(sizes.size), sizes)
        first, second = optimize.linear_sum_assignment(apart[:, columns])
        least = apart[first, columns[second]].sum()
        assert found.way == way
        assert least - 1e-6 <= found.total <= least + found.slack + 1e-6
        assert np.array_equal(np.bincount(found.classes), sizes)


def test_assignment_as_a_measure():
    """Distinct numbers released as they are are all linked; whole groups are linked once in k."""
    rng = np.random.default_rng(2)
    numbers = rng.permutation(60).astype(float)
    table = {"x": numbers.tolist()}
    risk = shoal.measure(table, table, quasi_identifiers=["x"], rows="same").risk
    assert risk["assignment_linkage"].value == 100
    assert "exactly" in risk["assignment_linkage"].sentence
    grouped = {"x": (numbers // 5 * 5 + 2).tolist()}
    risk = shoal.measure(table, grouped, quasi_identifiers=["x"], rows="same").risk
    assert risk["assignment_linkage"].value == pytest.approx(20)


def test_class_range():
    """The narrowest class of sensitive numbers is told, in percent of all and in values."""
    for seed in range(TABLES):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(2, 20))
        groups = rng.integers(0, 4, rows).tolist()
        pay = [None if rng.random() < 0.1 else int(v) for v in rng.integers(0, 30, rows)]
        known = [v for v in pay if v is not None]
        if len(set(known)) < 2:
            continue
        numbers = np.array([math.nan if v is None else v for v in pay])
        found = ranges(np.unique(groups, return_inverse=True)[1], numbers)
        parts = shares.by_class([[g] for g in groups], pay)
        least = min(shares.width(part) for part in parts) / shares.width(known)
        assert found.percent == pytest.approx(100 * float(least))
        assert found.different == min(len(set(part)) for part in parts)
    table = {"q": [1.0, 1.0, 2.0, 2.0], "pay": [10, 30, 10, 50]}
    risk = shoal.measure(table, table, quasi_identifiers=["q"], sensitive=["pay"], rows="same").risk
    assert risk["class_range"].value == 50
    assert "at least 2 different" in risk["class_range"].sentence


@pytest.mark.parametrize(("columns", "most"), [(1, 5), (2, 5), (4, 20), (9, 20), (60, 7)])
def test_sets_of_columns(columns, most):
    """All sets are taken where there are few, else as many as may be, each once."""
    sets = column_sets(columns, most, np.random.default_rng(0))
    size = min(3, columns - 1)
    assert len(sets) == len(set(sets)) == (min(most, math.comb(columns, size)) if size else 0)
    assert all(len(set(some)) == size and max(some) < columns for some in sets)
