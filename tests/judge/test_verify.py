"""The judge: finds what is wrong, by itself."""

from __future__ import annotations

import gzip
import json
import random

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
import shoal

GOOD = "a,b,s\n1,x,p\n1,x,q\n2,y,p\n2,y,p\n"
BAD = "a,b,s\n1,x,p\n1,x,q\n2,y,p\n2,z,p\n"


def test_good_and_bad(write):
    """A 2-anonymous file passes, one changed cell fails."""
    good = shoal.verify(write("good.csv", GOOD), k=2, quasi_identifiers=["a", "b"])
    assert (good.ok, good.k, good.records, good.classes, good.problems) == (True, 2, 4, 2, ())
    bad = shoal.verify(write("bad.csv", BAD), k=2, quasi_identifiers=["a", "b"])
    assert (bad.ok, bad.k, bad.classes) == (False, 1, 3)
    assert bad.problems == ("2 classes with 2 records are smaller than 2",)
    assert "NOT SAFE" in str(bad)
    assert bool(good)
    assert not bad


def test_only_the_named_columns_count(write):
    """The verdict is about the quasi-identifiers that were named."""
    assert shoal.verify(write("bad.csv", BAD), k=2, quasi_identifiers="a").ok


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["1", "1.0", "", "x,y"])),
             min_size=1, max_size=30),
    st.integers(1, 4),
)  # fmt: skip
def test_equals_a_plain_count(tmp_path_factory, rows, k):
    """Class sizes are those of a plain count, cells compared as they are written."""
    text = "p,q\n" + "".join(f'{p},"{q}"\n' for p, q in rows)
    path = tmp_path_factory.mktemp("v") / "t.csv"
    path.write_text(text)
    sizes = naive.class_sizes(text, ["p", "q"])
    found = shoal.verify(path, k=k, quasi_identifiers=["q", "p"])
    assert (found.k, found.classes, found.records) == (sizes[0], len(sizes), len(rows))
    assert found.ok == (sizes[0] >= k)


def test_csv_cells_are_bytes(write):
    """1 and 1.0 are different cells of a csv file; quotes are not part of a cell."""
    path = write("t.csv", "a\n1\n1.0\n")
    assert shoal.verify(path, k=1, quasi_identifiers=["a"]).classes == 2
    path = write("t.csv", 'a\n1\n"1"\n')
    assert shoal.verify(path, k=2, quasi_identifiers=["a"]).ok


def test_parquet_and_dataframes_compare_values(tmp_path):
    """Parquet cells and dataframes are compared as values; missing is a value of its own."""
    data = {"a": [1.0, 1.0, None, None], "b": ["x", "x", "y", "y"]}
    pq.write_table(pa.table(data), tmp_path / "t.parquet")
    for given_ in (tmp_path / "t.parquet", pa.table(data), pl.DataFrame(data), pd.DataFrame(data)):
        found = shoal.verify(given_, k=2, quasi_identifiers=["a", "b"])
        assert (found.ok, found.classes) == (True, 2)
        assert not shoal.verify(given_, k=3, quasi_identifiers=["a"]).ok


def test_not_a_number_is_not_missing(tmp_path):
    """NaN and null are two values, each equal to itself only."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"f": pa.array([None, float("nan")] * 2, pa.float64())}), path)
    found = shoal.verify(path, k=2, quasi_identifiers=["f"])
    assert (found.ok, found.classes) == (True, 2)
    assert not shoal.verify(path, k=3, quasi_identifiers=["f"]).ok


def test_nested_and_doubled_columns(tmp_path):
    """Lists and two columns of one name are errors in words."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [[1], [1]]}), path)
    with pytest.raises(shoal.InputError, match="holds lists"):
        shoal.verify(path, k=2, quasi_identifiers=["a"])
    with pytest.raises(shoal.InputError, match="holds lists"):
        shoal.verify(pd.DataFrame({"a": [[1], [1]]}), k=2, quasi_identifiers=["a"])
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]), path)
    for check in (shoal.read, lambda p: shoal.verify(p, k=1, quasi_identifiers=["a"])):
        with pytest.raises(shoal.InputError, match="named 'a'"):
            check(path)
    frame = pd.DataFrame([[1, 2]], columns=[0, 1])
    assert shoal.verify(frame, k=1, quasi_identifiers=["1"], keep=["0"]).ok


def test_forms_of_csv(write):
    """gzip, a byte order mark, CRLF, other delimiters and no last line end are read."""
    for name, content in (
        ("t.csv.gz", gzip.compress(GOOD.encode())),
        ("t.csv", "\ufeff" + GOOD),
        ("t.csv", GOOD.replace("\n", "\r\n")),
        ("t.csv", GOOD.replace(",", ";")),
        ("t.csv", GOOD.rstrip("\n")),
        ("t.csv", GOOD + "\n\n"),
        ("t.csv", GOOD.replace("a,b,s", '"a","b","s\n,;"')),
        ("t.csv", GOOD.replace("a,b,s", '"a","b","s;|"')),
    ):
        assert shoal.verify(write(name, content), k=2, quasi_identifiers=["a", "b"]).ok
    path = write("t.csv", "a|x;b\n1;2\n1;2\n")
    with pytest.raises(shoal.InputError, match="with delimiter"):
        shoal.verify(path, k=2, quasi_identifiers=["b"])
    assert shoal.verify(path, k=2, quasi_identifiers=["b"], delimiter=";").ok


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "there is no header"),
        ("a,b\n1\n", "line 2: 1 cell, the header has 2"),
        ("a,b\n1,2,3\n", "line 2: 3 cells, the header has 2"),
        ('a,b\n1,"2\n', "line 2: not strict csv"),
        ('a,b\n1,"2"x\n', "line 2: not strict csv"),
        ("a,a\n1,2\n", "two columns are named 'a'"),
        ("b,c\n1,2\n", "there is no column 'a'"),
        (b"\xe9,a\n1,2\n", "the header is not UTF-8"),
        ("a,b\n1,2\n\n1,2\n", "line 3: 1 cell, the header has 2"),
        ("a,b\n1,2\0\n", "line 2: a NUL byte"),
        ("a,b\n1,2\r1,2\n", "line 2: not strict csv"),
    ],
)
def test_broken_files(write, content, message):
    """What cannot be read is an error, not a verdict."""
    with pytest.raises(shoal.InputError, match=message):
        shoal.verify(write("t.csv", content), k=2, quasi_identifiers=["a"])


def test_broken_parquet(tmp_path):
    """A cut Parquet file is an error in words."""
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": list(range(1000))}), path)
    path.write_bytes(path.read_bytes()[:500])
    with pytest.raises(shoal.InputError, match="not a Parquet file, or not a whole one"):
        shoal.verify(path, k=2, quasi_identifiers=["a"])
    with pytest.raises(shoal.InputError, match="no such file"):
        shoal.verify(tmp_path / "none.csv", k=2, quasi_identifiers=["a"])
    with pytest.raises(shoal.InputError, match="give a path or a dataframe"):
        shoal.verify(3, k=2, quasi_identifiers=["a"])


def test_callers_csv_limit_is_kept(write):
    """The judge changes nothing in the caller's csv module."""
    import csv

    before = csv.field_size_limit(12_345)
    try:
        shoal.verify(write("t.csv", GOOD), k=2, quasi_identifiers=["a"])
        assert csv.field_size_limit() == 12_345
    finally:
        csv.field_size_limit(before)


def test_no_records_is_not_safe(write):
    """A header alone is not k-anonymous."""
    found = shoal.verify(write("t.csv", "a\n"), k=2, quasi_identifiers=["a"])
    assert (found.ok, found.problems) == (False, ("there are no records",))


def test_what_was_expected(write):
    """A wrong number of records and a column that should not be there are problems."""
    path = write("t.csv", GOOD)
    found = shoal.verify(path, k=2, quasi_identifiers=["a"], records=5, columns=["a", "b"])
    assert found.problems == (
        "the columns are not those of the release (1 should not be there)",
        "there are 4 records, not 5",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0, "quasi_identifiers": ["a"]}, "k must be"),
        ({"k": 2.5, "quasi_identifiers": ["a"]}, "k must be"),
        ({"k": True, "quasi_identifiers": ["a"]}, "k must be"),
        ({"k": 2, "quasi_identifiers": []}, "at least one"),
        ({"k": 2, "quasi_identifiers": ["a", "a"]}, "twice"),
        ({"k": 2, "quasi_identifiers": ["bb"]}, "did you mean 'b'"),
        ({"k": 2, "quasi_identifiers": ["a"], "delimiter": "ab"}, "one character"),
    ],
)
def test_wrong_questions(write, options, message):
    """A question that makes no sense is an error."""
    with pytest.raises(shoal.ShoalError, match=message):
        shoal.verify(write("t.csv", GOOD), **options)


def test_any_changed_row_is_found(write, shoal):
    """In a release, one row's quasi-identifier changed at random is always found."""
    rng = random.Random(0)
    rows = [f"{g},{g * 7},{i}" for g in range(20) for i in range(3)]
    for trial in range(20):
        changed = list(rows)
        at = rng.randrange(len(rows))
        cells = changed[at].split(",")
        cells[rng.randrange(2)] += "1"
        changed[at] = ",".join(cells)
        rng.shuffle(changed)
        path = write(f"t{trial}.csv", "a,b,c\n" + "\n".join(changed) + "\n")
        ran = shoal("verify", path, "-k", 3, "--quasi", "a,b", "--json")
        assert ran.code == 3
        assert json.loads(ran.out)["ok"] is False
