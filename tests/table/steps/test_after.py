"""Steps after grouping: noise, swapping and PRAM keep what they promise to keep."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal import steps
from shoal.errors import RequestError
from shoal.table.assign import with_roles
from shoal.table.roles import Role
from shoal.table.steps.draws import Draws
from shoal.table.steps.sequence import applied, check_kept
from shoal.table.steps.step import Context

SECRET = "ab" * 32


def after(step, table, labels, secret=SECRET):
    """Return a table after a step that knows the groups."""
    return step.apply(table, Context(3, labels=np.array(labels), draws=Draws(secret)))


def sums(values, labels):
    """Return the exact totals of groups."""
    totals = {}
    for value, label in zip(values, labels, strict=True):
        if value is not None:
            totals[label] = totals.get(label, 0) + Fraction(value)
    return totals


CELLS = st.lists(
    st.tuples(st.one_of(st.none(), st.integers(-(10**6), 10**6)), st.integers(0, 6)),
    min_size=3,
    max_size=60,
).filter(lambda rows: any(value is not None for value, _ in rows))


@given(CELLS, st.sampled_from([0.05, 0.5, 3]))
def test_zero_sum_noise_keeps_totals(rows, amount):
    """Totals of groups stay exactly, of whole numbers and of decimals; missing cells stay."""
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    cents = pa.array(values, pa.int64()).cast(pa.decimal128(20, 0))
    cents = pa.array(
        [None if v is None else v / 100 for v in cents.to_pylist()], pa.decimal128(20, 2)
    )
    table = shoal.read(pa.table({"x": pa.array(values, pa.int64()), "c": cents}))
    made = after(steps.Noise(["x", "c"], amount, "zero-sum"), table, labels)
    for name in ("x", "c"):
        before, now = table[name].values.to_pylist(), made[name].values.to_pylist()
        assert sums(now, labels) == sums(before, labels)
        assert [v is None for v in now] == [v is None for v in before]


def test_zero_sum_noise_of_floats():
    """Totals of floats stay up to their last digit, and values move."""
    rng = np.random.default_rng(3)
    table = shoal.read({"x": rng.lognormal(8, 2, 200)})
    labels = np.arange(200) // 5
    made = after(steps.Noise("x", 0.2, "zero-sum"), table, labels)["x"].values.to_numpy()
    before = table["x"].values.to_numpy()
    for label in range(40):
        mine = labels == label
        assert made[mine].sum() == pytest.approx(before[mine].sum(), rel=1e-12)
    assert (made != before).all()


def test_noise_has_the_size_that_is_asked():
    """Additive noise has the standard deviation, multiplicative the mean factor and spread."""
    rng = np.random.default_rng(4)
    values = rng.normal(100, 20, 20_000)
    table, labels = shoal.read({"x": values}), np.zeros(20_000, dtype=int)
    noise = after(steps.Noise("x", 0.3), table, labels)["x"].values.to_numpy() - values
    assert noise.std() == pytest.approx(0.3 * values.std(), rel=0.03)
    assert abs(noise.mean()) < 0.2
    factors = after(steps.Noise("x", 0.3, "multiplicative"), table, labels)["x"].values / values
    assert np.asarray(factors).mean() == pytest.approx(1, abs=0.01)
    assert np.asarray(factors).std() == pytest.approx(0.3, rel=0.03)
    assert (np.asarray(factors) > 0).all()


def test_correlated_noise_keeps_correlations():
    """The noise of several columns has their correlations; missing cells are refused."""
    rng = np.random.default_rng(5)
    x = rng.normal(size=20_000)
    y = 0.8 * x + 0.6 * rng.normal(size=20_000)
    table, labels = shoal.read({"x": x, "y": 10 * y}), np.zeros(20_000, dtype=int)
    made = after(steps.Noise(["x", "y"], 0.5, "correlated"), table, labels)
    noise = [made["x"].values.to_numpy() - x, made["y"].values.to_numpy() - 10 * y]
    assert np.corrcoef(noise)[0, 1] == pytest.approx(np.corrcoef(x, y)[0, 1], abs=0.01)
    assert noise[1].std() == pytest.approx(0.5 * (10 * y).std(), rel=0.03)
    holed = shoal.read({"x": [1, None, 2], "y": [1, 2, 3]})
    with pytest.raises(RequestError, match="cells are missing"):
        after(steps.Noise(["x", "y"], 0.5, "correlated"), holed, [0, 0, 0])


@given(CELLS)
def test_swapping_ranks_keeps_what_groups_hold(rows):
    """Within groups every group keeps its values; anywhere the column does; missing cells stay."""
    values, labels = [value for value, _ in rows], [label for _, label in rows]
    table = shoal.read(pa.table({"x": pa.array(values, pa.int64())}))
    made = after(steps.RankSwap("x"), table, labels)["x"].values.to_pylist()
    assert Counter(zip(made, labels, strict=True)) == Counter(zip(values, labels, strict=True))
    anywhere = after(steps.RankSwap("x", 0.2, "all"), table, labels)["x"].values.to_pylist()
    assert Counter(anywhere) == Counter(values)
    assert [v is None for v in anywhere] == [v is None for v in values]


def test_swapping_ranks_anywhere_stays_near():
    """Two records swap that are at most the share of ranks apart, and most do."""
    values = np.random.default_rng(6).permutation(1_000)
    made = after(steps.RankSwap("x", 0.05, "all"), shoal.read({"x": values}), np.zeros(1_000, int))
    moved = np.abs(np.asarray(made["x"].values) - values)
    assert moved.max() <= 50
    assert (moved > 0).mean() > 0.9


def test_records_are_swapped_between_groups():
    """Columns change places together, between groups, where others agree; marginals stay."""
    rng = np.random.default_rng(7)
    table = shoal.read(
        {"age": np.repeat(np.arange(60), 5), "region": rng.choice(["n", "s"], 300),
         "pay": rng.permutation(300), "rent": np.zeros(300, int)}
    )  # fmt: skip
    rent = pa.array(np.asarray(table["pay"].values) * 2)
    table = table.mapped(lambda c: c.replace(values=rent) if c.name == "rent" else c)
    roles = {"age": Role.QUASI_IDENTIFIER, "region": Role.OTHER, "pay": Role.OTHER}
    table = with_roles(table, roles)
    labels = np.repeat(np.arange(60), 5)
    made = after(steps.RecordSwap(["pay", "rent"], 0.5, ["region"]), table, labels)
    pay, now = np.asarray(table["pay"].values), np.asarray(made["pay"].values)
    assert (np.asarray(made["rent"].values) == 2 * now).all()
    assert sorted(now) == sorted(pay)
    swapped = np.flatnonzero(pay != now)
    assert 0.3 < swapped.size / 300 < 0.6
    place = {value: row for row, value in enumerate(pay.tolist())}
    for row in swapped.tolist():
        other = place[now[row]]
        assert labels[other] != labels[row]
        assert table["region"].values[other] == table["region"].values[row]
        assert abs(labels[other] - labels[row]) < 20


def test_pram_keeps_expected_frequencies():
    """Over 1,000 draws the frequencies are those of the original: chi-square, and exactly on
    average over the matrix."""
    values = ["a"] * 40 + ["b"] * 25 + ["c"] * 10 + [None] * 5
    table, labels = shoal.read({"x": values}), np.zeros(80, int)
    total = Counter()
    for draw in range(1_000):
        secret = f"{draw:064x}"
        made = after(steps.Pram("x", 0.6), table, labels, secret)["x"].values.to_pylist()
        assert made[75:] == [None] * 5
        total.update(value for value in made if value is not None)
    expected = {"a": 40_000, "b": 25_000, "c": 10_000}
    share = np.array([40, 25, 10]) / 75
    matrix = 0.6 * np.eye(3) + 0.4 * share  # every row of the second part is the frequencies
    assert share @ matrix == pytest.approx(share)
    # a record's draw is stays-or-all: its variance is at most that of a draw from all
    chi = sum((total[v] - n) ** 2 / n for v, n in expected.items())
    assert chi < 13.8  # 2 degrees of freedom: p < 0.001 beyond


def test_pram_changes_as_often_as_it_says():
    """A value stays with probability keep, or where its own is drawn."""
    values = np.random.default_rng(8).choice(["a", "b"], 20_000)
    made = after(steps.Pram("x", 0.7), shoal.read({"x": values}), np.zeros(20_000, int))["x"]
    changed = (np.asarray(made.values.to_pylist()) != values).mean()
    assert changed == pytest.approx(0.15, abs=0.01)


def test_steps_in_a_list_draw_different_numbers():
    """The same step twice adds other noise the second time, and the same secret the same again."""
    table = shoal.read({"x": np.zeros(50) + np.arange(50)})
    context = Context(3, labels=np.zeros(50, int), draws=Draws(SECRET))
    once = applied([steps.Noise("x")], table, context)["x"].values.to_numpy() - np.arange(50)
    twice = applied([steps.Noise("x"), steps.Noise("x")], table, context)["x"].values.to_numpy()
    second = twice - once - np.arange(50)
    assert abs(np.corrcoef(once, second)[0, 1]) < 0.5
    again = applied([steps.Noise("x"), steps.Noise("x")], table, context)["x"].values.to_numpy()
    assert (again == twice).all()


def test_only_kept_columns_are_changed_by_chance():
    """What steps after grouping cannot change, or would make or drop, is refused."""
    noise = steps.Noise("pay")
    check_kept([noise, steps.Round("pay", digits=-1)], ["pay"], ["age"])
    with pytest.raises(RequestError, match="move the step before"):
        check_kept([noise, steps.Round("age", digits=-1)], ["pay"], ["age"])
    with pytest.raises(RequestError, match="'pai' is none"):
        check_kept([steps.Noise("pai")], ["pay"], ["age"])
    with pytest.raises(RequestError, match="go before noise"):
        check_kept([noise, steps.Drop("pay")], ["pay"], ["age"])
