"""Simple measures of utility against brute force on random small tables, and by hand."""

from __future__ import annotations

import math
import random
from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

import shoal
from measured_tables import FAMILIES, WORDS, compare, made
from naive import measuring as naive
from thorough import spread

TOGETHER = True  # what is measured once is measured in one process

TABLES, BLOCK = 300, 30
BLOCKS = range(0, TABLES, BLOCK)

every_block = pytest.mark.parametrize("block", spread(BLOCKS, 1))


@cache
def measured(family, seed):
    """What shoal measures of its quasi-identifiers, once."""
    table = made(family, seed)
    asked = {"quasi_identifiers": table.names, "rows": "same"}
    return shoal.measure(*table.plain_tables(), **asked).utility


def released(table):
    """How many numbers every column of numbers that varies releases, at least."""
    columns = naive.varying(table.original, table.numbers)
    return min((len(naive.released_numbers(table.release, j)) for j in columns), default=2)


def varies_after(table):
    """Whether every column of numbers varies in the release too."""
    columns = [j for j, is_number in enumerate(table.numbers) if is_number]
    return all(len(set(naive.released_numbers(table.release, j))) > 1 for j in columns)


def has_a_class_of_one(table):
    """Whether quantiles are told as they are."""
    return naive.prosecutor(table.release) == 100


def is_generalized(table):
    """Whether a released cell is more than a value."""
    return any(str(cell).startswith(("[", "*")) for row in table.release for cell in row)


ANY = FAMILIES
TWINS = {  # the families, and of which tables the definition leaves nothing open
    "sse_sst": (ANY, lambda table: True),
    "il1s": (ANY, lambda table: released(table) > 1),
    "means": (ANY, lambda table: released(table) > 1),
    "variances": (ANY, lambda table: released(table) > 1),
    "correlations": (("means", "ranges"), varies_after),
    "quantiles": (("means", "ranges"), has_a_class_of_one),
    "distributions": (ANY, lambda table: released(table) > 1),
    "iloss": (("ranges",), is_generalized),
    "ncp": (("ranges",), is_generalized),
}
ONE_COLUMN = {
    "means": naive.shift_of_mean,
    "variances": naive.share_of_variance,
    "quantiles": naive.shift_of_quantile,
    "distributions": naive.gap_of_distribution,
}


AS_WHOLES = {*ONE_COLUMN, "correlations"}  # of records whose release says something


@every_block
@pytest.mark.parametrize("family", FAMILIES)
def test_equals_brute_force(family, block):
    """On every random table every measure is what brute force finds."""
    wrong, seen = [], Counter()
    for seed, (key, (families, is_defined)) in product(range(block, block + BLOCK), TWINS.items()):
        table = made(family, seed)
        if family in families and is_defined(table):
            original = table.original
            if key in AS_WHOLES:
                original = naive.shown(original, table.release, table.numbers)
            wanted = getattr(naive, key)(original, table.release, table.numbers)
            wrong += compare(measured(family, seed), key, wanted, f"{family} {seed}")
            seen[key] += 1
    assert not wrong, "\n".join(wrong[:10])
    assert set(seen) == {key for key, (families, _) in TWINS.items() if family in families}
    assert min(seen.values()) > BLOCK / 4


def test_needs_no_pairs():
    """Where every cell says something, columns as wholes need no pairs."""
    wrong = []
    for seed in range(40):
        table = made("ranges", seed)
        if released(table) > 1 and naive.varying(table.original, table.numbers):
            asked = {"quasi_identifiers": table.names, "rows": "shuffled"}
            found = shoal.measure(*table.plain_tables(), **asked).utility
            for key in ONE_COLUMN:
                wanted = found[key].value
                wrong += compare(measured("ranges", seed), key, wanted, f"ranges {seed}")
    assert not wrong, "\n".join(wrong[:10])


@every_block
@pytest.mark.parametrize("family", FAMILIES)
def test_discernibility(family, block):
    """The squares of the classes' sizes are summed up, whatever is missing."""
    wrong = []
    for seed in range(block, block + BLOCK):
        wanted = naive.discernibility(made(family, seed).release)
        wrong += compare(measured(family, seed), "discernibility", wanted, f"{family} {seed}")
    assert not wrong, "\n".join(wrong[:10])


@every_block
@pytest.mark.parametrize("key", ONE_COLUMN)
def test_by_column(key, block):
    """What is the worst of all columns is told of every column too."""
    wrong = []
    for seed in range(block, block + BLOCK):
        table = made("means", seed)
        columns = naive.varying(table.original, table.numbers)
        if not columns or not TWINS[key][1](table):
            continue
        by = measured("means", seed)[key].by
        for j in columns:
            wanted = ONE_COLUMN[key](table.original, table.release, j)
            if by.get(f"q{j}") != pytest.approx(wanted, rel=1e-9, abs=1e-9):
                wrong.append(f"means {seed}: {key} of q{j} {by.get(f'q{j}')}, not {wanted}")
    assert not wrong, "\n".join(wrong[:10])


@every_block
def test_contingency(block):
    """Tables of two columns change as brute force says, with stars spread as the originals."""
    wrong = []
    for seed in range(block, block + BLOCK):
        rng = random.Random(f"words {seed}")
        rows, width = rng.randint(4, 14), rng.randint(2, 4)
        before = [[rng.choice(WORDS[: 2 + j]) for j in range(width)] for _ in range(rows)]
        after = [row.copy() for row in before]
        for _ in range(rng.randint(0, rows)):
            i, k, j = rng.randrange(rows), rng.randrange(rows), rng.randrange(width)
            after[i][j], after[k][j] = after[k][j], after[i][j]
        for _ in range(rng.choice((0, rng.randint(1, rows)))):
            after[rng.randrange(rows)][rng.randrange(width)] = "*"
        tables = [
            pa.table({f"q{j}": [row[j] for row in part] for j in range(width)})
            for part in (before, after)
        ]
        names = tables[0].column_names
        found = shoal.measure(*tables, quasi_identifiers=names, rows="same").utility
        wanted = naive.contingency(before, after, [False] * width)
        wrong += compare(found, "contingency", wanted, f"seed {seed}")
    assert not wrong, "\n".join(wrong[:10])


# --- by hand


def by_hand(before, after, **options):
    """The utility of columns {name: cells}."""
    options = {"quasi_identifiers": list(before), "rows": "same", **options}
    return shoal.measure(pa.table(before), pa.table(after), **options).utility


def test_suppressed_numbers_by_hand():
    """A suppressed cell has lost everything, whatever it was: of 0, 2, 10 and 12 one is a quarter.

    The others are as they were: no distance is left, no mean moved; of all originals, which nobody
    who does not know the pairs can tell apart, the mean moved from 6 to 4.
    """
    for last in (12, 1200):
        found = by_hand({"x": [0, 2, 10, last]}, {"x": ["0", "2", "10", "*"]})
        assert found["sse_sst"].value == pytest.approx(25)
        assert found["il1s"].value == pytest.approx(0)
        assert found["means"].value == pytest.approx(0)
    found = by_hand({"x": [0, 2, 10, 12]}, {"x": ["0", "2", "10", "*"]}, rows="shuffled")
    assert found["means"].value == pytest.approx(2 / math.sqrt(104 / 3))


def test_constant_columns_by_hand():
    """A column of one value counts nowhere: all is as it is without it."""
    before, after = {"x": [0, 2, 10, 12]}, {"x": [1, 1, 11, 11]}
    plain = by_hand(before, after)
    more = by_hand({**before, "c": [3] * 4}, {**after, "c": [3] * 4})
    for key in ("sse_sst", "il1s", "means", "variances", "quantiles"):
        assert more[key].value == pytest.approx(plain[key].value), key


def test_tree_by_hand(write):
    """lung has 2 of the tree's 3 values: ILoss 2/3, NCP 1/2; ulcer is as it was."""
    tree = write("tree.csv", "flu;lung;*\ncold;lung;*\nulcer;gut;*\n")
    found = by_hand(
        {"d": ["flu", "cold", "ulcer"]},
        {"d": ["lung", "lung", "ulcer"]},
        hierarchies={"d": str(tree)},
    )
    assert found["iloss"].value == pytest.approx(100 * 2 * (2 / 3) / 3)
    assert found["ncp"].value == pytest.approx(100 * 2 * (1 / 2) / 3)


def test_who_is_left_out_by_hand():
    """Classes of 2 and 3 of six people, one left out: 4 + 9 + 6."""
    before = {"q": [*"aabbbc"], "id": [1, 2, 3, 4, 5, 6]}
    after = {"q": [*"babab"], "id": [5, 2, 3, 1, 4]}
    found = by_hand(before, after, key="id", rows="auto", quasi_identifiers=["q"])
    assert found["discernibility"].value == 19


def test_nothing_changed():
    """A release that is the original has lost nothing."""
    for seed in range(0, 60, 3):
        table = made("means", seed).plain_tables()[0]
        names = table.column_names
        found = shoal.measure(table, table, quasi_identifiers=names, rows="same").utility
        for key in ("sse_sst", "il1s", "means", "correlations", "distributions", "contingency"):
            if key in found:
                assert found[key].value == pytest.approx(0, abs=1e-9), key
        for key in ("iloss", "ncp", "propensity"):
            if key in found:
                assert found[key].value == pytest.approx(0, abs=1e-6), key
        for key in ("variances", "regression", "classification"):
            if key in found:
                assert found[key].value == pytest.approx(100, abs=1e-6), key


@every_block
def test_ncp_of_single_values(block):
    """A mean, or another record's value, leaves open what the originals of its class span."""
    wrong, seen = [], 0
    for seed in range(block, block + BLOCK):
        table = made("means", seed)
        by = measured("means", seed)["ncp"].by
        for j, is_number in enumerate(table.numbers):
            same = [row[j] for row in table.original] == [row[j] for row in table.release]
            if same or any(str(row[j]).startswith("*") for row in table.release):
                continue
            wanted = naive.class_ncp(table.original, table.release, j, is_number)
            seen += 1
            if by[f"q{j}"] != pytest.approx(wanted, rel=1e-9, abs=1e-9):
                wrong.append(f"means {seed}: NCP of q{j} {by[f'q{j}']}, not {wanted}")
    assert not wrong, "\n".join(wrong[:10])
    assert seen > BLOCK / 2


def test_ncp_compares_ways_to_release():
    """Groups that release means and groups that release their ranges have the same NCP."""
    rng = np.random.default_rng(3)
    table = pa.table({"a": rng.integers(0, 90, 60), "b": rng.integers(0, 10**6, 60)})
    found = [
        shoal.anonymize(table, k=5, method="mdav", aggregate=way).report.measures["utility"]["ncp"]
        for way in ("mean", "median", "range")
    ]
    assert found[0]["value"] == pytest.approx(found[2]["value"], rel=0.02)
    assert found[1]["value"] == pytest.approx(found[2]["value"], rel=0.02)
