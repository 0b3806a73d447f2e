"""To what weighted means are rounded: the precision of the data, never finer."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.release.averages import unit_of_floats, unit_of_whole


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([18, 44, 61], 1),
        ([10, 30, 200], 10),
        ([0, 0, 0], 1),
        ([45_000, 52_000], 1000),
        ([-5, 10], 1),
        ([123_456_789_012, 999_999_999_999, 5], 10**12 // 2),
    ],
)
def test_whole_numbers(values, unit):
    """The largest power of ten of all; of very long numbers as few steps as there are values."""
    assert unit_of_whole(np.array(values)) == unit


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([18.0, 44.0], Fraction(1)),
        ([1.5, 2.25], Fraction(1, 100)),
        ([100.0, 300.0], Fraction(100)),
        ([0.1, 0.2, 0.3], Fraction(1, 10)),
        ([np.pi] * 3, Fraction(1, 10**12)),
    ],
)
def test_floats(values, unit):
    """Floats that were written with few digits have the precision of these."""
    assert unit_of_floats(np.array(values)) == unit


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=60))
def test_no_more_steps_than_values(values):
    """Numbers with all their digits make no more different means than they are."""
    found = np.array(values)
    unit = unit_of_floats(found)
    exact = all(Fraction(str(value)) % unit == 0 for value in values)
    span = Fraction(float(found.max())) - Fraction(float(found.min()))
    assert exact or span == 0 or span / unit <= max(1, np.unique(found).size - 1)
