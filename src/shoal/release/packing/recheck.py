"""`shoal certificate check`: everything that a pack says, verified again from its files."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from shoal.errors import ShoalError, listed, shown
from shoal.release.packing.certificate import (
    NAME,
    SCHEMA_NAME,
    Certificate,
    load_certificate,
    order_digest,
)
from shoal.release.verify import verify
from shoal.settings import load, split_key
from shoal.table.hierarchy.specify import is_file

BLOCK = 1 << 20
ASKED = "l", "c", "t", "alpha"
PAPERS = "report.json", "report.html", "dictionary.csv", "README.md", SCHEMA_NAME


@dataclass(frozen=True)
class Checked:
    """What a check of a pack found: `done` says what holds, `problems` what does not."""

    ok: bool
    k: int
    files: int
    done: tuple[str, ...]
    problems: tuple[str, ...]

    def summary(self) -> str:
        """Return the verdict in words."""
        head = "the pack holds what it says" if self.ok else "NOT what the certificate says"
        lines = [f"{head}: k = {self.k}, {self.files} files"]
        lines += [f"  {line}" for line in self.done]
        return "\n".join([*lines, *(f"  problem: {line}" for line in self.problems)])

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return self.summary()

    def __bool__(self) -> bool:
        return self.ok


def check_pack(
    folder: str | os.PathLike[str],
    *,
    trees: Mapping[str, str] | None = None,
    orders: Mapping[str, Sequence[str]] | None = None,
) -> Checked:
    """Check a release pack: its files against their hashes, its release against its claims.

    `trees` and `orders` are those by which t-closeness compares the values of sensitive columns;
    the certificate knows their hashes, the pack does not hold them.
    """
    place = Path(folder)
    made = load_certificate(place)
    done: list[str] = []
    problems = _files(place, made, done)
    if not problems:  # what is not the file that was certified need not be looked into
        problems = [
            *_release(place, made, trees or {}, orders or {}, done),
            *_papers(place, made, done),
        ]
    return Checked(not problems, made.claims.k, len(made.files), tuple(done), tuple(problems))


def _files(place: Path, made: Certificate, done: list[str]) -> list[str]:
    """Compare every file with its hash; return what differs."""
    problems = []
    for name, entry in made.files.items():
        path = place / name
        if Path(name).name != name or path.is_symlink() or not path.is_file():
            problems.append(f"{shown(name)} is not there, or is no plain file")
        elif path.stat().st_size != entry.bytes or _digest(path) != entry.sha256:
            problems.append(f"{shown(name)} is not the file that was certified")
    extra = sorted({path.name for path in place.iterdir()} - {NAME, *made.files})
    if extra:
        problems.append(f"the certificate says nothing of {listed(extra)}")
    for name in (made.release.file, made.recipe, *PAPERS):
        if name not in made.files:
            problems.append(f"the certificate does not cover {shown(name)}")
    if not problems:
        done.append(f"{len(made.files)} files are the ones that were certified, to the byte")
    return problems


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            found.update(block)
    return found.hexdigest()


def _release(
    place: Path,
    made: Certificate,
    trees: Mapping[str, str],
    orders: Mapping[str, Sequence[str]],
    done: list[str],
) -> list[str]:
    """Verify the release anew; return what it does not keep."""
    claims, release = made.claims, made.release
    asked = claims.model_dump(exclude={"needs", "k_of"})
    if claims.l is None and claims.t is None and claims.alpha is None:
        asked = {"k": claims.k, "quasi_identifiers": claims.quasi_identifiers}
    problems = []
    given: dict[str, Any] = {}
    for name, known in claims.needs.get("hierarchies", {}).items():
        said = trees.get(name, "" if len(known) == 64 else known)
        if not said:
            problems.append(f"t-closeness of {shown(name)} needs its hierarchy: say --hierarchy")
        elif is_file(said) and _digest(Path(said)) != known:
            problems.append(f"the hierarchy of {shown(name)} is not the one that was certified")
        given.setdefault("hierarchies", {})[name] = said
    for name, known in claims.needs.get("orders", {}).items():
        if name not in orders:
            problems.append(f"t-closeness of {shown(name)} needs its order: say --order")
        elif order_digest(list(orders[name])) != known:
            problems.append(f"the order of {shown(name)} is not the one that was certified")
        given.setdefault("orders", {})[name] = list(orders.get(name, ()))
    if problems:
        return problems
    try:
        found = verify(
            place / release.file,
            **asked,
            **given,
            k_of={split_key(key): k for key, k in claims.k_of.items()},
            delimiter=release.delimiter,
            kind=release.kind,
            records=release.records,
            columns=release.columns,
        )
    except ShoalError as error:
        return [f"what is claimed cannot be verified: {error}"]
    problems = list(found.problems)
    told = (found.records, found.classes, found.k)
    said_ = (made.verified.records, made.verified.classes, made.verified.smallest_class)
    if told != said_:
        problems.append("records, classes or the smallest class are not those of the certificate")
    plain = found.to_dict()
    if (plain["models"], plain["k_of"]) != (made.verified.models, made.verified.k_of):
        problems.append("what was found of the models is not what the certificate says")
    if not problems:
        done.append(
            f"{found.records:,} records in {found.classes:,} classes, the smallest of {found.k}: "
            f"k = {claims.k} holds"
        )
        done += [f"{one.label}: {one.found:.4g}, asked {one.asked:g}" for one in found.models]
    return problems


def _papers(place: Path, made: Certificate, done: list[str]) -> list[str]:
    """Compare report and recipe with the certificate; return where they differ."""
    problems = []
    try:
        report = json.loads((place / "report.json").read_text(encoding="utf-8"))
        same = (
            report["k"] == made.claims.k
            and report["release"]["sha256"] == made.files[made.release.file].sha256
            and report["input"]["sha256"] == made.input.sha256
            and report["release"]["records"] == made.release.records
            and all(report["asked"].get(what) == getattr(made.claims, what) for what in ASKED)
            and report["asked"].get("k_of", {}) == made.claims.k_of
            and report["verdict"] == made.verdict
        )
    except (ValueError, KeyError, TypeError):
        same = False
    if not same:
        problems.append("the report is about something else than the certificate")
    try:
        recipe = load(place / made.recipe)
        same = (
            recipe.protect.k == made.claims.k
            and recipe.input.sha256 == made.input.sha256
            and recipe.input.path is None
            and set(recipe.roles.quasi_identifiers) == set(made.claims.quasi_identifiers)
        )
    except ShoalError:
        same = False
    if not same:
        problems.append("the recipe is of something else than the certificate")
    if not problems:
        done.append("report and recipe agree with the certificate")
    return problems
