"""File, dataframe, array -> Table: strict, with clear errors."""

from __future__ import annotations

import hashlib
import io
import os
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pyarrow as pa

from shoal.errors import InputError, RequestError, nearest_names, shown
from shoal.table.csv_text.parts import Text
from shoal.table.csv_text.scan import DELIMITERS, Buffer, Lines
from shoal.table.csv_text.split import PIECE
from shoal.table.dialects.dialect import CSV_ONLY, PLAIN, Dialect, How, dialect_of, settled
from shoal.table.dialects.notation import Notation, has_thousands
from shoal.table.dialects.propose import check_one_column
from shoal.table.dialects.transcode import open_text
from shoal.table.files.arrow_files import read_arrow, read_parquet
from shoal.table.files.formats import (
    SPREADSHEETS,
    check_csv_name,
    ending_of,
    is_parquet,
    is_statistics,
    is_text,
)
from shoal.table.files.opening import PART, Unpacked, is_database, packing, read_bytes, read_text
from shoal.table.files.unpacking import check_unpacked
from shoal.table.roles import Column, Kind
from shoal.table.source import Source
from shoal.table.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence


def read(
    data: Any,
    *,
    delimiter: str | None = None,
    missing: Sequence[str] = ("",),
    types: Mapping[str, str] | None = None,
    threads: int | None = None,
    **how: Unpack[How],
) -> Table:
    """Return the Table of a file, a dataframe or a matrix; a Table is returned as it is.

    Parameters
    ----------
    data : path, dataframe, array, list, dict or Table
        A csv, Parquet, Feather or JSON lines file, one of SPSS, Stata, SAS or a spreadsheet (with
        `shoal[formats]`), a table of a DuckDB or SQLite database ("survey.duckdb#patients"),
        or a table in memory, which is never changed. Lazy frames (polars,
        DuckDB, Ibis) and Arrow streams are computed and read once. Columns of arrays and of lists
        of rows are named x0, x1, …; lists of dicts and dicts of columns have their own names.
    delimiter : str, optional
        Of a csv file; found by itself where it is not given.
    missing : sequence of str, default ("",)
        The cells of a csv file that are missing values.
    types : mapping of str to str, optional
        The kind of a csv column, where it must not be decided from its cells: "number", "text",
        "date" and others.
    threads : int, optional
        The most threads that read a csv file at once.
    **how
        How a csv file is written: `encoding`, `decimal`, `thousands`, `date_format`,
        `skip_lines`, `comment`, `quote`, `widths`, as in `shoal.anonymize`. `encoding` is also
        that of an SPSS, Stata or SAS file which names none, or a wrong one.

    Returns
    -------
    Table
        Columns with kinds and roles.

    Raises
    ------
    InputError
        The file cannot be read; the message names the line.
    RequestError
        A type is declared for a column that is not there.
    """
    return read_with(data, dialect_of(delimiter=delimiter, **how), missing, types or {}, threads)


def read_with(
    data: Any,
    dialect: Dialect = PLAIN,
    missing: Sequence[str] = ("",),
    types: Mapping[str, str] | None = None,
    threads: int | None = None,
) -> Table:
    """Return the Table of a file, a dataframe or a matrix; a Table is returned as it is."""
    is_path = isinstance(data, str | os.PathLike)
    if is_path and is_text(data):
        return read_file(Path(data), dialect, missing, types or {}, threads)
    has_sheets = is_path and ending_of(str(data)) in SPREADSHEETS and not is_database(data)
    sheet = dialect.sheet if has_sheets else None
    encoding = dialect.encoding if is_path and is_statistics(data) else None
    said = replace(PLAIN, sheet=dialect.sheet, encoding=encoding)
    if types or dialect != said or tuple(missing) != ("",):
        raise RequestError(f"types, missing and how text is written {CSV_ONLY}")
    if dialect.sheet != sheet:
        raise RequestError("only spreadsheets have sheets")
    if isinstance(data, Table):
        return data
    if is_path:
        return _read_typed(Path(data), dialect)
    if isinstance(data, np.ndarray):
        return from_matrix(data)
    from shoal.table.dataframes.frames import from_dataframe
    from shoal.table.dataframes.plain import from_plain, is_plain

    return from_plain(data) if is_plain(data) else from_dataframe(data)


def _read_typed(path: Path, dialect: Dialect) -> Table:
    """Return the Table of a file whose format has types of its own.

    Of the dialect only a sheet or an encoding is said, where the format has such a thing.
    """
    if is_database(path):
        from shoal.table.files.databases import read_database

        return read_database(path)
    if is_statistics(path):
        from shoal.table.files.statistics import read_statistics

        return read_statistics(path, dialect.encoding)
    if ending_of(path.name) in SPREADSHEETS:
        from shoal.table.files.spreadsheets import read_spreadsheet

        return read_spreadsheet(path, dialect.sheet)
    return read_parquet(path) if is_parquet(path) else read_arrow(path)


def read_file(
    path: Path,
    dialect: Dialect,
    missing: Sequence[str],
    types: Mapping[str, str],
    threads: int | None = None,
) -> Table:
    """Return the Table of a csv file, packed or not."""
    name = path.name
    check_csv_name(name)
    raw: Buffer = read_bytes(path) if packing(name) else read_text(path)
    sha = hashlib.sha256(raw).hexdigest()
    if packing(name):
        raw = _unpack(raw, name)
    source = Source(name, "csv", sha, path=str(path), dialect=dialect)
    return read_csv(raw, source, missing=missing, types=types, threads=threads)


def _unpack(raw: Buffer, name: str) -> bytes:
    parts, size, lines = [], 0, Lines(name)
    file = Unpacked(io.BytesIO(raw), name)
    while part := file.read(PART):
        size += len(part)
        check_unpacked(size, len(raw), name)
        lines.see(part)
        parts.append(part)
    return b"".join(parts)


def _reader(raw: Buffer) -> Callable[[int], bytes]:
    """Return what reads bytes some at a time, as `io.BytesIO` does after it copied all."""
    at = 0

    def read(size: int) -> bytes:
        nonlocal at
        start, at = at, len(raw) if size < 0 else min(at + size, len(raw))
        return bytes(raw[start:at])

    return read


def read_csv(
    raw: Buffer,
    source: Source,
    *,
    missing: Sequence[str],
    types: Mapping[str, str],
    threads: int | None = None,
    piece: int = PIECE,
) -> Table:
    """Return the Table of csv text. The structure is checked first, then each column is read.

    Threads work on pieces of about so many bytes.
    """
    dialect = source.dialect
    check_delimiter(dialect.delimiter)
    plain = open_text(_reader(raw), source.name, dialect)
    with plain.renumbering():
        content = plain.all() if plain.changes else raw
        text = Text(content, source.name, plain.delimiter, threads, dialect, piece)
    if plain.delimiter is None:
        check_one_column(text.head, text.parts[0], source.name)
    names = text.head.names
    check_types(types, list(names), source.name)
    check_types(_by_column(dialect), list(names), source.name, "a date format")
    source = replace(
        source,
        delimiter=text.head.delimiter,
        dialect=settled(dialect, plain.encoding),
        lines=plain.renumbered(text.lines, text.records),
        missing=tuple(missing),
        types=tuple(types.items()),
        columns=names,
    )
    try:
        columns = text.columns(tuple(missing), types, source.where)
    except InputError as error:
        raise InputError(f"{source.name}, {error.marked}") from None
    grouped = {c.name for c in columns if has_thousands(c.cells, dialect.notation(c.name))}
    kinds = ((column.name, column.kind) for column in columns)
    return Table(columns, replace(source, notations=notations_of(kinds, grouped, dialect)))


def notations_of(
    kinds: Iterable[tuple[str, Kind]], grouped: Container[str], dialect: Dialect
) -> tuple[tuple[str, Notation], ...]:
    """Return how columns of numbers and dates are written, those that are not plain.

    `grouped` are the columns some of whose numbers have a sign between thousands.
    """
    every = []
    for name, kind in kinds:
        notation = dialect.notation(name)
        if name not in grouped:
            notation = replace(notation, thousands="")
        if kind.is_numeric and kind is not Kind.BOOLEAN and not notation.is_plain:
            every.append((name, notation))
    return tuple(every)


def _by_column(dialect: Dialect) -> dict[str, str]:
    return {name: one for name, one in dialect.date_formats.items() if name}


def check_delimiter(delimiter: str | None) -> None:
    """Refuse a delimiter that is not one plain character."""
    if (
        delimiter is not None
        and (len(delimiter) != 1 or not 31 < ord(delimiter) < 127)
        and (delimiter not in DELIMITERS)
    ):
        raise RequestError("the delimiter must be one plain character, such as ',' or ';'")
    if delimiter == '"':
        raise RequestError("a quote cannot be the delimiter")


def check_types(
    types: Mapping[str, str], names: list[str], file: str, what: str = "a type"
) -> None:
    """Refuse a type of a column that is not there."""
    for declared in types:
        if declared not in names:
            raise RequestError(
                f"{what} is declared for column {shown(declared)}, which "
                f"{file} does not have{nearest_names(declared, names)}"
            )


def from_matrix(data: Any) -> Table:
    """Return the Table of an n×d array of numbers, its columns named x0, x1, …"""
    hidden = np.ma.getmaskarray(data)
    data = np.asarray(np.ma.getdata(data))
    if data.dtype.names is not None or data.ndim != 2 or data.shape[1] == 0:
        raise InputError(f"an array must be n×d, of plain numbers; this one is {data.shape}")
    if data.dtype.kind not in "iufb":
        raise InputError(f"an array must hold numbers; this one holds {data.dtype}")
    columns = []
    for index, values in enumerate(data.T):
        plain = np.ascontiguousarray(values)
        kind = {"f": Kind.FLOAT, "b": Kind.BOOLEAN}.get(plain.dtype.kind, Kind.INTEGER)
        if kind is Kind.FLOAT:
            plain = plain.astype(np.float64)
        columns.append(Column(f"x{index}", kind, pa.array(plain, mask=hidden[:, index])))
    digest = hashlib.sha256(np.ascontiguousarray(data).tobytes()).hexdigest()
    return Table(tuple(columns), Source("the array", "array", digest))
