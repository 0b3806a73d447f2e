"""A case's table as what a user has: Arrow, pandas, polars, csv, gzipped csv, Parquet."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import re
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.cases import Case, Column
from fuzz.tables import FLOATS, WHOLE

FRAMES = ("arrow", "pandas", "pandas_arrow", "polars")
FILES = ("csv", "csv.gz", "parquet")
SOURCES = (*FRAMES, *FILES)
NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
UNITS = {"datetime_s": "s", "datetime_ms": "ms", "datetime_us": "us", "datetime_ns": "ns"}


def to_arrow(case: Case) -> pa.Table:
    """Return the table; a name that is there twice stays so."""
    arrays = [arrow_column(column) for column in case.columns]
    return pa.Table.from_arrays(arrays, names=[column.name for column in case.columns])


def arrow_column(column: Column) -> pa.Array:
    """Return the cells of a column as their kind."""
    return pa.array([None if cell is None else value(column.kind, cell) for cell in column.cells],
                    arrow_type(column))  # fmt: skip


def arrow_type(column: Column) -> pa.DataType:
    """Return the Arrow type of a kind; dictionaries of the words that there are."""
    kind = column.kind
    if kind in (*WHOLE, *FLOATS):
        return pa.type_for_alias({"float16": "halffloat", "float32": "float", "float64": "double"}
                                 .get(kind, kind))  # fmt: skip
    if kind == "decimal":  # of files; a dataframe has floats for it
        return pa.float64()
    if kind == "decimal128":
        digits = [len(cell.partition(".")[2]) for cell in column.cells if cell is not None]
        return pa.decimal128(20, max(digits, default=0))
    if kind in ("category", "ordered"):
        return pa.dictionary(pa.int32(), pa.string(), ordered=kind == "ordered")
    if kind in UNITS:
        return pa.timestamp(UNITS[kind])
    return {
        "bool": pa.bool_(), "text": pa.string(), "number_texts": pa.string(),
        "large_text": pa.large_string(), "view": pa.string_view(), "date": pa.date32(),
        "date64": pa.date64(), "datetime_tz": pa.timestamp("us", "Europe/Paris"),
        "time": pa.time32("s"), "duration": pa.duration("s"), "binary": pa.binary(),
        "list": pa.list_(pa.int64()), "struct": pa.struct([("x", pa.int64())]),
        "map": pa.map_(pa.string(), pa.int64()), "null": pa.null(), "interval": pa.string(),
    }[kind]  # fmt: skip


def value(kind: str, cell: str) -> Any:
    """Return the value that a cell is of its kind."""
    if kind in WHOLE:
        return int(cell)
    if kind in FLOATS:
        with np.errstate(all="ignore"):
            return getattr(np, kind)(float(cell))
    if kind == "decimal":
        return float(cell)
    if kind == "decimal128":
        return Decimal(cell)
    if kind == "bool":
        return cell == "true"
    if kind in ("date", "date64"):
        return date.fromisoformat(cell)
    if kind.startswith("datetime"):
        return datetime.fromisoformat(cell)
    if kind in ("time", "duration"):
        return int(cell) % 86_400
    return {"binary": cell.encode, "list": lambda: [int(cell)], "struct": lambda: {"x": int(cell)},
            "map": lambda: [("x", int(cell))]}.get(kind, lambda: cell)()  # fmt: skip


def plain_values(case: Case) -> dict[str, list[Any]]:
    """Return the values of every column as a reader has them: what a csv file says is exact."""
    if not case.source.startswith("csv"):
        found = {c.name: arrow_column(c).to_pylist() for c in case.columns}
        return _in_pandas(found) if case.source == "pandas" else found
    return {c.name: _as_written(c) for c in case.columns}


def _in_pandas(found: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Return values as pandas holds them: whole numbers beside missing ones are floats."""

    def held(cells: list[Any]) -> list[Any]:
        whole = all(type(cell) is int for cell in cells if cell is not None)
        if not whole or None not in cells:
            return cells
        return [None if cell is None else float(cell) for cell in cells]

    return {name: held(cells) for name, cells in found.items()}


def _as_written(column: Column) -> list[Any]:
    """Return what the cells of a column say in a csv file: numbers where all of them are."""
    known = [cell for cell in column.cells if cell is not None]
    if known and all(NUMBER.fullmatch(cell) for cell in known):
        return [None if cell is None else Decimal(cell) for cell in column.cells]
    kind = column.kind if column.kind in ("bool", "date", "date64", *UNITS, "datetime_tz") else ""
    return [None if cell is None else value(kind, cell) for cell in column.cells]


def to_source(case: Case, folder: Path) -> Any:
    """Return what `case.source` says: a dataframe, or the path of a file written to a folder."""
    table = to_arrow(case)
    if case.source == "arrow":
        return table
    if case.source == "polars":
        import polars

        frame = polars.from_arrow(table)
        if frame.columns != table.column_names:
            raise ValueError("polars gives a blank name one of its own")
        return frame
    if case.source.startswith("pandas"):
        return _pandas(case, table)
    path = folder / f"table.{case.source}"
    if case.source == "parquet":
        pq.write_table(table, path)
    else:
        content = csv_text(case).encode(encoding_of(case.options))
        path.write_bytes(gzip.compress(content) if case.source == "csv.gz" else content)
    return path


def _pandas(case: Case, table: pa.Table) -> Any:
    import pandas as pd

    mapper = pd.ArrowDtype if case.source == "pandas_arrow" else None
    frame = table.to_pandas(types_mapper=mapper)
    for column in case.columns:
        if column.kind == "interval" and len(frame):
            numbers = [None if cell is None else float(cell) for cell in column.cells]
            frame[column.name] = pd.cut(pd.Series(numbers, dtype="float64"), 3)
    return frame


def encoding_of(options: dict[str, Any]) -> str:
    """Return the encoding of a csv file; nonsense is none."""
    encoding = options.get("encoding")
    return encoding if encoding in ("utf-16", "utf-32") else "utf-8"


def csv_text(case: Case) -> str:
    """Return the table as csv: missing cells are empty."""
    text = io.StringIO()
    skipped = case.options.get("skip_lines")
    for number in range(skipped if isinstance(skipped, int) else 0):
        text.write(f"line {number} above the header\n")
    quote = case.options.get("quote")
    quote = quote if isinstance(quote, str) and len(quote) == 1 else '"'
    delimiter = case.options.get("delimiter") or ","
    writer = csv.writer(text, delimiter=delimiter, quotechar=quote, lineterminator="\n")
    if case.columns:
        writer.writerow([column.name for column in case.columns])
    for row in range(case.rows):
        writer.writerow(["" if c.cells[row] is None else c.cells[row] for c in case.columns])
    return text.getvalue()


def write_files(case: Case, folder: Path) -> dict[str, Any]:
    """Write a case's hierarchies; return its options with the paths of them."""
    for name, lines in case.files.items():
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(lines)
    options = dict(case.options)
    trees = options.get("hierarchies")
    if isinstance(trees, dict):
        options["hierarchies"] = {
            column: str(folder / rule.removeprefix("file:")) if rule.startswith("file:") else rule
            for column, rule in trees.items()
        }
    return options


def fingerprint(data: Any) -> str:
    """Return what changes when a dataframe or file does."""
    if isinstance(data, Path):
        return hashlib.sha256(data.read_bytes()).hexdigest()
    if hasattr(data, "dtypes") and hasattr(data, "index"):  # pandas
        parts = [str(data.dtypes.tolist()), str(list(data.columns)), str(list(data.index))]
        parts += [repr(data.iloc[:, place].tolist()) for place in range(data.shape[1])]
        return "|".join(parts)
    table = data if isinstance(data, pa.Table) else data.to_arrow()
    return f"{table.schema}|{[column.to_pylist() for column in table.columns]}"


def rows_of(data: Any) -> tuple[list[str], list[list[Any]]]:
    """Return names and columns of a released dataframe as plain values."""
    if isinstance(data, pa.Table):
        table = data
    elif isinstance(data.columns, tuple):  # what a file is read as
        return [c.name for c in data.columns], [c.values.to_pylist() for c in data.columns]
    elif hasattr(data, "to_arrow"):
        table = data.to_arrow()
    else:
        table = pa.Table.from_pandas(data, preserve_index=False)
    return list(table.column_names), [column.to_pylist() for column in table.columns]
