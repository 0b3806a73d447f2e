"""Original and release side by side: columns, pairing of records, and classes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from shoal.executor import Threads
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.sides import Numbers, Side, Words
from shoal.once import once
from shoal.partition import first_rows
from shoal.table.hierarchy.values import distinct_values
from shoal.table.roles import Column, Kind
from shoal.table.spelling import forms_of

DENSE = 8  # times as many codes as records that are numbered by a table of all codes


class Strata(NamedTuple):
    """The stratum of every released record, by number, and the names of the strata."""

    numbers: Integers
    names: list[str]


@dataclass(frozen=True, eq=False, repr=False)
class Compared:
    """Both sides of the quasi-identifiers and of the sensitive columns, and their classes.

    `first` and `second` are the rows of originals and of released records that are the same
    person's, None where unknown. `classes` numbers the distinct combinations of released
    quasi-identifiers, `origins` those of the original. `secrets` has, of every sensitive column,
    the released values as numbers, -1 where missing. `weights` are survey weights of the released
    records, `own_weights` those of the originals; `deleted` originals are not in the
    release; `kept` are other columns that are released as they were; `strata` of the released
    records are None where none were named; `others` and `hidden` number the released cells of
    every column that is kept, other ones with weights, and sensitive ones; `candidates` are, of
    every class, the records that match it, None where these are its own.
    """

    quasi: tuple[Side, ...]
    sensitive: tuple[Side, ...]
    secrets: tuple[Integers, ...]
    classes: Integers
    origins: Integers
    first: Integers | None = None
    second: Integers | None = None
    weights: Floats | None = None
    own_weights: Floats | None = None
    deleted: int = 0
    kept: tuple[Side, ...] = ()
    strata: Strata | None = None
    others: dict[str, Integers] = field(default_factory=dict)
    hidden: dict[str, Integers] = field(default_factory=dict)
    candidates: Integers | None = None

    @property
    def originals(self) -> int:
        """The number of original records."""
        return self.origins.size

    @property
    def records(self) -> int:
        """The number of released records."""
        return self.classes.size

    @property
    def paired(self) -> bool:
        """Whether originals and released records are paired."""
        return self.first is not None

    @once
    def sizes(self) -> Integers:
        """The number of records of every class."""
        return np.bincount(self.classes)

    @once
    def seen(self) -> Integers:
        """A released record of every class."""
        return first_rows(self.classes, self.sizes.size)

    @once
    def spreads(self) -> dict[str, Spread]:
        """The numbers that the quasi-identifiers release, in order."""
        return {side.name: Spread.of(side.after[self.seen], self.sizes) for side in self.numbers}

    @property
    def matching(self) -> Integers:
        """The number of records that match every class: risks follow from these."""
        return self.sizes if self.candidates is None else self.candidates

    @property
    def k(self) -> int:
        """The smallest class."""
        return int(self.sizes.min())

    @property
    def numbers(self) -> list[Numbers]:
        """The quasi-identifiers that are numbers."""
        return [side for side in self.quasi if isinstance(side, Numbers)]

    @property
    def words(self) -> list[Words]:
        """The quasi-identifiers that are categories."""
        return [side for side in self.quasi if isinstance(side, Words)]

    @property
    def whole(self) -> Flags:
        """Of every pair, whether all records of its class are known on both sides."""
        assert self.second is not None
        own = self.classes[self.second]
        known: Flags = np.bincount(own, minlength=self.sizes.size) == self.sizes
        return known[own]

    @property
    def known(self) -> Compared:
        """The tables aligned by the pairing, where there is one, else as they stand."""
        return self.aligned if self.paired else self

    @once
    def aligned(self) -> Compared:
        """The records that are known on both sides, row i of both the same person."""
        assert self.first is not None
        assert self.second is not None
        first, second = self.first, self.second
        every = np.arange(first.size)
        if np.array_equal(first, second) and first.size == self.originals == self.records:
            return self
        return replace(
            self,
            quasi=tuple(side.take(first, second) for side in self.quasi),
            sensitive=tuple(side.take(first, second) for side in self.sensitive),
            kept=tuple(side.take(first, second) for side in self.kept),
            secrets=tuple(codes[second] for codes in self.secrets),
            classes=renumbered(self.classes[second]),
            origins=renumbered(self.origins[first]),
            first=every,
            second=every,
            weights=None if self.weights is None else self.weights[second],
            own_weights=None if self.own_weights is None else self.own_weights[first],
        )


def codes_of(column: Column) -> Integers:
    """Return the cells as numbers, equal cells the same; missing ones are a value of their own."""
    import pyarrow as pa

    values = column.values
    if column.kind is Kind.FLOAT:
        values = pa.array(np.asarray(values.cast("double")) + 0.0, from_pandas=True)
    encoded = values.dictionary_encode()
    return np.asarray(encoded.indices.fill_null(len(encoded.dictionary))).astype(np.int64)


def secret_codes(column: Column, missing: Iterable[str] = ()) -> Integers:
    """Return the cells as numbers, equal cells and spellings of one value the same, -1 if missing.

    `missing` are words that mean missing, which have spellings, too.
    """
    if column.kind is Kind.TEXT:
        values = distinct_values(column)
        forms: Integers = np.append(forms_of(column, values, missing), -1)[values.indices]
        return forms
    codes = codes_of(column)
    gone = np.asarray(column.values.is_null(nan_is_null=True))
    return np.where(gone, -1, codes)


def classes_of(columns: Iterable[Column], rows: int, threads: int | None = 1) -> Integers:
    """Return of every record the number of its combination of cells."""
    labels = np.zeros(rows, dtype=np.int64)
    count = min(rows, 1)
    for codes in Threads(threads).map(codes_of, columns):
        if count == rows:  # nothing tells records apart that are alone
            break
        if (codes[first_rows(labels, count)][labels] != codes).any():
            labels = joined(labels, codes)
            count = int(labels.max()) + 1
    return labels


def joined(labels: Integers, codes: Integers) -> Integers:
    """Return numbers from 0 on for the combinations of two codes from 0 on."""
    return renumbered(labels * (int(codes.max(initial=0)) + 1) + codes)


def renumbered(codes: Integers) -> Integers:
    """Return the codes, which are from 0 on, as numbers from 0 on without gaps, in their order."""
    limit = int(codes.max(initial=-1)) + 1
    if limit <= DENSE * codes.size:
        used = np.zeros(limit, dtype=bool)
        used[codes] = True
        places: Integers = np.cumsum(used)
        return places[codes] - 1
    numbers: Integers = np.unique(codes, return_inverse=True)[1]
    return numbers.astype(np.int64).reshape(-1)


@dataclass(frozen=True, eq=False, repr=False)
class Spread:
    """Distinct numbers, the least first: `begins` records are below each, `ends` not above.

    `places` are those of the numbers it was made of; what is not-a-number is after the last.
    """

    values: Floats
    begins: Integers
    ends: Integers
    places: Integers

    @classmethod
    def of(cls, values: Floats, counts: Integers) -> Spread:
        """Return numbers that so many records have each; not-a-number is none."""
        order = np.argsort(values)  # not-a-number comes last
        order = order[: order.size - int(np.count_nonzero(np.isnan(values)))]
        ordered, upto = values[order], np.cumsum(counts[order])
        last = np.ones(ordered.size, dtype=bool)
        last[:-1] = ordered[1:] != ordered[:-1]
        ends = upto[last]
        places = np.full(values.size, ends.size)
        places[order] = np.cumsum(last) - last
        return cls(ordered[last], np.concatenate(([0], ends))[:-1], ends, places)

    @property
    def size(self) -> int:
        """The number of records."""
        return int(self.ends[-1]) if self.ends.size else 0

    def every(self) -> Floats:
        """Return the numbers of all records in order."""
        return np.repeat(self.values, self.ends - self.begins)

    def ranked(self, ranks: Integers) -> Floats:
        """Return the numbers of the records of some ranks, counted from 0."""
        ranked: Floats = self.values[np.searchsorted(self.ends, ranks, "right")]
        return ranked


def middle_ranks(below: Integers, upto: Integers, size: int) -> Floats:
    """Return ranks as shares of all: the mean rank of equal values, `below` of which are less."""
    ranks: Floats = (below + upto + 1) / 2.0 / max(size, 1)
    return ranks
