"""Sums of floats without rounding: the same for any order, and for any chunks.

A float is a whole number of the least float, 2**-1074. These whole numbers are added up in limbs of
32 bits that hold 64, so that half a billion of them need no carry.
"""

from __future__ import annotations

import math

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit

UNIT = 2**1074  # so many of the least float make 1
LIMBS = 67
PIECE = 2**28  # numbers that limbs take before they may overflow
INFINITE = 2047  # exponent as it is stored of what is not finite
HUGE = 1023 + 960  # exponent as it is stored of numbers whose sums may not fit a float
LARGE = 2.0**960
SETTLED, EQUAL = 1, 2  # what is known of the sum of a group


@jit
def add_up(bits: Integers, limbs: Integers) -> int:
    """Add floats, given by their bits, to a sum; return the largest exponent as it is stored.

    bits IN (n), limbs IN/OUT (LIMBS).
    """
    largest = 0
    for i in range(bits.shape[0]):
        exponent = (bits[i] >> 52) & 0x7FF
        whole = bits[i] & 0xFFFFFFFFFFFFF
        shift = 0
        if exponent > 0:
            whole |= 0x10000000000000
            shift = exponent - 1
        largest = max(largest, exponent)
        place, shift = shift >> 5, shift & 31
        low, high = (whole & 0xFFFFFFFF) << shift, (whole >> 32) << shift
        sign = 1 if bits[i] >= 0 else -1
        limbs[place] += sign * (low & 0xFFFFFFFF)
        limbs[place + 1] += sign * ((low >> 32) + (high & 0xFFFFFFFF))
        limbs[place + 2] += sign * (high >> 32)
    return largest


@jit
def add_groups(values: Floats, starts: Integers, sums: Floats, states: Integers) -> None:
    """Sum up every group of a few floats, rounded once, where two floats hold the sum exactly.

    values IN (n), starts IN (groups), sums OUT (groups), states OUT (groups): EQUAL where all
    values of a group are, SETTLED where the sum is known. The errors of all additions (Knuth) are
    added up likewise: where that makes no error, two floats hold the sum.
    """
    groups = starts.shape[0]
    for g in range(groups):
        first = starts[g]
        last = starts[g + 1] if g + 1 < groups else values.shape[0]
        equal, settled = True, True
        total, rest = 0.0, 0.0
        for i in range(first, last):
            value = values[i]
            equal = equal and value == values[first]
            settled = settled and abs(value) < LARGE
            made = total + value
            part = made - total
            lost = (total - (made - part)) + (value - part)
            total = made
            made = rest + lost
            part = made - rest
            settled = settled and (rest - (made - part)) + (lost - part) == 0.0
            rest = made
        sums[g] = total + rest
        states[g] = (EQUAL if equal else 0) + (SETTLED if settled else 0)


def _limbs(values: Floats) -> tuple[int, int]:
    """Return the sum of floats as a multiple of the least one, and the largest exponent."""
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.int64)
    total, largest = 0, 0
    for begin in range(0, bits.size, PIECE):
        limbs = np.zeros(LIMBS, dtype=np.int64)
        largest = max(largest, add_up(bits[begin : begin + PIECE], limbs))
        total += sum(limb << (32 * place) for place, limb in enumerate(limbs.tolist()))
    return total, largest


def whole_sum(values: Floats) -> int:
    """Return the sum of finite floats, as a multiple of the least float."""
    total, largest = _limbs(values)
    assert largest < INFINITE
    return total


def exact_sum(values: Floats) -> float:
    """Return the sum of floats, rounded once: what `math.fsum` returns, or the error it raises."""
    total, largest = _limbs(values)
    if largest >= HUGE:  # some order of them may overflow, and there may be infinite ones
        return math.fsum(values.tolist())
    return total / UNIT


def as_float(total: int) -> float:
    """Return an exact sum, rounded once; infinite where no float can hold it."""
    try:
        return total / UNIT
    except OverflowError:
        return math.inf if total > 0 else -math.inf


def group_sums(values: Floats, starts: Integers) -> tuple[Floats, Integers]:
    """Return the sum of every group of floats, rounded once, and what is known of it.

    The values of a group follow each other from its start on. EQUAL marks groups of one value,
    SETTLED those whose sum is known: others are of huge numbers, or of very different ones.
    """
    sums, states = np.empty(starts.size), np.empty(starts.size, dtype=np.int64)
    ordered = np.ascontiguousarray(values, dtype=np.float64)
    add_groups(ordered, np.ascontiguousarray(starts, dtype=np.int64), sums, states)
    return sums, states
