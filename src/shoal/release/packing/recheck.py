"""`shoal certificate check`: everything that a pack says, verified again from its files."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from importlib import metadata
from pathlib import Path
from typing import Any

from shoal.errors import RequestError, ShoalError, listed, shown
from shoal.release import private as own
from shoal.release.claims import asked_beyond_k
from shoal.release.commitments import Commitments, same
from shoal.release.judge.trees import number
from shoal.release.packing.certificate import (
    DICTIONARY,
    NAME,
    README,
    SCHEMA_NAME,
    SIGNATURE,
    Certificate,
    certificate_of,
    load_certificate,
    promises,
    schema_json,
)
from shoal.release.packing.readme import readme
from shoal.release.packing.recipe import lacks
from shoal.release.packing.signing import is_signed
from shoal.release.reload import load_report
from shoal.release.verdict import MOST, SAFE
from shoal.release.verify import NAMED, Verification, class_counts, verify
from shoal.settings import COMMITTED, Settings, load, split_key
from shoal.table.hierarchy.specify import is_file
from shoal.table.read import digest_of, read

BLOCK = 1 << 20
PAPERS = "report.json", "report.html", DICTIONARY, README, SCHEMA_NAME
UNSIGNED = "it is not signed: anyone could have written this certificate"
AHEAD = timedelta(minutes=5)  # by which clocks may differ


@dataclass(frozen=True)
class Checked:
    """What a check of a pack found: `done` says what holds, `problems` what does not.

    `open` is what could not be compared, and does not make it fail; `origins` says where the roles
    of the columns are from.
    """

    ok: bool
    k: int
    files: int
    done: tuple[str, ...]
    problems: tuple[str, ...]
    open: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    def summary(self) -> str:
        """Return the verdict in words."""
        head = "the pack holds what it says" if self.ok else "NOT what the certificate says"
        lines = [f"{head}: k = {self.k}, {self.files} files"]
        lines += [f"  {line}" for line in self.done]
        lines += [f"  note: {line}" for line in self.open]
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
    original: Any = None,
    private: str | os.PathLike[str] | None = None,
    key: str | os.PathLike[str] | None = None,
) -> Checked:
    """Check a release pack: its files against their hashes, its release against its claims.

    Every field of the certificate is made again of the other files and compared, but the time when
    it was issued, which only a signature can protect. `trees` and `orders` are those by which
    t-closeness compares the values of sensitive columns, which the pack does not hold; whether
    they are the ones that were certified can be told only with `private`, the private folder of
    the pack. With it, `original` (a file, a dataframe) is proved to be what the release was made
    of, or not. `key` is the public key (PEM, Ed25519) by which the certificate must be signed.
    """
    if original is not None and private is None:
        raise RequestError("to compare the original takes the private folder of the pack")
    known = None if private is None else Commitments.load(Path(private))
    found = checked_pack(
        Path(folder), trees=trees or {}, orders=orders or {}, known=known,
        key=None if key is None else Path(key),
    )  # fmt: skip
    if private is None or known is None or not found.ok:
        return found
    made = load_certificate(Path(folder))
    problems, done = _origin(made, known, Path(private), original)
    return Checked(
        found.ok and not problems, found.k, found.files, (*found.done, *done),
        (*found.problems, *problems), found.open, found.origins,
    )  # fmt: skip


def checked_pack(
    place: Path,
    *,
    trees: Mapping[str, str],
    orders: Mapping[str, Sequence[str]],
    known: Commitments | None = None,
    key: Path | None = None,
) -> Checked:
    """Check a pack as it lies in a folder; `known` has the key of its commitments."""
    made = load_certificate(place)
    done: list[str] = []
    left: list[str] = []
    problems = [*_signature(place, key, done, left), *_files(place, made, done), *_issued(made)]
    if not problems:  # what is not the file that was certified need not be looked into
        try:
            pack = _Pack.of(place, made)
        except (
            ShoalError, ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError,
        ):  # fmt: skip
            problems.append("report, recipe or dictionary cannot be read")
        else:
            problems = pack.compared(trees, orders, known, done, left)
    if (place / NAME).read_bytes() != made.to_json().encode("utf-8"):
        problems.append(f"{NAME} is not written as certificates are")
    return Checked(
        not problems, made.claims.k, len(made.files), tuple(done), tuple(problems), tuple(left),
        _origins(made),
    )  # fmt: skip


def _origins(made: Certificate) -> tuple[str, ...]:
    """Say which roles are taken from the papers of the pack."""
    claims, where = made.claims, f"from {NAME} and the recipe {shown(made.recipe)} of the pack"
    quasi = f"quasi-identifiers {listed(claims.quasi_identifiers, NAMED)} {where}"
    hidden = f"sensitive columns {listed(claims.sensitive, NAMED)} {where}"
    return (quasi, hidden) if claims.sensitive else (quasi,)


def _signature(place: Path, key: Path | None, done: list[str], left: list[str]) -> list[str]:
    """Verify the signature, where a key is given; say what is left open, where none is."""
    path = place / SIGNATURE
    is_there = path.is_file() and not path.is_symlink()
    if key is None:
        told = "its signature was not compared: say --key PUBLIC.pem" if is_there else UNSIGNED
        left.append(told)
        return []
    if not is_there:
        return ["the certificate is not signed"]
    if not is_signed((place / NAME).read_bytes(), path.read_bytes(), key):
        return ["the signature is not that of this certificate by this key"]
    done.append("the certificate is signed by the key that was given")
    return []


def _issued(made: Certificate) -> list[str]:
    """Refuse a time that is none, or has not come yet."""
    try:
        when = datetime.fromisoformat(made.issued)
        if when.tzinfo is not None and when <= datetime.now(UTC) + AHEAD:
            return []
    except ValueError:
        pass
    return ["the time when the certificate was issued is none, or has not come yet"]


def _origin(
    made: Certificate, known: Commitments, folder: Path, original: Any
) -> tuple[list[str], list[str]]:
    """Compare a private folder and the original with the certificate: problems, and what holds."""
    recipe = load(folder / own.RECIPE)
    told = made.input.commitment
    noted = recipe.input.sha256
    if not same(known.of_input(noted) if noted else None, told):
        return ["the private folder is that of another release"], []
    done = ["the private folder is that of this pack"]
    if original is None:
        return [], done
    digest = _digest_of_original(original)
    if not same(known.of_input(digest), told):
        return ["the release was not made of this original"], done
    return [], [*done, "the release was made of this original"]


def _digest_of_original(original: Any) -> str:
    if isinstance(original, str | os.PathLike):
        return digest_of(Path(original))
    return read(original).source.sha256


def _files(place: Path, made: Certificate, done: list[str]) -> list[str]:
    """Compare every file with its hash; return what differs."""
    problems = []
    for name, entry in made.files.items():
        path = place / name
        if Path(name).name != name or path.is_symlink() or not path.is_file():
            problems.append(f"{shown(name)} is not there, or is no plain file")
        elif path.stat().st_size != entry.bytes or _digest(path) != entry.sha256:
            problems.append(f"{shown(name)} is not the file that was certified")
    extra = sorted({path.name for path in place.iterdir()} - {NAME, SIGNATURE, *made.files})
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


@dataclass(frozen=True)
class _Pack:
    """What the papers of a pack say."""

    place: Path
    made: Certificate
    report: dict[str, Any]
    recipe: Settings
    types: dict[str, str]

    @classmethod
    def of(cls, place: Path, made: Certificate) -> _Pack:
        """Read them."""
        report = json.loads((place / "report.json").read_text(encoding="utf-8"))
        text = (place / DICTIONARY).read_text(encoding="utf-8")
        lines = csv.DictReader(io.StringIO(text, newline=""))
        types = {line["column"]: line["type"] for line in lines}
        return cls(place, made, report, load(place / made.recipe), types)

    def compared(
        self,
        trees: Mapping[str, str],
        orders: Mapping[str, Sequence[str]],
        known: Commitments | None,
        done: list[str],
        left: list[str],
    ) -> list[str]:
        """Verify the release anew, and the papers against it; return what does not hold."""
        given, problems = self._given(trees, orders, known, left)
        if problems:
            return problems
        found = self._verified(given)
        if isinstance(found, str):
            return [found]
        try:
            problems = [*found.problems, *self._certificate(found), *self._papers(found)]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            problems = ["the report is about something else than the certificate"]
        if problems and self.made.versions.get("shoal") != (version := metadata.version("shoal")):
            problems.append(f"this is shoal {version}; check the pack with the version it names")
        if not problems:
            done.append(
                f"{found.records:,} records in {found.classes:,} classes, the smallest of "
                f"{found.k}: k = {self.made.claims.k} holds"
            )
            done += [f"{one.label}: {one.told}, asked {one.asked:g}" for one in found.models]
            done.append("certificate, report, recipe and README say the same")
        return problems

    def _given(
        self,
        trees: Mapping[str, str],
        orders: Mapping[str, Sequence[str]],
        known: Commitments | None,
        left: list[str],
    ) -> tuple[dict[str, Any], list[str]]:
        """Return trees and orders that verify takes: those of the recipe, and those given."""
        recipe, needs, problems = self.recipe, self.made.claims.needs, []
        asked = recipe.requirement
        by_t = [n for n in recipe.roles.sensitive if asked.asked("t", n) is not None]
        found: dict[str, Any] = {
            "hierarchies": {n: recipe.hierarchies[n] for n in by_t if n in recipe.hierarchies},
            "orders": {n: list(recipe.orders[n]) for n in by_t if n in recipe.orders},
        }
        for name in needs.get("hierarchies", ()):
            told = recipe.hierarchies.get(name, "")
            if name not in trees:
                problems.append(
                    f"t-closeness of {shown(name)} needs its hierarchy: say --hierarchy"
                )
                continue
            said = found["hierarchies"][name] = trees[name]
            if known is None:
                left.append(_uncompared("hierarchy", name))
            elif not is_file(said) or not same(
                COMMITTED + known.of_hierarchy(name, _digest(Path(said))), told
            ):
                problems.append(f"the hierarchy of {shown(name)} is not the one that was certified")
        for name in needs.get("orders", ()):
            if name not in orders:
                problems.append(f"t-closeness of {shown(name)} needs its order: say --order")
                continue
            order = found["orders"][name] = list(orders[name])
            if known is None:
                left.append(_uncompared("order", name))
            elif not same(COMMITTED + known.of_order(name, order), recipe.orders[name][0]):
                problems.append(f"the order of {shown(name)} is not the one that was certified")
        return {what: said for what, said in found.items() if said}, problems

    def _verified(self, given: Mapping[str, Any]) -> Verification | str:
        """Verify the release anew, as the certificate claims; or say why that cannot be done."""
        claims, release = self.made.claims, self.made.release
        asked = claims.model_dump(exclude={"needs", "k_of"})
        if claims.l is None and claims.t is None and claims.alpha is None:
            asked = {"k": claims.k, "quasi_identifiers": claims.quasi_identifiers}
        try:
            return verify(
                self.place / release.file,
                **asked,
                **given,
                k_of={split_key(key): k for key, k in claims.k_of.items()},
                delimiter=release.delimiter,
                kind=release.kind,
                records=release.records,
                columns=release.columns,
            )
        except ShoalError as error:
            return f"what is claimed cannot be verified: {error}"

    def _certificate(self, found: Verification) -> list[str]:
        """Make the certificate again of the other files; return the fields where it differs."""
        made = self.made
        again = certificate_of(self.report, self.recipe, self.types, found, made.files, made.issued)
        return [
            f"the certificate's {name.rstrip('_')} is not what report, recipe and release say"
            for name in type(made).model_fields
            if getattr(made, name) != getattr(again, name)
        ]

    def _papers(self, found: Verification) -> list[str]:
        """Compare report, recipe and README with each other and with the released file."""
        report, recipe, made = self.report, self.recipe, self.made
        release, problems = report["release"], []
        hidden = {*recipe.roles.identifiers, *recipe.roles.drop}
        same_ = (
            report["k"] == recipe.protect.k
            and release["sha256"] == made.files[made.release.file].sha256
            and release["order"] == made.release.order
            and (release["records"], release["columns"]) == (found.records, made.release.columns)
            and report["verification"]["k"] == found.k
            and report["asked"] == asked_beyond_k(recipe.requirement)
            and report["guarantee"] == promises(report, recipe, found.k)
            and report["input"]["commitment"] == recipe.input.commitment
            and report["verdict"] == made.verdict
        )
        if not same_:
            problems.append("the report is about something else than recipe and release")
        if recipe.input.path is not None or hidden & set(made.release.columns):
            problems.append("the recipe is of something else than the certificate")
        told, _ = load_report(self.place / "report.json")
        if told.verdict != made.verdict or (made.verdict == SAFE and self._singled_out() > MOST):
            problems.append("the verdict is not what report and release say")
        texts = {SCHEMA_NAME: schema_json(), README: readme(told, recipe, lacks(recipe))}
        for name, text in texts.items():
            if (self.place / name).read_bytes() != text.encode("utf-8"):
                problems.append(f"{name} is not what report and recipe say")
        return problems

    def _singled_out(self) -> float:
        """Return the share of records that kept columns single out in their class, at least.

        Cells of csv that are one number count as equal, whatever their kind was.
        """
        release, roles = self.made.release, self.recipe.roles
        grouped = self.made.claims.quasi_identifiers
        kept = [n for n in release.columns if n not in (*grouped, *roles.sensitive)]
        if not kept:
            return 0.0
        _, counts = class_counts(
            self.place / release.file, [*grouped, *kept], delimiter=release.delimiter,
            kind=release.kind,
        )  # fmt: skip
        plain: Counter[tuple[Any, ...]] = Counter()
        for cells, times in counts.items():
            plain[tuple(_as_number(cell) for cell in cells)] += times
        return 100.0 * sum(times == 1 for times in plain.values()) / max(plain.total(), 1)


def _as_number(cell: Any) -> Any:
    found = number(cell) if isinstance(cell, str) else None
    return cell if found is None else found


def _uncompared(what: str, name: str) -> str:
    return (
        f"whether the {what} of {shown(name)} is the one that was certified cannot be told without "
        "the private folder: say --private"
    )
