"""A csv file read piece by piece: the same columns, the same words, the same strictness."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import os
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import shoal
from shoal.table.csv_pieces import CsvPieces
from shoal.table.csv_pieces.cut import LONG
from shoal.table.dialects.dialect import dialect_of
from shoal.table.files.unpacking import GZIP_FREE
from shoal.table.read import read
from shoal.table.roles import Kind
from thorough import spread

SIZES = st.integers(1, 200)


HOW = (
    "delimiter",
    "encoding",
    "decimal",
    "thousands",
    "date_format",
    "quote",
    "skip_lines",
    "comment",
)


def as_dialect(options):
    """Return options of `read` as those of the pieces of a file."""
    how = {name: options[name] for name in (*HOW, "widths") if name in options}
    rest = {name: value for name, value in options.items() if name not in how}
    return {**rest, "dialect": dialect_of(**how)}


def lines_of(table):
    """Return the line of each record of a table."""
    return [int(table.source.where([row]).split()[1]) for row in range(table.rows)]


def assert_same(path, size, long=LONG, **options):
    """Hold the pieces of a file against the table that is read at once."""
    expected = read(path, **options)
    pieces = CsvPieces(path, size=size, long=long, **as_dialect(options))
    seen = list(pieces.first())
    again = list(pieces.again())
    assert sum(table.rows for table in seen) == expected.rows
    assert [table.rows for table in seen] == [table.rows for table in again]
    assert [line for table in again for line in lines_of(table)] == lines_of(expected)
    for table in (pieces, *again):
        for field in ("name", "kind", "sha256", "path", "delimiter", "missing", "types", "columns"):
            assert getattr(table.source, field) == getattr(expected.source, field)
    assert [outline.name for outline in pieces.outline] == expected.names
    for index, (column, outline) in enumerate(zip(expected.columns, pieces.outline, strict=True)):
        parts = [table.columns[index] for table in again]
        assert all(table.columns[index].name == column.name for table in seen)
        assert all(
            (part.name, part.kind, part.written, part.doubt)
            == (column.name, column.kind, column.written, column.doubt)
            for part in (*parts, outline)
        )
        for field in ("values", "cells"):
            whole, cut = getattr(column, field), [getattr(part, field) for part in parts]
            assert {part.type for part in cut} == {whole.type}
            assert pa.chunked_array(cut).to_pylist() == whole.to_pylist()
        if column.quoted is None:
            assert all(part.quoted is None for part in parts)
        else:
            assert np.array_equal(np.concatenate([part.quoted for part in parts]), column.quoted)
    return pieces


def refusal(ask):
    """Return the kind and words of an error, None where there is none."""
    try:
        ask()
    except shoal.ShoalError as error:
        return type(error), str(error)
    return None


def of_both(path, size, **options):
    """Return the errors of reading at once and of a first pass."""
    pieces = CsvPieces(path, size=size, **as_dialect(options))
    return refusal(lambda: read(path, **options)), refusal(lambda: list(pieces.first()))


LOOKS = [
    ["1", "0", "-3", "+4", " 5 ", "12"],
    ["1.5", ".5", "3.", "-0.25"],
    ["1e5", "2E-3", "1e999", "1e-400"],
    ["007", "01.5", "-08"],
    ["inf", "nan"],
    ["$5", "1,5", "٣", "1_000"],
    ["2024-01-01", "2024-03-31", "2024-02-30"],
    ["2024-01-01T10:00", "2024-01-01 10:00", "2024-01-01T10:00:00", "2024-13-01T10:00"],
    ["2024-01-01T10:00Z"],
    ["1/2/03", "1.2.2003"],
    ["true", "false", "true", "false"],
    ["True", "TRUE", " true", "yes", "t"],
    ["x", "Zürich", 'say "hi"', "a\nb", "日本\r\n", "a,b;c"],
    ["", "NA", "?"],
    ["9" * 19, "9" * 20, "9" * 39, "9" * 400, "0." + "0" * 400 + "1", "0." + "1" * 30],
]


@st.composite
def columns(draw, rows):
    """Return the cells of a column: runs of cells that look alike, so that kinds change late."""
    cells = []
    while len(cells) < rows:
        look = draw(st.sampled_from(LOOKS))
        cells += draw(st.lists(st.sampled_from(look), min_size=1, max_size=rows))
    return cells[:rows]


@st.composite
def texts(draw):
    """Return the text of a csv file."""
    rows, width = draw(st.integers(0, 25)), draw(st.integers(1, 3))
    body = [draw(columns(rows)) for _ in range(width)]
    names = draw(st.permutations(["a", "naïve", 'the "b"', "two\nlines"]))[:width]
    text = io.StringIO()
    quoting = draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    writer = csv.writer(text, quoting=quoting, lineterminator=end)
    writer.writerow(names)
    for record in zip(*body, strict=True):
        if width == 1 and record == ("",):
            text.write(end)  # the csv module would put quotes around it
        else:
            writer.writerow(record)
    whole = text.getvalue()
    if draw(st.booleans()):
        whole = whole.removesuffix(end)
    elif width > 1:
        whole += end * draw(st.integers(0, 3))
    return draw(st.sampled_from(["", "\ufeff"])) + whole


@given(
    text=texts(),
    size=SIZES,
    missing=st.sampled_from([("",), ("", "NA", "?"), ()]),
    kind=st.sampled_from([None, None, None, "text", "number", "date", "boolean", "odd"]),
)
@example("a,b\n1,x\n\n\n", 1, ("",), None)
@example("a\n\n1\n\n\n", 1, ("",), None)
@example("a,b", 1, ("",), None)
def test_pieces_are_the_whole(tmp_path_factory, text, size, missing, kind):
    """Wherever a file is cut, its pieces together are the table, or are refused in its words."""
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(text.encode())
    options = {"missing": missing, "types": {}, "delimiter": ","}
    if kind:
        options["types"] = {read(path, missing=missing, delimiter=",").names[0]: kind}
    at_once, in_pieces = of_both(path, size, **options)
    assert in_pieces == at_once
    if at_once is None:
        assert_same(path, size, **options)


@given(
    raw=st.lists(
        st.sampled_from([b"a", b"1", b",", b"\n", b"\r\n", b'"', b'""', b"\xc3\xa9", b"\xe2\x82",
                         b"\xff", b"\0", b"\r", b";", b"a,b\n1,2\n"]),
        max_size=14,
    ).map(b"".join),
    size=st.integers(1, 30),
)  # fmt: skip
def test_any_bytes(tmp_path_factory, raw, size):
    """Bytes of any kind are read as at once, or refused if and only if they are at once."""
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(raw)
    at_once, in_pieces = of_both(path, size)
    assert (in_pieces is None) == (at_once is None)
    if at_once is None:
        assert_same(path, size)
    else:
        assert in_pieces[0] is at_once[0]
    if size > len(raw):
        assert in_pieces == at_once


FRONT = b"a,b\n" + b"1,2\n" * 50
MALFORMED = [
    b"", b"\n\n", b"\r\n\n", b"\xef\xbb\xbf", b"\n\n\na\n1\n", b"\r\r\n\na\n",
    FRONT + b"1,2,3\n", FRONT + b"3\n1,2\n", FRONT + b"\n3,4\n", FRONT + b"\n\r\n\n\n3,4\n",
    FRONT + b'"x\ny",2\n' * 20 + b"3\n", b"a,a\n1,2\n", b"a,,c\n1,2,3\n", b"a, ,c\n1,2,3\n",
    b"a\n" + b"x" * 200_000 + b"\n", b"a\n1\n" + b'"' + b"x\n" * 100_000 + b'"\n',
    b"h" * 10_000 + b"\n1\n", b",".join(b"c%d" % i for i in range(30_000)) + b"\n",
    FRONT + b'1,"x\n2,y\n', FRONT + b'1,"x\n' + b"2,y\n" * 1000, b'a,b\n"q""\n',
    FRONT + b'1,"x\n' + b"2,z\n" * 90 + b'2,"y"\n', FRONT + b'1,x"y\n', FRONT + b'1,x"y\n' * 3,
    FRONT + b"x\0y,1\n", FRONT + "ä,1\n".encode() * 9 + b"n\xe4,1\n", FRONT + b"1,\xe2\x82\n",
    FRONT + b"1,\xe2\x82", "a\n1\n".encode("utf-16-le"),
    b"%PDF-1.4\n", b"PK\x03\x04...", gzip.compress(b"a\n1\n", mtime=0), b"PAR1....",
    b"\xd0\xcf\x11\xe0", b"a;b,c\n1;2,3\n", FRONT + b"1,2\r1,2\n", FRONT + b"1,2\r",
]  # fmt: skip


@pytest.mark.parametrize("size", spread([1, 7, 64, 2**24], 2))
@pytest.mark.parametrize("content", MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_files_in_the_same_words(write, content, size):
    """What is refused at once is refused in pieces, with the same line, record and byte."""
    at_once, in_pieces = of_both(write("t.csv", content), size)
    assert at_once is not None
    assert in_pieces == at_once


@pytest.mark.parametrize("size", [1, 50, 2**24])
@pytest.mark.slow
def test_requests_in_the_same_words(write, size):
    """Types and delimiters that cannot be, and cells that are not what was declared, are told."""
    path = write("t.csv", "age,s\n1,x\n" + "2,y\n" * 60 + "z,x\n1e999,y\n")
    for options in (
        {"types": {"agee": "number"}}, {"types": {"age": "float"}}, {"types": {"age": "number"}},
        {"types": {"s": "date"}}, {"types": {"s": "boolean"}}, {"delimiter": ";;"},
        {"delimiter": '"'}, {"types": {"age": "number"}, "missing": ["z"]},
    ):  # fmt: skip
        at_once, in_pieces = of_both(path, size, **options)
        assert at_once is not None
        assert in_pieces == at_once


def test_late_type_change_names_its_line(write):
    """A word after thousands of numbers makes the column text, and its line is told."""
    path = write("t.csv", "x,y\n" + "17,0.5\n" * 9000 + "unknown,1e3\n" + "18,2\n" * 500)
    pieces = assert_same(path, 1000)
    assert [outline.kind for outline in pieces.outline] == [Kind.TEXT, Kind.FLOAT]
    assert "not numbers: 1 of 9501 cells (line 9002)" in pieces.outline[0].doubt
    first = next(CsvPieces(path, size=1000).first())
    assert [column.kind for column in first.columns] == [Kind.INTEGER, Kind.DECIMAL]


def test_five_places_and_a_count(write):
    """Of many cells in doubt the first five lines are told, from all pieces, and their number."""
    path = write("t.csv", "x\n" + "1\n1\n1\n?\n" * 400)
    (outline,) = assert_same(path, 64).outline
    assert "400 of 1600 cells (lines 5, 9, 13, 17, 21, …)" in outline.doubt


def test_one_arrow_type_for_all_pieces(write):
    """The digits of one late cell are those of every piece; a piece may hold no value at all."""
    path = write("t.csv", "x,y\n" + ",\n" * 30 + "1,true\n" * 30 + "1.2345,false\n")
    pieces = assert_same(path, 40)
    types = {table["x"].values.type for table in pieces.again()}
    assert types == {pa.decimal128(38, 4)}


@pytest.mark.parametrize("size", [1, 100, 2**24])
def test_gzip(write, size):
    """A packed file is read, its hash is that of the packed bytes; a broken one is not."""
    packed = gzip.compress(b"a,b\n" + b'1,"x\ny"\n' * 100)
    pieces = assert_same(write("t.csv.gz", packed), size)
    assert pieces.source.sha256 == hashlib.sha256(packed).hexdigest()
    for content in (packed[:-6], packed[:40], b"a,b\n1,2\n", packed + b"more", packed + b"\0" * 9):
        at_once, in_pieces = of_both(write("u.csv.gz", content), size)
        assert in_pieces == at_once


@pytest.mark.slow
def test_gzip_bomb(write):
    """Text that packs too well is refused before it fills anything."""
    line = b"0" * 100_000 + b"\n"
    path = write("t.csv.gz", gzip.compress(b"a\n" + line * (GZIP_FREE // len(line) + 1), 1))
    at_once, in_pieces = of_both(path, 2**22)
    assert "times its size" in in_pieces[1]
    assert in_pieces == at_once


def test_places_that_are_no_files(tmp_path):
    """A folder, a missing file, a pipe and odd names are refused in the same words."""
    (tmp_path / "d.csv").mkdir()
    os.mkfifo(tmp_path / "p.csv")
    for name in ("d.csv", "none.csv", "p.csv", "t.foo", "x" * 300 + ".csv", "nul\0.csv"):
        at_once, in_pieces = of_both(tmp_path / name, 10)
        assert at_once is not None
        assert in_pieces == at_once


def test_open_quote_fills_no_memory(write):
    """A quote that is never closed, or a record that never ends, stops the reading soon."""
    for content, message in (
        (b'a,b\n1,2\n3,"' + b"x,y\n" * 10**6, "line 3, column 2: a cell of more than 131072"),
        (b"a,b\n1,2\n" + b"x" * 4 * 10**6, "line 3, column 1: a cell of more than 131072"),
        (b"a,b\n1,2\n" + b"x," * 2 * 10**6, "cells and more, the header has 2"),
        (b"x," * 2 * 10**6, "line 1: 20000 columns and more"),
        (b"a,b\n1,2\n" + b"\xe2\x82\xac" * 10**6, "line 3, column 1: a cell of more"),
        (b'a,b\n1,2\nx"' + b"x,y\n" * 10**6, "line 3: a quote inside a cell"),
        (b"a,b\n1,2\n" + b"x\0" * 2 * 10**6, "line 3: a NUL byte (offset 9)"),
    ):
        pieces = CsvPieces(write("t.csv", content), size=1000, long=2**18)
        tracemalloc.start()
        with pytest.raises(shoal.InputError) as caught:
            list(pieces.first())
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert message in str(caught.value)
        assert peak < 3 * 10**7


def test_long_records_are_no_error(write):
    """A record longer than a piece, with many long cells, is read."""
    cells = ",".join('"' + "x\n" * 30_000 + '"' for _ in range(12))
    path = write("t.csv", ",".join("abcdefghijkl") + "\n" + f"{cells}\n" * 2)
    assert_same(path, 1000, long=2**16)


@pytest.mark.slow
def test_memory_does_not_grow_with_the_file(write):
    """A file of ten times the length takes no more memory."""
    peaks = []
    for records in (50_000, 500_000):
        path = write("t.csv", "x,y\n" + '1.5,"z"\n' * records)
        pieces = CsvPieces(path, size=2**16)
        tracemalloc.start()
        assert sum(table.rows for table in pieces.first()) == records
        assert sum(table.rows for table in pieces.again()) == records
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.1 * peaks[0]


def test_changed_file_is_refused(write):
    """A file that is not what the first pass saw is refused, at the start or at the end."""
    path = write("t.csv", "x,y\n" + "1,a\n" * 100)
    pieces = CsvPieces(path, size=50)
    with pytest.raises(RuntimeError, match="to its end"):
        next(pieces.again())
    list(pieces.first())
    status = path.stat()
    for content in ("1,b\n", "z,a\n"):
        path.write_text("x,y\n" + content * 100)
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        with pytest.raises(shoal.InputError, match=r"t\.csv: the file changed while it was read"):
            list(pieces.again())
    path.write_text("x,y\n" + "1,a\n" * 101)
    with pytest.raises(shoal.InputError, match="the file changed"):
        next(pieces.again())
