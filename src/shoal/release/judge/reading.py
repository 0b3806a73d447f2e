"""The second parser: csv by the standard library, Parquet and dataframes by Arrow's batches."""

from __future__ import annotations

import contextlib
import csv
import difflib
import gzip
import io
import itertools
import operator
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from shoal.errors import InputError
from shoal.models.matching import NAN

CELL_LIMIT = 2**20

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Source:
    """An opened release: `rows` gives the cells of some columns, record by record.

    Cells of csv are bytes, each as one character of a text; `as_bytes` tells.
    """

    name: str
    header: list[str]
    rows: Callable[[list[int]], Iterator[Key]]
    as_bytes: bool

    def places(self, wanted: Sequence[str]) -> list[int]:
        """Return where columns stand; one that there is not is an error."""
        for name in wanted:
            if name not in self.header:
                close = difflib.get_close_matches(name, self.header, n=3, cutoff=0.5)
                hint = f"; did you mean {', '.join(map(repr, close))}?" if close else ""
                raise InputError(f"{self.name}: there is no column {name[:60]!r}{hint}")
        return [self.header.index(name) for name in wanted]

    def keys(self, wanted: Sequence[str]) -> Iterator[Key]:
        """Yield the cells of the wanted columns of every record."""
        return self.rows(self.places(wanted))


@contextlib.contextmanager
def opened(data: Any, kind: str | None, delimiter: str | None) -> Iterator[Source]:
    """Yield an opened file or dataframe."""
    if not isinstance(data, str | os.PathLike):
        yield _frame(data)
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
            yield _parquet(path)
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
    first = text.readline().removeprefix("\u00ef\u00bb\u00bf")
    while first.count('"') % 2 and (more := text.readline()):  # a line break in a quoted name
        first += more
    if not first.strip("\r\n"):
        raise InputError(f"{name}: there is no header")
    sign = delimiter or _delimiter(first, name)
    lines = itertools.chain(io.StringIO(first, newline="\n"), text)
    reader = csv.reader(_without_nul(lines, name), delimiter=sign, strict=True)
    header = [_utf8(cell, name) for cell in _first(reader, name)]
    _check_header(header, name)
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


def _chosen(places: list[int]) -> Callable[[list[str]], Key]:
    """Return what takes some cells of a row."""
    if len(places) > 1:
        return operator.itemgetter(*places)
    return lambda cells: tuple([cells[place] for place in places])


def _check_header(header: Sequence[str], name: str) -> None:
    for column in header:
        if list(header).count(column) > 1:
            raise InputError(f"{name}: two columns are named {column[:60]!r}")


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
    found = [sign for sign in ",;\t|" if sign in plain]
    if len(found) > 1:
        raise InputError(f"{name}, line 1: say with --delimiter what separates the columns")
    return found[0] if found else ","


def _parquet(path: Path) -> Source:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(f"{path.name}: not a Parquet file, or not a whole one") from None
    header = list(file.schema_arrow.names)
    _check_header(header, path.name)

    def keys(places: list[int]) -> Iterator[Key]:
        chosen = [header[place] for place in places]
        for column in chosen:
            if pa.types.is_nested(file.schema_arrow.field(column).type):
                raise InputError(f"{path.name}: column {column[:60]!r} holds lists, not values")
        try:
            for batch in file.iter_batches(columns=chosen, use_threads=False):
                values = [_plain(batch.column(name)) for name in chosen]
                yield from _rows(values)
        except (pa.ArrowException, OSError, ValueError):
            raise InputError(f"{path.name}: not a whole Parquet file") from None

    return Source(path.name, header, keys, False)


def _rows(values: list[list[Any]]) -> Iterator[Key]:
    """Yield the keys; not-a-number equals itself here, and is not the same as missing."""
    cleaned = [[NAN if v != v else v for v in column] for column in values]  # noqa: PLR0124
    yield from zip(*cleaned, strict=True)


def _plain(values: Any) -> list[Any]:
    """Return Python values; times as their ticks, because Python's own stop at microseconds."""
    if str(values.type).startswith("dictionary"):
        values = values.cast(values.type.value_type)
    ticks = values.cast("int64") if str(values.type).startswith("timestamp") else values
    plain: list[Any] = ticks.to_pylist()
    return plain


def _from_stream(data: Any) -> Any:
    import narwhals as nw
    import pyarrow as pa

    try:
        return nw.from_native(pa.table(data), eager_only=True)
    except (TypeError, ValueError, pa.ArrowException):
        raise InputError("give a path or a dataframe to verify") from None


def _frame(data: Any) -> Source:
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        frame = _from_stream(data)
    except ValueError:
        raise InputError("the dataframe has two columns of one name") from None
    names = [str(name) for name in frame.columns]
    _check_header(names, "the dataframe")

    def keys(places: list[int]) -> Iterator[Key]:
        try:
            values = [_plain(frame[:, place].to_arrow()) for place in places]
        except (TypeError, ValueError):  # Arrow's own words would show a value
            raise InputError(
                "the dataframe: a column holds values of several kinds; give it one kind"
            ) from None
        yield from _rows(values)

    return Source("the dataframe", names, keys, False)
