"""What hypothesis draws: small tables with ties, duplicates and constant columns."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st


@st.composite
def matrices(draw, max_rows=40, max_columns=4):
    """An n×d matrix, often of few distinct values, so that distances tie."""
    rows = draw(st.integers(1, max_rows))
    columns = draw(st.integers(1, max_columns))
    spread = draw(st.sampled_from([1, 3, 50, 10_000]))
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    matrix = rng.integers(-spread, spread + 1, size=(rows, columns)).astype(float)
    if draw(st.booleans()):
        matrix = matrix / 7
    if columns > 1 and draw(st.booleans()):
        matrix[:, 0] = 4.2
    return matrix


@st.composite
def problems(draw, max_rows=40):
    """A matrix and a k that it can have."""
    matrix = draw(matrices(max_rows))
    return matrix, draw(st.integers(1, min(7, len(matrix))))
