"""The folder whose files the desk offers to open, by ids that do not disclose their paths."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

from shoal.table.files.database_names import file_of
from shoal.web.open_file import plain_name
from shoal.web.uploads import ENDINGS
from shoal.web.workspace import Workspace


def entries_of(folder: Path | None, workspace: Workspace) -> dict[str, Path]:
    """Return the files of the folder by ids that do not disclose their paths."""
    if folder is None:
        return {}
    entries = {}
    inside = folder.resolve()
    try:
        every = sorted(folder.iterdir())
    except OSError:
        return {}
    for path in every:
        own = path.name.lower().endswith(ENDINGS) and not path.name.startswith(".")
        own = own and file_of(path) == path  # and not called like a table of a database
        with contextlib.suppress(OSError):
            if own and path.is_file() and path.resolve().parent == inside:
                entries[workspace.named(path.name)] = path
    return entries


def told(folder: Path | None, workspace: Workspace) -> dict[str, Any] | None:
    """Return what the first page says of the folder."""
    if folder is None:
        return None
    entries = []
    for key, path in entries_of(folder, workspace).items():
        with contextlib.suppress(OSError):  # gone since
            size = path.stat().st_size
            entries.append({"id": key, "name": plain_name(path.name), "bytes": size})
    return {"name": plain_name(folder.resolve().name), "entries": entries}
