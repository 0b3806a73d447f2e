"""Counts as words, on disk, are the plain counts in memory: random tables of every kind of cell."""

from __future__ import annotations

import dataclasses
import datetime
import tempfile
import uuid
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from shoal.judge import classes as count_rows
from shoal.judge import composition as counting
from shoal.judge.disk import Spill
from shoal.judge.limits import limited
from shoal.judge.readers.cells import ArrowCells, decoded, plain
from shoal.judge.readers.reading import opened
from shoal.judge.readers.written import Written
from shoal.judge.sensitive import Sensitive
from thorough import examples

NAN = float("nan")
ODD = ["", "*", "a", "a ", "é", "e\u0301", "\t", "\n", '"', "1", "1.0", "NaN", "𝔸", "\u2028"]
KINDS = {
    "float64": (pa.float64(), [0.0, -0.0, NAN, 1.5, float("inf"), 5e-324, 2**53]),
    "float32": (pa.float32(), [0.0, -0.0, NAN, 1.5]),
    "float16": (pa.float16(), [0.0, -0.0, NAN, 1.5]),
    "int8": (pa.int8(), [-1, 0, 127]),
    "int64": (pa.int64(), [0, 2**63 - 1, -(2**63), 2**53, 2**53 + 1]),
    "uint64": (pa.uint64(), [0, 2**64 - 1, 2**63, 1]),
    "bool": (pa.bool_(), [True, False]),
    "date32": (pa.date32(), [0, 1, -1]),
    "timestamp": (pa.timestamp("ns"), [0, 1, 2, -(2**62)]),
    "zoned": (pa.timestamp("us", "UTC"), [0, 1]),
    "time32": (pa.time32("ms"), [0, 1]),
    "time64": (pa.time64("ns"), [0, 1, 1000]),
    "duration": (pa.duration("ns"), [0, 1, 1000]),
    "decimal128": (pa.decimal128(20, 2), [Decimal("0.00"), Decimal("-1.10"), Decimal("1.10")]),
    "decimal256": (pa.decimal256(50, 2), [Decimal("0.00"), Decimal("1.10")]),
    "decimal32": (pa.decimal32(5, 2), [Decimal("0.00"), Decimal("1.10")]),
    "string": (pa.string(), ODD),
    "large_string": (pa.large_string(), ODD),
    "string_view": (pa.string_view(), ODD),
    "binary": (pa.binary(), [b"", b"\0", b"\xff", b"a"]),
    "fixed": (pa.binary(2), [b"aa", b"a\0"]),
    "dictionary": (pa.dictionary(pa.int8(), pa.string()), ODD),
    "numbers": (pa.dictionary(pa.int8(), pa.float64()), [0.0, -0.0, 1.0]),
    "null": (pa.null(), []),
    "uuid": (pa.uuid(), [uuid.UUID(int=0).bytes, uuid.UUID(int=1).bytes]),
}  # fmt: skip
MORE = {  # what a file cannot hold
    "date64": (pa.date64(), [datetime.date(1970, 1, 1), datetime.date(2026, 1, 1)]),
    "interval": (pa.month_day_nano_interval(), [(0, 1, 0), (1, 0, 0)]),
}
OPTIONS = {
    "k": 2, "quasi_identifiers": ["a", "b", "c"], "sensitive": ["s", "t"], "l": 2, "t": 0.3,
    "alpha": 0.6, "k_of": {("a",): 4, ("c", "b"): 3},
}  # fmt: skip


def column_of(kind, cells):
    """An array of one kind."""
    if kind.id == pa.uuid().id and str(kind) == str(pa.uuid()):
        return pa.ExtensionArray.from_storage(kind, pa.array(cells, pa.binary(16)))
    if pa.types.is_dictionary(kind):
        return pa.array(cells, kind.value_type).dictionary_encode().cast(kind)
    return pa.array(cells, kind)


@st.composite
def tables(draw, kinds=tuple(KINDS)):
    """A table of three quasi-identifiers and two sensitive columns, often with ties."""
    rows = draw(st.integers(1, 40))
    columns = {}
    for name in "abcst":
        kind, cells = {**KINDS, **MORE}[draw(st.sampled_from(kinds))]
        some = st.sampled_from([*cells, None]) if cells else st.none()
        columns[name] = column_of(kind, draw(st.lists(some, min_size=rows, max_size=rows)))
    return pa.table(columns)


def spilled(data, limit, **options):
    """What is found with so few entries in memory."""
    with limited(entries=limit, rows=3, few=3, batch=7, piece=50):
        return dataclasses.replace(shoal.verify(data, **options), readings={})


def check(data, limit, **options):
    """Compare what is found on disk and in memory."""
    whole = dataclasses.replace(shoal.verify(data, **options), readings={})
    assert spilled(data, limit, **options) == whole


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder for files of every example."""
    return tmp_path_factory.mktemp("disk")


@examples(30)
@given(tables(), st.integers(1, 12))
def test_parquet_on_disk_is_parquet_in_memory(folder, table, limit):
    """Sizes, rulings, subsets and offenders are those of the plain path, for all kinds of cells."""
    pq.write_table(table, folder / "t.parquet", row_group_size=11)
    check(folder / "t.parquet", limit, **OPTIONS)
    check(folder / "t.parquet", limit, k=3, quasi_identifiers=["a", "b"])


@examples(30)
@given(tables((*KINDS, *MORE)), st.integers(1, 12))
def test_frames_on_disk_are_frames_in_memory(table, limit):
    """So it is with dataframes, sliced ones too."""
    check(table, limit, **OPTIONS)
    check(table.slice(1), limit, k=3, quasi_identifiers=["b", "c"])


CELLS = st.sampled_from(["", "*", "a", "a,b", '"', "\n", "\r", "é", "1", "1.0", "\x01", " "])


@examples(30)
@given(st.lists(st.tuples(*[CELLS] * 5), min_size=1, max_size=40), st.integers(1, 12))
def test_csv_on_disk_is_csv_in_memory(folder, rows, limit):
    """So it is with csv, whatever its cells."""
    lines = ['"' + '","'.join(cell.replace('"', '""') for cell in row) + '"\n' for row in rows]
    (folder / "t.csv").write_text("a,b,c,s,t\n" + "".join(lines), encoding="utf-8", newline="")
    check(folder / "t.csv", limit, **OPTIONS)
    check(folder / "t.csv", limit, k=3, quasi_identifiers=["a", "b"])


@examples(30)
@given(tables(), st.integers(1, 6))
def test_mixes_that_collide(folder, table, limit):
    """Where all rows have one mix, words decide, and the result is exact."""
    pq.write_table(table, folder / "t.parquet")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(count_rows, "mix", lambda words: np.zeros(len(words), np.uint64))
        check(folder / "t.parquet", limit, **OPTIONS)


@examples(30)
@given(tables(), st.integers(1, 12))
def test_the_classes_themselves(table, limit):
    """Every class has the first record, size, values and rare subsets that memory finds."""
    quasi = ["a", "b", "c"]
    found = []
    for spill in (10**6, limit):
        with (
            limited(entries=spill, few=2),
            opened(table, None, Written()) as source,
            Spill() as files,
        ):
            hidden = [Sensitive(name, False) for name in "st"]
            subset = counting.Subset(("b",), (1,), 3)
            counted = counting.count(source, quasi, hidden, [subset], "own", lambda: files)
            every = sorted(one._replace(narrow=list(one.narrow)) for one in counted.classes())
            numbers = counted.numbers([one.first for one in every])
            found.append((every, numbers, counted.narrow, [c.whole for c in hidden]))
    assert found[0] == found[1]


@pytest.mark.parametrize("kind", [*KINDS, *MORE])
def test_words_are_equal_where_cells_are(kind):
    """Two cells of a column have the same words if, and only if, the plain path has them equal."""
    kind, cells = {**KINDS, **MORE}[kind]
    values = decoded(column_of(kind, cells))
    words = [tuple(row) for row in ArrowCells(values).words().tolist()]
    cells = plain(values)
    for one, its in zip(cells, words, strict=True):
        for other, theirs in zip(cells, words, strict=True):
            assert (its == theirs) == ({one} == {other})


def test_few_classes_of_many_records_keep_every_reading(tmp_path):
    """Many records in few classes are counted as words, and every reading is still told."""
    table = pa.table({"a": ["x", None, "y", "x"] * 50, "s": [1.0, NAN, None, 2.0] * 50})
    pq.write_table(table, tmp_path / "t.parquet")
    options = {"k": 100, "quasi_identifiers": ["a"], "sensitive": ["s"], "l": 2}
    for reading in ("own", "root", "wildcard"):
        whole = shoal.verify(tmp_path / "t.parquet", missing_as=reading, **options)
        with limited(entries=20, batch=9):
            assert shoal.verify(tmp_path / "t.parquet", missing_as=reading, **options) == whole
    with limited(entries=2), pytest.raises(shoal.RequestError, match="verify with missing_as own"):
        shoal.verify(tmp_path / "t.parquet", missing_as="root", **options)


def test_more_columns_than_a_word_has_bits(tmp_path):
    """The missing cells of seventy columns are told apart."""
    names = [f"x{i}" for i in range(70)]
    cells = {name: [0 if i != place else None for i in range(70)] * 2
             for place, name in enumerate(names)}  # fmt: skip
    pq.write_table(pa.table(cells), tmp_path / "t.parquet")
    found = spilled(tmp_path / "t.parquet", 5, k=2, quasi_identifiers=names)
    assert (found.ok, found.classes, found.k) == (True, 70, 2)
    found = spilled(tmp_path / "t.parquet", 2, k=2, quasi_identifiers=names, k_of={"x69": 2})
    assert (found.k_of[0].found, found.k_of[0].ok) == (2, True)


def test_nanoseconds_are_told_apart(tmp_path):
    """Times that differ by a nanosecond are two values, in memory and on disk."""
    table = pa.table({"a": pa.array([1, 2, 3, 4], pa.time64("ns"))})
    for found in (shoal.verify(table, k=1, quasi_identifiers="a"),
                  spilled(table, 1, k=1, quasi_identifiers="a")):  # fmt: skip
        assert found.classes == 4


def test_one_not_a_number_and_one_day():
    """Any bits of not-a-number are one value, and so is any millisecond of a day."""
    floats = pa.array([0x7FF8000000000000, 0x7FF8000000000001, 0xFFF8000000000000], pa.uint64())
    days = pa.array([0, 1, 86_399_999], pa.int64())
    for values in (floats.view(pa.float64()), days.view(pa.date64())):
        assert len(set(ArrowCells(values).words()[:, 0].tolist())) == 1


def test_a_date_beyond_the_calendar():
    """A date that Python cannot write is an error, not a crash; as words it counts."""
    table = pa.table({"a": pa.array([10**8 + i for i in range(3)], pa.int32()).view(pa.date32())})
    with pytest.raises(shoal.InputError, match="beyond the calendar"):
        shoal.verify(table, k=1, quasi_identifiers="a")
    assert spilled(table, 1, k=1, quasi_identifiers="a").classes == 3


@pytest.mark.parametrize("cells", [[[1], [2], [1]], [{"x": 1}, {"x": 2}, {"x": 1}]])
def test_lists_are_refused_on_disk(tmp_path, cells):
    """Columns of lists are an error for many records as they are for few."""
    table = pa.table({"a": pa.array(cells)})
    pq.write_table(table, tmp_path / "t.parquet")
    for data in (table, tmp_path / "t.parquet"):
        with limited(entries=1), pytest.raises(shoal.InputError, match="holds lists"):
            shoal.verify(data, k=1, quasi_identifiers=["a"])


def test_damage_is_told_and_nothing_stays(tmp_path, monkeypatch):
    """A Parquet file that breaks off midway is an error, and its counts on disk are gone."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    path = tmp_path / "t.parquet"
    table = pa.table({"a": np.arange(20_000)})
    pq.write_table(table, path, row_group_size=5_000, compression="zstd", use_dictionary=False)
    content = bytearray(path.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 2_000] = b"\xaa" * 2_000
    path.write_bytes(content)
    whole = pytest.raises(shoal.InputError, match="not a whole Parquet file")
    with limited(entries=10, batch=1_000), whole:
        shoal.verify(path, k=1, quasi_identifiers=["a"])
    assert list(tmp_path.iterdir()) == [path]


def test_a_subset_of_few_combinations_takes_little_room(tmp_path, monkeypatch):
    """Classes of a combination that is frequent already are not written down one by one."""
    written = []
    before = Spill.add

    def add(self, name, part, content):
        written.extend([name] * (len(memoryview(content).cast("B")) // 8))
        before(self, name, part, content)

    monkeypatch.setattr(Spill, "add", add)
    table = pa.table({"a": np.arange(40_000) // 2, "b": np.zeros(40_000, int)})
    found = spilled(table, 1_000, k=2, quasi_identifiers=["a", "b"], k_of={"b": 3})
    assert found.ok
    assert written.count("subset0") <= 256 * 5
    assert "rare" not in written
