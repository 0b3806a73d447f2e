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
from pathlib import Path, PureWindowsPath
from typing import Any

from shoal.errors import InputError, listed, shown
from shoal.judge.checks import once
from shoal.judge.engine import Engine
from shoal.judge.papers import MANIFEST, SCHEMA, Manifest, Part
from shoal.judge.parquet import parquet_view
from shoal.judge.places import entries, is_url, name_of, open_at, pieces, plain, within
from shoal.judge.source import Source

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
    if name_of(data) != MANIFEST:
        return data
    return data.rpartition("/")[0] if is_url(data) else str(Path(data).parent)


def parts_of(data: str) -> list[str]:
    """Return the paths or URLs of the parts of a release, in their order, as it lists them."""
    data = _place(data)
    every = entries(data)
    if MANIFEST in every:
        parts = [part.file for part in _read(data)[1]]
        _check_names(parts, every, name_of(data))
        _check_entries(every, parts, data, f"nothing that {MANIFEST} lists")
    else:
        parts = [name for name in every if name.endswith(".parquet")]
        _check_entries(every, parts, data, "no Parquet file of the release")
    return [within(data, part) for part in parts]


def folder_view(engine: Engine, data: str, table: str, published: bool = True) -> Source:
    """Make a view of the parts of a release; all must be there, as the manifest says, and no more.

    A folder without a manifest is its files `*.parquet`, and holds nothing else but papers.
    """
    data = _place(data)
    files = parts_of(data)
    is_listed = MANIFEST in entries(data)
    content, parts = _read(data) if is_listed else ({}, [])
    sizes = [_size(within(data, part.file), part) for part in parts]
    source, records = parquet_view(engine, files, name_of(data), table, published)
    if not is_listed:
        return source
    manifest = Manifest(content, parts, records, sizes)
    return replace(source, manifest=manifest, warnings=manifest.warnings)


def _size(file: str, part: Part) -> int:
    """Return how many bytes a part has; refuse it if its hash is another one."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces(file):
        digest.update(piece)
        size += len(piece)
    if digest.hexdigest() != part.sha256:
        raise InputError(f"{part.file}: is not the file that {MANIFEST} lists")
    return size


def _read(data: str) -> tuple[dict[str, Any], list[Part]]:
    """Return what a manifest says, of the form that it must have; its numbers may be anything."""
    with open_at(within(data, MANIFEST)) as raw:
        content = raw.read(LARGEST + 1)
    try:
        manifest: dict[str, Any] = json.loads(content[:LARGEST], object_pairs_hook=once)
        parts = [Part(one["file"], one["sha256"], one["records"], one["bytes"])
                 for one in manifest["parts"]]  # fmt: skip
        texts = [manifest["schema"], *manifest["columns"], *manifest["quasi_identifiers"]]
        texts += [text for part in parts for text in part[:2]]
        _ = manifest["k"], manifest["classes"], manifest["records"]
        lists = (manifest["parts"], manifest["columns"], manifest["quasi_identifiers"])
        if manifest["schema"] != SCHEMA or not all(isinstance(text, str) for text in texts):
            raise ValueError
        if not all(isinstance(one, list) for one in lists):
            raise TypeError
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise InputError(f"{name_of(data)}: its {MANIFEST} is not one of ours") from None
    return manifest, parts


def _check_names(names: Sequence[str], every: Mapping[str, str], name: str) -> None:
    """Refuse parts that are no files of the folder itself, or there twice."""
    for one in names:
        is_plain = PureWindowsPath(one).name == one and not set(one) & set('<>:"|?*')
        if not is_plain or one in (MANIFEST, *PAPERS):
            raise InputError(f"{name}: {MANIFEST} lists {shown(one)}, which is no part in it")
        if one not in every or names.count(one) > 1:
            what = " twice" if one in every else ", which is not there"
            raise InputError(f"{name}: {MANIFEST} lists {shown(one)}{what}")


def _check_entries(every: Mapping[str, str], names: Sequence[str], data: str, what: str) -> None:
    """Refuse whatever is in the folder and no part or paper of the release."""
    foreign = [one for one in every if one not in (*names, MANIFEST, *PAPERS)]
    foreign += [one for one, kind in every.items() if kind != "file" and one not in foreign]
    for paper in (MANIFEST, *PAPERS):
        if paper in every and paper not in foreign:
            with open_at(within(data, paper)) as raw:
                if raw.read(4) in MAGIC:
                    foreign.append(paper)
    if foreign:
        raise InputError(
            f"{name_of(data)}: {listed(foreign)} in it is {what}, and whoever reads the folder may "
            "read it; take it out, or name the file to verify"
        )
