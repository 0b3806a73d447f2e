"""Task of a family of measures, and the forms of its figures."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np

from shoal.backends.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import Compared
from shoal.measures.result import Measure

Item = TypeVar("Item")
Result = TypeVar("Result")
Each = Callable[..., list[Any]]  # works something out of every item, side by side

FEW = 20_000  # records of which one thread measures all


@dataclass(frozen=True)
class Effort:
    """How much the costly measures may look at.

    `distances` between attackers and classes, column by column; `attackers` at least; `records` a
    side that models are trained on, `guesses` a fold of the model that guesses; `assignments` are
    the distances of an assignment one to one, `sets` those of columns that someone may know: where
    they are 0, such attacks are left out.
    """

    distances: float = 8e8
    attackers: int = 500
    records: int = 20_000
    guesses: int = 20_000
    assignments: float = 2e7
    sets: int = 20


BRIEF = Effort(distances=4e7, attackers=200, records=4_000, guesses=2_000, assignments=0, sets=0)


@dataclass(frozen=True)
class Task:
    """What a family of measures gets."""

    compared: Compared
    effort: Effort
    sample: int | None
    rng: np.random.Generator
    public: bool
    threads: int | None = 1

    def each(self, work: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
        """Return what is worked out of columns, or of parts, side by side, in their order."""
        few = max(self.compared.records, self.compared.originals) < FEW
        return side_by_side(work, items, 1 if few else self.threads)

    def some(self, size: int, most: int) -> Integers:
        """Return all of so many rows, or a sample, in order."""
        most = self.sample or most
        if size <= most:
            return np.arange(size)
        return np.sort(self.rng.choice(size, most, replace=False))


def side_by_side(
    work: Callable[[Item], Result], items: Iterable[Item], threads: int | None
) -> list[Result]:
    """Return the results of items in their order, by so many threads; None are all cores."""
    return list(Threads(threads).map(work, items))


def worst(key: str, by: dict[str, float], of: Callable[[list[float]], float]) -> list[Measure]:
    """Return the worst of the columns, and all of them."""
    return [Measure(key, of(list(by.values())), by)] if by else []


class Pooled:
    """A share of cells, by column and of all."""

    def __init__(self) -> None:
        self.by: dict[str, float] = {}
        self.total = 0.0
        self.cells = 0

    def add(self, name: str, figure: float, cells: int) -> None:
        """Count a column's cells."""
        if cells:
            self.by[name] = 100.0 * figure / cells
            self.total, self.cells = self.total + figure, self.cells + cells

    def measure(self, key: str) -> list[Measure]:
        """Return the share of all cells, in percent; nothing where there were none."""
        return [Measure(key, 100.0 * self.total / self.cells, self.by)] if self.cells else []


def interval(values: Floats, most: float, chance: float = 0.0) -> tuple[float, float]:
    """Return a 95 % interval of the mean of all, from a sample; values lie between 0 and `most`.

    Where the sample says the same throughout, the rule of three says what else there may be.
    `chance` is what a sample shows where there is nothing to see.
    """
    center, size = float(values.mean()), values.size
    half = 1.96 * float(values.std(ddof=1)) / np.sqrt(size) if size > 1 else most
    half = half or 3.0 * most / size
    return max(0.0, center - chance - float(half)), min(most, center + float(half))
