"""Book: a ledger that is read line by line and appended to, however long it is.

`Ledger` holds all people of all releases. Whoever releases nobody twice needs less: who is in it,
what was promised, and where it ends. A line that a killed run wrote in part is taken off again by
the run that knows what the line was to be.
"""

from __future__ import annotations

import hmac
import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from shoal.errors import InputError, OutputError, shown
from shoal.ledger.key import Key
from shoal.ledger.ledger import (
    FORM,
    Entry,
    Frame,
    Leaving,
    Ledger,
    Promise,
    Release,
    Roll,
    Withdrawal,
    from_tree,
)
from shoal.ledger.ledger import to_tree as tree_of
from shoal.storage import system

People = Callable[[Sequence[str]], None]


@dataclass(frozen=True)
class Book:
    """Where a ledger ends, and what it holds, without the people of its releases.

    `last` is the code of the last line, `size` where it ends, `files` the hashes of all releases.
    """

    path: Path
    key: Key
    last: str
    size: int
    number: int = 0
    promises: tuple[Promise, ...] = ()
    left: frozenset[str] = frozenset()
    files: frozenset[str] = field(default=frozenset(), repr=False)

    @classmethod
    def open(cls, path: Path, torn: bytes = b"") -> Book:
        """Read a ledger, a new one where there is none; every line must have its code.

        `torn` is a line that may be there in part, as the last one: it is left out.
        """
        if not path.exists():
            Ledger.open(path).write()
        key, last, size = Key.load(path), "", 0
        entries: list[Entry] = []
        for line, body, code in _lines(path):
            if not hmac.compare_digest(key.code(last, body), code):
                if torn and torn.startswith(line) and size + len(line) == path.stat().st_size:
                    break
                raise InputError(
                    f"{shown(path)}, byte {size}: a message code is wrong; the ledger was changed, "
                    "or the key is another's; take the last copy that `check` accepts"
                )
            if size:
                entries.append(_without_people(from_tree(json.loads(body))))
            elif json.loads(body).get("form") != FORM:
                raise InputError(f"{shown(path)}: a ledger of another version of shoal")
            last, size = code, size + len(line)
        if not last:
            raise InputError(f"{shown(path)}: the ledger is empty")
        return cls(path, key, last, size)._with(entries)

    def _with(self, entries: Sequence[Entry]) -> Book:
        """Return the book with more entries."""
        releases = [one for one in entries if isinstance(one, Release)]
        leaving = [one for one in entries if isinstance(one, Leaving)]
        return replace(
            self,
            number=max((one.number for one in releases), default=self.number),
            promises=tuple(dict.fromkeys((*self.promises, *(one.promise for one in releases)))),
            left=self.left.union(*(one.people for one in leaving)),
            files=self.files.union(one.sha256 for one in releases),
        )

    def visit(self, people: People) -> None:
        """Call a function with the people of every release that counts."""
        gone = set()
        for place, (_, body, _) in enumerate(_lines(self.path)):
            entry = from_tree(json.loads(body)) if place else None
            if isinstance(entry, Withdrawal):
                gone.add(entry.release)
        for place, (_, body, _) in enumerate(_lines(self.path)):
            entry = from_tree(json.loads(body)) if place else None
            if isinstance(entry, Release) and entry.number not in gone:
                people(entry.roll.people)

    def ledger(self, frame: Frame | None) -> Ledger:
        """Return a ledger that knows promises and who left, and nobody else.

        Its last release has the `frame` that a stable next one keeps.
        """
        entries: list[Entry] = []
        for place, promise in enumerate(self.promises):
            is_last = place == len(self.promises) - 1
            number = self.number if is_last else -1 - place
            own = Release(number, "", "", promise, Roll((), ()), frame=frame if is_last else None)
            entries.append(own)
        if self.left:
            entries.append(Leaving(tuple(sorted(self.left))))
        return Ledger(self.path, self.key, tuple(entries), "", self.last)

    def line(self, entry: Entry) -> bytes:
        """Return the next line, with its code."""
        body = json.dumps(tree_of(entry), separators=(",", ":"))
        return f"{body} {self.key.code(self.last, body)}\n".encode()

    def append(self, entry: Entry, line: bytes) -> Book:
        """Append a line to the file, and bring it to the disk; what was torn there goes."""
        try:
            with self.path.open("r+b") as file:
                file.truncate(self.size)
                file.seek(self.size)
                file.write(line)
                file.flush()
                system.sync(file.fileno())
        except OSError as error:
            raise OutputError(f"{shown(self.path)}: cannot be written: {error.strerror}") from None
        code = line.decode().rstrip("\n").rpartition(" ")[2]
        return replace(self._with([entry]), last=code, size=self.size + len(line))

    def cut(self) -> None:
        """Take off what stands after this book's end."""
        with self.path.open("r+b") as file:
            file.truncate(self.size)
            system.sync(file.fileno())

    @property
    def is_as_it_was(self) -> bool:
        """Whether the file still ends where this book does, with the same code."""
        try:
            with self.path.open("rb") as file:
                if file.seek(0, os.SEEK_END) != self.size:
                    return False
                file.seek(self.size - len(self.last) - 1)
                return file.read() == f"{self.last}\n".encode()
        except OSError:
            return False


def _without_people(entry: Entry) -> Entry:
    return replace(entry, roll=Roll((), ())) if isinstance(entry, Release) else entry


def _lines(path: Path) -> Iterator[tuple[bytes, str, str]]:
    """Yield every line, and its body and code."""
    try:
        with path.open("rb") as file:
            for line in file:
                body, _, code = line.decode("ascii", "replace").rstrip("\n").rpartition(" ")
                yield line, body, code if line.endswith(b"\n") else ""
    except OSError:
        raise InputError(f"{shown(path)}: the ledger cannot be read") from None


def entry_of(line: bytes) -> Entry:
    """Return the entry of a line."""
    return from_tree(json.loads(line.decode().rpartition(" ")[0]))
