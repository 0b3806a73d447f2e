"""Counterfeits: records of nobody in the places of people who left, within what is allowed."""

from __future__ import annotations

import pytest

from naive.series import possible
from series_tables import random_series, release_all, settings_for
from shoal.errors import RequestError
from shoal.series.ledger import Ledger
from shoal.settings import build

ROUNDS, ALL_ROUNDS = 3, 200


def attack(seed, folder, share):
    """Release a random series; return the fewest values and people left, and what was counted."""
    path = folder / f"{seed}-{share}.ledger"
    tables = random_series(seed, values="abcd")
    releases, refused = release_all(tables, path, counterfeits=share)
    left = possible([(people, values) for one in releases for people, values, _ in one])
    real = {person for table in tables for person in table["id"]}
    sizes = [len(real & set(people)) for one in releases for people, _, _ in one]
    entries = Ledger.load(path).releases
    shown = sum(len(real & set(people)) for one in releases for people, _, _ in one)
    made = sum(len(one.roll.counterfeits) for one in entries)
    return min(len(left[one]) for one in left), min(sizes), made, shown, refused


def test_people_are_shown_beside_counterfeits(tmp_path):
    """More people are shown than without, at least l values stay possible, and k people a class."""
    every = 0
    more = 0
    for seed in range(ROUNDS):
        _, _, none, before, _ = attack(seed, tmp_path, 0.0)
        fewest, smallest, made, shown, refused = attack(seed, tmp_path, 0.3)
        assert none == 0
        assert fewest >= 2, seed
        assert smallest >= 3, seed
        every += made
        more += 0 if refused else shown - before
    assert every > 0
    assert more > 0


@pytest.mark.slow
def test_counterfeits_in_many_series(tmp_path):
    """It is so in many series."""
    for seed in range(ROUNDS, ALL_ROUNDS):
        fewest, smallest, *_ = attack(seed, tmp_path, 0.3)
        assert fewest >= 2, seed
        assert smallest >= 3, seed


def test_no_more_are_made_than_are_allowed(tmp_path):
    """One counterfeit a release is the most that a 1 allows."""
    releases, _ = release_all(
        random_series(0, values="abcd"), tmp_path / "s.ledger", counterfeits=1
    )
    made = [len(one.roll.counterfeits) for one in Ledger.load(tmp_path / "s.ledger").releases]
    assert len(made) == len(releases)
    assert max(made) <= 1


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ({"series": {"over_series": "sets"}}, "over_series"),
        ({"series": {"counterfeits": 1.5}}, "whole number"),
        ({"protect": {"t": 0.3}}, "not made with"),
        ({"protect": {"l_kind": "entropy"}}, "different values"),
        ({"release": {"keep_order": True}}, "not made with"),
    ],
)
def test_what_counterfeits_could_break_is_refused(part, said):
    """Counterfeits come with worlds and distinct l alone, and never in the input's order."""
    tree = settings_for("s.ledger", counterfeits=0.1).model_dump(exclude_none=True)
    tree = {name: {**tree[name], **part.get(name, {})} for name in ("roles", "protect", "series")}
    with pytest.raises(RequestError, match=said):
        build({**tree, **{name: own for name, own in part.items() if name not in tree}})
