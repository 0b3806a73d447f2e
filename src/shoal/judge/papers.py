"""Papers: what the report, certificate, recipe or manifest beside a release says of it.

They are read plainly, once more, by no code that wrote them. A report is taken for a release only
if it names its sha256; the others tell roles if they name its file. How a csv file is written, and
which columns stay as they are, is believed only of papers that name its sha256.
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
from shoal.judge.places import is_url, plain

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
    if given is not None:
        return "as asked"
    return "nothing lies beside it" if known is None else f"from {shown(known.where)} beside it"


def _papers(path: Path) -> Iterator[Beside]:
    """Yield what the papers of a file say, the surest first."""
    if path.name == MANIFEST:
        content = _read(path, json.loads)
        yield _paper(MANIFEST, content, "quasi_identifiers", _at(content, "k"), content)
    ending = next((end for end in ENDINGS if path.name.lower().endswith(end)), "")
    stem = path.name[: len(path.name) - len(ending)]
    reports = (f"{stem}.report.json", "report.json")
    contents = {name: _read(path.with_name(name), json.loads)
                for name in (*reports, "certificate.json")}  # fmt: skip
    digest = _digest(path) if any(contents.values()) else ""
    for name in reports:
        content = contents[name]
        if _at(content, "release", "sha256") == digest != "":
            k, released = _at(content, "verification", "required"), _at(content, "release")
            paper = _paper(name, _at(content, "roles"), "quasi-identifier", k, released)
            yield replace(
                paper, released_as=_released_as(content), text=_signs(_at(released, "text")),
                in_order=_at(released, "order") == "as in the input",
            )  # fmt: skip
    content = contents["certificate.json"]
    if _at(content, "release", "file") == path.name:
        claims, is_it = _at(content, "claims"), _at(content, "files", path.name, "sha256") == digest
        released = _at(content, "release") if is_it else {}
        k = _at(claims, "k")
        paper = _paper("certificate.json", claims, "quasi_identifiers", k, released)
        yield replace(paper, text=_signs(released))
    if stem == "release":
        recipe = _read(path.with_name("run.toml"), tomllib.loads)
        k = _at(recipe, "protect", "k")
        yield _paper("run.toml", _at(recipe, "roles"), "quasi_identifiers", k, {})


def _paper(where: str, roles: Any, quasi: str, k: Any, release: Any) -> Beside:
    """Return the roles that a paper has; released columns without one stay as they are."""
    identifiers, sensitive = _names(_at(roles, quasi)), _names(_at(roles, "sensitive"))
    columns = _names(_at(release, "columns"))
    kept = tuple(name for name in columns if name not in (*identifiers, *sensitive))
    return Beside(where, identifiers, sensitive=sensitive, k=_count(k), kept=kept)


def _released_as(content: Any) -> dict[str, str]:
    columns = _at(content, "columns")
    pairs = [(_at(column, "name"), _at(column, "released_as"))
             for column in (columns if isinstance(columns, list) else [])]  # fmt: skip
    return {name: how for name, how in pairs if isinstance(name, str) and isinstance(how, str)}


def _signs(value: Any) -> dict[str, Any]:
    """Return what a paper says of the text of a release."""
    known: dict[str, Any] = {name: _at(value, name) for name in SIGNS}
    known = {name: sign for name, sign in known.items() if isinstance(sign, str)}
    formats = _at(value, "date_format")
    if isinstance(formats, dict) and all(isinstance(one, str) for one in formats.values()):
        known["date_format"] = formats
    return known


def _names(value: Any) -> tuple[str, ...]:
    plain = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return tuple(value) if plain else ()


def _count(value: Any) -> int | None:
    is_count = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return value if is_count else None


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


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
        k = _count(content["k"])
        if k is None or k > smallest:
            problems.append(f"{MANIFEST} says a k that the smallest class, of {smallest}, has not")
        for what, counted in (("classes", classes), ("records", records)):
            if _count(content[what]) != counted:
                problems.append(
                    f"{MANIFEST} says another number of {what} than there are: {counted}"
                )
        if content["columns"] != list(header):
            problems.append(f"{MANIFEST} says other columns than there are")
        for part, own, size in zip(self.parts, self.records, self.bytes, strict=True):
            if (part.records, part.bytes) != (own, size) or isinstance(part.records, bool):
                problems.append(f"{MANIFEST} says other records or bytes of {shown(part.file)}")
        return problems
