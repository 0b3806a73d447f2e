"""Membership: who the records of a table are in a series of releases."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import PrivacyError, listed, shown
from shoal.hints import COLUMN, option
from shoal.kernels.arrays import Integers
from shoal.ledger.history import History
from shoal.ledger.ledger import Frame, Ledger, Promise
from shoal.ledger.pending import Pending
from shoal.methods.enforce.rules import Kinds
from shoal.methods.enforce.values import ValueSets
from shoal.methods.series.bonds import Signature, deal
from shoal.methods.series.group import Counterfeits, Members
from shoal.methods.series.start import NOWHERE
from shoal.partition import rows_of_groups
from shoal.table.roles import Role
from shoal.table.table import Table

AGAINST = {
    "sets": "whom somebody follows through all releases by her quasi-identifiers; nothing is "
    "promised against who solves for everybody's values at once",
    "worlds": "against whoever has all releases and knows everyone's quasi-identifiers and who is "
    "in which, whatever is computed for all people at once",
}


@dataclass(frozen=True, eq=False, repr=False)
class Membership:
    """Who the records of a table are in a series, row by row.

    `column` is the constant sensitive column, and `values` are the numbers of its values; `joined`
    has those of kept values by column. `bound` has the people who need a signature from now on, in
    the table or not; people who are `barred` must be withheld. `frame` is kept for a stable next
    release, and `column_weights` make distances those of the release before, where that is asked.
    The last `false` of the rows are counterfeits.
    """

    ledger: Ledger
    history: History
    schema: Table
    k: int
    changing: tuple[str, ...]
    people: Sequence[str]
    homes: Integers
    joined: Mapping[str, tuple[str, ...]]
    column: str | None = None
    kinds: Kinds | None = None
    sets: ValueSets | None = None
    values: tuple[str, ...] = ()
    bound: Mapping[str, Signature] = field(default_factory=dict)
    barred: frozenset[str] = frozenset()
    frame: Frame | None = None
    column_weights: Mapping[str, float] = field(default_factory=dict)
    false: int = 0

    @property
    def rule(self) -> Kinds | ValueSets | None:
        """The rule of the series that groups must keep; None where l is not kept over it."""
        return self.sets if self.kinds is None else self.kinds

    @property
    def over_series(self) -> str:
        """What l means over the series: sets or worlds."""
        return "worlds" if self.sets is None else "sets"

    @property
    def members(self) -> Members | None:
        """What grouping needs to know of them; None where it is as in any release."""
        return None if self.kinds is None else Members(self.kinds, self.homes)

    @property
    def barred_rows(self) -> Integers:
        """The rows of people who must be withheld, whatever the groups are."""
        flags = [person in self.barred for person in self.people]
        return np.flatnonzero(flags).astype(np.int64)

    def take(self, rows: Integers) -> Membership:
        """Return the same for some rows."""
        return replace(
            self,
            people=[self.people[row] for row in rows.tolist()],
            kinds=None if self.kinds is None else self.kinds.take(rows),
            sets=None if self.sets is None else self.sets.take(rows),
            homes=self.homes[rows],
            joined={
                name: tuple(own[row] for row in rows.tolist()) for name, own in self.joined.items()
            },
        )

    def with_counterfeits(self, made: Counterfeits) -> Membership:
        """Return the same with counterfeits after the people, each under a random number."""
        if not made.count:
            return self
        assert self.kinds is not None
        numbers = [self.ledger.key.nobody() for _ in range(made.count)]
        every = made.like.tolist()
        return replace(
            self,
            people=[*self.people, *numbers],
            kinds=made.kinds_with(self.kinds),
            homes=np.concatenate((self.homes, np.full(made.count, NOWHERE, dtype=np.int64))),
            joined={
                name: (*own, *(own[row] for row in every)) for name, own in self.joined.items()
            },
            false=made.count,
        )

    def exposed(self, labels: Integers) -> Integers:
        """Return the rows of groups in which kept columns leave somebody too few records.

        Somebody who compares her classes keeps the records whose kept values all of them had: they
        must be at least k, with l values, or none.
        """
        k, least = self.k, 0 if self.rule is None else self.rule.l
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
                if any(self._too_few(rows, own, some, k, least) for some in sets if some):
                    exposed.append(rows)
                    break
        return np.sort(np.concatenate([*exposed, np.zeros(0, dtype=np.int64)])).astype(np.int64)

    def _too_few(
        self, rows: Integers, own: Sequence[str], common: frozenset[str], k: int, least: int
    ) -> bool:
        left = [row for row in rows.tolist() if own[row] in common]
        values = 0 if self.rule is None else len({int(self.rule.own[row]) for row in left})
        return len(left) < k or values < least

    def dealt(self, labels: Integers) -> list[Signature]:
        """Return the signatures of records in groups; no list where l is not kept over a series."""
        if self.sets is not None:
            return [()] * labels.size
        return [] if self.kinds is None else deal(self.kinds, labels)

    def pending(self, dealt: Sequence[Signature], withheld: int) -> Pending:
        """Return the entry of these records with their signatures, for when they are written."""
        kept = [one.name for one in self.schema.with_role(Role.OTHER)]
        kept = [one for one in kept if one not in self.changing]
        rule = self.rule
        own_values = [] if rule is None else rule.own.tolist()
        promise = Promise(
            self.k, None if rule is None else rule.l, self.column, (), tuple(kept),
            self.over_series,
        )  # fmt: skip
        inside = set(self.people)
        return Pending(
            self.ledger, promise, tuple(self.people),
            tuple(self.values[value] for value in own_values),
            tuple(self._named(one) for one in dealt),
            {one: self._named(own) for one, own in self.bound.items() if one not in inside},
            self.joined, withheld, frame=self.frame,
            counterfeits=tuple(self.people[len(self.people) - self.false :]),
        )  # fmt: skip

    def _named(self, signature: Signature) -> tuple[str, ...]:
        """Return a signature by the numbers of its values in the ledger."""
        return tuple(sorted(self.values[value] for value in signature))


def check_budget(allowed: float, withheld: int, rows: int, joined: int = 0) -> None:
    """Raise PrivacyError where more people would have to be withheld than may be.

    `joined` of them are withheld because kept columns would join records.
    """
    if withheld > allowed * rows:
        share = math.ceil(1000 * withheld / rows) / 10
        raise PrivacyError(
            f"{withheld:,} of {rows:,} people would have to be withheld, as no class is safe for "
            f"them together with earlier releases{_of_joined(joined)}; say "
            f"{option('withhold', f'{share:g}%')} to leave them out; nothing was written"
        )


def _of_joined(joined: int) -> str:
    """Return what to do about kept columns that join records."""
    if not joined:
        return ""
    return (
        f"; kept columns join records of {joined:,}: leave them out ({option('drop', [COLUMN])}), "
        f"or name those that change with {option('changing', [COLUMN])}"
    )


def series_notes(
    membership: Membership, withheld: int, rows: int, gone: int, shrunk: Sequence[str] = ()
) -> tuple[list[str], list[str]]:
    """Return what the private and the public report say of the series.

    `shrunk` says for how many people fewer values are left than before.
    """
    rule = membership.rule
    again = sum(1 for one in membership.people if one in membership.history.company)
    number = membership.ledger.next_number
    real = len(membership.people) - membership.false
    notes = [
        f"release {number} of a series: {again:,} of {real:,} people were in "
        f"earlier ones; {withheld:,} of {rows:,} were withheld; the ledger had "
        f"{len(membership.ledger.entries):,} entries before"
    ]
    if gone:
        notes.append(f"{gone:,} people left, and are in no later release")
    notes += shrunk
    changing = [
        one.name for one in membership.schema.with_role(Role.SENSITIVE)
        if rule is None or one.name in membership.changing
    ]  # fmt: skip
    public = []
    if rule is not None:
        public.append(
            f"a release of a series: at least {rule.l} values of {shown(membership.column)} stay "
            f"possible for a person {AGAINST[membership.over_series]}"
        )
    if membership.false:
        public.append(
            f"{membership.false:,} of the released records are counterfeits, which are nobody's; "
            "no class has fewer than k people without them"
        )
    if changing:
        public.append(
            f"over a series nothing is promised of {listed(changing)}: what holds in each release "
            "does not compose"
        )
    public.append("what was published before cannot be made safer by this release")
    return [*notes, *public], public
