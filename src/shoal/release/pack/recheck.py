"""`check_pack`: verify everything a pack says, from its files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from shoal.errors import Json, RequestError, ShoalError, listed, shown
from shoal.hints import Blank, Message, option, said, spoken
from shoal.judge.verify import NAMED
from shoal.release.commitments import Commitments, same
from shoal.release.pack.certificate import (
    DICTIONARY,
    README,
    SCHEMA_NAME,
    Certificate,
    load_certificate,
)
from shoal.release.pack.consistency import Papers
from shoal.release.pack.place import NAME, SIGNATURE
from shoal.release.pack.signing import is_signed
from shoal.settings import load
from shoal.storage import private_folder as own
from shoal.storage.names import is_plain_name
from shoal.table.files.opening import digest_of
from shoal.table.read import read

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
    made = load_certificate(Path(folder))
    problems, done = _origin(made, known, Path(private), original)
    return Checked(
        checked.ok and not problems, checked.k, checked.files, (*checked.done, *done),
        (*checked.problems, *problems), checked.open, checked.origins,
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
            pack = Papers.of(place, made)
        except (
            ShoalError, ValueError, KeyError, TypeError, AttributeError, OSError, RecursionError,
        ):  # fmt: skip
            problems.append("report, recipe or dictionary cannot be read")
        else:
            problems = pack.compared(trees, orders, known, done, left)
    if (place / NAME).read_bytes() != made.to_json().encode("utf-8"):
        problems.append(f"{NAME} is not written as certificates are")
    return Checked(
        not problems, made.claims.k, len(made.files), tuple(done),
        tuple(map(Message, problems)), tuple(map(Message, left)),
        _origins(made),
    )  # fmt: skip


def _origins(made: Certificate) -> tuple[str, ...]:
    """Return in words which roles are taken from the papers of the pack."""
    claims, where = made.claims, f"from {NAME} and the recipe {shown(made.recipe)} of the pack"
    quasi = f"quasi-identifiers {listed(claims.quasi_identifiers, NAMED)} {where}"
    hidden = f"sensitive columns {listed(claims.sensitive, NAMED)} {where}"
    return (quasi, hidden) if claims.sensitive else (quasi,)


def _signature(place: Path, key: Path | None, done: list[str], left: list[str]) -> list[str]:
    """Verify the signature, where a key is given; say what is left open, where none is."""
    path = place / SIGNATURE
    is_there = path.is_file() and not path.is_symlink()
    if key is None:
        uncompared = f"its signature was not compared: say {option('key', Blank('PUBLIC.pem'))}"
        left.append(uncompared if is_there else UNSIGNED)
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
    commitment = made.input.commitment
    noted = recipe.input.sha256
    if not same(known.of_input(noted) if noted else None, commitment):
        return ["the private folder is that of another release"], []
    done = ["the private folder is that of this pack"]
    if original is None:
        return [], done
    digest = _digest_of_original(original)
    if not same(known.of_input(digest), commitment):
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
        if not is_plain_name(name) or path.is_symlink() or not path.is_file():
            problems.append(f"{shown(name)} is not there, or is no plain file")
        elif path.stat().st_size != entry.bytes or digest_of(path) != entry.sha256:
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
