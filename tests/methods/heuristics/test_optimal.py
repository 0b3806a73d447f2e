"""Cuts of a line against a plain dynamic program in fractions."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from naive import paths
from shoal.methods.heuristics.optimal import COORDINATE_ERROR, cut_path, optimal_1d
from strategies import problems

COLUMNS = {
    "few values": lambda rng, n: rng.integers(0, 4, n).astype(float),
    "integers": lambda rng, n: rng.integers(-50, 50, n).astype(float),
    "tenths": lambda rng, n: rng.integers(0, 30, n) / 10,
    "normal": lambda rng, n: rng.normal(size=n),
    "heavy tail": lambda rng, n: rng.standard_cauchy(size=n) ** 3,
    "many scales": lambda rng, n: rng.choice([-1, 1], n) * 10.0 ** rng.uniform(-20, 20, n),
    "offset": lambda rng, n: 1e16 + 2 * rng.integers(0, 20, n),
    "outlier and offset": lambda rng, n: np.append(1e16 + 2 * rng.integers(0, 9, n - 1), -3.5),
    "huge": lambda rng, n: rng.uniform(-1, 1, n) * 1.7e308,
    "tiny": lambda rng, n: rng.integers(0, 40, n) * 5e-324,
    "constant": lambda rng, n: np.full(n, 0.1),
}


def groups_of(labels):
    return [np.flatnonzero(labels == g).tolist() for g in range(labels.max() + 1)]


def loss_of(values, groups):
    exact = [Fraction(value) for value in values]
    total = Fraction(0)
    for group in groups:
        mean = sum(exact[row] for row in group) / len(group)
        total += sum((exact[row] - mean) ** 2 for row in group)
    return total


@pytest.mark.parametrize("kind", COLUMNS)
def test_loss_is_that_of_the_plain_program(kind):
    """The loss equals the least one in fractions, for every kind of column and every k."""
    rng = np.random.default_rng(sorted(COLUMNS).index(kind))
    for _ in range(100):
        count = int(rng.integers(1, 30))
        values = COLUMNS[kind](rng, count)
        k = int(rng.integers(1, count + 1))
        labels = optimal_1d(values, k)
        groups = groups_of(labels)
        sizes = [len(group) for group in groups]
        assert min(sizes) >= k
        assert max(sizes) < 2 * k
        assert (np.diff(labels[np.argsort(values, kind="stable")]) >= 0).all()
        least = loss_of(values, paths.optimal_1d(values, k))
        assert least <= loss_of(values, groups) <= least * (1 + Fraction(1, 10**11))


@pytest.mark.parametrize("kind", ["few values", "integers", "tenths", "normal", "heavy tail"])
def test_path_along_a_sorted_column(kind):
    """The cut of a path along a sorted column loses as little as the optimal groups."""
    rng = np.random.default_rng(7)
    for _ in range(40):
        count = int(rng.integers(1, 200))
        values = np.sort(COLUMNS[kind](rng, count))
        k = int(rng.integers(1, count + 1))
        ours = loss_of(values, groups_of(optimal_1d(values, k)))
        theirs = loss_of(values, groups_of(cut_path(values.reshape(1, -1), k)))
        assert float(ours) == pytest.approx(float(theirs), rel=1e-11)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=40), st.integers(1, 8))
def test_same_groups_as_the_plain_program(values, k):
    """The groups are those of the plain program, also where several are equally good."""
    k = min(k, len(values))
    column = np.array(values) / 8
    assert groups_of(optimal_1d(column, k)) == [
        sorted(group) for group in paths.optimal_1d(column, k)
    ]


@given(st.lists(st.integers(0, 12), min_size=2, max_size=40), st.integers(1, 8))
def test_same_groups_of_a_standardized_column(values, k):
    """Standardizing changes no group where the rounding of values is told."""
    k = min(k, len(values))
    column = naive.standardize(np.array(values).reshape(-1, 1))[:, 0]
    assert groups_of(optimal_1d(column, k, error=COORDINATE_ERROR)) == [
        sorted(group) for group in paths.optimal_1d(values, k)
    ]


def test_an_outlier_does_not_drown_the_rest():
    """Small values are grouped as well beside numbers that are 10^17 times as large."""
    small = np.random.default_rng(3).integers(0, 40, 60) / 10
    for far in ([1e9, 1e9, 2e9], [-1e16, 3e16, 1e17], [-1e17, -4e16, -4e16]):
        values = np.concatenate([far, small])
        groups = groups_of(optimal_1d(values, 3))
        least = paths.optimal_1d(values, 3)
        for side in (groups, least):
            side[:] = [group for group in side if min(group) >= 3]
        assert loss_of(values, groups) == loss_of(values, least)


def test_tenths_up_to_a_billion():
    """Tenths stay apart although a billion is in the column."""
    values = np.array([0.0, 0.1, 0.2, 5.0, 5.1, 5.2, 1e9, 1e9 + 0.1, 1e9 + 0.3])
    assert optimal_1d(values, 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 2]


def test_neighbors_near_the_end_of_precision():
    """Numbers that differ in their last bits are told apart."""
    values = np.array([4.0, 0.0, 20.0, 2.0, 18.0, 22.0]) + 1e16
    assert optimal_1d(values, 3).tolist() == [0, 0, 1, 0, 1, 1]


@pytest.mark.parametrize("k", [2, 17, 300, 4_999, 5_000, 9_999, 10_000])
def test_large_columns(k):
    """A column of many blocks loses as little as the path along it."""
    values = np.sort(np.random.default_rng(k).lognormal(size=10_000))
    labels = optimal_1d(values, k)
    assert np.bincount(labels).min() >= k

    def loss(groups):
        parts = (values[groups == g] for g in range(groups.max() + 1))
        return math.fsum(((part - part.mean()) ** 2).sum() for part in parts)

    if k < 4_000:
        assert loss(labels) == pytest.approx(loss(cut_path(values.reshape(1, -1), k)), rel=1e-12)
    elif k <= 5_000:
        cuts = range(k, 10_001 - k)
        assert loss(labels) == pytest.approx(
            min(loss((np.arange(10_000) >= cut).astype(int)) for cut in cuts), rel=1e-12
        )
    else:
        assert labels.max() == 0


@given(problems(24), st.booleans(), st.randoms(use_true_random=False))
def test_path_as_the_plain_program(problem, shuffled, random):
    """A standardized path is cut as in fractions, the leftmost of equal cuts first."""
    matrix, k = problem
    order = list(range(len(matrix)))
    if shuffled:
        random.shuffle(order)
    points = np.ascontiguousarray(naive.standardize(matrix)[order].T)
    labels = cut_path(points, k)
    groups = [[order[place] for place in group] for group in groups_of(labels)]
    assert groups == paths.cut_path(naive.Exact(paths.written(matrix)), order, k)
    floats = naive.Floats(points.T)
    loss = sum(paths.loss(floats, group) for group in groups_of(labels))
    twin = paths.cut_path(floats, list(range(len(order))), k)
    assert loss == pytest.approx(sum(paths.loss(floats, group) for group in twin))


def test_path_of_huge_and_tiny_numbers():
    """Scaling a path by a power of two changes nothing, up to the ends of the floats."""
    points = np.random.default_rng(5).normal(size=(2, 50))
    expected = cut_path(points, 4).tolist()
    for exponent in (1020, 500, -500, -1000):
        assert cut_path(np.ldexp(points, exponent), 4).tolist() == expected


def test_too_few_records():
    """Fewer than k records, or no k, is refused."""
    for k in (0, 4):
        with pytest.raises(ValueError, match="k must be"):
            optimal_1d(np.arange(3.0), k)
        with pytest.raises(ValueError, match="k must be"):
            cut_path(np.zeros((2, 3)), k)


def test_nothing_is_changed():
    """Values and points are left as they came."""
    values = np.array([3.0, 1.0, 2.0, 5.0])
    points = np.ascontiguousarray(np.random.default_rng(0).normal(size=(2, 9)))
    before = values.copy(), points.copy()
    optimal_1d(values, 2)
    cut_path(points, 2)
    assert (values == before[0]).all()
    assert (points == before[1]).all()
