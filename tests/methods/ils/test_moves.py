"""Moves and where they are kept: against moves tried from scratch, and every book balanced."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from naive import search as twin
from search_tables import KINDS, random_groups, table
from shoal.kernels.distance import BLOCK
from shoal.methods.ils import moves, neighbors, state
from shoal.methods.ils.advance import advance
from shoal.methods.ils.driver import random_start, small_groups
from shoal.methods.ils.parameters import Annealing, Dynamic, Fixed, Late, RecordToRecord
from shoal.methods.ils.state import (
    AGAIN,
    ALIVE,
    ALIVE_AT,
    BEST_SUM,
    BY_DISSOLVING,
    BY_DISTILLING,
    BY_SHIFTS,
    BY_SWAPS,
    CURRENT,
    EVERY,
    FEWEST,
    FIRST,
    FREE,
    HAS_MOVED,
    INCUMBENT,
    INCUMBENT_SUM,
    ITERATION,
    LABEL,
    LARGE,
    LARGE_AT,
    LAST,
    LOSS,
    MAY_DISSOLVE,
    MAY_DISTILL,
    MAY_SHIFT,
    MAY_SPLIT,
    MAY_SWAP,
    MEMBERS,
    MOVED,
    PATIENCE,
    RADIUS,
    RETURN_TO_BEST,
    RETURNS,
    RULE,
    SAMPLES,
    SHIFTS,
    SINCE,
    SIZE,
    SLOT,
    STOP,
    SWAPS,
    TARGET,
    TOTAL,
)
from shoal.progress import Reporter
from thorough import each, spread

NO_END = -1.0  # a loss that no search reaches
UNTIL_DONE = 10**9
CONTINUOUS = ("normal", "outlier")
RULES = [Fixed(), Dynamic(1e-2), RecordToRecord(0.02), Late(5), Annealing(0.1, 1e-3)]


def begin(matrix, k, labels, rule=None, near=0, again=False, seed=1):
    """A search that stands at a grouping, with nothing looked at yet; odd seeds split."""
    rule = Fixed() if rule is None else rule
    found = np.zeros((len(matrix), 0), dtype=np.int64)
    if near > 0:
        found = neighbors.neighbors(matrix, near, Reporter(None))
    length = rule.length if isinstance(rule, Late) else 1
    s = state.make(matrix, found, k, 4 * k, length, seed)
    for place in (MAY_SHIFT, MAY_SWAP, MAY_DISSOLVE, MAY_DISTILL, SAMPLES):
        s.choices[place] = 1
    s.choices[EVERY], s.choices[AGAIN], s.choices[MAY_SPLIT] = near == 0, again, seed % 2
    s.choices[FEWEST] = -(-len(matrix) // (2 * k - 1))
    s.choices[RULE], s.choices[RETURN_TO_BEST] = rule.code, rule.returns_to_best
    s.choices[TOTAL], s.choices[PATIENCE] = 50, 10**9
    s.levels[FIRST], s.levels[LAST], s.levels[TARGET] = *rule.numbers, NO_END
    state.load(s, np.asarray(labels, dtype=np.int64))
    return s


def go_on(s, iterations, budget=UNTIL_DONE):
    """Make some more iterations; yield after every call of the kernel."""
    s.choices[SINCE] = s.counts[ITERATION]
    s.choices[STOP] = s.counts[ITERATION] + iterations
    trace = np.zeros(iterations + 1)
    while not advance(s, trace, budget):
        yield
    yield


def finish(s, iterations):
    """Make some more iterations at once; return the state."""
    for _ in go_on(s, iterations):
        pass
    return s


def at_optimum(seed, rule=None, kinds=KINDS, **how):
    """A search at its first local optimum, on one of the random tables."""
    matrix, k = table(seed, kinds)
    labels = random_start(len(matrix), k, np.random.default_rng(seed))
    s = finish(begin(matrix, k, labels, rule, seed=seed + 1, **how), 0)
    s.history[:] = s.sums[BEST_SUM]
    return matrix, k, s


def check_books(s, matrix, k):
    """All that is kept about groups and records is what their labels say."""
    labels = s.records[:, LABEL]
    numbers = len(s.groups)
    sizes = np.bincount(labels, minlength=numbers)
    assert np.array_equal(s.groups[:, SIZE], sizes)
    alive, large, free = (s.lists[which, : s.counts[which]] for which in (ALIVE, LARGE, FREE))
    assert sorted(alive) == np.flatnonzero(sizes).tolist()
    assert sorted(free) == np.flatnonzero(sizes == 0).tolist()
    assert sorted(large) == np.flatnonzero(sizes > k).tolist()
    assert np.array_equal(s.groups[alive, ALIVE_AT], np.arange(len(alive)))
    assert np.array_equal(s.groups[large, LARGE_AT], np.arange(len(large)))
    assert (s.groups[sizes <= k, LARGE_AT] == -1).all()
    assert sizes[alive].min() >= k
    assert sizes.max() <= 4 * k
    assert np.array_equal(s.groups[labels, MEMBERS + s.records[:, SLOT]], np.arange(len(labels)))
    for since in range(2):
        away = s.lists[MOVED + since, : s.counts[MOVED + since]]
        assert sorted(away) == np.flatnonzero(s.records[:, HAS_MOVED + since]).tolist()
        stayed = s.records[:, HAS_MOVED + since] == 0
        assert np.array_equal(labels[stayed], s.records[stayed, INCUMBENT + since])
    inside = labels == np.arange(numbers)[:, None]
    centers = inside @ matrix / np.maximum(sizes, 1)[:, None]
    own = ((matrix - centers[labels]) ** 2).sum(axis=1)
    radii = (inside * np.sqrt(own)).max(axis=1)
    for kept, scratch in (
        (s.centers[alive, : matrix.shape[1]], centers[alive]),
        (s.own, own),
        (s.roots**2, own),
        (s.centers[alive, LOSS], (inside @ own)[alive]),
        (s.centers[alive, RADIUS] ** 2, radii[alive] ** 2),
    ):
        assert np.allclose(kept, scratch, rtol=1e-9, atol=1e-12)


def check_sums(s, matrix):
    """The sums kept for now, home and best are those of their groupings."""
    for place, column in ((CURRENT, LABEL), (INCUMBENT_SUM, INCUMBENT), (BEST_SUM, INCUMBENT + 1)):
        error = twin.sse(matrix, s.records[:, column])
        assert s.sums[place] == pytest.approx(error, rel=1e-9, abs=1e-24)


def pairs_of_groups(labels):
    return itertools.permutations(np.unique(labels).tolist(), 2)


@each("seed", range(24))
def test_formulas_equal_moves_from_scratch(seed):
    """The shift test and the swap test tell the change of SSE that trying a move out gives."""
    matrix, k = table(seed, rows=22)
    labels = random_groups(len(matrix), k, seed)
    every, change = twin.changes(matrix, labels, k, len(matrix))
    formula = {"shift": twin.shift_change, "swap": twin.swap_change}
    by_formula = [formula[kind](matrix, labels, x, other) for kind, x, other in every]
    assert by_formula == pytest.approx(change, rel=1e-9, abs=1e-9 * twin.sst(matrix))


@each("seed", range(60))
def test_no_pair_is_passed_over_that_can_gain(seed):
    """Where a shift or a swap gains, the tests of the radii let it through."""
    matrix, k = table(seed, rows=24)
    labels = small_groups(matrix, random_groups(len(matrix), k, seed), k)
    if seed % 2:  # closer to an optimum, where few pairs pass
        labels = twin.local_search(matrix, labels, k, 4 * k, ("swap",))[0]
    every, change = twin.changes(matrix, labels, k, 4 * k)
    gains = [move for move, value in zip(every, change, strict=True)
             if value < -twin.tolerance(matrix)]  # fmt: skip
    shifts = {(labels[x], j) for kind, x, j in gains if kind == "shift"}
    swaps = {(labels[x], labels[y]) for kind, x, y in gains if kind == "swap"}
    sizes = np.bincount(labels)
    for i, j in pairs_of_groups(labels):
        between = np.sqrt(
            twin.squared(twin.center(matrix, labels, i), twin.center(matrix, labels, j))
        )
        reach = twin.radius(matrix, labels, i)
        passes = moves.may_shift(int(sizes[i]), int(sizes[j]), reach, between, k, 4 * k)
        assert twin.may_shift(matrix, labels, i, j) or (i, j) not in shifts
        assert passes or (i, j) not in shifts
        assert twin.may_swap(matrix, labels, i, j) or (i, j) not in swaps


def test_pairs_far_apart_are_passed_over():
    """Two far groups pass none of the tests, and a full group takes no record."""
    matrix = np.array([0.0, 1, 2, 100, 101, 102])[:, None]
    labels = np.array([0, 0, 0, 1, 1, 1])
    assert not twin.may_shift(matrix, labels, 0, 1)
    assert not twin.may_swap(matrix, labels, 0, 1)
    assert not moves.may_shift(3, 3, 1.0, 100.0, 2, 5)
    assert moves.may_shift(3, 3, 1.0, 2.0, 2, 5)
    assert not moves.may_shift(2, 3, 1.0, 2.0, 2, 5)
    assert not moves.may_shift(3, 5, 1.0, 2.0, 2, 5)


@each("seed", range(60))
def test_two_groups_make_the_moves_of_the_twin(seed):
    """Between two groups the best move is made again and again: the twin's, one by one."""
    rng = np.random.default_rng(seed)
    matrix = table(seed, CONTINUOUS)[0]
    rows = len(matrix)
    k = int(rng.integers(rows // 3 + 1, rows // 2 + 1))  # no group of 2k can come to be
    labels = random_start(rows, k, rng)
    expected, made = twin.local_search(matrix, labels, k, 4 * k)
    s = finish(begin(matrix, k, labels), 0)
    assert np.array_equal(s.records[:, LABEL], expected)
    for kind, count, total in (("shift", SHIFTS, BY_SHIFTS), ("swap", SWAPS, BY_SWAPS)):
        gains = [-change for (name, *_), change in made if name == kind]
        assert s.counts[count] == len(gains)
        assert s.sums[total] == pytest.approx(sum(gains), rel=1e-9, abs=1e-9 * twin.sst(matrix))


@each("seed", range(30))
def test_no_record_that_can_swap_is_out_of_reach(seed):
    """A record of a swap that gains is no farther from the other centroid than `reach` says."""
    rng = np.random.default_rng(seed)
    sizes, width = rng.integers(2, 7, 2), int(rng.integers(1, 5))
    one, two = (rng.normal(size=(size, width)) * rng.uniform(0.2, 2) for size in sizes)
    two = two + rng.normal(size=width) * rng.choice([0.0, 0.1, 1.0, 3.0])
    center, other = one.mean(axis=0), two.mean(axis=0)
    weight = float((1.0 / sizes).sum())
    own = ((one - center) ** 2).sum(axis=1)
    added = ((one - other) ** 2).sum(axis=1) - own
    back = ((two - center) ** 2).sum(axis=1) - ((two - other) ** 2).sum(axis=1)
    between = ((one[:, None] - two[None]) ** 2).sum(axis=2)
    gains = (added[:, None] + back[None] - weight * between < -1e-9).any(axis=1)
    squared = float(((center - other) ** 2).sum())
    radii = [float(np.sqrt(((g - g.mean(axis=0)) ** 2).sum(axis=1).max())) for g in (one, two)]
    assert (added[gains] <= moves.reach(squared, *radii, weight, -1e-9)).all()


@each("seed", range(6))
def test_columns_without_values_change_nothing(seed):
    """Steps of four and of eight columns add up to one distance: zeros beside them are nothing."""
    rng = np.random.default_rng(seed)
    matrix, k = rng.normal(size=(60, 3)), 4
    labels = random_start(60, k, rng)
    found = [
        finish(begin(np.pad(matrix, ((0, 0), (0, more))), k, labels), 0).records[:, LABEL]
        for more in (0, 4, 8, 10)
    ]
    assert all(np.array_equal(found[0], one) for one in found)


@pytest.mark.parametrize("again", [False, True])
@each("seed", range(30))
def test_no_move_gains_at_any_optimum(seed, again):
    """Wherever a search of all pairs stands still, no move gains: at first, later, at its best."""
    matrix, k, s = at_optimum(seed, again=again)
    for _ in range(3):
        for column in (LABEL, INCUMBENT + 1):
            assert not twin.improves(matrix, s.records[:, column], k, 4 * k)
        finish(s, 4)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("near", [0, 3])
@pytest.mark.parametrize("seed", spread(range(4), 2))
def test_books_balance_after_every_look(seed, near, rule):
    """After every single look at a group, all lists, slots, centroids and sums are right."""
    matrix, k = table(seed, rows=30)
    labels = random_start(len(matrix), k, np.random.default_rng(seed))
    s = begin(matrix, k, labels, rule, near=near, seed=seed + 1)
    check_books(s, matrix, k)
    looks = 0
    for _ in go_on(s, 20, budget=1):
        check_books(s, matrix, k)
        looks += 1
    assert looks > 20
    check_sums(s, matrix)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
@pytest.mark.parametrize("seed", range(6))
def test_sums_after_many_iterations(seed, rule):
    """After two thousand iterations the sums are still those of the groupings."""
    matrix, k, s = at_optimum(seed, rule)
    finish(s, 2000)
    assert s.counts[ITERATION] == 2000
    check_books(s, matrix, k)
    check_sums(s, matrix)


@pytest.mark.parametrize("noise", [1e-3, 1e-5, 1e-9])
def test_sums_of_tight_clusters(noise):
    """What a far start lost leaves no trace in the sums, be the groups ever so tight."""
    rng = np.random.default_rng(1)
    matrix = np.repeat([-1.0, 1.0], 60)[:, None] + noise * rng.normal(size=(120, 2))
    s = finish(begin(matrix, 3, random_start(120, 3, rng)), 0)
    check_sums(s, matrix)
    check_sums(finish(s, 50), matrix)


@pytest.mark.parametrize("near", [0, 3])
@pytest.mark.parametrize("seed", spread(range(12), 5))
def test_calls_of_any_length(seed, near):
    """A search that stops after every look goes the same way as one that does not."""
    found = []
    for budget in (1, 17, UNTIL_DONE):
        matrix, k = table(seed)
        labels = random_start(len(matrix), k, np.random.default_rng(seed))
        s = begin(matrix, k, labels, near=near)
        for _ in go_on(s, 20, budget):
            pass
        found.append((s.records.tolist(), s.sums.tolist(), s.counts.tolist(), s.random.tolist()))
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("rule", [Fixed(0.0), RecordToRecord(1e-12)], ids=lambda rule: rule.name)
@pytest.mark.parametrize("near", [0, 4])
@pytest.mark.parametrize("seed", spread(range(12), 5))
def test_going_home_restores_exactly(seed, near, rule):
    """After a rejected step every record is back in its group, by number, and the sum to a bit."""
    matrix, k, s = at_optimum(seed, rule, near=near)
    went = 0
    for _ in range(40):
        incumbent, total, returns = (
            s.records[:, INCUMBENT].copy(),
            s.sums[INCUMBENT_SUM],
            s.counts[RETURNS],
        )
        finish(s, 1)
        if s.counts[RETURNS] > returns:
            went += 1
            assert np.array_equal(s.records[:, LABEL], incumbent)
            assert np.array_equal(s.records[:, INCUMBENT], incumbent)
            assert s.sums[CURRENT] == s.sums[INCUMBENT_SUM] == total
            assert s.counts[MOVED] == 0
        check_books(s, matrix, k)
    assert went > 0 or rule.code != Fixed.code  # the other rule accepts what is as good


@pytest.mark.parametrize("seed", spread(range(12), 5))
def test_fixed_one_never_returns_and_fixed_zero_always(seed):
    """Probability 1 never goes home; probability 0 does from all that is not better."""
    _, _, s = at_optimum(seed, Fixed(1.0))
    assert finish(s, 60).counts[RETURNS] == 0
    _, _, s = at_optimum(seed, Fixed(0.0))
    finish(s, 60)
    better = s.counts[BY_DISSOLVING] + s.counts[BY_DISTILLING]
    assert s.counts[RETURNS] == 60 - better
    assert s.sums[CURRENT] == s.sums[BEST_SUM] == s.sums[INCUMBENT_SUM]


@pytest.mark.parametrize("seed", spread(range(12), 5))
def test_hot_and_cold(seed):
    """Where it is hot, dynamic and annealing accept all; where it is cold, nothing worse."""
    for hot in (Dynamic(1e12), Annealing(1e12, 1e12)):
        _, _, s = at_optimum(seed, hot, CONTINUOUS)
        assert finish(s, 60).counts[RETURNS] == 0
    for cold in (Dynamic(1e-12), Annealing(1e-12, 1e-12)):
        _, _, s = at_optimum(seed, cold, CONTINUOUS)
        for _ in range(60):
            finish(s, 1)
            assert s.sums[CURRENT] <= s.sums[BEST_SUM] * (1 + 1e-9)


@pytest.mark.parametrize("seed", spread(range(12), 5))
def test_no_rule_goes_where_it_may_not(seed):
    """Record-to-record stays near the best, late acceptance below its first optimum."""
    _, _, s = at_optimum(seed, RecordToRecord(0.02))
    for _ in range(60):
        finish(s, 1)
        assert s.sums[CURRENT] <= s.sums[BEST_SUM] * 1.02 * (1 + 1e-12)
    _, _, s = at_optimum(seed, Late(7))
    first = s.sums[BEST_SUM]
    for _ in range(60):
        finish(s, 1)
        assert s.sums[CURRENT] <= first * (1 + 1e-12)


def test_a_search_works():
    """On most tables perturbing finds better groupings, by both perturbations."""
    gained = {BY_DISSOLVING: 0, BY_DISTILLING: 0}
    fell = 0
    for seed in range(30):
        _, _, s = at_optimum(seed)
        first = s.sums[BEST_SUM]
        finish(s, 60)
        fell += s.sums[BEST_SUM] < first * (1 - 1e-9)
        for place in gained:
            gained[place] += s.counts[place]
    assert fell >= 15
    assert min(gained.values()) >= 5


@pytest.mark.parametrize("few", [0, 10**9])
@pytest.mark.parametrize("seed", spread(range(8), 4))
def test_nearest_records(seed, few):
    """By the tree and by sweeps, the neighbors are others, all different, and none is nearer."""
    matrix = table(seed)[0]
    if seed == 0:
        matrix = np.random.default_rng(0).normal(size=(BLOCK + 9, 2))
    rows = np.arange(len(matrix))
    for count in (1, 5, len(matrix) + 3):
        found = neighbors.nearest_records(matrix, count, Reporter(None), few)
        assert found.shape == (len(matrix), min(count, len(matrix) - 1))
        for row in rows[:60]:
            apart = ((matrix - matrix[row]) ** 2).sum(axis=1)
            assert row not in found[row]
            assert len(set(found[row].tolist())) == found.shape[1]
            expected = np.sort(apart[rows != row])[: found.shape[1]]
            assert np.sort(apart[found[row]]) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("seed", spread(range(8), 4))
def test_neighbors_are_mutual(seed, count):
    """After its nearest a record lists others that it is nearest to: the farthest of them."""
    matrix = table(seed)[0]
    nearest = neighbors.nearest_records(matrix, count, Reporter(None))
    every = neighbors.neighbors(matrix, count, Reporter(None))
    assert every.shape[1] == count + -(-count // 2)
    assert np.array_equal(every[:, :count], nearest)
    for row, (own, others) in enumerate(zip(nearest, every[:, count:], strict=True)):
        apart = ((matrix - matrix[row]) ** 2).sum(axis=1)
        new = sorted(set(others.tolist()) - set(own.tolist()))
        listed = sorted({q for q in range(len(matrix)) if row in nearest[q]} - set(own.tolist()))
        assert set(new) <= set(listed)
        assert len(new) == min(len(listed), len(others))
        assert apart[new] @ np.ones(len(new)) == pytest.approx(
            np.sort(apart[listed])[::-1][: len(others)].sum(), abs=1e-9
        )
