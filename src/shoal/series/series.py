"""A release of a series, from the ledger to its next entry."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Self

import numpy as np

from shoal.errors import InputError, PrivacyError, RequestError, listed, shown
from shoal.hints import option
from shoal.kernels.arrays import Floats, Integers
from shoal.methods.enforce.rules import Kinds
from shoal.methods.enforce.values import ValueSets
from shoal.methods.series.bonds import Known, Signature, bind, deal
from shoal.methods.series.group import Counterfeits, Members
from shoal.methods.series.start import NOWHERE
from shoal.partition import rows_of_groups
from shoal.report.report import Report
from shoal.report.sections import SeriesSection
from shoal.series.frame import (
    Plan,
    drift_notes,
    drift_of,
    frame_of,
    published_means,
    stable_weights,
    with_trees_of,
)
from shoal.series.ledger import Frame, Ledger, Promise, Release, Roll
from shoal.series.no_series import NoSeries
from shoal.series.records import (
    History,
    bonds_of,
    check_budget,
    joined_values,
    numbers_of,
    person_of,
    signature_of,
    value_sets,
    values_of,
)
from shoal.settings import Settings
from shoal.table.encode_nodes import Coded
from shoal.table.roles import Role
from shoal.table.table import Table

# Why worlds is the default: by sets who subtracts the releases before and after one person joined
# or left has somebody's value, in 90 of 90 small series, by worlds in none. Sets that withhold
# until nobody's is learned lose more: where one of 24 people leaves they withhold 48 % of the
# others at a loss of 40.7 %, worlds 9 % at 12.1 %; of the goldens' waves sets withhold 48 of 90
# people, worlds 29.
AGAINST = {
    "sets": "whom somebody follows through all releases by her quasi-identifiers; not against who "
    "knows that one person joined or left, or solves for everybody's values at once",
    "worlds": "against whoever has all releases and knows everyone's quasi-identifiers and who is "
    "in which, whatever is computed for all people at once",
}


@dataclass(frozen=True, eq=False, repr=False)
class Series(NoSeries):
    """The ledger and its history, who the records of a release are in it, and the next entry.

    A `strict` one refuses columns that spread far more or less than in the release before, where it
    shall be stable; a batch of a stream may be of few people. `gone` people had left.

    Row by row: `people`, their classes in the last release (`homes`), and the values of kept
    columns (`joined`). `column` is the constant sensitive one, `numbers` are those of its values.
    `bound` has the people who need a signature from now on, in the table or not; people of
    `withhold` must be withheld. `frame` is kept for a stable next release; `column_weights` make
    distances those of the release before. `called` is what the ledger calls the release, where that
    is not the name of its file; `made` tells that it is made under the ledger, not added later.
    """

    ledger: Ledger = field(kw_only=True)
    history: History = field(kw_only=True)
    person: str = field(kw_only=True)
    strict: bool = True
    gone: int = 0
    people: Sequence[str] = ()
    homes: Integers = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    joined: Mapping[str, Sequence[str]] = field(default_factory=dict)
    kept: tuple[str, ...] = ()
    changing: tuple[str, ...] = ()
    column: str | None = None
    numbers: tuple[str, ...] = ()
    bound: Mapping[str, Signature] = field(default_factory=dict)
    withhold: frozenset[str] = frozenset()
    frame: Frame | None = None
    column_weights: Mapping[str, float] = field(default_factory=dict)
    dealt: Sequence[Signature] = ()
    withheld: int = 0
    called: str | None = None
    made: bool = True

    @staticmethod
    def of(settings: Settings) -> NoSeries:
        """Return the series that settings name a ledger of, or none."""
        path = settings.series.ledger
        if path is None:
            return NoSeries(settings)
        person = person_of(settings)
        ledger = Ledger.open(Path(path))
        return Series(settings, ledger=ledger, history=History.of(ledger), person=person)

    @property
    def settings(self) -> Settings:
        """The settings for the release: each person has one record, and is dropped by name."""
        names = dict.fromkeys((*self.asked.roles.identifiers, self.person))
        return self.asked.replace(roles={"person": None, "identifiers": list(names)})

    @property
    def pending(self) -> Series:
        """What the ledger will note when the release is written."""
        return self

    @property
    def k(self) -> int:
        """How many people every class has, at least."""
        return self.asked.protect.k

    @property
    def over_series(self) -> str:
        """What l means over the series: sets or worlds."""
        return "sets" if isinstance(self.rule, ValueSets) else "worlds"

    @property
    def stable(self) -> Release | None:
        """The last release, where this one shall keep its frame; None for the first."""
        if not self.asked.series.stable or not self.ledger.releases:
            return None
        last = self.ledger.releases[-1]
        if last.frame is None:
            raise RequestError(
                f"release {last.number} of the ledger has no note of its standardization; leave "
                f"out {option('stable')} this time"
            )
        return last

    @property
    def section(self) -> SeriesSection:
        """What the report says of the series, before its figures are known."""
        return SeriesSection(
            release=self.ledger.next_number,
            promises=list(self.promises),
            withheld=self.withheld,
            counterfeits=self.counterfeits.count,
        )

    @property
    def members(self) -> Members | None:
        """What grouping needs to know of people; None where it is as in any release."""
        return Members(self.rule, self.homes) if isinstance(self.rule, Kinds) else None

    @property
    def barred(self) -> Integers:
        """The rows of people who must be withheld, whatever the groups are."""
        return np.flatnonzero([one in self.withhold for one in self.people]).astype(np.int64)

    @property
    def values(self) -> tuple[str, ...]:
        """The number of each record's value; none where no l is promised over the series."""
        return () if self.rule is None else tuple(self.numbers[v] for v in self.rule.own.tolist())

    def admit(self, table: Table) -> tuple[Self, Table]:
        """Return the series and the table without people who left it."""
        left = self.ledger.left
        stays = np.array([one not in left for one in self._numbers(table)])
        gone = int((~stays).sum())
        return replace(self, gone=gone), table.take(np.flatnonzero(stays)) if gone else table

    def _numbers(self, table: Table) -> list[str]:
        """Return the number of each record's person; each must have one record."""
        column = table[self.person]
        where = f"{table.source.name}, person {shown(self.person)}"
        numbers = numbers_of(column, self.ledger.key, where)
        several = len(numbers) - len(set(numbers))
        if several:
            raise InputError(
                f"{where}: people have several records ({several} too many); under a ledger each "
                "has one a release"
            )
        return numbers

    def with_trees(self, plan: Plan, settings: Settings) -> Settings:
        """Return settings with the hierarchies that a stable series keeps."""
        stable = self.stable
        if stable is None or stable.frame is None:
            return settings
        return with_trees_of(stable.frame, plan, settings)

    def fit(self, table: Table, plan: Plan, coded: Coded | None, weights: Floats | None) -> Self:
        """Return the series with the frame of the table as it is grouped.

        A stable one has the weights of columns, and notes, that its last release makes.
        """
        stable = self.stable
        last = None if stable is None else stable.frame
        now = frame_of(table, plan, coded, weights, last)
        if stable is None or last is None:
            return replace(self, frame=now)
        return replace(
            self, frame=now, column_weights=stable_weights(last, now, plan, self.strict),
            notes=drift_notes(last, now, stable.number),
        )  # fmt: skip

    def meet(self, table: Table, settings: Settings) -> Self:
        """Return the series with the people of a table."""
        people, constant = self._numbers(table), self._constant(table, settings)
        changing, homes = self.asked.series.changing, self.history.homes
        kept = [one for one in table.with_role(Role.OTHER) if one.name not in changing]
        sensitive = [one.name for one in table.with_role(Role.SENSITIVE)]
        own = replace(
            self, people=people, joined=joined_values(kept, self.ledger.key),
            homes=np.array([homes.get(one, NOWHERE) for one in people], dtype=np.int64),
            kept=tuple(one.name for one in kept),
            changing=tuple(one for one in sensitive if constant is None or one in changing),
        )  # fmt: skip
        return own if constant is None else own._with_rule(table, settings, *constant)

    def _constant(self, table: Table, settings: Settings) -> tuple[str, int] | None:
        """Return the sensitive column whose l holds over the series, and l."""
        changing = self.asked.series.changing
        for name in changing:
            if table[name].role not in (Role.SENSITIVE, Role.OTHER):
                raise RequestError(
                    f"changing: {shown(name)} is neither sensitive nor kept; only those are "
                    "followed"
                )
        columns = [
            (column.name, math.ceil(least))
            for column in table.with_role(Role.SENSITIVE)
            if (least := settings.requirement.threshold("l", column.name)) is not None
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
        if columns and models - {self.asked.series.over_series}:
            raise RequestError(
                f"the ledger was begun with {option('over_series', models.pop())}; say it again, "
                "or begin another ledger"
            )
        return columns[0] if columns else None

    def _with_rule(self, table: Table, settings: Settings, name: str, least: int) -> Self:
        """Return the series with the rule that keeps l of a constant column over its releases."""
        history = self.history
        values, own = values_of(table[name], settings, self.ledger.key)
        number = {value: place for place, value in enumerate(values)}
        known = {
            person: Known(
                company,
                number.setdefault(history.values[person], len(number)),
                tuple(sorted(
                    number.setdefault(one, len(number))
                    for one in history.signatures.get(person, ())
                )),
            )
            for person, company in history.company.items()
            if person in history.values
        }  # fmt: skip
        for one in history.left.values():
            for value in sorted(one):
                number.setdefault(value, len(number))
        changed = sum(
            1 for person, value in zip(self.people, own.tolist(), strict=True)
            if person in known and known[person].value != value
        )  # fmt: skip
        if changed:
            raise InputError(
                f"{table.source.name}, column {shown(name)}: {changed} people have another value "
                f"than in earlier releases; say {option('changing', [name])} if it is not constant"
            )
        if self.asked.series.over_series == "sets":
            rule = value_sets(self.people, history, own, number, least)
            barred = frozenset(one for one, few in zip(self.people, rule[1], strict=True) if few)
            return replace(self, column=name, rule=rule[0], numbers=tuple(number), withhold=barred)
        bonds = bind(known, frozenset(self.people), least, self.asked.series.counterfeits > 0)
        bond, every = bonds_of(self.people, known, bonds)
        short = {one for one in self.people if 0 < len(signature_of(one, known, bonds)) < least}
        return replace(
            self, column=name, rule=Kinds(own, bond, every, least), numbers=tuple(number),
            bound=bonds.signed, withhold=bonds.withheld | short,
        )  # fmt: skip

    def grouping(self, settings: Settings, rows: int) -> Settings:
        """Return the settings that so many records are grouped with.

        Groups are so large that k people are left of them when no more than expected are in the
        next release.
        """
        k = math.ceil(self.k / settings.series.expect_overlap)
        if self.k > rows:
            raise PrivacyError(
                f"{rows} records < k = {self.k} are left when those are withheld for whom no "
                "class is safe; nothing was written"
            )
        if k > rows:
            raise RequestError(
                f"{rows} records < {k}, the size of groups that {option('expect_overlap')} asks for"
            )
        weights = self.column_weights or settings.protect.column_weights
        return settings.replace(protect={"k": k, "column_weights": weights})

    def exposed(self, labels: Integers) -> Integers:
        """Return the rows of groups in which kept columns leave somebody too few records.

        Somebody who compares her classes keeps the records whose kept values all of them had: they
        must be at least k, with l values, or none.
        """
        exposed = []
        for rows in rows_of_groups(labels):
            for name, own in self.joined.items():
                there = {own[row] for row in rows.tolist()}
                sets = {
                    before & there
                    for row in rows.tolist()
                    if (before := self.history.companions.get(self.people[row], {}).get(name))
                    is not None
                }
                if any(self._too_few(rows, own, some) for some in sets if some):
                    exposed.append(rows)
                    break
        return np.sort(np.concatenate([*exposed, np.zeros(0, dtype=np.int64)])).astype(np.int64)

    def _too_few(self, rows: Integers, own: Sequence[str], common: frozenset[str]) -> bool:
        left = [row for row in rows.tolist() if own[row] in common]
        if self.rule is None:
            return len(left) < self.k
        values = {int(self.rule.own[row]) for row in left}
        return len(left) < self.k or len(values) < self.rule.l

    def take(self, rows: Integers) -> Self:
        """Return the same for some rows."""
        places = rows.tolist()
        return replace(
            self, people=[self.people[row] for row in places], homes=self.homes[rows],
            rule=None if self.rule is None else self.rule.take(rows),
            joined={name: [own[row] for row in places] for name, own in self.joined.items()},
        )  # fmt: skip

    def keep(self, rows: Integers, made: Counterfeits, labels: Integers, exposed: int) -> Self:
        """Return the series of the rows that are kept, and of counterfeits after them.

        `labels` are the groups of the rows. Raises PrivacyError where more people would be withheld
        than may be; `exposed` of them are, because kept columns join records.
        """
        came, withheld = len(self.people), len(self.people) - rows.size
        check_budget(self.asked.series.withhold, withheld, came, exposed)
        kept = self.take(rows)._with_nobody(made)
        labels = made.joined_to(labels)
        nothing: Sequence[Signature] = [()] * labels.size if kept.rule else []
        dealt = deal(kept.rule, labels) if isinstance(kept.rule, Kinds) else nothing
        kept = replace(kept, dealt=dealt, withheld=withheld)
        promises = kept._promises()
        notes = [*kept._counts(came), *kept._shrunk(labels), *promises, *kept.notes]
        return replace(kept, notes=notes, promises=promises)

    def _with_nobody(self, made: Counterfeits) -> Self:
        """Return the same with counterfeits after the people, each under a random number."""
        if not made.count:
            return self
        assert isinstance(self.rule, Kinds)
        return replace(
            self, counterfeits=made, rule=made.kinds_with(self.rule),
            people=[*self.people, *(self.ledger.key.nobody() for _ in range(made.count))],
            homes=np.concatenate((self.homes, np.full(made.count, NOWHERE, dtype=np.int64))),
            joined={n: [*own, *(own[row] for row in made.like)] for n, own in self.joined.items()},
        )  # fmt: skip

    def _counts(self, came: int) -> list[str]:
        """Return what the private report counts; `came` people were in the table."""
        again = sum(1 for one in self.people if one in self.history.company)
        notes = [
            f"release {self.ledger.next_number} of a series: {again:,} of "
            f"{len(self.people) - self.counterfeits.count:,} people were in "
            f"earlier ones; {self.withheld:,} of {came:,} were withheld; the ledger had "
            f"{len(self.ledger.entries):,} entries before"
        ]
        if self.gone:
            notes.append(f"{self.gone:,} people left, and are in no later release")
        return notes

    def _promises(self) -> list[str]:
        """Return what is published of the series."""
        promises = []
        if self.rule is not None:
            promises.append(
                f"a release of a series: at least {self.rule.l} values of {shown(self.column)} "
                f"stay possible for a person {AGAINST[self.over_series]}"
            )
        if self.counterfeits.count:
            promises.append(
                f"{self.counterfeits.count:,} of the released records are counterfeits, which are "
                "nobody's; no class has fewer than k people without them"
            )
        if self.changing:
            promises.append(
                f"over a series nothing is promised of {listed(self.changing)}: what holds in each "
                "release does not compose"
            )
        return [*promises, "what was published before cannot be made safer by this release"]

    def _shrunk(self, labels: Integers) -> list[str]:
        """Return for how many people fewer values are left by their classes than before.

        Companions are those who were in one class of the last release with somebody who is not in
        this one.
        """
        rule, left, homes = self.rule, self.history.left, self.history.homes
        if rule is None or not left:
            return []
        emptied = {homes[one] for one in set(homes) - set(self.people)}
        shrunk, companions, fewest = 0, 0, len(self.numbers)
        for rows in rows_of_groups(labels):
            there = {self.numbers[value] for value in rule.own[rows].tolist()}
            for row in rows.tolist():
                before = left.get(self.people[row])
                if before is None:
                    continue
                fewest = min(fewest, len(before & there))
                if not before <= there:
                    shrunk += 1
                    companions += int(self.homes[row]) in emptied
        if not shrunk:
            return []
        return [
            f"of {shrunk:,} people fewer values are left than by earlier classes, {companions:,} "
            f"of them companions of people who did not come again; the fewest are {fewest}"
        ]

    def with_counterfeits(self, released: Table) -> Table:
        """Return a released table with counterfeits as its last records.

        Each is like a record of its class but for the sensitive column, which has a cell of a
        record with its value.
        """
        made = self.counterfeits
        if not made.count or self.rule is None:
            return released
        first: dict[int, int] = {}
        for row, value in enumerate(self.rule.own[: released.rows].tolist()):
            first.setdefault(value, row)
        cells = np.array([first[value] for value in made.values.tolist()], dtype=np.int64)
        every = np.arange(released.rows)
        wide = released.take(np.concatenate((every, made.like)))
        shown_as = released.take(np.concatenate((every, cells)))
        names = (self.column,)
        columns = (shown_as[one.name] if one.name in names else one for one in wide.columns)
        return replace(wide, columns=tuple(columns))

    def seal(self, report: Report) -> tuple[Self, Report]:
        """Return the series with the means that are published, and the report with their drift.

        Only means that public reports tell are compared: whoever has all releases has them already.
        """
        means = published_means(report)
        series = (
            self if self.frame is None else replace(self, frame=replace(self.frame, means=means))
        )
        if self.stable is None:
            return series, report
        drift = drift_of(report, self.ledger.releases, self.ledger.next_number, means)
        return series, replace(report, series={**report.series, "drift": drift})

    def entry(
        self, file: str, sha256: str, quasi_identifiers: Sequence[str], classes: Sequence[int]
    ) -> Release:
        """Return the entry of the written file, whose classes are numbered as they first appear.

        People are sorted by their numbers: the order of the rows is not kept.
        """
        order = sorted(range(len(self.people)), key=self.people.__getitem__)
        values, inside = self.values, set(self.people)
        dealt = [self._named(one) for one in self.dealt]
        bound = {one: self._named(own) for one, own in self.bound.items() if one not in inside}
        signatures = tuple(sorted({*dealt, *bound.values()} - {()}))
        place = {(): -1, **{signature: number for number, signature in enumerate(signatures)}}
        roll = Roll(
            tuple(self.people[row] for row in order),
            tuple(int(classes[row]) for row in order),
            tuple(values[row] for row in order) if values else (),
            tuple(place[dealt[row]] for row in order) if dealt else (),
            signatures,
            {person: place[bound[person]] for person in sorted(bound)},
            {name: tuple(own[row] for row in order) for name, own in self.joined.items()},
            tuple(sorted(self.people[len(self.people) - self.counterfeits.count :])),
        )
        least = None if self.rule is None else self.rule.l
        promise = Promise(
            self.k, least, self.column, tuple(quasi_identifiers), self.kept, self.over_series
        )
        return Release(
            self.ledger.next_number, self.called or file, sha256, promise, roll, self.made,
            self.withheld, self.frame,
        )  # fmt: skip

    def _named(self, signature: Signature) -> tuple[str, ...]:
        """Return a signature by the numbers of its values in the ledger."""
        return tuple(sorted(self.numbers[value] for value in signature))
