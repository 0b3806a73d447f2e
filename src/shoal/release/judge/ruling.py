"""The rulings: class by class, in one pass, whatever their order.

All rules hold for the union of classes that have them. So the whole file as one class is the best
that any grouping could do, and a rule that even it breaks cannot be met at all.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from shoal.models import diversity
from shoal.models.requirement import Requirement, Rule
from shoal.release.judge.classes import Class, Counted, Subset
from shoal.release.judge.sensitive import Sensitive
from shoal.release.judge.verification import Judged, KOf, Offending, Sizes

KEPT = 1_000  # offending classes
ROWS = 20  # of the table of sizes
RULED_OUT = 20  # values, at most, that somebody rules out


class Watch:
    """One rule for one column, while the classes pass by."""

    def __init__(self, rule: Rule, place: int, column: Sensitive, excluded: int) -> None:
        self.rule, self.place, self.column = rule, place, column
        self.worst: float | None = None
        self.classes = self.records = self.certain = self.seen = 0
        self.posterior = [0.0] * excluded
        self.diverse = "diversity" in rule.model

    def see(self, one: Class) -> bool:
        """Look at a class; tell whether it keeps the rule."""
        values = one.values[self.place]
        found = self.rule.found(values)
        self.worst = found if self.worst is None else self.rule.worst((self.worst, found))
        self.seen += one.size
        if self.diverse:
            self.certain += one.size if len(values) == 1 else 0
            for excluded, sure in enumerate(self.posterior):
                if sure < 1.0:
                    now = diversity.worst_posterior(values.values(), excluded)
                    self.posterior[excluded] = max(sure, now)
        if self.rule.holds(values):
            return True
        self.classes += 1
        self.records += one.size
        return False

    def judged(self) -> Judged:
        """Return what was seen."""
        rule = self.rule
        return Judged(
            model=rule.model,
            column=rule.column,
            asked=rule.asked,
            found=self.worst or 0.0,
            ok=not self.classes,
            classes=self.classes,
            records=self.records,
            reachable=rule.holds(self.column.whole),
            distance=getattr(rule.found, "name", None),
            certain=(self.certain / self.seen if self.seen else 0.0) if self.diverse else None,
            posterior=tuple(self.posterior),
        )


class Ruling:
    """The rulings about all classes of a release."""

    def __init__(
        self, requirement: Requirement, sensitive: Sequence[Sensitive], subsets: Sequence[Subset]
    ) -> None:
        self.k, self.subsets = requirement.k, subsets
        self.watches = [
            Watch(rule, place, column, _excluded(requirement, rule))
            for place, column in enumerate(sensitive)
            for rule in _rules(requirement, column)
        ]
        self.sizes: Counter[int] = Counter()
        self.smallest = self.classes = self.records = 0  # of the classes that are too small
        self.offending: list[tuple[int, int, tuple[int, ...]]] = []
        self.broken = 0
        self.last = math.inf  # no class from that record on needs to be kept

    def see(self, counted: Counted) -> None:
        """Look at all classes."""
        quick = counted.quick(self.k)
        if quick is not None:
            self.sizes, self.smallest = quick, min(quick, default=0)
            return
        least = math.inf
        for one in counted.classes():
            self.sizes[one.size] += 1
            least = min(least, one.candidates)
            breaks = [0] if one.candidates < self.k else []
            if breaks:
                self.classes += 1
                self.records += one.size
            if self.watches:
                breaks += [i for i, watch in enumerate(self.watches, 1) if not watch.see(one)]
            breaks += [len(self.watches) + 1 + i for i in one.narrow]
            if breaks:
                self._add(one, tuple(breaks))
        self.smallest = int(least) if self.sizes else 0

    def _add(self, one: Class, breaks: tuple[int, ...]) -> None:
        self.broken += 1
        if one.first < self.last:
            self.offending.append((one.first, one.size, breaks))
        if len(self.offending) > 2 * KEPT:
            self.offending = sorted(self.offending)[:KEPT]
            self.last = self.offending[-1][0]

    def offenders(self, counted: Counted) -> tuple[Offending, ...]:
        """Return the first classes that break something."""
        every = sorted(self.offending)[:KEPT]
        rulings = [watch.judged().label for watch in self.watches]
        labels = ["k", *rulings, *(found.label for found in self.k_of(counted))]
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


def _rules(requirement: Requirement, column: Sensitive) -> list[Rule]:
    declared = column.tree is not None or column.order is not None
    asked = requirement.asked("t", column.name) is not None
    distance = column.distance() if asked or declared else None
    return requirement.rules(column.name, distance)


def _excluded(requirement: Requirement, rule: Rule) -> int:
    """Return how many numbers of ruled out values are looked at: 0 to l - 2."""
    wanted = requirement.asked("l", rule.column)
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
