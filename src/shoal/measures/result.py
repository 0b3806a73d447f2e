"""Measures: figures with their words, as text, JSON and page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, TypeVar, cast

import numpy as np

from shoal.errors import in_html, shown
from shoal.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.compared import Compared
from shoal.measures.definition import Definition
from shoal.measures.definitions import DEFINITIONS
from shoal.measures.sections import ColumnSection, MeasureSection, MeasuresSection, PairSection

SCHEMA = "shoal-measures/1"
PRIVATE = "private: figures of the original are exact here; do not publish them"
SMALL, NOTHING = 1e-4, 1e-6  # below: shown with more digits; shown as 0


@dataclass(frozen=True)
class Measure:
    """One figure: its value, by column where there are several, and what it means.

    `interval` is a 95 % interval where only `sampled` records were looked at; `rest` is a second
    figure that the sentence names.
    """

    key: str
    value: float
    by: dict[str, float] = field(default_factory=dict)
    interval: tuple[float, float] | None = None
    sampled: int | None = None
    rest: str = ""

    @property
    def words(self) -> Definition:
        """Its definition."""
        return DEFINITIONS[self.key]

    @property
    def title(self) -> str:
        """What people call it."""
        return self.words.title

    @property
    def text(self) -> str:
        """The value with its unit."""
        return figure_text(self.value, self.words.unit)

    @property
    def worst(self) -> str:
        """The column or pair with the worst figure, and that figure where it is another one."""
        if not self.by or self.words.side != "utility":
            return ""
        name = (min if self.words.better == "higher" else max)(self.by, key=self.by.__getitem__)
        if self.by[name] == self.value:
            return shown(name)
        return f"at worst {figure_text(self.by[name], self.words.unit)}: {shown(name)}"

    @property
    def spread(self) -> str:
        """The interval in words, empty where there is none."""
        if self.interval is None:
            return ""
        low, high = (figure_text(end, self.words.unit) for end in self.interval)
        return f"{low} to {high}, from a sample of {self.sampled:,}"

    @property
    def sentence(self) -> str:
        """What it means for a decision, in one sentence."""
        return self.words.sentence.format(value=self.text, rest=self.rest)

    def to_dict(self) -> MeasureSection:
        """Return plain values for JSON."""
        fields: MeasureSection = {
            "value": self.value,
            "unit": self.words.unit,
            "sentence": self.sentence,
        }
        if self.by:
            fields["by"] = dict(self.by)
        if self.interval is not None and self.sampled is not None:
            fields |= {"interval": list(self.interval), "sampled": self.sampled}
        return fields


def figure_text(value: float, unit: str) -> str:
    """Return a figure as people write it."""
    if unit == "count":
        return f"{round(value):,}"
    if not value:
        return "0 %" if unit == "percent" else "0"
    if unit == "percent":
        return f"{value:.2f} %" if abs(value) < 10 else f"{value:.1f} %"
    if abs(value) < SMALL:
        return format(Decimal(f"{value:.1g}"), "f") if abs(value) >= NOTHING else "0"
    return f"{value:.4f}" if abs(value) < 1 else f"{value:.3g}"


@dataclass(frozen=True)
class ColumnMeasures:
    """A quasi-identifier of numbers before and after; quantiles are of 5, 25, 50, 75 and 95 %.

    In the column's own unit, dates in days since 1970, ordinal values in ranks; None is a figure
    that no float can hold.
    """

    name: str
    kind: str
    mean_before: float | None
    mean_after: float | None
    variance_before: float | None
    variance_after: float | None
    quantiles_before: tuple[float | None, ...]
    quantiles_after: tuple[float | None, ...]


@dataclass(frozen=True)
class Measures:
    """What a release cost and which risks are left: `utility` and `risk` by key.

    `paired` says how many records are known on both sides, 0 where the pairing is unknown;
    `notes` what could not be measured and why. `k` is the smallest class; `candidates` the smallest
    number of records that match one, where missing cells and `*` match more than themselves.
    """

    utility: dict[str, Measure]
    risk: dict[str, Measure]
    columns: tuple[ColumnMeasures, ...]
    pairs: tuple[PairSection, ...]
    originals: int
    records: int
    paired: int
    k: int
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    notes: tuple[str, ...]
    seconds: float
    candidates: int | None = None

    def __getitem__(self, key: str) -> Measure:
        for part in (self.utility, self.risk):
            if key in part:
                return part[key]
        raise KeyError(key)

    def __contains__(self, key: object) -> bool:
        return key in self.utility or key in self.risk

    def __iter__(self) -> Iterator[str]:
        yield from self.utility
        yield from self.risk

    def __len__(self) -> int:
        return len(self.utility) + len(self.risk)

    def to_dict(self) -> MeasuresSection:
        """Return plain values for JSON."""
        tree: MeasuresSection = {
            "schema": SCHEMA,
            "audience": "private",
            "originals": self.originals,
            "records": self.records,
            "paired": self.paired,
            "k": self.k,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "utility": {key: one.to_dict() for key, one in self.utility.items()},
            "risk": {key: one.to_dict() for key, one in self.risk.items()},
            "columns": [cast(ColumnSection, asdict(column)) for column in self.columns],
            "pairs": list(self.pairs),
            "notes": list(self.notes),
            "seconds": round(self.seconds, 3),
        }
        if self.candidates is not None:
            tree["candidates"] = self.candidates
        return tree

    def to_json(self) -> str:
        """Return the measures as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def summary(self) -> str:
        """Return two tables of figures, a line each."""
        paired = f"{self.paired:,} of them paired" if self.paired else "not paired"
        lines = [
            f"{self.records:,} released records, {self.originals:,} originals, {paired}; smallest "
            f"class {self.k:,}"
            + ("" if self.candidates is None else f", smallest candidate set {self.candidates:,}"),
        ]
        for name, part in (("What it cost", self.utility), ("Which risks are left", self.risk)):
            lines += ["", name]
            width = max((len(one.title) for one in part.values()), default=0)
            lines += [
                f"  {one.title:<{width}}  {one.text:>12}"
                + "".join(f"  ({text})" for text in (one.worst, one.spread) if text)
                for one in part.values()
            ]
        lines += [""] if self.notes else []
        lines += [f"  note: {note}" for note in self.notes]
        lines += ["", PRIVATE]
        return "\n".join(lines)

    def __str__(self) -> str:
        told_ = [f"  {one.sentence}" + (f" [{one.spread}]" if one.spread else "")
                 for part in (self.risk, self.utility) for one in part.values()]  # fmt: skip
        return "\n".join([self.summary(), "", "In words:", *told_])

    def __repr__(self) -> str:
        names = ", ".join(map(shown, self.quasi_identifiers))
        return f"<Measures of {names}: {self.records} records, smallest class {self.k}>"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, ...]] = [("measure", "value", "what it means")]
        for name, part in (("Which risks are left", self.risk), ("What it cost", self.utility)):
            rows.append((name,))
            for one in part.values():
                beside = "".join(f" ({text})" for text in (one.worst, one.spread) if text)
                rows.append((one.title, f"{one.text}{beside}", one.sentence))
        return in_html(self.summary().splitlines()[0], [*self.notes, PRIVATE], rows)


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
