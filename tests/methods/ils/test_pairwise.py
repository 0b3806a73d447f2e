"""The thesis's own local search: visits of pairs, their random order, and what is left out."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from naive import search as twin
from search_tables import random_groups, table
from shoal.kernels.jit import jit
from shoal.methods.ils import state
from shoal.methods.ils.pairwise import improve_first
from shoal.methods.ils.parameters import Search, Stop, Task
from shoal.methods.ils.search import ROOM, enough_for, search, widened
from shoal.methods.ils.state import (
    GROWS,
    LABEL,
    MAY_SHIFT,
    MAY_SWAP,
    MEMBERS,
    MOST,
    ROUNDS,
    SIZE,
    SLOT,
    number_at,
    place_of,
    shuffle,
)
from shoal.methods.registry import METHODS
from shoal.progress import Reporter
from thorough import each, spread

CONTINUOUS = ("normal", "outlier")
THESIS = "ls", "lsc", "ilsm", "ilsmc"


@jit
def visited(s, one, two):
    """Visit a pair, from Python."""
    return improve_first(s, one, two)


@jit
def order_of(side, random, order, numbers, places):
    """Fill in which number stands at each place, and where each number stands."""
    shuffle(order, side, random)
    for i in range(side * side):
        numbers[i] = number_at(order, i, side)
        places[i] = place_of(order, i, side)


def run(matrix, k, start=None, seed=1, iterations=20, **parts):
    """A search over pairs; the labels and the log."""
    options = Search(visits="pairs", stop=Stop(iterations=iterations)).replace(parts)
    return search(matrix, Task(k, start, options, seed, 1), Reporter(None))


def begun(matrix, k, labels, most):
    """A state that stands at a grouping, with some room for the members of a group."""
    none = np.zeros((len(matrix), 0), dtype=np.int64)
    s = state.make(matrix, none, k, most, 1, 1)
    s.choices[MAY_SHIFT] = s.choices[MAY_SWAP] = 1
    state.load(s, np.asarray(labels, dtype=np.int64))
    return s


@each("seed", range(60))
def test_visit_makes_the_moves_of_the_twin(seed):
    """A visit of two groups ends with the members of the twin's, in the same places."""
    rng = np.random.default_rng(seed)
    matrix, k = table(seed, CONTINUOUS)
    rows = len(matrix)
    labels = np.append(np.repeat([0, 1], k), rng.integers(0, 2, rows - 2 * k))
    labels = rng.permutation(labels)
    groups = [np.flatnonzero(labels == group).tolist() for group in range(2)]
    made = twin.visit_pair(matrix, *groups, k)
    s = begun(matrix, k, labels, 2 * rows)
    assert (visited(s, 0, 1) > 0) == made
    for group in range(2):
        size = s.groups[group, SIZE]
        assert s.groups[group, MEMBERS : MEMBERS + size].tolist() == groups[group]
        assert s.records[groups[group], SLOT].tolist() == list(range(size))
        assert (s.records[groups[group], LABEL] == group).all()


@pytest.mark.parametrize("side", [1, 2, 3, 17])
def test_order_has_every_place_once(side):
    """Every number stands at one place, which is found again; another pass has another order."""
    random = np.array([5], dtype=np.uint64)
    order = np.zeros((ROUNDS, side), dtype=np.int64)
    found = []
    for _ in range(2):
        numbers, places = (np.zeros(side * side, dtype=np.int64) for _ in range(2))
        order_of(side, random, order, numbers, places)
        assert sorted(numbers) == list(range(side * side))
        assert np.array_equal(places[numbers], np.arange(side * side))
        found.append(numbers)
    assert side < 3 or not np.array_equal(*found)


@each("seed", range(24))
def test_pairs_that_are_due_make_the_moves_of_all(seed):
    """Leaving out visits that can change nothing changes nothing, to the last record."""
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(int(rng.integers(40, 160)), 3))
    k, share = int(rng.integers(2, 5)), float(rng.choice([0.2, 1.0]))
    every, due = (run(matrix, k, seed=seed, local=local, share=share) for local in ("all", "due"))
    assert np.array_equal(every[0], due[0])
    assert every[1].curve == due[1].curve
    assert due[1].pairs_examined < every[1].pairs_examined


@pytest.mark.parametrize("local", ["changed", "all", "due"])
@each("seed", range(12))
def test_no_move_gains_in_the_end(local, seed):
    """What is returned is a local optimum of all shifts and swaps, whatever the sizes."""
    matrix, k = table(seed)
    labels, _ = run(matrix, k, seed=seed, local=local)
    assert np.bincount(labels).min() >= k
    assert not twin.improves(matrix, labels, k, len(matrix))


def test_first_pass_visits_every_pair_once():
    """The first pass of ls and lsc has all pairs, later ones of lsc fewer, of ls as many."""
    matrix = np.random.default_rng(0).normal(size=(120, 2))
    pairs = 40 * 39 / 2
    for local in ("changed", "all"):
        by_pass = run(matrix, 3, iterations=0, local=local)[1].pairs_by_pass
        assert by_pass[0] == pairs
        assert (by_pass[-1] < pairs) == (local == "changed")


def test_groups_get_room_as_they_grow():
    """A group may have any number of records: the room for its members is doubled in time."""
    matrix = np.vstack([np.zeros((30, 2)), np.random.default_rng(0).normal(size=(10, 2)) * 50])
    start = np.append(np.zeros(30, dtype=np.int64), np.repeat([1, 2, 3, 4, 5], 2))
    labels, _ = run(matrix, 2, start=start, iterations=0)
    assert np.bincount(labels).max() >= 30
    s = begun(matrix, 2, np.arange(40) // 5, 8)
    assert widened(s) is s
    s.choices[GROWS] = 1
    wider = widened(s)
    assert wider.choices[MOST] == 16
    assert wider.groups.shape[1] == MEMBERS + 33
    assert np.array_equal(wider.groups[:, : MEMBERS + 8], s.groups[:, : MEMBERS + 8])
    assert widened(wider) is wider


def test_room_has_an_end():
    """Where the room for members would take too much memory, large groups are cut up first."""
    start = np.zeros(30_000, dtype=np.int64)
    assert enough_for(start, 3) == 0
    assert enough_for(np.arange(3_000) // 3, 3) == 12
    assert ROOM < 10_001 * 2 * 60_000


@pytest.mark.parametrize("method", spread(THESIS, 2))
def test_survey_weights(method):
    """With survey weights the best moves are made: the thesis has none."""
    rng = np.random.default_rng(1)
    matrix, weights = rng.normal(size=(60, 2)), rng.uniform(1, 5, 60)
    found = shoal.microaggregate(matrix, 3, method=method, max_iterations=3, weights=weights)
    assert found.sizes.min() >= 3


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"local": "due"}, "is for visits = 'pairs'"),
        ({"visits": "one"}, "visits must be"),
        ({"visits": "pairs", "neighbors": 5}, "neighbors are for visits = 'groups'"),
    ],
)
def test_what_does_not_go_together(parts, words):
    """Parts of a search that mean nothing together are refused in words."""
    with pytest.raises(shoal.RequestError, match=words):
        Search().replace(parts)


def test_never_worse_than_the_start():
    """From given groups, also large ones, the thesis's search never loses more."""
    for seed in range(8):
        matrix, k = table(seed)
        start = random_groups(len(matrix), k, seed)
        labels, _ = run(matrix, k, start=start, seed=seed)
        assert twin.sse(matrix, labels) <= twin.sse(matrix, start) + twin.tolerance(matrix)


@pytest.mark.parametrize("method", THESIS)
def test_thesis_is_cited(method):
    """The paper's names are its own algorithm, cited by author and title."""
    info = METHODS[method].info
    assert info.search.visits == "pairs"
    assert "local search for microaggregation" in info.citation
    assert "Bierman 2020" in METHODS["ilsmc-near"].info.citation
