"""Dataframes in and out: the caller's type comes back, the caller's data is never changed."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal

DATES = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(8)]
AGES = [30, 31, 50, 52, 30, 33, 51, 53]
EXPECTED = [31, 31, 52, 52, 31, 31, 52, 52]
DATA = {
    "age": AGES,
    "pay": [1.5, 2.5, 8.0, 9.0, 1.0, 2.0, 8.5, 9.5],
    "ill": ["a", "b", "a", "b", "c", "c", "a", "a"],
}


def go(frame, **options):
    given = {"k": 4, "quasi_identifiers": ["age", "pay"], "sensitive": ["ill"], **options}
    return shoal.anonymize(frame, **given)


FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]


@pytest.mark.parametrize("make", FRAMES)
def test_same_type_same_values(make):
    """pandas, polars and pyarrow give the same values, each in its own type and row order."""
    frame = make(DATA)
    released = go(frame).data
    assert type(released) is type(frame)
    plain = released.to_pydict() if make is pa.table else released.to_dict(**(
        {"as_series": False} if make is pl.DataFrame else {"orient": "list"}))  # fmt: skip
    assert plain["age"] == EXPECTED
    assert plain["ill"] == DATA["ill"]
    assert plain["pay"] == pytest.approx([1.75, 1.75, 8.75, 8.75] * 2)


@pytest.mark.parametrize("make", FRAMES)
def test_callers_object_is_unchanged(make):
    """The dataframe that came in is as it was."""
    frame, twin = make(DATA), make(DATA)
    go(frame)
    assert frame.equals(twin)


@pytest.mark.parametrize(
    "dtype",
    ["int8", "int16", "uint32", "uint64", "int64", "Int64", "UInt8", "float32", "Float64",
     "int64[pyarrow]", "double[pyarrow]"],
)  # fmt: skip
def test_pandas_dtypes_come_back(dtype):
    """Integers stay integers of their width, nullable and Arrow types stay what they are."""
    frame = pd.DataFrame(DATA).astype({"age": dtype})
    released = go(frame).data
    assert released["age"].dtype == frame["age"].dtype
    expected = EXPECTED if "int" in dtype.lower() else [31.0, 31.0, 51.5, 51.5] * 2
    assert released["age"].tolist() == pytest.approx(expected)


@pytest.mark.parametrize(
    "dtype", [pl.Int8, pl.UInt16, pl.Int64, pl.Float32, pl.Date, pl.Datetime("ms"), pl.Boolean]
)
def test_polars_dtypes_come_back(dtype):
    """Every polars type of a quasi-identifier comes back."""
    values = {pl.Date: DATES, pl.Datetime("ms"): [dt.datetime(2024, 1, d.day) for d in DATES],
              pl.Boolean: [True, True, False, False] * 2}.get(dtype, AGES)  # fmt: skip
    frame = pl.DataFrame({**DATA, "age": pl.Series(values, dtype=dtype)})
    assert go(frame).data.schema == frame.schema


@pytest.mark.parametrize(
    "dtype",
    ["datetime64[ns]", "datetime64[s]", "datetime64[ns, Europe/Berlin]", "timestamp[us][pyarrow]",
     "date32[day][pyarrow]"],
)  # fmt: skip
def test_pandas_times_come_back(dtype):
    """Times of any unit and zone come back as they were, whole days stay whole days."""
    moments = pd.Series(pd.to_datetime(DATES))
    if "Berlin" in dtype:
        moments = moments.dt.tz_localize("Europe/Berlin")
    frame = pd.DataFrame(DATA).assign(age=moments.astype(dtype))
    released = go(frame).data["age"]
    assert released.dtype == frame["age"].dtype
    assert released.nunique() == 2
    if "Berlin" not in dtype:
        assert all(str(value).endswith("00:00:00") or len(str(value)) == 10 for value in released)


def test_python_dates_in_pandas():
    """A column of date objects stays one."""
    frame = pd.DataFrame(DATA).assign(age=DATES)
    released = go(frame).data["age"]
    assert released.dtype == object
    assert all(type(value) is dt.date for value in released)


def test_integers_beyond_two_to_the_53():
    """A group of equal large integers releases that very integer."""
    big = [2**53 + 1] * 4 + [2**63 + 5] * 4
    frame = pd.DataFrame({"age": np.array(big, dtype=np.uint64), "x": [1] * 4 + [2] * 4})
    released = shoal.anonymize(frame, k=4).data
    assert released["age"].tolist() == big


def test_index_is_left_behind():
    """The index may name people: it is not in the result."""
    frame = pd.DataFrame(DATA, index=[f"CANARY{i}" for i in range(8)])
    released = go(frame).data
    assert list(released.index) == list(range(8))
    assert frame.index[0] == "CANARY0"


def test_integer_column_names():
    """A dataframe with numbers for names gets them back."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(12, 3)))
    released = shoal.anonymize(frame, k=3).data
    assert list(released.columns) == [0, 1, 2]
    assert shoal.microaggregate(frame, 3).groups == 4


def test_categories_pass_through():
    """A categorical column that is kept is kept as it is; unused levels are no classes."""
    levels = ["a", "b", "c", "UNUSED"]
    frame = pd.DataFrame(DATA).assign(ill=pd.Categorical(DATA["ill"], categories=levels))
    released = go(frame).data
    assert released["ill"].tolist() == DATA["ill"]
    assert released["ill"].cat.categories.tolist() == ["a", "b", "c"]
    assert frame["ill"].cat.categories.tolist() == levels
    frame = pl.DataFrame(DATA).with_columns(pl.col("ill").cast(pl.Categorical))
    assert go(frame).data.schema == frame.schema


def test_arrow_leftovers_go():
    """Metadata of schema and fields, and dictionary values that no record has, do not come back."""
    levels = pa.DictionaryArray.from_arrays(pa.array([0, 1] * 4, pa.int8()), ["a", "b", "CANARY"])
    schema = pa.schema(
        [pa.field("age", pa.int64(), metadata={"note": "CANARY"}), pa.field("ill", levels.type)],
        metadata={"pandas": "CANARY"},
    )
    table = pa.table([pa.array(AGES), levels], schema=schema)
    released = go(table, quasi_identifiers=["age"]).data
    assert released.schema.types == table.schema.types
    assert released.schema.metadata is None
    assert released.schema.field("age").metadata is None
    assert released["ill"].combine_chunks().dictionary.to_pylist() == ["a", "b"]
    assert released["ill"].to_pylist() == ["a", "b"] * 4


@pytest.mark.parametrize(
    "values", [[1, 3], [1.0, 3.0], pd.to_datetime(["2024-01-01", "2024-01-03"])]
)
def test_categories_of_numbers_are_grouped(values):
    """A categorical of numbers or dates as quasi-identifier comes back with the groups' values."""
    plain = pd.Series(list(values) * 2)
    frame = pd.DataFrame({"x": plain.astype("category")})
    released = shoal.anonymize(frame, k=4)
    expected = shoal.anonymize(pd.DataFrame({"x": plain}), k=4).data["x"].tolist()
    assert released.data["x"].tolist() == expected
    assert isinstance(released.data["x"].dtype, pd.CategoricalDtype)
    arrow = pa.table({"x": pa.array([1, 3, 1, 3]).dictionary_encode()})
    found = shoal.anonymize(arrow, k=4).data
    assert found["x"].to_pylist() == [1] * 4
    assert found.schema.types == arrow.schema.types


def test_half_floats():
    """Half-precision floats are floats."""
    frame = pd.DataFrame({"age": np.array(AGES, dtype=np.float16), "pay": DATA["pay"]})
    released = shoal.anonymize(frame, k=4).data
    assert released["age"].dtype == np.float16
    assert released["age"].nunique() == 2


def test_not_a_number_is_passed_on(tmp_path):
    """NaN and null in a kept column stay what they are."""
    import pyarrow.parquet as pq

    values = [1.0, float("nan"), None, 2.0]
    table = pa.table({"a": [1, 2, 3, 4], "o": pa.array(values, pa.float64())})
    pq.write_table(table, tmp_path / "t.parquet")
    result = shoal.anonymize(tmp_path / "t.parquet", k=2, quasi_identifiers=["a"], other=["o"])
    path = result.save(tmp_path / "out", format="parquet", keep_order=True)
    found = pq.read_table(path)["o"].to_pylist()
    assert (found[0], found[1] != found[1], found[2], found[3]) == (1.0, True, None, 2.0)
    csv = result.save(tmp_path / "csv", keep_order=True).read_text()
    assert csv == "a,o\n2,1.0\n2,\n4,\n4,2.0\n"


def test_masked_and_matrix():
    """A mask hides cells, which are then missing; a matrix is an array."""
    masked = np.ma.masked_array([[1.0], [999.0], [3.0]], mask=[[0], [1], [0]])
    assert shoal.read(masked).columns[0].missing_rows() == [1]
    with pytest.raises(shoal.InputError, match=r"1 missing cells \(row 1\)"):
        shoal.microaggregate_columns(masked, 2)
    with pytest.warns(PendingDeprecationWarning):
        matrix = np.matrix([[1.0], [2.0]])
    assert shoal.microaggregate(matrix, 2).groups == 1


def test_arrow_stream(monkeypatch):
    """Anything with an Arrow stream is read; a pyarrow table comes back."""

    class Stream:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table(DATA).__arrow_c_stream__(requested_schema)

    released = go(Stream()).data
    assert isinstance(released, pa.Table)
    assert released["age"].to_pylist() == EXPECTED


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "a"),
        (pd.DataFrame(), "no columns"),
        (pd.DataFrame({"a": [object(), 1]}), "column 'a'"),
        (pd.DataFrame({"a": [1j, 2j]}), "column 'a'"),
        (pd.DataFrame({"a": [[1], [2]]}), "column 'a': cells of type list"),
        (pd.DataFrame({" ": [1, 2]}), "blank"),
        (pl.Series([1, 2]), "cannot read a table from Series"),
        (pd.Series([1, 2]), "cannot read a table from Series"),
        (pa.chunked_array([[1, 2]]), "cannot read a table from ChunkedArray"),
        (pd.DataFrame({"x" * 1001: [1, 2]}), "longer than 1000"),
        ({1, 2}, "cannot read a table from set"),
        (None, "cannot read a table from NoneType"),
    ],
)
def test_what_is_no_table(frame, message):
    """What cannot be a table is refused in words."""
    with pytest.raises(shoal.InputError, match=message) as caught:
        shoal.anonymize(frame, k=2)
    assert "\n" not in str(caught.value)


def test_no_value_in_the_message():
    """Cells of mixed types are refused without showing one."""
    with pytest.raises(shoal.InputError) as caught:
        shoal.anonymize(pd.DataFrame({"a": ["CANARY", 1]}, dtype=object), k=2)
    assert "CANARY" not in str(caught.value)


@pytest.mark.parametrize("missing", [None, float("nan"), pd.NA])
def test_missing_cells_hide_their_group(missing):
    """However a dataframe says that a number is missing, its group has no mean."""
    frame = pd.DataFrame({"a": pd.array([1, 2, missing, 4], dtype="Float64"), "b": [1, 1, 2, 2]})
    found = shoal.anonymize(frame, k=2, method="mdav")
    assert found.data["a"].isna().tolist() == [False, False, True, True]
    assert found.report.missing["cells"] == 1
    with pytest.raises(shoal.InputError, match=r"1 missing cells \(row 2\)"):
        shoal.microaggregate_columns(frame, 2)


def test_types_are_for_csv():
    """Dataframes have types already."""
    for options in ({"types": {"age": "text"}}, {"delimiter": ";"}, {"missing": ["NA"]}):
        with pytest.raises(shoal.RequestError, match="for csv files only"):
            shoal.anonymize(pd.DataFrame(DATA), k=2, **options)


HOSTILE = [
    "*",
    "^.*$",
    "^a",
    "^n.*$",
    "all()",
    "a.b[0]+",
    "(name|ssn)",
    "col(name)",
    "name*",
    r"\w+",
]


@pytest.mark.parametrize("make", FRAMES)
@pytest.mark.parametrize("column", HOSTILE)
def test_columns_of_exact_names(make, column):
    """A name that a library might read as a pattern is a name, in every library."""
    frame = make({"name": [f"p{i}" for i in range(12)], "ssn": list(range(12)),
                  column: [20 + i for i in range(12)]})  # fmt: skip
    result = shoal.anonymize(
        frame, k=3, quasi_identifiers=[column], identifiers=["name"], drop=["ssn"]
    )
    for data in (result.data, result.shuffled(seed=1)):
        assert type(data) is type(frame)
        assert list(data.column_names if make is pa.table else data.columns) == [column]
        assert sorted(data[column].to_pylist() if make is pa.table else data[column]) == sorted(
            result.table[column].values.to_pylist()
        )


def test_the_judge_reads_the_very_column():
    """Is a column of singles judged by another one, which its name matches?"""
    frame = pl.DataFrame({"a": [1] * 6, "^a$": [1, 2, 3, 4, 5, 6], "*": [1] * 6})
    assert shoal.verify(frame, k=6, quasi_identifiers=["a", "*"], keep=["^a$"]).ok
    found = shoal.verify(frame, k=6, quasi_identifiers=["^a$"])
    assert (found.ok, found.k) == (False, 1)


@pytest.mark.parametrize("make", FRAMES)
def test_shuffled_rows(make):
    """The same rows in another order, which a seed repeats."""
    frame = make({**DATA, "row": list(range(8))})
    result = go(frame, other=["row"], keep_unique=["row"])
    plain = [
        pa.table(data) if make is not pd.DataFrame else pa.Table.from_pandas(data)
        for data in (result.data, result.shuffled(seed=2), result.shuffled(seed=2))
    ]
    rows = [table.to_pylist() for table in plain]
    assert rows[1] == rows[2] != rows[0]
    assert sorted(rows[1], key=lambda row: row["row"]) == rows[0]
    orders = {tuple(result.shuffled()["row"].to_numpy().tolist()) for _ in range(20)}
    assert len(orders) > 10


def test_a_table_of_a_file_tells_no_lines(tmp_path):
    """The released table of a csv file knows the lines of its records: do they come along?"""
    path = tmp_path / "t.csv"
    path.write_text("age,ill\n" + "".join(f"{20 + row},w{row}\n" for row in range(40)))
    result = shoal.anonymize(path, k=4, quasi_identifiers=["age"], sensitive=["ill"])
    table = result.shuffled(seed=3)
    assert table.source.lines is None
    assert table.source.path is None
    there = table["ill"].values.to_pylist()
    assert sorted(there) == sorted(f"w{row}" for row in range(40))
    assert there != [f"w{row}" for row in range(40)]


def test_types_whose_rows_cannot_be_taken():
    """A type that the dataframe's library cannot take rows of is refused in words."""
    words = pa.array(["a", None, "b"] * 4, pa.string_view())
    frame = pa.table({"x": range(12), "s": words}).to_pandas(types_mapper=pd.ArrowDtype)
    with pytest.raises(shoal.InputError, match="string_view"):
        shoal.anonymize(frame, k=2, quasi_identifiers=["x", "s"], incomplete="delete")
