"""Series of releases against an attacker who has all of them."""

from __future__ import annotations

import pytest

from naive.differencing import left_for
from naive.series import candidates, possible
from series_tables import one_comes_or_goes, random_series, release_all, release_alone

ROUNDS, ALL_ROUNDS = 6, 500


def fewest(releases):
    """Return how many values the attacker leaves for the person with the fewest."""
    left = possible([(people, values) for one in releases for people, values, _ in one])
    return min(len(values) for values in left.values())


def attack(seed, folder):
    """Release a random series under a ledger; return the fewest values left, and the releases."""
    least = 2 + seed % 2
    tables = random_series(seed, values="abcde" if least == 3 else "abcd")
    releases, _ = release_all(tables, folder / f"{seed}.ledger", least=least)
    return least, fewest(releases), releases


def test_nobody_is_left_with_fewer_than_l_values(tmp_path):
    """Whoever has all releases of a series finds at least l values possible for everybody."""
    released = 0
    for seed in range(ROUNDS):
        least, left, releases = attack(seed, tmp_path)
        assert left >= least, seed
        assert all(len(people) >= 3 for one in releases for people, _, _ in one)
        released += len(releases)
    assert released > ROUNDS  # not all were refused


def followed(releases):
    """Return how many records of a last class kept values leave for each person, and 0 for none."""
    seen = {}
    for release in releases:
        for people, _, towns in release:
            for person in people:
                seen.setdefault(person, []).append(towns)
    return [
        candidates(classes[:last])
        for classes in seen.values()
        for last in range(2, len(classes) + 1)
    ]


@pytest.mark.slow
def test_kept_columns_join_no_fewer_than_k_in_many_series(tmp_path):
    """In five hundred series kept columns leave k records or none, by sets l values or more."""
    for seed in range(ALL_ROUNDS):
        tables = random_series(seed, kept=3)
        path = tmp_path / f"{seed}.ledger"
        releases, _ = release_all(tables, path, other=["town"], model="sets")
        assert all(left == 0 or left >= 3 for left in followed(releases)), seed
        shared = {}
        for people, values, _ in (one for release in releases for one in release):
            for person in people:
                shared[person] = shared.get(person, set(values)) & set(values)
        assert all(len(values) >= 2 for values in shared.values()), seed


@pytest.mark.slow
def test_nobody_is_left_with_fewer_than_l_values_in_many_series(tmp_path):
    """It is so in five hundred series."""
    for seed in range(ROUNDS, ALL_ROUNDS):
        least, left, _ = attack(seed, tmp_path)
        assert left >= least, seed


@pytest.mark.slow
def test_the_attacker_succeeds_on_independent_releases():
    """Releases that know nothing of each other give somebody away: the attack can succeed."""
    broken = sum(
        1 for seed in range(6) if fewest(release_alone(random_series(seed, values="abcd"))) < 2
    )
    assert broken >= 3


def test_classes_of_a_person_share_l_values(tmp_path):
    """By sets, all classes of a person have at least l values in common."""
    several = 0
    for seed in range(4):
        path = tmp_path / f"{seed}.ledger"
        releases, _ = release_all(random_series(seed, values="abcd"), path, model="sets")
        shared = {}
        for people, values, _ in (one for release in releases for one in release):
            for person in people:
                several += person in shared
                shared[person] = shared.get(person, set(values)) & set(values)
        assert all(len(values) >= 2 for values in shared.values())
    assert several


def test_kept_columns_join_no_fewer_than_k(tmp_path):
    """Records that a kept column joins over the releases of a person are at least k, or none."""
    joins = 0
    for seed in range(4):
        tables = random_series(seed, kept=3)
        path = tmp_path / f"{seed}.ledger"
        releases, _ = release_all(tables, path, least=None, other=["town"])
        left = followed(releases)
        assert all(one == 0 or one >= 3 for one in left)
        joins += sum(one > 0 for one in left)
    assert joins


def test_kept_columns_join_records_of_independent_releases():
    """Releases that know nothing of each other leave somebody fewer than k records."""
    broken = 0
    for seed in range(4):
        releases = release_alone(random_series(seed, kept=3), least=None, other=["town"])
        broken += any(0 < left < 3 for left in followed(releases))
    assert broken >= 3


def subtracted(seeds, folder, **asked):
    """Return for each series how many values subtracting leaves for the person with the fewest."""
    fewest = []
    for seed in seeds:
        releases, _ = release_all(one_comes_or_goes(seed), folder / f"{seed}.ledger", **asked)
        left = left_for([[one[:2] for one in classes] for classes in releases])
        fewest.append(min(map(len, left.values())))
    return fewest


SAFE = [{"model": "worlds"}, {"model": "worlds", "counterfeits": 0.2}]
DIFFERENCED = 200
MANY = [range(9), pytest.param(range(9, DIFFERENCED), marks=pytest.mark.slow)]


@pytest.mark.parametrize("seeds", MANY, ids=["few", "many"])
@pytest.mark.parametrize("asked", SAFE, ids=["worlds", "counterfeits"])
def test_who_subtracts_learns_nothing(asked, seeds, tmp_path):
    """Where one person joins or leaves, or many do, l values stay possible for everybody."""
    assert min(subtracted(seeds, tmp_path, **asked)) >= 2


@pytest.mark.parametrize("seeds", MANY, ids=["few", "many"])
def test_who_subtracts_breaks_the_weaker_promise(seeds, tmp_path):
    """By sets somebody's value is learned in nearly every series: the attack can succeed."""
    fewest = subtracted(seeds, tmp_path, model="sets")
    assert fewest.count(1) > 0.9 * len(fewest)
