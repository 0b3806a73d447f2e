"""Local suppression beside the integer programme and beside plain counting."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from methods.cells.programme import best_masks
from shoal.errors import RequestError
from shoal.methods.cells.masks import Masks, Patterns, Relaxation, cheapest_masks
from shoal.progress import Reporter

pytest.importorskip("highspy")
IMPORTANCE = np.array([1.0, 2.0, 1.5])


def released(codes, cells, columns):
    """How often every combination of some columns is released; a star is a value."""
    rows = np.where(cells, -1, codes)[:, columns]
    return Counter(map(tuple, rows.tolist()))


def fewest_cells(codes, k, importance=None, exact=False, seed=0):
    """Which cells the search suppresses, or the programme, from one group of all records."""
    patterns = Patterns(codes, k, np.ones(codes.shape[1]) if importance is None else importance)
    if exact:
        return patterns.hidden[best_masks(patterns)]
    together = np.zeros(len(codes), dtype=np.int64)
    return patterns.hidden[cheapest_masks(patterns, together, 20, seed, Reporter(None)).masks]


def random_codes(seed):
    """A small table, and its k."""
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, size=(int(rng.integers(6, 30)), 3)), int(rng.integers(2, 4))


def test_every_class_has_k_records_and_the_search_is_near_the_programme():
    """Both keep k; the programme costs least, the search a tenth more."""
    searched = proven = 0.0
    for seed in range(4):
        codes, k = random_codes(seed)
        costs = []
        for exact in (False, True):
            cells = fewest_cells(codes, k, importance=IMPORTANCE, exact=exact, seed=seed)
            assert min(released(codes, cells, [0, 1, 2]).values()) >= k
            costs.append(float((cells @ IMPORTANCE).sum()))
        assert costs[1] <= costs[0] + 1e-9
        searched, proven = searched + costs[0], proven + costs[1]
    assert searched <= 1.1 * proven


def test_nothing_is_suppressed_that_need_not_be():
    """Records that are equal k times keep all cells, and an odd one loses what differs alone."""
    codes = np.array([[0, 0, 0]] * 4 + [[0, 0, 1]] * 3 + [[0, 0, 2]])
    cells = fewest_cells(codes, 3)
    assert cells.sum() == 4  # the odd one and all of a class, or of two records and a third
    assert not cells[:, :2].any()


def test_what_is_too_large_is_refused():
    """Too many columns are an error in one line."""
    with pytest.raises(RequestError, match="too many combinations of suppressed cells"):
        fewest_cells(np.zeros((100, 20), dtype=np.int64), 3)


def test_the_bound_is_between_the_simple_one_and_the_optimum():
    """The relaxation is never above what the programme proves, and above each record's cheapest."""
    simple = bounds = proven = 0.0
    for seed in range(6):
        codes, k = random_codes(seed)
        codes[seed::7, seed % 3] = -1
        patterns = Patterns(codes, k, IMPORTANCE)
        least = Masks(patterns, best_masks(patterns)).cost
        bound = Relaxation(patterns).climb(least + 3.0, 200, Reporter(None))
        assert patterns.bound - 1e-9 <= bound <= least + 1e-6
        simple, bounds, proven = simple + patterns.bound, bounds + bound, proven + least
    assert bounds - simple > 0.5 * (proven - simple)


def test_missing_cells_cost_nothing():
    """A missing cell is as good as suppressed: its record joins those that lose one for it."""
    codes = np.array([[0, 0, 0]] * 3 + [[0, 0, -1]] * 3)
    cells = fewest_cells(codes, 3)
    assert cells.tolist() == [[False] * 3] * 3 + [[False, False, True]] * 3
