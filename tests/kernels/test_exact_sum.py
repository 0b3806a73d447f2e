"""Sums without rounding, against fractions and `math.fsum`."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from naive import sums as naive
from shoal.kernels.exact_sum import EQUAL, SETTLED, as_float, exact_sum, group_sums, whole_sum

LEAST = 5e-324


def drawn(rng, size):
    """Floats of many kinds: any bits, ties, zeros, subnormals, sums that cancel."""
    kind = rng.integers(7)
    if kind == 0:
        return np.ldexp(rng.normal(size=size), rng.integers(-1100, 900, size))
    if kind == 1:
        return np.round(rng.normal(size=size), 2)
    if kind == 2:
        return rng.integers(-3, 4, size) * LEAST
    if kind == 3:
        return rng.choice([0.0, -0.0, 1.0, 2.0**53, -(2.0**53), LEAST, -LEAST, 2.0**-53], size)
    if kind == 4:
        half = np.ldexp(rng.normal(size=size // 2), rng.integers(-60, 60, size // 2))
        return rng.permutation(np.concatenate([half, -half, np.full(size % 2, 2.0**-80)]))
    if kind == 5:
        return np.full(size, rng.normal())
    return rng.integers(0, 3, size) + rng.choice([0.0, 2.0**-52, 2.0**-53, 2.0**-54], size)


def same(one, other):
    """Two floats, to the last bit, and the sign of zero."""
    return np.float64(one).tobytes() == np.float64(other).tobytes()


def test_sums_are_those_of_fractions_and_of_fsum():
    """Whatever the numbers are, the sum is exact, and rounded once."""
    rng = np.random.default_rng(0)
    for _ in range(400):
        values = drawn(rng, int(rng.integers(0, 40)))
        listed = values.tolist()
        assert whole_sum(values) == naive.whole_sum(listed)
        assert same(as_float(whole_sum(values)), naive.rounded_sum(listed))
        assert same(exact_sum(values), math.fsum(listed))


def test_many_numbers_and_any_layout():
    """A sum is the same of columns of a matrix, of short floats and of a long vector."""
    rng = np.random.default_rng(1)
    matrix = np.ldexp(rng.normal(size=(50_000, 3)), rng.integers(-40, 40, (50_000, 3)))
    for column in (*matrix.T, matrix[::-2, 0], matrix[:, 0].astype(np.float32)):
        assert same(exact_sum(column), math.fsum(column.tolist()))


@pytest.mark.parametrize("values", [
    [math.inf, 1.0], [-math.inf], [math.nan, 1.0], [math.inf, math.nan], [math.inf, -math.inf],
    [1.7e308, 1.7e308], [1.7e308, 1.7e308, -1.7e308], [1.7e308, -1.7e308, 1.7e308], [1e300] * 5,
])  # fmt: skip
def test_what_no_float_holds_is_as_in_fsum(values):
    """Infinite, missing and huge numbers give the same value as `math.fsum`, or the same error."""
    try:
        expected = math.fsum(values)
    except (OverflowError, ValueError) as error:
        with pytest.raises(type(error), match=re.escape(str(error))):
            exact_sum(np.array(values))
    else:
        assert same(exact_sum(np.array(values)), expected)


def test_exact_sums_beyond_floats():
    """A sum that no float holds is still exact, and infinite as a float."""
    values = np.array([1.7e308, 1.7e308, 1.0])
    assert whole_sum(values) == naive.whole_sum(values.tolist())
    assert as_float(whole_sum(values)) == math.inf
    assert as_float(whole_sum(-values)) == -math.inf
    assert as_float(whole_sum(np.array([1.7e308, 1.7e308, -1.7e308]))) == 1.7e308


def test_groups():
    """The sum of a group is that of fractions wherever it is said to be known."""
    rng = np.random.default_rng(2)
    known = 0
    for _ in range(300):
        sizes = rng.integers(1, 12, int(rng.integers(1, 20)))
        values = drawn(rng, int(sizes.sum()))
        starts = np.cumsum(sizes) - sizes
        sums, states = group_sums(values, starts)
        for group, (total, equal) in enumerate(naive.group_sums(values.tolist(), starts.tolist())):
            assert bool(states[group] & EQUAL) == equal
            if states[group] & SETTLED:
                known += 1
                assert sums[group] == total
    assert known > 1500


def test_groups_that_are_not_known():
    """Huge numbers, infinite ones and those of very different size are left to others."""
    values = np.array([1e300, -1e300, 1.0, 2.0, 1.0, 1e40, 1e-40, 3.0, math.inf, 1.0, math.nan])
    sums, states = group_sums(values, np.array([0, 2, 5, 8, 10]))
    assert (states & SETTLED != 0).tolist() == [False, True, False, False, False]
    assert sums[1] == 4.0
