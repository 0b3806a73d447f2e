"""Profile of a file larger than memory: counts, missing cells, moments, uniqueness.

What is kept does not grow with the number of records: moments that can be joined, a sample of
records, and of every column the values with the smallest hashes (Bar-Yossef and others 2002), which
tell how many different ones there are; whether these came once or more often is counted exactly.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import listed
from shoal.executor import Threads
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.result import FEW
from shoal.pipeline.regions.encoders import Moments
from shoal.pipeline.regions.run_folder import Files
from shoal.pipeline.regions.write import keep, kept
from shoal.table.assign import too_different
from shoal.table.proposals.codes import code_length, count_codes
from shoal.table.roles import Column, Kind
from shoal.table.sampling import Hashes, Sample, hashes
from shoal.table.table import (
    Change,
    Table,
    as_integers,
    check_readable,
    missing_cells,
    same,
    some_rows,
)
from shoal.table.two_valued import MOST, first_numbers, joined

SKETCH = 16_384  # values by which different ones are counted: within a percent or two


class Sketch:
    """So many values with the smallest hashes, and how often each came."""

    def __init__(self, size: int = SKETCH) -> None:
        self.size = size
        self.kept = np.zeros(0, dtype=np.uint64)
        self.often = np.zeros(0, dtype=np.int64)
        self.limit = np.uint64(2**64 - 1)

    def add(self, hashes: Hashes) -> None:
        """Take the hashes of some cells."""
        self._take(*np.unique(hashes[hashes <= self.limit], return_counts=True))

    def join(self, other: Sketch) -> None:
        """Combine with the sketch of other records."""
        low = other.kept <= self.limit
        self.limit = min(self.limit, other.limit)
        self._take(other.kept[low], other.often[low])
        few = self.kept <= self.limit
        self.kept, self.often = self.kept[few], self.often[few]

    def _take(self, fresh: Hashes, often: Integers) -> None:
        every, where = np.unique(np.concatenate((self.kept, fresh)), return_inverse=True)
        times = np.bincount(where, np.concatenate((self.often, often))).astype(np.int64)
        self.kept, self.often = every[: self.size], times[: self.size]
        if every.size > self.size:
            self.limit = self.kept[-1]

    def different(self, present: int) -> int:
        """Return how many different values there are: exact while there are few, or all differ."""
        if self.kept.size < self.size:
            return int(self.kept.size)
        if bool((self.often == 1).all()):
            return present
        share = float(self.kept[-1]) / 2.0**64
        return min(round((self.size - 1) / share), present - 1)

    def unique(self, present: int) -> int:
        """Return how many values came once: exact while there are few, or all differ.

        Else from those with the smallest hashes, and by three standard errors too many.
        """
        once = int((self.often == 1).sum())
        if self.kept.size < self.size or once == self.size:
            return once if once < self.size else present
        share = once / self.size + 3.0 * math.sqrt(0.5 / self.size)
        return round(min(1.0, share) * self.different(present))


@dataclass
class ColumnProfile:
    """Profile of one column; `grain` is the greatest common divisor of times.

    `unique` is how many records have a value that no other has, or a few more; `numbers` how many
    different numbers there are, up to three; `code_length` is that of codes, where cells are such.
    """

    missing: int
    different: int
    moments: Moments | None
    grain: int = 0
    unique: int = 0
    numbers: int = 0
    code_length: int | None = None

    def reason(self, kind: Kind, rows: int) -> str | None:
        """Return why the column looks like an identifier, None where it does not."""
        present = rows - self.missing
        if present < 2:
            return None
        return too_different(kind, self.different, present)


@dataclass
class FileProfile:
    """Profile of a file: the number of records and the profiles of its columns."""

    rows: int
    columns: dict[str, ColumnProfile]

    def reason(self, column: Column) -> str | None:
        """Return why a column looks like an identifier, None where it does not, or was not seen."""
        profile = self.columns.get(column.name)
        return None if profile is None else profile.reason(column.kind, self.rows)

    def repeats(self, column: Column) -> bool | None:
        """Tell whether two records have one value of a column; None if it has none or was not seen.

        Beyond 16,384 values a sample of them is asked, with all records that each has: that less
        than 3 in 16,384 values repeat may go unnoticed, more hardly ever (once in twenty files).
        """
        profile = self.columns.get(column.name)
        present = 0 if profile is None else self.rows - profile.missing
        return None if profile is None or not present else profile.different < present

    def repeat_notes(self, identifiers: Sequence[Column]) -> list[str]:
        """Return a note where repeats were searched in a sample of values, and none found."""
        sampled = [
            column.name
            for column in identifiers
            if self.repeats(column) is False and self.columns[column.name].different >= SKETCH
        ]
        if not sampled:
            return []
        return [
            f"{listed(sampled)}: none of {SKETCH:,} values that were followed through the file "
            "repeats; a few others may"
        ]

    def missing(self, column: Column) -> int:
        """Return how many cells are missing; none of a column that was not seen."""
        profile = self.columns.get(column.name)
        return 0 if profile is None else profile.missing

    def complete(self, names: Sequence[str]) -> FileProfile:
        """Return the same without the missing cells of some columns; records are not counted."""
        own = {name: replace(self.columns[name], missing=0) for name in names}
        return FileProfile(self.rows, {**self.columns, **own})

    def unique_share(self, column: Column, released: Change = same) -> float:  # noqa: ARG002
        """Return the share of records that are unique in a column; 0 where it was not seen."""
        profile = self.columns.get(column.name)
        return 0.0 if profile is None else profile.unique / max(self.rows, 1)

    def two_valued(self, column: Column) -> bool:
        """Tell whether a column holds exactly two different numbers."""
        profile = self.columns.get(column.name)
        return profile is not None and profile.numbers == 2

    def code_length(self, column: Column) -> int | None:
        """Return the length of the codes that the cells are, None where they are no codes."""
        profile = self.columns.get(column.name)
        return None if profile is None else profile.code_length

    def varies(self, column: Column) -> bool:
        """Tell whether a column holds different values, or some and missing ones."""
        profile = self.columns[column.name]
        values = profile.numbers or profile.different
        return values + (profile.missing > 0) > 1

    def different(self, column: Column) -> int:
        """Return how many different values a column has; 0 where it was not seen."""
        profile = self.columns.get(column.name)
        return 0 if profile is None else profile.different

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        columns = {}
        for name, seen in self.columns.items():
            moments = seen.moments and seen.moments.to_dict()
            columns[name] = [
                seen.missing, seen.different, moments, seen.grain, seen.unique, seen.numbers,
                seen.code_length,
            ]  # fmt: skip
        return {"rows": self.rows, "columns": columns}

    @classmethod
    def from_dict(cls, values: Any) -> FileProfile:
        """Return what plain values say."""
        columns = {}
        for name, (missing, different, own, *rest) in values["columns"].items():
            moments = own and Moments.from_dict(own)
            columns[name] = ColumnProfile(missing, different, moments, *rest)
        return cls(values["rows"], columns)


class ProfileBuilder:
    """Builds a profile from pieces; builders of other pieces can be joined.

    Columns that are `skipped` are not looked at. The sample gets the numbers of the
    quasi-identifiers, not-a-number where there is none. If one `deletes` incomplete records, those
    do not count in the moments. Columns are looked at side by side by so many `threads`.
    """

    def __init__(
        self, quasi: Sequence[str], skipped: Container[str], sample: Sample, deletes: bool = False,
        threads: int = 1,
    ) -> None:  # fmt: skip
        self.quasi, self.skipped, self.sample, self.deletes = quasi, skipped, sample, deletes
        self.threads = threads
        self.rows = 0
        self.missing: dict[str, int] = {}
        self.sketches: dict[str, Sketch] = {}
        self.moments: dict[str, Moments] = {}
        self.grains: dict[str, int] = {}
        self.numbers: dict[str, list[Fraction]] = {}
        self.codes: dict[str, Counter[int]] = {}

    def add(self, piece: Table) -> None:
        """Add a piece."""
        seen = [column for column in piece.columns if column.name not in self.skipped]
        for column in seen:  # first, so that they stand in the order of the file
            self.missing.setdefault(column.name, 0)
            self.sketches.setdefault(column.name, Sketch())
        whole = _complete(piece, self.quasi) if self.deletes else np.ones(piece.rows, dtype=bool)
        pool = Threads(self.threads if piece.rows >= FEW else 1)
        for _ in pool.map(self._look, seen):
            pass
        numbers = pool.map(lambda name: _numbers(piece, name, self.moments, whole), self.quasi)
        self.sample.add(pa.table(dict(zip(self.quasi, numbers, strict=True))))
        self.rows += piece.rows

    def _look(self, column: Column) -> None:
        """Count the cells of a column; what is kept of others is not touched."""
        name = column.name
        gone = missing_cells(column)
        self.missing[name] += int(gone.sum())
        self.sketches[name].add(hashes(column))
        if name in self.quasi and len(self.numbers.get(name, ())) < MOST:
            self.numbers[name] = joined(self.numbers.get(name, ()), first_numbers(column))
        if name in self.quasi:
            self.codes.setdefault(name, Counter()).update(count_codes(column))
        if column.kind is Kind.DATETIME and name in self.quasi:
            self.grains[name] = _grain(some_rows(column, ~gone), self.grains.get(name, 0))
        if column.kind is Kind.DECIMAL and name not in self.quasi:  # how long they are
            self.moments.setdefault(name, Moments()).add(some_rows(column, ~gone))

    def join(self, other: ProfileBuilder) -> None:
        """Combine with the builder of other pieces."""
        self.rows += other.rows
        for name, gone in other.missing.items():
            self.missing[name] = self.missing.get(name, 0) + gone
            self.sketches.setdefault(name, Sketch()).join(other.sketches[name])
        for name, few in other.numbers.items():
            self.numbers[name] = joined(self.numbers.get(name, ()), few)
        for name, lengths in other.codes.items():
            self.codes.setdefault(name, Counter()).update(lengths)
        for name, grain in other.grains.items():
            self.grains[name] = math.gcd(self.grains.get(name, 0), grain)
        self.sample.join(other.sample, {name: self._apart(other, name) for name in self.quasi})
        for name, own in other.moments.items():
            self.moments.setdefault(name, Moments()).join(own)

    def _apart(self, other: ProfileBuilder, name: str) -> float:
        """Return the difference of the bases of two builders."""
        here, there = self.moments.get(name), other.moments.get(name)
        if here is None or there is None or here.base is None or there.base is None:
            return 0.0
        return float(there.base - here.base)

    def keep(self, work: Files, name: str) -> None:
        """Store the builder in the files of a run."""
        self.sample.keep(partial(keep, work, f"{name}-sample"))
        for number, sketch in enumerate(self.sketches.values()):
            often = pa.table({"hash": sketch.kept, "often": sketch.often})
            keep(work, f"{name}-sketch-{number}", often)
        values = {
            "rows": self.rows, "missing": self.missing, "grains": self.grains,
            "numbers": {column: [str(one) for one in few] for column, few in self.numbers.items()},
            "moments": {column: own.to_dict() for column, own in self.moments.items()},
            "codes": {column: list(own.items()) for column, own in self.codes.items()},
            "limits": {column: int(one.limit) for column, one in self.sketches.items()},
        }  # fmt: skip
        work.note(name, values)

    def take(self, work: Files, name: str) -> None:
        """Load the builder from the files of a run."""
        values = work.read(name)
        self.sample.take(kept(work, f"{name}-sample"))
        self.rows, self.missing, self.grains = values["rows"], values["missing"], values["grains"]
        self.numbers = {one: [Fraction(n) for n in few] for one, few in values["numbers"].items()}
        self.moments = {one: Moments.from_dict(own) for one, own in values["moments"].items()}
        self.codes = {one: Counter(dict(own)) for one, own in values.get("codes", {}).items()}
        for number, (column, limit) in enumerate(values["limits"].items()):
            kept_sketch = kept(work, f"{name}-sketch-{number}")
            sketch = self.sketches[column] = Sketch()
            sketch.kept = np.asarray(kept_sketch.column("hash")).astype(np.uint64)
            sketch.often = np.asarray(kept_sketch.column("often")).astype(np.int64)
            sketch.limit = np.uint64(limit)

    def profile(self) -> FileProfile:
        """Return the profile."""
        columns = {
            name: ColumnProfile(
                gone,
                self.sketches[name].different(self.rows - gone),
                self.moments.get(name),
                self.grains.get(name, 0),
                self.sketches[name].unique(self.rows - gone),
                len(self.numbers.get(name, ())),
                code_length(self.codes.get(name, {}), self.rows - gone),
            )
            for name, gone in self.missing.items()
        }
        return FileProfile(self.rows, columns)


def _grain(column: Column, before: int) -> int:
    whole = as_integers(column)
    assert whole is not None
    return math.gcd(before, int(np.gcd.reduce(whole)) if whole.size else 0)


def _complete(piece: Table, quasi: Sequence[str]) -> Flags:
    """Return which records miss no quasi-identifier."""
    known = [piece[name] for name in quasi if piece[name].kind is not Kind.UNKNOWN]
    gone = [missing_cells(column) for column in known]
    whole: Flags = ~np.logical_or.reduce([np.zeros(piece.rows, dtype=bool), *gone])
    return whole


def _numbers(piece: Table, name: str, moments: dict[str, Moments], whole: Flags) -> Floats:
    """Add a column's numbers to its moments and return them, not-a-number where there is none.

    Only records that are flagged as `whole` count.
    """
    column = piece[name]
    numbers = np.full(piece.rows, np.nan)
    if column.doubt or not column.has_places:
        return numbers
    check_readable(column, piece)
    there = ~missing_cells(column) & whole
    known = some_rows(column, there)
    own = moments.setdefault(name, Moments())
    with np.errstate(over="ignore", invalid="ignore"):
        own.add(known)
        if len(known.values):
            numbers[there] = own.steps(known)
    return numbers
