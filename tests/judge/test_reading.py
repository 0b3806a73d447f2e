"""Files through `opened`: what every reader reads in one way is read so, and the rest refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import sqlite3
import zipfile
from pathlib import Path

import duckdb
import fsspec
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import feather

import shoal
from shoal.errors import InputError, RequestError
from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine
from shoal.judge.papers import beside
from shoal.judge.reading import files_of, opened
from thorough import examples

BLANK = {"a": [1.0, 1.0, None, None], "b": ["x", "x", "y", "y"]}


def read(data, kind=None, published=True, **written):
    """The columns of a release, with their types, and the texts of its cells."""
    with Engine(files_of(data, kind)) as engine:
        source = opened(engine, data, kind, Written(**written), published=published)
        source.check(list(source.columns), ())
        return source.columns, engine.rows("SELECT COLUMNS(*)::VARCHAR FROM release")


def refused(data, words, kind=None, **written):
    """Assert that a release is refused, in one line that holds no cell."""
    with pytest.raises((InputError, RequestError), match=words) as caught:
        read(data, kind, **written)
    assert "\n" not in str(caught.value)
    assert "SECRET" not in str(caught.value)


@pytest.fixture
def write(tmp_path):
    """Writes a file, and returns its path."""

    def written(name, content):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


# --- csv

CELLS = ["", "1", "-2.50", "word", "é", "a b", '"quoted"', '"a,b"', '"two\nlines"', '"say ""hi"""',
         '5"', ' "1"', '"1" ', "*", "#", "x" * 17, '""', "\v", '"\r\n"', "last\r"]  # fmt: skip


@st.composite
def texts(draw):
    """A csv text, mostly with as many cells in a row as the header has, and how many those are."""
    width = draw(st.integers(1, 4))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    lines = [",".join("abcd"[:width])]
    for _ in range(draw(st.integers(0, 12))):
        many = width if draw(st.integers(0, 15)) else draw(st.integers(1, 5))
        lines.append(",".join(draw(st.sampled_from(CELLS)) for _ in range(many)))
    return end.join(lines) + draw(st.sampled_from(["", end, end * 3])), width


@examples(200)
@given(texts())
def test_what_is_read_is_what_other_readers_read(tmp_path_factory, case):
    """Cells are those of Python's csv module and of pandas; what they refuse is refused."""
    text, width = case
    path = tmp_path_factory.getbasetemp() / "drawn.csv"
    path.write_bytes(text.encode())
    try:
        columns, rows = read(path)
    except InputError:
        return
    wanted = [row for row in csv.reader(io.StringIO(text, newline=""), strict=True) if row][1:]
    assert list(columns) == list("abcd"[:width])
    assert [["" if cell is None else cell for cell in row] for row in rows] == wanted
    if "\r\n" not in text:  # pandas writes other line ends in cells anew
        frame = pd.read_csv(path, dtype=str, keep_default_na=False, skip_blank_lines=True)
        assert frame.to_numpy().tolist() == wanted


@examples(100)
@given(texts())
def test_good_csv_is_read(tmp_path_factory, case):
    """What Python's csv module writes of cells without line ends is read."""
    text, width = case
    rows = [row for row in csv.reader(io.StringIO(text, newline="")) if len(row) == width]
    rows = [[re.sub(r"[\r\n\v]", " ", cell) for cell in row] for row in rows]
    path = tmp_path_factory.getbasetemp() / "good.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(rows)
    assert len(read(path)[1]) == len(rows) - 1


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "there is no header"),
        ("\n", "there is no header"),
        ("a,b\n1\n", "line 2: 1 cell, the header has 2"),
        ("a,b\n1,2,3\n", "line 2: 3 cells, the header has 2"),
        ("a\n1,2\n", "line 2: 2 cells, the header has 1"),
        ("a,b\n1,2\n\n1,2\n", "line 3: 1 cell, the header has 2"),
        ('a,b\n"two\nlines",2\n3\n', "line 4: 1 cell, the header has 2"),
        ("a\n1\n\n1\n", "line 3: a blank line"),
        ("a\n1\n\n", "line 3: a blank line"),
        ('a,b\n1,"2\n', "line 2: not strict csv"),
        ('a,b\n1,"2"x\n', "line 2: not strict csv"),
        ('a,b\n1, "2"\n', "line 2: not strict csv"),
        ('a,b\n1,2\n"2" ,1\n', "line 3: not strict csv"),
        ('a,b\n1,5" pipe\n', "line 2: not strict csv"),
        ('a,5"\n1,x\n', "line 1: not strict csv"),
        ("a,b\n1,2\r1,2\n", "line 2: not strict csv"),
        ("a,b\r1,2\r", "line 1: not strict csv"),
        ('a,b\n1,"2\r1,2"\n', "line 2: not strict csv"),
        ("a,b\n1,2\r\n", "line 2: it ends otherwise"),
        ("a,b\n1,2\0\n", "line 2: a NUL byte"),
        (b"\xe9,a\n1,2\n", "line 1: the header is not UTF-8"),
        (b"a,b\n1,2\n1,\xe9\n", "line 3: the text is not UTF-8"),
        ("a,a\n1,2\n", "two columns are named 'a'"),
        ("a,A\n1,2\n", "'a' and 'A' look the same"),
        ("age,a\u200bge\n1,2\n", "look the same"),
        ("age,\u0430ge\n1,2\n", "look the same"),  # a Cyrillic a
        ("age,\uff41ge\n1,2\n", "look the same"),  # a wide a
        (",a\n1,2\n", "column 1 has no name"),
        ("a|x;b\n1;2\n", "say with delimiter"),
        ("a,b\n1," + "SECRET" * 30_000 + "\n", "more than 131,072 signs"),
        ('a,b,c\n1,2,"x\n29,F,SECRET"\n', "line 2: a cell holds a line end"),
        ("a,b\n1,x\u20282,y\n", "line 2: 3 cells"),
        ("a,b\n1\u2028x,2\n", None),
        ("a,b,c\n1,x\v3,y\v5\n", None),
    ],
)
def test_csv_that_readers_read_differently(write, content, words):
    """What is wrong is told with its line, in a plain file and a packed one."""
    raw = content if isinstance(content, bytes) else content.encode()
    for name, data in (("t.csv", raw), ("t.csv.gz", gzip.compress(raw))):
        if words is None:
            assert read(write(name, data))
        elif name.endswith("gz") and "UTF-8" in words:
            refused(write(name, data), "the text is not utf-8")
        else:
            refused(write(name, data), words)


@pytest.mark.parametrize(
    ("content", "written"),
    [
        ("age,sex,zip,note;age;sex;zip\n29,F,4711,x;30-40;*;4*\n31,F,4712,y;30-40;*;4*\n",
         {"delimiter": ";"}),
        ('"id,name,note";age;sex;zip\n1,Ann,x;30-40;*;4*\n2,Bob,y;30-40;*;4*\n', {}),
        ("id,name|age\n1,2,Ann|5\n2,3,Bob|5\n", {"delimiter": "|"}),  # pandas: an index
        ("a\tb;c\n1\t2;3\n", {"delimiter": ";"}),
        ("'a,b',c\n'1,2',3\n", {"quote": "'"}),
    ],
)  # fmt: skip
def test_csv_that_another_sign_splits_as_evenly(write, content, written):
    """A header that splits by another delimiter too is refused, whoever named the delimiter."""
    refused(write("t.csv", content), "splits the header and the records", **written)


def test_signs_of_other_delimiters_in_cells(write):
    """Commas in cells of a file of semicolons are cells, as are decimal commas and intervals."""
    for content in (
        'name;age\n"Smith, John";5\n"Miller, Ann";5\n', "name;age\nSmith, John;5\nMiller, Ann;6\n",
        "a;b\n1,5;[20,30]\n2,5;[30,40]\n", '"a, or b";c\n1;2\n3;4\n',
    ):  # fmt: skip
        assert len(read(write("t.csv", content))[1]) == 2


def test_forms_of_csv(write):
    """Marks, packed files, other encodings and quotes, CRLF, and no last line end are read."""
    good = 'a,b\n"1",é\n2,"x,""y"\n'
    wanted = {"a": "VARCHAR", "b": "VARCHAR"}, [("1", "é"), ("2", 'x,"y')]
    for name, content in (
        ("t.csv", good), ("t.csv", "\ufeff" + good), ("t.csv.gz", gzip.compress(good.encode())),
        ("t.csv", good.replace("\n", "\r\n")), ("t.csv", good.rstrip("\n")),
        ("t.csv", good + "\n\n"), ("t", good), ("we'ird [a]*?.csv", good),
    ):  # fmt: skip
        assert read(write(name, content)) == wanted
    assert read(write("t.csv", good.encode("latin-1")), encoding="latin-1") == wanted
    assert read(write("t.csv", good.encode("utf-16")), encoding="utf-16") == wanted
    swapped = good.replace('"', "'").replace("''", "''")
    assert read(write("t.csv", swapped), quote="'")[1] == [("1", "é"), ("2", "x,'y")]
    refused(write("t.csv", good), "the text is not utf-16", encoding="utf-16")
    refused(write("t.csv.gz", good), "the file is damaged")
    names = 'a"b', "c'); DROP TABLE x; --", "Zeile\n2", "rowid", "😀"
    with (path := write("t.csv", "")).open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([names, "12345"])
    assert list(read(path, delimiter=",")[0]) == list(names)
    assert read(write("t.csv", 'a\n#1\n" 2 "\n""\n'))[1] == [("#1",), (" 2 ",), (None,)]


def test_packed_bombs_are_refused(write):
    """A small file that unpacks to much is no table."""
    content = gzip.compress(b"a,b\n" + b"1,2\n" * 20_000_000)
    refused(write("t.csv.gz", content), "more than 200 times")


def test_callers_csv_limit_is_kept(write):
    """The judge changes nothing in the caller's csv module."""
    before = csv.field_size_limit(12_345)
    try:
        read(write("t.csv", "a\n1\n"))
        assert csv.field_size_limit() == 12_345
    finally:
        csv.field_size_limit(before)


# --- JSON lines


def test_json_lines(write):
    """What a record does not say is missing; 1 and 1.0 are one number."""
    path = write("t.jsonl", '{"a": 1, "b": "x\\u00e9"}\n\n{}\n{"a": 1.0}\n{"b": null, "c": true}')
    assert read(path) == (
        {"a": "DOUBLE", "b": "VARCHAR", "c": "BOOLEAN"},
        [("1.0", "xé", None), (None, None, None), ("1.0", None, None), (None, None, "true")],
    )
    assert read(write("t.jsonl", '{"a": 1e300, "b": 0.1, "c": -0.0}\n'))[1] == [
        ("1e+300", "0.1", "-0.0")
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]\n", "line 1: not a JSON object"),
        ('{"a": 1}\n{"a": NaN}\n', "line 2: not a JSON object"),
        ('{"a": 1, "a": 2}\n', "line 1: not a JSON object of different columns"),
        ('{"a": 1} {"a": 2}\n', "line 1"),
        ('{"a": "\\ud800"}\n', "line 1"),
        ('{"a": "\\u0000"}\n', "line 1"),
        ('{"a": 1}\n{"a": "SECRET"}\n', "several kinds"),
        ('{"a": {"low": 1}}\n', "several kinds, or lists"),
        ('{"a": 35.00000000000000000029}\n', "too many digits"),
        ('{"a": 29e400}\n', "too many digits"),
        ('{"a": 0.10000000000000000555}\n', "too many digits"),
        ('{"a": 9007199254740993}\n', "too many digits"),
        ('{"a": 1, "A": 2}\n', "look the same"),
        ("\n", "no record"),
    ],
)
def test_json_lines_that_readers_read_differently(write, text, words):
    """Lines that are no records are refused by their number."""
    refused(write("t.jsonl", text), words)


# --- Parquet and Arrow


def parquet(path, table, **how):
    """Write a Parquet file, and return its path."""
    pq.write_table(table if isinstance(table, pa.Table) else pa.table(table), path, **how)
    return path


def test_parquet_values(tmp_path):
    """Values are those of the file, to the last digit; dictionaries and intervals are plain."""
    table = pa.table({
        "ns": pa.array([1, 2], pa.timestamp("ns", "UTC")),
        "time": pa.array([1, 2], pa.time64("ns")),
        "span": pa.array([1, 2], pa.duration("ns")), "half": np.array([1.5, 2], np.float16),
        "word": pa.array(["x", "y"]).dictionary_encode(), "none": pa.nulls(2),
        "ends": [{"low": 1, "high": 2}, None], "nan": [float("nan"), None],
        "large": pa.array([2**64 - 1, 1], pa.uint64()), "raw": [b"\xff", b"b"],
    })  # fmt: skip
    for data in (parquet(tmp_path / "t.parquet", table), table):
        columns, rows = read(data)
        assert len(set(rows)) == 2
        assert columns["word"] == columns["none"] == "VARCHAR"
        assert columns["ends"] == "STRUCT(low BIGINT, high BIGINT)"
        assert [row[7] for row in rows] == ["nan", None]
        for place in (0, 1, 2, 3, 4, 8, 9):
            assert rows[0][place] != rows[1][place]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([{"low": None, "high": 29}, {"low": 1, "high": 2}], "one end"),
        ([{"low": 29.0, "high": float("nan")}], "one end"),
        ([[1], [2]], "holds lists"),
        ([{"low": 1, "other": 2}], "holds lists"),
        ([{"low": [1], "high": [2]}], "holds lists"),
    ],
)
def test_columns_that_cannot_be_judged(tmp_path, values, words):
    """Half-empty intervals and lists are refused in files and frames."""
    table = pa.table({"a": values})
    refused(parquet(tmp_path / "t.parquet", table), words)
    refused(table, words)
    feather.write_feather(table, tmp_path / "t.feather")
    refused(tmp_path / "t.feather", words)


def test_long_decimals(tmp_path):
    """Endless digits are refused in Parquet, which DuckDB reads; of others they are texts."""
    table = pa.table({"a": pa.array([10**40, 10**40 + 1], pa.decimal256(50, 0))})
    refused(parquet(tmp_path / "t.parquet", table), "too many digits")
    feather.write_feather(table, tmp_path / "t.feather")
    for data in (table, tmp_path / "t.feather"):
        assert read(data)[1] == [(str(10**40),), (str(10**40 + 1),)]


def test_lists_that_are_kept(tmp_path):
    """Lists, maps and structs of a column that is kept are let pass."""
    inner = pa.struct([("a", pa.list_(pa.float64()))])
    for kind, cells in (
        (pa.list_(pa.string()), [["x"], [], None]), (inner, [{"a": [1.5]}, {"a": None}, None]),
        (pa.map_(pa.string(), pa.int64()), [[("x", 1)], [], None]),
        (pa.list_(inner), [[{"a": [1.5]}], [], None]),
    ):  # fmt: skip
        path = parquet(tmp_path / "t.parquet", {"a": [1, 1, 2], "a.b": pa.array(cells, kind)})
        with Engine(files_of(path)) as engine:
            opened(engine, path, None, Written()).check(["a"], ["a.b"])
        refused(path, "'a.b' holds lists")


def test_empty_intervals_are_missing(tmp_path):
    """An interval without ends equals a missing one."""
    kind = pa.struct([("low", pa.int64()), ("high", pa.int64())])
    table = pa.table({"a": pa.array([{"low": None, "high": None}, None], kind)})
    for data in (table, parquet(tmp_path / "t.parquet", table)):
        assert read(data)[1] == [(None,), (None,)]


def test_metadata_of_a_schema_are_let_pass(tmp_path):
    """What pandas, polars, DuckDB and Spark say of columns is no more than a schema."""
    path = tmp_path / "t.parquet"
    frame = pd.DataFrame({
        "a": [1, 2, 3], "s": ["x", "y", None], "c": pd.Categorical(["a", "b", "a"]),
        "t": pd.to_datetime(["2020-01-01"] * 3).tz_localize("Europe/Berlin"),
        "n": pd.array([1, None, 3], dtype="Int64"), "td": pd.to_timedelta([1, 2, 3]),
        "iv": pd.interval_range(0, 3), "p": pd.period_range("2020", "2022", freq="Y"),
    })  # fmt: skip
    for one in (frame, frame.set_index("s"), frame.set_index(pd.Index(list("uvw")))):
        one.to_parquet(path)
        columns, rows = read(path)
        assert len(rows) == 3
        assert "s" in columns
        one.to_feather(tmp_path / "t.feather") if one is frame else None
    assert read(tmp_path / "t.feather")[0] == read(frame)[0]
    frame = pl.DataFrame(
        {"a": ["x" * 100 + "z", "y"], "c": pl.Series(["a", "b"], dtype=pl.Categorical)}
    )
    frame.write_parquet(path)
    assert read(path)[1] == frame.rows()
    duckdb.sql(f"COPY (SELECT 1 AS a, repeat('x', 300) AS s) TO '{path}'")
    assert read(path)[1] == [("1", "x" * 300)]
    row = {
        "type": "struct",
        "fields": [{"name": "a", "type": "long", "nullable": True, "metadata": {}}],
    }
    spark = {"org.apache.spark.version": "3.5.1",
             "org.apache.spark.sql.parquet.row.metadata": json.dumps(row)}  # fmt: skip
    assert read(parquet(path, pa.table({"a": [1]}).replace_schema_metadata(spark)))


def pandas_with(**change):
    """A frame of pandas that was changed, as a function that writes it."""

    def write(path):
        frame = pd.DataFrame({"a": [1, 2], "c": pd.Categorical(["x", "y"])})
        for name, value in change.items():
            setattr(frame, name, value)
        frame.to_parquet(path)

    return write


def arrow_with(metadata, of_field=None):
    """An Arrow table with metadata, as a function that writes it."""

    def write(path):
        schema = pa.schema([pa.field("a", pa.int64(), metadata=of_field)], metadata=metadata)
        pq.write_table(pa.table({"a": [1, 2]}, schema=schema), path)

    return write


BY_PANDAS = '{"index_columns": [], "columns": [], "creator": %s}'


@pytest.mark.parametrize(
    "write_file",
    [
        pandas_with(attrs={"raw": "SECRET"}),
        pandas_with(columns=pd.Index(["a", "c"], name="SECRET 29")),
        pandas_with(index=pd.RangeIndex(2, name="SECRET")),
        arrow_with({"notes": "29"}),
        arrow_with(None, {"comment": "29"}),
        arrow_with({"pandas": BY_PANDAS % '{"library": "pyarrow", "version": "29 F"}'}),
        arrow_with({"pandas": BY_PANDAS % '"29"'}),
        arrow_with({"pandas": BY_PANDAS % "[29, 4711]"}),
        arrow_with({"pandas": BY_PANDAS % ('"python", ' + '"start": 29, ' * 99 + '"stop": 1')}),
        arrow_with({"pandas": "29 years"}),
        arrow_with({"org.apache.spark.version": "Ann, 29"}),
        arrow_with({"org.apache.spark.sql.parquet.row.metadata":
                    '{"fields": [{"name": "a", "metadata": {"comment": "SECRET"}}]}'}),
        lambda path: pl.DataFrame({"e": pl.Series(["a"], dtype=pl.Enum(["a", "SECRET"]))})
        .write_parquet(path),
    ],
)  # fmt: skip
def test_metadata_of_more_than_a_schema(tmp_path, write_file):
    """Records in metadata are refused, wherever a library keeps them."""
    write_file(tmp_path / "t.parquet")
    refused(tmp_path / "t.parquet", "it holds (the metadata|values of column)")
    assert read(tmp_path / "t.parquet", published=False)


def coded(*words):
    """A column of x and y with these words in its dictionary."""
    return pa.DictionaryArray.from_arrays(pa.array([0, 1, 0, None], pa.int32()), pa.array(words))


def test_values_in_dictionaries(tmp_path):
    """Values that no record has are refused; those of another row group are fine."""
    path = tmp_path / "t.parquet"
    refused(parquet(path, {"a": coded("x", "y", "SECRET")}), "values of column 'a' in its dict")
    assert len(read(parquet(path, {"a": coded("x", "y")}, row_group_size=1))[1]) == 4
    feather.write_feather(pa.table({"a": coded("x", "y", "SECRET")}), tmp_path / "t.feather")
    refused(tmp_path / "t.feather", "values in the dictionary of column 'a'")
    feather.write_feather(pa.table({"a": coded("x", "y")}), tmp_path / "t.feather")
    assert len(read(tmp_path / "t.feather")[1]) == 4
    feather.write_feather(pa.table({"a": [1]}).replace_schema_metadata({"k": "29"}),
                          tmp_path / "t.feather")  # fmt: skip
    refused(tmp_path / "t.feather", "the metadata 'k'")


@pytest.mark.parametrize(
    ("values", "before", "after"),
    [
        ([1_000_001, 1_000_002], (1_000_001).to_bytes(8, "little"), (29).to_bytes(8, "little")),
        (["xenon", "yttrium"], b"\x05xenon", b"\x05SECRE"),
        ([1_000_001.5, 1_000_002.5], np.float64(1_000_001.5).tobytes(), np.float64(29).tobytes()),
    ],
)
def test_statistics_that_are_of_other_records(tmp_path, values, before, after):
    """Footers that tell of other values than the records have are refused."""
    path = parquet(tmp_path / "t.parquet", {"a": values}, use_dictionary=False, store_schema=False)
    assert read(path)
    raw = path.read_bytes()
    footer = raw.rindex(b"PAR1") - int.from_bytes(raw[-8:-4], "little") - 4
    forged = raw[footer:].replace(before, after)
    assert forged != raw[footer:]
    path.write_bytes(raw[:footer] + forged)
    refused(path, "statistics of column 'a'")


def test_broken_parquet_and_arrow(tmp_path):
    """A cut file is an error in words, as is one that unpacks to much."""
    path = parquet(tmp_path / "t.parquet", {"a": list(range(1000))})
    path.write_bytes(path.read_bytes()[:500])
    refused(path, "not a Parquet file, or not a whole one")
    feather.write_feather(pa.table({"a": list(range(1000))}), tmp_path / "t.feather")
    (tmp_path / "t.feather").write_bytes((tmp_path / "t.feather").read_bytes()[:900])
    refused(tmp_path / "t.feather", "not a whole file")
    feather.write_feather(pa.table({"a": np.ones(9_000_000)}), tmp_path / "t.feather",
                          compression="zstd")  # fmt: skip
    refused(tmp_path / "t.feather", "more than 200 times")


def test_files_urls_and_folders(tmp_path):
    """Several files, a folder, file:// and what fsspec opens are one table."""
    for place, values in enumerate(([1, 2], [3])):
        parquet(tmp_path / f"{place}.parquet", {"a": values})
    paths = [str(tmp_path / f"{place}.parquet") for place in range(2)]
    memory = fsspec.filesystem("memory")
    for path in paths:
        memory.pipe(f"/bucket/{Path(path).name}", Path(path).read_bytes())
    wanted = {"a": "BIGINT"}, [("1",), ("2",), ("3",)]
    for data in (paths, tmp_path, str(tmp_path), f"file://{tmp_path}", "memory://bucket",
                 ["memory://bucket/0.parquet", paths[1]]):  # fmt: skip
        assert read(data) == wanted
    parquet(tmp_path / "2.parquet", {"b": [1]})
    refused(tmp_path, "its columns are not those")
    (tmp_path / "2.parquet").unlink()
    (tmp_path / "raw.csv").write_text("SECRET")
    refused(tmp_path, "'raw.csv' in it is no Parquet file of the release")
    refused([], "there is no Parquet file")
    refused("xx://bucket/a.parquet", "no kind of storage|cannot be opened")
    refused("s3://user:key@bucket/a.parquet", "must not hold a password")


def test_missing_files(tmp_path):
    """A missing file is that before anything else."""
    for name in ("none.csv", "none.parquet", "none.xlsx", "none.db#t", "none.sav"):
        with pytest.raises(InputError, match="there is no such file"):
            files_of(tmp_path / name if "#" not in name else f"{tmp_path}/{name}")
    refused("/dev/null", "not an ordinary file")


# --- statistics


def test_user_missing_codes_are_values(tmp_path):
    """Codes that were declared missing are seen, in SPSS and in Stata."""
    path = tmp_path / "t.sav"
    ages = pd.DataFrame({"age": [float(age) for age in range(40)]})
    pyreadstat.write_sav(ages, path, missing_ranges={"age": [{"lo": 0, "hi": 120}]})
    assert len(set(read(path)[1])) == 40
    path = tmp_path / "t.dta"
    pyreadstat.write_dta(pd.DataFrame({"age": [34.0, "a", "b", None]}), path,
                         missing_user_values={"age": ["a", "b"]})  # fmt: skip
    assert read(path) == ({"age": "VARCHAR"}, [("34",), (".a",), (".b",), (None,)])


def test_labels_stand_for_codes(tmp_path):
    """Codes that all have labels are read as these, others as they are."""
    path, frame = tmp_path / "t.zsav", pd.DataFrame({"age": [1.0, 2.0], "n": [1.0, 7.0]})
    labels = {"age": {1: "young", 2: "old"}, "n": {7: "many"}}
    pyreadstat.write_sav(frame, path, compress=True, variable_value_labels=labels)
    assert read(path) == ({"age": "VARCHAR", "n": "BIGINT"}, [("young", "1"), ("old", "7")])


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({"note": "SECRET"}, "notes"),
        (
            {"variable_value_labels": {"a": {1: "x", 99: "SECRET"}}},
            "labels of codes that no record",
        ),
    ],
)
def test_what_statistics_files_hold_beside(tmp_path, how, words):
    """Notes and labels of codes that no record has are refused."""
    frame = pd.DataFrame({"a": [1.0, 2.0]})
    for name, writer in (("t.sav", pyreadstat.write_sav), ("t.dta", pyreadstat.write_dta)):
        if name == "t.dta" and "note" in how:
            continue
        writer(frame, tmp_path / name, **how)
        refused(tmp_path / name, words)
        assert len(read(tmp_path / name, published=False)[1]) == 2


@pytest.mark.parametrize("how", [{"file_label": "SECRET"}, {"column_labels": ["SECRET"]}])
def test_labels_of_statistics_files(tmp_path, how):
    """That labels of columns and of the file were not judged is said."""
    for name, writer in (("t.sav", pyreadstat.write_sav), ("t.dta", pyreadstat.write_dta)):
        writer(pd.DataFrame({"a": [1.0, 2.0]}), tmp_path / name, **how)
        with Engine() as engine:
            (warning,) = opened(engine, tmp_path / name, None, Written()).warnings
        assert "labels of the columns and of the file" in warning
        assert "SECRET" not in warning


def test_a_second_table_of_sas(tmp_path):
    """A transport file with a table that pyreadstat does not show is refused."""
    path = tmp_path / "t.xpt"
    pyreadstat.write_xport(pd.DataFrame({"a": [1.0]}), path, table_name="RELEASE")
    assert read(path)[1] == [("1",)]
    path.write_bytes(path.read_bytes() + path.read_bytes()[240:])
    refused(path, "a second table")
    path.write_bytes(b"none")
    refused(path, "not a whole file")


# --- Excel


def book(path, change):
    """Write a workbook of three records by openpyxl, changed."""
    one = openpyxl.Workbook()
    for row in (["age", "sex"], [35, "m"], [35, "m"], [40.5, None]):
        one.active.append(row)
    change(one, one.active)
    one.save(path)
    return path


def formatted(code):
    """A change: a number format."""
    return lambda _, sheet: setattr(sheet["A2"], "number_format", code)


def test_workbooks(tmp_path):
    """The cells of workbooks that hold nothing else are read, whoever wrote them."""
    path = tmp_path / "t.xlsx"
    wanted = {"age": "DOUBLE", "sex": "VARCHAR"}, [("35.0", "m"), ("35.0", "m"), ("40.5", None)]
    for code in ("General", "0.0", '#,##0.00 "€"', "[$-407]0", "[$EUR] 0", "0%", "@", "[Red]0",
                 '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-'):  # fmt: skip
        assert read(book(path, formatted(code))) == wanted
    for engine in ("openpyxl", "xlsxwriter"):
        frame = pd.DataFrame(
            {"d": pd.to_datetime(["2020-01-01 00:00", "2020-01-01 10:00"]), "b": [True, False]}
        )
        frame.to_excel(path, index=False, engine=engine)
        assert read(path)[0] == {"d": "TIMESTAMP", "b": "BOOLEAN"}
        assert len(set(read(path)[1])) == 2
    assert read(book(path, lambda one, _: one.create_sheet("empty"))) == wanted


def commented(_, sheet):
    """A comment on a cell."""
    from openpyxl.comments import Comment

    sheet["A2"].comment = Comment("was SECRET", "x")


def named(one, _):
    """A defined name."""
    from openpyxl.workbook.defined_name import DefinedName

    one.defined_names["x"] = DefinedName("x", attr_text='"SECRET"')


def customized(one, _):
    """A custom property."""
    from openpyxl.packaging.custom import StringProperty

    one.custom_doc_props.append(StringProperty(name="x", value="SECRET"))


def validated(_, sheet):
    """A list of values to choose from."""
    from openpyxl.worksheet.datavalidation import DataValidation

    rule = DataValidation(type="list", formula1='"SECRET,30"')
    sheet.add_data_validation(rule)
    rule.add("A2")


def charted(_, sheet):
    """A chart."""
    from openpyxl.chart import BarChart

    sheet.add_chart(BarChart(), "D1")


@pytest.mark.parametrize(
    "change",
    [
        commented, named, customized, validated, charted,
        lambda _, sheet: setattr(sheet["A2"], "value", "=29"),
        lambda _, sheet: setattr(sheet["A2"], "hyperlink", "http://x/SECRET"),
        lambda _, sheet: setattr(sheet.row_dimensions[2], "hidden", True),
        lambda _, sheet: setattr(sheet.column_dimensions["B"], "hidden", True),
        lambda one, _: setattr(one.create_sheet("raw"), "sheet_state", "hidden"),
        lambda one, _: one.create_sheet("raw").append(["SECRET"]),
        lambda _, sheet: sheet.merge_cells("A2:B2"),
        lambda _, sheet: setattr(sheet.oddHeader.left, "text", "SECRET"),
        lambda one, _: setattr(one.properties, "title", "29"),
        lambda one, _: setattr(one.properties, "keywords", "SECRET"),
        *map(formatted, ('"35"', '0"x"', ";;;", '[=35]"29"', "0;;", "\\3\\5", "[$35-407]0",
                         "[>30]0;0", '"')),
    ],
)  # fmt: skip
def test_what_workbooks_hold_beside(tmp_path, change):
    """Whatever whoever reads the cells does not see is refused."""
    refused(book(tmp_path / "t.xlsx", change), "beside its records|2 sheets hold something")


@pytest.mark.parametrize(
    ("part", "before", "after"),
    [
        ("xl/worksheets/sheet1.xml", b"<sheetData>", b"<!-- SECRET --><sheetData>"),
        ("xl/worksheets/sheet1.xml", b"<sheetData>", b"SECRET<sheetData>"),
        ("xl/worksheets/sheet1.xml", b"<sheetData>", b"<?x SECRET?><sheetData>"),
        (
            "xl/worksheets/sheet1.xml",
            b"<sheetData>",
            b'<cols><col min="1" max="1" width="0"/></cols><sheetData>',
        ),
        ("xl/worksheets/sheet1.xml", b"<v>", b"<f>29</f><v>"),
        ("xl/worksheets/sheet1.xml", b"<v>", b"<v>29</v><v>"),
        ("xl/worksheets/sheet1.xml", b'<c r="A2"', b'<c r="A2"><v>29</v></c><c r="A2"'),
        ("xl/worksheets/sheet1.xml", b'<row r="2"', b'<row hidden="1" r="2"'),
        ("xl/worksheets/sheet1.xml", b'<row r="2"', b"<row hidden='1' r=\"2\""),
        ("xl/worksheets/sheet1.xml", b'<row r="2"', b'<row ht="0" r="2"'),
        ("xl/sharedStrings.xml", b"</t>", b'</t><rPh sb="0" eb="1"><t>SECRET</t></rPh>'),
        ("xl/sharedStrings.xml", b"</sst>", b"<si><t>SECRET</t></si></sst>"),
        ("xl/workbook.xml", b"<sheets>", b'<!DOCTYPE x [<!ENTITY y "SECRET">]><sheets>'),
    ],
)
def test_parts_of_workbooks(tmp_path, part, before, after):
    """XML that no library shows is refused, too."""
    path = tmp_path / "t.xlsx"
    pd.DataFrame({"age": [35, 36], "sex": ["m", "f"]}).to_excel(
        path, index=False, engine="xlsxwriter"
    )
    content = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(content, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            assert name != part or before in data
            new.writestr(name, data.replace(before, after, 1) if name == part else data)
    path.write_bytes(content.getvalue())
    refused(path, "beside its records")


def test_workbooks_that_are_none(tmp_path):
    """Archives that unpack to much, other files, and binary workbooks are refused."""
    path, content = tmp_path / "t.xlsx", io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sheet1.xml", bytes(70 * 2**20))
    for raw, words in ((content.getvalue(), "more than 200 times"), (b"none", "not a whole"),
                       (b"PK\x03\x04 none", "not a whole")):  # fmt: skip
        path.write_bytes(raw)
        refused(path, words)
    refused(book(path, lambda _, sheet: setattr(sheet["B1"], "value", None)), "name every column")
    (tmp_path / "t.ods").write_bytes(b"PK\x03\x04")
    refused(tmp_path / "t.ods", "save it as xlsx, csv or Parquet")


# --- databases, frames, lists


def test_databases(tmp_path):
    """A table of SQLite or DuckDB is read by value, and that there may be more is said."""
    path = tmp_path / "t.db"
    with sqlite3.connect(path) as connection:
        connection.execute('CREATE TABLE t (a INTEGER, "b""c" TEXT, n)')
        connection.executemany("INSERT INTO t VALUES (?, ?, NULL)", [(1, "x"), (None, "y")])
        connection.execute("CREATE TABLE mixed (m)")
        connection.executemany("INSERT INTO mixed VALUES (?)", [(1,), ("SECRET",)])
    connection.close()
    assert read(f"{path}#t") == (
        {"a": "BIGINT", 'b"c': "VARCHAR", "n": "VARCHAR"}, [("1", "x", None), (None, "y", None)]
    )  # fmt: skip
    with Engine() as engine:
        warnings = opened(engine, f"{path}#t", None, Written()).warnings
    assert "1 other tables or views" in warnings[0]
    refused(f"{path}#mixed", "several kinds")
    refused(path, "no single table")
    refused(f"{path}#none", "no table 'none'")
    path.write_bytes(path.read_bytes()[:-1])
    refused(f"{path}#t", "not a whole database")
    path = tmp_path / "t.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute("""
            CREATE TYPE e AS ENUM ('u');
            CREATE TABLE t AS
            SELECT 'u'::e AS e, 1::HUGEINT AS h, {'low': 1, 'high': 2} AS i, INTERVAL 1 DAY AS s
        """)
    assert read(path)[1] == [("u", "1", "{'low': 1, 'high': 2}", "1 day")]
    path.write_bytes(path.read_bytes()[:5000])
    refused(path, "not a whole database")
    (tmp_path / "text.db").write_text("a,b\n")
    refused(tmp_path / "text.db", "not a DuckDB or SQLite")


def test_dataframes_and_lists():
    """Frames of any library, dicts of columns and lists of rows are one table."""
    wanted = {"a": "DOUBLE", "b": "VARCHAR"}, [("1.0", "x")] * 2 + [(None, "y")] * 2
    rows = pa.table(BLANK).to_pylist()
    for data in (pa.table(BLANK), pl.DataFrame(BLANK), pl.LazyFrame(BLANK), pd.DataFrame(BLANK),
                 BLANK, rows, pd.DataFrame(BLANK).iloc[[0, 1, 3, 2]]):  # fmt: skip
        assert read(data) == wanted
    assert read([(1, "x"), [2.5, None]]) == (
        {"x0": "DOUBLE", "x1": "VARCHAR"}, [("1.0", "x"), ("2.5", None)]
    )  # fmt: skip
    frame = pd.DataFrame({
        "i": pd.interval_range(0, 2), "c": pd.cut([1, 5], [0, 3, 9]),
        "s": pd.arrays.SparseArray([1, 0]), 7: pd.to_timedelta([1, 2]),
    })  # fmt: skip
    assert read(frame)[1] == [("0,1", "0,3", "1", "1"), ("1,2", "3,9", "0", "2")]
    assert list(read(pd.DataFrame(BLANK).set_index("b"))[0]) == ["b", "a"]
    indexed = pd.DataFrame({"a": [1, 2]}, index=["Ann", "Bob"])
    assert read(indexed)[0] == {"index": "VARCHAR", "a": "BIGINT"}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (3, "give a path or a dataframe"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns of one name"),
        (pd.DataFrame([[1, 2]], columns=[1, "1"]), "two columns|named '1'"),
        (pd.DataFrame({"a": [1, "SECRET"]}), "several kinds"),
        (pd.DataFrame({"a": [[1], [2]]}), "holds lists"),
        (pa.table({"a": [1], "A": [2]}), "look the same"),
        ([[1], [2, 3]], "lists of one length"),
        ([{"a": 1}, {"a": "SECRET"}], "several kinds"),
        ([{"a": 2**70}], "too many digits"),
        ((), "no rows"),
    ],
)
def test_frames_and_lists_that_cannot_be_judged(data, words):
    """What has no one kind, or no names, is refused in words."""
    refused(data, words)


# --- papers and folders


def test_papers_that_name_the_hash(tmp_path):
    """How csv is written, and what stays as it is, is believed if the file's hash is named."""
    path = tmp_path / "release.csv"
    path.write_text("a;b\n1;2\n")
    import hashlib

    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    release = {"file": "release.csv", "delimiter": ";", "columns": ["a", "b"], "sha256": digest,
               "text": {"delimiter": ";"}, "order": "as in the input"}  # fmt: skip
    claims = {"quasi_identifiers": ["a"], "sensitive": [], "k": 7}
    certificate = {
        "release": release,
        "claims": claims,
        "files": {"release.csv": {"sha256": digest}},
    }
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    found = beside(path)
    assert (found.where, found.k, found.kept) == ("certificate.json", 7, ("b",))
    assert found.text == {"delimiter": ";"}
    report = {"release": release, "verification": {"required": 5},
              "roles": {"quasi-identifier": ["a"], "sensitive": ["b"]},
              "columns": [{"name": "a", "released_as": "mean"}]}  # fmt: skip
    (tmp_path / "report.json").write_text(json.dumps(report))
    found = beside(path)
    assert (found.where, found.k, found.sensitive, found.kept) == ("report.json", 5, ("b",), ())
    assert (found.in_order, found.released_as, found.text) == (
        True, {"a": "mean"}, {"delimiter": ";"}
    )  # fmt: skip
    path.write_text("a;b\n1;3\n")
    found = beside(path)
    assert (found.where, found.text, found.kept) == ("certificate.json", {}, ())
    (tmp_path / "certificate.json").unlink()
    (tmp_path / "run.toml").write_text('[roles]\nquasi_identifiers = ["a"]\n[protect]\nk = 4\n')
    assert (beside(path).where, beside(path).k, beside(path).kept) == ("run.toml", 4, ())
    assert beside(tmp_path / "none.csv") is None


def test_manifests(tmp_path):
    """The parts of a manifest are checked against their hashes; its numbers are problems."""
    import hashlib

    parts = []
    for place, values in enumerate(([1, 1], [1])):
        path = parquet(tmp_path / f"{place}.parquet", {"a": values})
        raw = path.read_bytes()
        parts.append({"file": path.name, "sha256": hashlib.sha256(raw).hexdigest(),
                      "records": len(values), "bytes": len(raw)})  # fmt: skip
    content = {"schema": "shoal.manifest/1", "k": 3, "columns": ["a"], "quasi_identifiers": ["a"],
               "classes": 1, "records": 3, "parts": parts, "more": 1}  # fmt: skip
    path = tmp_path / "manifest.json"

    def said(**change):
        path.write_text(json.dumps(content | change))
        return path

    for data in (said(), tmp_path):
        found = shoal.verify(data, k=3, quasi_identifiers=["a"])
        assert not found.problems
        assert found.warnings == ("manifest.json says what is not checked: 'more'",)
    wrong = said(columns=["b"], k=4, classes=2)
    assert len(shoal.verify(wrong, k=3, quasi_identifiers=["a"]).problems) == 3
    said()
    assert (beside(path).k, beside(tmp_path).kept) == (3, ())
    refused(said(parts=parts[:1]), r"'1.parquet' in it is nothing that manifest.json lists")
    refused(said(parts=[*parts, parts[0]]), "lists '0.parquet' twice")
    refused(said(parts=[parts[0] | {"file": "../0.parquet"}]), "which is no part in it")
    refused(said(parts=[parts[0] | {"file": "9.parquet"}]), "which is not there")
    refused(said(parts=[parts[0] | {"sha256": ""}, parts[1]]), "is not the file that")
    refused(said(schema="other"), "is not one of ours")
    path.write_text('{"schema": 1, "schema": 2}')
    refused(tmp_path, "is not one of ours")
    path.write_bytes(b"PAR1")
    refused(tmp_path, "is not one of ours|'manifest.json' in it")
