"""Packed text files are read as what is in them, and refused where they are no table."""

from __future__ import annotations

import bz2
import gzip
import io
import zipfile

import pyarrow as pa
import pytest

import shoal
from shoal.table.csv_pieces import CsvPieces
from shoal.table.dialects.propose import propose

TEXT = b"a;b\n" + b"".join(b"%d;x%d\n" % (i, i % 7) for i in range(5_000))


def zipped(*files):
    """Return a zip file of some files."""
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return sink.getvalue()


PACKED = {
    "t.csv.gz": gzip.compress,
    "t.csv.bz2": bz2.compress,
    "t.TXT.ZST": lambda raw: pa.compress(raw, codec="zstd", asbytes=True),
    "t.tsv.zip": lambda raw: zipped(("inside.tsv", raw)),
}


OTHERS = [name for name in PACKED if name != "t.TXT.ZST"]
SLOW = pytest.mark.slow


@pytest.mark.parametrize("name", PACKED)
def test_packed_files_are_read(tmp_path, name):
    """Whole or in pieces, the table is that of the text."""
    path = tmp_path / name
    path.write_bytes(PACKED[name](TEXT))
    table = shoal.read(path)
    assert table["a"].values.to_pylist() == list(range(5_000))
    pieces = CsvPieces(path, size=10_000)
    list(pieces.first())
    parts = list(pieces.again())
    assert len(parts) > 3
    assert [v for part in parts for v in part["b"].values.to_pylist()] == table[
        "b"
    ].values.to_pylist()
    assert pieces.source.sha256 == table.source.sha256
    assert propose(path).options == {}


def both_ways(path, words):
    """Expect a refusal of reading at once and in pieces."""
    for read in (shoal.read, lambda p: list(CsvPieces(p).first())):
        with pytest.raises(shoal.InputError, match=words):
            read(path)


@pytest.mark.parametrize("name", PACKED)
def test_damaged_files_are_refused(tmp_path, name):
    """Half a file is an error in words."""
    path = tmp_path / name
    whole = PACKED[name](TEXT)
    path.write_bytes(whole[: len(whole) // 2])
    both_ways(path, "not a whole")


@pytest.mark.parametrize("name", ["t.TXT.ZST", *(pytest.param(n, marks=SLOW) for n in OTHERS)])
@pytest.mark.slow
def test_files_that_pack_too_well_are_refused(tmp_path, name):
    """A file that would unpack to far more than a table is an error in words."""
    path = tmp_path / name
    path.write_bytes(PACKED[name](b"a\n" + b"1\n" * 40_000_000))
    both_ways(path, "unpacks to more than 200 times")


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "of 0 files"),
        ([("a.csv", b"a\n1\n"), ("b.csv", b"a\n1\n")], "of 2 files"),
        ([("a.exe", b"a\n1\n")], "no .csv"),
        ([("a.csv.gz", b"a\n1\n")], "no .csv"),
    ],
)
def test_zip_files_hold_one_table(tmp_path, files, words):
    """A zip file of several files, or of something else, is refused."""
    path = tmp_path / "t.csv.zip"
    path.write_bytes(zipped(*files))
    with pytest.raises(shoal.InputError, match=words):
        shoal.read(path)


@pytest.mark.parametrize(
    ("name", "words"),
    [("t.rds", "an R file"), ("t.DUCKDB", "not a DuckDB or SQLite"), ("t.orc", "an ORC file"),
     ("t.json", "a JSON file"), ("t.foo", "must end in")],
)  # fmt: skip
def test_other_files_are_named(tmp_path, name, words):
    """What is not read is called what it is."""
    (tmp_path / name).write_bytes(b"x")
    with pytest.raises(shoal.InputError, match=words):
        shoal.read(tmp_path / name)
