"""Reading of written reports, for charts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from shoal.errors import InputError, shown
from shoal.measures.histogram import Histogram
from shoal.report.fields import PUBLIC, ColumnReport
from shoal.report.public.report import restored_fields
from shoal.report.report import SCHEMA, Report
from shoal.storage.private_folder import REPORT, SUFFIX, private_folders, published_beside
from shoal.table.files.formats import is_text
from shoal.table.intervals import joined
from shoal.table.read import read
from shoal.table.roles import STAR
from shoal.table.table import Table


def load_report(source: Path) -> tuple[Report, Path]:
    """Return the report that a file or folder holds, and the path of the release it is about.

    Of the folder of a release it is the exact one in its private folder, where that is there.
    """
    path = source / REPORT if source.is_dir() else source
    if source.is_dir():
        own = [place / REPORT for place in private_folders(source) if (place / REPORT).is_file()]
        path = own[0] if own else path
    tree = load_json(path)
    if tree.get("schema") != SCHEMA:
        raise InputError(f"{shown(path)}: this is no report of a release ({SCHEMA})")
    try:
        if tree.get("audience") == PUBLIC:
            report = Report(**restored_fields(tree))
        else:
            columns = [_column(dict(one)) for one in tree["columns"]]
            report = Report(**{**tree, "columns": columns})
        name = str(report.release.get("file", "release.csv"))
        is_private = path.parent.name.endswith(SUFFIX)
        file = published_beside(path.parent, name) if is_private else path.parent / name
    except (KeyError, TypeError, ValueError):
        raise InputError(f"{shown(path)}: the report is not whole") from None
    return report, file


def load_json(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{shown(path)}: this is not JSON") from None
    if not isinstance(tree, dict):
        raise InputError(f"{shown(path)}: this is not a JSON object")
    return tree


def _column(values: dict[str, Any]) -> ColumnReport:
    bins = values.pop("histogram", None)
    return ColumnReport(**values, histogram=None if bins is None else Histogram(**bins))


def load_released(report: Report, file: Path) -> Table:
    """Read a released file; its quasi-identifiers hold the values of groups."""
    named = {column.name for column in report.columns}
    table = read(file, missing=("", STAR)) if is_text(file) else read(file)
    made = joined(table, named)
    return made.mapped(lambda column: column.replace(protected=column.name in named))
