"""Survey weights as a knapsack: whose values a weighted mean is made of, and whose home is whose.

The attacker has the release alone, knows of what numbers the values are multiples and between which
they lie, and takes a group for solved if exactly one choice of values gives the released mean.
"""

from __future__ import annotations

import inspect
from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pandas as pd
import pytest

import shoal as library
from shoal.errors import RequestError

GRID = np.arange(18, 66)


def survey(rows=60, values=GRID, seed=0):
    """Integer values as floats, and weights that no two households share."""
    rng = np.random.default_rng(seed)
    home = np.arange(rows) // 2
    return pd.DataFrame(
        {
            "x": rng.choice(values, rows).astype(float),
            "home": [f"h{number}" for number in home],
            "w": rng.uniform(1.0, 40.0, home.max() + 1).round(3)[home],
        }
    )


def asked(**given):
    """Keep the arguments that there are."""
    known = inspect.signature(library.anonymize).parameters
    return {name: value for name, value in given.items() if name in known}


def solutions(values, weights, mean, half):
    """Return the choices of values (one a weight) whose weighted mean is within half a step."""
    total = weights.sum()
    first, second = weights[: len(weights) // 2], weights[len(weights) // 2 :]
    sides = []
    for part in (first, second):
        combos = np.array(list(product(values, repeat=len(part))), dtype=float)
        sides.append((combos, combos @ part))
    (left, sums), (right, others) = sides
    order = np.argsort(others)
    low = np.searchsorted(others[order], (mean - half) * total - sums, "left")
    high = np.searchsorted(others[order], (mean + half) * total - sums, "right")
    found = int((high - low).sum())
    if found != 1:
        return found, None
    at = int(np.flatnonzero(high > low)[0])
    return 1, np.concatenate([left[at], right[order[low[at]]]])


@cache
def multisets(values, size):
    """Return all choices of so many values, whoever has which, one a row."""
    return np.array(list(combinations_with_replacement(values, size)), dtype=float)


def solved(data, released, labels, values, least=1e-9):
    """Return in how many groups the knapsack has one solution, and it is right."""
    means = released["x"].to_numpy(float)
    step = _step(means, least)
    found = 0
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        if rows.size > 4:
            continue
        own = data["x"].to_numpy()[rows]
        shown = released["w"].to_numpy(float) if "w" in released else np.ones(len(released))
        weights = shown[rows]
        if np.ptp(weights) == 0:  # nobody is told apart: what is left is the multiset
            sets = multisets(tuple(values), rows.size)
            many = sets[np.abs(sets.mean(axis=1) - means[rows[0]]) <= step / 2 + 1e-9]
            found += len(many) == 1 and list(many[0]) == sorted(own)
            continue
        count, choice = solutions(values, weights, means[rows[0]], step / 2 + 1e-9)
        found += count == 1 and np.allclose(choice, own)
    return found


def _step(means, least):
    """Return to what the released means seem to be rounded: the attacker looks at them."""
    for step in (1000.0, 100.0, 10.0, 1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01):
        if np.allclose(means / step, np.rint(means / step), atol=1e-9):
            return step
    return least


def attack(data, values=GRID, k=3, frame=None, least=1e-9, **more):
    """Release and solve; nothing where the request is refused."""
    given = {"quasi_identifiers": ["x"], "weight": "w", "drop": ["home"], "method": "mdav", **more}
    try:
        result = library.anonymize(data if frame is None else frame, k=k, **asked(**given))
    except RequestError:
        return 0
    released = pd.DataFrame({c.name: c.values.to_pylist() for c in result.table.columns})
    return solved(data, released, result.partition.labels, values, least)


def test_floats_of_a_dataframe():
    """Ages are floats of a dataframe: all digits of Σwx/Σw and the weights tell every one."""
    assert attack(survey()) == 0


def test_all_digits_asked_for():
    """`decimals="none"` would release all digits of means of whole numbers."""
    data = survey(seed=1)
    assert attack(data, frame=data.astype({"x": int}), decimals="none") == 0


def test_all_digits_of_one_column():
    """The same, asked of the column by name."""
    data = survey(seed=2)
    assert attack(data, frame=data.astype({"x": int}), decimals={"x": "none"}) == 0


def test_all_digits_in_a_csv_file(tmp_path, shoal):
    """`--weight w --decimals none` on the command line."""
    data = survey(seed=3)
    data.astype({"x": int}).to_csv(tmp_path / "t.csv", index=False)
    ran = shoal(
        "anonymize", tmp_path / "t.csv", "-k", "3", "--quasi", "x", "--weight", "w", "--drop",
        "home", "--decimals", "none", "--method", "mdav", "--keep-order", "--no-report",
        "-o", tmp_path / "r.csv",
    )  # fmt: skip
    if ran.code == 0:
        released = pd.read_csv(tmp_path / "r.csv")
        labels = pd.factorize(released.x)[0]
        assert solved(data, released, labels, GRID) == 0
    assert ran.code in (0, 2)


def test_doubles_of_a_parquet_file(tmp_path):
    """Whole numbers that a Parquet file holds as doubles."""
    data = survey(seed=4)
    data.to_parquet(tmp_path / "t.parquet")
    assert attack(data, frame=tmp_path / "t.parquet") == 0


def test_short_floats():
    """Floats of 32 bits, whose means have seven digits."""
    values = np.arange(100, 130)
    data = survey(values=values, seed=5)
    assert attack(data, values, frame=data.astype({"x": np.float32}), least=1e-5) == 0


def test_values_in_thousands():
    """Incomes are whole thousands: digits of a mean below a thousand say more than the data."""
    values = np.arange(20, 60) * 1000
    data = survey(values=values, seed=7)
    assert attack(data, values, frame=data.astype({"x": int})) == 0


def test_computed_floats():
    """Degrees Celsius of whole degrees Fahrenheit have all digits, and few values."""
    values = (np.arange(90, 110) - 32) * 5 / 9
    data = survey(values=values, seed=8)
    assert attack(data, values) == 0


def test_computed_floats_in_a_csv_file(tmp_path):
    """The same, written out with 13 decimals."""
    values = np.round((np.arange(90, 110) - 32) * 5 / 9, 13)
    data = survey(values=values, seed=9)
    data.to_csv(tmp_path / "t.csv", index=False)
    assert attack(data, values, frame=tmp_path / "t.csv") == 0


@pytest.mark.parametrize("way", ["exact", "rounded:0.001", "rounded:5"])
def test_weights_that_are_not_means(way):
    """Even where own weights are asked for, rounded means do not tell whose values they are."""
    more = {"weights_as": way, "keep_unique": ["w"]}
    assert attack(survey(seed=10), **more) == 0


@pytest.mark.parametrize("way", [None, "mean", "drop"])
def test_households_put_together_again(way):
    """Members of a household share a weight: who else has it, is of the same home."""
    data = survey(rows=120, seed=11)
    result = library.anonymize(
        data, k=3, quasi_identifiers=["x"], drop=["home"], weight="w", method="mdav",
        **asked(weights_as=way),
    )  # fmt: skip
    released = result.data
    found = 0
    if "w" in released:
        for _, rows in released.groupby("w"):
            found += len(rows) > 1 and set(rows.index) == set(
                np.flatnonzero(data.home == data.home[rows.index[0]])
            )
    assert found == 0


def test_records_told_apart_by_weight():
    """Who knows a person's weight and class finds the record."""
    data = survey(rows=120, seed=12)
    data["w"] = np.random.default_rng(0).uniform(1.0, 40.0, 120).round(3)
    result = library.anonymize(
        data, k=3, quasi_identifiers=["x"], drop=["home"], weight="w", method="mdav"
    )
    assert result.data.groupby(["x", "w"]).size().min() >= 3
