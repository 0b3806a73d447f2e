"""Papers: what the report, certificate, recipe or manifest beside a release says of it.

They are read plainly, once more, by no code that wrote them. A report is taken for a release only
if it names its sha256; the others tell roles if they name its file. How a csv file is written, and
which columns stay as they are, is believed only of papers that name its sha256.

A release of many files is those of its manifest, each checked against its hash. Whoever reads the
folder (Arrow's datasets, Spark, Dask) may read whatever lies in it. So nothing else may: no other
file of any ending, hidden or not, no folder, no link; beside the parts there are the manifest and
the papers, which are no Parquet.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PureWindowsPath
from typing import Any

from shoal.errors import listed, shown
from shoal.judge import in_words, refuse
from shoal.judge.engine import Engine
from shoal.judge.source import (
    MANIFEST,
    Source,
    entries,
    is_url,
    name_of,
    once,
    open_at,
    pieces,
    plain,
    within,
)

SCHEMA = "shoal.manifest/1"
KEYS = ("schema", "versions", "k", "columns", "quasi_identifiers", "classes", "records", "parts")
LARGEST, LONGEST = 32 * 2**20, 2**28  # bytes of a paper that is read, and of a manifest
ENDING = re.compile(r"\.(csv(\.gz)?|parquet|feather|arrow|jsonl|xlsx|z?sav|dta|xpt)\Z", re.I)
SIGNS = "delimiter", "encoding", "quote", "decimal", "thousands"
# values that do not say what they stand for
SINGLE = ("mean", "median", "majority", "mode", "medoid")
PAPERS = (MANIFEST, "report.json", "report.html")
MAGIC = (b"PAR1", b"PARE")  # how Parquet files begin and end


@dataclass(frozen=True)
class Beside:
    """The roles of a release's columns, as a paper has them; `where` names the paper.

    `released_as` is what a quasi-identifier's values are, where it is known; `in_order` says that
    the rows are in the order of the input; `text` how a csv release is written; `k` what was
    promised, and `kept` are columns that the release has as they were.
    """

    where: str
    quasi_identifiers: tuple[str, ...]
    released_as: Mapping[str, str] = field(default_factory=dict)
    in_order: bool = False
    sensitive: tuple[str, ...] = ()
    text: Mapping[str, Any] = field(default_factory=dict)
    k: int | None = None
    kept: tuple[str, ...] = ()


def beside(data: Any) -> Beside | None:
    """Return what is known of a release from what lies beside it; None where nothing is."""
    if not isinstance(data, str | os.PathLike) or is_url(plain(os.fspath(data))):
        return None
    path = Path(plain(os.fspath(data)))
    try:
        path = path / MANIFEST if path.is_dir() else path
        papers = _papers(path) if path.is_file() else iter(())
        return next((paper for paper in papers if paper.quasi_identifiers), None)
    except OSError:
        return None


def roles_source(known: Beside | None, given: Sequence[str] | None) -> str:
    """Return where roles are from, in words."""
    from_paper = f"from {shown(known.where)} beside it" if known else "nothing lies beside it"
    return "as asked" if given is not None else from_paper


def _papers(path: Path) -> Iterator[Beside]:
    """Yield what the papers of a file say, the surest first."""
    if path.name == MANIFEST:
        content = _read(path, json.loads)
        yield _paper(MANIFEST, content, "quasi_identifiers", _at(content, "k"), content)
    stem = ENDING.sub("", path.name)
    names = (f"{stem}.report.json", "report.json", "certificate.json")
    *reports, certificate = contents = [_read(path.with_name(name), json.loads) for name in names]
    digest = digest_of(path)[0] if any(contents) else ""
    for name, content in zip(names, reports, strict=False):
        released, columns = _at(content, "release"), _at(content, "columns")
        if _at(released, "sha256") != digest or not digest:
            continue
        pairs = [(_at(column, "name"), _at(column, "released_as"))
                 for column in (columns if isinstance(columns, list) else [])]  # fmt: skip
        yield replace(
            _paper(name, _at(content, "roles"), "quasi-identifier",
                   _at(content, "verification", "required"), released),
            released_as=dict(pair for pair in pairs if _are_texts(pair)),
            text=_signs(_at(released, "text")),
            in_order=_at(released, "order") == "as in the input",
        )  # fmt: skip
    if _at(certificate, "release", "file") == path.name:
        is_it = _at(certificate, "files", path.name, "sha256") == digest
        claims, released = _at(certificate, "claims"), _at(certificate, "release") if is_it else {}
        paper = _paper(names[-1], claims, "quasi_identifiers", _at(claims, "k"), released)
        yield replace(paper, text=_signs(released))
    if stem == "release":
        recipe = _read(path.with_name("run.toml"), tomllib.loads)
        k = _at(recipe, "protect", "k")
        yield _paper("run.toml", _at(recipe, "roles"), "quasi_identifiers", k, {})


def _paper(where: str, roles: Any, quasi: str, k: Any, release: Any) -> Beside:
    """Return the roles that a paper has; released columns without one stay as they are."""
    names = (_at(roles, quasi), _at(roles, "sensitive"), _at(release, "columns"))
    identifiers, sensitive, columns = (
        tuple(one) if isinstance(one, list) and _are_texts(one) else () for one in names
    )
    kept = tuple(name for name in columns if name not in (*identifiers, *sensitive))
    k = k if type(k) is int and k >= 0 else None
    return Beside(where, identifiers, sensitive=sensitive, k=k, kept=kept)


def _signs(value: Any) -> dict[str, Any]:
    """Return what a paper says of the text of a release."""
    formats = _at(value, "date_format")
    is_known = isinstance(formats, dict) and _are_texts(formats.values())
    known = {name: _at(value, name) for name in SIGNS if isinstance(_at(value, name), str)}
    return {**known, "date_format": formats} if is_known else known


def _are_texts(values: Any) -> bool:
    return all(isinstance(one, str) for one in values)


def _at(tree: Any, *keys: str) -> Any:
    for key in keys:
        tree = tree.get(key) if isinstance(tree, dict) else None
    return tree


def _read(path: Path, parse: Callable[[str], Any]) -> Any:
    """Return what a paper says; None where it is none."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        return None
    try:
        return parse(path.read_bytes().decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def digest_of(place: str | Path) -> tuple[str, int]:
    """Return the sha256 and the size of a file at a path or URL."""
    digest, size = hashlib.sha256(), 0
    for piece in pieces(place):
        digest.update(piece)
        size += len(piece)
    return digest.hexdigest(), size


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
    every, name = entries(data), name_of(data)
    what, parts = "no Parquet file of the release", [n for n in every if n.endswith(".parquet")]
    if MANIFEST in every:
        what = f"nothing that {MANIFEST} lists"
        parts = [part["file"] for part in _manifest(data)["parts"]]
    for one in parts:
        is_plain = PureWindowsPath(one).name == one and not set(one) & set('<>:"|?*')
        listing = f"{name}: {MANIFEST} lists {shown(one)}"
        refuse(
            (not is_plain or one in PAPERS, f"{listing}, which is no part in it"),
            (one not in every, f"{listing}, which is not there"),
            (parts.count(one) > 1, f"{listing} twice"),
        )
    foreign = [one for one, kind in every.items() if kind != "file" or one not in (*parts, *PAPERS)]
    for paper in set(PAPERS) & every.keys() - foreign:
        with open_at(within(data, paper)) as raw:
            foreign += [paper] if raw.read(4) in MAGIC else []
    refuse((foreign, f"{name}: {listed(foreign)} in it is {what}, and whoever reads the folder may "
            "read it; take it out, or name the file to verify"))  # fmt: skip
    return [within(data, part) for part in parts]


def folder_view(engine: Engine, data: str, table: str, published: bool = True) -> Source:
    """Make a view of the parts of a release; all must be there, as the manifest says, and no more.

    A folder without a manifest is its files `*.parquet`, and holds nothing else but papers.
    """
    from shoal.judge.parquet import parquet_view

    data = _place(data)
    files = parts_of(data)
    content = _manifest(data) if MANIFEST in entries(data) else {"parts": []}
    sizes = []
    for part in content["parts"]:
        digest, size = digest_of(within(data, part["file"]))
        refuse((digest != part["sha256"],
                f"{part['file']}: is not the file that {MANIFEST} lists"))  # fmt: skip
        sizes.append(size)
    source, records = parquet_view(engine, files, name_of(data), table, published)
    if not sizes:
        return source
    unknown = [key for key in content if key not in KEYS]
    return replace(
        source, manifest=(content, list(zip(records, sizes, strict=True))),
        warnings=(f"{MANIFEST} says what is not checked: {listed(unknown)}",) if unknown else (),
    )  # fmt: skip


def _manifest(data: str) -> dict[str, Any]:
    """Return what a manifest says, of the form that it must have; its numbers may be anything."""
    with open_at(within(data, MANIFEST)) as raw:
        content = raw.read(LONGEST)
    with in_words(f"{name_of(data)}: its {MANIFEST} is not one of ours",
                  ValueError, KeyError, TypeError, RecursionError):  # fmt: skip
        manifest: dict[str, Any] = json.loads(content, object_pairs_hook=once)
        parts, *lists = (manifest[key] for key in ("parts", "columns", "quasi_identifiers"))
        texts = [*(part[key] for part in parts for key in ("file", "sha256")), *lists[0], *lists[1]]
        _ = manifest["k"], manifest["classes"], manifest["records"]
        _ = [(part["records"], part["bytes"]) for part in parts]
        is_ours = manifest["schema"] == SCHEMA and _are_texts(texts)
        if not is_ours or not all(isinstance(one, list) for one in (parts, *lists)):
            raise ValueError
    return manifest
