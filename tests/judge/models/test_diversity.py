"""l-diversity, shares and class sizes by hand, at the limits of each."""

from __future__ import annotations

import math
import time

import pytest

from shoal.judge.models import diversity
from shoal.judge.models.requirement import largest_share


def test_values_that_do_not_occur():
    """A value with a count of 0 is no value; a class without records has none."""
    assert diversity.distinct([3, 0, 1]) == 2
    assert diversity.distinct([]) == 0
    assert diversity.entropy([2, 0, 2]) == pytest.approx(2, rel=1e-15)
    assert diversity.entropy([]) == diversity.entropy([0]) == 0
    assert diversity.entropy([1]) == 1
    assert diversity.tail([1, 0, 3, 2], 2) == (3, 3)
    assert diversity.tail([], 2) == (0, 0)
    assert diversity.has_entropy([2, 0, 2], 2)
    assert diversity.worst_posterior([2, 0, 3, 5], 0) == 0.5
    assert diversity.worst_posterior([2, 0, 3, 5], 1) == 5 / 7
    assert diversity.worst_posterior([2, 0, 3, 5], 2) == 1
    assert diversity.worst_posterior([3, 1], 0) == 0.75
    assert diversity.worst_posterior([0], 2) == diversity.worst_posterior([], 0) == 0


def test_entropy_by_hand():
    """Counts of 1, 1 and 2 are as good as 2 to the power of 1.5 equally frequent values."""
    assert diversity.entropy([1, 1, 2]) == pytest.approx(2**1.5, rel=1e-14)


@pytest.mark.parametrize("times", [1, 3, 10**6])
def test_a_whole_number_of_values_is_told_as_one(times):
    """As many equally frequent values as l, or what is exactly as good, are l, not just below."""
    for least in range(1, 60):
        assert diversity.entropy([times] * least) == least
    assert diversity.entropy([4 * times, times, times, times, times]) == 4
    assert diversity.entropy([times, times + 1]) < 2
    assert diversity.entropy([10**9 * times, 10**9 * times + 1]) < 2
    assert diversity.entropy([10**17 * times, 10**17 * times, 1]) > 2


@pytest.mark.parametrize(
    ("counts", "wanted", "has"),
    [
        ([1] * 3, 3, True),
        ([7] * 5, 5, True),
        ([10] * 7, 7, True),
        ([10**6, 10**6], 2, True),
        ([10**5, 10**5 + 1], 2, False),
        ([3, 3], 2.0000000001, False),
        ([3, 3], 1.9999999999, True),
        ([3, 3], 2.1, False),
        ([3, 3], 1.9, True),
        ([3, 2], 2, False),
        ([1, 1, 2], 2, True),
        ([4, 1, 1, 1, 1], 4, True),
        ([400, 100, 100, 100, 100], 4, True),
        ([4, 1, 1, 1, 1], 4.000000000000001, False),
        ([4, 1, 1, 1, 1], 3.999999999999999, True),
        ([5], 1, True),
        ([5], 1.5, False),
        ([], 1, False),
    ],
)
def test_entropy_decides_exactly(counts, wanted, has):
    """Where rounding could decide, whole numbers do: l equally frequent values are l."""
    assert diversity.has_entropy(counts, wanted) is has


def test_entropy_of_large_classes_does_not_take_long():
    """Classes of millions of records, all but equally frequent, are judged at once."""
    start = time.process_time()
    assert diversity.has_entropy([5 * 10**6] * 3, 3)
    assert not diversity.has_entropy([5 * 10**6, 5 * 10**6 + 1], 2)
    assert not diversity.has_entropy([10**9, 10**9 + 1], 2)
    assert diversity.has_entropy([10**9, 10**9, 1], 2)
    assert time.process_time() - start < 1


def test_recursive_by_hand():
    """r1 must be below c times the rest from the l-th on; fewer than l values never are enough."""
    assert diversity.tail([4, 3, 2, 1], 3) == (4, 3)
    assert diversity.recursive([4, 3, 2, 1], 3) == 4 / 3
    assert diversity.recursive([4, 3], 3) == math.inf
    assert diversity.is_recursive([3, 1], 3.1, 2)
    assert not diversity.is_recursive([3, 1], 3, 2)
    assert diversity.is_recursive([1, 10], 10.1, 2)
    assert not diversity.is_recursive([3], 100, 2)
    assert diversity.is_recursive([1] * 3, 1.1, 3)
    assert not diversity.is_recursive([3] + [1] * 10, 0.3, 2), "0.3 * 10 is 3, exactly"
    assert diversity.is_recursive([2], 1.5, 1)
    assert not diversity.is_recursive([], 1.5, 1)


def test_shares_by_hand():
    """The share of the most frequent value; of nothing, none."""
    assert largest_share([1, 3, 4]) == 0.5
    assert largest_share([2]) == 1
    assert largest_share([1, 0]) == 1
    assert largest_share([]) == largest_share([0]) == 0
