"""Declared roles: what the report, certificate or recipe beside a release says of columns.

They are read plainly, once more, by no code that wrote them. A report is taken for a release only
if it names its sha256, the others if they name its file.
"""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from shoal.errors import listed, shown
from shoal.system.names import is_url

MANIFEST = "manifest.json"
SCHEMA = "shoal.manifest/1"
KEYS = ("schema", "versions", "k", "columns", "quasi_identifiers", "classes", "records", "parts")
LARGEST = 32 * 2**20  # bytes of a paper that is read
ENDINGS = (
    ".csv.gz", ".csv", ".parquet", ".feather", ".arrow", ".jsonl", ".xlsx", ".sav", ".zsav", ".dta",
    ".xpt",
)  # fmt: skip
SIGNS = "delimiter", "encoding", "quote", "decimal", "thousands"
# values that do not say what they stand for
SINGLE = ("mean", "median", "majority", "mode", "medoid")


@dataclass(frozen=True)
class Beside:
    """The roles of a release's columns, as a paper has them; `where` names the paper.

    `released_as` is what a quasi-identifier's values are, where it is known; `in_order` says that
    the rows are in the order of the input; `text` how a csv release is written.
    """

    where: str
    quasi_identifiers: tuple[str, ...]
    released_as: Mapping[str, str] = field(default_factory=dict)
    in_order: bool = False
    sensitive: tuple[str, ...] = ()
    text: Mapping[str, Any] = field(default_factory=dict)


def beside(data: Any) -> Beside | None:
    """Return what is known of a release from what lies beside it; None where nothing is."""
    if not isinstance(data, str | os.PathLike) or is_url(os.fspath(data)):
        return None
    path = Path(data)
    try:
        if path.is_dir():
            path = path / MANIFEST
        if not path.is_file():
            return None
        return next(_beside(path), None)
    except OSError:
        return None


def _beside(path: Path) -> Iterator[Beside]:
    """Yield what the papers of a release say, the surest first."""
    name, folder = path.name, path.parent
    ending = next((end for end in ENDINGS if name.lower().endswith(end)), "")
    stem = name[: len(name) - len(ending)] if ending else name
    digest = ""
    for paper in (f"{stem}.report.json", "report.json"):
        content = _read(folder / paper, json.loads)
        if content is None:
            continue
        digest = digest or _digest(path)
        if _at(content, "release", "sha256") == digest:
            yield from _of_report(content, paper)
    content = _read(folder / "certificate.json", json.loads)
    if content is not None and _at(content, "release", "file") == name:
        claims = _at(content, "claims")
        for made in _made("certificate.json", claims, "quasi_identifiers"):
            yield replace(made, text=_signs(_at(content, "release")))
    recipe = _read(folder / "run.toml", tomllib.loads) if stem == "release" else None
    if recipe is not None:
        yield from _made("run.toml", _at(recipe, "roles"), "quasi_identifiers")
    if name == MANIFEST:
        yield from _made(MANIFEST, _read(path, json.loads), "quasi_identifiers")


def _of_report(content: Any, paper: str) -> Iterator[Beside]:
    columns = _at(content, "columns")
    aggregators = {}
    for column in columns if isinstance(columns, list) else []:
        name, aggregator = _at(column, "name"), _at(column, "released_as")
        if isinstance(name, str) and isinstance(aggregator, str):
            aggregators[name] = aggregator
    in_order = _at(content, "release", "order") == "as in the input"
    roles = _at(content, "roles")
    for made in _made(paper, roles, "quasi-identifier", aggregators, in_order):
        yield replace(made, text=_signs(_at(content, "release", "text")))


def _made(
    where: str, roles: Any, quasi: str, aggregators: Mapping[str, str] | None = None,
    in_order: bool = False,
) -> Iterator[Beside]:  # fmt: skip
    names = _names(_at(roles, quasi))
    if names:
        yield Beside(where, names, aggregators or {}, in_order, _names(_at(roles, "sensitive")))


def _signs(value: Any) -> dict[str, Any]:
    """Return what a paper says of the text of a release."""
    signs = ((name, _at(value, name)) for name in SIGNS)
    known: dict[str, Any] = {name: sign for name, sign in signs if isinstance(sign, str)}
    formats = _at(value, "date_format")
    if isinstance(formats, dict) and all(isinstance(one, str) for one in formats.values()):
        known["date_format"] = formats
    return known


def _names(value: Any) -> tuple[str, ...]:
    plain = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return tuple(value) if plain else ()


def _at(tree: Any, *keys: str) -> Any:
    for key in keys:
        if not isinstance(tree, dict):
            return None
        tree = tree.get(key)
    return tree


def _text(path: Path) -> str | None:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        return None
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return None


def _read(path: Path, parse: Callable[[str], Any]) -> Any:
    """Return what a paper says; None where it is none."""
    text = _text(path)
    try:
        return None if text is None else parse(text)
    except (ValueError, RecursionError):
        return None


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def roles_source(known: Beside | None, given: Sequence[str] | None) -> str:
    """Return where roles are from, in words."""
    if given is not None:
        return "as asked"
    return "nothing lies beside it" if known is None else f"from {shown(known.where)} beside it"


class Part(NamedTuple):
    """A file as the manifest has it."""

    file: str
    sha256: str
    records: Any
    bytes: Any


class Manifest(NamedTuple):
    """Content of a manifest, and the records and bytes of its files as found."""

    content: Mapping[str, Any]
    parts: Sequence[Part]
    records: Sequence[int] = ()
    bytes: Sequence[int] = ()

    @property
    def quasi_identifiers(self) -> list[str]:
        """The quasi-identifiers by which it counts classes."""
        return list(self.content["quasi_identifiers"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings on keys that are not checked."""
        more = [key for key in self.content if key not in KEYS]
        return (f"{MANIFEST} says what is not checked: {listed(more)}",) if more else ()

    def problems(self, header: Sequence[str], sizes: Mapping[int, int]) -> list[str]:
        """Return which numbers are not what was counted; sizes has the classes of each size."""
        content, problems = self.content, []
        smallest, classes = min(sizes, default=0), sum(sizes.values())
        records = sum(size * many for size, many in sizes.items())
        if not _is_count(content["k"]) or content["k"] > smallest:
            problems.append(f"{MANIFEST} says a k that the smallest class, of {smallest}, has not")
        for what, counted in (("classes", classes), ("records", records)):
            if not _is_count(content[what]) or content[what] != counted:
                problems.append(
                    f"{MANIFEST} says another number of {what} than there are: {counted}"
                )
        if content["columns"] != list(header):
            problems.append(f"{MANIFEST} says other columns than there are")
        for part, own, size in zip(self.parts, self.records, self.bytes, strict=True):
            if (part.records, part.bytes) != (own, size) or isinstance(part.records, bool):
                problems.append(f"{MANIFEST} says other records or bytes of {shown(part.file)}")
        return problems


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
