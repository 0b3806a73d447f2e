"""Rulings: every privacy model, judged class by class in one pass.

All rules hold for the union of classes that have them. So the whole file as one class is the best
that any grouping could do, and a rule that even it breaks cannot be met at all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from shoal.errors import listed
from shoal.judge.classes import Class, Counted, Subset
from shoal.judge.combination import Combination
from shoal.judge.models import diversity
from shoal.judge.models.closeness import Counts
from shoal.judge.models.requirement import MISSING, Requirement
from shoal.judge.models.rule import Rule
from shoal.judge.sensitive import Sensitive, Tally
from shoal.judge.verification import Judged, KOf, Offending, Read, Sizes

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
