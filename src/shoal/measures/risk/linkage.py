"""Record linkage attacks by someone who holds the originals.

All records of a class are equal in what they release, so that an attack compares an original with
every class once; it takes one of the records of the classes that fit best, each as likely.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.compared import Compared, Spread, joined, middle_ranks
from shoal.measures.result import Each
from shoal.measures.risk.nearby import ClassLists, Nearby, most_frequent, one_by_one
from shoal.measures.sides import Numbers, Side, Words
from shoal.once import once

CELLS = 2**16  # distances that are held at once: as many as a processor keeps close
EQUAL = 2e-9  # squared distances that differ by less, relatively, tie
ZERO = 1e-18
MANY = 5_000  # classes of which few are looked at
ONE = slice(0, 1)


@dataclass(frozen=True, eq=False, repr=False)
class Attack:
    """A release by its classes, and the originals that are looked for in it.

    `seen` is a released record of every class, `counts` how many it has, `rows` the originals that
    attack, `own` the class of each.
    """

    quasi: tuple[Side, ...]
    seen: Integers
    counts: Integers
    rows: Integers
    own: Integers

    @classmethod
    def on(cls, compared: Compared, pairs: Integers) -> Attack:
        """Return the attack by some of the pairs of a comparison, on all that is released."""
        assert compared.first is not None
        assert compared.second is not None
        own = compared.classes[compared.second[pairs]]
        return cls(compared.quasi, compared.seen, compared.sizes, compared.first[pairs], own)

    def met(self, side: Side) -> Met:
        """Return a column as the attackers see it."""
        if isinstance(side, Words):
            return MetWords(side, side.before[self.rows], side.after[self.seen])
        return self.scaled(side, side.deviation)

    def scaled(self, side: Numbers, scale: float) -> MetNumbers:
        """Return a column of numbers, divided by a scale."""
        low, high = side.low[self.seen], side.high[self.seen]
        if not scale:  # what does not vary is 0 from everybody
            same = np.zeros(self.seen.size)
            return MetNumbers(np.zeros(self.rows.size), same, same, True, same.astype(bool))
        before = side.before[self.rows] / scale
        return MetNumbers(before, low / scale, high / scale, side.is_single, np.isnan(low))

    def ranked(self, side: Side) -> Met:
        """Return a column as attackers see it who compare ranks."""
        if isinstance(side, Words):
            return self.met(side)
        released = side.after[self.seen]
        spread = Spread.of(released, self.counts)
        ranks = middle_ranks(spread.begins, spread.ends, spread.size)
        after = np.append(ranks, np.nan)[spread.places]
        x = side.before[self.rows]
        below, upto = (np.searchsorted(side.ordered, x, end) for end in ("left", "right"))
        before = middle_ranks(below, upto, side.ordered.size)
        before[np.isnan(x)] = np.nan
        return MetNumbers(before, after, after, True, np.isnan(after))

    def parts(self) -> list[slice]:
        """Return the attackers in parts whose distances fit in memory."""
        step = max(1, CELLS // max(self.seen.size, 1))
        every = range(0, self.rows.size, step)
        return [slice(begin, min(begin + step, self.rows.size)) for begin in every]

    def chance(self, part: slice, best: Flags) -> Floats:
        """Return the chance that each attacker takes the right record, of the classes that fit."""
        own = self.own[part]
        rows, fitting = np.nonzero(best)
        among = np.bincount(rows, weights=self.counts[fitting], minlength=own.size)
        hit = best[np.arange(own.size), own]
        chances: Floats = np.where(hit, 1.0 / among, 0.0)
        return chances

    def chance_among(self, attacker: int, classes: Integers, best: Flags) -> float:
        """Return the chance of one attacker, of some classes, in order, that may fit."""
        own = int(self.own[attacker])
        place = int(np.searchsorted(classes, own))
        if place == classes.size or classes[place] != own:
            return 0.0
        some = replace(
            self,
            seen=self.seen[classes],
            counts=self.counts[classes],
            rows=self.rows[attacker : attacker + 1],
            own=np.array([place]),
        )
        return float(some.chance(slice(0, 1), best)[0])


@dataclass(frozen=True, eq=False, repr=False)
class MetNumbers:
    """Numbers as the attackers see them: originals, and the ends of what every class releases.

    In standard deviations, or ranks; `silent` are the classes that say nothing. Attackers come in
    parts.
    """

    before: Floats
    low: Floats
    high: Floats
    is_single: bool
    silent: Flags

    def apart(self, part: slice) -> Floats:
        """Return the distances of originals from all classes, not squared."""
        x = self.before[part, None]
        apart = x - self.low
        if self.is_single:
            np.abs(apart, out=apart)
        else:
            np.negative(apart, out=apart)
            np.maximum(apart, x - self.high, out=apart)
            np.maximum(apart, 0.0, out=apart)
        return _unknown(apart, x, self.silent)

    @property
    def is_plain(self) -> bool:
        """Whether every class releases one number, and every attacker has one."""
        return self.is_single and not self.silent.any() and not np.isnan(self.before).any()

    def at(self, attacker: int, classes: Integers) -> MetNumbers:
        """Return one attacker, and some classes."""
        return MetNumbers(
            self.before[attacker : attacker + 1],
            self.low[classes],
            self.high[classes],
            self.is_single,
            self.silent[classes],
        )

    def squares(self, part: slice) -> Floats:
        """Return the squared distances of originals from all classes."""
        apart = self.apart(part)
        apart *= apart
        return apart


@dataclass(frozen=True, eq=False, repr=False)
class MetWords:
    """Categories as the attackers see them: the column, originals, and the form of every class."""

    side: Words
    before: Integers
    forms: Integers

    def squares(self, part: slice) -> Floats:
        """Return 0 where an original is covered by what a class releases, else 1."""
        return 1.0 - self.side.fits(self.before[part], self.forms).astype(np.float64)

    apart = squares  # 0 and 1 are their own squares


Met = MetNumbers | MetWords


def _unknown(apart: Floats, x: Floats, silent: Flags) -> Floats:
    """Set distances of missing cells: a suppressed cell is 0 from all, a missing original 1."""
    missing = np.isnan(x[:, 0])
    if missing.any():
        apart[missing] = 1.0
    if silent.any():
        apart[:, silent] = 0.0
    return apart


def plain_numbers(columns: Sequence[Met]) -> list[MetNumbers]:
    """Return the columns, if all are numbers without gaps; else none."""
    plain = [one for one in columns if isinstance(one, MetNumbers) and one.is_plain]
    return plain if len(plain) == len(columns) else []


def _total(columns: Sequence[Met], part: slice) -> Floats:
    total = columns[0].squares(part)
    for column in columns[1:]:
        total += column.squares(part)
    return total


def nearest_classes(apart: Floats) -> Flags:
    """Return which classes are nearest to each attacker; ties are all of them."""
    least = apart.min(axis=1, keepdims=True)
    near: Flags = apart <= least * (1.0 + EQUAL) + ZERO
    return near


def _largest(columns: Sequence[Met], part: slice) -> Floats:
    largest = columns[0].apart(part)
    for column in columns[1:]:
        np.maximum(largest, column.apart(part), out=largest)
    return largest


def _nearby(attack: Attack, columns: Sequence[MetNumbers], each: Each) -> Nearby:
    return Nearby([one.before for one in columns], [one.low for one in columns], attack.own, each)


def by_ranks(attack: Attack, each: Each, many: int = MANY) -> Floats:
    """Return of every attacker the chance to link right by the largest difference of ranks.

    Where there are `many` classes and all columns are numbers, only classes are looked at that may
    be as near as the own one; the chances are the same.
    """
    columns: list[Met] = each(attack.ranked, attack.quasi)
    if attack.seen.size >= many and (plain := plain_numbers(columns)):
        near = _nearby(attack, plain, each)

        def found(attacker: int) -> float:
            own = near.largest_to_own(attacker)
            classes = near.within(attacker, own)
            apart = _largest([column.at(attacker, classes) for column in plain], ONE)
            return attack.chance_among(attacker, classes, nearest_classes(apart))

        return np.array(one_by_one(found, attack.rows.size, each))

    def linked(part: slice) -> Floats:
        return attack.chance(part, nearest_classes(_largest(columns, part)))

    return np.concatenate([*each(linked, attack.parts()), np.zeros(0)])


@dataclass(frozen=True, eq=False, repr=False)
class Steps:
    """The distinct values that a column releases, in order, and which of them each class has."""

    values: Floats | Integers
    codes: Integers

    @classmethod
    def of(cls, side: Side, seen: Integers) -> Steps:
        """Return the values of a column, class by class."""
        released: npt.NDArray[Any] = side.after[seen]
        values, codes = np.unique(released, return_inverse=True)
        return cls(values[~np.isnan(values)], codes.reshape(-1))

    @once
    def count(self) -> int:
        """How many values there are; saying nothing is one, too."""
        return int(self.codes.max(initial=-1)) + 1

    def codes_next_to(self, x: Floats) -> tuple[Integers, Integers]:
        """Return which values are next above and below some numbers, or equal them."""
        above = np.minimum(np.searchsorted(self.values, x, "left"), self.values.size - 1)
        below = np.maximum(np.searchsorted(self.values, x, "right") - 1, 0)
        return above, below

    def next_to(self, x: Floats) -> Flags:
        """Return which classes release the number next below or above x, or x itself.

        A class that says nothing is next to everything.
        """
        above, below = self.codes_next_to(x)
        near: Flags = self.codes[None, :] == above[:, None]
        near |= self.codes[None, :] == below[:, None]
        near |= (self.codes >= self.values.size)[None, :]
        return near


def blocks_of(attack: Attack, released: Mapping[str, Steps]) -> list[list[Side]]:
    """Return the columns whose released values determine each other, block by block."""
    blocks: list[list[Side]] = []
    for side in attack.quasi:
        own = released[side.name]
        for members in blocks:
            known = released[members[0].name]
            if own.count == known.count and _pairs(known, own) == own.count:
                members.append(side)
                break
        else:
            blocks.append([side])
    return blocks


def _pairs(one: Steps, other: Steps) -> int:
    """Return how many pairs of values two columns release."""
    return int(joined(one.codes, other.codes).max(initial=-1)) + 1


def by_distance_and_blocks(attack: Attack, each: Each, many: int = MANY) -> tuple[Floats, Floats]:
    """Return of every attacker the chances to link right, by two attacks.

    The first takes the nearest record; the second whom most blocks of columns point to, and of
    those the nearest. Where there are `many` classes and each block is a column of numbers, only
    classes are looked at that may be as near as the own one, or that a column points to; the
    chances are the same.
    """
    every_step = each(lambda side: Steps.of(side, attack.seen), attack.quasi)
    released = {side.name: own for side, own in zip(attack.quasi, every_step, strict=True)}
    blocks = blocks_of(attack, released)
    steps = {
        members[0].name: (released[members[0].name], members[0].before[attack.rows])
        for members in blocks
        if len(members) == 1 and isinstance(members[0], Numbers)
    }
    every: list[list[Met]] = [[attack.met(side) for side in members] for members in blocks]
    if attack.seen.size >= many and len(steps) == len(blocks):
        plain = plain_numbers([columns[0] for columns in every])
        if plain:
            return _near_and_pointed(attack, plain, list(steps.values()), each)

    def linked(part: slice) -> tuple[Floats, Floats]:
        votes = np.zeros((part.stop - part.start, attack.seen.size), dtype=np.int16)
        apart = np.zeros(votes.shape)
        for members, columns in zip(blocks, every, strict=True):
            own = _total(columns, part)
            apart += own
            alone = steps.get(members[0].name)
            if alone is not None:
                votes += alone[0].next_to(alone[1][part])
            else:
                votes += nearest_classes(own)
        near = attack.chance(part, nearest_classes(apart))
        apart[votes < votes.max(axis=1, keepdims=True)] = np.inf
        return near, attack.chance(part, nearest_classes(apart))

    both = [*each(linked, attack.parts()), (np.zeros(0), np.zeros(0))]
    return np.concatenate([one for one, _ in both]), np.concatenate([one for _, one in both])


def _near_and_pointed(
    attack: Attack,
    columns: Sequence[MetNumbers],
    steps: Sequence[tuple[Steps, Floats]],
    each: Each,
) -> tuple[Floats, Floats]:
    near = _nearby(attack, columns, each)
    lists = each(lambda step: ClassLists.of(step[0].codes, step[0].count), steps)

    def chance(attacker: int, classes: Integers) -> float:
        apart = _total([column.at(attacker, classes) for column in columns], ONE)
        return attack.chance_among(attacker, classes, nearest_classes(apart))

    def found(attacker: int) -> tuple[float, float]:
        close = near.within(attacker, near.distance_to_own(attacker))
        pointed = [
            own.classes(step.codes_next_to(x[attacker : attacker + 1]))
            for (step, x), own in zip(steps, lists, strict=True)
        ]
        return chance(attacker, close), chance(attacker, most_frequent(pointed))

    both = np.array(one_by_one(found, attack.rows.size, each)).reshape(-1, 2)
    return both[:, 0], both[:, 1]
