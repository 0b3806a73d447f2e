"""History: what the releases so far say of each person."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shoal.series.ledger import Ledger, Release


@dataclass(frozen=True, eq=False, repr=False)
class History:
    """What is known of each person: company, value, signature, last class, and what could join her.

    People of one company were in the same class whenever one of them was in any. `companions` has,
    by column, the kept values that every class that she was in had: her own is one of them, where
    it is constant. `left` has the sensitive values that all her classes had.
    """

    company: Mapping[str, int] = field(default_factory=dict)
    values: Mapping[str, str] = field(default_factory=dict)
    signatures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    homes: Mapping[str, int] = field(default_factory=dict)
    companions: Mapping[str, Mapping[str, frozenset[str]]] = field(default_factory=dict)
    left: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, ledger: Ledger) -> History:
        """Return the history that a ledger tells."""
        ways: dict[str, list[tuple[int, int]]] = defaultdict(list)
        values: dict[str, str] = {}
        signatures: dict[str, tuple[str, ...]] = {}
        companions: dict[str, dict[str, frozenset[str]]] = defaultdict(dict)
        left: dict[str, frozenset[str]] = {}
        for release in ledger.releases:
            roll, kept = release.roll, _kept(release)
            shown = _by_class(roll.classes, roll.values) if roll.values else {}
            signed = dict(zip(roll.people, roll.signature, strict=bool(roll.signature)))
            for person, place in {**signed, **roll.bound}.items():
                if place >= 0:
                    signatures[person] = roll.signatures[place]
            values |= dict(zip(roll.people, roll.values, strict=bool(roll.values)))
            for person, number in zip(roll.people, roll.classes, strict=True):
                ways[person].append((release.number, number))
                if shown:
                    left[person] = left.get(person, shown[number]) & shown[number]
                for name, classes in kept.items():
                    there = classes[number]
                    companions[person][name] = companions[person].get(name, there) & there
        numbers: dict[tuple[tuple[int, int], ...], int] = {}
        company = {one: numbers.setdefault(tuple(way), len(numbers)) for one, way in ways.items()}
        last = ledger.releases[-1].roll if ledger.releases else None
        homes = {} if last is None else dict(zip(last.people, last.classes, strict=True))
        return cls(company, values, signatures, homes, companions, left)


def _kept(release: Release) -> dict[str, dict[int, frozenset[str]]]:
    """Return the kept values of every class, by column."""
    roll = release.roll
    return {name: _by_class(roll.classes, values) for name, values in roll.joined.items()}


def _by_class(classes: Sequence[int], values: Sequence[str]) -> dict[int, frozenset[str]]:
    """Return the values of every class."""
    every: dict[int, set[str]] = defaultdict(set)
    for number, value in zip(classes, values, strict=True):
        every[number].add(value)
    return {number: frozenset(some) for number, some in every.items()}
