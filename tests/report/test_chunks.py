"""The figures of a release are the same in one chunk, in memory, and in many, out of core."""

from __future__ import annotations

import json
import math
from dataclasses import asdict
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import product

import numpy as np
import pyarrow as pa
import pytest

from shoal.partition import Partition, canonical_labels
from shoal.release.aggregate import Aggregators, aggregate
from shoal.report.build import Findings, Released, Run, build_report
from shoal.report.chunk import Chunk
from shoal.report.figures import (
    chunk_figures,
    combine,
    figures_of,
    finalize,
    value_counts,
)
from shoal.report.figures.ranges import Ranges, compared, ranges_of, widened
from shoal.table.assign import with_roles
from shoal.table.encode_nodes import Coded, code, in_trees_of
from shoal.table.ordinal import with_orders
from shoal.table.read import read
from shoal.table.roles import Kind, Role, Written
from shoal.table.rounding import rounded

K = 3
PAIN = ("none", "mild", "severe")
EXACT = ("cells", "constants", "histograms", "totals")  # counts, and sums without rounding
RELATIVE = 1e-12

HOW = {
    "means": {"age": "mean", "pay": "mean", "price": "mean", "flag": "majority", "born": "mean",
              "seen": "mean", "pain": "median", "far": "mean", "one": "mean", "huge": "mean"},
    "medians": {"age": "median", "price": "median", "born": "median", "pain": "median"},
    "trees": {"age": "range", "pay": "generalize", "born": "generalize", "pain": "range",
              "town": "generalize"},
    "mixed": {"age": "mean", "price": "median", "town": "generalize", "pain": "mode",
              "flag": "majority", "born": "range"},
    "modes": {"age": "mode", "town": "mode", "flag": "mode"},
    "strata": {"age": "mean", "town": "stratum"},
}  # fmt: skip


def cells(rng, rows):
    """Columns of every kind."""
    day = date(2001, 2, 3)
    noon = datetime(1999, 12, 31, 12, 0, 1)
    return {
        "age": pa.array(rng.integers(18, 95, rows)),
        "pay": pa.array(rng.lognormal(8, 1.5, rows)),
        "price": pa.array([Decimal(int(n)) / 100 for n in rng.integers(-9_999, 99_999, rows)],
                          type=pa.decimal128(12, 2)),
        "flag": pa.array(rng.integers(1, 3, rows)),
        "born": pa.array([day + timedelta(days=int(n)) for n in rng.integers(0, 9_000, rows)]),
        "seen": pa.array([noon + timedelta(seconds=int(n)) for n in rng.integers(0, 10**8, rows)],
                         type=pa.timestamp("ns")),
        "pain": pa.array([PAIN[n] for n in rng.integers(0, 3, rows)]),
        "town": pa.array([f"{'NS'[n % 2]}{n}" for n in rng.integers(0, 9, rows)]),
        "far": pa.array(10**17 + rng.integers(0, 50, rows)),
        "one": pa.array([7.25] * rows),
        "huge": pa.array(rng.normal(0, 1, rows) * 1e200),
        "cost": pa.array(rng.lognormal(5, 1, rows)),
    }  # fmt: skip


def fixed_point(column):
    """A column of decimals as a csv file gives it."""
    if column.name != "price":
        return column
    return column.replace(kind=Kind.DECIMAL, written=Written(decimals=2))


def release(what, seed, missing, weighted, rows=90):
    """A release as one chunk, and its trees."""
    rng = np.random.default_rng(seed)
    how = HOW[what]
    columns = {name: own for name, own in cells(rng, rows).items() if name in (*how, "cost")}
    for name in [name for name in how if missing and how[name] != "stratum"][::2]:
        own = columns[name]
        columns[name] = pa.array(own.to_pylist(), own.type, mask=rng.random(rows) < 0.05)
    labels = canonical_labels(rng.permutation(np.arange(rows) % (rows // 4)))
    if "town" in how and how["town"] == "stratum":
        columns["town"] = pa.array([f"t{label % 2}" for label in labels])
    roles = dict.fromkeys(how, Role.QUASI_IDENTIFIER) | {"cost": Role.OTHER}
    original = with_roles(read(pa.table(columns)), roles).mapped(fixed_point)
    original = with_orders(original, {"pain": PAIN} if "pain" in how else {})
    table = rounded(original, {"cost": 10})
    coded = None
    if not {"mean", "median", "majority", "stratum"}.issuperset(how.values()):
        ranges = [name for name, way in how.items() if way == "range"]
        coded = code(table, {"pay": "widths:1000,10000"} if "pay" in how else {}, None, ranges)
    made = aggregate(table, Partition(labels, K), Aggregators(how), coded)
    weights = rng.uniform(0.5, 20.0, rows) if weighted else None
    shown = None if weights is None else np.round(weights, 1)
    points = rng.normal(size=(rows, 2))
    return Chunk(table, made, labels, how, coded, {}, weights, shown, original, points)


def parts_of(whole, count, seed):
    """The same release in chunks of whole groups."""
    place = np.random.default_rng(seed).integers(0, count, int(whole.labels.max()) + 1)
    for number in np.unique(place):
        rows = np.flatnonzero(place[whole.labels] == number)
        before = whole.before.take(rows)
        coded = whole.coded
        if coded is not None:
            some = [in_trees_of(known, before[known.name]) for known in coded.columns]
            coded = Coded(tuple(some), rows.size)
        yield Chunk(
            before, whole.after.take(rows), canonical_labels(whole.labels[rows]),
            whole.aggregators, coded,
            {},
            None if whole.weights is None else whole.weights[rows],
            None if whole.released_weights is None else whole.released_weights[rows],
            whole.originals.take(rows), whole.points[rows],
        )  # fmt: skip


def plain(value):
    """A partial result as it travels."""
    return json.loads(json.dumps(value, allow_nan=False))


def in_chunks(chunks, how, known, deleted):
    """The figures of chunks, whose partial results travel as plain values."""
    columns = plain(ranges_of(chunks[0]))
    for chunk in chunks[1:]:
        columns = widened(columns, plain(ranges_of(chunk)))
    ranges = Ranges(columns, how, K, deleted, value_counts(known))
    return finalize([plain(chunk_figures(chunk, ranges)) for chunk in chunks], ranges)


def trees_of(whole):
    """The trees of a release by the names of their columns."""
    return {} if whole.coded is None else {one.name: one for one in whole.coded.columns}


def report_of(whole, figures, stable):
    """The report of figures, as plain values."""
    trees = trees_of(whole)
    made = build_report(
        Released(
            whole.before, whole.after.names, whole.aggregators, trees, (), {"cost": 10}, stable
        ),
        Run("given", K, 0, figures["classes"]["loss"], "", 0.0),
        Findings({"k": K, "ok": True}, [], []),
        figures,
    )
    return asdict(made)


def check(one, other, where, exactly):
    """Compare two trees, leaf by leaf."""
    assert type(one) is type(other), where
    if isinstance(one, dict):
        assert list(one) == list(other), where
        for key in one:
            check(one[key], other[key], (*where, key), exactly)
    elif isinstance(one, list):
        assert len(one) == len(other), where
        for number, pair in enumerate(zip(one, other, strict=True)):
            check(*pair, (*where, number), exactly)
    elif isinstance(one, float) and not exactly:
        near = 1e-13 if "correlations" in where else 0.0
        assert math.isclose(one, other, rel_tol=RELATIVE, abs_tol=near), (where, one, other)
    else:
        assert one == other, where


def cases():
    """Every way with and without missing cells and weights; one of the four, in turn, always."""
    both = list(product((False, True), repeat=2))
    for place, what in enumerate(HOW):
        for number, pair in enumerate(both):
            always = number == place % len(both)
            yield pytest.param(what, *pair, marks=[] if always else pytest.mark.slow)


@pytest.mark.parametrize(("what", "missing", "weighted"), list(cases()))
def test_chunks_say_what_the_whole_says(what, missing, weighted, thorough):
    """Every figure of a report is the same, whatever the number and sizes of chunks."""
    numbers = (1, 2, 3, 7, 30) if thorough else (1, 30) if missing == weighted else (3, 7)
    for seed, count in enumerate(numbers):
        whole = release(what, seed, missing, weighted)
        deleted = 2 * seed
        usual = figures_of([whole], K, deleted, whole.coded)
        some = in_chunks(
            list(parts_of(whole, count, seed)), whole.aggregators, whole.coded, deleted
        )
        for family in EXACT:
            assert usual[family] == some[family], family
        for name, own in usual["numbers"].items():
            for side in ("mean_before", "mean_after"):
                assert own[side] == some["numbers"][name][side], (name, side)
        stable = compared(whole.before, whole.after, trees_of(whole), K)
        one, other = (report_of(whole, figures, stable) for figures in (usual, some))
        check(one, other, (), exactly=False)


@pytest.mark.parametrize("what", HOW)
def test_the_order_of_chunks_does_not_matter(what):
    """Partial results combine in any order and in any pairs."""
    whole = release(what, 5, True, True)
    chunks = list(parts_of(whole, 4, 5))
    usual = in_chunks(chunks, whole.aggregators, whole.coded, 1)
    check(usual | {"stable": {}}, in_chunks(chunks[::-1], whole.aggregators, whole.coded, 1)
          | {"stable": {}}, ("correlations",), exactly=False)  # fmt: skip
    columns = ranges_of(whole)
    ranges = Ranges(columns, whole.aggregators, K, 1, value_counts(whole.coded))
    a, b, c, d = (chunk_figures(chunk, ranges) for chunk in chunks)
    pairs = finalize([combine(combine(a, b), combine(c, d))], ranges)
    for family in EXACT:
        assert pairs[family] == usual[family], family


def test_what_the_figures_are():
    """Loss, mean, variance and correlation of a column are those of plain arithmetic."""
    whole = release("means", 1, False, True)
    found = in_chunks(list(parts_of(whole, 5, 1)), whole.aggregators, None, 0)
    w = whole.weights
    b, a = (np.asarray(side["pay"].values).astype(float) for side in (whole.before, whole.after))
    center = (w * b).sum() / w.sum()
    squares = (w * (b - center) ** 2).sum()
    assert found["numbers"]["pay"]["mean_before"] == pytest.approx(center, rel=1e-14)
    assert found["numbers"]["pay"]["variance_before"] == pytest.approx(squares / w.sum())
    lost = 100 * (w * (b - a) ** 2).sum() / squares
    assert found["losses"]["columns"]["pay"] == pytest.approx(lost)
    names = found["correlations"]["columns"]
    age = np.asarray(whole.before["age"].values).astype(float)
    r = found["correlations"]["before"][names.index("age")][names.index("pay")]
    assert r == pytest.approx(np.corrcoef(age, b)[0, 1])
    assert found["correlations"]["after"][names.index("one")] == [None] * len(names)
    assert found["constants"] == {"constant": ["one"], "made_constant": []}
    huge = found["numbers"]["huge"]
    assert huge["variance_before"] is None
    assert 0 < found["losses"]["columns"]["huge"] < 1000
