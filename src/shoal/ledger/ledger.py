"""Ledger: the file, its chain of message codes, and its lock."""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.backends.staging import Staging
from shoal.errors import InputError, OutputError, RequestError, shown
from shoal.ledger.entries import Entry, Leaving, Release, Withdrawal, from_tree, to_tree
from shoal.ledger.journal import journal_path, settle
from shoal.ledger.key import Key, key_path
from shoal.system.current import current

FORM = "shoal ledger 1"
FIRST = "private: as confidential as the original records"
LOCK = ".lock"


@dataclass(frozen=True)
class Ledger:
    """Entries in order, with the key of their codes; `last` is the code of the last line."""

    path: Path
    key: Key
    entries: tuple[Entry, ...] = ()
    text: str = ""
    last: str = ""

    def __repr__(self) -> str:
        return f"<Ledger of {len(self.releases)} releases>"

    @classmethod
    def new(cls, path: Path) -> Ledger:
        """Return an empty ledger, which is not written yet."""
        empty = cls(path, Key.new())
        return empty._line(json.dumps({"form": FORM, "note": FIRST}))

    @classmethod
    def load(cls, path: Path) -> Ledger:
        """Read a ledger; every line must have its code."""
        settled(path)
        try:
            text = path.read_text("utf-8")
        except FileNotFoundError:
            raise InputError(f"{shown(path)}: there is no such ledger") from None
        except (OSError, UnicodeDecodeError):
            raise InputError(f"{shown(path)}: the ledger cannot be read") from None
        key, last, entries = Key.load(path), "", []
        for number, line in enumerate(text.splitlines()):
            body, _, code = line.rpartition(" ")
            if not hmac.compare_digest(key.code(last, body), code):
                raise InputError(
                    f"{shown(path)}, line {number + 1}: its message code is wrong; the ledger was "
                    "changed, or the key is another's; take the last copy that `check` accepts"
                )
            last = code
            if number:
                entries.append(from_tree(json.loads(body)))
            elif json.loads(body).get("form") != FORM:
                raise InputError(f"{shown(path)}: a ledger of another version of shoal")
        if not last:
            raise InputError(f"{shown(path)}: the ledger is empty")
        return cls(path, key, tuple(entries), text, last)

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

    def with_entry(self, entry: Entry) -> Ledger:
        """Return the ledger with one more entry."""
        longer = self._line(json.dumps(to_tree(entry), separators=(",", ":")))
        return replace(longer, entries=(*self.entries, entry))

    def without(self, people: Sequence[str]) -> Ledger:
        """Return the ledger with some people under random numbers, and a note that they left."""
        numbers = {one: secrets.token_hex(len(one) // 2) for one in people}
        made = replace(Ledger.new(self.path), key=self.key, text="", last="", entries=())
        made = made._line(json.dumps({"form": FORM, "note": FIRST}))
        for entry in self.entries:
            if isinstance(entry, Release):
                made = made.with_entry(replace(entry, roll=entry.roll.renamed(numbers)))
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
        staging.add(self.path, self.text.encode("utf-8"), private=True, replaces=True)

    def write(self) -> None:
        """Write the ledger alone."""
        with Staging(force=False) as staging:
            self.add_to(staging)
            staging.commit()

    def _line(self, body: str) -> Ledger:
        code = self.key.code(self.last, body)
        return replace(self, text=f"{self.text}{body} {code}\n", last=code)


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a ledger: one run at a time continues it."""
    lock = path.with_name(f".{path.name}{LOCK}")
    if not path.absolute().parent.is_dir():
        raise OutputError(f"{shown(path)}: there is no folder for the ledger; make it first")
    try:
        lock.mkdir(mode=0o700, exist_ok=True)
        held = current().lock_folder(lock)
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
    there = Ledger.load(ledger.path).last if ledger.path.exists() else ""
    if there != (ledger.last if ledger.entries else ""):
        raise RequestError(
            f"{shown(ledger.path)}: the ledger was continued since this release was made; make it "
            "again"
        )
