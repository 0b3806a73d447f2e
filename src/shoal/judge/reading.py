"""Releases are opened here: files, folders, URLs, tables of databases and dataframes.

csv, Parquet and JSON lines are views: DuckDB reads the file itself, in parallel and within memory.
What it does not read comes from the library of the format, as Arrow. Of JSON lines, DuckDB does not
show the texts of numbers: those of more digits than a double holds, and whole ones that other
readers round, are seen by Python alone, as are columns that a line names twice.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from shoal.errors import InputError, shown
from shoal.judge import in_words, papers, refuse
from shoal.judge.csv_text import Written, csv_view
from shoal.judge.engine import Engine, text
from shoal.judge.source import LINE, Source, check_names, is_url, name_of, once, plain

READERS = {
    "csv": "DuckDB, after a scan of the bytes", "csv.gz": "DuckDB, after a scan of the bytes",
    "parquet": "DuckDB", "jsonl": "DuckDB, after Python's json",
    "ndjson": "DuckDB, after Python's json",
    **dict.fromkeys(("sav", "zsav", "por", "dta", "xpt", "sas7bdat"),
                    "pyreadstat in a fresh process"),
    **dict.fromkeys(("feather", "arrow", "ipc"), "pyarrow in a fresh process"),
    **dict.fromkeys(("xlsx", "xlsm", "xlsb", "xls", "ods"), "python-calamine"),
}  # fmt: skip
VIEWS = "csv", "csv.gz", "parquet", "jsonl", "ndjson"
DATABASE = re.compile(r"(.*?\.(?:duckdb|ddb|sqlite3?|db3?))(?:#(.*))?", re.I | re.S)
TYPES = {bool: "BOOLEAN", int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}
EXACT, DIGITS = 2**53, 24  # up to which every reader holds whole numbers; signs of a double
NUL = re.compile(rb"(?<!\\)(?:\\\\)*\\u0000")


def kind_of(name: str) -> str:
    """Return what a file is by its name; what is nothing else is csv."""
    ending = name.lower().rpartition(".")[2]
    return "csv.gz" if ending == "gz" else ending if ending in READERS else "csv"


def files_of(data: Any, kind: str | None = None) -> list[Path]:
    """Return the files that the engine opens itself; refuse a file that is not there."""
    what, place = _what(data, kind)
    files = data if what == "files" else [place] if place else []
    if what == "folder":
        with system_in_words(name_of(place)):
            files = papers.parts_of(place)
    if what == "database":
        files = [database_of(place)[0]]
    paths = [Path(one) for one in files if not is_url(str(one))]
    for path in paths:
        is_there = "not an ordinary file" if path.exists() else "there is no such file"
        refuse((not path.is_file(), f"{path.name or path}: {is_there}"))
    return paths if what in (*VIEWS, "files", "folder") else []


def opened(
    engine: Engine, data: Any, kind: str | None, written: Written, table: str = "release",
    published: bool = True,
) -> Source:  # fmt: skip
    """Make a table or view of a file or dataframe in the engine, its rows in their order.

    A file that is `published` may hold nothing but its records and a schema.
    """
    what, place = _what(data, kind)
    with system_in_words(name_of(place)):
        if what == "folder":
            return papers.folder_view(engine, place, table, published)
        if what.startswith("csv"):
            return csv_view(engine, Path(place), what, written, table)
        if what in ("jsonl", "ndjson"):
            return _json_view(engine, Path(place), table)
        from shoal.judge import arrow_tables, parquet  # they take their time

        if what in ("files", "parquet"):
            files, name = ([place], name_of(place)) if place else (data, "the release")
            return parquet.parquet_view(engine, files, name, table, published)[0]
        if what in ("rows", "frame"):
            make = arrow_tables.listed_rows if what == "rows" else arrow_tables.frame
            return make(engine, data, table)
        from shoal.judge import libraries

        if what == "database":
            return libraries.database_table(engine, *database_of(place), table)
        by = READERS[what]
        return libraries.library_table(engine, Path(place), what, table, published, by)


def _what(data: Any, kind: str | None) -> tuple[str, str]:
    """Return what a release is, and its path or URL if it has one."""
    if not isinstance(data, str | os.PathLike):
        are_files = isinstance(data, list) and all(isinstance(one, str) for one in data)
        return "files" if are_files else "rows" if isinstance(data, list | tuple) else "frame", ""
    place = plain(os.fspath(data))
    known = "folder" if papers.is_folder(place) else "parquet" if is_url(place) else kind
    return known or ("database" if DATABASE.fullmatch(place) else kind_of(place)), place


def database_of(place: str) -> tuple[Path, str]:
    """Return the database file that a text names, and its table, or nothing."""
    file, name = cast(re.Match[str], DATABASE.fullmatch(place)).groups("")
    return Path(file), name


@contextmanager
def system_in_words(name: str) -> Iterator[None]:
    """Raise in our words what the system says of a file."""
    try:
        yield
    except (OSError, EOFError) as error:
        if not name:
            raise
        reason = getattr(error, "strerror", None) or "the file is damaged"
        raise InputError(f"{name}: cannot be read: {reason}") from None


def _json_view(engine: Engine, path: Path, table: str) -> Source:
    """Make a view of a file of JSON lines: an object a line; what it does not name is missing."""
    kinds: dict[str, set[type]] = {}
    for shape in dict.fromkeys(_shapes(path)):
        for name, kind in shape:
            kinds.setdefault(name, set()).add(kind)
    refuse((not kinds, f"{path.name}: there is no record"))
    check_names(list(kinds), path.name)
    columns = {}
    for name, own in kinds.items():
        there = own - {type(None)}
        kind = float if there == {int, float} else next(iter(there), str)
        is_one = there <= {kind} or there == {int, float}
        column = f"{path.name}: column {shown(name)} holds"
        refuse(
            (type(...) in there,
             f"{column} numbers of too many digits, which readers read differently; write the "
             "shortest digits of a double, or texts"),
            (not is_one or kind not in TYPES, f"{column} values of several kinds, or lists"),
        )  # fmt: skip
        columns[name] = TYPES[kind]
    typed = ",\n    ".join(f"{text(name)}: '{kind}'" for name, kind in columns.items())
    engine.make(
        f"""
CREATE VIEW {table} AS
SELECT *
FROM read_json(
  {text(engine.link(path))}, format = 'newline_delimited', auto_detect = false,
  compression = 'none', maximum_object_size = {LINE + 2},
  columns = {{
    {typed}
  }}
)""".strip(),
        f"The release: {path.name}, an object a line",
    )
    return Source(path.name, table, columns, reader=READERS["jsonl"])


def _shapes(path: Path) -> Iterator[tuple[tuple[str, type], ...]]:
    """Yield the names, and the types of the values, of each line that is not blank."""
    decode = json.JSONDecoder(
        object_pairs_hook=once, parse_float=_number, parse_int=_number, parse_constant=int
    ).decode
    with path.open("rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LINE), b""), 1):
            what = "not a JSON object of different columns, one with a NUL, or longer than"
            with in_words(f"{path.name}, line {number}: {what} {LINE // 2**20} MB",
                          ValueError, RecursionError):  # fmt: skip
                record = decode(line.decode()) if line.strip() else {}
                if b"\\u" in line:  # halves of pairs are no signs
                    json.dumps(record, ensure_ascii=False, default=str).encode()
                if len(line) == LINE or not isinstance(record, dict) or NUL.search(line):
                    raise ValueError
            yield tuple((name, type(value)) for name, value in record.items())


def _number(digits: str) -> Any:
    """Return a number; an ellipsis for one that a double does not hold, or in more digits."""
    if len(digits) > DIGITS:
        return ...
    value = int(digits) if digits.lstrip("-").isdigit() else float(digits)
    is_it = repr(value) == digits or Decimal(repr(value)) == Decimal(digits)
    return value if is_it and (type(value) is float or abs(value) <= EXACT) else ...
