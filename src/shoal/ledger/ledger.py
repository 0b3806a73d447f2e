"""Ledger: the file, its chain of message codes, and its lock."""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar

from shoal.errors import InputError, OutputError, RequestError, shown
from shoal.ledger.journal import journal_path, settle
from shoal.ledger.key import Key, key_path
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

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any]) -> Frame:
        """Return the frame that JSON holds."""
        scales = {name: Scale(**own) for name, own in tree["scales"].items()}
        trees = {name: Tree(**own) for name, own in tree["trees"].items()}
        means = {name: (own[0], own[1]) for name, own in tree.get("means", {}).items()}
        return cls(scales, trees, means)


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
    over_series: str = "sets"


@dataclass(frozen=True, repr=False)
class Roll:
    """The people of a release, by number: class, value, signature and kept values of each.

    Classes are numbered as they first appear in the file. `values` are the numbers of sensitive
    values, and `signature` has the place of each person's among the `signatures`, -1 for who has
    none; both are empty where no l is promised. `bound` has people of earlier releases who are not
    in this one, and have a signature since. `joined` has the numbers of kept values, by column.
    `counterfeits` are those of the people who are nobody, under random numbers.
    """

    people: tuple[str, ...]
    classes: tuple[int, ...]
    values: tuple[str, ...] = ()
    signature: tuple[int, ...] = ()
    signatures: tuple[tuple[str, ...], ...] = ()
    bound: Mapping[str, int] = field(default_factory=dict)
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    counterfeits: tuple[str, ...] = ()

    def renamed(self, numbers: Mapping[str, str]) -> Roll:
        """Return the roll with some people under other numbers."""
        people = tuple(numbers.get(one, one) for one in self.people)
        bound = {numbers.get(one, one): place for one, place in self.bound.items()}
        return replace(self, people=people, bound=bound)


@dataclass(frozen=True)
class Release:
    """A release: its file, what it promises, and who is in it.

    `made` tells that it was made under the ledger, with all that was before; else it was added
    later. `withheld` people were left out. The `frame` is what a stable next release keeps.
    """

    kind: ClassVar[str] = "release"

    number: int
    file: str
    sha256: str
    promise: Promise
    roll: Roll
    made: bool = True
    withheld: int = 0
    frame: Frame | None = None


@dataclass(frozen=True)
class Withdrawal:
    """A release that was made and not published: it no longer counts."""

    kind: ClassVar[str] = "withdrawal"

    release: int


@dataclass(frozen=True, repr=False)
class Leaving:
    """People who left: they are in no later release."""

    kind: ClassVar[str] = "leaving"

    people: tuple[str, ...]


Entry = Release | Withdrawal | Leaving


def to_tree(entry: Entry) -> dict[str, Any]:
    """Return an entry as JSON holds it."""
    own = {one.name: getattr(entry, one.name) for one in fields(entry)}
    if isinstance(entry, Release):  # a roll is long: its lists are taken as they are
        roll = {one.name: getattr(entry.roll, one.name) for one in fields(entry.roll)}
        frame = None if entry.frame is None else asdict(entry.frame)
        own |= {"promise": asdict(entry.promise), "roll": roll, "frame": frame}
    return {"kind": entry.kind, **own}


def from_tree(tree: Mapping[str, Any]) -> Entry:
    """Return the entry that JSON holds."""
    own = {name: part for name, part in tree.items() if name != "kind"}
    if tree["kind"] == Withdrawal.kind:
        return Withdrawal(**own)
    if tree["kind"] == Leaving.kind:
        return Leaving(tuple(own["people"]))
    promise, roll = own["promise"], own["roll"]
    columns = {name: tuple(promise[name]) for name in ("quasi_identifiers", "kept")}
    joined = {name: tuple(values) for name, values in roll["joined"].items()}
    signatures = tuple(_tuple(one) for one in roll["signatures"])
    lists = {name: tuple(roll[name]) for name in ("people", "classes", "values", "signature")}
    frame = own["frame"]
    return Release(
        **{
            **own,
            "frame": None if frame is None else Frame.from_tree(frame),
            "promise": Promise(**{**promise, **columns}),
            "roll": Roll(
                **lists,
                signatures=signatures,
                bound=roll["bound"],
                joined=joined,
                counterfeits=tuple(roll["counterfeits"]),
            ),
        }
    )


def _tuple(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(values)


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
    there = Ledger.load(ledger.path).last if ledger.path.exists() else ""
    if there != (ledger.last if ledger.entries else ""):
        raise RequestError(
            f"{shown(ledger.path)}: the ledger was continued since this release was made; make it "
            "again"
        )
