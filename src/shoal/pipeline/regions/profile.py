"""Profile of a file larger than memory: counts, missing cells, moments, uniqueness.

What is kept does not grow with the number of records: moments that can be joined, a sample of
records, and of every column the values with the smallest hashes (Bar-Yossef and others 2002), which
tell how many different ones there are; whether these came once or more often is counted exactly.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Container, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from typing import Any, cast

import numpy as np
import pyarrow as pa
from pydantic import TypeAdapter

from shoal.errors import InputError, listed, shown
from shoal.executor import Threads
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.result import FEW
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


@dataclass(repr=False)
class Moments:
    """Count, mean and squared deviations of a column's numbers, less a base near them."""

    base: Fraction | None = None
    count: int = 0
    mean: float = 0.0
    squares: float = 0.0
    low: float = math.inf
    high: float = -math.inf

    def add(self, column: Column) -> None:
        """Take the cells of a complete piece of a column."""
        if not len(column.values):
            return
        if self.base is None:
            self.base = _least(column)
        steps = self.steps(column)
        mean = float(steps.sum()) / steps.size
        squares = float(((steps - mean) ** 2).sum())
        ends = float(steps.min()), float(steps.max())
        self.join(Moments(self.base, steps.size, mean, squares, *ends))

    def join(self, other: Moments) -> None:
        """Combine with the moments of other records (Chan and others 1983)."""
        if other.base is None or not other.count:
            return
        if self.base is None or not self.count:
            vars(self).update(vars(other))
            return
        apart = float(other.base - self.base)
        together = self.count + other.count
        shift = other.mean + apart - self.mean
        self.squares += other.squares + shift * shift * self.count * (other.count / together)
        self.mean += shift * (other.count / together)
        self.count = together
        self.low = min(self.low, other.low + apart)
        self.high = max(self.high, other.high + apart)

    def steps(self, column: Column) -> Floats:
        """Return numbers less the base, as exactly as floats can hold it."""
        assert self.base is not None
        whole = as_integers(column)
        if whole is None:
            plain = np.asarray(column.values.cast("double")).astype(np.float64)
            return np.asarray(plain - float(self.base), dtype=np.float64)
        unit = 10 ** (column.values.type.scale if column.kind is Kind.DECIMAL else 0)
        base = self.base * unit
        if base.denominator != 1 or abs(base) >= 2**62 or _beyond(whole):
            return np.array([float((v - base) / unit) for v in whole.tolist()])
        return np.asarray((whole - int(base)) / unit, dtype=np.float64)

    @property
    def deviation(self) -> float:
        """The standard deviation; 0 of a constant column."""
        return math.sqrt(self.squares / self.count) if self.count and self.high > self.low else 0.0

    def placed(self, column: Column) -> Floats:
        """Return (x - mean) / deviation; zeros for a constant column."""
        steps = self.steps(column)
        spread = self.deviation
        return (steps - self.mean) / spread if spread else np.zeros(steps.size)

    def check(self, name: str, where: str) -> None:
        """Refuse numbers whose squares no float holds."""
        if not math.isfinite(self.squares) or (self.high > self.low and self.deviation == 0.0):
            raise InputError(
                f"{where}, quasi-identifier {shown(name)}: its numbers are too far apart, or too "
                "close to 0, for a file larger than memory; scale them"
            )


def _beyond(whole: Any) -> bool:
    return whole.dtype == object or bool((np.abs(whole) >= 2**62).any())


def _least(column: Column) -> Fraction:
    whole = as_integers(column)
    if whole is None:
        return Fraction(float(np.asarray(column.values.cast("double")).min()))
    unit = 10 ** (column.values.type.scale if column.kind is Kind.DECIMAL else 0)
    return Fraction(int(whole.min()), unit)


@dataclass
class ColumnProfile:
    """Profile of one column; `grain` is the greatest common divisor of times.

    `unique` is how many records have a value that no other has, or a few more; `numbers` how many
    different numbers there are, up to three; `code_length` is that of codes, where cells are such.
    `left_out` are cells that were missing in records that are not released.
    """

    missing: int = 0
    different: int = 0
    moments: Moments | None = None
    grain: int = 0
    unique: int = 0
    numbers: int = 0
    code_length: int | None = None
    left_out: int = 0


UNSEEN = ColumnProfile()


@dataclass
class FileProfile:
    """Profile of a file: the number of records and the profiles of its columns."""

    rows: int
    columns: dict[str, ColumnProfile]

    def _of(self, column: Column) -> ColumnProfile:
        """Return the profile of a column, of which nothing is known where it was not seen."""
        return self.columns.get(column.name, UNSEEN)

    def reason(self, column: Column) -> str | None:
        """Return why a column looks like an identifier, None where it does not, or was not seen."""
        own = self._of(column)
        present = self.rows - own.missing - own.left_out
        return too_different(column.kind, own.different, present) if present >= 2 else None

    def repeats(self, column: Column) -> bool | None:
        """Tell whether two records have one value of a column; None if it has none or was not seen.

        Beyond 16,384 values a sample of them is asked, with all records that each has: that less
        than 3 in 16,384 values repeat may go unnoticed, more hardly ever (once in twenty files).
        """
        own = self._of(column)
        return own.different < self.rows - own.missing - own.left_out if own.different else None

    def repeat_notes(self, identifiers: Sequence[Column]) -> list[str]:
        """Return a note where repeats were searched in a sample of values, and none found."""
        sampled = [
            column.name
            for column in identifiers
            if self.repeats(column) is False and self.different(column) >= SKETCH
        ]
        if not sampled:
            return []
        return [
            f"{listed(sampled)}: none of {SKETCH:,} values that were followed through the file "
            "repeats; a few others may"
        ]

    def missing(self, column: Column) -> int:
        """Return how many cells are missing; none of a column that was not seen."""
        return self._of(column).missing

    def complete(self, names: Sequence[str]) -> FileProfile:
        """Return the same without the missing cells of some columns; records are not counted."""
        own = {
            name: replace(self.columns[name], missing=0, left_out=self.columns[name].missing)
            for name in names
        }
        return FileProfile(self.rows, {**self.columns, **own})

    def unique_share(self, column: Column, released: Change = same) -> float:  # noqa: ARG002
        """Return the share of records that are unique in a column; 0 where it was not seen."""
        return self._of(column).unique / max(self.rows, 1)

    def two_valued(self, column: Column) -> bool:
        """Tell whether a column holds exactly two different numbers."""
        return self._of(column).numbers == 2

    def code_length(self, column: Column) -> int | None:
        """Return the length of the codes that the cells are, None where they are no codes."""
        return self._of(column).code_length

    def different(self, column: Column) -> int:
        """Return how many different values a column has; 0 where it was not seen."""
        return self._of(column).different

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return cast(dict[str, Any], _adapter(FileProfile).dump_python(self, mode="json"))

    @classmethod
    def from_dict(cls, values: Any) -> FileProfile:
        """Return what plain values say."""
        return cast(FileProfile, _adapter(FileProfile).validate_python(values))


@dataclass
class Seen:
    """What was seen of a column so far, but for its sketch."""

    missing: int = 0
    moments: Moments | None = None
    grain: int = 0
    numbers: list[Fraction] = field(default_factory=list)
    codes: Counter[int] = field(default_factory=Counter)
    limit: int = 0

    def add(self, column: Column, gone: Flags, is_quasi: bool) -> None:
        """Count the cells of a piece of a column, of which some are `gone`."""
        self.missing += int(gone.sum())
        if is_quasi:
            if len(self.numbers) < MOST:
                self.numbers = joined(self.numbers, first_numbers(column))
            self.codes.update(count_codes(column))
        if is_quasi and column.kind is Kind.DATETIME:
            times = as_integers(some_rows(column, ~gone))
            assert times is not None
            self.grain = math.gcd(self.grain, int(np.gcd.reduce(times)) if times.size else 0)
        if column.kind is Kind.DECIMAL and not is_quasi:  # how long they are
            self.moments = self.moments or Moments()
            self.moments.add(some_rows(column, ~gone))

    def join(self, other: Seen) -> None:
        """Combine with what was seen of other records."""
        self.missing += other.missing
        self.numbers = joined(self.numbers, other.numbers)
        self.codes.update(other.codes)
        self.grain = math.gcd(self.grain, other.grain)
        if other.moments is not None:
            self.moments = self.moments or Moments()
            self.moments.join(other.moments)


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
        self.threads, self.rows = threads, 0
        self.seen: defaultdict[str, Seen] = defaultdict(Seen)
        self.sketches: defaultdict[str, Sketch] = defaultdict(Sketch)

    def add(self, piece: Table) -> None:
        """Add a piece."""
        looked = [column for column in piece.columns if column.name not in self.skipped]
        for column in looked:  # first, so that they stand in the order of the file
            _ = self.seen[column.name], self.sketches[column.name]
        whole = _complete(piece, self.quasi) if self.deletes else np.ones(piece.rows, dtype=bool)
        pool = Threads(self.threads if piece.rows >= FEW else 1)
        for _ in pool.map(self._look, looked):
            pass
        numbers = pool.map(lambda name: self._numbers(piece, name, whole), self.quasi)
        self.sample.add(pa.table(dict(zip(self.quasi, numbers, strict=True))))
        self.rows += piece.rows

    def _look(self, column: Column) -> None:
        """Count the cells of a column; what is kept of others is not touched."""
        self.seen[column.name].add(column, missing_cells(column), column.name in self.quasi)
        self.sketches[column.name].add(hashes(column))

    def _numbers(self, piece: Table, name: str, whole: Flags) -> Floats:
        """Add a column's numbers to its moments and return them, not-a-number where there is none.

        Only records that are flagged as `whole` count.
        """
        column, seen = piece[name], self.seen[name]
        numbers = np.full(piece.rows, np.nan)
        if column.doubt or not column.has_places:
            return numbers
        check_readable(column, piece)
        there = ~missing_cells(column) & whole
        known = some_rows(column, there)
        own = seen.moments = seen.moments or Moments()
        with np.errstate(over="ignore", invalid="ignore"):
            own.add(known)
            if len(known.values):
                numbers[there] = own.steps(known)
        return numbers

    def join(self, other: ProfileBuilder) -> None:
        """Combine with the builder of other pieces."""
        self.rows += other.rows
        self.sample.join(other.sample, {name: self._apart(other, name) for name in self.quasi})
        for name, seen in other.seen.items():
            self.seen[name].join(seen)
            self.sketches[name].join(other.sketches[name])

    def _apart(self, other: ProfileBuilder, name: str) -> float:
        """Return the difference of the bases of two builders."""
        here, there = (one.seen[name].moments or Moments() for one in (self, other))
        if here.base is None or there.base is None:
            return 0.0
        return float(there.base - here.base)

    def keep(self, work: Files, name: str) -> None:
        """Store the builder in the files of a run."""
        self.sample.keep(partial(keep, work, f"{name}-sample"))
        for number, (column, sketch) in enumerate(self.sketches.items()):
            often = pa.table({"hash": sketch.kept, "often": sketch.often})
            keep(work, f"{name}-sketch-{number}", often)
            self.seen[column].limit = int(sketch.limit)
        values = _adapter(dict[str, Seen]).dump_python(dict(self.seen), mode="json")
        work.note(name, {"rows": self.rows, "seen": values})

    def take(self, work: Files, name: str) -> None:
        """Load the builder from the files of a run."""
        values = work.read(name)
        self.sample.take(kept(work, f"{name}-sample"))
        self.rows = values["rows"]
        self.seen.update(_adapter(dict[str, Seen]).validate_python(values["seen"]))
        for number, (column, seen) in enumerate(self.seen.items()):
            kept_sketch = kept(work, f"{name}-sketch-{number}")
            sketch = self.sketches[column]
            sketch.kept = np.asarray(kept_sketch.column("hash")).astype(np.uint64)
            sketch.often = np.asarray(kept_sketch.column("often")).astype(np.int64)
            sketch.limit = np.uint64(seen.limit)

    def profile(self) -> FileProfile:
        """Return the profile."""
        columns = {}
        for name, seen in self.seen.items():
            present, sketch = self.rows - seen.missing, self.sketches[name]
            columns[name] = ColumnProfile(
                seen.missing, sketch.different(present), seen.moments, seen.grain,
                sketch.unique(present), len(seen.numbers), code_length(seen.codes, present),
            )  # fmt: skip
        return FileProfile(self.rows, columns)


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def _complete(piece: Table, quasi: Sequence[str]) -> Flags:
    """Return which records miss no quasi-identifier."""
    known = [piece[name] for name in quasi if piece[name].kind is not Kind.UNKNOWN]
    gone = [missing_cells(column) for column in known]
    whole: Flags = ~np.logical_or.reduce([np.zeros(piece.rows, dtype=bool), *gone])
    return whole
