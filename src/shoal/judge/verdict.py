"""Verification: the result of `verify`, in counts and never with a value of a record."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, cast

from shoal.errors import in_html, listed, shown
from shoal.hints import Message, option, said
from shoal.judge.sections import VerificationSection

LISTED = 10  # offending classes, and columns beside, in a summary
DIGITS = 4  # of a figure
ENOUGH = 17  # digits that tell any two floats apart
STRICT = ("recursive", "δ-disclosure")  # models whose figure must be below what is asked
WORDS = {"ignored": "left out:", "value": "as a value of their own:"}


@dataclass(frozen=True)
class Sizes:
    """How large the classes are; `table` is at most 20 rows of a size and its classes.

    Where missing cells and `*` match more than themselves, a class is as large as the set of its
    candidates. The last row stands for all larger ones: its size is "and more". `squares` is the
    sum of the squared numbers of records of all classes.
    """

    least: int = 0
    median: float = 0
    largest: int = 0
    table: tuple[tuple[int | str, int], ...] = ()
    squares: int = 0


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

    @property
    def found_text(self) -> str:
        """What the worst class has, in a few digits."""
        return self.figure(self.found)

    def figure(self, found: float) -> str:
        """Return what a class has, in a few digits."""
        if self.model.startswith("enhanced") and not math.isfinite(found):
            return "more than any β allows"
        return digits_beside(found, self.asked, DIGITS)

    def lines(self) -> list[str]:
        """Return it in words."""
        bound = "below" if self.model.startswith(STRICT) else "asked:"
        each = ", ".join(
            f"{WORDS[name]} {self.figure(one.found)} ({'kept' if one.ok else 'broken'})"
            for name, one in self.readings.items()
        )
        sure = ", ".join(f"{100 * share:.4g} %" for share in self.posterior)
        outs = "0" if len(self.posterior) == 1 else f"0 to {len(self.posterior) - 1}"
        certain = f"{100 * (self.certain or 0):.4g} %"
        lines = {
            f"{self.label}: {self.figure(self.found)}, {bound} {self.asked:g}": True,
            f"  missing cells {each}": self.readings,
            f"  records whose class has a single known value: {certain}": self.certain is not None,
            f"  surest of a value, after ruling out {outs} others: {sure}": self.posterior,
        }
        return [line for line, is_there in lines.items() if is_there]


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
class Shared:
    """People in both releases, the fewest that share both classes, and those below k.

    `unknown` are those that could not be placed; `how` is how the others were, in each release.
    """

    people: int
    smallest: int | None
    below: int
    unknown: int
    how: tuple[str, str]


@dataclass(frozen=True)
class Composition:
    """This release met with another: `smallest` candidate set over pairs of compatible classes.

    `pairs` have candidates, `below` fewer than k; `records` of this file are in those. The classes
    are compared by `columns`, their records by `sensitive`; `roles` says where the roles of this
    release and the other are from. `unjudged` are columns because of which it cannot be judged from
    the releases alone. With the original, `shared` says with how many others people share both
    classes.
    """

    smallest: int | None
    pairs: int
    below: int
    records: int
    columns: tuple[str, ...]
    sensitive: tuple[str, ...]
    roles: tuple[str, str] = ("", "")
    unjudged: tuple[str, ...] = ()
    shared: Shared | None = None

    @property
    def judged(self) -> bool:
        """Whether it could be judged: by the original, or from the releases."""
        return self.shared is not None or not self.unjudged

    def lines(self) -> list[str]:
        """Return it in words."""
        shared = self.shared
        if shared is not None:
            least = "nobody" if shared.smallest is None else f"{shared.smallest} people"
            lines = [
                f"with the other release and the original: {shared.people} people are in both, at "
                f"least {least} share both classes; {shared.below} share them with too few",
                f"  {shared.unknown} could not be placed in both, and are not safe",
                f"  people were placed {shared.how[0]} in this release, {shared.how[1]} in the "
                "other",
            ]
            del lines[1 : 1 + (not shared.unknown)]
        elif not self.judged:
            lines = ["with the other release: cannot be judged from the releases alone"]
        elif self.smallest is None:
            lines = ["with the other release: no class of this one meets one of the other"]
        else:
            lines = [f"with the other release: smallest candidate set {self.smallest}, over "
                     f"{self.pairs} pairs of classes"]  # fmt: skip
        met, by = (listed(some) or "no column" for some in (self.columns, self.sensitive))
        sides = zip(("this", "the other"), self.roles, strict=True)
        return [
            *lines, f"  classes met by {met}, records by {by}",
            *(f"  roles of {which} release: {roles}" for which, roles in sides if roles),
        ]  # fmt: skip

    def problems(self, k: int) -> list[str]:
        """Return what is wrong when this release and the other are known."""
        if self.shared is None:
            found = {
                f"two releases of {listed(self.unjudged)} cannot be judged from the releases alone:"
                " means and other single values do not say whom they stand for; say "
                f"{option('original', 'FILE')}": not self.judged,
                f"with the other release, {self.below} pairs of classes leave fewer than {k} "
                f"candidates; {self.records} records of this file are among them": self.below,
            }
        else:
            some = f"of {self.shared.people} people"
            found = {
                f"{self.shared.below} {some} share their classes in both releases with fewer than "
                f"{k - 1} others": self.shared.below,
                f"{self.shared.unknown} {some} cannot be placed in both releases; name columns "
                f"that all three files know them by ({option('key')})": self.shared.unknown,
            }
        return [problem for problem, is_there in found.items() if is_there]


@dataclass(frozen=True)
class Beside:
    """A column that nobody asked about: the share of records with a value that no other has."""

    column: str
    alone: float


@dataclass(frozen=True)
class Verification:
    """What the release shows. `k` is what it has, `required` what was asked for.

    `reading` is what a missing cell or `*` matches (`classes.py`); `readings` has the smallest set
    of candidates in each (None where it was not counted). `offending` lists the classes that break
    something. `beside` has the columns that nobody asked about; `apart` are those of them that tell
    most records apart. `warnings` do not make it fail. `roles`, `roles_of_sensitive` and
    `required_by` say where the quasi-identifiers, the sensitive columns and k are from, where they
    were not given; `reader` is what read the file, and `sql` the script of the judgment, where it
    was asked for.
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
    beside: tuple[Beside, ...] = ()
    apart: tuple[str, ...] = ()
    against: Composition | None = None
    warnings: tuple[str, ...] = ()
    roles: str = ""
    roles_of_sensitive: str = ""
    required_by: str = ""
    reader: str = ""
    sql: str = field(default="", repr=False)

    @property
    def origins(self) -> list[str]:
        """Sources of roles that were not given, a line each."""
        return [line for line in (self.required_by, self.roles, self.roles_of_sensitive) if line]

    @property
    def offending_count(self) -> int:
        """How many classes break something."""
        return len(self.offending)

    def summary(self) -> str:
        """Return the verdict in words."""
        sizes, is_own, verdict = self.sizes, self.reading == "own", "NOT SAFE"
        if self.apart and len(self.problems) == 1:
            verdict = f"keeps what is asked; BUT {tell_apart(self.apart)}"
        each = ", ".join(f"{name} {'not counted' if count is None else count}"
                         for name, count in self.readings.items())  # fmt: skip
        differ = len(set(self.readings.values()) - {None}) > 1
        return "\n".join([
            f"{'verified' if self.ok else verdict}: {self.records:,} records in {self.classes:,} "
            f"classes, the smallest of {self.k:,}; required: {self.required}"
            + ("" if is_own else f"; missing cells and * read as {self.reading}"),
            *(f"  {said(problem)}" for problem in self.problems),
            f"  {'class sizes' if is_own else 'candidates of a class'}: least {sizes.least:,}, "
            f"median {sizes.median:,g}, largest {sizes.largest:,}",
            *([f"  smallest candidate set by what a missing cell or * matches: {each}"]
              if differ else []),
            *(f"  {line}" for judged in self.models for line in judged.lines()),
            *(f"  {of.label}: {of.found}, asked: {of.asked}" for of in self.k_of),
            *(f"  {line}" for line in (self.against.lines() if self.against else ())),
            *(f"  not asked about: {shown(one.column)}: {100 * one.alone:.4g} % of the records "
              "have a value of their own" for one in self.beside[:LISTED]),
            *([f"  not asked about: and {len(self.beside) - LISTED} columns more"]
              if len(self.beside) > LISTED else []),
            *(f"  warning: {said(warning)}" for warning in self.warnings),
            *(f"  class {one.number} of {one.size} records, from record {one.first_record}, "
              f"breaks {'; '.join(one.breaks)}" for one in self.offending[:LISTED]),
            *([f"  and {self.offending_count - LISTED} classes more"]
              if self.offending_count > LISTED else []),
        ])  # fmt: skip

    def to_dict(self) -> VerificationSection:
        """Return plain values for JSON."""
        fields: dict[str, Any] = _plain(asdict(self))
        table = [{"size": size, "classes": classes} for size, classes in self.sizes.table]
        fields["sizes"]["table"] = table
        fields["offending_count"] = self.offending_count
        if self.against is not None:
            fields["against"]["judged"] = self.against.judged
        optional = ("roles", "roles_of_sensitive", "required_by", "reader", "beside", "apart")
        unset = {"sql", *(name for name in optional if not fields[name])}
        plain = {name: value for name, value in fields.items() if name not in unset}
        return cast(VerificationSection, plain)

    def __str__(self) -> str:
        return "\n".join([self.summary(), *(f"  {line}" for line in self.origins)])

    def __bool__(self) -> bool:
        return self.ok

    def _repr_html_(self) -> str:
        head, *lines = str(self).splitlines()
        return in_html(head, lines, mood="good" if self.ok else "bad")


def tell_apart(columns: Sequence[str]) -> str:
    """Return that columns tell the records apart."""
    return f"{listed(columns)} {'tells' if len(columns) == 1 else 'tell'} the records apart"


def _plain(value: Any) -> Any:
    """Return lists, dicts and finite numbers; None for any other number."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, Message):
        return said(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def digits_beside(found: float, asked: float, digits: int) -> str:
    """Return a figure in so many digits, or in as many more as show that it is not the other."""
    if not math.isfinite(found):
        return "too few values"
    for more in range(digits, ENOUGH + 1):
        text = f"{found:.{more}g}"
        if float(text) != float(f"{asked:g}") or found == asked:
            return text
    return repr(found)
