from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from naive.bounds import (
    broken_triples,
    group_sse,
    has_of_cut,
    least_sse,
    most_broken,
    reduced_costs,
    squared,
)
from shoal.methods.bounds.cuts import NO_CUTS, NOBODY, Cuts, of_triples, violated_triples
from shoal.methods.bounds.generation import Generation, Plan
from shoal.methods.bounds.highs import Columns, Master, choose
from shoal.methods.bounds.integer import as_labels, places, solve_integer
from shoal.methods.bounds.losses import cost_of
from shoal.methods.bounds.threads import Gaps, Pricer, squared_gaps, sums_of_nearest
from shoal.methods.bounds.wide_cuts import kinds, violated_wide_cuts
from thorough import each

NO_LIMIT = 10**9


def problem(seed, most=11):
    """A small table with duals that are too high here and there, and cuts with prices."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    rows = int(rng.integers(2 * k, max(most, 2 * k + 1)))
    matrix = rng.normal(size=(rows, int(rng.integers(1, 4))))
    if seed % 3 == 0:
        matrix = np.round(matrix)
    gaps = squared_gaps(matrix)
    duals = rng.uniform(-0.3, 1.2, size=rows)
    cuts = drawn_cuts(rng, rows, seed % 4)
    return matrix, gaps, k, duals, cuts, rng.uniform(0, 0.5, size=len(cuts))


def drawn_cuts(rng, rows, count):
    """Cuts of 3 to 6 records with any shares; the first ones of a table are triples."""
    cuts = NO_CUTS
    for number in range(count):
        width = 3 if number == 0 else int(rng.integers(3, min(rows, 6) + 1))
        parts = 2 if number == 0 else int(rng.integers(2, 6))
        own = rng.choice(rows, width, replace=False)[None]
        cuts = cuts.extended(Cuts(own, rng.integers(1, parts, size=(1, width)), np.array([parts])))
    return cuts


def told(cuts):
    """Cuts as the twin has them: the share of every record."""
    return [
        {row: Fraction(share, parts) for row, share in zip(rows, shares, strict=True) if share}
        for rows, shares, parts in zip(
            cuts.rows.tolist(), cuts.shares.tolist(), cuts.parts.tolist(), strict=True
        )
    ]


@each("seed", range(40))
def test_distances_are_the_twins(seed):
    """Squared distances and sums of the nearest are those of plain loops."""
    matrix, gaps, k, *_ = problem(seed)
    assert np.allclose(gaps, squared(matrix.tolist()))
    sums = sums_of_nearest(gaps, 2 * k)
    for row, own in enumerate(gaps.tolist()):
        others = sorted(own[:row] + own[row + 1 :])
        assert np.allclose(sums[row], [sum(others[:i]) for i in range(2 * k)])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("seed", range(40))
def test_pricing_finds_the_cheapest_group(seed, threads):
    """Its least reduced cost is that of all groups; nothing cheaper is missing."""
    _, gaps, k, duals, cuts, prices = problem(seed)
    every = reduced_costs(gaps.tolist(), k, duals, told(cuts), prices)
    pricer = Pricer(gaps, k, threads, small=0)
    found = pricer.price(duals, NO_LIMIT, 1e-9, cuts, prices)
    assert found.cut_short == 0
    for i, size in enumerate(range(k, min(2 * k, len(gaps) + 1))):
        least = min(cost for group, cost in every.items() if len(group) == size)
        assert found.reduced[i].min() == pytest.approx(min(least, 0.0), abs=1e-8)
        for root in np.flatnonzero(found.reduced[i] < 0):
            group = tuple(sorted(found.groups[i][root].tolist()))
            assert root in group
            assert found.reduced[i, root] == pytest.approx(every[group], abs=1e-9)


@pytest.mark.parametrize("most", [1, 3, 10, NO_LIMIT])
@each("seed", range(40))
def test_what_is_missing_is_never_too_little(seed, most):
    """Whatever was left out: no grouping costs less than the duals and what is missing."""
    matrix, gaps, k, duals, cuts, prices = problem(seed, 10)
    found = Pricer(gaps, k, 1).price(duals, most, 1e-9, cuts, prices)
    paid = (prices * cuts.limits).sum()
    assert duals.sum() - paid + found.missing <= least_sse(matrix.tolist(), k) + 1e-9
    assert most < NO_LIMIT or found.cut_short == 0


@pytest.mark.parametrize("limit", [-0.2, 0.0, 0.4, 2.0])
@each("seed", range(30))
def test_all_groups_below_a_limit_are_listed_once(seed, limit):
    """All of them, none twice, and none where the room is too small."""
    _, gaps, k, duals, cuts, prices = problem(seed, 10)
    every = reduced_costs(gaps.tolist(), k, duals, told(cuts), prices)
    wanted = {group for group, cost in every.items() if cost < limit - 1e-9}
    allowed = {group for group, cost in every.items() if cost < limit + 1e-9}
    found = Pricer(gaps, k, 1).every_group(duals, limit, NO_LIMIT, 5_000, cuts, prices)
    assert found is not None
    groups = [tuple(sorted(group)) for some in found for group in some.tolist()]
    assert len(groups) == len(set(groups))
    assert wanted <= set(groups) <= allowed
    if len(groups) > 1:
        pricer = Pricer(gaps, k, 1)
        assert pricer.every_group(duals, limit, NO_LIMIT, len(groups) - 1, cuts, prices) is None


def test_mirrored_groups_are_listed():
    """Sums that tie but for the order they are added in lose no group, and double none."""
    for seed in range(100):
        rng = np.random.default_rng(seed)
        half, dual = np.sort(rng.uniform(0.1, 1, 2)), rng.uniform(0, 1, 2)
        matrix = np.concatenate([-half[::-1], half])[:, None]
        duals = np.concatenate([dual[::-1], dual])
        pricer = Pricer(squared_gaps(matrix), 3, 1)
        found = pricer.every_group(duals, 1e6, NO_LIMIT, 100, NO_CUTS, np.zeros(0))
        assert [len(groups) for groups in found] == [4, 1]


def test_no_time_means_no_proof():
    """Where the time is up while pricing, anything may be missing, and nothing is listed."""
    _, gaps, k, duals, *_ = problem(1)
    pricer = Pricer(gaps, k, 1, over=lambda: True)
    assert pricer.price(duals, NO_LIMIT, 1e-9).missing == -np.inf
    assert pricer.every_group(duals, 1.0, NO_LIMIT, 100, NO_CUTS, np.zeros(0)) is None
    groups, reduced = pricer.grow(duals)
    assert np.all((groups != NOBODY).sum(axis=1) == k)
    assert np.all(reduced == 0)


@each("seed", range(30))
def test_grown_groups_cost_what_is_said(seed):
    """Every root has a group of its own, of a size that is allowed."""
    _, gaps, k, duals, *_ = problem(seed)
    every = reduced_costs(gaps.tolist(), k, duals)
    groups, reduced = Pricer(gaps, k, 1).grow(duals)
    for root, (group, cost) in enumerate(zip(groups, reduced, strict=True)):
        members = tuple(sorted(group[group != NOBODY].tolist()))
        assert root in members
        assert cost == pytest.approx(every[members], abs=1e-9)


def test_growing_is_nearly_as_good_as_pricing():
    """On fifty tables the cheapest grown group is the cheapest of all nine times in ten."""
    same = 0
    for seed in range(50):
        _, gaps, k, duals, *_ = problem(seed)
        least = min(reduced_costs(gaps.tolist(), k, duals).values())
        same += Pricer(gaps, k, 1).grow(duals)[1].min() <= least + 1e-9
    assert same >= 45


@each("seed", range(20))
def test_broken_triples_are_found(seed):
    """Only triples that are broken, the worst of all first."""
    rng = np.random.default_rng(seed)
    groups = [sorted(rng.choice(9, 3, replace=False).tolist()) for _ in range(9)]
    values = rng.choice([0.25, 0.5, 0.75], size=9)
    twin = broken_triples(groups, values)
    found = violated_triples(np.array(groups), values, most=10**6)
    assert np.all(found.shares == 1)
    assert np.all(found.parts == 2)
    assert np.all(found.limits == 1)
    assert {tuple(triple) for triple in found.rows.tolist()} <= set(twin)
    assert (len(found) > 0) == any(value > 1.02 for value in twin.values())
    if len(found):
        assert twin[tuple(found.rows[0].tolist())] == pytest.approx(max(twin.values()))


@each("seed", range(20))
def test_every_grouping_keeps_every_cut(seed):
    """Whole groups have at most what a cut allows, and what each has is the twin's."""
    rng = np.random.default_rng(seed)
    cuts = drawn_cuts(rng, 14, 6)
    groups = np.split(rng.permutation(14), [3, 7, 10])
    members = np.full((4, 5), NOBODY)
    for number, group in enumerate(groups):
        members[number, : group.size] = np.sort(group)
    for i, cut in enumerate(told(cuts)):
        has = cuts.coefficients(i, members, 14)
        assert has.tolist() == [has_of_cut(cut, group.tolist()) for group in groups]
        assert has.sum() <= cuts.limits[i] == int(sum(cut.values()))


@each("seed", range(12))
def test_wide_cuts_are_broken_as_is_said(seed):
    """Every cut that is found is broken by the solution, once, and of a kind that is searched."""
    rng = np.random.default_rng(seed)
    groups = np.sort([rng.choice(12, 4, replace=False) for _ in range(14)], axis=1)
    values = rng.choice([0.25, 0.5], size=14)
    found = violated_wide_cuts(groups, values, 12, most=10**6, width=7, seed=seed)
    names = set()
    for i, cut in enumerate(told(found)):
        has = sum(v * has_of_cut(cut, g) for g, v in zip(groups.tolist(), values, strict=True))
        assert has > found.limits[i] + 0.009
        assert found.limits[i] == int(sum(cut.values()))
        assert sum(cut.values()) % 1 == 1 - Fraction(1, int(found.parts[i]))
        names.add(tuple(sorted(cut.items())))
    assert len(names) == len(found)


@pytest.mark.slow
def test_wide_cuts_are_nearly_the_worst():
    """The local search finds a cut that is broken as much as any of its kind, mostly."""
    same = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        groups = np.sort([rng.choice(8, 4, replace=False) for _ in range(9)], axis=1)
        values = rng.choice([0.25, 0.5], size=9)
        found = [
            cut
            for turn in range(20)
            for cut in told(violated_wide_cuts(groups, values, 8, most=10**6, width=5, seed=turn))
        ]
        has = [
            sum(v * has_of_cut(cut, g) for g, v in zip(groups.tolist(), values, strict=True))
            - int(sum(cut.values()))
            for cut in found
        ]
        worst = max(most_broken(groups.tolist(), values, *kind) for kind in kinds(5))
        assert not has or max(has) <= worst + 1e-9
        same += (max(has) if has else 0.0) >= max(worst, 0.0) - 1e-9
    assert same >= 2


def test_cuts_inside_some_records_keep_their_shares():
    """Of a part's records, those cuts remain that have no others, by their new numbers."""
    cuts = of_triples(np.array([[0, 2, 4], [1, 2, 4]])).extended(
        Cuts(np.array([[0, 2, 4, 6]]), np.array([[2, 1, 1, 1]]), np.array([3]))
    )
    number = np.full(8, NOBODY)
    number[[0, 2, 4, 6]] = np.arange(4)
    inside, which = cuts.inside(number)
    assert which.tolist() == [0, 2]
    assert told(inside) == [
        {0: Fraction(1, 2), 1: Fraction(1, 2), 2: Fraction(1, 2)},
        {0: Fraction(2, 3), 1: Fraction(1, 3), 2: Fraction(1, 3), 3: Fraction(1, 3)},
    ]


def test_columns_are_distinct_and_cost_their_sse():
    """A column is kept once, with the SSE of its records."""
    rng = np.random.default_rng(0)
    gaps = squared_gaps(rng.normal(size=(20, 2)))
    losses, columns = Gaps(gaps), Columns(5)
    labels = np.arange(20) // 4
    assert columns.add_grouping(labels, losses) == 5
    assert columns.add_grouping(labels[::-1].copy(), losses) == 0
    drawn = rng.permuted(np.tile(np.arange(20), (2_000, 1)), axis=1)[:, :3]
    assert columns.add(drawn, losses) > 900
    members = [group[group != NOBODY].tolist() for group in columns.members]
    assert len({tuple(group) for group in members}) == len(columns)
    assert np.allclose(columns.costs, [group_sse(gaps, group) for group in members])
    assert columns.costs[places(columns, labels)].sum() == pytest.approx(cost_of(losses, labels))
    which = places(columns, labels)
    columns.keep(which)
    assert len(columns) == 5
    assert np.array_equal(np.sort(places(columns, labels)), np.arange(5))
    assert columns.add_grouping(labels, losses) == 0
    again = as_labels(columns, np.arange(5), 20)
    assert {frozenset(np.flatnonzero(again == g)) for g in range(5)} == {
        frozenset(range(i, i + 4)) for i in range(0, 20, 4)
    }


def test_shares_add_up_to_the_cost():
    """What records cost is what the grouping costs."""
    losses = Gaps(squared_gaps(np.random.default_rng(1).normal(size=(30, 3))))
    labels = np.sort(np.arange(30) % 7)
    groups = [np.flatnonzero(labels == group)[None] for group in range(7)]
    costs = [losses.of_groups(group)[0] for group in groups]
    shares = losses.of_records(labels)
    assert np.bincount(labels, shares) == pytest.approx(costs)


@pytest.mark.parametrize("seed", range(15))
def test_the_integer_programme_is_exact(seed):
    """Over all groups it finds the least grouping of all, with and without a start."""
    matrix, gaps, k, *_ = problem(seed, 9)
    rows = len(gaps)
    columns = Columns(2 * k - 1)
    every = reduced_costs(gaps.tolist(), k, np.zeros(rows))
    for size in range(k, min(2 * k, rows + 1)):
        columns.add(np.array([group for group in every if len(group) == size]), Gaps(gaps))
    least = least_sse(matrix.tolist(), k)
    start = np.minimum(np.arange(rows) // k, rows // k - 1)
    for begin in (None, places(columns, start)):
        which = np.arange(len(columns))
        found = choose(columns, which, rows, begin, cuts=NO_CUTS, nodes=1000)
        assert found.proven
        assert found.which is not None
        assert columns.costs[found.which].sum() == pytest.approx(least, abs=1e-6)


@each("seed", range(20))
@pytest.mark.slow
def test_a_part_of_the_gap_is_proven_by_a_part_of_the_groups(seed):
    """Where only the groups below a part of the gap are listed, no more than it is proven."""
    matrix, gaps, k, *_ = problem(seed, 10)
    start = np.minimum(np.arange(len(gaps)) // k, len(gaps) // k - 1)
    least = least_sse(matrix.tolist(), k)
    bounds = []
    for part in (0.2, 0.5, 1.0):
        generation = Generation.scaled(Gaps(gaps), k, start, threads=1)
        if generation is None:
            assert least == 0.0
            return
        generation.climb(3, NO_LIMIT)
        plan = Plan(limit=NO_LIMIT, parts=(part,))
        solution = solve_integer(generation, start, plan)
        bounds.append(solution.bound * generation.unit)
        assert generation.least * (1 - 1e-9) <= bounds[-1] <= least * (1 + 1e-9) + 1e-12
        assert solution.proven or part < 1.0
        if solution.proven:
            assert bounds[-1] == pytest.approx(least, rel=1e-4, abs=1e-9)
    assert bounds == sorted(bounds) or bounds == pytest.approx(sorted(bounds), rel=1e-5)


def test_the_programme_without_columns_overdraws():
    """Before there is any grouping the duals are at their ceilings."""
    gaps = squared_gaps(np.random.default_rng(2).normal(size=(8, 2)))
    master = Master(8, np.full(8, 3.0))
    columns = Columns(3)
    columns.add(np.array([[0, 1], [2, 3]]), Gaps(gaps))
    master.add(columns)
    solved = master.solve()
    assert solved is not None
    assert solved.overdrawn >= 4.0
    assert np.all(solved.duals <= 3.0 + 1e-9)


@pytest.mark.parametrize("width", [3, 7])
@pytest.mark.parametrize("seed", range(12))
def test_duals_that_are_proven_stay_below_every_grouping(seed, width):
    """Climbing, converging and cutting only raise the bound, and never above the optimum."""
    matrix, gaps, k, *_ = problem(seed, 10)
    rows = len(gaps)
    start = np.minimum(np.arange(rows) // k, rows // k - 1)
    generation = Generation.scaled(Gaps(gaps), k, start, threads=1)
    least = least_sse(matrix.tolist(), k) / generation.unit
    plan = Plan(branches=50, limit=10**6, cut_width=width)
    bounds = [generation.bound]
    for step in (
        lambda: generation.climb(10, 50),
        lambda: generation.climb(10, 50, grown=True),
        lambda: generation.converge(plan),
        lambda: generation.cut(plan),
    ):
        step()
        bounds.append(generation.bound)
    assert bounds == sorted(bounds)
    assert bounds[-1] <= least * (1 + 1e-12)
    assert generation.complete
    assert bounds[-1] >= 0.8 * least - 1e-6
    again = Generation.scaled(Gaps(gaps), k, start, threads=1)
    again.duals, again.cuts, again.prices = generation.duals, generation.cuts, generation.prices
    again.prove(NO_LIMIT)
    assert again.reached == pytest.approx(generation.reached, rel=1e-9)
