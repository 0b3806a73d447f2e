"""Pending: the entry of a release that is made and not yet written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shoal.ledger.ledger import Frame, Ledger, Promise, Release, Roll


@dataclass(frozen=True, eq=False, repr=False)
class Pending:
    """Who is in a release, row by row, and what the ledger will say of them.

    `values` are the numbers of sensitive values, `dealt` the signatures, which may be empty; there
    are none where no l is promised over the series. `bound` has signatures of people who are not in
    the release, `joined` the numbers of kept values by column. Some of the people may be
    `counterfeits`: they are nobody. `called` is what the ledger calls the release, where that is
    not the name of its file.
    """

    ledger: Ledger
    promise: Promise
    people: tuple[str, ...]
    values: tuple[str, ...] = ()
    dealt: tuple[tuple[str, ...], ...] = ()
    bound: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    withheld: int = 0
    made: bool = True
    frame: Frame | None = None
    counterfeits: tuple[str, ...] = ()
    called: str | None = None

    def entry(
        self, file: str, sha256: str, quasi_identifiers: Sequence[str], classes: Sequence[int]
    ) -> Release:
        """Return the entry of the written file, whose classes are numbered as they first appear.

        People are sorted by their numbers: the order of the rows is not kept.
        """
        order = sorted(range(len(self.people)), key=self.people.__getitem__)
        signatures = tuple(sorted({*self.dealt, *self.bound.values()} - {()}))
        place = {(): -1, **{signature: number for number, signature in enumerate(signatures)}}
        roll = Roll(
            tuple(self.people[row] for row in order),
            tuple(int(classes[row]) for row in order),
            tuple(self.values[row] for row in order) if self.values else (),
            tuple(place[self.dealt[row]] for row in order) if self.dealt else (),
            signatures,
            {person: place[self.bound[person]] for person in sorted(self.bound)},
            {name: tuple(values[row] for row in order) for name, values in self.joined.items()},
            tuple(sorted(self.counterfeits)),
        )
        promise = replace(self.promise, quasi_identifiers=tuple(quasi_identifiers))
        number = self.ledger.next_number
        name = file if self.called is None else self.called
        return Release(number, name, sha256, promise, roll, self.made, self.withheld, self.frame)
