"""What a method sees: standardized, whatever the magnitude, whatever the order."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

import naive
import shoal
from shoal.table.encode import canonical_order, encode, near_zero, standardized
from shoal.table.read import from_matrix, read


def test_standardized():
    """Columns have mean 0 and deviation 1, constant ones are zero."""
    matrix = np.random.default_rng(0).normal(5, 3, size=(500, 3))
    matrix[:, 1] = 7.0
    found = encode(from_matrix(matrix)).matrix
    assert found == pytest.approx(naive.standardize(matrix), abs=1e-12)
    assert not found[:, 1].any()


def test_numbers_are_encoded_one_by_one():
    """The matrix of a complete table of numbers is its standardized columns, bit for bit."""
    rng = np.random.default_rng(1)
    table = read(pa.table({"a": rng.normal(size=30), "b": rng.integers(0, 2**60, 30),
                           "c": np.ones(30), "d": rng.random(30) < 0.5}))  # fmt: skip
    found = encode(table, weights={"b": 3.0})
    parts = [standardized(near_zero(column)) for column in table.columns]
    parts[1] = parts[1] * np.sqrt(3.0)
    assert np.array_equal(found.matrix, np.stack(parts, axis=1))
    assert (found.names, found.mixed) == (("a", "b", "c", "d"), False)


@pytest.mark.parametrize("scale", [1e308, 1e-320, 1e-160, 1e160, 1.0])
def test_extreme_magnitudes(scale):
    """Columns at the ends of the floating-point range are encoded like their unit-sized twin."""
    unit = np.array([[-1.0], [-0.5], [0.25], [1.0], [0.75]])
    found = encode(from_matrix(unit * scale)).matrix
    tolerance = 1e-3 if scale < 1e-300 else 1e-12
    assert found == pytest.approx(encode(from_matrix(unit)).matrix, abs=tolerance)


def test_small_differences_of_large_integers():
    """1e16 + {0, 1, 2} as integers differ by exactly one and two steps."""
    base = 10**18
    found = encode(from_matrix(np.array([[base], [base + 1], [base + 2]]))).matrix[:, 0]
    assert found == pytest.approx([-(1.5**0.5), 0.0, 1.5**0.5], abs=1e-12)


@pytest.mark.parametrize("base", [10**16, 2**62, -(2**62)])
def test_partition_equals_exact_arithmetic(base):
    """On integers far from zero the groups are those of exact rational arithmetic."""
    for seed in range(20):
        steps = np.random.default_rng(seed).choice(200, size=17, replace=False)
        values = [base + int(step) for step in steps]
        found = shoal.microaggregate(np.array(values)[:, None], 3)
        groups = naive.mdav(naive.Exact([[value] for value in values]), 3)
        assert found.labels.tolist() == naive.labels(groups, 17)


def test_not_standardized_keeps_ratios():
    """Without standardizing, a column counts by its own size, also where squares overflow."""
    matrix = np.random.default_rng(1).normal(size=(40, 2)) * [1.0, 100.0]
    plain = shoal.microaggregate(matrix, 3, standardize=False)
    huge = shoal.microaggregate(matrix * 2.0**900, 3, standardize=False)
    tiny = shoal.microaggregate(matrix * 2.0**-900, 3, standardize=False)
    assert np.array_equal(plain.labels, huge.labels)
    assert np.array_equal(plain.labels, tiny.labels)
    assert plain.information_loss == pytest.approx(huge.information_loss, rel=1e-12)


@pytest.mark.parametrize("base", [0, 10**12, 10**16])
def test_not_standardized_far_from_zero(base):
    """A shift of all values changes no group, standardized or not."""
    values = np.array([0, 20, 2, 22, 4, 24, 6, 26])
    expected = shoal.microaggregate(values[:, None], 2, standardize=False)
    for table in ((values + base)[:, None], (values + base).astype(float)[:, None]):
        for standardize in (True, False):
            found = shoal.microaggregate(table, 2, standardize=standardize)
            assert found.labels.tolist() == expected.labels.tolist()
            assert found.information_loss < 2


def test_canonical_order_forgets_the_input_order():
    """Any permutation of the rows is put into one order, ties in the quasi-identifiers too."""
    rows = [(1, "b", "x"), (1, "a", "z"), (1, "a", "y"), (0, "c", "y"), (2, "a", "w")]
    orders = set()
    for permuted in itertools.permutations(rows):
        table = read(pa.table({"q": [r[0] for r in permuted], "s": [r[1] for r in permuted],
                               "t": [r[2] for r in permuted]}))  # fmt: skip
        orders.add(tuple(permuted[i] for i in canonical_order(table)))
    assert len(orders) == 1
