"""A release of many files: those that its manifest lists, each as it was when it was verified."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from shoal.errors import InputError
from shoal.release.judge import arrow
from shoal.release.judge.source import Source
from shoal.storage import is_url, open_at, plain, storage

MANIFEST = "manifest.json"


def is_folder(data: str) -> bool:
    """Tell whether a text names a release of many files: its folder, its URL, or its manifest."""
    data = _place(data)
    return (is_url(data) and not data.endswith(".parquet")) or Path(data).is_dir()


def _place(data: str) -> str:
    """Return the folder of a release, also of its manifest."""
    data = plain(data)
    if data == MANIFEST:
        return "."
    return data.removesuffix(f"/{MANIFEST}") or "/"


def opened(data: str) -> Source:
    """Return the opened parts of a release; all must be there, as the manifest says, and no more.

    A folder without a manifest is all its Parquet files.
    """
    data = _place(data)
    place = storage(data)
    name = data.rstrip("/").rpartition("/")[2] or data
    try:
        names = place.names()
        told = _manifest(place.full(MANIFEST), name) if MANIFEST in names else None
        found = [one for one in names if one.endswith(".parquet")]
        if told is not None:
            _check(told, found, place, name)
            found = [str(part["file"]) for part in told]
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror or 'no answer'}") from None
    return arrow.parquet([place.full(one) for one in found], name)


def _manifest(file: str, name: str) -> list[dict[str, Any]]:
    with open_at(file) as raw:
        try:
            parts: list[dict[str, Any]] = json.loads(raw.read())["parts"]
            _ = [(str(part["file"]), str(part["sha256"])) for part in parts]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{name}: its {MANIFEST} is not one of ours") from None
    return parts


def _check(told: list[dict[str, Any]], found: list[str], place: Any, name: str) -> None:
    listed = [str(part["file"]) for part in told]
    if sorted(listed) != sorted(found):
        raise InputError(f"{name}: its Parquet files are not those that {MANIFEST} lists")
    for part in told:
        with place.open(part["file"]) as raw:
            digest = hashlib.sha256()
            while content := raw.read(2**22):
                digest.update(content)
        if digest.hexdigest() != part["sha256"]:
            raise InputError(f"{part['file']}: is not the file that {MANIFEST} lists")
