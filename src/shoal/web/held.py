"""Tables that the questions about a file share: read once, then kept whole and as a sample.

A worker lives for one question. What it has read lies in the folder of the opened file, which only
its owner can read and which goes with the file; the next question finds it there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.settings import Settings
from shoal.table.files.database_names import file_of
from shoal.table.table import Table
from shoal.web.table_files import load, store
from shoal.web.tables import check_content, some_table
from shoal.web.uploads import RESERVE

SAMPLE = 20_000  # records that trials are drawn from
LARGEST = 1 << 30  # bytes of a table that is kept
READINGS = 2  # ways to read a file that are kept
FOLDER = "held"


def held_table(request: Mapping[str, Any], place: Path) -> tuple[Table, int]:
    """Return the table of a request as `some_table` reads it, and how many records the file has."""
    kept = _kept(request)
    if kept is None:
        return some_table(Path(request["path"]), _reading(request), place)
    check_content(Path(request["path"]))
    found = load(kept / "table")
    return _read(request, place) if found is None else found


def held_sample(request: Mapping[str, Any], place: Path, settings: Settings) -> tuple[Table, int]:
    """Return some records to try settings on, and how many the file has; few records are all.

    Households, persons and strata are whole in the whole table alone, and a large k needs many.
    """
    kept = _kept(request)
    largest = max([settings.protect.k, *settings.protect.k_of.values()])
    roles = settings.roles
    needs_all = roles.household or roles.person or roles.by or roles.group
    if kept is None or needs_all or 40 * largest > SAMPLE:
        return held_table(request, place)
    check_content(Path(request["path"]))
    found = load(kept / "sample")
    if found is None:
        table, records = held_table(request, place)
        found = _some(table), records
    return found


def hold(request: Mapping[str, Any], table: Table, records: int) -> None:
    """Keep a table that was read for a request."""
    kept = _kept(request)
    if kept is None:
        return
    if table.source.native is not None:  # no file
        return
    kept.mkdir(mode=0o700, parents=True, exist_ok=True)
    store(kept / "sample", _some(table), records)
    size = _bytes(table)
    if size <= LARGEST and size + RESERVE < shutil.disk_usage(kept).free:
        store(kept / "table", table, records)
    others = sorted(kept.parent.iterdir(), key=lambda one: one.stat().st_mtime)
    for old in [one for one in others if one != kept][: 1 - READINGS or None]:
        shutil.rmtree(old, ignore_errors=True)


def _read(request: Mapping[str, Any], place: Path) -> tuple[Table, int]:
    table, records = some_table(Path(request["path"]), _reading(request), place)
    with contextlib.suppress(OSError):  # there may be no room: the next question reads it again
        hold(request, table, records)
    return table, records


def _reading(request: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return how the file is to be read, as a question about a recipe or a column says it."""
    given: Mapping[str, Any] = request.get("settings", request).get("input") or {}
    return given


def _kept(request: Mapping[str, Any]) -> Path | None:
    """Return the folder of a file as it is now, read in one way; None where nothing is kept."""
    if not request.get("held"):
        return None
    path = Path(request["path"])
    try:
        found = file_of(path).stat()
    except OSError:
        return None
    reading = {key: one for key, one in _reading(request).items() if one and key != "path"}
    said = [str(path), found.st_size, found.st_mtime_ns, reading]
    text = json.dumps(said, sort_keys=True, default=list)
    name = hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
    return Path(request["held"]) / FOLDER / name


def _some(table: Table) -> Table:
    if table.rows <= SAMPLE:
        return table
    rows = np.random.default_rng(0).choice(table.rows, SAMPLE, replace=False)
    return table.take(np.sort(rows))


def _bytes(table: Table) -> int:
    """Return about how many bytes a table takes."""
    return sum(
        part.nbytes for column in table.columns for part in (column.values, column.cells)
        if part is not None
    )  # fmt: skip
