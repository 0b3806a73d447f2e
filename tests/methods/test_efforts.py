"""More effort never loses more, for one seed, whatever the table."""

from __future__ import annotations

import tomllib
from functools import partial

import numpy as np
import pandas as pd
import pytest

import shoal
from pacing import paced
from shoal.methods import auto
from shoal.pipeline.anonymize import anonymize_with
from shoal.settings import build
from thorough import spread

EFFORTS = list(auto.EFFORTS)


def test_last_looks_of_wide_tables_are_limited():
    """Shifts and swaps of a wide table end after a number of looks, of others with nothing to gain;
    at least so many for each record, and more with more effort."""
    for effort in EFFORTS:
        assert "looks" not in auto.choose_mixed(2_000, auto.WIDE, 5, effort).options
    looks = [auto.choose_mixed(2_000, auto.WIDE + 1, 5, one).options["looks"] for one in EFFORTS]
    assert looks == sorted(looks)
    assert looks[0] < looks[-1]
    wider = auto.choose_mixed(2_000, 4 * auto.WIDE, 5, "best").options["looks"]
    assert auto.LEAST_LOOKS * 2_000 <= wider < looks[-1]


def numbers(seed, rows):
    """A table of numbers, in clusters."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(6, 3))[rng.integers(0, 6, rows)] * 4 + rng.normal(size=(rows, 3))


def mixed(seed, rows):
    """A table with texts and missing cells."""
    rng = np.random.default_rng(seed)
    town = rng.choice(["north", "south", "east", "west", None], rows)
    job = rng.choice([f"job {i}" for i in range(9)], rows)
    return pd.DataFrame({"age": rng.integers(18, 90, rows), "town": town, "job": job})


@pytest.mark.parametrize("table", [numbers, mixed])
@pytest.mark.parametrize("seed", range(3))
def test_more_effort_never_loses_more(table, seed):
    """The loss of best is at most that of normal, and that at most that of quick."""
    data = table(seed, 90)
    find = partial(shoal.microaggregate, data, 4, method="auto", seed=seed)
    found = [find(effort=effort) for effort in EFFORTS]
    losses = [one.information_loss for one in found]
    assert losses[2] <= losses[1] <= losses[0]
    assert np.array_equal(found[2].labels, find(effort="best").labels)


@pytest.mark.parametrize("seed", range(3))
def test_more_effort_by_trees_never_loses_more(seed):
    """Released cells lose no more by more effort, and best goes on where normal gave up."""
    data = mixed(seed, 80)
    find = partial(shoal.anonymize, data, k=4, quasi_identifiers=list(data.columns), seed=seed)
    found = [find(effort=effort).report for effort in EFFORTS]
    losses = [one.information_loss for one in found]
    assert losses[2] <= losses[1] <= losses[0]


def test_what_less_effort_finds_is_kept():
    """Where a smaller effort is luckier, the larger one returns what it found."""
    data = numbers(5, 120)
    with paced(efforts={"quick": 20.0, "normal": 1e-9, "best": 1e-9}):
        quick, normal, best = (
            shoal.microaggregate(data, 3, method="auto", effort=effort) for effort in EFFORTS
        )
    assert np.array_equal(quick.labels, normal.labels)
    assert best.information_loss <= quick.information_loss
    assert "effort normal" in normal.reason


def test_a_search_by_trees_uses_its_time():
    """It is annealed over its iterations, and does not end when nothing was found for a while."""
    for effort in EFFORTS:
        assert list(auto.choose_mixed(60, 3, 3, effort).options["stop"]) == ["iterations"]


@pytest.mark.parametrize("effort", EFFORTS)
def test_effort_by_trees_grows_with_the_records(effort):
    """By the square root up to a thousand records, beyond by the power 3/4; best has twice that."""
    part = auto.pace().efforts[effort] / (7 if effort == "best" else 14) / auto.pace().pooled
    for rows, times in ((250, 0.5), (1000, 1.0), (16_000, 8.0)):
        options = auto.choose_mixed(rows, 8, 3, effort).options
        iterations = options["stop"]["iterations"] * options.get("runs", 1)  # of all runs
        assert iterations == pytest.approx(max(100, times * part / (3 * 8)), abs=5)


@pytest.mark.parametrize("effort", spread(["quick", "normal", "best"], 2))
@pytest.mark.parametrize("texts", [False, True])
def test_recipes_of_all_efforts_repeat_their_run(effort, texts):
    """The settings that a run leaves give the same groups again, also where efforts go on."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(120, 3)).round(2), columns=list("abc"))
    if texts:
        frame["d"] = rng.choice(list("xyz"), 120)
    found = shoal.anonymize(frame, k=3, effort=effort)
    again = anonymize_with(frame, build(tomllib.loads(found.settings.to_toml())))
    assert again.partition.labels.tolist() == found.partition.labels.tolist()
