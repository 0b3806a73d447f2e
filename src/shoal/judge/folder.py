"""Releases of many files: the files of a manifest, each checked against its hash.

Whoever reads the folder (Arrow's datasets, Spark, Dask) may read whatever lies in it. So nothing
else may: no other file of any ending, hidden or not, no folder, no link; beside the parts there are
the manifest and the papers, which are no Parquet.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from shoal.backends.storage import Storage, open_at, plain, storage
from shoal.errors import InputError, listed, shown
from shoal.judge.declared import MANIFEST, SCHEMA, Manifest, Part
from shoal.judge.readers import arrow
from shoal.judge.readers.source import Source
from shoal.system.names import folder_of, is_plain_name, is_url, name_of

PAPERS = ("report.json", "report.html")
LARGEST = 2**28  # bytes of a manifest
MAGIC = (b"PAR1", b"PARE")  # how Parquet files begin and end


def is_folder(data: str) -> bool:
    """Tell whether a text names a release of many files: its folder, its URL, or its manifest."""
    data = _place(data)
    return (is_url(data) and not data.endswith(".parquet")) or Path(data).is_dir()


def _place(data: str) -> str:
    """Return the folder of a release, also of its manifest."""
    data = plain(data)
    return folder_of(data) if name_of(data) == MANIFEST else data


def opened(data: str) -> Source:
    """Return the opened parts of a release; all must be there, as the manifest says, and no more.

    A folder without a manifest is its files `*.parquet`, and holds nothing else but papers.
    """
    data = _place(data)
    place = storage(data)
    name = name_of(data)
    try:
        entries = place.entries()
        if MANIFEST in entries:
            return _of_manifest(place, entries, name)
        parts = [one for one in entries if one.endswith(".parquet")]
        _check_entries(entries, parts, place, name, "no Parquet file of the release")
        return arrow.parquet([place.full(one) for one in parts], name)
    except OSError as error:
        raise InputError(f"{name}: cannot be read: {error.strerror or 'no answer'}") from None


def _of_manifest(place: Storage, entries: Mapping[str, str], name: str) -> Source:
    manifest = _read(place.full(MANIFEST), name)
    parts = [
        Part(one["file"], one["sha256"], one["records"], one["bytes"]) for one in manifest["parts"]
    ]
    names = [part.file for part in parts]
    _check_names(names, entries, name)
    _check_entries(entries, names, place, name, f"nothing that {MANIFEST} lists")
    sizes = []
    for part in parts:
        with place.open(part.file) as raw:
            digest, size = hashlib.sha256(), 0
            while content := raw.read(2**22):
                digest.update(content)
                size += len(content)
        if digest.hexdigest() != part.sha256:
            raise InputError(f"{part.file}: is not the file that {MANIFEST} lists")
        sizes.append(size)
    source = arrow.parquet([place.full(one) for one in names], name)
    return replace(source, manifest=Manifest(manifest, parts, source.each, sizes))


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; duplicate keys are refused, as readers differ."""
    if len({key for key, _ in pairs}) < len(pairs):
        raise ValueError
    return dict(pairs)


def _read(file: str, name: str) -> dict[str, Any]:
    """Return what a manifest says, of the form that it must have; its numbers may be anything."""
    with open_at(file) as raw:
        content = raw.read(LARGEST + 1)
    try:
        manifest: dict[str, Any] = json.loads(content[:LARGEST], object_pairs_hook=_once)
        texts = [manifest["schema"], *manifest["columns"], *manifest["quasi_identifiers"]]
        for part in manifest["parts"]:
            texts += [part["file"], part["sha256"]]
            _ = part["records"], part["bytes"]
        _ = manifest["k"], manifest["classes"], manifest["records"]
        lists = (manifest["parts"], manifest["columns"], manifest["quasi_identifiers"])
        if manifest["schema"] != SCHEMA or not all(isinstance(text, str) for text in texts):
            raise ValueError
        if not all(isinstance(one, list) for one in lists):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{name}: its {MANIFEST} is not one of ours") from None
    return manifest


def _check_names(names: Sequence[str], entries: Mapping[str, str], name: str) -> None:
    """Refuse parts that are no files of the folder itself, or there twice."""
    for one in names:
        if not is_plain_name(one) or one in (MANIFEST, *PAPERS):
            raise InputError(f"{name}: {MANIFEST} lists {shown(one)}, which is no part in it")
        if one not in entries:
            raise InputError(f"{name}: {MANIFEST} lists {shown(one)}, which is not there")
    if len(set(names)) < len(names):
        raise InputError(f"{name}: {MANIFEST} lists a file twice")


def _check_entries(
    entries: Mapping[str, str], names: Sequence[str], place: Storage, name: str, what: str
) -> None:
    """Refuse whatever is in the folder and no part or paper of the release."""
    foreign = [one for one in entries if one not in (*names, MANIFEST, *PAPERS)]
    foreign += [one for one, kind in entries.items() if kind != "file" and one not in foreign]
    for paper in (MANIFEST, *PAPERS):
        if paper in entries and paper not in foreign:
            with place.open(paper) as raw:
                if raw.read(4) in MAGIC:
                    foreign.append(paper)
    if foreign:
        raise InputError(
            f"{name}: {listed(foreign)} in it is {what}, and whoever reads the folder may read it; "
            "take it out, or name the file to verify"
        )
