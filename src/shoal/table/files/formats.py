"""Formats of files, by the endings of their names."""

from __future__ import annotations

import importlib
import os
from typing import Any

from shoal.errors import InputError, RequestError, pip_install
from shoal.extras import is_installed
from shoal.storage.private_folder import ENDINGS
from shoal.table.files.opening import check_file_name, is_database, is_text_name

ARROW = (".feather", ".arrow", ".ipc")
JSON_LINES = (".jsonl", ".ndjson")
STATISTICS = {
    ".sav": "read_sav", ".zsav": "read_sav", ".por": "read_por", ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat", ".xpt": "read_xport",
}  # fmt: skip
FAMILIES = {
    ".sav": "SPSS", ".zsav": "SPSS", ".por": "SPSS", ".dta": "Stata", ".sas7bdat": "SAS",
    ".xpt": "SAS",
}  # fmt: skip
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods")
TYPED = (".parquet", *ARROW, *JSON_LINES, *STATISTICS, *SPREADSHEETS)
WRITTEN = ENDINGS
CODED = ("sav", "zsav", "dta")  # kinds of files that hold codes with value labels
HELD_BY_STATISTICS = (*CODED, "xpt")
NEEDED = {
    **dict.fromkeys(HELD_BY_STATISTICS, ("pyreadstat", "polars")),
    "xlsx": ("xlsxwriter", "python_calamine"),
}  # what writes a kind of file, and what the judge reads it with
KNOWN = {
    ".sav": "an SPSS file", ".zsav": "an SPSS file", ".por": "an SPSS file",
    ".dta": "a Stata file", ".sas7bdat": "a SAS file", ".xpt": "a SAS file",
    ".ods": "an OpenDocument spreadsheet", ".json": "a JSON file",
    ".rds": "an R file", ".rdata": "an R file", ".pdf": "a PDF file", ".xml": "an XML file",
    ".orc": "an ORC file", ".avro": "an Avro file",
}  # fmt: skip


def is_parquet(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file's name says Parquet."""
    return str(path).lower().endswith(".parquet") and not is_database(path)


def is_text(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is text, which has a dialect, and no format with types of its own."""
    return not str(path).lower().endswith(TYPED) and not is_database(path)


def is_statistics(path: str | os.PathLike[str]) -> bool:
    """Tell whether a file is one of SPSS, Stata or SAS, by its name."""
    return ending_of(str(path)) in STATISTICS and not is_database(path)


def check_csv_name(name: str) -> None:
    """Raise InputError for a name without a csv ending, or not printable."""
    check_file_name(name)
    if not is_text_name(name):
        raise InputError(f"{name}: {unread(name)}")


def unread(name: str) -> str:
    """Return what a file is that is not read, by its name, and what to do."""
    what = KNOWN.get(ending_of(name))
    if what is None:
        return (
            "the file's name must end in .csv, .tsv, .txt (or one of these and .gz), .parquet, "
            ".feather, .jsonl, .sqlite, .duckdb, or, with shoal[formats], "
            ".sav, .dta, .sas7bdat, .xlsx and others"
        )
    return f"this is {what}, which is not read; save it as csv or Parquet"


def ending_of(name: str) -> str:
    """Return the last ending of a file's name."""
    return "." + name.lower().rpartition(".")[2]


def statistics_reader(name: str) -> str:
    """Return the reader of an SPSS, Stata or SAS file."""
    return STATISTICS[ending_of(name)]


def is_csv(kind: str) -> bool:
    """Tell whether a kind of released file is csv."""
    return kind in ("csv", "csv.gz")


def check_kind(kind: str) -> None:
    """Refuse a kind of file that is not written, or whose extra is not installed."""
    if kind not in WRITTEN:
        raise RequestError(f"format must be one of {', '.join(WRITTEN)}")
    if not all(is_installed(module) for module in NEEDED.get(kind, ())):
        raise RequestError(f"{pip_install('formats')} to write {_what(f'.{kind}')}")


def extra(module: str, name: str) -> Any:
    """Return a module that a format needs; where it is not installed, say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        what = _what(ending_of(name))
        raise InputError(f"{name}: this is {what}; {pip_install('formats')} to read it") from None


def _what(ending: str) -> str:
    return KNOWN.get(ending, "an Excel file")
