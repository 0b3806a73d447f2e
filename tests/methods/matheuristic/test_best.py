"""`best` and `exact`: the least loss, repeatable, anytime, proven where it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import shoal
from naive.bounds import least_sse
from shoal.errors import RequestError
from shoal.measures.loss import information_loss, squared_error
from shoal.methods.bounds.generation import Generation
from shoal.methods.bounds.threads import Gaps, squared_gaps
from shoal.methods.ils.neighbors import least_by_neighbors
from shoal.methods.ils.parameters import Search, Stop, Task
from shoal.methods.matheuristic import steps
from shoal.methods.matheuristic.incumbent import Around
from shoal.methods.matheuristic.run import best, exact
from shoal.methods.matheuristic.steps import GROWN_PLAN, SMALL_PLAN, dive, dive_into
from shoal.progress import Reporter, StopToken
from thorough import each, is_thorough, spread

RNG = np.random.default_rng(5)
CLUSTERED = RNG.normal(0, 5, size=(8, 3))[RNG.integers(0, 8, 90)] + RNG.normal(size=(90, 3))


def clustered(seed, rows, columns=3):
    rng = np.random.default_rng(seed)
    centers = rng.normal(0, 5, size=(int(rng.integers(2, 7)), columns))
    return centers[rng.integers(0, len(centers), rows)] + rng.normal(size=(rows, columns))


@pytest.mark.parametrize("k", [2, 8, *(pytest.param(k, marks=pytest.mark.slow) for k in (3, 5))])
def test_loses_less_than_a_search(k):
    """Never more than the best of four searches; its bound is below, its loss from scratch."""
    found = shoal.microaggregate(CLUSTERED, k, method="best", max_iterations=4)
    searched = [
        shoal.microaggregate(CLUSTERED, k, method="ilsmc+", max_iterations=500, seed=seed)
        for seed in range(4)
    ]
    assert found.information_loss <= min(one.information_loss for one in searched) * (1 + 1e-9)
    assert found.sizes.min() >= k
    assert found.sizes.max() < 2 * k
    assert 0 < found.bound.information_loss <= found.information_loss
    standardized = (CLUSTERED - CLUSTERED.mean(0)) / CLUSTERED.std(0, ddof=1)
    assert found.information_loss == pytest.approx(information_loss(standardized, found.labels))


@pytest.mark.parametrize("k", [8, pytest.param(3, marks=pytest.mark.slow)])
def test_the_same_on_any_number_of_threads(k):
    """A budget in rounds gives the same groups, whatever runs side by side."""
    few = CLUSTERED[:60]
    every = [
        shoal.microaggregate(few, k, method="best", max_iterations=5, seed=7, threads=threads)
        for threads in (1, 2, 2)
    ]
    for other in every[1:]:
        assert np.array_equal(every[0].labels, other.labels)
        assert every[0].bound == other.bound
        assert every[0].search.curve == other.search.curve


def test_rounds_only_gain():
    """More rounds never lose more."""
    losses = [
        shoal.microaggregate(CLUSTERED, 8, method="best", max_iterations=rounds).information_loss
        for rounds in (0, 3)
    ]
    assert losses == sorted(losses, reverse=True)


def test_refines_a_given_grouping():
    """From any groups, large ones too, never to more loss; the proof ends it."""
    given = np.arange(90) // 30
    before = information_loss(CLUSTERED, given)
    found = shoal.refine(CLUSTERED, given, 3, how="best", standardize=False, max_iterations=3)
    assert found.information_loss < before
    small = shoal.microaggregate(CLUSTERED[:30], 3, method="best")
    assert small.search.stopped_by == "proof"
    assert small.bound.above(small.information_loss) == 0.0
    again = shoal.refine(CLUSTERED[:30], small.labels, 3, how="best")
    assert again.information_loss == pytest.approx(small.information_loss, rel=1e-12)


@pytest.mark.parametrize("how", spread(["time", "callback", "interrupt", "target", "patience"], 3))
def test_ends_with_its_best(how):
    """A limit of any kind ends it between or within rounds, with groups that are whole."""
    calls, stop = [], StopToken()

    def callback(progress):
        if progress.best_loss is None:
            return None
        calls.append(progress)
        if how == "interrupt" and len(calls) > 2:
            stop.finish = True
        return how == "callback" and len(calls) > 2

    limits = {
        "time": {"time_limit": 0.5},
        "target": {"search": {"stop": {"target": 99.0}}},
        "patience": {"search": {"stop": {"patience": 2, "iterations": 60}}},
    }
    found = shoal.microaggregate(
        CLUSTERED,
        8,
        method="best",
        callback=Reporter(callback, stop),
        **limits.get(how, {"max_iterations": 60}),
    )
    assert found.search.stopped_by == {"time": "time limit"}.get(how, how)
    assert found.sizes.min() >= 8
    assert found.bound.information_loss <= found.information_loss
    assert found.search.iterations < 60
    assert ("another run" in found.search.summary()) == (how in ("time", "interrupt"))


@pytest.mark.slow
def test_larger_tables_go_by_regions(monkeypatch):
    """Of many records nothing is as large as their square; the loss falls all the same."""
    rows = clustered(3, 700)
    monkeypatch.setattr(steps, "squared_gaps", lambda _: pytest.fail("all distances at once"))
    first = shoal.microaggregate(rows, 3, method="mdav", standardize=False)
    task = Task(3, np.array(first.labels), Search(stop=Stop(iterations=4)))
    labels, log, (bound, complete) = best(rows, task, Reporter(None), steps.Sizes(300, 100))
    assert information_loss(rows, labels) < 0.95 * first.information_loss
    assert log.gains["neighborhood"]["improved"] + log.gains["dive"]["improved"] > 0
    assert 0 < bound < squared_error(rows, labels).sum()
    assert not complete


@pytest.mark.parametrize("k", [3, 8])
def test_what_is_freed_is_grouped_better_or_left(k):
    """Neighborhoods are whole groups, apart from each other, and never grouped worse."""
    rows = clustered(1, 120)
    labels = np.array(shoal.microaggregate(rows, k, method="mdav-nn", standardize=False).labels)
    around = Around(rows, k, np.random.default_rng(0))
    places = around.choose(labels, 3, 40)
    assert places
    taken = np.concatenate(places)
    assert np.unique(taken).size == taken.size
    plan = GROWN_PLAN if k > 6 else SMALL_PLAN
    for rows_ in places:
        whole = np.isin(labels, labels[rows_])
        assert np.array_equal(np.flatnonzero(whole), rows_)  # groups are whole
        own = np.unique(labels[rows_], return_inverse=True)[1]
        before = squared_error(rows[rows_], own).sum()
        for better in (
            around.solve(labels, rows_, plan),
            dive_into(rows[rows_], k, own, plan, 0.7, lambda: None),
        ):
            if better is not None:
                assert np.bincount(better).min() >= k
                assert squared_error(rows[rows_], better).sum() < before
        around.note(labels, rows_)
    assert not {p.tobytes() for p in places} & {
        p.tobytes() for p in around.choose(labels, 3, 40) if around._key(labels, p) in around.done
    }


def test_dives_cut_on_the_way():
    """A dive from a programme with wide cuts covers every record, and loses no less than the bound.

    With cuts after each step it loses no more here than what it began with.
    """
    rows, plan = clustered(3, 150), replace(SMALL_PLAN, cut_width=7)
    labels = np.array(shoal.microaggregate(rows, 3, method="mdav-nn", standardize=False).labels)
    generation = Generation.scaled(Gaps(squared_gaps(rows)), 3, labels, threads=1)
    generation.raise_bound(plan)
    found = dive(rows, generation, 0.9, plan, cuts=2)
    assert found is not None
    assert np.bincount(found).min() >= 3
    lost = squared_error(rows, found).sum()
    assert generation.least <= lost <= squared_error(rows, labels).sum()


@each("seed", range(25 if is_thorough() else 10))
def test_exact_is_the_least_of_all_groupings(seed):
    """Its SSE is the least of all groupings, and that is said."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 5))
    rows = clustered(seed, int(rng.integers(2 * k, 12)), 2)
    if seed % 3 == 0:
        rows = np.round(rows)
    found = shoal.microaggregate(rows, k, method="exact", standardize=False)
    least = least_sse(rows.tolist(), k)
    assert squared_error(rows, found.labels).sum() == pytest.approx(least, rel=1e-9, abs=1e-12)
    assert found.bound.complete
    assert found.bound.above(found.information_loss) == 0.0
    assert "proven optimal" in found.summary()


def test_a_start_of_large_groups_of_equals():
    """A group of 2k equal records in the start, which no split improves, is split all the same."""
    rows = np.concatenate([np.zeros((6, 2)), clustered(2, 9, 2)])
    start = np.array([0] * 6 + [1, 1, 1, 2, 2, 2, 3, 3, 3])
    found = shoal.microaggregate(rows, 3, method="best", start=start, standardize=False)
    assert found.sizes.max() < 6
    assert found.information_loss <= information_loss(rows, start) * (1 + 1e-12)


def test_two_tight_heaps_far_apart():
    """A spread of 1e-9 of the range is not nothing: the proof is one, whatever the seed."""
    rng = np.random.default_rng(3)
    rows = np.concatenate([rng.normal(size=(15, 2)) * 1e-6, rng.normal(size=(15, 2)) * 1e-6 + 1000])
    every = [
        shoal.microaggregate(rows, 3, method="exact", standardize=False, seed=seed)
        for seed in range(3)
    ]
    costs = [squared_error(rows, one.labels).sum() for one in every]
    assert max(costs) <= min(costs) * (1 + 1e-6)
    assert all(0 < one.bound.sse <= min(costs) for one in every)


def test_groups_of_one():
    """With k = 1 nothing is lost."""
    for method in ("best", "exact"):
        assert shoal.microaggregate(CLUSTERED[:9], 1, method=method).information_loss == 0.0


def test_another_user_of_highs_changes_nothing():
    """HiGHS with other threads in the same process leaves the result as it is."""
    import highspy

    before = shoal.lower_bound(CLUSTERED, 3)
    highspy.Highs.resetGlobalScheduler(True)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 2)
    solver.addVar(0, 1)
    solver.run()
    assert shoal.lower_bound(CLUSTERED, 3) == before


def test_a_target_that_no_grouping_reaches():
    """Below the bound there is nothing to search for."""
    found = shoal.microaggregate(
        CLUSTERED, 3, method="best", search={"stop": {"target": 1e-6, "iterations": 50}}
    )
    assert found.search.stopped_by == "a target that no grouping reaches"


@pytest.mark.parametrize("k", [2, 3])
def test_exact_keeps_the_contracts(k):
    """Sizes, records, seeds, order, scale, duplicates, few records and constant columns."""
    rows = clustered(6, 24)
    found = shoal.microaggregate(rows, k, method="exact")
    assert found.sizes.min() >= k
    assert found.sizes.max() < 2 * k
    assert sorted(row for group in found.members() for row in group) == list(range(24))
    again = shoal.microaggregate(rows, k, method="exact", threads=2)
    assert np.array_equal(found.labels, again.labels)
    order = np.random.default_rng(1).permutation(24)
    others = [rows[order], 8.0 * rows + 3.0, np.column_stack([rows, np.ones(24)])]
    for other in others:
        loss = shoal.microaggregate(other, k, method="exact").information_loss
        assert loss == pytest.approx(found.information_loss, rel=1e-6)
    twice = np.repeat(rows[:8], k, axis=0)
    assert shoal.microaggregate(twice, k, method="exact").information_loss < 1e-9
    for few in (k, 2 * k - 1):
        assert shoal.microaggregate(rows[:few], k, method="exact").sizes.tolist() == [few]


def test_exact_proves_what_best_finds():
    """On forty records, whatever their order."""
    rows = clustered(4, 40)
    found = shoal.microaggregate(rows, 3, method="exact")
    order = np.random.default_rng(0).permutation(40)
    again = shoal.microaggregate(rows[order], 3, method="exact")
    assert again.information_loss == pytest.approx(found.information_loss, rel=1e-9)
    searched = shoal.microaggregate(rows, 3, method="ilsmc+", max_iterations=2000)
    assert found.information_loss <= searched.information_loss * (1 + 1e-9)


def test_exact_refuses_what_it_cannot_prove():
    """Too large a table, too large a k, or too many groups: an error, no grouping."""
    with pytest.raises(RequestError, match="up to 2,000 records and k up to 6"):
        shoal.microaggregate(np.zeros((2001, 2)) + np.arange(2001)[:, None], 3, method="exact")
    with pytest.raises(RequestError, match="k = 7"):
        shoal.microaggregate(CLUSTERED, 7, method="exact")
    rows = np.random.default_rng(2).normal(size=(80, 4))
    with pytest.raises(RequestError, match=r"at most \d+\.\d+ % above the optimum"):
        exact(rows, 3, 0, Reporter(None), rooms=[1], rounds=0)


@pytest.mark.slow
def test_large_groups_are_bounded_by_pairs_of_records():
    """That is more than the nearest records prove, and no more than what was found."""
    matrix = np.random.default_rng(8).normal(size=(75, 3))
    found = shoal.microaggregate(matrix, 8, method="best", max_iterations=3, standardize=False)
    near = least_by_neighbors(matrix, 8, Reporter(None))
    assert near * 1.1 < found.bound.sse
    assert found.bound.information_loss < found.information_loss
