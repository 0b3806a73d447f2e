"""Figures beside what was asked."""

from __future__ import annotations

import math

import pytest

from shoal.judge.verdict import digits_beside


@pytest.mark.parametrize(
    ("found", "asked", "text"),
    [
        (7.0, 7, "7"),
        (2.999999, 3, "2.999999"),
        (2.71828, 3, "2.718"),
        (0.20000001, 0.2, "0.20000001"),
        (0.2, 0.2, "0.2"),
        (math.nextafter(2.0, 0.0), 2, "1.9999999999999998"),
        (math.inf, 2, "too few values"),
    ],
)
def test_a_figure_that_is_not_what_was_asked_does_not_read_so(found, asked, text):
    """A figure gets more digits where it would read as the number that it is not."""
    assert digits_beside(found, asked, 4) == text
