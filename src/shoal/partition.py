"""Labels and sizes: what an algorithm returns, and it checks itself."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.errors import Json, RequestError, in_html, in_shape, shown
from shoal.kernels.arrays import Integers

FEW = 4  # times as many labels as records, at most, are counted instead of sorted
SIZES = 10  # of groups, in a notebook's table; larger ones are counted together
PROVEN = 1e-6  # a share of the loss, within which a bound meets it


def canonical_labels(labels: npt.NDArray[Any]) -> Integers:
    """Return the labels numbered from 0 in the order in which they first appear."""
    rows = labels.size
    if not (rows and labels.dtype == np.int64 and labels.min() >= 0 and labels.max() < FEW * rows):
        labels = np.unique(labels, return_inverse=True)[1]
    first = np.full(int(labels.max(initial=-1)) + 1, rows, dtype=np.int64)
    first[labels[::-1]] = np.arange(rows - 1, -1, -1)  # of equal ones the last counts
    used = np.flatnonzero(first < rows)
    numbers = np.empty_like(first)
    numbers[used[np.argsort(first[used])]] = np.arange(used.size)
    return np.asarray(numbers[labels], dtype=np.int64)


def check_labels(labels: Any, rows: int, k: int, what: str = "labels") -> Integers:
    """Return a grouping as labels from 0, the first record's group first."""
    unclear = RequestError(f"{what} must be one number or text a record")
    array = labels if isinstance(labels, np.ndarray) else None
    if array is not None and array.ndim != 1:
        raise unclear
    if array is not None and not np.ma.isMaskedArray(array) and array.dtype.kind in "biu":
        return _check_sizes(canonical_labels(array), rows, k, what)
    try:
        every = array.tolist() if array is not None else list(labels)
        numbers: dict[Any, int] = {}
        given = [numbers.setdefault(label, len(numbers)) for label in every]
        missing = any(label is None or label != label for label in numbers)  # noqa: PLR0124
    except TypeError:
        raise unclear from None
    if missing:
        raise RequestError(f"{what}: a record has no group")
    return _check_sizes(np.array(given, dtype=np.int64), rows, k, what)


def _check_sizes(start: Integers, rows: int, k: int, what: str) -> Integers:
    """Return the numbers if they are groups of k of all records."""
    if start.size != rows:
        raise RequestError(f"{what}: {start.size} for {rows} records")
    sizes = np.bincount(start)
    small = int((sizes < k).sum())
    if small:
        raise RequestError(
            f"{what}: {small} of {sizes.size} groups have fewer than k = {k} records, the smallest "
            f"{int(sizes.min())}; refining keeps groups of k, it does not make them"
        )
    return start


def rows_of_groups(labels: Integers) -> list[Integers]:
    """Return the rows of each group 0, 1, ..., lowest first."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.cumsum(np.bincount(labels))[:-1])


@dataclass(frozen=True)
class SearchLog:
    """Log of a search: losses in percent, gains by part, reason of the end.

    `complete` says whether it ended in a local optimum, so that no move between two groups gains;
    `looks` is after how many looks of records at groups it did not (in a search on trees).
    """

    iterations: int
    runs: int
    schedule: int
    stopped_by: str
    seconds: float
    loss_start: float
    loss_first_optimum: float
    loss_end: float
    curve: list[tuple[int, float]]
    gains: dict[str, dict[str, float]]
    pairs_examined: int
    pairs_by_pass: list[float]
    complete: bool = True
    looks: int | None = None

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON."""
        return asdict(self)

    def summary(self) -> str:
        """Return a summary in one line."""
        on_trees, rounds = "regroup" in self.gains, "programme" in self.gains
        whole = on_trees or self.iterations > 0 or self.stopped_by == "iterations"
        unfinished = "" if whole else ", before the first local optimum: not repeatable"
        if whole and not self.complete:
            unfinished = ", before its last local optimum"
        if rounds:
            clock = self.stopped_by in ("time limit", "interrupt")
            unfinished = ", within a round: another run may find others" if clock else ""
        steps = "rounds" if rounds else "iterations"
        return (
            f"search: loss {self.loss_start:.4f} % → {self.loss_end:.4f} % in {self.iterations:,} "
            f"{steps}, {self.seconds:.1f} s, ended by {self.stopped_by}{unfinished}"
        )


@dataclass(frozen=True)
class Bound:
    """Lower bound on the loss: in percent, and as a sum of squares, where the loss is one.

    `complete` says that it is the bound of the whole linear programme over all groups, or better;
    one that was cut short is a bound all the same. `loss_name` says which loss it is.
    """

    information_loss: float
    sse: float | None
    complete: bool
    loss_name: str = "SSE/SST, percent"

    def above(self, loss: float) -> float:
        """Return how far a loss is above the optimum at the most, in percent of the bound."""
        if loss <= self.information_loss * (1.0 + PROVEN) or loss <= 0.0:
            return 0.0
        if self.information_loss <= 0.0:
            return float("inf")
        return 100.0 * (loss - self.information_loss) / self.information_loss

    def describe(self, loss: float) -> str:
        """Return in words how far a loss is from the bound."""
        above = self.above(loss)
        if above == 0.0:
            return "proven optimal: no grouping loses less"
        least = f"no grouping loses less than {self.least()} %"
        if above > 100.0:
            return f"not known to be near the optimum: {least}"
        places = 0 if above >= 10.0 else 1 - math.floor(math.log10(above))
        most = math.ceil(above * 10.0**places - 1e-9) / 10.0**places
        return f"at most {most:.{places}f} % above the optimum: {least}"

    def least(self) -> str:
        """Return the bound with four digits, rounded down."""
        return f"{math.floor(self.information_loss * 1e4) / 1e4:.4f}"


@dataclass(frozen=True, eq=False)
class Recoding:
    """One level of every column's hierarchy for all records: `levels` by name, 0 are the values.

    The records of `suppressed` rows, in order, are left out of the release.
    """

    __repr__ = in_shape

    levels: Mapping[str, int]
    suppressed: Integers

    def kept(self, rows: int) -> Integers:
        """Return which of so many rows are released."""
        return np.delete(np.arange(rows), self.suppressed)

    def summary(self) -> str:
        """Return the levels in one line."""
        levels = ", ".join(f"{shown(name)} {level}" for name, level in self.levels.items())
        return f"one level for all records, 0 as it was: {levels}"


@dataclass(frozen=True, eq=False)
class Suppression:
    """Records that are left out so that the others lose less: their rows, in order.

    `others` is what the others lose, in percent of what all records hold; `before` what all lost in
    groups that took little time, where such were made.
    """

    __repr__ = in_shape

    suppressed: Integers
    others: float
    before: float | None = None


@dataclass(frozen=True, eq=False)
class Partition:
    """A partition of the records: labels, with at least k records a group.

    `labels` counts the groups from 0 in the order the method made them. `information_loss` is
    100 * SSE / SST on the data the method saw, where SSE sums the squared distances of the records
    to their group's mean and SST those to the mean of all; 0 when all records are equal. Of methods
    for categories it is KAIM's ILoss rate. `search` says how a search went, where one was made,
    `reason` why `auto` chose the method, `enforced` how groups came to keep what is asked of them
    beyond k and `way` in one word, as `enforce` calls it ("none": they did as they were made);
    `bound` is what no grouping can lose less than, where the method knows. Where columns are
    recoded for all records, `recoding` has their levels. Where records are left out, by it or by a
    `suppression`, the labels are those of the others, and the loss counts each as having lost
    everything.
    """

    labels: Integers
    k: int
    method: str = ""
    information_loss: float = float("nan")
    loss_name: str = "SSE/SST, percent"
    search: SearchLog | None = None
    reason: str = ""
    enforced: str = ""
    bound: Bound | None = None
    way: str = ""
    recoding: Recoding | None = None
    suppression: Suppression | None = None
    sizes: Integers = field(init=False)

    def __post_init__(self) -> None:
        labels = np.array(self.labels, dtype=np.int64)
        if labels.ndim != 1 or labels.size == 0:
            raise ValueError("labels must be a vector, one label a record")
        if labels.min() < 0:
            raise ValueError("a record has no group")
        sizes = np.bincount(labels)
        if sizes.min() < self.k:
            smallest = int(sizes.argmin())
            raise ValueError(f"group {smallest} has {sizes[smallest]} records, k is {self.k}")
        for array in (labels, sizes):
            array.setflags(write=False)
        object.__setattr__(self, "labels", labels)
        object.__setattr__(self, "sizes", sizes)

    @classmethod
    def from_groups(cls, groups: list[list[int]], rows: int, k: int, method: str) -> Partition:
        """Return the partition whose groups are lists of row numbers."""
        labels = np.full(rows, -1, dtype=np.int64)
        for label, group in enumerate(groups):
            labels[group] = label
        if sum(len(group) for group in groups) != rows:
            raise ValueError("the groups do not hold every record once")
        return cls(labels, k, method)

    @property
    def suppressed(self) -> Integers:
        """The rows of the records that are left out, in order."""
        own = self.recoding or self.suppression
        return np.zeros(0, dtype=np.int64) if own is None else own.suppressed

    @property
    def groups(self) -> int:
        """The number of groups."""
        return int(self.sizes.size)

    def members(self) -> list[Integers]:
        """Return the rows of each group, lowest first."""
        return rows_of_groups(self.labels)

    def summary(self) -> str:
        """Return a summary in one line."""
        bound = "" if self.bound is None else f"; {self.bound.describe(self.information_loss)}"
        return (
            f"{self.labels.size} records in {self.groups} groups of {self.sizes.min()} to "
            f"{self.sizes.max()}, k = {self.k}, {self.method}: "
            f"information loss {self.information_loss:.4f} ({self.loss_name}){bound}"
        )

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        return f"<Partition: {self.summary()}>"

    def _repr_html_(self) -> str:
        sizes, counts = np.unique(self.sizes, return_counts=True)
        rows: list[tuple[object, ...]] = [("records of a group", "groups")]
        rows += zip(sizes[:SIZES].tolist(), counts[:SIZES].tolist(), strict=True)
        if sizes.size > SIZES:
            rows.append((f"more than {sizes[SIZES - 1]}", int(counts[SIZES:].sum())))
        more = (self.reason, self.enforced, self.search.summary() if self.search else "")
        return in_html(self.summary(), more, rows)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Partition):
            return NotImplemented
        return self.k == other.k and np.array_equal(self.labels, other.labels)

    __hash__ = None  # type: ignore[assignment]


def first_rows(labels: Integers, count: int) -> Integers:
    """Return the first record of each of so many labels from 0 on, which all have some."""
    firsts = np.empty(count, dtype=np.int64)
    firsts[labels[::-1]] = np.arange(labels.size - 1, -1, -1)
    return firsts
