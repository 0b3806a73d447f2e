"""A release of a series: who was in earlier ones, what they may share a class with, who waits."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path

import numpy as np

from shoal.errors import InputError, RequestError, listed, shown
from shoal.hints import COLUMN, option
from shoal.kernels.arrays import Integers
from shoal.ledger.history import History
from shoal.ledger.key import Key
from shoal.ledger.ledger import Ledger, Release
from shoal.methods.enforce.rules import NEW, Kinds
from shoal.methods.enforce.values import ValueSets
from shoal.methods.series.bonds import Bonds, Known, Signature, bind
from shoal.methods.series.start import NOWHERE
from shoal.pipeline.membership import Membership
from shoal.pipeline.plan.plan import Plan
from shoal.settings import Settings
from shoal.table.hierarchy.values import distinct_values
from shoal.table.roles import Column, Role
from shoal.table.spelling import form_of
from shoal.table.steps.sequence import after_groups
from shoal.table.table import Table, missing_cells

TOGETHER = " + "  # between the names of kept columns that could join records together


@dataclass(frozen=True, eq=False, repr=False)
class Series:
    """The ledger and its history, as the next release meets them.

    A `strict` one refuses columns that spread far more or less than in the release before, where
    it shall be stable; a batch of a stream may be of few people.
    """

    ledger: Ledger
    history: History
    person: str
    settings: Settings
    strict: bool = True

    @classmethod
    def open(cls, settings: Settings) -> Series | None:
        """Return the series that settings name a ledger of; None without one."""
        path = settings.series.ledger
        if path is None:
            return None
        person = person_of(settings)
        ledger = Ledger.open(Path(path))
        return cls(ledger, History.of(ledger), person, settings)

    @property
    def grouped_settings(self) -> Settings:
        """The settings for grouping: each person has one record, and is dropped by name."""
        roles = self.settings.roles
        names = [*roles.identifiers, *([] if self.person in roles.identifiers else [self.person])]
        return self.settings.replace(roles={"person": None, "identifiers": names})

    @property
    def stable(self) -> Release | None:
        """The last release, where this one shall keep its frame; None for the first."""
        if not self.settings.series.stable or not self.ledger.releases:
            return None
        last = self.ledger.releases[-1]
        if last.frame is None:
            raise RequestError(
                f"release {last.number} of the ledger has no note of its standardization; leave "
                f"out {option('stable')} this time"
            )
        return last

    def numbers(self, table: Table) -> list[str]:
        """Return the number of each record's person; each must have one record."""
        column = table[self.person]
        where = f"{table.source.name}, person {shown(self.person)}"
        absent = int(missing_cells(column).sum())
        if absent:
            raise InputError(f"{where}: {absent} missing cells; every record needs one")
        values = distinct_values(column)
        several = len(values.indices) - len(values.texts)
        if several:
            raise InputError(
                f"{where}: people have several records ({several} too many); under a ledger each "
                "has one a release"
            )
        hashed = [self.ledger.key.person(text) for text in values.texts]
        return [hashed[place] for place in values.indices.tolist()]

    def admitted(self, table: Table) -> tuple[Table, int]:
        """Return the table without people who left, and how many they are."""
        left = self.ledger.left
        stays = np.array([one not in left for one in self.numbers(table)])
        gone = int((~stays).sum())
        return (table.take(np.flatnonzero(stays)), gone) if gone else (table, 0)

    def constant(self, plan: Plan) -> tuple[str, int] | None:
        """Return the sensitive column whose l holds over the series, and l."""
        requirement, changing = plan.requirement, self.settings.series.changing
        _check_changing(plan.schema, changing)
        columns = [
            (column.name, math.ceil(least))
            for column in plan.schema.with_role(Role.SENSITIVE)
            if (least := requirement.threshold("l", column.name)) is not None
            and column.name not in changing
        ]
        if len(columns) > 1:
            names = [name for name, _ in columns]
            raise RequestError(
                f"a ledger keeps l of one constant column, not of {listed(names)}; name those that "
                f"change with {option('changing', names[1:])}"
            )
        before = {one.promise.sensitive for one in self.ledger.releases} - {None}
        if columns and before - {columns[0][0]}:
            raise RequestError(
                f"the ledger keeps l of {listed(sorted(map(str, before)))}, not of "
                f"{shown(columns[0][0])}; begin another ledger"
            )
        made = [one.promise for one in self.ledger.releases if one.made and one.promise.l]
        models = {one.over_series for one in made}
        wanted = self.settings.series.over_series
        if columns and models - {wanted}:
            raise RequestError(
                f"the ledger was begun with {option('over_series', models.pop())}; say it again, "
                "or begin another ledger"
            )
        return columns[0] if columns else None

    def members(self, table: Table, plan: Plan) -> Membership:
        """Return who the records of a table are in the series."""
        people, constant = self.numbers(table), self.constant(plan)
        homes = np.array([self.history.homes.get(one, NOWHERE) for one in people], dtype=np.int64)
        who = Membership(
            self.ledger, self.history, plan.schema, plan.k, self.settings.series.changing, people,
            homes, joined_values(table, self.settings.series.changing, self.ledger.key),
        )  # fmt: skip
        if constant is None:
            return who
        name, least = constant
        values, own = values_of(table[name], plan, self.ledger.key)
        number = {value: place for place, value in enumerate(values)}
        known = {
            person: Known(
                company,
                number.setdefault(self.history.values[person], len(number)),
                tuple(sorted(
                    number.setdefault(one, len(number))
                    for one in self.history.signatures.get(person, ())
                )),
            )
            for person, company in self.history.company.items()
            if person in self.history.values
        }  # fmt: skip
        for one in self.history.left.values():
            for value in sorted(one):
                number.setdefault(value, len(number))
        changed = sum(
            1 for person, value in zip(people, own.tolist(), strict=True)
            if person in known and known[person].value != value
        )  # fmt: skip
        if changed:
            raise InputError(
                f"{table.source.name}, column {shown(name)}: {changed} people have another value "
                f"than in earlier releases; say {option('changing', [name])} if it is not constant"
            )
        if self.settings.series.over_series == "sets":
            return self._with_sets(replace(who, column=name), own, number, least)
        fill = self.settings.series.counterfeits > 0
        bonds = bind(known, frozenset(people), least, fill)
        bond, every = bonds_of(people, known, bonds)
        short = {one for one in people if 0 < len(signature_of(one, known, bonds)) < least}
        return replace(
            who, column=name, kinds=Kinds(own, bond, every, least), values=tuple(number),
            bound=bonds.signed,
            barred=bonds.withheld | short,
        )  # fmt: skip

    def _with_sets(
        self, who: Membership, own: Integers, number: Mapping[str, int], least: int
    ) -> Membership:
        """Return the membership with the sets that earlier releases leave for people."""
        every = (1 << len(number)) - 1
        left = self.history.left
        sets = [
            sum(1 << number[one] for one in left[person]) if person in left else every
            for person in who.people
        ]
        here = sum(1 << value for value in set(own.tolist()))
        barred = frozenset(
            person for person, some in zip(who.people, sets, strict=True)
            if (some & here).bit_count() < least
        )  # fmt: skip
        rule = ValueSets(own, np.array(sets, dtype=np.int64), least)
        return replace(who, sets=rule, values=tuple(number), barred=barred)


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


def _check_changing(schema: Table, changing: Sequence[str]) -> None:
    """Refuse names of columns that are neither sensitive nor kept."""
    for name in changing:
        if schema[name].role not in (Role.SENSITIVE, Role.OTHER):
            raise RequestError(
                f"changing: {shown(name)} is neither sensitive nor kept; only those are followed"
            )


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


def values_of(column: Column, plan: Plan, key: Key) -> tuple[list[str], Integers]:
    """Return the numbers of the values of a column, and the place of each record's."""
    values = distinct_values(column)
    texts = [plain(text) for text in values.texts]
    gone = [text in ("", "*") for text in texts]
    missing = int((values.indices < 0).sum()) + sum(
        int((values.indices == place).sum()) for place, one in enumerate(gone) if one
    )
    if missing and plan.requirement.missing_sensitive != "value":
        raise InputError(
            f"column {shown(column.name)}: {missing} missing cells, which have no signature; "
            f"say {option('missing_sensitive', 'value')} to count them as a value"
        )
    texts = ["" if one else text for text, one in zip(texts, gone, strict=True)]
    numbers = {text: place for place, text in enumerate(dict.fromkeys([*texts, ""]))}
    own = np.array([numbers[text] for text in [*texts, ""]], dtype=np.int64)[values.indices]
    return [key.value(column.name, text) for text in numbers], own


def joined_values(table: Table, changing: Sequence[str], key: Key) -> dict[str, tuple[str, ...]]:
    """Return the numbers of each record's kept values, by column and together."""
    kept = [one for one in table.with_role(Role.OTHER) if one.name not in changing]
    texts = {}
    for column in kept:
        values = distinct_values(column)
        own = [*(plain(text) for text in values.texts), ""]
        texts[column.name] = [own[place] for place in values.indices.tolist()]
    if len(kept) > 1:
        every = zip(*texts.values(), strict=True)
        texts[TOGETHER.join(texts)] = ["\0".join(one) for one in every]
    return {name: tuple(key.value(name, one) for one in own) for name, own in texts.items()}


def plain(text: str) -> str:
    """Return a text as all its spellings have it, numbers without trailing zeros."""
    form = form_of(text)
    return f"{form.normalize():f}" if isinstance(form, Decimal) else form
