"""What is done with a ledger between releases: look, withdraw, let people go."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.errors import RequestError
from shoal.series.ledger import Ledger, Release, Withdrawal, locked


@dataclass(frozen=True, repr=False)
class Left:
    """What it costs that people left, in counts.

    `unknown` were in no release; `companions` shared their classes in the last release that they
    were in: their signatures stay, and they may have to be withheld where nobody takes the place.
    """

    people: int
    unknown: int
    companions: int

    def summary(self) -> str:
        """Return what a person reads."""
        lines = [
            f"{self.people:,} people left: they are in no later release, and the ledger no longer "
            "tells which classes they were in",
            f"{self.companions:,} people shared a class with them: no value of theirs is given "
            "away, and some may be withheld from the next release if nobody takes their place",
            "what was published of them stays published",
        ]
        if self.unknown:
            lines.append(f"{self.unknown:,} were in no release; they are noted all the same")
        return "\n".join(lines)


def forget_people(ledger: str | os.PathLike[str], people: Sequence[str]) -> Left:
    """Let people leave all later releases, and forget which classes they were in.

    Parameters
    ----------
    ledger : path
        The ledger; its key lies beside it.
    people : sequence of str
        Who leaves, as the column of persons has them.

    Returns
    -------
    Left
        How many left, and how many shared a class with them, in counts.

    Raises
    ------
    InputError
        The ledger or its key cannot be read, or was changed.
    RequestError
        Nobody is named, or another run works with the ledger.
    """
    path = Path(ledger)
    with locked(path):
        book = Ledger.load(path)
        cost, gone = leaving(book, people)
        book.without(gone).write()
    return cost


def leaving(book: Ledger, people: Sequence[str]) -> tuple[Left, list[str]]:
    """Return what it costs that people leave, and their numbers; nothing is changed."""
    if not people:
        raise RequestError("name the people who leave, or a file with one on each line")
    numbers = [book.key.person(text) for text in dict.fromkeys(people)]
    gone = [one for one in numbers if one not in book.left]
    companions: set[str] = set()
    known: set[str] = set()
    for release in book.releases:
        roll = release.roll
        own = dict(zip(roll.people, roll.classes, strict=True))
        there = {own[one] for one in gone if one in own}
        known |= set(gone) & set(own)
        if there:
            companions = {one for one, number in own.items() if number in there} - set(gone)
            companions -= set(roll.counterfeits)
    return Left(len(gone), len(gone) - len(known), len(companions)), gone


def withdraw_release(ledger: str | os.PathLike[str], number: int) -> Ledger:
    """Note that a release was made and not published: it no longer counts.

    Parameters
    ----------
    ledger : path
        The ledger; its key lies beside it.
    number : int
        The number of the release, as `check_ledger` says it.

    Returns
    -------
    Ledger
        The ledger without it, written.

    Raises
    ------
    InputError
        The ledger or its key cannot be read, or was changed.
    RequestError
        There is no such release, or another run works with the ledger.
    """
    with locked(Path(ledger)):
        book = Ledger.load(Path(ledger)).withdrawn(number)
        book.write()
    return book


def check_ledger(ledger: str | os.PathLike[str]) -> str:
    """Check every message code of a ledger, and return what it holds, in counts.

    Parameters
    ----------
    ledger : path
        The ledger; its key lies beside it.

    Returns
    -------
    str
        A line a release, and how many people there are.

    Raises
    ------
    InputError
        The ledger or its key cannot be read, or was changed.
    """
    return describe(Ledger.load(Path(ledger)))


def describe(ledger: Ledger) -> str:
    """Return what a ledger holds, in counts; reading it has checked every message code."""
    gone = {one.release for one in ledger.entries if isinstance(one, Withdrawal)}
    lines = [
        f"{len(ledger.entries):,} entries, every message code is right; the last begins "
        f"{ledger.last[:12]}"
    ]
    for entry in ledger.entries:
        if isinstance(entry, Release):
            lines.append(_of_release(entry, entry.number in gone))
    several = Counter(person for one in ledger.releases for person in one.roll.people)
    for one in ledger.releases:
        several.subtract(one.roll.counterfeits)
    several = +several
    again = sum(1 for times in several.values() if times > 1)
    lines.append(f"{len(several):,} people, {again:,} of them in several releases")
    if ledger.left:
        lines.append(f"{len(ledger.left):,} people left")
    return "\n".join(lines)


def _of_release(entry: Release, gone: bool) -> str:
    promise = entry.promise
    least = "" if promise.l is None else f", l = {promise.l} over the series"
    state = "withdrawn" if gone else "made under the ledger" if entry.made else "added"
    withheld = f", {entry.withheld:,} withheld" if entry.withheld else ""
    false = len(entry.roll.counterfeits)
    made = f", {false:,} counterfeits" if false else ""
    return (
        f"  release {entry.number}: {entry.file}, {len(entry.roll.people) - false:,} people"
        f"{withheld}{made}, "
        f"k = {promise.k}{least}; {state}"
    )
