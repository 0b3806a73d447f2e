"""Risks against brute force on random small tables, and against arithmetic by hand."""

from __future__ import annotations

import math
import random
from collections import Counter
from functools import cache
from itertools import product

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import measured_tables
import shoal
from measured_tables import FAMILIES, compare, made
from naive import judging
from naive import measuring as naive
from shoal.measures.risk import recovery
from thorough import each, is_thorough, spread

TOGETHER = True  # what is measured once is measured in one process

TABLES, BLOCK = 300, 30
BLOCKS = range(0, TABLES, BLOCK)
PAIRED = {
    "distance_linkage", "rank_linkage", "block_linkage", "interval_disclosure",
    "rank_interval_disclosure", "known_members", "exact_values", "dominance",
}  # fmt: skip


@cache
def measured(family, seed):
    """What shoal measures of it, once."""
    table = made(family, seed)
    return shoal.measure(
        *table.tables(),
        quasi_identifiers=table.names,
        sensitive=table.sensitive_names,
        rows="same",
    )


def paired(function):
    """The twin of a measure that compares row by row."""
    return lambda table: function(table.original, table.release, table.numbers)


def released(function, *arguments):
    """The twin of a measure that the release alone tells."""
    return lambda table: function(table.release, *arguments)


def inferred(function):
    """The twin of a measure of sensitive columns."""
    return lambda table: function(table.release, table.sensitive)


TWINS = {
    "prosecutor": released(naive.prosecutor),
    "above_0.2": released(naive.above, 5),
    "above_0.09": released(naive.above, 11),
    "marketer": released(naive.marketer),
    "sample_uniques": released(naive.sample_uniques),
    "distance_linkage": paired(naive.distance_linkage),
    "rank_linkage": paired(naive.rank_linkage),
    "block_linkage": paired(naive.block_linkage),
    "interval_disclosure": paired(naive.interval_disclosure),
    "rank_interval_disclosure": paired(naive.rank_interval_disclosure),
    "certain_inference": inferred(naive.certain_inference),
    "class_inference": inferred(naive.class_inference),
    "known_members": paired(naive.known_members),
    "exact_values": paired(naive.exact_values),
    "extra_digits": paired(naive.extra_digits),
    "dominance": paired(naive.dominance),
}
TWINS["sensitive_uniques"] = lambda table: naive.alone_in_class(
    table.release, list(zip(*table.sensitive, strict=True))
)
ONLY = {"extra_digits": ("means",), "dominance": ("means",), "block_linkage": ("means", "ranges")}


def has_star(table):
    """Whether a released cell says nothing."""
    return any(naive.is_star(cell) for row in table.release for cell in row)


def shares_a_middle(table):
    """Whether two released intervals of a column have the same middle."""
    for j in (j for j, is_number in enumerate(table.numbers) if is_number):
        cells = set(naive.column(table.release, j))
        if len({naive.middle(cell) for cell in cells}) < len(cells):
            return True
    return False


def on_the_edge(table):
    """Whether a cell lies just p % of a standard deviation from the released number."""
    for j in naive.varying(table.original, table.numbers):
        s = naive.spread(naive.column(table.original, j))
        for x, y in naive.pairs(table.original, table.release, j):
            if any(abs(abs(x - y) - p * s / 100) < 1e-9 * s for p in range(1, 11)):
                return True
    return False


def half_a_digit_off(table):
    """Whether a sum is off by just the half digit that makes the difference."""
    for j in (j for j, is_number in enumerate(table.numbers) if is_number):
        least = naive.tolerance(naive.column(table.original, j))
        errors = naive.member_errors(table.original, table.release, j)
        if any(abs(error - least) < 1e-6 * least for error in errors):
            return True
    return False


def is_constant(table):
    """Whether a column of numbers has one value."""
    varying = naive.varying(table.original, table.numbers)
    return len(varying) < sum(table.numbers)


def is_vague(table):
    """Whether a class has a range, or numbers for missing cells, beside what is missing."""
    for j in (j for j, is_number in enumerate(table.numbers) if is_number):
        for before, after in zip(table.original, table.release, strict=True):
            span = naive.said(after[j])
            if span is not None and (span[0] != span[1] or before[j] is None):
                return True
    return False


def is_left_out(key, family, table):
    """Whether the last bit of a float, or what nobody has defined, would decide."""
    return (
        (key == "block_linkage" and (has_star(table) or shares_a_middle(table)))
        or (key == "interval_disclosure" and on_the_edge(table))
        or (key == "rank_interval_disclosure" and is_constant(table))
        or (key == "known_members" and (half_a_digit_off(table) or is_constant(table)))
        or (key == "known_members" and family == "ranges" and not table.joint)
        or (key == "known_members" and family == "gaps" and is_vague(table))
    )


@pytest.mark.parametrize("block", spread(BLOCKS, 1))
@pytest.mark.parametrize("family", FAMILIES)
def test_equals_brute_force(family, block):
    """On every random table every risk is what brute force finds."""
    wrong, seen = [], Counter()
    asked = {key: twin for key, twin in TWINS.items() if family in ONLY.get(key, FAMILIES)}
    for seed, (key, twin) in product(range(block, block + BLOCK), asked.items()):
        table = made(family, seed)
        if not is_left_out(key, family, table):
            wanted = twin(table)
            wrong += compare(measured(family, seed).risk, key, wanted, f"{family} {seed}")
            seen[key] += 1
    assert not wrong, "\n".join(wrong[:10])
    assert set(seen) == set(asked)
    assert min(seen.values()) > BLOCK / 4


@pytest.mark.slow
@pytest.mark.parametrize("family", spread(FAMILIES, 1))
def test_model_inference(family):
    """Where no guess is a tie, naive Bayes gains what exact fractions say, column by column."""
    wrong, seen, seed = [], 0, 0
    while seen < TABLES:
        table = made(family, seed)
        rng = np.random.default_rng(0)
        found = measured(family, seed).risk
        for name, truth in zip(table.sensitive_names, table.sensitive, strict=True):
            if len(set(truth) - {None}) < 2:
                assert name not in getattr(found.get("model_inference"), "by", {})
                continue
            folds = rng.permutation(np.arange(len(truth)) % 5).tolist()
            wanted = naive.model_inference(
                table.original, table.release, table.numbers, truth, folds
            )
            if wanted is None:
                continue
            seen += 1
            value = found["model_inference"].by[name]
            if value != pytest.approx(float(wanted), abs=1e-9):
                wrong.append(f"{family} {seed}: {name} {value}, {float(wanted)} by brute force")
        seed += 1
    assert not wrong, "\n".join(wrong[:10])


@pytest.mark.parametrize("block", spread(BLOCKS, 1))
def test_weights_and_no_pairs(block):
    """With weights and rows in any order, all that the release tells is what brute force finds."""
    twins = {key: twin for key, twin in TWINS.items() if key not in PAIRED | {"extra_digits"}}
    for name in ("marketer", "journalist", "population_uniques"):
        twins[name] = lambda table, name=name: getattr(naive, name)(table.release, table.weights)
    wrong = []
    for seed in range(block, block + BLOCK):
        table = made("means", seed)
        original, release = table.tables()
        order = random.Random(seed).sample(range(len(release)), len(release))
        found = shoal.measure(
            original,
            release.take(order),
            quasi_identifiers=table.names,
            sensitive=table.sensitive_names,
            weight="w",
            rows="shuffled",
        ).risk
        for key, twin in twins.items():
            wrong += compare(found, key, twin(table), f"means {seed}")
        wrong += [f"means {seed}: {key} needs pairs" for key in PAIRED & set(found)]
    assert not wrong, "\n".join(wrong[:10])


@each("seed", range(20))
def test_more_records(seed):
    """Of 40 to 240 records the risks that count places and sizes are what brute force finds."""
    rng = random.Random(seed)
    rows = rng.randint(40, 240)
    values = [[rng.randint(0, 10 ** rng.randint(1, 4)) for _ in range(rows)] for _ in range(2)]
    order = sorted(range(rows), key=lambda i: values[0][i] + rng.gauss(0, 30))
    labels = [0] * rows
    for place, i in enumerate(order):
        labels[i] = place // (3 + seed % 12)
    after = [
        measured_tables.by_group(labels, column, measured_tables.exact_mean) for column in values
    ]
    before = [list(row) for row in zip(*values, strict=True)]
    later = [list(row) for row in zip(*after, strict=True)]
    found = shoal.measure(
        pa.table({"a": values[0], "b": values[1]}),
        pa.table({"a": after[0], "b": after[1]}),
        rows="same",
    ).risk
    wrong = []
    for key in ("rank_interval_disclosure", "distance_linkage", "known_members"):
        twin = getattr(naive, key)
        wrong += compare(found, key, twin(before, later, [True, True]), f"seed {seed}")
    for size, key in ((5, "above_0.2"), (11, "above_0.09")):
        wrong += compare(found, key, naive.above(later, size), f"seed {seed}")
    assert not wrong, "\n".join(wrong)


# --- by hand


def by_hand(before, after, beside=None, **options):
    """The risks of columns {name: cells}; `beside` stands in both tables."""
    beside = beside or {}
    options = {"quasi_identifiers": list(before), "rows": "same", **options}
    return shoal.measure(pa.table({**before, **beside}), pa.table({**after, **beside}), **options)


def test_weights_by_hand():
    """With p = 1/2: E[1/F | 1] = Σ 2^-F / F = ln 2, E[1/F | 2] = ∫ u / (1 + u) du = 1 - ln 2.

    Class a has one record of weight 2, class b two of weight 2: p = 1/2 and 2/4. The largest is
    ln 2; the mean over the three records (ln 2 + 2 (1 - ln 2)) / 3 = (2 - ln 2) / 3; one record of
    three is alone, and in the population with the chance 1/2: 1/6.
    """
    cells, weights = {"q": [*"abb"]}, {"w": [2.0, 2.0, 2.0]}
    found = by_hand(cells, cells, weights, weight="w").risk
    assert found["journalist"].value == pytest.approx(100 * math.log(2), rel=1e-9)
    assert found["marketer"].value == pytest.approx(100 * (2 - math.log(2)) / 3, rel=1e-9)
    assert found["population_uniques"].value == pytest.approx(100 / 6)
    assert naive.expected_inverse(1, 2) == pytest.approx(math.log(2), rel=1e-11)
    assert naive.expected_inverse(2, 4) == pytest.approx(1 - math.log(2), rel=1e-11)


def test_distance_linkage_of_intervals_and_masks_by_hand():
    """What covers is at distance 0: two records share [20,30] and 12**, the third is alone: 2/3."""
    before = {"age": [20, 30, 40], "zip": ["1234", "1299", "5678"]}
    after = {"age": ["[20,30]", "[20,30]", "40"], "zip": ["12**", "12**", "5678"]}
    found = by_hand(before, after, hierarchies={"zip": "prefixes:2"}).risk
    assert found["distance_linkage"].value == pytest.approx(200 / 3)
    half_open = {**after, "age": ["[15,35)", "[15,35)", "40"]}
    found = by_hand(before, half_open, hierarchies={"zip": "prefixes:2"}).risk
    assert found["distance_linkage"].value == pytest.approx(200 / 3)


def test_distance_linkage_of_trees_by_hand(write):
    """A word of the tree covers what is below it: flu and cold are lung, ulcer is itself: 2/3.

    Where lung is released for ulcer too, flu and cold still find only lung, whose records are
    three, and so does ulcer, at distance 1: 1/3 each.
    """
    tree = write("tree.csv", "flu;lung;*\ncold;lung;*\nulcer;gut;*\n")
    before = {"d": ["flu", "cold", "ulcer"]}
    for after, wanted in ((["lung", "lung", "ulcer"], 2 / 3), (["lung"] * 3, 1 / 3)):
        found = by_hand(before, {"d": after}, hierarchies={"d": str(tree)}).risk
        assert found["distance_linkage"].value == pytest.approx(100 * wanted)


def test_missing_cells_by_hand():
    """A missing cell is covered by * and 1 away from a number, a number is covered by *.

    x = 0, 2, missing; s = √2. Released 0, *, *: 0 is at distance 0 from all three: 1/3. 2 is √2
    from 0 and covered by *: 1/2. The missing one is 1 from 0 and covered by *: 1/2.
    """
    found = by_hand({"x": [0, 2, None]}, {"x": ["0", "*", "*"]}).risk
    assert found["distance_linkage"].value == pytest.approx(100 * (1 / 3 + 1 / 2 + 1 / 2) / 3)
    swapped = by_hand({"x": [0, 2, None]}, {"x": [0, None, 2]}).risk
    # 0 is 0 from 0 and from the missing one: 1/2; 2 is 0 from 2 and the missing one, its own: 1/2;
    # the missing one is 0 from the missing one only, which is not its own
    assert swapped["distance_linkage"].value == pytest.approx(100 / 3)


def test_certain_whatever_the_spelling_by_hand():
    """A class of A, a and a with a space holds one value: two of its four records miss theirs."""
    cells, beside = {"q": [*"xxxxyy"]}, {"s": ["A", "a\u00a0", " ", None, "a", "b"]}
    found = by_hand(cells, cells, beside, sensitive=["s"]).risk
    assert found["certain_inference"].value == pytest.approx(100 * 2 / 6)


def test_known_members_beside_stars_by_hand():
    """Means are as telling where other groups are suppressed: 4 of 6 numbers, as with no text.

    100 % of what is released has a digit too much, and 9 makes up all but 8 of its class.
    """
    before = {"x": [1, 2, 8, 9, 20, 30]}
    for after in ([1.5, 1.5, 8.5, 8.5, None, None], ["1.5", "1.5", "8.5", "8.5", "*", "*"]):
        found = by_hand(before, {"x": after}).risk
        assert found["known_members"].value == pytest.approx(100 * 4 / 6)
        assert found["extra_digits"].value == pytest.approx(100)
        assert found["dominance"].value == pytest.approx(100)


def test_known_members_of_decimals_by_hand(write):
    """In a file of tenths half a digit is 0.05: 2 · |0.16 - 0.15| is below, 2 · |0.2 - 0.15| not.

    The two others, 0.8 and 0.9, are released as 0.85.
    """
    before = write("o.csv", "x\n0.1\n0.2\n0.8\n0.9\n")
    for released, wanted in (("0.15", 100), ("0.16", 100), ("0.20", 50)):
        after = write("r.csv", f"x\n{released}\n{released}\n0.85\n0.85\n")
        found = shoal.measure(before, after, rows="same").risk
        assert found["known_members"].value == pytest.approx(wanted)


def test_dominance_at_the_limit():
    """Classes whose rest is exactly the tenth are safe, and sums in any order say so."""
    rng = np.random.default_rng(0)
    groups = [[100, 50, 4, 3, 2, 1], [100, 50, 4, 3, 2], [7], [0, 0], [-90, 4, 5, 4], [5, 5, 5]]
    groups += rng.integers(-40, 40, (200, 5)).tolist()
    values = np.array([float(v) for group in groups for v in group])
    classes = np.repeat(np.arange(len(groups)), [len(group) for group in groups])
    unsafe = 0
    for group in groups:
        first, *rest = sorted(map(abs, group), reverse=True)
        unsafe += first > 0 and 10 * sum(rest[1:]) < first
    for order in (np.arange(values.size), rng.permutation(values.size)):
        found = recovery.dominated(values[order], classes[order])
        assert found == pytest.approx(100 * unsafe / len(groups), rel=1e-12)


# --- what changes nothing


def close(one, other):
    """Whether two answers have the same measures of the same values."""
    assert set(one) == set(other)
    for key, measure in one.items():
        assert measure.value == pytest.approx(other[key].value, rel=1e-9, abs=1e-9), key


@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_key_pairs_rows(seed):
    """With a key, rows in any order have the risks of rows side by side."""
    table = made("means", seed)
    original, release = table.tables()
    order = random.Random(seed).sample(range(len(release)), len(release))
    options = {"quasi_identifiers": table.names, "sensitive": table.sensitive_names}
    wanted = dict(measured("means", seed).risk)
    found = dict(shoal.measure(original, release.take(order), key="id", **options).risk)
    for risks in (wanted, found):
        risks.pop("model_inference", None)  # its folds may follow the rows
    close(found, wanted)


@pytest.mark.parametrize("seed", range(0, 60, 5))
def test_order_of_rows(seed):
    """The same people in another order have the same risks."""
    table = made("ranges", seed)
    order = random.Random(seed).sample(range(len(table.original)), len(table.original))
    found = shoal.measure(
        *(one.take(order) for one in table.tables()),
        quasi_identifiers=table.names,
        sensitive=table.sensitive_names,
        rows="same",
    )
    wanted = dict(measured("ranges", seed).risk)
    risks = dict(found.risk)
    for one in (wanted, risks):
        one.pop("model_inference", None)
    close(risks, wanted)


def test_a_single_block_is_linked_by_distance():
    """Where the columns were grouped together, blocks tell no more than the distance does."""
    seen = 0
    for seed in range(TABLES // 2):
        table = made("means", seed)
        if len(naive.blocks(table.release)) == 1 and not has_star(table):
            found = measured("means", seed).risk
            value = found["distance_linkage"].value
            assert found["block_linkage"].value == pytest.approx(value, abs=1e-9), seed
            seen += 1
    assert seen > 25


def test_every_door(tmp_path):
    """Files and dataframes of all kinds have the same risks."""
    rng = random.Random(3)
    rows = 40
    before = pa.table(
        {
            "x": [rng.randint(0, 50) for _ in range(rows)],
            "y": [rng.randint(0, 9) for _ in range(rows)],
            "c": [rng.choice("uvw") for _ in range(rows)],
        }
    )
    after = shoal.anonymize(before, k=3, method="mdav").data
    wanted = shoal.measure(before, after, rows="same").risk
    both = {"o": before, "r": after}
    for name, table in both.items():
        pyarrow.csv.write_csv(table, tmp_path / f"{name}.csv")
        pq.write_table(table, tmp_path / f"{name}.parquet")
    for ending in ("csv", "parquet"):
        files = [tmp_path / f"{name}.{ending}" for name in both]
        close(shoal.measure(*files, rows="same").risk, wanted)
    close(shoal.measure(before.to_pandas(), after.to_pandas(), rows="same").risk, wanted)
    close(shoal.measure(*map(pl.from_arrow, (before, after)), rows="same").risk, wanted)


def test_sample():
    """A sample of records has as many as asked, an interval, and the whole within it mostly."""
    rng = random.Random(1)
    values = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(400)]
    noisy = [[x + rng.gauss(0, 0.4) for x in row] for row in values]
    tables = [
        pa.table({name: [row[j] for row in rows] for j, name in enumerate("abc")})
        for rows in (values, noisy)
    ]
    whole = shoal.measure(*tables, rows="same").risk["distance_linkage"]
    assert whole.sampled is None
    assert whole.interval is None
    inside = 0
    for seed in range(12):
        part = shoal.measure(*tables, rows="same", sample=100, seed=seed).risk["distance_linkage"]
        again = shoal.measure(*tables, rows="same", sample=100, seed=seed).risk["distance_linkage"]
        assert part.sampled == 100
        assert part.interval[0] <= part.value <= part.interval[1]
        assert (again.value, again.interval) == (part.value, part.interval)
        inside += part.interval[0] <= whole.value <= part.interval[1]
    assert inside >= 8


def test_sentences_are_filled_in():
    """Every measure says its figure in a sentence without a gap."""
    for seed in range(0, 40, 4):
        found = measured("means", seed)
        for measure in (*found.utility.values(), *found.risk.values()):
            assert "{" not in measure.sentence
            assert len(measure.sentence) > 20
            assert math.isfinite(measure.value)


@each("seed", range(20))
def test_kept_columns_by_brute_force(seed):
    """Alone by kept columns, in all of the release and in the class, with all columns that stay."""
    rng = random.Random(seed)
    rows = rng.randint(4, 40)
    groups = [(i // 4, "x" if i % 8 < 4 else "y") for i in range(rows)]
    kept = [(rng.randint(0, 5), rng.choice([None, "a", "b"]), rng.uniform(1, 3)) for _ in groups]
    if seed % 2:
        kept = [(a, b, round(w)) for a, b, w in kept]
    columns = dict(zip(("q", "p"), zip(*groups, strict=True), strict=True))
    columns |= dict(zip(("a", "b", "w"), zip(*kept, strict=True), strict=True))
    release = pa.table({name: list(cells) for name, cells in columns.items()})
    found = shoal.measure(release, release, quasi_identifiers=["q", "p"], weight="w", rows="same")
    assert found["kept_uniques"].value == pytest.approx(naive.alone(kept))
    assert found["kept_linkage"].value == pytest.approx(naive.alone_in_class(groups, kept))
    for at, name in enumerate(("a", "b", "w")):
        own = [(row[at],) for row in kept]
        assert found["kept_uniques"].by[name] == pytest.approx(naive.alone(own))
        assert found["kept_linkage"].by[name] == pytest.approx(naive.alone_in_class(groups, own))


@pytest.mark.parametrize("reading", spread(["own", "root", "wildcard"], 1))
def test_risks_of_class_sizes_by_a_reading_of_missing_cells(reading, tmp_path):
    """Risks that follow from class sizes are those of the candidates that a reading leaves."""
    rng = random.Random(5)
    for number in range(20 if is_thorough() else 3):
        keys = [tuple(rng.choice("xyz*") for _ in range(3)) for _ in range(30)]
        release = tmp_path / f"r{number}.csv"
        release.write_text("a,b,c\n" + "".join(",".join(key) + "\n" for key in keys))
        original = tmp_path / f"o{number}.csv"
        plain = [tuple(cell.replace("*", "x") for cell in key) for key in keys]
        original.write_text("a,b,c\n" + "".join(",".join(key) + "\n" for key in plain))
        found = shoal.measure(
            original, release, quasi_identifiers=["a", "b", "c"], missing_as=reading
        )
        many = [len(own) for own in judging.candidates(keys, reading)]
        assert found["prosecutor"].value == pytest.approx(100 / min(many))
        assert found["marketer"].value == pytest.approx(100 * sum(1 / m for m in many) / 30)
        assert found["sample_uniques"].value == pytest.approx(100 * many.count(1) / 30)
        assert found["above_0.2"].value == pytest.approx(100 * sum(m < 5 for m in many) / 30)
        assert found.candidates == (None if reading == "own" else min(many))
        judged = shoal.verify(
            release, k=1, quasi_identifiers=["a", "b", "c"], missing_as=reading
        ).sizes
        each = sorted(many[i] for i in {key: i for i, key in enumerate(keys)}.values())
        assert (judged.least, judged.largest) == (each[0], each[-1])
        assert judged.median == (each[(len(each) - 1) // 2] + each[len(each) // 2]) / 2
        assert judged.squares == sum(Counter(keys)[key] ** 2 for key in set(keys))


def test_readings_that_cannot_be_measured():
    """A reading with survey weights is refused in words."""
    table = pa.table({"a": ["x", "x", "*"], "w": [1.0, 2.0, 3.0]})
    with pytest.raises(shoal.RequestError, match="leave out one"):
        shoal.measure(table, table, quasi_identifiers=["a"], weight="w", missing_as="root")
