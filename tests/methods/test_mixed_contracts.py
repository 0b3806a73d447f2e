"""Every method that takes a matrix, on tables with texts and missing cells."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import shoal as library
from mixed_tables import random_table
from naive.distance import distances, pair_loss
from thorough import composed_once, each, is_thorough, spread

EVERY = library.methods()
SEARCHES = [method.name for method in EVERY if method.is_search]
METHODS = [
    method.name
    for method in EVERY
    if not (method.on_nodes or method.by_table) and method.columns is None
]
REFINEMENTS = ["phase2", "decompose", "iterative", *SEARCHES]
MIXED_LOSS = "SSE/SST of numbers and tree paths, percent"

every_method = each("method", composed_once(METHODS))


def limits(method):
    """Few iterations, where a method searches: rounds of `best` are long."""
    return {"max_iterations": 1 if method == "best" else 30} if method in SEARCHES else {}


def solve(table, k, method, **options):
    return library.microaggregate(table, k, method=method, **{**limits(method), **options})


def drawn(count, few, method):
    """Seeds up to `count`: a few, of every method others, and all of them by `make test-all`."""
    some = range(count if is_thorough() else few)
    return [(3 + few * METHODS.index(method) + number) % count for number in some]


def sets(labels):
    """The groups as a set of sets of rows."""
    return {frozenset(np.flatnonzero(labels == g).tolist()) for g in range(labels.max() + 1)}


@pytest.fixture(scope="module")
def stays():
    """Forty records of two texts, two numbers and a truth value, a sixth of the cells missing."""
    rng = np.random.default_rng(0)

    def holed(values):
        return [None if rng.random() < 1 / 6 else value for value in values]

    return pa.table({
        "zip": holed([f"{v:04d}" for v in rng.integers(0, 60, 40) * 97]),
        "sex": holed(rng.choice(["f", "m"], 40).tolist()),
        "age": holed(rng.integers(18, 90, 40).tolist()),
        "pay": rng.normal(size=40).round(3),
        "new": holed((rng.random(40) < 0.4).tolist()),
    })  # fmt: skip


@every_method
def test_sizes_and_loss_from_scratch(method, tmp_path):
    """Every record is in one group of k, and the loss is that of the pairs' distances."""
    for seed in drawn(8, 3, method):
        rng = np.random.default_rng(seed)
        made = random_table(rng, tmp_path, ranges=True)
        rows = len(made.records)
        k = int(rng.integers(1, min(5, rows) + 1))
        found = solve(made.table, k, method, hierarchies=made.rules or None)
        members = found.members()
        assert sorted(row for group in members for row in group) == list(range(rows))
        assert found.sizes.min() >= k
        apart = distances(made.trees, made.records, k)
        groups = [group.tolist() for group in members]
        assert found.information_loss == pytest.approx(pair_loss(apart, groups), abs=1e-7)
        mixed = made.rules or any(None in record for record in made.records)
        assert found.loss_name == (MIXED_LOSS if mixed else "SSE/SST, percent")


@pytest.mark.slow
@every_method
def test_releases_verify(method, tmp_path):
    """What a method releases of a mixed table has k records of a kind, checked by counting."""
    for seed in drawn(6, 1, method):
        rng = np.random.default_rng(100 + seed)
        made = random_table(rng, tmp_path, ranges=True)
        k = int(rng.integers(2, min(5, len(made.records)) + 1))
        ways = [None, "mean", "median", "mode", "medoid", "generalize", "range"]
        way = ways[int(rng.integers(len(ways)))]
        found = library.anonymize(made.table, k=k, method=method, hierarchies=made.rules or None,
                                  aggregate=way, **limits(method))  # fmt: skip
        released = list(zip(*found.data.to_pydict().values(), strict=True))
        assert min(Counter(released).values()) >= k
        assert found.report.method == method


@every_method
def test_same_seed_same_labels(method, stays):
    """Two runs with one seed give the same labels."""
    first, second = (solve(stays, 4, method, seed=3) for _ in range(2))
    assert np.array_equal(first.labels, second.labels)


@pytest.mark.slow
@pytest.mark.parametrize("method", spread(METHODS, 7))
def test_order_of_the_rows_does_not_matter(method, stays):
    """Through anonymize, permuted rows have the same groups."""
    order = np.random.default_rng(1).permutation(40)
    asked = {"k": 3, "method": method, "hierarchies": {"zip": "prefixes:2"}, **limits(method)}
    plain, permuted = (
        library.anonymize(table, **asked).partition.labels for table in (stays, stays.take(order))
    )
    assert sets(plain) == {frozenset(order[list(group)].tolist()) for group in sets(permuted)}


@every_method
def test_duplicates_share_a_group(method, stays):
    """Where every record is there k times, nothing is lost."""
    found = solve(stays.take(np.repeat(np.arange(12), 4)), 4, method)
    assert found.information_loss == pytest.approx(0.0, abs=1e-9)


@every_method
def test_one_group_from_k_to_2k_minus_1(method, stays):
    """n = k and n = 2k - 1 give one group and lose everything."""
    for k, rows in ((2, 2), (2, 3), (5, 5), (5, 9)):
        found = solve(stays.slice(0, rows), k, method)
        assert (found.groups, found.information_loss) == (1, pytest.approx(100.0))


@pytest.fixture(scope="module")
def more(stays):
    """The same with a constant text and two columns without any value."""
    more = stays.append_column("c", pa.array(["same"] * 40))
    more = more.append_column("n", pa.array([None] * 40, pa.float64()))
    return more.append_column("t", pa.array([None] * 40, pa.string()))


@every_method
def test_columns_that_say_nothing_change_nothing(method, stays, more):
    """A constant text and a column without any value have no say."""
    assert np.array_equal(solve(stays, 3, method).labels, solve(more, 3, method).labels)


@pytest.mark.parametrize("method", spread(METHODS, 3))
def test_columns_that_say_nothing_are_released(method, more):
    """A column without any value stays without any."""
    found = library.anonymize(more, k=3, method=method, allow_empty=True, **limits(method))
    assert set(found.data["t"].to_pylist()) == {"*"}
    assert set(found.data["n"].to_pylist()) == {None}


@pytest.mark.parametrize("cell", ["same", None])
@every_method
def test_equal_texts_alone(method, cell):
    """A table of one text, or of none, is grouped and loses nothing."""
    found = solve(pa.table({"w": pa.array([cell] * 9, pa.string())}), 2, method)
    assert found.sizes.min() >= 2
    assert found.information_loss == 0.0


@every_method
def test_numbers_have_the_labels_of_the_numeric_path(method):
    """Beside a text that says nothing, which leads to the mixed path, numbers have their labels."""
    rng = np.random.default_rng(11)
    rows = 60
    numbers = {"x": rng.integers(0, 9, rows), "y": rng.normal(size=rows), "z": rng.random(rows)}
    plain = solve(pa.table(numbers), 3, method)
    beside = solve(pa.table({"w": ["same"] * rows, **numbers}), 3, method)
    assert beside.labels.tolist() == plain.labels.tolist()
    assert beside.information_loss == plain.information_loss
    assert (plain.loss_name, beside.loss_name) == ("SSE/SST, percent", MIXED_LOSS)


@pytest.mark.slow
@pytest.mark.parametrize("how", spread(REFINEMENTS, 7))
def test_refinements(how, stays):
    """Groups of anybody are refined on mixed tables, by the library and from a column."""
    labels = np.arange(40) // 5
    options = {"column_weights": {"sex": 2.0}, **limits(how)}
    rules = {"zip": "prefixes:2"}
    found = library.refine(stays, labels, 5, how=how, hierarchies=rules, **options)  # fmt: skip
    assert found.sizes.min() >= 5
    on_trees = how == "kaim+"
    assert found.loss_name == ("ILoss rate, percent" if on_trees else MIXED_LOSS)
    table = stays.append_column("group", pa.array(labels))
    result = library.anonymize(table, k=5, group="group", refine=how, hierarchies=rules, **options)
    assert result.report.information_loss <= 100.0
    assert result.report.verification["k"] >= 5
    ways = {"generalize"} if on_trees else {"mean", "generalize"}
    assert {column.released_as for column in result.report.columns} == ways


def test_refine_on_the_command_line(shoal, write):
    """`shoal refine` takes texts, gaps and hierarchies."""
    rows = "".join(f"{g},{z},{a},s\n" for g, z, a in
                   [(0, "0110", 1), (0, "0211", ""), (1, "0112", 2), (1, "0210", "")])  # fmt: skip
    ran = shoal("refine", write("t.csv", f"g,zip,age,s\n{rows}"), "--group", "g", "-k", 2,
                "--quasi", "zip,age", "--sensitive", "s", "--hierarchy", "zip=prefixes:2",
                "--how", "ilsmc+", "-o", "-")  # fmt: skip
    assert ran.code == 0, ran.err
    assert sorted(ran.out.split()[1:]) == ["01**,1,s", "01**,1,s", "02**,*,s", "02**,*,s"]


@pytest.mark.slow
def test_auto_by_what_is_released(stays):
    """auto searches distances where all columns release centers, and generalizes else."""
    quick = {"k": 4, "max_iterations": 20}
    for way in ("mode", "medoid", dict.fromkeys(stays.column_names, "mode")):
        found = library.anonymize(stays, aggregate=way, **quick)
        assert found.report.method == "ilsmc+"
        assert found.report.loss_name == MIXED_LOSS
    for way in (None, "mean", "generalize", {"zip": "mode"}):
        found = library.anonymize(stays, k=4, aggregate=way)
        assert found.report.method == "kaim+"
    numbers = stays.select(["age", "pay"])
    for asked in ({}, {"aggregate": "mean"}, {"numbers": "mean"}):
        assert library.anonymize(numbers, **asked, **quick).report.method == "ilsmc+"
    assert library.anonymize(numbers, k=4, numbers="interval").report.method == "kaim+"


def test_hierarchies_that_have_no_say_are_refused(stays):
    """A hierarchy must group records or be released: else it was meant otherwise."""
    rules = {"age": "widths:10"}
    with pytest.raises(library.RequestError, match="a hierarchy is given, but the groups release"):
        library.anonymize(stays, k=3, method="mdav", hierarchies=rules, aggregate="mean")
    with pytest.raises(library.RequestError, match="hierarchies are given for numbers only"):
        library.microaggregate(stays, 3, method="mdav", hierarchies=rules)
    with pytest.raises(library.RequestError, match="a hierarchy is given for 'z'"):
        library.anonymize(stays, k=3, method="mdav", hierarchies={"z": "flat"})
    found = library.anonymize(stays, k=3, method="mdav", hierarchies=rules)
    assert found.report.columns[2].hierarchy == "widths:10"
    both = {**rules, "zip": "prefixes:2"}
    assert library.anonymize(stays, k=3, method="mdav", hierarchies=both).report.groups["count"]


@every_method
def test_hierarchies_group(method):
    """Values of one branch are nearer to each other than to those of another."""
    table = pa.table({"zip": ["11", "21", "12", "22", "13", "23"]})
    found = solve(table, 3, method, hierarchies={"zip": "prefixes:1"})
    assert sets(found.labels) == {frozenset((0, 2, 4)), frozenset((1, 3, 5))}


def test_one_column_of_several_coordinates():
    """optimal-1d takes a text of two values, and says why it takes no other."""
    two = pa.table({"w": list("ababab")})
    assert library.microaggregate(two, 3, method="optimal-1d").information_loss == 0.0
    three = pa.table({"w": list("abcabc")})
    with pytest.raises(library.RequestError, match="texts and missing cells count several times"):
        library.microaggregate(three, 2, method="optimal-1d")
