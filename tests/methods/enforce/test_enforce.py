"""The three ways to groups that keep the rules, and what joins them: each against brute force."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext

import numpy as np
import pyarrow as pa
import pytest

import shoal as library
from naive import judging
from rules_tables import MODELS, all_keep, draw_asked, options_for, random_release
from search_tables import random_groups
from shoal.errors import PrivacyError
from shoal.measures.loss import information_loss
from shoal.methods.enforce.constraints import (
    check_possible,
    enforced_partitions,
    merge,
    merge_to,
    sliced,
)
from shoal.methods.enforce.swapping import of_labels, swap_in
from shoal.pipeline.plan.constraints import build_constraints
from shoal.pipeline.plan.plan import plan_table
from shoal.progress import Reporter
from shoal.settings import build
from shoal.table.encode import encode
from shoal.table.read import read
from thorough import each, is_thorough, spread

ENFORCEMENTS = "auto", "slices", "swap", "merge"
QUIET = Reporter(None)


def groups_of(labels):
    """The rows of every group, those without any left out."""
    groups = [np.flatnonzero(labels == label).tolist() for label in range(int(labels.max()) + 1)]
    return [rows for rows in groups if rows]


def sets(labels):
    return {frozenset(rows) for rows in groups_of(np.asarray(labels))}


def kept(made, asked, k=2, way="auto"):
    """The matrix of a random table and what its groups must keep."""
    settings = build({
        "roles": {key: list(names) for key, names in made.roles.items()},
        "protect": {"k": k, "enforce": way, **asked},
        "hierarchies": made.hierarchies,
        "release": {"aggregate": dict.fromkeys(made.quasi, "mean")},
    })  # fmt: skip
    compared = {name for name in made.sensitive if settings.requirement.threshold("t", name)}
    orders = {n: tuple(o) for n, o in made.orders.items() if n in {*made.quasi, *compared}}
    trees = {n: t for n, t in made.hierarchies.items() if n in compared}
    table = read(made.table)
    plan, _ = plan_table(
        table, settings.model_copy(update={"orders": orders, "hierarchies": trees})
    )
    table = plan.prepared(table)
    return encode(table, k=k).matrix, build_constraints(table, plan)


def possible(seed, folder, k=2, way="auto"):
    """A random table, what is asked of it, its matrix and rules; None where it cannot be met."""
    made = random_release(seed, folder)
    kind, values = made.sensitive["s0"]
    asked = draw_asked(made.rng, MODELS[seed % len(MODELS)], kind, values)
    if seed % 3 == 0:
        asked |= {"t": 0.4}
    try:
        return made, asked, *kept(made, asked, k, way)
    except PrivacyError:
        assert not all_keep(made, asked, [range(made.rows)])
        return None


def some(folder, count, k=2, way="auto"):
    """So many random tables that can have what is asked of them."""
    found, seed = 0, 0
    while found < count:
        drawn = possible(seed, folder, k, way)
        if drawn is not None:
            yield (seed, *drawn)
            found += 1
        seed += 1


@each("seed", range(40))
def test_slices_give_one_record_to_every_group(seed):
    """Every group has one record of every slice; what is left over joins groups one by one."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(1, 60))
    slices = int(rng.integers(1, rows + 1))
    matrix, order = rng.normal(size=(rows, 2)).round(1), rng.permutation(rows)
    labels = sliced(matrix, order, slices)
    groups = rows // slices
    sizes = np.bincount(labels, minlength=groups)
    assert labels.min() >= 0
    assert sizes.size == groups
    assert sizes.min() >= slices
    assert sizes.max() - sizes.min() <= -(-(rows % slices) // groups)
    edges = [groups] * slices
    middle = sorted(range(slices), key=lambda piece: abs(piece - (slices - 1) / 2))
    for piece in middle[: rows % slices]:
        edges[piece] += 1
    pieces = np.split(order, np.cumsum(edges)[:-1])
    for piece in pieces:
        there = Counter(labels[piece].tolist())
        assert sorted(there) == list(range(groups))
        assert sum(there.values()) == len(piece)
    assert np.array_equal(labels, sliced(matrix, order, slices))


@pytest.mark.parametrize(("rows", "slices"), [
    (rows, slices) for rows in (6, 12, 20, 36, 60) for slices in range(1, rows + 1)
    if rows % slices == 0
])  # fmt: skip
def test_slices_are_as_close_as_was_proved_in_2015(rows, slices):
    """Of distinct numbers every group is within (n - k) / (2 (n - 1) k), and somewhere near it."""
    rng = np.random.default_rng(rows + slices)
    for _ in range(3):
        values = rng.permutation(rows)
        labels = sliced(rng.normal(size=(rows, 2)), np.argsort(values), slices)
        whole = values.tolist()
        found = [judging.ordered_distance(values[group].tolist(), whole)
                 for group in groups_of(labels)]  # fmt: skip
        assert float(max(found)) <= (rows - slices) / (2 * (rows - 1) * slices) + 1e-12


def test_swapping_swaps(tmp_path):
    """Sizes stay, the sum of what is broken never grows, and some groups are mended."""
    mended = 0
    for seed, _, _, matrix, keep in some(tmp_path, 60 if is_thorough() else 30):
        labels = random_groups(len(matrix), 2, seed)
        before = of_labels(keep.rules, labels)
        swapped = swap_in(matrix, labels, keep.rules, before, QUIET)
        after = of_labels(keep.rules, swapped)
        assert np.array_equal(np.bincount(swapped), np.bincount(labels))
        assert after.sum() <= before.sum() + 1e-12
        mended += int((before > 0).sum()) - int((after > 0).sum())
        if not before.any():
            assert np.array_equal(swapped, labels)
    assert mended > (30 if is_thorough() else 15)


def test_merging_joins_whole_groups(tmp_path):
    """None is broken at the end, all came in whole, and good groupings come back as they are."""
    joined = 0
    for seed, made, asked, matrix, keep in some(tmp_path, 60 if is_thorough() else 30):
        labels = random_groups(len(matrix), 2, seed)
        merged = merge(matrix, labels, keep.rules, QUIET)
        for group in groups_of(labels):
            assert len(set(merged[group].tolist())) == 1
        assert all_keep(made, asked, groups_of(merged))
        if all_keep(made, asked, groups_of(labels)):
            assert np.array_equal(merged, labels)
        else:
            assert merged.max() < labels.max()
            joined += 1
        assert np.array_equal(merge(matrix, merged, keep.rules, QUIET), merged)
    assert joined > (20 if is_thorough() else 10)


@each("seed", range(30))
def test_merging_to_k(seed):
    """Groups of k are whole groups joined; nearest first, and those that are large enough stay."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(4, 50))
    matrix = rng.normal(size=(rows, 2))
    labels = random_groups(rows, 2, seed)
    for k in (1, 2, int(rng.integers(2, rows + 1)), rows):
        merged = merge_to(matrix, labels, k, QUIET)
        assert np.bincount(merged).min() >= k
        for group in groups_of(labels):
            assert len(set(merged[group].tolist())) == 1
        if np.bincount(labels).min() >= k:
            assert np.array_equal(merged, labels)


@pytest.mark.parametrize("way", ENFORCEMENTS)
def test_every_way_keeps_the_rules(way, tmp_path):
    """Groups of any sort become groups of k that keep what is asked, by brute force; twice so."""
    ways = Counter()
    for seed, made, asked, matrix, keep in some(tmp_path, 80 if is_thorough() else 20, way=way):
        k = 2 + seed % 2
        labels = random_groups(len(matrix), k, seed)

        def loss(some, matrix=matrix):
            return information_loss(matrix, some)

        every = enforced_partitions(matrix, labels, keep, k, loss, QUIET)
        for one in every:
            assert np.bincount(one.labels).min() >= k
            assert len(one.labels) == made.rows
            assert all_keep(made, asked, groups_of(one.labels))
            ways[one.enforcement] += 1
        again = enforced_partitions(matrix, labels, keep, k, loss, QUIET)
        for one, other in zip(every, again, strict=True):
            assert np.array_equal(one.labels, other.labels)
            assert one.enforcement != "none" or np.array_equal(one.labels, labels)
    usual = {"auto": {"swap", "slices", "none"}, "swap": {"swap", "none"}}
    assert set(ways) == usual.get(way, {way} if way == "slices" else {way, "none"})


@pytest.mark.slow
def test_what_cannot_be_met(tmp_path):
    """A PrivacyError comes exactly where all records as one group break a rule."""
    verdicts = set()
    for seed in range(300 if is_thorough() else 100):
        made = random_release(seed, tmp_path)
        rng = made.rng
        asked = {"l": int(rng.integers(1, 8)), "alpha": float(rng.choice([0.1, 0.3, 0.6]))}
        expected = all_keep(made, asked, [range(made.rows)])
        with nullcontext() if expected else pytest.raises(PrivacyError, match="cannot be met"):
            kept(made, asked)
        verdicts.add(expected)
    assert verdicts == {True, False}


TABLE = pa.table({"x": [1.0, 2.0, 3.0, 9.0, 8.0, 7.0], "s": list("aabbca"), "z": [1] * 5 + [900]})
ROLES = {"quasi_identifiers": ["x"], "sensitive": ["s"], "k": 2, "method": "mdav"}


@pytest.mark.parametrize("way", ENFORCEMENTS)
@pytest.mark.parametrize(
    "asked",
    [
        {"l": 4},
        {"alpha": 0.49},
        {"l": 3.0, "l_kind": "entropy"},
        {"l": 3, "l_kind": "recursive", "c": 3.0},
        {"l": {"s": 4}},
    ],
)
def test_too_much_is_asked(way, asked):
    """More values than there are, a smaller share than the largest: no way leads there."""
    with pytest.raises(PrivacyError, match="cannot be met"):
        library.anonymize(TABLE, **ROLES, **asked, enforce=way)


def test_one_unit_dominates_all():
    """Where one unit is larger than all others together allow, dominance cannot be met."""
    roles = {"quasi_identifiers": ["x", "z"], "k": 2, "method": "mdav"}
    with pytest.raises(PrivacyError, match="cannot be met"):
        library.anonymize(TABLE, **roles, dominance={"z": 10})
    found = library.anonymize(TABLE, **roles, dominance={"z": 0.4})
    assert found.partition.groups == 1
    assert library.anonymize(TABLE, **roles, dominance={"x": 1}).partition.groups <= 2


def test_possible_is_possible(tmp_path):
    """What keeps the rules as one group passes."""
    for _, _, _, _, keep in some(tmp_path, 5):
        check_possible(keep.rules)


def records(table, groups):
    """The groups as a multiset of sorted records."""
    rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
    return Counter(tuple(sorted(map(repr, (rows[i] for i in group)))) for group in groups)


@pytest.mark.slow
@pytest.mark.parametrize("way", ENFORCEMENTS)
@pytest.mark.parametrize("method", spread(["mdav", "ilsmc+", "kaim", "kaim+"], 1))
def test_the_order_of_the_rows_does_not_matter(way, method, tmp_path):
    """Permuted rows give the same groups of records, duplicates and ties included; so do seeds."""
    for seed in range(4 if is_thorough() else 2):
        made = random_release(seed, tmp_path, mixed=seed % 2 == 1)
        table = made.table
        if seed % 4 == 0:  # equal quasi-identifiers with different sensitive values
            table = table.set_column(0, "x", pa.array([v // 20 for v in table["x"].to_pylist()]))
            table = table.set_column(1, "y", pa.array([0.0] * made.rows))
        asked = draw_asked(made.rng, MODELS[seed % 5], *made.sensitive["s0"])
        options = {**options_for(made, asked), "k": 2, "method": method, "enforce": way}
        if method.endswith("+"):
            options["max_iterations"] = 10
        order = made.rng.permutation(made.rows)
        try:
            first = library.anonymize(table, **options).partition
        except PrivacyError:
            continue
        again = library.anonymize(table, **options).partition
        other = library.anonymize(table.take(order), **options).partition
        assert np.array_equal(first.labels, again.labels)
        permuted = [[int(order[i]) for i in group] for group in groups_of(other.labels)]
        assert records(table, groups_of(first.labels)) == records(table, permuted)


@pytest.mark.slow
@pytest.mark.parametrize("way", spread(ENFORCEMENTS, 2))
def test_units_do_not_matter(way, tmp_path):
    """A column in other units gives the same groups."""
    for seed in range(10 if is_thorough() else 4):
        made = random_release(seed, tmp_path)
        scaled = made.table.set_column(
            1, "y", pa.array((np.array(made.table["y"].to_pylist()) * 1024.0).tolist())
        )
        asked = draw_asked(made.rng, "t", *made.sensitive["s0"])
        found = [
            library.anonymize(table, **made.roles, k=3, method="mdav", enforce=way, **asked,
                              hierarchies=made.hierarchies, orders=made.orders).partition.labels
            for table in (made.table, scaled)
        ]  # fmt: skip
        assert sets(found[0]) == sets(found[1])


@pytest.mark.slow
@pytest.mark.parametrize("way", spread(ENFORCEMENTS, 4))
@pytest.mark.parametrize("k", [2, 3, 5])
def test_tables_of_one_group(way, k):
    """n = k and n = 2k - 1 are one group, which keeps any t, and l where it has so many values."""
    for rows in (k, 2 * k - 1):
        table = pa.table({"x": list(range(rows)), "s": [f"v{i}" for i in range(rows)]})
        options = {**ROLES, "k": k, "enforce": way}
        found = library.anonymize(table, **options, t=0, l=rows)
        assert found.partition.groups == 1
        with pytest.raises(PrivacyError):
            library.anonymize(table, **options, l=rows + 1)


@pytest.mark.parametrize("way", ENFORCEMENTS)
def test_a_constant_sensitive_column(way):
    """One value for all is within t = 0 of all, has l = 1 and a share of 1, and no more."""
    table = pa.table({"x": list(range(20)), "s": ["same"] * 20})
    options = {**ROLES, "k": 3, "enforce": way}
    found = library.anonymize(table, **options, t=0, l=1, alpha=1)
    assert found.partition.sizes.min() >= 3
    if way != "slices":
        plain = library.anonymize(table, quasi_identifiers=["x"], k=3, method="mdav")
        assert sets(found.partition.labels) == sets(plain.partition.labels)
    for asked in ({"l": 2}, {"alpha": 0.99}, {"l": 1.01, "l_kind": "entropy"}):
        with pytest.raises(PrivacyError):
            library.anonymize(table, **options, **asked)


@pytest.mark.parametrize("way", ENFORCEMENTS)
def test_missing_cells_and_stars_are_one_value(way):
    """Where missing cells are to count, empty, missing and * are one value of their own."""
    cells = [None, "", "*", "a"] * 6
    table = pa.table({"x": list(range(24)), "s": cells})
    options = {**ROLES, "k": 3, "enforce": way, "missing_sensitive": "value"}
    found = library.anonymize(table, **options, l=2, alpha=0.75)
    for group in groups_of(found.partition.labels):
        values = ["" if cells[i] in (None, "", "*") else cells[i] for i in group]
        assert len(set(values)) == 2
        assert max(Counter(values).values()) / len(values) <= 0.75
    with pytest.raises(PrivacyError):
        library.anonymize(table, **options, l=3)
    with pytest.raises(PrivacyError):
        library.anonymize(table, **options, alpha=0.7)


@pytest.mark.parametrize("way", ENFORCEMENTS)
def test_missing_cells_add_nothing(way):
    """By default they are no value, and left out of shares."""
    cells = [None, "", "*", "a", "b", "\u200b"] * 6
    table = pa.table({"x": list(range(36)), "s": cells})
    options = {**ROLES, "k": 3, "enforce": way}
    found = library.anonymize(table, **options, l=2, alpha=0.75)
    for group in groups_of(found.partition.labels):
        values = [cells[i] for i in group if cells[i] in ("a", "b")]
        assert set(values) == {"a", "b"}
        assert max(Counter(values).values()) / len(values) <= 0.75
    for asked in ({"l": 3}, {"alpha": 0.4}):
        with pytest.raises(PrivacyError, match="missing cells do not count"):
            library.anonymize(table, **options, **asked)


@pytest.mark.parametrize("way", ENFORCEMENTS)
def test_duplicates(way):
    """Where every record is there many times, groups keep the rules and need lose nothing."""
    table = pa.table({"x": [1.0] * 6 + [5.0] * 6 + [9.0] * 6, "s": ["a", "b"] * 9})
    found = library.anonymize(table, **{**ROLES, "k": 3}, l=2, t=0.2, enforce=way)
    for group in groups_of(found.partition.labels):
        assert len({table["s"][i].as_py() for i in group}) == 2
    if way == "auto":
        assert found.partition.information_loss == pytest.approx(0.0, abs=1e-9)
