"""Pending: the entry of a release that is made and not yet written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from shoal.errors import in_shape
from shoal.ledger.entries import Promise, Release, Roll
from shoal.ledger.ledger import Ledger


@dataclass(frozen=True, eq=False)
class Pending:
    """Who is in a release, row by row, and what the ledger will say of them.

    `dealt` are the signatures; it is empty where no l is promised over the series. `joined` has the
    numbers of kept values by column.
    """

    __repr__ = in_shape

    ledger: Ledger
    promise: Promise
    people: tuple[str, ...]
    dealt: tuple[tuple[str, ...], ...] = ()
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    withheld: int = 0
    made: bool = True

    def entry(
        self, file: str, sha256: str, quasi_identifiers: Sequence[str], classes: Sequence[int]
    ) -> Release:
        """Return the entry of the written file, whose classes are numbered as they first appear.

        People are sorted by their numbers: the order of the rows is not kept.
        """
        order = sorted(range(len(self.people)), key=self.people.__getitem__)
        signatures = tuple(sorted(set(self.dealt)))
        place = {signature: number for number, signature in enumerate(signatures)}
        roll = Roll(
            tuple(self.people[row] for row in order),
            tuple(int(classes[row]) for row in order),
            tuple(place[self.dealt[row]] for row in order) if self.dealt else (),
            signatures,
            {name: tuple(values[row] for row in order) for name, values in self.joined.items()},
        )
        promise = replace(self.promise, quasi_identifiers=tuple(quasi_identifiers))
        number = self.ledger.next_number
        return Release(number, file, sha256, promise, roll, self.made, self.withheld)
