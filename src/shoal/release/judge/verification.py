"""What a release shows: numbers, and classes by their numbers, never a value of a record."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any

from shoal.errors import listed, shown

LISTED = 10  # offending classes in a summary
WORDS = {"ignored": "left out:", "value": "as a value of their own:"}


@dataclass(frozen=True)
class Sizes:
    """How large the classes are; `table` is at most 20 rows of a size and its classes.

    The last row stands for all larger ones: its size is "and more".
    """

    least: int = 0
    median: float = 0
    largest: int = 0
    table: tuple[tuple[int | str, int], ...] = ()


@dataclass(frozen=True)
class Read:
    """What the worst class has in one reading of missing cells, and whether all keep the rule."""

    found: float
    ok: bool


@dataclass(frozen=True)
class Judged:
    """One rule for one column: what was asked, what the worst class has, which classes fail.

    `classes` fail, with `records` in them; `reachable` is False where even the whole file as one
    class would fail. Of t-closeness, `distance` is how far values are apart. Of l-diversity,
    `certain` is the share of records that are known and whose class has no other known value, and
    `posterior` how sure one can be of a value in the worst class after ruling out 0, 1, … others.
    Of l-diversity and alpha, `readings` has both ways to count missing cells: ignored, or as a
    value of their own.
    """

    model: str
    column: str
    asked: float
    found: float
    ok: bool
    classes: int
    records: int
    reachable: bool
    distance: str | None = None
    certain: float | None = None
    posterior: tuple[float, ...] = ()
    readings: dict[str, Read] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What is judged."""
        return f"{self.model} of {shown(self.column)}"


@dataclass(frozen=True)
class KOf:
    """Some quasi-identifiers with their own k: the smallest combination, and which are too rare."""

    columns: tuple[str, ...]
    asked: int
    found: int
    ok: bool
    classes: int
    records: int
    reachable: bool

    @property
    def label(self) -> str:
        """What is judged."""
        return f"k of {listed(self.columns)}"


@dataclass(frozen=True)
class Offending:
    """A class that breaks something: its number in the file, its size, its first record."""

    number: int
    size: int
    first_record: int
    breaks: tuple[str, ...]


@dataclass(frozen=True)
class Composition:
    """This release met with another: `smallest` candidate set over pairs of compatible classes.

    `pairs` have candidates, `below` fewer than k; `records` of this file are in those. The classes
    are compared by `columns`, their records by `sensitive`.
    """

    smallest: int | None
    pairs: int
    below: int
    records: int
    columns: tuple[str, ...]
    sensitive: tuple[str, ...]


@dataclass(frozen=True)
class Verification:
    """What the release shows. `k` is what it has, `required` what was asked for.

    `reading` is what a missing cell or `*` matches, see `shoal.models.matching`; `readings` has the
    smallest set of candidates in each (None where it was not counted). `offending` lists at most
    1,000 of the `offending_count` classes that break something. `warnings` do not make it fail.
    """

    ok: bool
    k: int
    required: int
    records: int
    classes: int
    problems: tuple[str, ...]
    reading: str = "own"
    readings: dict[str, int | None] = field(default_factory=dict)
    sizes: Sizes = Sizes()
    models: tuple[Judged, ...] = ()
    k_of: tuple[KOf, ...] = ()
    offending: tuple[Offending, ...] = ()
    offending_count: int = 0
    against: Composition | None = None
    warnings: tuple[str, ...] = ()

    def summary(self) -> str:
        """Return the verdict in words."""
        head = (
            f"{self.records} records in {self.classes} classes, the smallest of {self.k}; "
            f"required: {self.required}"
        )
        if self.reading != "own":
            head += f"; missing cells and * read as {self.reading}"
        verdict = "verified" if self.ok else "NOT SAFE"
        lines = [f"{verdict}: {head}", *(f"  {problem}" for problem in self.problems)]
        sizes = self.sizes
        lines.append(
            f"  class sizes: least {sizes.least}, median {sizes.median:g}, largest {sizes.largest}"
        )
        if len({count for count in self.readings.values() if count is not None}) > 1:
            each = ", ".join(
                f"{name} {'not counted' if count is None else count}"
                for name, count in self.readings.items()
            )
            lines.append(f"  smallest candidate set by what a missing cell or * matches: {each}")
        lines += [f"  {line}" for judged in self.models for line in _of_model(judged)]
        lines += [f"  {of.label}: {of.found}, asked: {of.asked}" for of in self.k_of]
        if self.against is not None:
            lines.append(f"  {_of_composition(self.against)}")
        lines += [f"  warning: {warning}" for warning in self.warnings]
        lines += [
            f"  class {one.number} of {one.size} records, from record {one.first_record}, breaks "
            f"{'; '.join(one.breaks)}"
            for one in self.offending[:LISTED]
        ]
        if self.offending_count > LISTED:
            lines.append(f"  and {self.offending_count - LISTED} classes more")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        found: dict[str, Any] = _plain(asdict(self))
        table = [{"size": size, "classes": classes} for size, classes in self.sizes.table]
        found["sizes"]["table"] = table
        return found

    def __str__(self) -> str:
        return self.summary()

    def __bool__(self) -> bool:
        return self.ok


def _of_model(judged: Judged) -> list[str]:
    found = _number(judged.found)
    bound = "below" if judged.model.startswith("recursive") else "asked:"
    lines = [f"{judged.label}: {found}, {bound} {judged.asked:g}"]
    if judged.readings:
        each = (
            f"{WORDS[name]} {_number(one.found)} ({'kept' if one.ok else 'broken'})"
            for name, one in judged.readings.items()
        )
        lines.append(f"  missing cells {', '.join(each)}")
    if judged.certain is not None:
        lines.append(
            f"  records whose class has a single known value: {100 * judged.certain:.4g} %"
        )
    if judged.posterior:
        sure = ", ".join(f"{100 * share:.4g} %" for share in judged.posterior)
        counts = "0" if len(judged.posterior) == 1 else f"0 to {len(judged.posterior) - 1}"
        lines.append(f"  surest of a value, after ruling out {counts} others: {sure}")
    return lines


def _number(found: float) -> str:
    return f"{found:.4g}" if math.isfinite(found) else "too few values"


def _of_composition(against: Composition) -> str:
    if against.smallest is None:
        return "with the other release: no class of this one meets one of the other"
    return (
        f"with the other release: smallest candidate set {against.smallest}, over {against.pairs} "
        "pairs of classes"
    )


def _plain(value: Any) -> Any:
    """Return lists, dicts and finite numbers; None for any other number."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
