"""What records are under a ledger: who, of which values, and what earlier releases say of them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np

from shoal.errors import InputError, PrivacyError, RequestError, listed, shown
from shoal.hints import COLUMN, option
from shoal.kernels.arrays import Integers
from shoal.methods.enforce.rules import NEW
from shoal.methods.enforce.values import ValueSets
from shoal.methods.series.bonds import Bonds, Known, Signature
from shoal.series.key import Key
from shoal.series.ledger import Ledger, Release
from shoal.settings import Settings
from shoal.table.hierarchy.values import distinct_values
from shoal.table.roles import Column
from shoal.table.spelling import form_of
from shoal.table.steps.sequence import after_groups
from shoal.table.table import missing_cells

TOGETHER = " + "  # between the names of kept columns that could join records together


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


def numbers_of(column: Column, key: Key, where: str, advice: str = "") -> list[str]:
    """Return the number of each record's person, by the column that says who is who."""
    absent = int(missing_cells(column).sum())
    if absent:
        raise InputError(f"{where}: {absent} missing cells; every record needs one{advice}")
    values = distinct_values(column)
    hashed = [key.person(text) for text in values.texts]
    return [hashed[place] for place in values.indices.tolist()]


def person_of(settings: Settings) -> str:
    """Return the column that says who is who under a ledger; refuse what has no series."""
    if not settings.roles.any_given:
        raise RequestError(
            "under a ledger columns need roles; say which are quasi-identifiers with "
            f"{option('quasi_identifiers', [COLUMN])}"
        )
    if settings.roles.person is None:
        raise RequestError(f"who is who must be known; say {option('person', COLUMN)}, too")
    random = [step.kind for step in after_groups(settings.steps)]
    if random:
        raise RequestError(
            f"under a ledger no step changes records after grouping, as {listed(random)} does; "
            f"leave it out of {option('steps')}"
        )
    return settings.roles.person


def check_budget(allowed: float, withheld: int, rows: int, joined: int = 0) -> None:
    """Raise PrivacyError where more people would have to be withheld than may be.

    `joined` of them are withheld because kept columns would join records.
    """
    if withheld <= allowed * rows:
        return
    share = math.ceil(1000 * withheld / rows) / 10
    advice = (
        f"; kept columns join records of {joined:,}: leave them out ({option('drop', [COLUMN])}), "
        f"or name those that change with {option('changing', [COLUMN])}"
    )
    raise PrivacyError(
        f"{withheld:,} of {rows:,} people would have to be withheld, as no class is safe for "
        f"them together with earlier releases{advice if joined else ''}; say "
        f"{option('withhold', f'{share:g}%')} to leave them out; nothing was written"
    )


def value_sets(
    people: Sequence[str], history: History, own: Integers, number: Mapping[str, int], least: int
) -> tuple[ValueSets, list[bool]]:
    """Return the sets that earlier releases leave for people, and for whom too few are there."""
    every, left = (1 << len(number)) - 1, history.left
    sets = [sum(1 << number[one] for one in left[p]) if p in left else every for p in people]
    here = sum(1 << value for value in set(own.tolist()))
    few = [(some & here).bit_count() < least for some in sets]
    return ValueSets(own, np.array(sets, dtype=np.int64), least), few


def bonds_of(
    people: Sequence[str], known: Mapping[str, Known], bonds: Bonds
) -> tuple[Integers, list[Signature]]:
    """Return the place of each person's bond, and the bonds: signatures, or empty."""
    places: dict[tuple[int, Signature], int] = {}
    bond = np.full(len(people), NEW, dtype=np.int64)
    for row, person in enumerate(people):
        if person in known:
            signature = signature_of(person, known, bonds)
            company = NEW if signature else known[person].company
            bond[row] = places.setdefault((company, signature), len(places))
    return bond, [signature for _, signature in places]


def signature_of(person: str, known: Mapping[str, Known], bonds: Bonds) -> Signature:
    """Return the signature that a person has from now on; empty where she has none."""
    if person in bonds.signed:
        return bonds.signed[person]
    return known[person].signature if person in known else ()


def values_of(column: Column, settings: Settings, key: Key) -> tuple[list[str], Integers]:
    """Return the numbers of the values of a column, and the place of each record's."""
    values = distinct_values(column)
    texts = [plain(text) for text in values.texts]
    gone = [text in ("", "*") for text in texts]
    missing = int((values.indices < 0).sum()) + sum(
        int((values.indices == place).sum()) for place, one in enumerate(gone) if one
    )
    if missing and settings.requirement.missing_sensitive != "value":
        raise InputError(
            f"column {shown(column.name)}: {missing} missing cells, which have no signature; "
            f"say {option('missing_sensitive', 'value')} to count them as a value"
        )
    texts = ["" if one else text for text, one in zip(texts, gone, strict=True)]
    numbers = {text: place for place, text in enumerate(dict.fromkeys([*texts, ""]))}
    own = np.array([numbers[text] for text in [*texts, ""]], dtype=np.int64)[values.indices]
    return [key.value(column.name, text) for text in numbers], own


def joined_values(kept: Sequence[Column], key: Key) -> dict[str, list[str]]:
    """Return the numbers of each record's kept values, by column and together."""
    texts = {}
    for column in kept:
        values = distinct_values(column)
        own = [*(plain(text) for text in values.texts), ""]
        texts[column.name] = [own[place] for place in values.indices.tolist()]
    if len(kept) > 1:
        every = zip(*texts.values(), strict=True)
        texts[TOGETHER.join(texts)] = ["\0".join(one) for one in every]
    return {name: [key.value(name, one) for one in own] for name, own in texts.items()}


def plain(text: str) -> str:
    """Return a text as all its spellings have it, numbers without trailing zeros."""
    form = form_of(text)
    return f"{form.normalize():f}" if isinstance(form, Decimal) else form
