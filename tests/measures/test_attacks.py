"""Attacks on a release that measures must see, each on data where the answer is known."""

from __future__ import annotations

import math
import random
from collections import Counter

import pyarrow as pa
import pytest

import shoal
from measured_tables import by_group, exact_mean
from naive import measuring as naive


def table(rows, names="abcdefgh"):
    """Rows as an Arrow table."""
    return pa.table({names[j]: [row[j] for row in rows] for j in range(len(rows[0]))})


def rows_of(arrow):
    """An Arrow table as rows."""
    return [list(row) for row in zip(*(c.to_pylist() for c in arrow.columns), strict=True)]


def risks(original, release, **options):
    """The risks of a release whose rows are those of the original."""
    options = {"quasi_identifiers": original.column_names, **options}
    return shoal.measure(original, release, rows="same", **options).risk


# --- a model that is trained on the release guesses the sensitive value (Kifer 2009)


def patients(seed, rows=1000):
    """Words, numbers in groups of five, and a diagnosis that follows the words four times of 5."""
    rng = random.Random(seed)
    words = [rng.choice("uvwx") for _ in range(rows)]
    ages = [rng.randint(18, 90) for _ in range(rows)]
    follows = {"u": "a", "v": "a", "w": "b", "x": "c"}
    sick = [
        follows[word] if rng.random() < 0.8 else rng.choices("abc", (60, 25, 15))[0]
        for word in words
    ]
    labels = [0] * rows
    for place, i in enumerate(sorted(range(rows), key=lambda i: (words[i], ages[i]))):
        labels[i] = place // 5
    released = by_group(labels, ages, exact_mean)
    return {"word": words, "age": ages}, {"word": words, "age": released}, sick


def guessed(before, after, sick):
    """How much oftener a model guesses than the base rate, in percent."""
    found = risks(
        pa.table({**before, "sick": sick}),
        pa.table({**after, "sick": sick}),
        quasi_identifiers=["word", "age"],
        sensitive=["sick"],
    )
    return found["model_inference"].value


@pytest.mark.parametrize("seed", range(4))
def test_model_guesses_what_was_planted(seed):
    """A diagnosis that follows the words is guessed well above the base rate."""
    before, after, sick = patients(seed)
    base = max(Counter(sick).values()) / len(sick)
    best = sum(  # who knows the words guesses the most frequent diagnosis of each
        max(Counter(s for s, w in zip(sick, before["word"], strict=True) if w == word).values())
        for word in "uvwx"
    ) / len(sick)
    gain = guessed(before, after, sick)
    assert gain > 0
    assert gain == pytest.approx(100 * (best - base), abs=2)


@pytest.mark.parametrize("seed", range(4))
def test_model_guesses_nothing_where_nothing_is(seed):
    """With the diagnoses shuffled the gain is 0 within three standard errors of the accuracy."""
    before, after, sick = patients(seed)
    random.Random(seed).shuffle(sick)
    base = max(Counter(sick).values()) / len(sick)
    sigma = 100 * math.sqrt(base * (1 - base) / len(sick))
    assert abs(guessed(before, after, sick)) <= 3 * sigma


# --- columns grouped one by one (Nin and Torra 2009; Domingo-Ferrer and Mateo-Sanz 2002)


@pytest.fixture(scope="module")
def tarragona():
    """834 companies of the reference table."""
    loaded = shoal.datasets.load("tarragona")
    return pa.table({column.name: column.values for column in loaded.columns})


@pytest.mark.reference
def test_columns_grouped_one_by_one(tarragona):
    """Tarragona's columns grouped apart, k = 3: nearly all are linked, some are alone."""
    found = risks(tarragona, shoal.microaggregate_columns(tarragona, 3).data)
    assert found["distance_linkage"].value > 99
    assert found["distance_linkage"].value == pytest.approx(99.6, abs=0.5)
    assert found["prosecutor"].value == 100


@pytest.mark.reference
def test_columns_grouped_together(tarragona):
    """Tarragona's records grouped by MDAV, k = 3: fewer than a third are linked."""
    found = risks(tarragona, shoal.anonymize(tarragona, k=3, method="mdav").data)
    assert found["distance_linkage"].value == pytest.approx(28.5, abs=0.5)
    assert found["distance_linkage"].value < 100 / 3
    assert found["prosecutor"].value == pytest.approx(100 / 3)


# --- the nearest record (Pagliuca and Seri 1999)


def random_numbers(seed, rows, width=3):
    """Numbers of which no two records are equal."""
    rng = random.Random(seed)
    return [[round(rng.gauss(50, 20), 3) for _ in range(width)] for _ in range(rows)]


@pytest.mark.parametrize("seed", range(3))
def test_identity_is_linked(seed):
    """A release of the records as they are links all of them, by distance, ranks and blocks."""
    rows = [[*row, "uvw"[i % 3]] for i, row in enumerate(random_numbers(seed, 120))]
    assert len({tuple(row) for row in rows}) == len(rows)
    found = risks(table(rows), table(rows))
    for key in ("distance_linkage", "rank_linkage", "block_linkage", "prosecutor"):
        assert found[key].value == pytest.approx(100), key


def test_identity_of_pairs_is_linked_half():
    """Where every record is there twice, who finds it still has to choose: 50 %."""
    rows = random_numbers(7, 60) * 2
    assert risks(table(rows), table(rows))["distance_linkage"].value == pytest.approx(50)


@pytest.mark.parametrize("k", [3, 5, 10])
def test_groups_are_linked_once_in_k(k):
    """Records grouped together are linked at most once in k, and as often as brute force says."""
    original = table(random_numbers(k, 200))
    release = shoal.anonymize(original, k=k, method="mdav").data
    found = risks(original, release)["distance_linkage"].value
    wanted = naive.distance_linkage(rows_of(original), rows_of(release), [True] * 3)
    assert found == pytest.approx(wanted)
    assert 0 < found <= 100 / k + 1e-9


def test_a_sample_of_groups_is_linked_once_in_k():
    """So it is with a sample of the records, within three standard errors."""
    original = table(random_numbers(1, 600))
    release = shoal.anonymize(original, k=5, method="mdav").data
    whole = risks(original, release)["distance_linkage"].value
    for seed in range(5):
        part = risks(original, release, sample=150, seed=seed)["distance_linkage"]
        sigma = 100 * math.sqrt(0.2 * 0.8 / 150)
        assert part.sampled == 150
        assert part.value <= 100 / 5 + 3 * sigma
        assert abs(part.value - whole) <= 3 * sigma


# --- attacks that know how the release was made (Nin, Herranz and Torra 2008)


def heavy(seed, rows, width, sigma):
    """Numbers with long tails, all different."""
    rng = random.Random(seed)
    columns = [[rng.lognormvariate(0, sigma) for _ in range(rows)] for _ in range(width)]
    assert all(len(set(column)) == rows for column in columns)
    return columns


def grouped_apart(columns, k):
    """The means of k neighbors in each column."""
    found = []
    for values in columns:
        labels = [0] * len(values)
        for place, i in enumerate(sorted(range(len(values)), key=values.__getitem__)):
            labels[i] = min(place // k, len(values) // k - 1)
        found.append(by_group(labels, values, exact_mean))
    return found


@pytest.mark.parametrize("seed", range(3))
def test_groups_of_columns_point_to_the_record(seed):
    """Of columns grouped apart, what all groups point to is right oftener than the nearest."""
    columns = heavy(seed, 90, 4, 2.0)
    before, after = (
        [list(row) for row in zip(*part, strict=True)]
        for part in (columns, grouped_apart(columns, 10))
    )
    found = risks(table(before), table(after))
    wanted = naive.block_linkage(before, after, [True] * 4)
    assert found["block_linkage"].value == pytest.approx(wanted)
    assert found["block_linkage"].value > found["distance_linkage"].value + 5


def swapped(rng, values, window):
    """Values exchanged in pairs that are at most so many ranks apart."""
    order = sorted(range(len(values)), key=values.__getitem__)
    left, found = list(range(len(values))), list(values)
    while left:
        first = left.pop(0)
        near = [place for place in left if place - first <= window]
        if near:
            other = rng.choice(near)
            left.remove(other)
            one, two = order[first], order[other]
            found[one], found[two] = values[two], values[one]
    return found


@pytest.mark.parametrize("seed", range(3))
def test_swapped_ranks_are_recovered(seed):
    """Where only the own record is within the window in all columns, ranks recover every one."""
    rows, window = 150, 4
    columns = heavy(seed, rows, 5, 3.0)
    rng = random.Random(seed)
    released = [swapped(rng, values, window) for values in columns]
    ranks = [[naive.ranks(values) for values in part] for part in (columns, released)]
    for i in range(rows):
        fits = [
            j
            for j in range(rows)
            if all(abs(a[i] - b[j]) * rows <= window for a, b in zip(*ranks, strict=True))
        ]
        assert fits == [i]
    before, after = ([list(row) for row in zip(*part, strict=True)] for part in (columns, released))
    found = risks(table(before), table(after))
    assert found["rank_linkage"].value == pytest.approx(100)
    assert found["distance_linkage"].value < found["rank_linkage"].value
    assert found["sample_uniques"].value == 100


# --- who knows all others of a group finds the last (Hundepool and others 2012, section 4.2)


def recovered(original, release, tolerances):
    """The share of numbers that mean · m - others tells, by doing it."""
    right = every = 0
    groups = {}
    for i, row in enumerate(release):
        groups.setdefault(tuple(row), []).append(i)
    for members in groups.values():
        for j, tolerance in enumerate(tolerances):
            for i in members:
                others = math.fsum(original[other][j] for other in members if other != i)
                told = len(members) * release[i][j] - others
                right += abs(told - original[i][j]) < tolerance
                every += 1
    return 100 * right / every


def whole_numbers(seed, rows=90):
    """Whole numbers in two columns."""
    rng = random.Random(seed)
    return [[rng.randint(0, 500), rng.randint(10, 60)] for _ in range(rows)]


@pytest.mark.parametrize("seed", range(3))
def test_unrounded_means_tell_the_last(seed):
    """Means as they are tell every number, of whole numbers and of floats."""
    for original in (whole_numbers(seed), random_numbers(seed, 90)):
        labels = shoal.microaggregate(table(original), 4).labels.tolist()
        columns = [by_group(labels, values, exact_mean) for values in zip(*original, strict=True)]
        release = [list(row) for row in zip(*columns, strict=True)]
        found = risks(table(original), table(release))
        assert found["known_members"].value == 100


@pytest.mark.parametrize("seed", range(3))
def test_rounded_means_hide_the_last(seed):
    """Means rounded to whole numbers tell what the attack finds, and not all."""
    original = table(whole_numbers(seed))
    release = shoal.anonymize(original, k=4, method="mdav").data
    wanted = recovered(rows_of(original), rows_of(release), [0.5, 0.5])
    found = risks(original, release)["known_members"].value
    assert found == pytest.approx(wanted)
    assert 0 < found < 60


@pytest.mark.parametrize("seed", range(3))
def test_rounded_floats_hide_the_last(seed):
    """Floats released with fewer digits tell what the attack finds, far from all."""
    original = table(random_numbers(seed, 90))
    columns = list(zip(*rows_of(original), strict=True))
    tolerances = [1e-9 * naive.spread(values) for values in columns]
    for decimals, most in ((1, 10), (3, 60)):
        released = shoal.anonymize(original, k=4, method="mdav", decimals=decimals).data
        wanted = recovered(rows_of(original), rows_of(released), tolerances)
        found = risks(original, released)["known_members"].value
        assert found == pytest.approx(wanted)
        assert found < most
