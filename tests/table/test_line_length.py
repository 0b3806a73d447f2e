"""Lines that are too long are refused while a file is read, whatever reads it."""

from __future__ import annotations

import errno
import gzip
import hashlib
import os
import tracemalloc
from functools import partial
from types import SimpleNamespace

import pytest

import shoal
from shoal.judge.values import read_tree
from shoal.table.csv_pieces import CsvPieces
from shoal.table.csv_text import scan as line_length
from shoal.table.files import opening
from shoal.table.hierarchy.listed import read_listed
from shoal.table.read import read

HUGE = 2**30
MOST = 100 * 2**20  # bytes that may be held, of a file of HUGE


def looked(path):
    """Read a file in pieces to its end."""
    return list(CsvPieces(path).first())


def verified(path):
    """Verify a file by the judge's reader."""
    return shoal.verify(path, k=2, quasi_identifiers=["a"], delimiter=",")


READERS = {"read": read, "pieces": looked, "verify": verified}


@pytest.fixture
def sparse(tmp_path):
    """Return a maker of files that begin with a text and go on for a gigabyte without a line."""

    def make(name, text):
        path = tmp_path / name
        path.write_bytes(text)
        with path.open("r+b") as file:
            file.truncate(HUGE)
        return path

    return make


def refused(ask, path, message):
    """Check that a file is refused in few words and little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(shoal.InputError, match=message):
            ask(path)
        assert tracemalloc.get_traced_memory()[1] < MOST
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(("text", "line"), [(b"a,b\n1,2\n3", 3), (b"a,b", 1)])
def test_a_line_of_a_gigabyte(sparse, reader, text, line):
    """A gigabyte without a line end is refused after some megabytes: a record, or the header."""
    refused(
        READERS[reader], sparse("t.csv", text), rf"t\.csv, line {line}: .*(longer than 16 MB|NUL)"
    )


@pytest.fixture
def long_file(tmp_path):
    """Return a file of 20,000 records, longer in all than a line may be."""
    rows = [f"{row},{'x' * 900}" for row in range(20_000)]
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "\n".join(rows), newline="")
    assert path.stat().st_size > line_length.MAX_LINE
    return path


def test_a_long_file_is_read_to_its_end(long_file):
    """A file longer than the longest line is read as any other, and its faults are found."""
    table = read(long_file)
    assert table["a"].values.to_pylist() == list(range(20_000))
    assert table.source.sha256 == hashlib.sha256(long_file.read_bytes()).hexdigest()
    with long_file.open("a", newline="") as file:
        file.write("\nx")
    with pytest.raises(shoal.InputError, match=r"t\.csv, line 20002 \(record 20001\)"):
        read(long_file)


@pytest.mark.parametrize("change", [-1, 1])
def test_a_file_that_changes_while_it_is_read(long_file, monkeypatch, change):
    """A file that is longer or shorter than it was is no file to release."""

    def sized(number, sizes=os.fstat):
        return SimpleNamespace(st_size=sizes(number).st_size + change)

    monkeypatch.setattr(opening.os, "fstat", sized)
    with pytest.raises(shoal.InputError, match=r"t\.csv: the file changed while it was read"):
        read(long_file)


def test_a_file_that_memory_does_not_hold(long_file, monkeypatch):
    """Too little memory is said to be that, not a fault of the file."""

    def full(*_, **__):
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    monkeypatch.setattr(opening.mmap, "mmap", full)
    with pytest.raises(MemoryError):
        read(long_file)


@pytest.mark.parametrize("reader", READERS)
def test_a_packed_line(tmp_path, reader):
    """A long line of a packed file is refused while it is unpacked."""
    path = tmp_path / "t.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write(b"a,b\n1,")
        for _ in range(20):
            file.write(b"0123456789abcdef" * 2**16)
    refused(READERS[reader], path, r"t\.csv\.gz, line 2.*(longer than 16 MB|more than 131072)")


def test_a_header_that_is_never_closed(tmp_path):
    """The judge refuses a quoted name that goes on for megabytes, line by line."""
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,"' + (b"x" * 999 + b"\n") * 17_000)
    refused(verified, path, r"t\.csv, line 1: longer than 16 MB")


def test_megabytes_of_quotes(tmp_path):
    """A cell of nothing but quotes takes the judge no more memory than another."""
    path = tmp_path / "t.csv"
    path.write_bytes(b'a,b\n1,"' + b'""' * 3_000_000 + b'"\n')
    refused(verified, path, r"t\.csv, line 2: not strict csv")


READ_TREE = (partial(read_tree, column="a"), "no hierarchy; every line must be")


@pytest.mark.parametrize(
    ("reader", "message"), [(read_listed, ", line 2: longer than 1 MB"), READ_TREE]
)
def test_lines_of_hierarchies(tmp_path, reader, message):
    """A line of a hierarchy that is too long is refused by both readers."""
    path = tmp_path / "h.csv"
    path.write_bytes(b"x;*\n" + b"y;" * 2**20)
    refused(reader, path, rf"h\.csv.*{message}")


def test_the_judge_bounds_hierarchies(sparse):
    """A file of a gigabyte is no hierarchy, for the judge too."""
    refused(
        partial(read_tree, column="a"), sparse("h.csv", b"x;*\n" * 2**12), "no hierarchy|over 64 MB"
    )


def test_exactly_so_long():
    """A line of just the limit is taken, one byte more is not, wherever parts are cut."""
    for cut in range(1, 40):
        watch = line_length.Lines("t", most=20, part=7)
        text = b"ab\n" + b"x" * 20 + b"\n" + b"y" * 20
        for start in range(0, len(text), cut):
            watch.see(text[start : start + cut])
        with pytest.raises(shoal.InputError, match="t, line 3"):
            watch.see(b"z")
