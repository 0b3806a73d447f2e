"""The pair bound and the semidefinite bound: proven by their prices, never above the least loss."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from naive.bounds import (
    group_sse,
    least_sse,
    pair_prices_prove,
    shares_of_pairs,
    squared,
)
from naive.bounds import least_by_record_prices as twin_of_prices
from shoal.errors import Canceled
from shoal.methods.bounds.large_groups import (
    FEWEST,
    WORK,
    LargeGroups,
    Semidefinite,
    least_by_pairs,
    least_by_prices,
    lowest_eigenvalue,
    steps_by,
    weigh,
    weigh_pairs,
)
from shoal.methods.bounds.threads import squared_gaps
from shoal.progress import Reporter
from thorough import each

QUIET = Reporter(None)


def problem(seed, most=11):
    """A small table of every kind, k, and a grouping: ties, duplicates, outliers, large numbers."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    rows = int(rng.integers(2 * k, max(most, 2 * k) + 1))
    matrix = rng.normal(size=(rows, int(rng.integers(1, 4))))
    if seed % 4 == 1:
        matrix = np.round(2 * matrix)
    elif seed % 4 == 2:
        matrix *= 10.0 ** rng.integers(-4, 5, size=matrix.shape)
    elif seed % 4 == 3:
        matrix[rng.integers(0, rows, rows // 3)] = matrix[0]
    return matrix, k, np.minimum(np.arange(rows) // k, rows // k - 1)


def cost(gaps, labels):
    """SSE of a grouping."""
    return sum(group_sse(gaps, np.flatnonzero(labels == one).tolist()) for one in set(labels))


def raised(matrix, k, labels, steps=60):
    """All that is proven of a table in some steps; None where the grouping costs nothing."""
    gaps = squared_gaps(matrix)
    upper = cost(gaps.tolist(), labels)
    if upper == 0.0:
        return None
    found = LargeGroups(gaps, k, labels, upper)
    found.bound_by_pairs()
    found.raise_bound(steps, QUIET)
    return found


@each("seed", range(60))
def test_never_above_the_least_of_all_groupings(seed):
    """Neither bound is; the second is no lower than the first, and nearer on the whole."""
    matrix, k, labels = problem(seed)
    least = least_sse(matrix.tolist(), k)
    found = raised(matrix, k, labels)
    if found is not None:
        assert 0.0 <= least_by_pairs(found.gaps, k)[0] <= found.least <= least * (1 + 1e-12)


@each("seed", range(40))
def test_prices_prove_the_pair_bound(seed):
    """Plain loops come to the same sum; the price that suits a record is the twin's."""
    matrix, k, _ = problem(seed)
    gaps = squared_gaps(matrix)
    least, prices = least_by_pairs(gaps, k)
    told = twin_of_prices(gaps.tolist(), k, prices.tolist())
    assert max(told, 0.0) == pytest.approx(least, rel=1e-9, abs=1e-9 * gaps.max())
    assert weigh(gaps, k, prices)[0] == least
    short, aims = np.empty(prices.size), np.empty(prices.size)
    weigh_pairs(gaps, prices, np.empty(k), np.zeros(k, dtype=np.int64), short, aims)
    for row in range(prices.size):
        left = sorted(np.delete(gaps[row] - prices, row).tolist())
        assert aims[row] == (left[k - 2] + left[k - 1]) / 2
        assert short[row] == pytest.approx(sum(min(0.0, one - prices[row]) for one in left))


@each("seed", range(24))
def test_prices_prove_the_semidefinite_bound_in_fractions(seed):
    """The certificate holds without any rounding; so do prices that were made up."""
    matrix, k, labels = problem(seed, most=9)
    found = raised(matrix, k, labels, steps=30)
    if found is None:
        return
    own = found.relaxation
    costs = own.costs.tolist()
    assert pair_prices_prove(costs, k, own.prices.tolist(), own.bound)
    other = own.prices + np.random.default_rng(seed).normal(size=own.prices.shape)
    assert pair_prices_prove(costs, k, other.tolist(), least_by_prices(own.costs, k, other))


@each("seed", range(30))
def test_groupings_keep_the_relaxation(seed):
    """Shares of a grouping are psd, add up to k, and cost no more than the grouping itself."""
    matrix, k, labels = problem(seed, most=14)
    gaps = squared(matrix.tolist())
    shares = np.array(shares_of_pairs(labels.tolist(), k))
    assert np.allclose(shares.sum(axis=1), k)
    assert np.linalg.eigvalsh(shares)[0] > -1e-9
    assert (np.array(gaps) * shares).sum() / (2 * k) <= cost(gaps, labels) * (1 + 1e-12) + 1e-300


def test_a_bound_on_eigenvalues_is_one():
    """It is below the lowest one by less than a hair, of singular and indefinite matrices too."""
    rng = np.random.default_rng(0)
    for rank in (2, 9, 12):
        half = rng.normal(size=(12, rank))
        for shift in (0.0, -0.3, 2.0):
            matrix = half @ half.T + shift * np.eye(12)
            true = float(np.linalg.eigvalsh(matrix)[0])
            found = lowest_eigenvalue(matrix, 1e-13)
            assert min(true, 0.0) - 1e-9 <= found <= min(true, 0.0) + 1e-12


def test_the_semidefinite_bound_is_far_above_the_pair_bound():
    """On a table of 60 records it closes most of the gap to a good grouping."""
    matrix = np.random.default_rng(0).normal(size=(60, 3))
    good = shoal.microaggregate(matrix, 8, method="ilsmc+", max_iterations=300, standardize=False)
    found = raised(matrix, 8, good.labels, steps=200)
    pairs = least_by_pairs(found.gaps, 8)[0]
    upper = cost(found.gaps.tolist(), good.labels)
    assert upper * 0.6 < pairs < upper * 0.8
    assert upper * 0.88 < found.least < upper


def test_steps_by_effort():
    """None at quick; where there are too many records for some steps, none either."""
    for rows in (20, 500, 1_000, 1_500, 2_000, 3_000, 5_000):
        steps = [steps_by(effort, rows) for effort in WORK]
        assert steps == sorted(steps)
        assert steps[0] == 0
        assert all(one == 0 or one >= FEWEST for one in steps)
    assert steps_by("normal", 1_100) > 0
    assert steps_by("best", 2_000) > 0
    assert steps_by("best", 3_000) == 0


def test_what_is_cut_short_is_a_bound():
    """By the clock, or by a request in the middle of it: what was proven counts."""
    matrix, k, labels = problem(4, most=14)
    gaps = squared_gaps(matrix)
    least = least_sse(matrix.tolist(), k)
    calls = iter([False] * 10 + [True] * 1_000)
    timed = LargeGroups(gaps, k, labels, cost(gaps.tolist(), labels), lambda: next(calls))
    timed.bound_by_pairs()
    before = timed.least
    timed.raise_bound(50, QUIET)
    assert 0.0 < before <= timed.least <= least
    calls = iter([False] * 80)

    def over():
        if next(calls, None) is None:
            raise Canceled("stopped")
        return False

    stopped = LargeGroups(gaps, k, labels, cost(gaps.tolist(), labels), over)
    stopped.bound_by_pairs()
    with pytest.raises(Canceled):
        stopped.raise_bound(50, QUIET)
    assert before < stopped.least <= least


def test_numbers_that_cannot_be_decomposed_leave_the_pair_bound(monkeypatch):
    """Where the eigendecomposition fails there is the bound from before."""
    matrix, k, labels = problem(0)
    gaps = squared_gaps(matrix)
    found = LargeGroups(gaps, k, labels, cost(gaps.tolist(), labels))
    found.bound_by_pairs()
    before = found.least

    def fails(_):
        raise np.linalg.LinAlgError

    monkeypatch.setattr(Semidefinite, "step", fails)
    found.raise_bound(50, QUIET)
    assert found.least == pytest.approx(before, rel=1e-6)
