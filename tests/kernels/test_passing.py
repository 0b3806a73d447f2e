"""Arrays as kernels pass them to each other: all that a kernel can ask of them stays true."""

from __future__ import annotations

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba.core.errors import LoweringError

from shoal.kernels.jit import jit, part


class Work(NamedTuple):
    """Two arrays in a tuple."""

    numbers: np.ndarray
    counts: np.ndarray


@part
def describe(work, out):
    """Write down what is known of an array, and the sums of its rows."""
    numbers = work.numbers
    out[0], out[1], out[2] = numbers.size, numbers.strides[0], numbers.strides[1]
    out[3] = numbers.itemsize
    for i in range(numbers.shape[0]):
        row = numbers[i]
        for j in range(row.shape[0]):
            out[4 + i] += row[j] * work.counts[j]


@jit
def ask(work, out):
    """Call a part with a tuple of arrays."""
    describe(work, out)


@numba.njit
def foreign(array):
    """Stand in for a compiled function that is no kernel."""
    return array[0]


@jit
def calls_foreign(array):
    """Pass an array to a function that expects it otherwise."""
    return foreign(array)


@pytest.mark.parametrize("layout", ["C", "F", "A"])
def test_a_part_sees_the_array_of_its_caller(layout):
    """Size, steps and values are those of NumPy, for arrays without gaps, turned, and with gaps."""
    numbers = np.arange(12.0).reshape(3, 4)
    if layout == "F":
        numbers = np.asfortranarray(numbers)
    elif layout == "A":
        numbers = np.arange(48.0).reshape(6, 8)[::2, ::2]
    counts, out = np.array([1, 2, 3, 4]), np.zeros(7)
    ask(Work(numbers, counts), out)
    assert out.tolist() == [12, *numbers.strides, 8, *(numbers @ counts).tolist()]


def test_arrays_go_to_kernels_alone():
    """A kernel that passes an array to another compiled function is refused when it is compiled."""
    with pytest.raises((TypeError, LoweringError), match="no kernel"):
        calls_foreign(np.ones(2))
