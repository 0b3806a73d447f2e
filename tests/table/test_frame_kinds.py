"""Columns of dataframes that are no plain numbers, texts or dates: kept, grouped, or refused."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from shoal.errors import InputError, OutputError, RequestError
from thorough import spread

AGES = np.random.default_rng(0).integers(18, 90, 60)
CODES = [int(age) % 4 for age in AGES]
MONTHS = pd.period_range("2020-01", periods=4, freq="M")


@pytest.mark.parametrize("ordered", spread([True, False], 1))
@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive", "other"])
def test_intervals_of_cut(tmp_path, role, ordered):
    """Categories of pandas.cut are read by their texts, in their order, whatever their role."""
    own = pd.Series(pd.cut(AGES, [0, 30, 50, 70, 100]))
    own = own if ordered else own.cat.as_unordered()
    frame = pd.DataFrame({"income": AGES % 7, "age": own})
    column = shoal.read(frame)["age"]
    assert column.values.to_pylist() == [str(cell) for cell in own]
    assert column.order == (("(0, 30]", "(30, 50]", "(50, 70]", "(70, 100]") if ordered else None)
    asked = {"quasi_identifiers": ["income"], role: ["age"]}
    if role == "quasi_identifiers":
        asked[role] = ["income", "age"]
    elif role == "sensitive":
        asked["l"] = 2
    result = shoal.anonymize(frame, k=3, method="mdav", **asked)
    asked.pop("other", None)
    assert result.data["age"].dtype == "category"
    for released in (result.data, result.shuffled(), result.save(tmp_path / "out")):
        assert shoal.verify(released, k=3, **asked).ok
    other = shoal.anonymize(frame.astype({"age": str}), k=3, method="mdav", **asked)
    if role != "quasi_identifiers" or not ordered:
        assert result.partition.labels.tolist() == other.partition.labels.tolist()


PANDAS = {
    "decimal": pd.Series([Decimal(code) / 4 for code in CODES]),
    "decimal of Arrow": pd.Series(CODES, dtype=pd.ArrowDtype(pa.decimal128(10, 2))),
    "interval": pd.Series(pd.interval_range(0, 4).take(CODES)),
    "period": pd.Series(MONTHS.take(CODES)),
    "timedelta": pd.Series(pd.to_timedelta(CODES, unit="h")),
    "bytes": pd.Series([b"abcd"[code:] for code in CODES]),
    "time": pd.Series([dt.time(code) for code in CODES]),
    "lists": pd.Series([[code] for code in CODES]),
    "lists of Arrow": pd.Series(
        [[c] for c in CODES], dtype=pd.ArrowDtype(pa.list_(pa.int64()))
    ),
    "dicts": pd.Series([{"a": code} for code in CODES]),
    "sets": pd.Series([{code, "a"} for code in CODES]),
    "sparse": pd.Series(pd.arrays.SparseArray(CODES)),
    "complex": pd.Series([complex(code) for code in CODES]),
    "mixed": pd.Series([code if code % 2 else str(code) for code in CODES]),
    "category of tuples": pd.Series(pd.Categorical([(code, 1) for code in CODES])),
    "category of periods": pd.Series(pd.Categorical(MONTHS.take(CODES))),
}  # fmt: skip
POLARS = {
    "decimals": pl.Series([Decimal(code) / 4 for code in CODES], dtype=pl.Decimal(10, 2)),
    "lists in polars": pl.Series([[dt.datetime(2020, 1, 1 + code)] for code in CODES]),
    "structs": pl.Series([{"a": code, "b": [str(code)]} for code in CODES]),
    "arrays": pl.Series([[code, 1] for code in CODES], dtype=pl.Array(pl.Int64, 2)),
    "binary": pl.Series([b"abcd"[code:] for code in CODES]),
    "duration": pl.Series(CODES).cast(pl.Duration("ms")),
    "objects": pl.Series([frozenset([code]) for code in CODES], dtype=pl.Object),
    "integers of 128 bits": pl.Series(CODES, dtype=pl.Int128),
}
ARROW = {
    "maps": pa.array([[("a", code)] for code in CODES], pa.map_(pa.string(), pa.int64())),
    "long decimals": pa.array(CODES).cast(pa.decimal256(60, 2)),
    "nested": pa.array([[{"a": [code, None]}] for code in CODES]),
    "periods of pandas": pa.array(MONTHS.take(CODES)),
    "intervals of pandas": pa.array(pd.interval_range(0, 4).take(CODES)),
}
EVERY = {**PANDAS, **POLARS, **ARROW}


def frame_of(name):
    """A dataframe of the library that a column is of."""
    cells = EVERY[name]
    make = pa.table if name in ARROW else (pl if name in POLARS else pd).DataFrame
    return make({"income": AGES % 7, "stay": AGES // 9, "x y": cells})


def listed(frame):
    """The cells of the column as Python's objects."""
    column = frame["x y"]
    return column.to_pylist() if isinstance(frame, pa.Table) else column.to_list()


def dtype(frame):
    """The type of the column."""
    return frame["x y"].type if isinstance(frame, pa.Table) else frame["x y"].dtype


def go(frame, **asked):
    """A release by the two numbers."""
    given = {"k": 3, "method": "mdav", "quasi_identifiers": ["income", "stay"], **asked}
    return shoal.anonymize(frame, **given)


@pytest.mark.parametrize("name", spread(EVERY, 8))
def test_kept_columns_of_any_type(name):
    """A kept column comes back with its type and values, and the caller's is as it was."""
    frame, before = frame_of(name), listed(frame_of(name))
    result = go(frame, other=["x y"])
    assert listed(frame) == before == listed(result.data)
    assert dtype(result.data) == dtype(result.shuffled()) == dtype(frame)


@pytest.mark.parametrize("name", spread(EVERY, 6))
def test_shuffled_with_their_rows(name):
    """Cells of any type stay with their records where rows are shuffled."""
    frame = frame_of(name)
    result = go(frame, other=["x y"])
    shuffled = result.shuffled(seed=1)
    order = np.random.default_rng(1).permutation(len(CODES))
    assert listed(shuffled) == [listed(frame)[row] for row in order]


UNGROUPED = {
    "timedelta": "duration", "bytes": "binary", "time": "time64", "lists": "list",
    "lists of Arrow": "list", "dicts": "struct", "sets": "object", "complex": "complex128",
    "mixed": "object", "category of tuples": "list", "structs": "struct", "arrays": "list",
    "binary": "binary", "duration": "duration", "objects": "object", "maps": "map",
    "integers of 128 bits": "Int128", "nested": "struct", "lists in polars": "list",
}  # fmt: skip


@pytest.mark.parametrize("name", UNGROUPED)
def test_types_that_cannot_be_grouped(name):
    """A quasi-identifier without order or categories is refused by its name and its type."""
    said = f"'x y'.*{UNGROUPED[name]}.*quasi-identifiers.*drop=\\['x y'\\].*other=\\['x y'\\]"
    with pytest.raises(InputError, match=said):
        go(frame_of(name), quasi_identifiers=["income", "x y"])


@pytest.mark.parametrize(
    "name", spread(sorted(set(EVERY) - set(UNGROUPED) - {"category of periods"}), 3)
)
def test_types_that_can_be_grouped(name):
    """Decimals, intervals, periods and sparse numbers are grouped and come back as such."""
    frame = frame_of(name)
    result = go(frame, quasi_identifiers=["income", "x y"])
    assert dtype(result.data) == dtype(frame)
    cells = listed(result.data)
    for group in range(result.partition.groups):
        own = {str(cells[row]) for row in np.flatnonzero(result.partition.labels == group)}
        assert len(own) == 1
    for released in (result.data, result.shuffled(), result.table):
        assert shoal.verify(released, k=3, quasi_identifiers=["income", "x y"]).ok


@pytest.mark.parametrize("name", ["lists", "structs", "mixed", "maps", "time"])
def test_nested_cells_are_not_sensitive(name):
    """Cells that cannot be counted as values are refused as sensitive ones."""
    with pytest.raises(InputError, match=r"'x y'.*cannot be sensitive.*drop=\['x y'\]"):
        go(frame_of(name), sensitive=["x y"], l=2)


SENSITIVE = [
    "decimal",
    "interval",
    "period",
    "timedelta",
    "bytes",
    "duration",
    "decimals",
    "binary",
]


@pytest.mark.parametrize("name", spread(SENSITIVE, 3))
def test_sensitive_columns_of_other_types(name, tmp_path):
    """Decimals, intervals, periods, durations and bytes are diverse and close, also in Parquet."""
    frame = frame_of(name)
    result = go(frame, sensitive=["x y"], l=3, t=0.6)
    cells, labels = listed(result.data), result.partition.labels
    for group in range(result.partition.groups):
        assert len({str(cells[row]) for row in np.flatnonzero(labels == group)}) >= 3
    result.save(tmp_path / "out", format="parquet")


def test_durations_have_an_order():
    """t-closeness of durations is that of their seconds, which are numbers."""
    asked = {"sensitive": ["x y"], "t": 0.15, "l": 2}
    frame = frame_of("timedelta")
    seconds = frame.assign(**{"x y": frame["x y"].dt.total_seconds()})
    one, other = go(frame, **asked), go(seconds, **asked)
    assert one.partition.labels.tolist() == other.partition.labels.tolist()


def test_mean_of_decimals_is_exact():
    """The mean of decimals is one, rounded half to even to their digits."""
    frame = pd.DataFrame({"x y": [Decimal("0.10"), Decimal("0.20"), Decimal("0.35")] * 2})
    assert shoal.anonymize(frame, k=6, method="mdav").data["x y"].tolist() == [Decimal("0.22")] * 6


def test_periods_are_rounded_to_the_nearest():
    """A group of periods releases the one whose start is nearest to the mean of their starts."""
    frame = pd.DataFrame({"x y": MONTHS.take([0, 1, 1, 3, 3, 3]), "a": [1, 1, 1, 9, 9, 9]})
    result = shoal.anonymize(frame, k=3, method="mdav")
    assert result.data["x y"].tolist() == [MONTHS[1]] * 3 + [MONTHS[3]] * 3
    assert (
        result.table["x y"].values.to_pylist()
        == [dt.date(2020, 2, 1)] * 3 + [dt.date(2020, 4, 1)] * 3
    )


def test_hours_are_periods_too():
    """Periods shorter than a day come back as such."""
    hours = pd.period_range("2020-01-01 05:00", periods=6, freq="h")
    result = shoal.anonymize(pd.DataFrame({"x y": hours}), k=3, method="mdav")
    assert result.data["x y"].tolist() == [hours[1]] * 3 + [hours[4]] * 3


def test_generalized_intervals_cover_their_group():
    """Where intervals are generalized, a group releases the least one that covers all of its."""
    own = pd.arrays.IntervalArray.from_tuples([(0, 9), (1, 2), (2, 3), (4, 5), (5, 6), (6, 7)])
    frame = pd.DataFrame({"x y": own, "a": [1, 1, 1, 9, 9, 9]})
    result = shoal.anonymize(
        frame,
        k=3,
        method="mdav",
        aggregate={"x y": "range"},
        quasi_identifiers=["x y", "a"],
    )
    assert result.data["x y"].dtype == frame["x y"].dtype
    expected = [pd.Interval(0, 9)] * 3 + [pd.Interval(4, 7)] * 3
    assert result.data["x y"].tolist() == expected


def test_missing_intervals_and_periods():
    """Missing cells of intervals and periods are missing in their groups."""
    for cells in (
        pd.interval_range(0.0, 4.0).take([0, 1, 2, 3] * 3),
        MONTHS.take([0, 1, 2, 3] * 3),
    ):
        own = pd.Series(cells).where(np.arange(12) != 0)
        frame = pd.DataFrame({"x y": own, "a": [1] * 6 + [9] * 6})
        released = shoal.anonymize(frame, k=6, method="mdav").data["x y"]
        assert released.dtype == own.dtype
        assert released.isna().any()


def test_unique_cells_of_any_type_are_refused():
    """Kept columns of nested cells in which most records are unique are refused unless named."""
    for own in ([[i] for i in range(60)], [{"a": i} for i in range(60)], [complex(i) for i in
                range(60)], [bytes([i]) for i in range(60)]):  # fmt: skip
        frame = pd.DataFrame({"income": AGES % 7, "stay": AGES // 9, "x y": own})
        with pytest.raises(RequestError, match=r"'x y'.*unique"):
            go(frame, other=["x y"])
        with pytest.raises(RequestError, match=r"'x y'.*no two records share a value"):
            go(frame)
        result = go(frame, other=["x y"], keep_unique=["x y"])
        assert result.data["x y"].tolist() == own


def test_kept_nested_cells_are_counted():
    """The report counts the records that nested cells single out, as it counts those of texts."""
    names = ["lists", "structs", "complex", "sets", "maps"]
    plain = pd.DataFrame({"income": AGES % 7, "stay": AGES // 9, "x y": [str(c) for c in CODES]})
    expected = singled(go(plain, other=["x y"]))
    assert expected
    for name in names:
        assert singled(go(frame_of(name), other=["x y"])) == expected


def singled(result):
    """Figures of a report on the records that kept columns single out."""
    every = result.report.measures["risk"]
    return {key: one["value"] for key, one in every.items() if "other" in key or "kept" in key}


class Silent:
    """An object that does not say what it holds."""


def test_objects_that_nobody_can_compare():
    """Objects that do not write what they hold can be dropped and nothing else."""
    frame = pd.DataFrame({"income": AGES % 7, "x y": [Silent() for _ in AGES]})
    with pytest.raises(InputError, match=r"'x y'.*cannot be compared.*drop=\['x y'\]"):
        shoal.anonymize(frame, k=3, quasi_identifiers=["income"], other=["x y"])
    for asked in ({"drop": ["x y"]}, {"identifiers": ["x y"], "count": "records"}):
        result = shoal.anonymize(
            frame, k=3, method="mdav", quasi_identifiers=["income"], **asked
        )  # fmt: skip
        assert list(result.data.columns) == ["income"]


@pytest.mark.parametrize("name", ["lists", "structs", "maps", "timedelta", "bytes"])
def test_parquet_holds_what_csv_cannot(name, tmp_path):
    """Cells without a plain text are refused in csv, by name, and written to Parquet."""
    frame = frame_of(name)
    result = go(frame, other=["x y"])
    with pytest.raises(OutputError, match=r"no plain text.*drop=\['x y'\], or write Parquet"):
        result.save(tmp_path / "out")
    assert not (tmp_path / "out").exists()
    path = result.save(tmp_path / "out", format="parquet", keep_order=True)
    written, own = pq.read_table(path)["x y"], result.table["x y"].values
    assert written.cast(own.type).to_pylist() == own.to_pylist()
    result.pack(tmp_path / "pack", format="parquet")


def test_objects_are_in_no_file(tmp_path):
    """Objects that Arrow has no type for are refused in every file, with what to do."""
    result = go(frame_of("complex"), other=["x y"])
    for kind in ("csv", "parquet"):
        with pytest.raises(OutputError, match=r"'x y'.*complex128.*drop=\['x y'\]$"):
            result.save(tmp_path / "out", format=kind)


def test_decimals_stay_decimals_in_files(tmp_path):
    """Decimals of a dataframe are decimals in Parquet, and have all their digits in csv."""
    result = go(frame_of("decimals"), quasi_identifiers=["income", "x y"])
    path = result.save(tmp_path / "out", format="parquet", keep_order=True)
    assert pq.read_schema(path).field("x y").type == pa.decimal128(10, 2)
    assert pq.read_table(path)["x y"].to_pylist() == listed(result.data)
    text = result.save(tmp_path / "text", keep_order=True).read_text()
    assert [line.split(",")[2] for line in text.splitlines()[1:]] == [
        f"{cell:.2f}" for cell in listed(result.data)
    ]


def test_geometries_are_kept():
    """A GeoDataFrame comes back with its geometries, their system and their column."""
    geopandas = pytest.importorskip("geopandas")
    points = geopandas.points_from_xy(CODES, CODES)
    frame = geopandas.GeoDataFrame({"income": AGES % 7, "x y": points}, geometry="x y", crs=4326)
    result = shoal.anonymize(
        frame, k=3, method="mdav", quasi_identifiers=["income"], other=["x y"]
    )  # fmt: skip
    for released in (result.data, result.shuffled()):
        assert isinstance(released, geopandas.GeoDataFrame)
        assert released.crs == frame.crs
        assert released.active_geometry_name == "x y"
    assert result.data.geometry.geom_equals(frame.geometry).all()
    with pytest.raises(InputError, match=r"'x y'.*geometry.*quasi-identifiers"):
        shoal.anonymize(frame, k=3)


def test_dictionaries_of_arrow_in_pandas():
    """Entries that no record has do not come back, whatever the role, and the type does."""
    levels = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 30, pa.int32()), ["a", "b", "CANARY"])
    own = pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([levels])))
    frame = pd.DataFrame({"income": AGES % 7, "x y": own})
    for asked in ({"other": ["x y"], "quasi_identifiers": ["income"]}, {"aggregate": "mode"}):
        result = shoal.anonymize(frame, k=3, method="mdav", **asked)
        for released in (result.data, result.shuffled()):
            assert released["x y"].dtype == own.dtype
            assert "CANARY" not in pa.array(released["x y"]).dictionary.to_pylist()


def test_categories_in_lists_are_refused():
    """Categories inside lists could hold values that no record has: they are refused by name."""
    cells = pl.Series([["a"]] * 60, dtype=pl.List(pl.Enum(["a", "CANARY"])))
    frame = pl.DataFrame({"income": AGES % 7, "stay": AGES // 9, "x y": cells})
    with pytest.raises(InputError, match=r"'x y'.*hold categories.*drop=\['x y'\]$"):
        go(frame, other=["x y"])


def test_categories_without_an_order_are_shuffled():
    """Categories that cannot be sorted by value are sorted by text."""
    cells = pd.Series(pd.Categorical([complex(code) for code in CODES]))
    frame = pd.DataFrame({"income": AGES % 7, "stay": AGES // 9, "x y": cells})
    levels = go(frame, other=["x y"]).shuffled()["x y"].cat.categories
    assert list(levels) == sorted(levels, key=repr)


@pytest.mark.parametrize("kind", ["jsonl", "feather"])
def test_other_files_hold_them_or_refuse_them(kind, tmp_path):
    """Arrow's own files hold nested cells and durations, others refuse them by name."""
    for name in ("lists", "timedelta"):
        result = go(frame_of(name), other=["x y"])
        if kind == "feather":
            assert result.save(tmp_path / name, format=kind).exists()
            continue
        with pytest.raises(RequestError, match=r"'x y'.*no type for its cells.*Parquet"):
            result.save(tmp_path / name, format=kind)
