"""Releases are opened here: files and dataframes; `folder.py` has those of many files.

A file is read by something else than what wrote it, where there is something else: csv by the
judge's own reader, JSON lines by Python, workbooks by python-calamine. `READERS` says which.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from shoal.errors import InputError
from shoal.hints import option
from shoal.judge import folder
from shoal.judge.readers import arrow, database, fresh
from shoal.judge.readers.csv_pieces import CELL_LIMIT, Pieces
from shoal.judge.readers.json_lines import READER as JSON_READER
from shoal.judge.readers.json_lines import json_lines
from shoal.judge.readers.lines import LINE, bounded, long_line
from shoal.judge.readers.listed import listed_rows
from shoal.judge.readers.source import Made, Source, check_header
from shoal.judge.readers.workbook import BOOKS, workbook
from shoal.judge.readers.workbook import READER as WORKBOOK_READER
from shoal.judge.readers.written import Written
from shoal.system.names import is_url

OWN = "the judge's own csv reader"
OPENED: dict[str, Callable[[Path], Source]] = {
    "parquet": lambda path: arrow.parquet([str(path)], path.name),
    "jsonl": json_lines,
    "ndjson": json_lines,
    **dict.fromkeys(BOOKS, workbook),
}
READERS = {
    "csv": OWN, "csv.gz": OWN, "parquet": arrow.READER, "jsonl": JSON_READER,
    "ndjson": JSON_READER, **dict.fromkeys(BOOKS, WORKBOOK_READER), **fresh.READERS,
}  # fmt: skip


def kind_of(name: str) -> str:
    """Return what a file is by its name; what is nothing else is csv."""
    lower = name.lower()
    if lower.endswith(".gz"):
        return "csv.gz"
    ending = lower.rpartition(".")[2]
    return ending if ending in READERS else "csv"


@contextlib.contextmanager
def opened(data: Any, kind: str | None, written: Written) -> Iterator[Source]:
    """Yield an opened file or dataframe."""
    if isinstance(data, list) and all(isinstance(one, str) for one in data):
        yield arrow.parquet(data, "the release")
        return
    if isinstance(data, list | tuple):
        yield listed_rows(data)
        return
    if not isinstance(data, str | os.PathLike):
        yield arrow.frame(data)
        return
    if folder.is_folder(os.fspath(data)):
        yield folder.opened(os.fspath(data))
        return
    if is_url(os.fspath(data)):
        yield arrow.parquet([os.fspath(data)], os.fspath(data).rpartition("/")[2])
        return
    if kind is None and database.is_table(os.fspath(data)):
        yield database.table(os.fspath(data))
        return
    path = Path(data)
    kind = kind or kind_of(path.name)
    try:
        if not path.is_file():
            what = "not an ordinary file" if path.exists() else "there is no such file"
            raise InputError(f"{path.name or path}: {what}")
        if kind in OPENED:
            yield OPENED[kind](path)
            return
        if kind in fresh.READERS:
            yield fresh.fresh(path, kind)
            return
        before = csv.field_size_limit(CELL_LIMIT)
        try:
            yield _csv(path, kind, written)
        finally:
            csv.field_size_limit(before)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is damaged"
        raise InputError(f"{path.name}: cannot be read: {reason}") from None


def _csv(path: Path, kind: str, written: Written) -> Source:
    """Read csv by pieces, each byte as one character: cells compare as bytes."""
    with _bytes(path, kind, written) as file:
        first = _header(file, path.name)
    if not first.strip("\r\n"):
        raise InputError(f"{path.name}: there is no header")
    sign = written.delimiter or _delimiter(first, path.name)
    reader = csv.reader(
        _without_nul(io.StringIO(first, newline="\n"), path.name), delimiter=sign, strict=True
    )
    header = [written.restored(_utf8(cell, path.name)) for cell in _first(reader, path.name)]
    check_header(header, path.name)
    lines = reader.line_num

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        with _bytes(path, kind, written) as file:
            for _ in range(lines):
                file.readline()
            pieces = Pieces(file, path.name, sign, len(header), lines)
            for columns in pieces.columns(places):
                yield make(columns)

    rows = partial(arrow.rows_in, batches)
    return Source(path.name, header, rows, True, batches, reader=OWN)


@contextlib.contextmanager
def _bytes(path: Path, kind: str, written: Written) -> Iterator[IO[bytes]]:
    with path.open("rb") as raw:
        file = cast(IO[bytes], gzip.GzipFile(fileobj=raw)) if kind == "csv.gz" else raw
        yield written.plain(file, path.name)


def _header(file: IO[bytes], name: str) -> str:
    """Return the first line, with those that its quoted names go on in."""
    header = io.StringIO(newline="\n")
    quotes = 0
    for line in bounded(file, name):
        quotes += line.count(b'"')
        if header.write(line.decode("latin-1")) and header.tell() > LINE:
            raise long_line(name, 1)
        if quotes % 2 == 0:
            break
    return header.getvalue().removeprefix("\u00ef\u00bb\u00bf")


def _without_nul(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise InputError(f"{name}, line {number}: a NUL byte; the file is not text")
        yield line


def _first(reader: Any, name: str) -> list[str]:
    try:
        cells: list[str] = next(reader)
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: not strict csv ({error})") from None
    return cells


def _utf8(cell: str, name: str) -> str:
    try:
        return cell.encode("latin-1").decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            f"{name}, line 1: the header is not UTF-8; say what it is with {option('encoding')}"
        ) from None


def _delimiter(line: str, name: str) -> str:
    plain = "".join(line.split('"')[::2])
    signs = [sign for sign in ",;\t|" if sign in plain]
    if len(signs) > 1:
        raise InputError(
            f"{name}, line 1: say with {option('delimiter')} what separates the columns"
        )
    return signs[0] if signs else ","
