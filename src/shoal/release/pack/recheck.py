"""`check_pack`: verify everything a pack says, from its files."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from shoal.errors import Json, RequestError, ShoalError, listed, shown
from shoal.hints import Blank, Message, option, said, spoken
from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine, quoted
from shoal.judge.reading import files_of, opened
from shoal.judge.requirement import OF_COLUMNS
from shoal.judge.verdict import Verification
from shoal.judge.verify import NAMED, verify
from shoal.release.commitments import Commitments, same
from shoal.release.pack.certificate import (
    DICTIONARY,
    README,
    SCHEMA_NAME,
    Certificate,
    certificate_of,
    load_certificate,
    promises,
    schema_json,
)
from shoal.release.pack.place import NAME, SIGNATURE
from shoal.release.pack.recipe import lacks, readme
from shoal.release.pack.signing import is_signed
from shoal.report.fields import MOST, SAFE
from shoal.report.reload import load_report
from shoal.settings import COMMITTED, Settings, load, split_key
from shoal.settings.recipe import requirements_beyond_k
from shoal.storage import private_folder as own
from shoal.storage.names import is_plain_name
from shoal.table.files.opening import digest_of
from shoal.table.hierarchy.specify import is_file
from shoal.table.read import read
from shoal.version import __version__

PAPERS = "report.json", "report.html", DICTIONARY, README, SCHEMA_NAME
UNSIGNED = "it is not signed: anyone could have written this certificate"
AHEAD = timedelta(minutes=5)  # by which clocks may differ
UNREADABLE = (
    ShoalError, ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError,
)  # fmt: skip


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
        lines += [f"  note: {said(line)}" for line in self.open]
        return "\n".join([*lines, *(f"  problem: {said(line)}" for line in self.problems)])

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON."""
        plain: dict[str, Json] = spoken(asdict(self))
        return plain

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

    Every field of the certificate is computed again from the other files and compared, except the
    time of issue, which only a signature can protect.

    Parameters
    ----------
    folder : path
        The pack.
    trees, orders : mapping, optional
        Hierarchies and orders by which t-closeness compares sensitive values; the pack does not
        hold them. Whether they are the certified ones can be checked only with `private`.
    original : path or dataframe, optional
        With `private`, whether the release was made of it is proved or refuted.
    private : path, optional
        The private folder of the pack.
    key : path, optional
        The public key (PEM, Ed25519) that must have signed the certificate.

    Returns
    -------
    Checked
        Whether all holds, and what does not.
    """
    if original is not None and private is None:
        raise RequestError("to compare the original takes the private folder of the pack")
    known = None if private is None else Commitments.load(Path(private))
    checked = checked_pack(
        Path(folder), trees=trees or {}, orders=orders or {}, known=known,
        key=None if key is None else Path(key),
    )  # fmt: skip
    if private is None or known is None or not checked.ok:
        return checked
    made, recipe = load_certificate(Path(folder)), load(Path(private) / own.RECIPE)
    found = Check(Path(folder), made)
    found.origin(recipe.input.sha256, known, original)
    return replace(
        checked,
        ok=not found.problems,
        done=(*checked.done, *found.done),
        problems=tuple(found.problems),
    )


def checked_pack(
    place: Path,
    *,
    trees: Mapping[str, str],
    orders: Mapping[str, Sequence[str]],
    known: Commitments | None = None,
    key: Path | None = None,
) -> Checked:
    """Check a pack as it lies in a folder; `known` has the key of its commitments."""
    check = Check(place, load_certificate(place))
    check.signature(key)
    check.files()
    check.issued()
    if not check.problems:  # what is not the file that was certified need not be looked into
        check.papers(trees, orders, known)
    made = check.made
    if (place / NAME).read_bytes() != made.to_json().encode("utf-8"):
        check.problems.append(f"{NAME} is not written as certificates are")
    where = f"from {NAME} and the recipe {shown(made.recipe)} of the pack"
    columns = {
        "quasi-identifiers": made.claims.quasi_identifiers,
        "sensitive columns": made.claims.sensitive,
    }
    origins = (f"{what} {listed(own, NAMED)} {where}" for what, own in columns.items() if own)
    return Checked(
        not check.problems, made.claims.k, len(made.files), tuple(check.done),
        tuple(map(Message, check.problems)), tuple(map(Message, check.left)), tuple(origins),
    )  # fmt: skip


@dataclass(frozen=True)
class Check:
    """A check of a pack: what holds is `done`, what could not be compared is `left`."""

    place: Path
    made: Certificate
    done: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)

    def signature(self, key: Path | None) -> None:
        """Verify the signature, where a key is given; say what is left open, where none is."""
        path = self.place / SIGNATURE
        is_there = path.is_file() and not path.is_symlink()
        if key is None:
            uncompared = f"its signature was not compared: say {option('key', Blank('PUBLIC.pem'))}"
            self.left.append(uncompared if is_there else UNSIGNED)
        elif not is_there:
            self.problems.append("the certificate is not signed")
        elif not is_signed((self.place / NAME).read_bytes(), path.read_bytes(), key):
            self.problems.append("the signature is not that of this certificate by this key")
        else:
            self.done.append("the certificate is signed by the key that was given")

    def files(self) -> None:
        """Compare every file with its hash."""
        problems, made = [], self.made
        for name, entry in made.files.items():
            path = self.place / name
            if not is_plain_name(name) or path.is_symlink() or not path.is_file():
                problems.append(f"{shown(name)} is not there, or is no plain file")
            elif path.stat().st_size != entry.bytes or digest_of(path) != entry.sha256:
                problems.append(f"{shown(name)} is not the file that was certified")
        extra = sorted({one.name for one in self.place.iterdir()} - {NAME, SIGNATURE, *made.files})
        if extra:
            problems.append(f"the certificate says nothing of {listed(extra)}")
        for name in (made.release.file, made.recipe, *PAPERS):
            if name not in made.files:
                problems.append(f"the certificate does not cover {shown(name)}")
        self.problems.extend(problems)
        if not problems:
            self.done.append(
                f"{len(made.files)} files are the ones that were certified, to the byte"
            )

    def issued(self) -> None:
        """Refuse a time that is none, or has not come yet."""
        try:
            when = datetime.fromisoformat(self.made.issued)
        except ValueError:
            when = datetime.max
        if when.tzinfo is None or when > datetime.now(UTC) + AHEAD:
            self.problems.append(
                "the time when the certificate was issued is none, or has not come yet"
            )

    def origin(self, noted: str | None, known: Commitments, original: Any) -> None:
        """Compare the hash in a private folder, and the original, with the certificate."""
        commitment = self.made.input.commitment
        if not same(known.of_file("input", noted) if noted else None, commitment):
            self.problems.append("the private folder is that of another release")
            return
        self.done.append("the private folder is that of this pack")
        if original is None:
            return
        is_path = isinstance(original, str | os.PathLike)
        digest = digest_of(Path(original)) if is_path else read(original).source.sha256
        if same(known.of_file("input", digest), commitment):
            self.done.append("the release was made of this original")
        else:
            self.problems.append("the release was not made of this original")

    def papers(
        self,
        trees: Mapping[str, str],
        orders: Mapping[str, Sequence[str]],
        known: Commitments | None,
    ) -> None:
        """Verify the release anew, and the papers against it and each other."""
        made = self.made
        try:
            report = json.loads((self.place / "report.json").read_text(encoding="utf-8"))
            text = (self.place / DICTIONARY).read_text(encoding="utf-8")
            lines = csv.DictReader(io.StringIO(text, newline=""))
            types = {line["column"]: line["type"] for line in lines}
            recipe = load(self.place / made.recipe)
        except UNREADABLE:
            self.problems.append("report, recipe or dictionary cannot be read")
            return
        given = self._given(recipe, trees, orders, known)
        if self.problems:
            return
        try:
            verification = self._verified(given)
        except ShoalError as error:
            self.problems.append(f"what is claimed cannot be verified: {error.marked}")
            return
        try:
            again = certificate_of(report, recipe, types, verification, made.files, made.issued)
            fields = type(made).model_fields
            differ = [n.rstrip("_") for n in fields if getattr(made, n) != getattr(again, n)]
            problems = [
                *verification.problems,
                *(
                    f"the certificate's {name} is not what report, recipe and release say"
                    for name in differ
                ),
                *self._compared(report, recipe, verification),
            ]
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            problems = ["the report is about something else than the certificate"]
        self.problems.extend(problems)
        if problems:
            if made.versions.get("shoal") != __version__:
                self.problems.append(
                    f"this is shoal {__version__}; check the pack with the version it names"
                )
            return
        self.done.append(
            f"{verification.records:,} records in {verification.classes:,} classes, the "
            f"smallest of {verification.k}: k = {made.claims.k} holds"
        )
        self.done.extend(
            f"{one.label}: {one.figure(one.found)}, asked {one.asked:g}"
            for one in verification.models
        )
        self.done.append("certificate, report, recipe and README say the same")

    def _given(
        self,
        recipe: Settings,
        trees: Mapping[str, str],
        orders: Mapping[str, Sequence[str]],
        known: Commitments | None,
    ) -> dict[str, dict[str, Any]]:
        """Return trees and orders that verify takes: those of the recipe, and those given."""
        kinds = (
            ("hierarchies", "hierarchy", trees, option("hierarchies", python="trees")),
            ("orders", "order", orders, option("orders")),
        )
        threshold = recipe.requirement.threshold
        by_t = [name for name in recipe.roles.sensitive if threshold("t", name) is not None]
        given: dict[str, dict[str, Any]] = {}
        for what, noun, others, say in kinds:
            known_rules = getattr(recipe, what)
            rules = {name: known_rules[name] for name in by_t if name in known_rules}
            for name in self.made.claims.needs.get(what, ()):
                if name not in others:
                    self.problems.append(
                        f"t-closeness of {shown(name)} needs its {noun}: say {say}"
                    )
                    continue
                rules[name] = others[name]
                if known is None:
                    self.left.append(
                        f"whether the {noun} of {shown(name)} is the one that was certified cannot "
                        f"be told without the private folder: say {option('private')}"
                    )
                elif not _is_certified(known, name, others[name], known_rules.get(name, "")):
                    self.problems.append(
                        f"the {noun} of {shown(name)} is not the one that was certified"
                    )
            if rules:
                given[what] = {
                    name: rule if isinstance(rule, str) else list(rule)
                    for name, rule in rules.items()
                }
        return given

    def _verified(self, given: Mapping[str, Any]) -> Verification:
        """Verify the release against the claims of the certificate."""
        claims, release = self.made.claims, self.made.release
        arguments = claims.model_dump(exclude={"needs", "k_of"})
        arguments["l_of"] = {split_key(key): least for key, least in claims.l_of.items()}
        if not claims.l_of and all(getattr(claims, what) is None for what in OF_COLUMNS):
            arguments = {"k": claims.k, "quasi_identifiers": claims.quasi_identifiers}
        return verify(
            self.place / release.file,
            **arguments,
            **given,
            k_of={split_key(key): k for key, k in claims.k_of.items()},
            **release.text,
            kind=release.kind,
            records=release.records,
            columns=release.columns,
            keep=release.columns,
        )

    def _compared(
        self, report: Mapping[str, Any], recipe: Settings, verification: Verification
    ) -> list[str]:
        """Compare report, recipe and README with each other and with the released file."""
        made, release, problems = self.made, report["release"], []
        hidden = {*recipe.roles.identifiers, *recipe.roles.drop}
        same_ = (
            report["k"] == recipe.protect.k
            and release["sha256"] == made.files[made.release.file].sha256
            and release["order"] == made.release.order
            and (release["records"], release["columns"])
            == (verification.records, made.release.columns)
            and report["verification"]["k"] == verification.k
            and report["asked"] == requirements_beyond_k(recipe.requirement)
            and report["guarantee"] == promises(report, recipe, verification.k)
            and report["input"]["commitment"] == recipe.input.commitment
            and report["verdict"] == made.verdict
        )
        if not same_:
            problems.append("the report is about something else than recipe and release")
        if recipe.input.path is not None or hidden & set(made.release.columns):
            problems.append("the recipe is of something else than the certificate")
        own_report, _ = load_report(self.place / "report.json")
        if own_report.verdict != made.verdict or (
            made.verdict == SAFE and self._singled_out(recipe) > MOST
        ):
            problems.append("the verdict is not what report and release say")
        texts = {SCHEMA_NAME: schema_json(), README: readme(own_report, recipe, lacks(recipe))}
        for name, text in texts.items():
            if (self.place / name).read_bytes() != text.encode("utf-8"):
                problems.append(f"{name} is not what report and recipe say")
        return problems

    def _singled_out(self, recipe: Settings) -> float:
        """Return the share of records that kept columns single out in their class, at least.

        Cells of csv that are one number count as equal, whatever their kind was.
        """
        release, roles = self.made.release, recipe.roles
        grouped = self.made.claims.quasi_identifiers
        kept = [n for n in release.columns if n not in (*grouped, *roles.sensitive)]
        if not kept:
            return 0.0
        path = self.place / release.file
        with Engine(files_of(path, release.kind)) as engine:
            source = opened(engine, path, release.kind, Written(**release.text))
            cells = [quoted(name) for name in (*grouped, *kept)]
            if source.as_text:
                cells = [f"coalesce(TRY_CAST({one} AS DOUBLE)::VARCHAR, {one})" for one in cells]
            alone, every = engine.rows(
                "SELECT count(*) FILTER (n = 1), coalesce(sum(n), 0) FROM ("
                f"SELECT count(*) AS n FROM {source.table} GROUP BY {', '.join(cells)})"
            )[0]
        return 100.0 * int(alone) / max(int(every), 1)


def _is_certified(
    known: Commitments, name: str, rule: str | Sequence[str], noted: str | Sequence[str]
) -> bool:
    """Tell whether a file of a hierarchy, or an order, is what a recipe commits to."""
    if not isinstance(rule, str):
        return same(COMMITTED + known.of_values("order", rule, name), noted[0])
    if not is_file(rule):
        return False
    return same(COMMITTED + known.of_file("hierarchy", digest_of(Path(rule)), name), str(noted))
