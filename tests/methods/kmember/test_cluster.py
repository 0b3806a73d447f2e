"""kaim and k-member: against twins that know no kernel, on small tables of every kind."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import shoal
from mixed_tables import random_table
from naive import mixed as twin
from shoal.methods.kmember.build import build
from shoal.methods.kmember.cluster import FARTHEST, ORDERED, RANDOM, _grow, cluster
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.read import read
from thorough import spread

QUIET = Reporter(None)


def grown(coded, k, form, start, seed, weights=None, survey=None):
    """The first records of all groups, as rows, and the order of the left-over ones."""
    forest, records = build(coded, form, weights, survey)
    rng = np.random.default_rng(seed)
    random = np.array([rng.integers(1, 2**63)], dtype=np.uint64)
    _, taken = _grow(forest, records, k, start, random, QUIET)
    return [int(row) for row in taken[::k]], records.which.tolist(), rng


def follow(starts, which):
    """A rule that starts the twin's groups with the records that started ours."""
    turn = iter(starts)

    def start(remaining):
        wanted = next(turn)
        return next(row for row in remaining if which[row] == wanted)

    return start


@pytest.mark.parametrize("form", ["root", "paper"])
@pytest.mark.parametrize("seed", spread(range(40), 16))
def test_kaim_equals_its_twin(form, seed, tmp_path):
    """From the same starts, every record joins the group that the definition says."""
    rng = np.random.default_rng(seed)
    made = random_table(rng, tmp_path)
    k = int(rng.integers(1, max(2, len(made.records) // 2)))
    weights = {name: float(rng.choice([1.0, 0.5, 3.0])) for name in made.table.column_names}
    coded = code(read(made.table), made.rules)
    start = [RANDOM, FARTHEST, ORDERED][seed % 3]
    word = ["random", "farthest", "common"][seed % 3]
    rows = len(made.records)
    survey = None if seed % 2 else rng.choice([1.0, 2.0, 7.0], rows)
    found = cluster(
        coded, k, QUIET, form=form, start=word, seed=seed, weights=weights, survey=survey
    )
    starts, which, order = grown(coded, k, form, start, seed, weights, survey)
    expected = twin.kaim(
        made.trees, made.records, k, list(weights.values()), form, follow(starts, which),
        lambda rest: order.permutation(rest).tolist(), None if survey is None else survey.tolist(),
    )  # fmt: skip
    assert found.tolist() == expected


@pytest.mark.parametrize("seed", spread(range(60), 24))
def test_k_member_equals_its_twin(seed, tmp_path):
    """From the same first record, ranges and heights give the twin's groups."""
    rng = np.random.default_rng(1000 + seed)
    made = random_table(rng, tmp_path, ranges=True)
    k = int(rng.integers(1, max(2, len(made.records) // 2)))
    weights = {name: float(rng.choice([1.0, 0.5, 2.0])) for name in made.table.column_names}
    coded = code(read(made.table), made.rules)
    found = cluster(coded, k, QUIET, form="height", start="farthest", seed=seed, weights=weights)
    starts, which, _ = grown(coded, k, "height", FARTHEST, seed, weights)
    expected = twin.k_member(
        made.trees, made.records, k, list(weights.values()), which.index(starts[0])
    )
    assert found.tolist() == expected


@pytest.mark.parametrize("seed", range(20))
def test_common_starts_with_the_least_surprising(seed, tmp_path):
    """Every group starts with the record left whose values are the most frequent ones."""
    rng = np.random.default_rng(2000 + seed)
    made = random_table(rng, tmp_path)
    coded = code(read(made.table), made.rules)
    starts, which, _ = grown(coded, 2, "root", ORDERED, 0)
    rows = len(made.records)
    columns = list(zip(*made.records, strict=True))

    def surprise(record):
        return -math.fsum(math.log(c.count(v) / rows) for c, v in zip(columns, record, strict=True))

    first = min(range(rows), key=lambda row: (round(surprise(made.records[row]), 9), row))
    assert which[first] == starts[0]


AGES = [None, None, 26, 28, 32, 39, 41, 36, 48, None]
GENDERS = ["M", "M", "F", "M", "M", "M", None, "F", "F", "F"]
ZIPS = [12000, 14000, 18000, 19000, None, 24000, None, 22000, None, 21000]


@pytest.fixture
def patients(tmp_path):
    """Table 1 of the KAIM paper, and its trees."""
    (tmp_path / "Age.csv").write_text("[20,30);*\n[30,40);*\n[40,50);*\n")
    (tmp_path / "Gender.csv").write_text("M;Person\nF;Person\n")
    (tmp_path / "Zip.csv").write_text("[10000,15000);*\n[15000,20000);*\n[20000,25000);*\n")
    return pa.table({"Age": AGES, "Gender": GENDERS, "Zip": ZIPS}), tmp_path


@pytest.mark.parametrize("method", ["kaim", "kaim-paper"])
@pytest.mark.parametrize("seed", range(5))
def test_the_papers_example(patients, method, seed):
    """Table 3 of the paper comes out, whatever record is first."""
    table, folder = patients
    found = shoal.anonymize(table, k=2, method=method, start="random", seed=seed,
                            hierarchies=folder)  # fmt: skip
    groups = {frozenset((np.array(rows) + 1).tolist()) for rows in found.partition.members()}
    assert groups == {frozenset(g) for g in ({1, 2}, {3, 4}, {5, 6}, {8, 10}, {7, 9})}
    assert list(zip(*found.data.to_pydict().values(), strict=True)) == [
        ("*", "M", "[10000,15000)"), ("*", "M", "[10000,15000)"),
        ("[20,30)", "*", "[15000,20000)"), ("[20,30)", "*", "[15000,20000)"),
        ("[30,40)", "M", "*"), ("[30,40)", "M", "*"),
        ("[40,50)", "*", "*"), ("*", "F", "[20000,25000)"),
        ("[40,50)", "*", "*"), ("*", "F", "[20000,25000)"),
    ]  # fmt: skip
    assert found.report.information_loss_released == pytest.approx(34.5661895325148)
    assert found.report.costs["ncp"] == pytest.approx(2300 / 90)
    assert found.report.costs["non_uniform_entropy"] == pytest.approx(23.142406756439406)


def test_the_papers_losses(patients):
    """[20,30) costs 0.48 in ages from 26 to 48, Person costs everything."""
    table, folder = patients
    coded = code(read(table), {name: str(folder / f"{name}.csv") for name in table.column_names})
    age, gender, _ = coded.columns
    assert age.losses[age.tree.nodes["[20,30)"]] == pytest.approx(11 / 23)
    assert gender.losses[gender.tree.nodes["Person"]] == 1.0


def pairs(before, after):
    """How often each record became what; equal records may change places."""
    rows = zip(before.to_pylist(), after.to_pylist(), strict=True)
    return Counter((tuple(a.values()), tuple(b.values())) for a, b in rows)


def test_rows_in_another_order_give_the_same_release(tmp_path):
    """What is released depends on what the records hold, not on where they stand."""
    rng = np.random.default_rng(5)
    made = random_table(rng, tmp_path, ranges=True, rows=60)
    order = rng.permutation(60)
    for method in ("kaim", "kaim-paper", "k-member"):
        asked = {"k": 4, "method": method, "hierarchies": made.rules, "intervals": "text"}
        plain = shoal.anonymize(made.table, **asked)
        other = made.table.take(pa.array(order))
        moved = shoal.anonymize(other, **asked)
        assert pairs(made.table, plain.data) == pairs(other, moved.data)


def test_many_equal_records_are_quick():
    """A hundred thousand records of three kinds are three records with a count."""
    column = pa.array((["a", "b", "c"] * 33_334)[:100_000])
    looks = []
    found = shoal.microaggregate(pa.table({"x": column}), 10, method="kaim", callback=looks.append)
    assert found.sizes.min() >= 10
    assert found.information_loss < 0.05
    assert len(looks) < 100
