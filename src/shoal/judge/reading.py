"""Reading of csv files by the standard library: the judge's own parser.

`folder.py` has releases of many files.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from shoal.backends.storage import is_url
from shoal.errors import InputError
from shoal.judge import arrow, folder
from shoal.judge.lines import LINE, bounded, long_line
from shoal.judge.source import Key, Source, check_header

CELL_LIMIT = 2**20


@contextlib.contextmanager
def opened(data: Any, kind: str | None, delimiter: str | None) -> Iterator[Source]:
    """Yield an opened file or dataframe."""
    if isinstance(data, list) and all(isinstance(one, str) for one in data):
        yield arrow.parquet(data, "the release")
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
    path = Path(data)
    lower = path.name.lower()
    kind = kind or ("parquet" if lower.endswith(".parquet") else "")
    kind = kind or ("csv.gz" if lower.endswith(".gz") else "csv")
    try:
        if not path.is_file():
            what = "not an ordinary file" if path.exists() else "there is no such file"
            raise InputError(f"{path.name or path}: {what}")
        if kind == "parquet":
            yield arrow.parquet([str(path)], path.name)
            return
        before = csv.field_size_limit(CELL_LIMIT)
        with path.open("rb") as raw, contextlib.ExitStack() as after:
            after.callback(csv.field_size_limit, before)
            binary: Any = gzip.GzipFile(fileobj=raw) if kind == "csv.gz" else raw
            with io.TextIOWrapper(binary, encoding="latin-1", newline="\n") as text:
                yield _csv(text, path.name, delimiter)
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is damaged"
        raise InputError(f"{path.name}: cannot be read: {reason}") from None


def _csv(text: IO[str], name: str, delimiter: str | None) -> Source:
    """Read csv with the standard library, each byte as one character: cells compare as bytes."""
    lines = bounded(text, name)
    first = _header(lines, name)
    if not first.strip("\r\n"):
        raise InputError(f"{name}: there is no header")
    sign = delimiter or _delimiter(first, name)
    every = itertools.chain(io.StringIO(first, newline="\n"), lines)
    reader = csv.reader(_without_nul(every, name), delimiter=sign, strict=True)
    header = [_utf8(cell, name) for cell in _first(reader, name)]
    check_header(header, name)
    width = len(header)

    def keys(places: list[int]) -> Iterator[Key]:
        chosen = _chosen(places)
        try:
            for row in reader:
                if len(row) != width:
                    cells = row or [""]  # an empty line is one empty cell
                    line = reader.line_num
                    if len(cells) == width:
                        yield chosen(cells)
                        continue
                    if not row and not any(reader):  # empty lines at the end of the file
                        return
                    raise InputError(
                        f"{name}, line {line}: {len(cells)} cells, the header has {width}"
                    )
                yield chosen(row)
        except csv.Error as error:
            raise InputError(f"{name}, line {reader.line_num}: not strict csv ({error})") from None

    return Source(name, header, keys, True)


def _header(lines: Iterator[str], name: str) -> str:
    """Return the first line, with those that its quoted names go on in."""
    header = io.StringIO(newline="\n")
    quotes = 0
    for line in lines:
        quotes += line.count('"')
        if header.write(line) and header.tell() > LINE:
            raise long_line(name, 1)
        if quotes % 2 == 0:
            break
    return header.getvalue().removeprefix("\u00ef\u00bb\u00bf")


def _chosen(places: list[int]) -> Callable[[list[str]], Key]:
    """Return what takes some cells of a row."""
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda cells: tuple([cells[place] for place in places])


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
        raise InputError(f"{name}, line 1: the header is not UTF-8") from None


def _delimiter(line: str, name: str) -> str:
    plain = "".join(line.split('"')[::2])
    signs = [sign for sign in ",;\t|" if sign in plain]
    if len(signs) > 1:
        raise InputError(f"{name}, line 1: say with --delimiter what separates the columns")
    return signs[0] if signs else ","
