"""A series of releases, judged with its ledger: every person, over all releases that she is in.

The attacker has all releases, and knows in which class of each a person is. He can rule out a value
only if no other assignment of values to people makes the same releases. The judge proves that there
are others (`series_proof.py`), from what the ledger says of people after it has compared this with
the files. Then it counts: the values that all classes of a person have in common, and the records
that kept columns leave for her.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError, listed, shown
from shoal.judge.declared import beside
from shoal.judge.readers.reading import opened
from shoal.judge.readers.source import Source
from shoal.judge.readers.written import Written
from shoal.judge.series_proof import of_promise, promised
from shoal.judge.series_verdict import SeriesVerification
from shoal.judge.spelling import plain_value

DIGITS = 16  # of the number of a value
Tree = Mapping[str, Any]
TOGETHER = " + "  # between the names of kept columns that are joined by together


def verify_series(files: Sequence[Any], ledger: Any) -> SeriesVerification:
    """Judge releases together, exactly for the people in their ledger.

    Parameters
    ----------
    files : sequence of paths
        The releases, in any order; each must be in the ledger.
    ledger : path
        The ledger; its key lies beside it.

    Returns
    -------
    SeriesVerification
        `ok`, how many values and candidates are left for the person with the fewest, and problems.

    Raises
    ------
    InputError
        The ledger, its key or a release cannot be read, or the ledger was changed.
    RequestError
        No release is given.

    References
    ----------
    X. Xiao and Y. Tao, m-Invariance: towards privacy preserving re-publication of dynamic datasets,
    SIGMOD 2007.
    """
    if not files:
        raise RequestError("name at least one release of the series")
    book = Kept.read(Path(ledger))
    problems: list[str] = []
    seen: dict[int, Seen] = {}
    for file in files:
        path = Path(file)
        entry = book.of_hash(_sha256(path))
        if entry is None:
            problems.append(f"{path.name}: no release of the ledger has this content")
            continue
        if entry["number"] in seen:
            problems.append(f"{path.name}: release {entry['number']} is given twice")
            continue
        own = see(path, None, entry, book.secret)
        problems += of_entry(own, entry)
        seen[entry["number"]] = own
    proof = of_promise(book.releases)
    problems += proof.problems()
    judged = [one for one in book.releases if one["number"] in seen]
    left = follow(judged, seen)
    absent = [one["number"] for one in book.releases if one["number"] not in seen]
    problems += left.problems()
    return SeriesVerification(
        not problems, len(judged), left.people, left.repeated, proof.fewest, left.smallest,
        tuple(problems), tuple(absent), len(book.releases), promised(book.releases),
        sum(len(one["roll"].get("counterfeits", ())) for one in judged),
    )  # fmt: skip


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read: {error.strerror}") from None


@dataclass(frozen=True)
class Left:
    """What is left for people over their releases: values, and records that kept columns join."""

    people: int
    repeated: int  # people who are in several releases
    smallest: int | None
    below_l: int
    below_k: int

    def problems(self) -> list[str]:
        """Return what is wrong, in counts."""
        found = []
        if self.below_l:
            found.append(f"the classes of {self.below_l} people share fewer than l values")
        if self.below_k:
            found.append(
                f"kept columns leave {self.below_k} people fewer than k records or l values"
            )
        return found


def follow(entries: Sequence[Tree], seen: Mapping[int, Seen]) -> Left:
    """Follow every person through her releases."""
    classes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    promises = {entry["number"]: entry["promise"] for entry in entries}
    for entry in entries:
        roll = entry["roll"]
        nobody = set(roll.get("counterfeits", ()))
        for person, number in zip(roll["people"], roll["classes"], strict=True):
            if person not in nobody and number < len(seen[entry["number"]].values):
                classes[person].append((entry["number"], number))
    smallest, below_l, below_k = [], 0, 0
    several = [places for places in classes.values() if len(places) > 1]
    for places in classes.values():
        asked = [promises[release]["l"] for release, _ in places if promises[release]["l"]]
        if not asked:
            continue
        sets = [set(seen[release].values[number]) for release, number in places]
        below_l += len(set.intersection(*sets)) < max(asked)
    for places in several:
        joined = _joined(places, seen, promises)
        if joined is not None:
            smallest.append(joined[0])
            below_k += joined[1]
    return Left(len(classes), len(several), min(smallest, default=None), below_l, below_k)


def _joined(
    places: Sequence[tuple[int, int]], seen: Mapping[int, Seen], promises: Mapping[int, Tree]
) -> tuple[int, bool] | None:
    """Return the fewest records of her last class that kept columns leave, and if they are too few.

    None where no kept column joins anything: a column that changed does not.
    """
    release, number = places[-1]
    k, least = promises[release]["k"], promises[release]["l"] or 0
    fewest, below = None, False
    for name, classes in seen[release].records.items():
        earlier = [
            {own for own, _ in seen[before].records[name][place]}
            for before, place in places[:-1]
            if name in seen[before].records
        ]
        if not earlier:
            continue
        common = set.intersection(*earlier)
        left = [value for own, value in classes[number] if own in common]
        if left:
            fewest = len(left) if fewest is None else min(fewest, len(left))
            below = below or len(left) < k or len(set(left)) < least
    return None if fewest is None else (fewest, below)


@dataclass(frozen=True)
class Seen:
    """A release as its file shows it: the values and kept values of every class, by number.

    The kept values are those of people, without counterfeits.
    """

    values: list[Counter[str]]
    records: dict[str, list[list[tuple[str, str]]]]  # kept column, class: kept value, value

    @property
    def sizes(self) -> list[int]:
        """The records of every class."""
        return [sum(one.values()) for one in self.values]


def see(
    path: Path, kind: str | None, entry: Tree, secret: bytes, written: Written | None = None
) -> Seen:
    """Read a release as its entry says: classes in the order in which they first appear.

    How a csv file is written is `written`, or what a report beside it says.
    """
    promise = entry["promise"]
    quasi, kept, hidden = promise["quasi_identifiers"], promise["kept"], promise["sensitive"]
    if written is None:
        papers = beside(path)
        written = Written() if papers is None else Written(**papers.text)
    joined = [[name] for name in kept] + ([list(kept)] if len(kept) > 1 else [])
    classes: dict[Any, int] = {}
    values: list[Counter[str]] = []
    records: dict[str, list[list[tuple[str, str]]]] = {TOGETHER.join(one): [] for one in joined}
    with opened(path, kind, written) as source:
        wanted = [*quasi, *kept, *([hidden] if hidden else [])]
        _check_columns(source, wanted)
        for row in source.keys(wanted):
            number = classes.setdefault(row[: len(quasi)], len(classes))
            if number == len(values):
                values.append(Counter())
                for every in records.values():
                    every.append([])
            cells = dict(zip(wanted, row, strict=True))
            value = ""
            if hidden:
                value = value_number(secret, hidden, _plain(cells[hidden], source.as_bytes))
            values[number][value] += 1
            for names in joined:
                own = "\0".join(_plain(cells[name], source.as_bytes) for name in names)
                records[TOGETHER.join(names)][number].append((own, value))
    _take_out(records, entry, secret)
    return Seen(values, records)


def _take_out(
    records: Mapping[str, list[list[tuple[str, str]]]], entry: Tree, secret: bytes
) -> None:
    """Take the counterfeits out of the records that kept columns could join: they are nobody's."""
    roll = entry["roll"]
    nobody = set(roll.get("counterfeits", ()))
    if not nobody:
        return
    for name, classes in records.items():
        false: dict[int, Counter[tuple[str, str]]] = defaultdict(Counter)
        for person, number, value, own in zip(
            roll["people"], roll["classes"], roll["values"], roll["joined"][name], strict=True
        ):
            if person in nobody and number < len(classes):
                false[number][own, value] += 1
        for number, counts in false.items():
            left = []
            for own, value in classes[number]:
                key = (value_number(secret, name, own), value)
                if counts[key]:
                    counts[key] -= 1
                else:
                    left.append((own, value))
            classes[number] = left


def of_entry(seen: Seen, entry: Tree) -> list[str]:
    """Return what is wrong with one release and its entry: classes, their values, and k."""
    promise, roll, what = entry["promise"], entry["roll"], f"release {entry['number']}"
    people = Counter(roll["classes"])
    if [people[number] for number in range(len(seen.values))] != seen.sizes:
        return [f"{what}: the classes of the file are not those of the ledger"]
    problems = []
    nobody = set(roll.get("counterfeits", ()))
    owners = zip(roll["people"], roll["classes"], strict=True)
    real = Counter(number for person, number in owners if person not in nobody)
    small = sum(1 for number in people if real[number] < promise["k"])
    if small:
        problems.append(f"{what}: {small} classes have fewer than k = {promise['k']} people")
    if len(roll["people"]) - sum(real.values()) != len(nobody):
        problems.append(f"{what}: the counterfeits are not those of the ledger")
    if promise["l"] is None:
        return problems
    meant: dict[int, Counter[str]] = defaultdict(Counter)
    for number, value in zip(roll["classes"], roll["values"], strict=True):
        meant[number][value] += 1
    other = sum(1 for number, values in enumerate(seen.values) if meant[number] != values)
    if other:
        problems.append(f"{what}: {other} classes have other values than the ledger has")
    return problems


def _plain(cell: Any, as_bytes: bool) -> str:
    """Return a cell as one text for all its spellings."""
    if as_bytes and isinstance(cell, str):
        cell = cell.encode("latin-1").decode("utf-8", "surrogateescape")
    plain = plain_value(cell, ())
    if plain is None:
        return ""
    return f"{plain.normalize():f}" if isinstance(plain, Decimal) else str(plain)


def _check_columns(source: Source, wanted: Sequence[str]) -> None:
    lacking = [name for name in wanted if name not in source.header]
    if lacking:
        raise InputError(f"{source.name}: it lacks {listed(lacking)}, which the ledger names")


@dataclass(frozen=True)
class Kept:
    """The releases of a ledger that were not withdrawn, and the secret of its key."""

    releases: list[Mapping[str, Any]] = field(repr=False)
    secret: bytes = field(repr=False)

    @classmethod
    def read(cls, path: Path) -> Kept:
        """Read a ledger and the key beside it."""
        secret = _secret(path.with_name(f"{path.name}.key"))
        try:
            lines = path.read_text("utf-8").splitlines()
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{shown(path)}: the ledger cannot be read") from None
        before, trees = "", []
        for number, line in enumerate(lines, 1):
            body, _, code = line.rpartition(" ")
            own = _mac(secret, f"line\0{before}\0{body}")
            if not hmac.compare_digest(own.encode(), code.encode()):
                raise InputError(
                    f"{shown(path)}, line {number}: its message code is wrong; the ledger was "
                    "changed, or the key is another's"
                )
            before = code
            trees.append(json.loads(body))
        gone = {tree["release"] for tree in trees if tree.get("kind") == "withdrawal"}
        every = [tree for tree in trees if tree.get("kind") == "release"]
        return cls([one for one in every if one["number"] not in gone], secret)

    def of_hash(self, sha256: str) -> Mapping[str, Any] | None:
        """Return the release whose file has this content."""
        for entry in self.releases:
            if entry["sha256"] == sha256:
                return entry
        return None


def value_number(secret: bytes, column: str, text: str) -> str:
    """Return the number of a value in the ledger."""
    return _mac(secret, f"value\0{column}\0{text}")[:DIGITS]


def _secret(path: Path) -> bytes:
    try:
        text = path.read_text("ascii")
        return bytes.fromhex(text.rpartition(":")[2].strip())
    except FileNotFoundError:
        raise InputError(f"{shown(path)}: the key of the ledger is not there") from None
    except (OSError, ValueError):
        raise InputError(f"{shown(path)}: this is no key of a ledger") from None


def _mac(secret: bytes, message: str) -> str:
    whole = message.encode("utf-8", "surrogateescape")
    return hmac.new(secret, whole, hashlib.sha256).hexdigest()
