"""The judge: re-derives the groups from the released records alone.

It reads files with parsers of its own (the csv module, Arrow's batches) and shares no code with
the reader, the methods or the writer: a mistake there cannot approve itself here.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import gzip
import io
import itertools
import operator
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from shoal.errors import InputError, RequestError
from shoal.models.k_anonymity import judge
from shoal.models.matching import READINGS, candidates

CELL_LIMIT = 2**20


@dataclass(frozen=True)
class Verification:
    """What the release shows. `k` is what it has, `required` what was asked for.

    `reading` is what a missing cell or `*` matches, see `shoal.models.matching`.
    """

    ok: bool
    k: int
    required: int
    records: int
    classes: int
    problems: tuple[str, ...]
    reading: str = "own"

    def summary(self) -> str:
        """Return the verdict in words."""
        head = (
            f"{self.records} records in {self.classes} classes, the smallest of {self.k}; "
            f"required: {self.required}"
        )
        if self.reading != "own":
            head += f"; missing cells and * read as {self.reading}"
        verdict = "verified" if self.ok else "NOT SAFE"
        return "\n".join([f"{verdict}: {head}", *(f"  {problem}" for problem in self.problems)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**asdict(self), "problems": list(self.problems)}

    def __str__(self) -> str:
        return self.summary()

    def __bool__(self) -> bool:
        return self.ok


def verify(
    data: Any,
    *,
    k: int,
    quasi_identifiers: Sequence[str],
    delimiter: str | None = None,
    kind: str | None = None,
    records: int | None = None,
    columns: Sequence[str] | None = None,
    missing_as: str = "own",
) -> Verification:
    """Check that a file or dataframe is k-anonymous in its quasi-identifiers.

    csv cells are compared as bytes, values of Parquet and dataframes as values; a missing value
    is a value of its own. `missing_as` counts by another reading of missing cells and `*`: "root"
    (a star covers any value) or "wildcard" (it matches anything), both weaker. `records` and
    `columns` say what the release should hold, where known; `kind` ("csv", "csv.gz" or "parquet")
    overrides the file's name.
    """
    k = _whole(k)
    if missing_as not in READINGS:
        raise RequestError(f"missing_as must be one of {', '.join(READINGS)}")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise RequestError("the delimiter must be one character, such as ',' or ';'")
    wanted = [quasi_identifiers] if isinstance(quasi_identifiers, str) else list(quasi_identifiers)
    if not wanted:
        raise RequestError("name at least one quasi-identifier to verify")
    if len(set(wanted)) < len(wanted):
        raise RequestError("a quasi-identifier is named twice")
    header, classes = class_counts(data, wanted, delimiter=delimiter, kind=kind)
    problems = _missing_or_extra(header, columns)
    sizes = sorted(classes.values())
    found = candidates(classes, missing_as)
    verdict = judge(found.values(), k)
    if not sizes:
        problems.append("there are no records")
    elif not verdict.ok:
        at_risk = sum(size for key, size in classes.items() if found[key] < k)
        problems.append(f"{verdict.too_small} classes with {at_risk} records are smaller than {k}")
    if records is not None and sum(sizes) != records:
        problems.append(f"there are {sum(sizes)} records, not {records}")
    return Verification(
        ok=not problems,
        k=verdict.smallest,
        required=k,
        records=sum(sizes),
        classes=len(sizes),
        problems=tuple(problems),
        reading=missing_as,
    )


def class_counts(
    data: Any, wanted: Sequence[str], *, delimiter: str | None = None, kind: str | None = None
) -> tuple[list[str], Counter[tuple[Any, ...]]]:
    """Return the header, and how many records share each combination of the wanted columns."""
    name = Path(data).name if isinstance(data, str | os.PathLike) else "the dataframe"
    with _opened(data, kind, delimiter) as (header, rows_of):
        try:
            return header, Counter(rows_of(_places(header, wanted, name)))
        except TypeError:
            raise InputError(f"{name}: a column holds lists, not values") from None


def _whole(k: Any) -> int:
    try:
        number = 0 if isinstance(k, bool) else operator.index(k)
    except TypeError:
        number = 0
    if number < 1:
        raise RequestError("k must be a whole number of at least 1")
    return number


def _missing_or_extra(header: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    if columns is None or list(header) == list(columns):
        return []
    extra = len(set(header) - set(columns))
    return [f"the columns are not those of the release ({extra} should not be there)"]


def _places(header: Sequence[str], wanted: Sequence[str], where: str) -> list[int]:
    places = []
    for name in wanted:
        if name not in header:
            close = difflib.get_close_matches(name, list(header), n=3, cutoff=0.5)
            hint = f"; did you mean {', '.join(map(repr, close))}?" if close else ""
            raise InputError(f"{where}: there is no column {name[:60]!r}{hint}")
        places.append(list(header).index(name))
    return places


@contextlib.contextmanager
def _opened(data: Any, kind: str | None, delimiter: str | None) -> Iterator[Any]:
    """Yield the header and a function from column numbers to the keys of all records."""
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


def _csv(text: IO[str], name: str, delimiter: str | None) -> Any:
    """Read csv with the standard library, each byte as one character: cells compare as bytes."""
    first = text.readline().removeprefix("\u00ef\u00bb\u00bf")
    while first.count('"') % 2 and (more := text.readline()):  # a line break in a quoted name
        first += more
    if not first.strip("\r\n"):
        raise InputError(f"{name}: there is no header")
    sign = delimiter or _delimiter(first, name)
    lines = itertools.chain(io.StringIO(first, newline="\n"), text)
    reader = csv.reader(_without_nul(lines, name), delimiter=sign, strict=True)
    rows = _strict(reader, name)
    header = [_utf8(cell, name) for cell in next(rows)]
    _check_header(header, name)
    width = len(header)

    def keys(places: list[int]) -> Iterator[tuple[str, ...]]:
        for row in rows:
            cells = row or [""]  # an empty line is one empty cell
            if len(cells) != width:
                line = reader.line_num
                if not row and not any(rows):  # empty lines at the end of the file
                    return
                raise InputError(f"{name}, line {line}: {len(cells)} cells, the header has {width}")
            yield tuple([cells[place] for place in places])

    return header, keys


def _check_header(header: Sequence[str], name: str) -> None:
    for column in header:
        if list(header).count(column) > 1:
            raise InputError(f"{name}: two columns are named {column[:60]!r}")


def _without_nul(lines: Iterable[str], name: str) -> Iterator[str]:
    for number, line in enumerate(lines, 1):
        if "\0" in line:
            raise InputError(f"{name}, line {number}: a NUL byte; the file is not text")
        yield line


def _strict(reader: Any, name: str) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise InputError(f"{name}, line {reader.line_num}: not strict csv ({error})") from None


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


def _parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(f"{path.name}: not a Parquet file, or not a whole one") from None
    header = list(file.schema_arrow.names)
    _check_header(header, path.name)

    def keys(places: list[int]) -> Iterator[tuple[Any, ...]]:
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

    return header, keys


def _rows(values: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """Yield the keys; not-a-number equals itself here, and is not the same as missing."""
    cleaned = [["nan" if v != v else v for v in column] for column in values]  # noqa: PLR0124
    yield from zip(*cleaned, strict=True)


def _plain(values: Any) -> list[Any]:
    """Return Python values; times as their ticks, because Python's own stop at microseconds."""
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


def _frame(data: Any) -> Any:
    import narwhals as nw

    try:
        frame = nw.from_native(data, eager_only=True)
    except TypeError:
        frame = _from_stream(data)
    except ValueError:
        raise InputError("the dataframe has two columns of one name") from None
    names = [str(name) for name in frame.columns]
    _check_header(names, "the dataframe")
    columns = {n: _plain(frame[:, i].to_arrow()) for i, n in enumerate(names)}
    header = list(columns)

    def keys(places: list[int]) -> Iterator[tuple[Any, ...]]:
        yield from _rows([columns[header[place]] for place in places])

    return header, keys
