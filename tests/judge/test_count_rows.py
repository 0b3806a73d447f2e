"""Entries: equal rows are one, and a pile of them loses nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.judge import classes as count_rows
from shoal.judge.classes import Pile, grouped, merged


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=50), st.booleans())
def test_groups_and_merged_entries(rows, collide):
    """Equal rows become one: with the earliest record, and times summed."""
    every = np.array([(*row, i + 1, 1) for i, row in enumerate(rows)], np.uint64).reshape(-1, 4)
    wanted = {}
    for i, row in enumerate(rows):
        first, times = wanted.get(row, (i + 1, 0))
        wanted[row] = (first, times + 1)
    with pytest.MonkeyPatch.context() as patch:
        if collide:
            patch.setattr(count_rows, "mix", lambda words: np.zeros(len(words), np.uint64))
        found = merged(every[np.random.default_rng(0).permutation(len(every))], 2)
        order, begins = grouped(every[:, :2])
    assert {(a, b): (first, times) for a, b, first, times in found.tolist()} == wanted
    assert len(begins) == len(found) == len(wanted)
    assert sorted(order.tolist()) == list(range(len(rows)))


def test_a_pile_gives_back_what_is_too_much():
    """Nothing is lost between what a pile holds and what it gives away."""
    pile = Pile(count_rows.Layout(1, 0, []), 4)
    rng = np.random.default_rng(1)
    out = []
    for number in range(20):
        keys = rng.integers(0, 3 if number < 10 else 100, 5).astype(np.uint64)
        rows = np.column_stack([keys, np.full(5, number, np.uint64), np.ones(5, np.uint64)])
        given_back = pile.add(rows)
        assert number >= 10 or not given_back
        out += given_back
    assert sum(int(rows[:, -1].sum()) for rows in [*out, pile.all()]) == 100


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_merge_the_same_entries(threads):
    """Each thread merges a range of mixes: together they hold every entry once."""
    rng = np.random.default_rng(2)
    keys = rng.integers(0, 20_000, (4 * count_rows.FEW, 1)).astype(np.uint64)
    first = np.arange(1, len(keys) + 1, dtype=np.uint64)
    found = merged(np.column_stack([keys, first, np.ones(len(keys), np.uint64)]), 1, threads)
    values, firsts, times = np.unique(keys, return_index=True, return_counts=True)
    wanted = np.column_stack([values, firsts + 1, times])
    assert (found[np.argsort(found[:, 0])] == wanted).all()
