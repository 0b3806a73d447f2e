"""Bytes of a released table: csv, Parquet, Feather and others, rows in random order."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import OutputError, shown
from shoal.executor import Threads
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.partition import Partition
from shoal.release import statistics, workbook
from shoal.release.intervals import TYPED, structs
from shoal.release.plain_values import IN_PARQUET, as_numbers, is_long, refused
from shoal.table.csv_text.scan import DELIMITERS
from shoal.table.csv_text.split import bytes_of
from shoal.table.dataframes.opaque import is_made_of_objects
from shoal.table.dialects.dialect import PLAIN, QUOTE, UTF_8, Dialect
from shoal.table.dialects.notation import ISO, STRICT, Notation, instants, written_texts
from shoal.table.dialects.transcode import swapped
from shoal.table.files.formats import HELD_BY_STATISTICS
from shoal.table.roles import STAR, Column, Kind, Role, Written, family
from shoal.table.table import Table
from shoal.table.texts import arrow_texts

RECORDS = 65_536  # that one thread joins at a time
JSON_RECORDS = 16_384  # that are Python's values at a time
IN_PLAIN = "plain"
MARKED = {"utf-16": "utf-16-le", "utf-32": "utf-32-le"}  # a mark stands before the first text only


def row_order(rows: int, *, keep: bool = False, seed: int | None = None) -> Integers:
    """Return the order of the rows in a file: shuffled by the operating system's randomness.

    `keep` leaves the input's order; `seed` is for tests, which must be able to repeat a file.
    """
    if keep:
        return np.arange(rows, dtype=np.int64)
    if seed is not None:
        return np.random.default_rng(seed).permutation(rows)
    keys = np.frombuffer(os.urandom(8 * rows), dtype=np.uint64)
    return np.argsort(keys, kind="stable")


@dataclass(frozen=True)
class Format:
    """A kind of file: what makes its bytes, and what refuses columns, or a size, it cannot hold.

    `keeps_nan` and `keeps_empty` tell whether not-a-number and empty texts differ from missing
    cells there.
    """

    write: Callable[[Table, Integers], bytes]
    hold: Callable[[Column], object]
    check: Callable[[int, Sequence[str]], None] = lambda _rows, _names: None
    keeps_nan: bool = True
    keeps_empty: bool = True


def format_of(kind: str, threads: int | None = None) -> Format:
    """Return how a kind of file is written: the ending of its name, one of `formats.WRITTEN`."""
    if kind in HELD_BY_STATISTICS:
        return Format(
            partial(statistics.statistics_bytes, kind=kind), partial(statistics.held, kind=kind),
            lambda _, names: statistics.TARGETS[kind].check_names(names), False, False,
        )  # fmt: skip
    if kind == "xlsx":
        return Format(
            workbook.workbook_bytes, workbook.cell_values, workbook.check_shape, False, False
        )
    if kind == "jsonl":
        return Format(json_lines_bytes, json_values, keeps_nan=False)
    if kind in TYPED:
        return Format(parquet_bytes if kind == "parquet" else ipc_bytes, check_typed)
    return Format(partial(_csv_file, kind=kind, threads=threads), check_plain)


def release_bytes(table: Table, order: Integers, kind: str, threads: int | None = None) -> bytes:
    """Return the whole file of a kind, the rows in an order."""
    return format_of(kind, threads).write(table, order)


def _csv_file(table: Table, order: Integers, kind: str, threads: int | None) -> bytes:
    text = csv_bytes(table, order, threads=threads)
    return gzip.compress(text, mtime=0) if kind == "csv.gz" else text


def csv_bytes(
    table: Table, order: Integers, header: bool = True, threads: int | None = None
) -> bytes:
    """Return csv in the dialect of the table's source.

    Some records at a time are joined from the cells of all columns, then put into their order.
    """
    source = table.source
    sign, dialect, notations = source.delimiter, source.dialect, dict(source.notations)
    names = in_encoding(pa.array(table.names), dialect).to_pylist()
    first = f"{sign.join(header_cell(name, sign) for name in names)}\n" if header else ""
    pool = Threads(threads if table.rows > RECORDS else 1)
    columns = list(
        pool.map(
            lambda one: csv_cells(one, sign, dialect, notations.get(one.name, STRICT)),
            table.columns,
        )
    )
    lines = pool.map(partial(_lines, columns, sign), range(0, table.rows, RECORDS))
    if not np.array_equal(order, np.arange(table.rows)):
        every = pa.concat_arrays([own.cast(pa.large_string()) for own in lines])
        slices = range(0, order.size, RECORDS)
        lines = pool.map(lambda start: every.take(pa.array(order[start : start + RECORDS])), slices)
    text = b"".join([first.encode("utf-8"), *(bytes_of(own).data for own in lines)])
    return encoded(text, dialect, first=header)


def _lines(columns: list[Any], sign: str, start: int) -> Any:
    """Return some records as lines."""
    *cells, last = (column.slice(start, RECORDS) for column in columns)
    ended = pc.binary_join_element_wise(last, "", "\n")
    return pc.binary_join_element_wise(*cells, ended, sign)


def parquet_bytes(table: Table, order: Integers) -> bytes:
    """Return Parquet with plain columns: no dictionary, metadata or statistics of the original."""
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    whole = parquet_table(table, order, _exact(table))
    pq.write_table(whole, sink, **parquet_options(whole.schema))
    data: bytes = sink.getvalue().to_pybytes()
    return data


def ipc_bytes(table: Table, order: Integers) -> bytes:
    """Return Arrow's own format, which is Feather too; its columns are those of Parquet."""
    sink = pa.BufferOutputStream()
    made = parquet_table(table, order, _exact(table))
    with pa.ipc.new_file(sink, made.schema, options=ipc_options()) as writer:
        writer.write_table(made, max_chunksize=RECORDS)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def ipc_options() -> Any:
    """Return how Arrow's own format is written."""
    return pa.ipc.IpcWriteOptions(compression="zstd")


def _exact(table: Table) -> set[str]:
    """Return the columns that came as decimals, or that floats could not hold."""
    decimals = [column for column in table.columns if column.kind is Kind.DECIMAL]
    return {one.name for one in decimals if one.written is None or is_long(one)}


def parquet_options(schema: Any) -> dict[str, Any]:
    """Return how Parquet is written; Arrow's types are noted where Parquet has no such type."""
    noted = any("duration" in str(kind) for kind in schema.types)
    return {"compression": "zstd", "write_statistics": False, "store_schema": noted}


def parquet_table(table: Table, order: Integers, exact: Container[str]) -> Any:
    """Return Arrow columns as they are written; decimals stay what they are where it is said."""
    index = pa.array(order)
    arrays = {
        column.name: _parquet_values(column, column.name in exact).take(index)
        for column in table.columns
    }
    return pa.table(arrays).replace_schema_metadata(None)


def check_typed(column: Column) -> None:
    """Raise OutputError for cells that no file with types holds."""
    if is_made_of_objects(column.values.type):
        raise OutputError(
            f"column {shown(column.name)}: no file holds cells of type "
            f"{family(column.values.type)}; leave it out with "
            f"{option('drop', [column.name])}"
        )


def _parquet_values(column: Column, exact: bool) -> Any:
    if column.ends is not None:
        return structs(column)
    check_typed(column)
    if column.kind is Kind.DECIMAL and not exact:
        # by way of texts: Arrow's own cast to floats is off by a bit at times
        return column.values.cast(pa.string()).cast(pa.float64())
    if column.kind is Kind.DATETIME and column.written is not None and column.written.zone:
        return instants(column.values, column.written.zone)
    return column.values


def csv_cells(
    column: Column, delimiter: str, dialect: Dialect = PLAIN, notation: Notation = STRICT
) -> Any:
    """Return the column's cells, quotes included, ready to be joined by the delimiter.

    A csv column that is not protected comes back byte for byte as it stood in its file.
    """
    if column.cells is not None and not column.protected:
        cells = in_encoding(column.cells, dialect)
        return cells if column.quoted is None else _in_quotes(cells, pa.array(column.quoted))
    check_plain(column)
    distinct = column.values.dictionary_encode()
    texts = arrow_texts(column, distinct.dictionary)
    if not notation.is_plain:
        texts = written_texts(texts, notation)
    texts = in_encoding(texts, dialect)
    is_text = column.kind is Kind.TEXT
    if is_text and pc.any(pc.match_substring(texts, "\0")).as_py():
        raise OutputError(f"column {shown(column.name)} holds a NUL, which csv cannot; use Parquet")
    needy = _needy(texts, delimiter)
    if is_text:
        needy = pc.or_(needy, pc.equal(texts, ""))  # in quotes, to differ from missing
    cells = _in_quotes(texts, needy).take(distinct.indices)
    return cells.fill_null(STAR if column.protected else "") if cells.null_count else cells


def check_plain(column: Column) -> None:
    """Raise OutputError for cells that have no plain text; times of a day have one."""
    kind = column.values.type
    if column.cells is None and not column.kind.is_grouped and not pa.types.is_time(kind):
        otherwise = "" if is_made_of_objects(kind) else ", or write Parquet"
        raise OutputError(
            f"column {shown(column.name)}: cells of type {family(kind)} have no plain text; leave "
            f"it out with {option('drop', [column.name])}{otherwise}"
        )


def _in_quotes(texts: Any, flags: Any) -> Any:
    """Put flagged texts in quotes, and double the quotes in them."""
    if not pc.any(flags).as_py():
        return texts
    doubled = pc.replace_substring(texts, QUOTE, QUOTE * 2)
    return pc.if_else(flags, pc.binary_join_element_wise(QUOTE, doubled, QUOTE, ""), texts)


def _needy(texts: Any, delimiter: str) -> Any:
    """Return which texts need quotes."""
    needy = pc.match_substring(texts, delimiter)
    for sign in (QUOTE, "\n", "\r"):
        needy = pc.or_(needy, pc.match_substring(texts, sign))
    return needy


def header_cell(name: str, delimiter: str) -> str:
    """Return a column's name as a header cell, in quotes where a reader could take it for two."""
    if not name or any(sign in name for sign in (*DELIMITERS, delimiter, QUOTE, "\n", "\r")):
        return f'"{name.replace(QUOTE, QUOTE * 2)}"'
    return name


# Dialect of a csv release: that of the input, or plain.


def plain_table(table: Table) -> Table:
    """Return a table to be written as UTF-8 with commas, points and ISO dates."""
    source = replace(table.source, delimiter=",", dialect=PLAIN, notations=())
    return replace(table.mapped(_plain_column), source=source)


def _plain_column(column: Column) -> Column:
    """Return a column whose cells are written anew, whole numbers without a point."""
    written = Written() if column.kind is Kind.INTEGER and column.written else column.written
    return column.replace(cells=None, quoted=None, written=written)


def written_as(table: Table) -> dict[str, Any]:
    """Return how the csv release of a table is written, as the judge is told."""
    source, dialect = table.source, table.source.dialect
    signs: dict[str, Any] = {
        "delimiter": source.delimiter, "encoding": dialect.encoding or UTF_8,
        "quote": dialect.quote, "decimal": dialect.decimal, "thousands": dialect.thousands,
    }  # fmt: skip
    notations = dict(source.notations)
    dated = [c.name for c in table.columns if c.kind in (Kind.DATE, Kind.DATETIME)]
    formats = {name: notations[name].date for name in dated if name in notations}
    formats = {name: form for name, form in formats.items() if form != ISO}
    return {**signs, "date_format": formats} if formats else signs


def is_usual(table: Table) -> bool:
    """Tell whether a csv release says itself how it is written."""
    usual = written_as(plain_table(table))
    return {**written_as(table), "delimiter": ""} == {**usual, "delimiter": ""}


def encoded(text: bytes, dialect: Dialect, *, first: bool) -> bytes:
    """Return UTF-8 csv in the encoding of a dialect, with its quotes; `first` begins a file."""
    if dialect.quote != QUOTE:
        text = swapped(text, dialect.quote)
    name = dialect.encoding or UTF_8
    if name == UTF_8:
        return text
    encoding = MARKED.get(name, name)
    mark = "\ufeff" if first and name in MARKED else ""
    try:
        return (mark + text.decode(UTF_8)).encode(encoding)
    except UnicodeEncodeError:
        raise OutputError(
            f"the release holds a sign that {name} has not; say {option('dialect', 'plain')}"
        ) from None


def in_encoding(texts: Any, dialect: Dialect) -> Any:
    """Return Arrow texts as they stand in csv before the quotes change places."""
    if dialect.quote == QUOTE:
        return texts
    every = [None if t is None else swapped(t.encode(), dialect.quote) for t in texts.to_pylist()]
    return pa.array(every, type=pa.binary()).cast(pa.string())


# JSON lines: an object a record, dates as ISO texts.


def json_lines_bytes(table: Table, order: Integers) -> bytes:
    """Return JSON lines with the rows in an order; a missing cell is null."""
    columns = [json_values(column) for column in table.columns]
    write = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    pieces = []
    for start in range(0, order.size, JSON_RECORDS):
        rows = pa.array(order[start : start + JSON_RECORDS])
        cells = zip(*(column.take(rows).to_pylist() for column in columns), strict=True)
        records = (dict(zip(table.names, row, strict=True)) for row in cells)
        pieces.append("".join(f"{write(record)}\n" for record in records).encode("utf-8"))
    return b"".join(pieces)


def json_values(column: Column) -> Any:
    """Return values that JSON has: numbers, true and false, texts."""
    if column.kind in (Kind.FLOAT, Kind.DECIMAL):
        return as_numbers(column)
    if column.kind is Kind.DATE:
        return column.values.cast(pa.date32()).cast(pa.string())
    if column.kind is Kind.DATETIME:
        moments = column.values.to_pylist()
        zone = "" if column.written is None else column.written.zone
        texts = [None if one is None else one.isoformat() + zone for one in moments]
        return pa.array(texts, pa.string())
    if not column.kind.is_grouped:
        raise refused(column, "JSON has no type for its cells", IN_PARQUET)
    return column.values


# Group column: the number of each record's group, as one more column of the release.
#
# What may a number tell? Records of one group agree in every quasi-identifier, so their number says
# no more than these do, unless several groups release the same values: then numbers part what would
# be one equivalence class. A class with its number is still a group, of at least k records and with
# all that is asked beyond k, and the judge is made to see it so: it counts classes by the quasi-
# identifiers and the number, in memory and in the written file (`Settings.class_columns`). The
# numbers themselves are 1 to the count of groups in an order drawn from the operating system's
# randomness, at every run anew: labels are numbered by the first record of each group, and a seed
# is in the recipe, so any order that can be computed again would tell how the input was sorted.


def with_group_column(released: Table, partition: Partition, name: str | None) -> Table:
    """Return the release with the number of each record's group as its last column, if named."""
    if name is None:
        return released
    numbers = row_order(partition.groups) + 1
    values = pa.array(numbers[partition.labels], type=pa.int64())
    column = Column(name, Kind.INTEGER, values, Role.OTHER, protected=True)
    columns = (*released.columns, column)
    return Table(columns, released.source, released.roles_given)
