"""Proof that values cannot be ruled out over a series: other assignments make the same releases.

Two rules make such assignments of the true one. People who were in the same class whenever one of
them was in any, a company, may swap values. And where the people of one signature, a set of values,
show each of its values equally often in every class of every release, all of them may permute their
values at once (Xiao and Tao 2007, lemma 2). Whatever one of a company can have by the second rule,
the others can have by the first. So the values that are left for a person are at least those of her
company, and those of the signatures in it that are balanced everywhere.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Tree = Mapping[str, Any]
Way = tuple[tuple[int, int], ...]
Signature = frozenset[str]


@dataclass(frozen=True)
class Proof:
    """How many values are left for the person with the fewest, and how many have too few.

    `changed` people have another value, or another signature, in one release than in another.
    """

    fewest: int | None
    below: int
    changed: int

    def problems(self) -> list[str]:
        """Return what is wrong, in counts."""
        found = []
        if self.below:
            found.append(f"for {self.below} people it cannot be shown that l values are left")
        if self.changed:
            found.append(f"{self.changed} people change their value or signature")
        return found


def prove(entries: Sequence[Tree]) -> Proof:
    """Return what is left for everybody in the releases that promise l."""
    some = [entry for entry in entries if entry["promise"]["l"] is not None]
    ways: dict[str, list[tuple[int, int]]] = defaultdict(list)
    values: dict[str, str] = {}
    signatures: dict[str, Signature] = {}
    changed: set[str] = set()
    asked: dict[str, int] = {}
    for entry in some:
        roll = entry["roll"]
        every = [Signature(one) for one in roll["signatures"]]
        marks = dict(zip(roll["people"], roll["signature"], strict=True)) | roll["bound"]
        for person, place in marks.items():
            if place >= 0 and signatures.setdefault(person, every[place]) != every[place]:
                changed.add(person)
        for person, number, value in zip(
            roll["people"], roll["classes"], roll["values"], strict=True
        ):
            ways[person].append((entry["number"], number))
            asked[person] = max(asked.get(person, 0), entry["promise"]["l"])
            if values.setdefault(person, value) != value:
                changed.add(person)
    balanced = _balanced(ways, values, signatures)
    left: dict[Way, set[str]] = defaultdict(set)
    for person, way in ways.items():
        own = left[tuple(way)]
        own.add(values[person])
        if signatures.get(person) in balanced:
            own |= signatures[person]
    counts = {person: len(left[tuple(way)]) for person, way in ways.items()}
    below = sum(1 for person, count in counts.items() if count < asked[person])
    return Proof(min(counts.values(), default=None), below, len(changed))


def shared(entries: Sequence[Tree]) -> Proof:
    """Return how many values the classes of each person have in common, as the ledger has them."""
    left: dict[str, set[str]] = {}
    asked: dict[str, int] = {}
    for entry in entries:
        roll, least = entry["roll"], entry["promise"]["l"]
        if least is None:
            continue
        classes: dict[int, set[str]] = defaultdict(set)
        for number, value in zip(roll["classes"], roll["values"], strict=True):
            classes[number].add(value)
        for person, number in zip(roll["people"], roll["classes"], strict=True):
            left[person] = left.get(person, classes[number]) & classes[number]
            asked[person] = max(asked.get(person, 0), least)
    below = sum(1 for person, some in left.items() if len(some) < asked[person])
    return Proof(min(map(len, left.values()), default=None), below, 0)


def of_promise(entries: Sequence[Tree]) -> Proof:
    """Return what is left for everybody by what was promised: over worlds, or over sets."""
    return shared(entries) if promised(entries) == "sets" else prove(entries)


def promised(entries: Sequence[Tree]) -> str:
    """Return what l means over a series: worlds where every release that promises it says so.

    Releases that were added later promised nothing over the series.
    """
    own = [entry for entry in entries if entry["promise"]["l"] is not None]
    made = [entry for entry in own if entry["made"]] or own
    every = {entry["promise"]["over_series"] for entry in made}
    return "worlds" if every == {"worlds"} else "sets"


def _balanced(
    ways: Mapping[str, Sequence[tuple[int, int]]],
    values: Mapping[str, str],
    signatures: Mapping[str, Signature],
) -> set[Signature]:
    """Return the signatures whose values are equally frequent in every class of every release."""
    counts: dict[tuple[Signature, int, int], Counter[str]] = defaultdict(Counter)
    for person, signature in signatures.items():
        for release, number in ways.get(person, ()):
            counts[signature, release, number][values[person]] += 1
    good = set(signatures.values())
    for (signature, _, _), own in counts.items():
        if set(own) != signature or len(set(own.values())) > 1:
            good.discard(signature)
    return good
