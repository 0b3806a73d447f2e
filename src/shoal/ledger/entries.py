"""Entries of a ledger: releases, withdrawals, and people who left."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any, ClassVar

from shoal.errors import in_shape
from shoal.ledger.frame import Frame


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


@dataclass(frozen=True)
class Roll:
    """The people of a release, by number: class, value, signature and kept values of each.

    Classes are numbered as they first appear in the file. `values` are the numbers of sensitive
    values, and `signature` has the place of each person's among the `signatures`, -1 for who has
    none; both are empty where no l is promised. `bound` has people of earlier releases who are not
    in this one, and have a signature since. `joined` has the numbers of kept values, by column.
    `counterfeits` are those of the people who are nobody, under random numbers.
    """

    __repr__ = in_shape

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


@dataclass(frozen=True)
class Leaving:
    """People who left: they are in no later release."""

    __repr__ = in_shape
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
