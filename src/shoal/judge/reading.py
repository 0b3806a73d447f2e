"""Releases are opened here: files, folders, URLs, tables of databases and dataframes.

csv, Parquet and JSON lines are views: DuckDB reads the file itself, in parallel and within memory.
What it does not read comes from the library of the format, as Arrow.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.judge import csv_text, databases, folder, fresh, json_text, parquet, workbooks
from shoal.judge.arrow_tables import frame, listed_rows
from shoal.judge.engine import Engine
from shoal.judge.places import is_url, name_of, plain
from shoal.judge.source import Source
from shoal.judge.written import Written

VIEWS = {
    "csv": csv_text.READER, "csv.gz": csv_text.READER, "parquet": parquet.READER,
    "jsonl": json_text.READER, "ndjson": json_text.READER,
}  # fmt: skip
BOOKS = dict.fromkeys((*workbooks.BOOKS, *workbooks.OTHERS), workbooks.READER)
READERS = {**VIEWS, **fresh.READERS, **BOOKS}


def kind_of(name: str) -> str:
    """Return what a file is by its name; what is nothing else is csv."""
    ending = name.lower().rpartition(".")[2]
    return "csv.gz" if ending == "gz" else ending if ending in READERS else "csv"


def files_of(data: Any, kind: str | None = None) -> list[Path]:
    """Return the files that the engine opens itself; refuse a file that is not there."""
    if not _is_place(data):
        files = data if _are_files(data) else []
        return [_there(one) for one in files if not is_url(one)]
    place = plain(os.fspath(data))
    if folder.is_folder(place):
        with _in_words(place):
            return [Path(one) for one in folder.parts_of(place) if not is_url(one)]
    if is_url(place):
        return []
    table = databases.place_of(place) if kind is None else None
    path = _there(table[0] if table else place)
    return [path] if not table and (kind or kind_of(path.name)) in VIEWS else []


def opened(
    engine: Engine, data: Any, kind: str | None, written: Written, table: str = "release",
    published: bool = True,
) -> Source:  # fmt: skip
    """Make a table or view of a file or dataframe in the engine, its rows in their order.

    A file that is `published` may hold nothing but its records and a schema.
    """
    if _are_files(data):
        return parquet.parquet_view(engine, data, "the release", table, published)[0]
    if not _is_place(data):
        make = listed_rows if isinstance(data, list | tuple) else frame
        return make(engine, data, table)
    place = plain(os.fspath(data))
    with _in_words(place):
        if folder.is_folder(place):
            return folder.folder_view(engine, place, table, published)
        known = databases.place_of(place) if kind is None else None
        if known is not None:
            return databases.database_table(engine, *known, table)
        kind = "parquet" if is_url(place) else kind or kind_of(name_of(place))
        path = Path(place)
        if kind == "parquet":
            return parquet.parquet_view(engine, [place], name_of(place), table, published)[0]
        if kind in ("jsonl", "ndjson"):
            return json_text.json_view(engine, path, table)
        if kind in fresh.READERS:
            return fresh.fresh_table(engine, path, kind, table, published)
        if kind in BOOKS:
            return workbooks.workbook_table(engine, path, kind, table, published)
        return csv_text.csv_view(engine, path, kind, written, table)


def _is_place(data: Any) -> bool:
    return isinstance(data, str | os.PathLike)


def _are_files(data: Any) -> bool:
    return isinstance(data, list) and all(isinstance(one, str) for one in data)


def _there(place: str | Path) -> Path:
    """Return the path of a file that is there."""
    path = Path(place)
    if not path.is_file():
        what = "not an ordinary file" if path.exists() else "there is no such file"
        raise InputError(f"{path.name or path}: {what}")
    return path


@contextlib.contextmanager
def _in_words(place: str) -> Iterator[None]:
    """Raise in our words what the system says of a file."""
    try:
        yield
    except (OSError, EOFError) as error:
        reason = getattr(error, "strerror", None) or "the file is damaged"
        raise InputError(f"{name_of(place)}: cannot be read: {reason}") from None
