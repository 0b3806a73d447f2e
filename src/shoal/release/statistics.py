"""Bytes of a released table as a file of SPSS, Stata or SAS, by the extra `formats`.

Labels, measure levels, missing definitions, formats and widths of the input's codebook are written
with the columns that they are of. The time of writing is not said.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from shoal.errors import OutputError
from shoal.kernels.arrays import Integers
from shoal.release.held import CODES, DATES, NUMBERS, STRINGS, TARGETS, Held, held
from shoal.table.files.formats import extra
from shoal.table.roles import Column
from shoal.table.table import Table

FRAMES = "polars"  # whose dataframes pyreadstat writes; it takes no Arrow tables
STATA = 14  # the version of Stata whose files every later one reads
TIMES = {
    "dta": (re.compile(rb"(?<=<timestamp>\x11)[^<]{17}"), b"01 Jan 1980 00:00"),
    "sav": (re.compile(rb"(?s)(?<=^.{92}).{17}"), b"01 Jan 8000:00:00"),
    "xpt": (re.compile(rb"\d\d[A-Z]{3}\d\d(?::\d\d){3}"), b"01JAN80:00:00:00"),
}  # where files say when they were written, in their first bytes
HEADER = 1_000
TEXTS = re.compile(r"(A|AHEX)\d+|%-?\d*s|\$.*", re.IGNORECASE)  # formats of texts


def held_as(table: Table, kind: str) -> dict[str, str]:
    """Return in words how a statistics file holds each column."""
    return {column.name: held(column, kind).words for column in table.columns}


def statistics_bytes(table: Table, order: Integers, kind: str) -> bytes:
    """Return a sav, zsav, dta or xpt file, the rows in an order."""
    name = f"release.{kind}"
    pyreadstat, polars = extra("pyreadstat", name), extra(FRAMES, name)
    TARGETS[kind].check_names(table.names)
    columns = {column.name: held(column, kind) for column in table.columns}
    index = pa.array(order)
    arrays = {name: one.values.take(index) for name, one in columns.items()}
    frame = polars.from_arrow(pa.table(arrays))
    options = _options(table, columns, kind)
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        path = Path(folder) / name
        try:
            if kind == "dta":
                pyreadstat.write_dta(frame, str(path), version=STATA, **options)
            elif kind == "xpt":
                pyreadstat.write_xport(frame, str(path), table_name="RELEASE", **options)
            else:
                pyreadstat.write_sav(frame, str(path), compress=kind == "zsav", **options)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
            raise OutputError(
                f"the release cannot be written as {TARGETS[kind].what}; write csv or Parquet"
            ) from None
        return _without_time(path.read_bytes(), kind)


def _options(table: Table, columns: Mapping[str, Held], kind: str) -> dict[str, Any]:
    """Return what the file says of its columns beside their values."""
    options: dict[str, Any] = {
        "column_labels": {name: one.label for name, one in columns.items() if one.label},
        "variable_format": {
            column.name: column.variable.format
            for column in table.columns
            if column.variable is not None
            and _keeps_format(column, columns[column.name].words, kind)
        },
    }
    if TARGETS[kind].has_codes:
        options["variable_value_labels"] = {n: _used_labels(one) for n, one in columns.items()}
    variables = {c.name: c.variable for c in table.columns if c.variable is not None}
    if kind in ("sav", "zsav"):
        options["missing_ranges"] = {
            name: [{"lo": low, "hi": high} for low, high in one.missing]
            for name, one in columns.items()
            if one.missing
        }
        options["variable_measure"] = {name: one.measure for name, one in variables.items()} | {
            column.name: "ordinal" for column in table.columns if column.is_ordinal
        }
        options["variable_display_width"] = {
            name: one.width for name, one in variables.items() if one.width > 0
        }
    return options


def _used_labels(column: Held) -> dict[Any, str]:
    """Return the labels of codes that records have: others would tell of the original."""
    there = set(column.values.unique().to_pylist())
    return {code: label for code, label in dict(column.labels).items() if code in there}


def _keeps_format(column: Column, words: str, kind: str) -> bool:
    """Tell whether a column is shown as it was in the program that it comes from."""
    variable = column.variable
    if variable is None or not variable.format or variable.family != TARGETS[kind].family:
        return False
    if TEXTS.fullmatch(variable.format) is None:
        return words.startswith((NUMBERS, DATES, CODES))
    # the widths of SPSS and SAS are sizes of cells; Stata's may tell the longest original text
    return kind == "dta" and not column.protected and words.startswith(STRINGS)


def _without_time(content: bytes, kind: str) -> bytes:
    """Return a file that does not say when it was written."""
    pattern, instead = TIMES["sav" if kind == "zsav" else kind]
    return pattern.sub(instead, content[:HEADER]) + content[HEADER:]
