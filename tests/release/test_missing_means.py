"""Groups of which cells are missing: the mean of those present if k are, else no value."""

from __future__ import annotations

import datetime as dt
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from naive.missing import means_of_present
from shoal.partition import Partition
from shoal.release.aggregate import Aggregators, aggregate
from shoal.table.roles import Column, Kind
from shoal.table.source import Source
from shoal.table.survey import Survey
from shoal.table.table import Table

CELLS = st.none() | st.integers(-999, 999)


def released(values, labels, k, how="mean", survey=None, kind=None):
    """What a column of values releases in groups."""
    if pa.types.is_decimal(kind or pa.null()):
        column = Column("x", Kind.DECIMAL, pa.array(values, kind))
        table = Table((column,), Source("t", "dataframe"))
    else:
        table = shoal.read(pa.table({"x": pa.array(values, kind)}))
    partition = Partition(np.array(labels), k)
    made = aggregate(table, partition, Aggregators(how), survey=survey or Survey())
    return made["x"].values.to_pylist()


@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=9), min_size=1, max_size=5),
    st.integers(0, 2),
    st.integers(1, 3),
)
def test_as_defined(groups, digits, people):
    """Means of present cells are exact, rounded once; k cells, or cells of k people, are needed."""
    cells = [cell for group in groups for cell in group]
    labels = [number for number, group in enumerate(groups) for _ in group]
    scaled = [None if c is None else Decimal(c).scaleb(-digits) for c in cells]
    if all(cell is None for cell in cells):
        return
    unit = Decimal(1).scaleb(-digits)
    persons = np.arange(len(cells)) // (people if min(map(len, groups)) > 3 * people else 1)
    for units in (None, persons):
        survey = Survey() if units is None else Survey(persons=units)
        now = released(scaled, labels, 3, survey=survey, kind=pa.decimal128(20, digits))
        meant = means_of_present(scaled, labels, 3, units)
        for one, other in zip(now, meant, strict=True):
            if other is None:
                assert one is None
                continue
            exact = Decimal(other.numerator) / Decimal(other.denominator)
            assert one == exact.quantize(unit, ROUND_HALF_EVEN)


@pytest.mark.parametrize(
    ("values", "kind", "mean"),
    [
        ([1, 2, 4], pa.int64(), 2),
        ([1.5, 2.5, 5.0], pa.float64(), 3.0),
        ([1.5, 2.5, float("nan"), 5.0], pa.float64(), 3.0),
        ([True, False, True], pa.bool_(), True),
        ([dt.date(2026, 1, 1), dt.date(2026, 1, 2), dt.date(2026, 1, 6)], pa.date32(),
         dt.date(2026, 1, 3)),
        ([dt.datetime(2026, 1, 1, 10), dt.datetime(2026, 1, 1, 11), dt.datetime(2026, 1, 1, 15)],
         pa.timestamp("us"), dt.datetime(2026, 1, 1, 12)),
    ],
)  # fmt: skip
def test_every_kind(values, kind, mean):
    """Numbers, dates and flags release the average of the present cells, in their own type."""
    other = values[0]
    cells, labels = [*values, None, other, other, None], [0] * len(values) + [0, 1, 1, 1]
    now = released(cells, labels, 3, kind=kind)
    first = len(values) + 1
    assert now[:first] == [mean] * first
    assert now[first:] == [None] * 3  # two of three are present


def test_median_and_weights():
    """The median is that of the present cells, and weights count in means of these alone."""
    cells, labels = [1, 2, 9, None, 5], [0] * 5
    assert released(cells, labels, 3, "median") == [4] * 5  # of 1, 2, 5, 9: 3.5, to even
    weights = np.array([1.0, 1.0, 1.0, 100.0, 5.0])
    now = released([1.0, 2.0, 9.0, None, 6.0], labels, 3, survey=Survey(weights))
    assert now == [5.0] * 5  # 42/8, to the digits of the data


def table_with_gaps(rows=120, seed=3):
    """Numbers, dates and texts of which a tenth is missing."""
    rng = np.random.default_rng(seed)

    def gaps(values):
        return [None if rng.random() < 0.1 else value for value in values]

    return pl.DataFrame(
        {
            "age": gaps(rng.integers(18, 90, rows).tolist()),
            "pay": gaps(np.round(rng.normal(3000, 500, rows), 2).tolist()),
            "born": gaps([dt.date(1950, 1, 1) + dt.timedelta(int(d))
                          for d in rng.integers(0, 20_000, rows)]),
            "town": gaps(rng.choice(["Aa", "Bo", "Ch"], rows).tolist()),
        }
    )  # fmt: skip


def check_rule(before, after, groups, k, name):
    """A group's released cells are the mean of at least k present ones, or all missing."""
    filled = 0
    for label in set(groups):
        members = [i for i, own in enumerate(groups) if own == label]
        there = [before[i] for i in members if before[i] is not None]
        now = {after[i] for i in members}
        assert len(now) == 1, name
        if len(there) < k:
            assert now == {None}, name
        else:
            assert now != {None}, name
            (value,) = now
            if isinstance(value, float | int):
                assert value == pytest.approx(sum(there) / len(there), abs=0.501)
            filled += len(members) - len(there)
    return filled


@pytest.mark.parametrize("method", ["auto", "mst"])
@pytest.mark.parametrize("columns", [["age", "pay", "born"], ["age", "pay", "born", "town"]])
def test_numbers_stay_numbers(columns, method):
    """With missing cells, and beside texts, numbers and dates keep their type by default."""
    table = table_with_gaps().select(columns)
    result = shoal.anonymize(table, k=3, effort="quick", method=method)
    assert {n: result.data.schema[n] for n in columns if n != "town"} == {
        n: table.schema[n] for n in columns if n != "town"
    }
    labels = result.partition.labels.tolist()
    filled = {
        name: check_rule(table[name].to_list(), result.data[name].to_list(), labels, 3, name)
        for name in columns
        if name != "town"
    }
    assert method == "auto" or sum(filled.values()) > 0  # groups of k have none to spare
    reported = {c.name: c.filled for c in result.report.columns if c.name != "town"}
    assert reported == filled
    assert result.report.missing["filled"] == sum(filled.values())
    told = f"{sum(filled.values())} of them are released as the mean" in str(result.report)
    assert told == (sum(filled.values()) > 0)
    if "town" in columns and method == "auto":
        assert any("numbers are released as their means" in note for note in result.report.notes)


def test_intervals_when_asked():
    """Intervals are released where they are asked for, and by methods that are named for them."""
    table = table_with_gaps(60)
    for asked in ({"numbers": "interval"}, {"method": "kaim"}, {"method": "k-member"}):
        data = shoal.anonymize(table, k=3, effort="quick", intervals="text", **asked).data
        assert any(str(cell).startswith("[") for cell in data["age"].to_list()), asked
    both = shoal.anonymize(table, k=3, method="kaim", numbers="mean").data
    assert both.schema["age"] == table.schema["age"]
    tree = shoal.anonymize(table, k=3, effort="quick", hierarchies={"age": "widths:20"})
    assert tree.data.schema["age"] == pl.String
    assert tree.data.schema["pay"] == table.schema["pay"]


def test_recipe_repeats(shoal, tmp_path):
    """The recipe of a run by auto releases the same numbers again, whatever method it names."""
    table_with_gaps(60).write_csv(tmp_path / "t.csv")
    asked = ("anonymize", tmp_path / "t.csv", "-k", 3, "--effort", "quick", "--keep-order")
    assert shoal(*asked, "-o", tmp_path / "a.csv").code == 0
    recipe = (tmp_path / "a.private" / "run.toml").read_text()
    assert 'numbers = "mean"' in recipe
    assert 'method = "kaim+"' in recipe
    again = shoal("run", tmp_path / "a.private" / "run.toml", "-o", tmp_path / "b.csv")
    assert again.code == 0, again.err
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
