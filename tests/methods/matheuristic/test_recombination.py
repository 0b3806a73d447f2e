"""Recombination of groupings on trees, and `best` there: never worse, repeatable, anytime."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from naive.recombining import blocks as plain_blocks
from naive.recombining import by_blocks, least_choice
from pacing import paced
from shoal.errors import RequestError
from shoal.measures.generalization import loss_rate
from shoal.methods.ils.recombine import Grouping, blocks, crossed, recombined
from shoal.methods.matheuristic.best_on_trees import chosen
from shoal.partition import rows_of_groups
from shoal.progress import Reporter, StopToken
from shoal.table.encode_nodes import code
from shoal.table.read import read

ROWS = 130


def made(rows=ROWS, seed=3):
    """Records with two texts, a code and two numbers, some of them missing."""
    rng = np.random.default_rng(seed)
    center = rng.integers(0, 12, rows)
    holes = rng.random(rows) < 0.05
    return pa.table({
        "town": np.char.add("t", ((center + rng.integers(0, 3, rows)) % 9).astype(str)),
        "sex": rng.choice(["f", "m"], rows),
        "code": (1000 + 37 * (center * 3 + rng.integers(0, 4, rows))).astype(str),
        "age": pa.array(20 + 4 * center + rng.integers(0, 9, rows), mask=holes),
        "pay": np.round(1000 + 100 * center + rng.normal(size=rows) * 90),
    })  # fmt: skip


TABLE = made()


def drawn(rng, rows, k, near):
    """A random grouping into groups of k or more that follows another order, with its losses."""
    values = np.arange(rows) / 3.0
    order = np.argsort(values + rng.normal(size=rows) * near, kind="stable")
    labels = np.empty(rows, dtype=np.int64)
    labels[order] = np.minimum(np.arange(rows) // k, rows // k - 1)
    labels = rng.permutation(labels.max() + 1)[labels]
    return Grouping(labels, shares(labels))


def cost(group):
    """What a group of rows costs: its width, for every member, and something of its own."""
    return len(group) * (max(group) - min(group)) + (sum(group) * 7919 % 13) / 5


def shares(labels):
    """Every record's share in what its group costs."""
    own = np.array([cost(group.tolist()) / group.size for group in rows_of_groups(labels)])
    return own[labels]


def as_lists(labels):
    return [group.tolist() for group in rows_of_groups(labels)]


def test_blocks_are_those_of_plain_search():
    """Blocks of random groupings are the connected sets, and each takes the cheaper side."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        rows, k = int(rng.integers(4, 40)), int(rng.integers(2, 5))
        some = [drawn(rng, rows, min(k, rows), near) for near in rng.uniform(0, 2, 2)]
        found = blocks([one.labels for one in some])
        lists = [as_lists(one.labels) for one in some]
        assert {frozenset(block) for block in as_lists(found)} == plain_blocks(lists)
        joined, taken = crossed(*some)
        assert joined.loss == pytest.approx(by_blocks(*lists, cost))
        assert joined.shares == pytest.approx(shares(joined.labels))
        assert (taken == 0) == (joined is some[0])
        assert np.bincount(joined.labels).min() >= min(k, rows)
        assert recombined(some)[0].loss <= min(one.loss for one in some) + 1e-9


def test_the_programme_finds_the_best_choice():
    """Of all groupings that groups of several make, the one chosen costs least."""
    better = 0
    for seed in range(25):
        rng = np.random.default_rng(seed)
        rows = int(rng.integers(6, 16))
        some = [drawn(rng, rows, 2, near) for near in rng.uniform(0.2, 1.5, 4)]
        best, _ = recombined(some)
        found = chosen(best, some, lambda: None, 1)
        least = least_choice([as_lists(one.labels) for one in some], rows, cost)
        assert found.loss == pytest.approx(least)
        assert found.shares == pytest.approx(shares(found.labels))
        better += found.loss < best.loss - 1e-6
    assert better > 0
    assert chosen(best, some, lambda: 0.0, 1).loss == best.loss  # no time is left


def test_runs_lose_no_more_than_each_alone():
    """Several runs of kaim+ are recombined; their labels do not depend on threads."""
    several = [
        shoal.microaggregate(TABLE, 3, method="kaim+", max_iterations=60, runs=3, threads=threads)
        for threads in (1, 2)
    ]
    assert np.array_equal(several[0].labels, several[1].labels)
    one = shoal.microaggregate(TABLE, 3, method="kaim+", max_iterations=60)
    assert several[0].information_loss <= one.information_loss + 1e-9
    log = several[0].search
    assert log.runs == 3
    assert log.complete
    assert log.gains["recombine"]["gain"] >= 0.0
    assert log.loss_end == pytest.approx(several[0].information_loss)


@pytest.mark.slow
def test_best_on_trees():
    """Never more loss than a search; its bound is below, and threads do not matter."""
    found = [
        shoal.microaggregate(TABLE, 3, method="best", max_iterations=1, seed=5, threads=threads)
        for threads in (1, 2)
    ]
    assert np.array_equal(found[0].labels, found[1].labels)
    assert found[0].search.curve == found[1].search.curve
    one = found[0]
    assert one.sizes.min() >= 3
    assert one.loss_name == "ILoss rate, percent"
    assert one.information_loss == pytest.approx(loss_rate(code(read(TABLE)), one.labels))
    assert one.information_loss == pytest.approx(one.search.loss_end)
    assert 0 < one.bound.information_loss <= one.information_loss
    begun = shoal.microaggregate(TABLE, 3, method="best", max_iterations=0, seed=5)
    assert one.information_loss <= begun.information_loss
    from_there = shoal.microaggregate(
        TABLE, 3, method="best", max_iterations=0, start=np.array(one.labels)
    )
    assert from_there.information_loss <= one.information_loss + 1e-9
    with pytest.raises(RequestError, match="start of best"):
        shoal.microaggregate(TABLE, 3, method="best", start="mdav")


@pytest.mark.parametrize("how", ["time", "interrupt", "target"])
def test_best_on_trees_ends_with_its_best(how):
    """A limit of any kind ends it between or within rounds, with groups that are whole."""
    calls, stop = [], StopToken()

    def callback(progress):
        if progress.best_loss is not None:
            calls.append(progress)
            stop.finish = how == "interrupt"

    limits = {"time": {"time_limit": 0.3}, "target": {"search": {"stop": {"target": 99.0}}}}
    found = shoal.microaggregate(
        TABLE, 4, method="best", callback=Reporter(callback, stop),
        **limits.get(how, {"max_iterations": 60}),
    )  # fmt: skip
    assert found.search.stopped_by == {"time": "time limit"}.get(how, how)
    assert found.sizes.min() >= 4
    assert calls


def test_best_on_trees_keeps_constraints():
    """Groups that are recombined keep l, as those did that they are of."""
    sensitive = np.random.default_rng(0).choice(["a", "b", "c"], ROWS)
    data = TABLE.append_column("illness", pa.array(sensitive))
    released = shoal.anonymize(
        data, k=3, l=2, sensitive="illness", quasi_identifiers=TABLE.column_names, method="best",
        max_iterations=0,
    )  # fmt: skip
    for group in released.partition.members():
        assert np.unique(sensitive[group]).size >= 2


def test_best_effort_makes_several_runs():
    """`auto` by best effort loses no more than by normal effort, and says what it ran."""
    with paced(pooled=2e-5):
        normal, best = (
            shoal.microaggregate(made(60), 3, method="auto", effort=effort)
            for effort in ("normal", "best")
        )
    assert best.information_loss <= normal.information_loss
    assert "5 searches of up to" in best.reason
