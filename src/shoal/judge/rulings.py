"""Rulings: every privacy model, judged class by class in one pass.

All rules hold for the union of classes that have them. So the whole file as one class is the best
that any grouping could do, and a rule that even it breaks cannot be met at all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal.errors import listed
from shoal.hints import FILE, Message, option
from shoal.judge.classes import Class, Counted, Subset
from shoal.judge.composition import WARNING
from shoal.judge.models import diversity
from shoal.judge.models.closeness import Counts
from shoal.judge.models.requirement import MISSING, Requirement, Rule
from shoal.judge.readers.source import Source
from shoal.judge.sensitive import Combination, Sensitive, Tally
from shoal.judge.verification import Composition, Judged, KOf, Offending, Read, Sizes, Verification

KEPT = 1_000  # offending classes
ROWS = 20  # of the table of sizes
RULED_OUT = 20  # values, at most, that an attacker rules out


def read_as(tally: Tally, reading: str) -> Counts:
    """Return what l-diversity and alpha count: forms, with those that are missing or without."""
    return tally.known if reading == "ignored" else tally.forms


class Watch:
    """One model for one column or combination, while the classes pass by.

    All but t-closeness have a rule for each reading, of forms of values; missing ones count as
    `reading` says, and what would be found otherwise is watched too. t-closeness has a rule for
    values and another for forms, of which the worse counts.
    """

    def __init__(
        self, rules: Sequence[Rule], place: int, column: Sensitive | Combination, excluded: int,
        reading: str,
    ) -> None:  # fmt: skip
        self.rules, self.place, self.column = rules, place, column
        self.closeness = "closeness" in rules[0].model
        self.by_reading = dict(zip(MISSING, rules, strict=False))
        self.rule = rules[0] if self.closeness else self.by_reading[reading]
        self.reading = reading
        self.worst: dict[str, float] = {}
        self.broken: dict[str, int] = dict.fromkeys(MISSING, 0)
        self.classes = self.records = self.certain = self.seen = 0
        self.posterior = [0.0] * excluded
        self.diverse = "diversity" in self.rule.model

    def see(self, tally: Tally, size: int) -> bool:
        """Judge a class of so many records; tell whether it keeps the rule."""
        self.seen += size
        if self.closeness:
            parts = list(zip(self.rules, (tally.values, tally.forms), strict=False))
            self._note(self.reading, max(rule.figure(counts) for rule, counts in parts))
            good = all(rule.holds(counts) for rule, counts in parts)
        else:
            good = self._see_forms(tally, size)
        if not good:
            self.classes += 1
            self.records += size
        return good

    def _see_forms(self, tally: Tally, size: int) -> bool:
        for reading in MISSING:
            rule, counts = self.by_reading[reading], read_as(tally, reading)
            self._note(reading, rule.figure(counts))
            self.broken[reading] += not rule.holds(counts)
        mine = read_as(tally, self.reading)
        if self.diverse:
            known = tally.known
            self.certain += min(size, sum(known.values())) if len(known) == 1 else 0
            for excluded, sure in enumerate(self.posterior):
                if sure < 1.0:
                    now = diversity.worst_posterior(mine.values(), excluded)
                    self.posterior[excluded] = max(sure, now)
        return self.rule.holds(mine)

    def _note(self, reading: str, figure: float) -> None:
        before = self.worst.get(reading)
        self.worst[reading] = figure if before is None else self.rule.worst((before, figure))

    def judged(self, whole: Tally | None = None) -> Judged:
        """Return the judgment; `whole` is the count of all classes as one."""
        rule = self.rule
        alike = self.closeness or rule.model.startswith("(k,e)")  # however missing cells are read
        every = self.column.tally(self.column.whole) if whole is None else whole
        best = every.values if self.closeness else read_as(every, self.reading)
        return Judged(
            model=rule.model,
            column=rule.column,
            asked=rule.threshold,
            found=self.worst.get(self.reading, 0.0),
            ok=not self.classes,
            classes=self.classes,
            records=self.records,
            reachable=rule.holds(best),
            distance=getattr(rule.figure, "name", None),
            certain=(self.certain / self.seen if self.seen else 0.0) if self.diverse else None,
            posterior=tuple(self.posterior),
            readings={name: self._read(name) for name in (() if alike else MISSING)},
        )

    def _read(self, reading: str) -> Read:
        return Read(self.worst.get(reading, 0.0), not self.broken[reading])


class Ruling:
    """The rulings about all classes of a release."""

    def __init__(
        self, requirement: Requirement, sensitive: Sequence[Sensitive], subsets: Sequence[Subset],
        combined: Sequence[Combination] = (),
    ) -> None:  # fmt: skip
        self.k, self.subsets = requirement.k, subsets
        self.watches = [
            watch
            for place, column in enumerate(sensitive)
            for watch in watches(requirement, column, place, column.tally(column.whole))
        ] + [
            combined_watch(requirement, one, place)
            for place, one in enumerate(combined, len(sensitive))
        ]
        self.sizes: Counter[int] = Counter()
        self.matching: Counter[int] = Counter()  # classes by the records that match them
        self.smallest = self.classes = self.records = 0  # of the classes that are too small
        self.offending: list[tuple[int, int, tuple[int, ...]]] = []
        self.broken = 0
        self.last = math.inf  # no class from that record on needs to be kept

    def see(self, counted: Counted) -> None:
        """Judge all classes."""
        quick = counted.quick(self.k)
        if quick is not None:
            self.sizes, self.matching, self.smallest = quick, quick, min(quick, default=0)
            return
        least = math.inf
        for one in counted.classes():
            self.sizes[one.size] += 1
            self.matching[one.candidates] += 1
            least = min(least, one.candidates)
            breaks = [0] if one.candidates < self.k else []
            if breaks:
                self.classes += 1
                self.records += one.size
            if self.watches:
                breaks += [i for i, good in enumerate(self._seen(one), 1) if not good]
            breaks += [len(self.watches) + 1 + i for i in one.narrow]
            if breaks:
                self._add(one, tuple(breaks))
        self.smallest = int(least) if self.sizes else 0

    def _seen(self, one: Class) -> list[bool]:
        """Return which watches a class is good for."""
        tallies = {w.place: w.column.tally(one.values[w.place]) for w in self.watches}
        return [watch.see(tallies[watch.place], one.size) for watch in self.watches]

    def _add(self, one: Class, breaks: tuple[int, ...]) -> None:
        self.broken += 1
        if one.first < self.last:
            self.offending.append((one.first, one.size, breaks))
        if len(self.offending) > 2 * KEPT:
            self.offending = sorted(self.offending)[:KEPT]
            self.last = self.offending[-1][0]

    def warnings(self) -> tuple[str, ...]:
        """Name the columns of which several spellings were taken for one value."""
        names = dict.fromkeys(w.rule.column for w in self.watches if w.column.respelled)
        if not names:
            return ()
        return (
            f"values of {listed(names)} that differ in case, spaces or signs that cannot be seen "
            "alone were counted as one value",
        )

    def offenders(self, counted: Counted) -> tuple[Offending, ...]:
        """Return the first classes that break something."""
        every = sorted(self.offending)[:KEPT]
        rulings = [watch.judged().label for watch in self.watches]
        labels = ["k", *rulings, *(one.label for one in self.k_of(counted))]
        numbers = counted.numbers([first for first, _, _ in every])
        return tuple(
            Offending(number, size, first, tuple(labels[i] for i in breaks))
            for number, (first, size, breaks) in zip(numbers, every, strict=True)
        )

    def k_of(self, counted: Counted) -> tuple[KOf, ...]:
        """Return the rulings about subsets of the quasi-identifiers."""
        records = sum(size * classes for size, classes in self.sizes.items())
        return tuple(
            KOf(
                columns=subset.columns,
                asked=subset.k,
                found=narrow.smallest,
                ok=not narrow.classes,
                classes=narrow.classes,
                records=narrow.records,
                reachable=records >= subset.k,
            )
            for subset, narrow in zip(self.subsets, counted.narrow, strict=True)
        )


def watches(requirement: Requirement, column: Sensitive, place: int, whole: Tally) -> list[Watch]:
    """Return what watches a column; `whole` is how often values occur in the whole release."""
    declared = column.tree is not None or column.order is not None
    is_close = requirement.threshold("t", column.name) is not None
    distances = column.distances(whole) if is_close or declared else [None]
    reading = requirement.missing_sensitive
    by_distance = [
        requirement.rules(column.name, distance, read_as(whole, reading), column.number)
        for distance in distances
    ]
    by_reading = [
        requirement.rules(column.name, distances[0], read_as(whole, one), column.number)
        for one in MISSING
    ]
    return [
        Watch(
            rules if "closeness" in rules[0].model else own,
            place,
            column,
            _excluded(requirement, rules[0]),
            reading,
        )
        for rules, own in zip(
            zip(*by_distance, strict=True), zip(*by_reading, strict=True), strict=True
        )
    ]


def combined_watch(requirement: Requirement, one: Combination, place: int) -> Watch:
    """Return what watches a combination of columns."""
    rules = [requirement.combined(one.columns, one.name)] * len(MISSING)
    return Watch(rules, place, one, 0, requirement.missing_sensitive)


def _excluded(requirement: Requirement, rule: Rule) -> int:
    """Return how many numbers of ruled out values are looked at: 0 to l - 2."""
    wanted = requirement.threshold("l", rule.column)
    if "diversity" not in rule.model or wanted is None:
        return 0
    return min(RULED_OUT, max(0, math.ceil(wanted) - 1))


def summarized(sizes: Mapping[int, int]) -> Sizes:
    """Return how large classes are, from how many there are of each size."""
    if not sizes:
        return Sizes()
    every = sorted(sizes.items())
    table: list[tuple[int | str, int]] = [*every]
    if len(every) > ROWS:
        table = [*every[: ROWS - 1], ("and more", sum(many for _, many in every[ROWS - 1 :]))]
    squares = sum(size * size * many for size, many in every)
    return Sizes(every[0][0], _median(every), every[-1][0], tuple(table), squares)


def _median(every: Sequence[tuple[int, int]]) -> float:
    classes = sum(many for _, many in every)
    middle = []
    for at in ((classes - 1) // 2, classes // 2):
        passed = 0
        for size, many in every:
            passed += many
            if passed > at:
                middle.append(size)
                break
    low, high = middle
    return low if low == high else (low + high) / 2


def verification_of(
    source: Source, ruling: Ruling, counted: Counted, reading: str, records: int | None,
    columns: Sequence[str] | None, met: Composition | None, manifest_problems: Sequence[str],
) -> Verification:  # fmt: skip
    """Return what was found in a release; it is verified if there are no problems.

    `records` and `columns` are what it is to have, `met` is what it tells beside another release.
    """
    every = sum(size * classes for size, classes in ruling.sizes.items())
    models = tuple(watch.judged() for watch in ruling.watches)
    subsets = ruling.k_of(counted)
    problems = [*_missing_or_extra(source.header, columns), *manifest_problems]
    if not every:
        problems.append("there are no records")
    elif ruling.classes:
        text = f"{ruling.classes} classes with {ruling.records} records are smaller than {ruling.k}"
        few = f"; it cannot be met at all, there are only {every} records"
        problems.append(text + (few if every < ruling.k else ""))
    rulings: list[Judged | KOf] = [*models, *subsets]
    for judged in rulings:
        if every and not judged.ok:
            never = "" if judged.reachable else "; it cannot be met at all, by any grouping"
            problems.append(
                f"{judged.classes} classes with {judged.records} records break "
                f"{judged.label}{never}"
            )
    if records is not None and every != records:
        problems.append(f"there are {every} records, not {records}")
    if met is not None:
        problems += _of_meeting(met, ruling.k)
    own = min(ruling.sizes, default=0)
    return Verification(
        ok=not problems,
        k=ruling.smallest,
        required=ruling.k,
        records=every,
        classes=sum(ruling.sizes.values()),
        problems=tuple(map(Message, problems)),
        reading=reading,
        readings=counted.readings(own),
        sizes=replace(summarized(ruling.matching), squares=summarized(ruling.sizes).squares),
        models=models,
        k_of=subsets,
        offending=ruling.offenders(counted),
        offending_count=ruling.broken,
        against=met,
        warnings=(
            *ruling.warnings(),
            *_warnings(source),
            *((WARNING,) if met is not None else ()),
        ),
        reader=source.reader,
    )


def _of_meeting(met: Composition, k: int) -> list[str]:
    """Return what is wrong when this release and the other are known."""
    shared, problems = met.shared, []
    if shared is not None:
        if shared.below:
            problems.append(
                f"{shared.below} of {shared.people} people share their classes in both releases "
                f"with fewer than {k - 1} others"
            )
        if shared.unknown:
            problems.append(
                f"{shared.unknown} of {shared.people} people cannot be placed in both releases; "
                f"name columns that all three files know them by ({option('key')})"
            )
        return problems
    if not met.judged:
        problems.append(
            f"two releases of {listed(met.unjudged)} cannot be judged from the releases alone: "
            "means and other single values do not say whom they stand for; say "
            f"{option('original', FILE)}"
        )
    if met.below:
        problems.append(
            f"with the other release, {met.below} pairs of classes leave fewer than {k} "
            f"candidates; {met.records} records of this file are among them"
        )
    return problems


def _warnings(source: Source) -> tuple[str, ...]:
    of_folder = () if source.manifest is None else source.manifest.warnings
    return (*of_folder, *source.warnings)


def _missing_or_extra(header: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    if columns is None or list(header) == list(columns):
        return []
    extra = len(set(header) - set(columns))
    return [f"the columns are not those of the release ({extra} should not be there)"]
