"""Annealing of searches on trees: temperatures, cycles, and what an early end leaves."""

from __future__ import annotations

from itertools import pairwise
from statistics import mean
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from shoal.methods.ils.driver import NEVER
from shoal.methods.ils.hierarchies.regions import COOLED, CYCLE, HOT, Cooling, round_size
from shoal.methods.ils.parameters import Search, Stop
from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read


def cooling(limit=NEVER, seconds=None, schedule=None, patience=None, groups=50, anneals=True):
    """Return a schedule, and the watch that it looks at."""
    watch = SimpleNamespace(done=0, seconds=0.0, limit=limit)
    options = Search(schedule=schedule, stop=Stop(patience=patience))
    return Cooling(watch, options, groups, seconds, anneals), watch


def test_it_falls_to_zero_over_the_iterations():
    """As hot as at first, then linearly colder, then only what gains."""
    plan, watch = cooling(limit=1000)
    assert plan.schedule == 1000
    shares = []
    for watch.done in range(0, 1000, 50):
        assert not plan.begin_anew()
        shares.append(plan.share())
    assert shares[0] == shares[1] == 1.0
    assert all(b <= a for a, b in pairwise(shares))
    assert plan.share() == 0.0
    watch.done = 450
    assert plan.share() == pytest.approx((COOLED - 0.45) / (COOLED - HOT))


def test_long_searches_have_cycles():
    """A search of more iterations than serve a cycle begins anew."""
    plan, watch = cooling(limit=10**9)
    assert plan.schedule == CYCLE * 50
    watch.done = plan.schedule - 1
    assert not plan.begin_anew()
    watch.done += 1
    assert plan.begin_anew()
    assert not plan.begin_anew()
    assert plan.share() == 1.0


@pytest.mark.parametrize("given", [{"patience": 5}, {"anneals": False}, {"schedule": 1}])
def test_only_what_gains(given):
    """With patience, a penalty or a schedule of 1 nothing may add to the loss."""
    plan, watch = cooling(limit=500, **given)
    for watch.done in (0, 1, 250, 500):
        assert not plan.begin_anew()
        assert plan.share() == 0.0
    assert plan.schedule == 1


def test_iterations_within_a_time_limit_are_estimated():
    """What is estimated is as hot until then, so that the count alone repeats the search."""
    plan, watch = cooling(seconds=10.0, groups=10_000)
    watch.done, watch.seconds = 40, 0.2
    plan.estimate()
    assert (plan.length, plan.share()) == (None, 1.0)
    watch.done, watch.seconds = 100, 0.5
    plan.estimate()
    assert plan.length == 2000
    again, other = cooling(limit=1700, schedule=plan.schedule, groups=10_000)
    for done in range(0, 1700, 50):
        watch.done = other.done = done
        assert plan.share() == again.share()
    plan, watch = cooling(seconds=10.0)
    watch.done, watch.seconds = 100, 9.0  # the first look came late
    plan.estimate()
    assert plan.schedule == pytest.approx(100 / HOT)
    assert plan.share() == 1.0


def test_rounds_do_not_depend_on_the_schedule():
    """They are as many iterations as half of the groups, within bounds."""
    assert [round_size(groups, 1000) for groups in (3, 400, 10**6)] == [50, 200, 1000]
    assert round_size(400, 30) == 30


def people(rows, seed):
    """Return coded records in clusters: words, codes and numbers, of which some are missing."""
    rng = np.random.default_rng(seed)
    center = rng.integers(0, 30, rows)
    columns = {"sex": pa.array(rng.choice(["f", "m"], rows))}
    for j, noise in enumerate(rng.integers(0, 8, (4, rows))):
        kinds = (
            np.char.add("w", ((center + noise) % 13).astype(str)),
            np.char.add("", (1000 + 13 * (center * 7 + noise)).astype(str)),
            3 * center + noise,
            np.round(center + 3 * rng.normal(size=rows), 2),
        )
        gaps = rng.random(rows) < 0.03
        columns[f"c{j}"] = pa.array(kinds[(j + seed) % 4 if j else 2], mask=gaps)
    return code(read(pa.table(columns)))


def found(coded, k, seed=0, start=None, **options):
    """Return the result of kaim+ on one thread."""
    problem = Problem(Nodes(coded), k, seed=seed, start=start, options=options, threads=1)
    return solve(problem, "kaim+", Reporter(None))


@pytest.mark.slow
def test_annealing_loses_less_than_descent():
    """On the average of tables and seeds, for the same number of iterations."""
    changes = []
    for number in range(3):
        coded = people(400, number)
        for seed in range(2):
            stop = {"iterations": 6000}
            hot = found(coded, 6, seed, stop=stop)
            cold = found(coded, 6, seed, stop=stop, schedule=1)
            assert (hot.search.schedule, cold.search.schedule) == (6000, 1)
            changes.append(hot.information_loss / cold.information_loss - 1.0)
    assert mean(changes) < -0.005


@pytest.mark.parametrize("iterations", [1, 60, 200, 700])
def test_an_end_while_it_is_hot(iterations):
    """It never loses more than its start, whenever it ends; and its curve never rises."""
    coded = people(200, 5)
    start = found(coded, 5, stop={"iterations": 4000})
    stop = {"iterations": iterations}
    again = found(coded, 5, 1, start.labels, stop=stop, schedule=10**6)
    assert again.information_loss <= start.information_loss
    losses = [loss for _, loss in again.search.curve]
    assert all(b <= a for a, b in pairwise(losses))


def test_cycles_keep_the_best():
    """Many cycles lose less than one, as each begins with the best grouping so far."""
    coded = people(250, 6)
    losses = [
        found(coded, 4, stop={"iterations": count}, schedule=500).information_loss
        for count in (500, 8000)
    ]
    assert losses[1] < losses[0]


@pytest.mark.parametrize("runs", [1, 2])
def test_tiny_tables(runs):
    """Where annealing makes one group of all, the best is returned; what steps gained adds up."""
    ended_as_one = 0
    for seed in range(60):
        rng = np.random.default_rng([seed, 5])
        rows = int(rng.integers(4, 9))
        table = pa.table({name: rng.choice(list("abcd"), rows) for name in "uvw"})
        options = {"stop": {"iterations": 100}, "runs": runs}
        problem = Problem(Nodes(code(read(table))), 2, options=options, seed=seed)
        found = solve(problem, "kaim+", Reporter(None))
        log = found.search
        ended_as_one += log.stopped_by == "nothing to change"
        assert log.loss_end <= log.loss_start + 1e-9
        assert found.information_loss == pytest.approx(log.loss_end)
        if runs == 1:
            gained = sum(part["gain"] for part in log.gains.values())
            assert log.loss_start - gained == pytest.approx(log.loss_end, abs=1e-9)
    assert ended_as_one
