"""The ledger of a series of releases: who was in which class, so that the next one is safe.

**Against whom.** The attacker has all releases, knows everyone's quasi-identifiers at each date and
who is in each release, but not the columns that are kept. Records of two releases can be joined
only by kept columns.

**What is promised.** k holds in each release. l of a constant sensitive column holds over the
series: each person has a *signature*, at least l values with her own among them, that she keeps
for good, and in every class the people of one signature have each of its values equally often
(m-invariance: Xiao and Tao, SIGMOD 2007). Permuting the values of all people of a signature at once
changes no release, so no value of it can be ruled out. Where kept columns would join the records
of a person below k, or to fewer than l values, her class is withheld. Of columns that change, l
holds in each release and does not compose. What was published cannot be made safer afterwards.

**The file.** One line a fact, in order: releases, withdrawals, people who left. It is only ever
appended to (leaving replaces a person's number by a random one, and notes that). Each line has a
message code (HMAC-SHA256) of itself and of the code before it, so that no line can be changed, put
in or taken out without the key, but for the last ones: a shorter ledger is an older ledger, which
is why every private report notes how many lines there were. People and values are keyed hashes; the
key lies in a second file, for its owner alone (0600). Both are as confidential as the original:
whoever has the key can try names. An entry gets its place before the release gets its name, under
the ledger's lock and with a journal beside it: what a run that is killed in between leaves is taken
back by the next one (`journal.py`).
"""

from __future__ import annotations

import contextlib
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, cast

from pydantic import TypeAdapter

from shoal.errors import InputError, OutputError, RequestError, shown
from shoal.series.journal import journal_path, settle
from shoal.series.key import Key, key_path
from shoal.storage import system
from shoal.storage.staging import Staging


@dataclass(frozen=True, repr=False)
class Scale:
    """Mean, standard deviation and width (greatest less least, and a step) of a column."""

    mean: float
    deviation: float
    width: float


@dataclass(frozen=True, repr=False)
class Tree:
    """A hierarchy as it was asked for and as it was used, and the hash of its file.

    Both are empty where a column had none. Intervals by quantiles are used as their cuts.
    """

    asked: str = ""
    used: str = ""
    sha256: str = ""


@dataclass(frozen=True, repr=False)
class Frame:
    """The scales of numbers and dates, and the hierarchies of all quasi-identifiers.

    `means` are those that the public report tells, and the steps of their rounding, by column.
    """

    scales: Mapping[str, Scale] = field(default_factory=dict)
    trees: Mapping[str, Tree] = field(default_factory=dict)
    means: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Promise:
    """What a release promises: k, and l of a constant sensitive column.

    Classes are by `quasi_identifiers`; `kept` are the columns that are released as they are.
    `over_series` says what l means over the series: sets or worlds.
    """

    k: int
    l: int | None  # noqa: E741 - its name in the literature
    sensitive: str | None
    quasi_identifiers: tuple[str, ...]
    kept: tuple[str, ...] = ()
    over_series: str = "worlds"


@dataclass(frozen=True, repr=False)
class Roll:
    """The people of a release, by number: class, value, signature and kept values of each.

    Classes are numbered as they first appear in the file. `values` are the numbers of sensitive
    values, and `signature` has the place of each person's among the `signatures`, -1 for who has
    none; both are empty where no l is promised. `bound` has people of earlier releases who are not
    in this one, and have a signature since. `joined` has the numbers of kept values, by column.
    `counterfeits` are those of the people who are nobody, under random numbers.
    """

    people: tuple[str, ...] = ()
    classes: tuple[int, ...] = ()
    values: tuple[str, ...] = ()
    signature: tuple[int, ...] = ()
    signatures: tuple[tuple[str, ...], ...] = ()
    bound: Mapping[str, int] = field(default_factory=dict)
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counterfeits: tuple[str, ...] = ()


@dataclass(frozen=True)
class Release:
    """A release: its file, what it promises, and who is in it.

    `made` tells that it was made under the ledger, with all that was before; else it was added
    later. `withheld` people were left out. The `frame` is what a stable next release keeps.
    """

    number: int
    file: str
    sha256: str
    promise: Promise
    roll: Roll
    made: bool = True
    withheld: int = 0
    frame: Frame | None = None
    kind: Literal["release"] = "release"


@dataclass(frozen=True)
class Withdrawal:
    """A release that was made and not published: it no longer counts."""

    release: int
    kind: Literal["withdrawal"] = "withdrawal"


@dataclass(frozen=True, repr=False)
class Leaving:
    """People who left: they are in no later release."""

    people: tuple[str, ...]
    kind: Literal["leaving"] = "leaving"


Entry = Release | Withdrawal | Leaving
ENTRY: TypeAdapter[Entry] = TypeAdapter(Entry)
FRAME: TypeAdapter[Frame] = TypeAdapter(Frame)
FORM = "shoal ledger 1"
HEAD = {"form": FORM, "note": "private: as confidential as the original records"}
LOCK = ".lock"


def to_tree(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON holds it."""
    return cast(dict[str, Any], ENTRY.dump_python(entry, mode="json"))


@dataclass(frozen=True)
class Ledger:
    """Entries in order, with the key of their codes; `last` is the code of the last line.

    The file ends at `size`; `more` lines are not written yet. Whoever releases nobody twice reads a
    ledger without the people of its releases, however long it is.
    """

    path: Path
    key: Key
    entries: tuple[Entry, ...] = ()
    last: str = ""
    size: int = 0
    more: bytes = b""

    def __repr__(self) -> str:
        return f"<Ledger of {len(self.releases)} releases>"

    @classmethod
    def new(cls, path: Path, key: Key | None = None) -> Ledger:
        """Return an empty ledger, which is not written yet."""
        empty = cls(path, key or Key.new())
        return empty._with_line(empty._coded(json.dumps(HEAD)))

    @classmethod
    def load(cls, path: Path, people: bool = True, torn: bytes = b"") -> Ledger:
        """Read a ledger, with the people of its releases or without; each line must have its code.

        `torn` is a line that may be there in part, as the last one: it is left out.
        """
        settled(path)
        if not path.exists():
            raise InputError(f"{shown(path)}: there is no such ledger")
        book, number = cls(path, Key.load(path)), 0
        for number, (line, body, code) in enumerate(_lines(path), 1):
            if not hmac.compare_digest(book.key.code(book.last, body), code):
                if torn.startswith(line) and book.size + len(line) == path.stat().st_size:
                    break
                raise InputError(
                    f"{shown(path)}, line {number}: its message code is wrong; the ledger was "
                    "changed, or the key is another's; take the last copy that `check` accepts"
                )
            if number == 1 and json.loads(body).get("form") != FORM:
                raise InputError(f"{shown(path)}: a ledger of another version of shoal")
            entry = ENTRY.validate_python(json.loads(body)) if number > 1 else None
            book = book._after(line, code, entry, people)
        if not number:
            raise InputError(f"{shown(path)}: the ledger is empty")
        return book

    @classmethod
    def open(cls, path: Path) -> Ledger:
        """Return the ledger of a path, a new one where there is none yet."""
        settled(path)
        if path.exists():
            return cls.load(path)
        if key_path(path).exists():
            raise InputError(
                f"{shown(path)}: there is a key, and no ledger; bring the ledger back, or remove "
                "the key to begin anew"
            )
        return cls.new(path)

    @property
    def releases(self) -> tuple[Release, ...]:
        """The releases that count: those that were not withdrawn."""
        gone = {one.release for one in self.entries if isinstance(one, Withdrawal)}
        every = [one for one in self.entries if isinstance(one, Release)]
        return tuple(one for one in every if one.number not in gone)

    @property
    def left(self) -> frozenset[str]:
        """The people who left."""
        every = [one.people for one in self.entries if isinstance(one, Leaving)]
        return frozenset(person for people in every for person in people)

    @property
    def next_number(self) -> int:
        """The number of the next release."""
        return 1 + max((one.number for one in self.entries if isinstance(one, Release)), default=0)

    @property
    def is_as_it_was(self) -> bool:
        """Whether the file still ends where it did, with the same code; or is still to be made."""
        if not self.path.exists():
            return not self.size
        with self.path.open("rb") as file:
            if not self.size or file.seek(0, os.SEEK_END) != self.size:
                return False
            file.seek(self.size - len(self.last) - 1)
            return file.read() == f"{self.last}\n".encode()

    def people(self) -> Iterator[tuple[str, ...]]:
        """Yield the people of every release that counts, as the file has them."""
        counts = {one.number for one in self.releases}
        for number, (_, body, _) in enumerate(_lines(self.path)):
            entry = ENTRY.validate_python(json.loads(body)) if number else None
            if isinstance(entry, Release) and entry.number in counts:
                yield entry.roll.people

    def line(self, entry: Entry) -> bytes:
        """Return the next line, with its code."""
        return self._coded(json.dumps(to_tree(entry), separators=(",", ":")))

    def with_entry(self, entry: Entry) -> Ledger:
        """Return the ledger with one more entry, which is not written yet."""
        return replace(self._with_line(self.line(entry)), entries=(*self.entries, entry))

    def without(self, people: Sequence[str]) -> Ledger:
        """Return the ledger with some people under random numbers, and a note that they left."""
        numbers = {one: secrets.token_hex(len(one) // 2) for one in people}
        made = Ledger.new(self.path, self.key)
        for entry in self.entries:
            if isinstance(entry, Release):
                roll = replace(
                    entry.roll,
                    people=tuple(numbers.get(one, one) for one in entry.roll.people),
                    bound={numbers.get(one, one): n for one, n in entry.roll.bound.items()},
                )
                made = made.with_entry(replace(entry, roll=roll))
            else:
                made = made.with_entry(entry)
        return made.with_entry(Leaving(tuple(people)))

    def withdrawn(self, number: int) -> Ledger:
        """Return the ledger after a release was withdrawn."""
        if number not in [one.number for one in self.releases]:
            known = ", ".join(str(one.number) for one in self.releases) or "none"
            raise RequestError(
                f"{shown(self.path)}: there is no release {number}; there are: {known}"
            )
        return self.with_entry(Withdrawal(number))

    def add_to(self, staging: Staging) -> None:
        """Write the ledger with other files, and its key where it is new."""
        if not key_path(self.path).exists():
            staging.add(key_path(self.path), self.key.to_bytes(), private=True)
        before = self.path.read_bytes()[: self.size] if self.size else b""
        staging.add(self.path, before + self.more, private=True, replaces=True)

    def write(self) -> None:
        """Write the ledger alone."""
        with Staging(force=False) as staging:
            self.add_to(staging)
            staging.commit()

    def append(self, entry: Entry) -> Ledger:
        """Append an entry to the file; what was torn there goes. Its people are not kept."""
        line = self.line(entry)
        self.cut(line)
        return self._after(line, _parts(line)[1], entry, people=False)

    def cut(self, line: bytes = b"") -> None:
        """Take off what stands after the end, put a line there, and bring it to the disk."""
        try:
            with self.path.open("r+b") as file:
                file.truncate(self.size)
                file.seek(self.size)
                file.write(line)
                file.flush()
                system.sync(file.fileno())
        except OSError as error:
            raise OutputError(f"{shown(self.path)}: cannot be written: {error.strerror}") from None

    def _after(self, line: bytes, code: str, entry: Entry | None, people: bool) -> Ledger:
        """Return the ledger with a line that is in the file."""
        if isinstance(entry, Release) and not people:
            entry = replace(entry, roll=Roll(), frame=None)
        entries = self.entries if entry is None else (*self.entries, entry)
        return replace(self, entries=entries, last=code, size=self.size + len(line))

    def _coded(self, body: str) -> bytes:
        return f"{body} {self.key.code(self.last, body)}\n".encode()

    def _with_line(self, line: bytes) -> Ledger:
        return replace(self, more=self.more + line, last=_parts(line)[1])


def _parts(line: bytes) -> tuple[str, str]:
    """Return the body and the code of a line; a line that does not end has no code."""
    body, _, code = line.decode("ascii", "replace").rstrip("\n").rpartition(" ")
    return body, code if line.endswith(b"\n") and code.isascii() else ""


def _lines(path: Path) -> Iterator[tuple[bytes, str, str]]:
    """Yield every line, and its body and code."""
    try:
        with path.open("rb") as file:
            for line in file:
                yield line, *_parts(line)
    except OSError:
        raise InputError(f"{shown(path)}: the ledger cannot be read") from None


def entry_of(line: bytes) -> Entry:
    """Return the entry of a line."""
    return ENTRY.validate_python(json.loads(_parts(line)[0]))


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a ledger: one run at a time continues it."""
    lock = path.with_name(f".{path.name}{LOCK}")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{shown(path)}: there is no folder for the ledger; make it first")
    try:
        lock.mkdir(mode=0o700, exist_ok=True)
        held = system.lock_folder(lock)
    except BlockingIOError:
        raise RequestError(
            f"{shown(path)}: another run is working with this ledger; wait until it has ended"
        ) from None
    except OSError as error:
        raise OutputError(f"{shown(path)}: the ledger cannot be locked: {error.strerror}") from None
    try:
        settle(path)
        yield
    finally:
        held.release()
        with contextlib.suppress(OSError):
            lock.rmdir()


def settled(path: Path) -> None:
    """Take back what a killed run left half done."""
    if journal_path(path).exists():
        with locked(path):
            pass


def check_unchanged(ledger: Ledger) -> None:
    """Raise RequestError if a ledger was continued, or begun, since it was read."""
    if not ledger.is_as_it_was:
        raise RequestError(
            f"{shown(ledger.path)}: the ledger was continued since this release was made; make it "
            "again"
        )
