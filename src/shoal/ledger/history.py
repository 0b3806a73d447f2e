"""History: what the releases so far say of each person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from shoal.errors import in_shape
from shoal.ledger.entries import Release
from shoal.ledger.ledger import Ledger


@dataclass(frozen=True, eq=False)
class History:
    """The signature of each person, her class in the last release, and what could join her records.

    `companions` has, by column, the kept values that every class that she was in had: her own is
    one of them, where it is constant.
    """

    __repr__ = in_shape

    people: frozenset[str] = frozenset()
    signatures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    homes: Mapping[str, int] = field(default_factory=dict)
    companions: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)

    @classmethod
    def of(cls, ledger: Ledger) -> History:
        """Return the history that a ledger tells."""
        people: set[str] = set()
        signatures: dict[str, tuple[str, ...]] = {}
        companions: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        for release in ledger.releases:
            roll, kept = release.roll, _kept(release)
            people.update(roll.people)
            for place, person in enumerate(roll.people):
                if roll.signature:
                    signatures[person] = roll.signatures[roll.signature[place]]
                for name, classes in kept.items():
                    there = classes[roll.classes[place]]
                    companions[person][name] = companions[person].get(name, there) & there
        last = ledger.releases[-1].roll if ledger.releases else None
        homes = {} if last is None else dict(zip(last.people, last.classes, strict=True))
        return cls(frozenset(people), signatures, homes, companions)


def _kept(release: Release) -> dict[str, dict[int, frozenset[str]]]:
    """Return the kept values of every class, by column."""
    kept: dict[str, dict[int, frozenset[str]]] = {}
    for name, values in release.roll.joined.items():
        classes: dict[int, set[str]] = defaultdict(set)
        for number, value in zip(release.roll.classes, values, strict=True):
            classes[number].add(value)
        kept[name] = {number: frozenset(some) for number, some in classes.items()}
    return kept
