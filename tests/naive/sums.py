"""Sums of floats in fractions, rounded once."""

from __future__ import annotations

from fractions import Fraction


def whole_sum(values):
    """The sum as a multiple of the least float."""
    return int(sum(map(Fraction, values), Fraction(0)) * 2**1074)


def rounded_sum(values):
    """The sum, rounded once, half to even."""
    return float(sum(map(Fraction, values), Fraction(0)))


def group_sums(values, starts):
    """The sum of every group, and whether all of its values are equal."""
    ends = [*starts[1:], len(values)]
    groups = [values[a:b] for a, b in zip(starts, ends, strict=True)]
    return [(rounded_sum(group), len(set(group)) == 1) for group in groups]
