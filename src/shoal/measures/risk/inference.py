"""What a release tells about sensitive values: for certain, by the class, by a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.sides import Side, Words
from shoal.measures.targets import binned, edges_of, targets
from shoal.measures.task import Each

BINS = 10  # of a column of numbers that a model learns from
FOLDS = 5


def counts_in_classes(classes: Integers, codes: Integers) -> tuple[Integers, Integers, Integers]:
    """Return class, value and count of every value that a class holds."""
    wide = int(codes.max(initial=0)) + 2
    keys, counts = np.unique(classes * wide + (codes + 1), return_counts=True)
    return keys // wide, keys % wide - 1, counts


def certain(classes: Integers, codes: Integers) -> float:
    """Return the share of records with a value whose class holds no other value, in percent.

    -1 is a missing value, which is none: records without a value do not count as certain, though
    theirs is likely that of their class.
    """
    group, value, counts = counts_in_classes(classes, codes)
    known = value >= 0
    kinds = np.bincount(group[known], minlength=int(group.max(initial=0)) + 1)
    alone = (kinds[group] == 1) & known
    return 100.0 * float(counts[alone].sum()) / classes.size


def by_class(classes: Integers, codes: Integers) -> tuple[float, float]:
    """Return how often the most frequent value is right: of the class, of the table; in percent."""
    group, _, counts = counts_in_classes(classes, codes)
    largest = np.zeros(int(group.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, group, counts)
    base = np.unique(codes, return_counts=True)[1].max()
    return 100.0 * float(largest.sum()) / codes.size, 100.0 * float(base) / codes.size


@dataclass(frozen=True)
class Guessed:
    """How often a model and the base rate guess right, in percent, and the error of their gain."""

    accuracy: float
    base: float
    error: float

    @property
    def gain(self) -> float:
        """How much more often the model is right."""
        return self.accuracy - self.base


@dataclass(frozen=True, eq=False)
class Feature:
    """A column as a model sees it, in few values: codes of originals, forms of the release.

    `before` are those of the originals that are guessed.
    """

    __repr__ = in_shape

    before: Integers
    after: Integers
    size: int
    words: Words | None = None

    @classmethod
    def of(cls, side: Side, rows: Integers) -> Feature:
        """Return the column in few values; of the originals those of some rows."""
        if isinstance(side, Words):
            return cls(side.before[rows], side.after, len(side.forms), side)
        edges = edges_of(side.after, BINS)
        return cls(binned(side.before[rows], edges), binned(side.after, edges), edges.size + 1)

    def counts(self, folds: Integers, number: int, target: Integers, kinds: int) -> Integers:
        """Return how many released records of every fold have each value and target."""
        known = (self.after >= 0) & (target >= 0)
        keys = (folds * self.size + self.after) * kinds + target
        counts = np.bincount(keys[known], minlength=number * self.size * kinds)
        return counts.reshape(number, self.size, kinds)

    def learned(self, counts: Integers) -> Floats:
        """Return log P(value | target), learned from counts of released records, each + 1.

        The last row is for missing values, which say nothing.
        """
        learned = counts.astype(np.float64)
        if self.words is not None:
            learned = self.words.spread(np.concatenate([learned, np.zeros((1, counts.shape[1]))]))
        learned = learned + 1.0
        table = np.log(learned / learned.sum(axis=0, keepdims=True))
        return np.concatenate([table, np.zeros((1, counts.shape[1]))])


def by_model(
    quasi: Sequence[Side], side: Side, paired: bool, rng: np.random.Generator, most: int, each: Each
) -> Guessed | None:
    """Return how often naive Bayes, trained on the release, guesses originals it has not seen.

    Where the pairing is unknown, it is trained on all of the release. `most` originals are tested
    a fold. None where there is nothing to guess.
    """
    truth, released, kinds = targets(side)
    if kinds < 2 or not (released >= 0).any():
        return None
    fold = rng.permutation(np.arange(truth.size) % FOLDS)
    folds: list[Integers] = []
    for number in range(FOLDS):
        tested = np.flatnonzero((fold == number) & (truth >= 0))
        if tested.size > most:
            tested = np.sort(rng.choice(tested, most, replace=False))
        folds.append(tested)
    rows = np.concatenate(folds)
    if not rows.size:
        return None
    own = fold if paired else np.zeros(released.size, dtype=np.int64)
    keys = (own * kinds + released)[released >= 0]
    targeted = np.bincount(keys, minlength=FOLDS * kinds).reshape(FOLDS, kinds)

    def scores(column: Side) -> list[Floats]:
        feature = Feature.of(column, rows)
        counts = feature.counts(own, FOLDS, released, kinds)
        parts = np.split(feature.before, np.cumsum([tested.size for tested in folds])[:-1])
        return [
            feature.learned(_trained(counts, number, paired))[codes]
            for number, codes in enumerate(parts)
        ]

    every: list[list[Floats]] = each(scores, quasi)
    gains: list[Floats] = []
    rights: list[Floats] = []
    for number, tested in enumerate(folds):
        prior = _trained(targeted, number, paired) + 1.0
        score = np.log(np.tile(prior / prior.sum(), (tested.size, 1)))
        for column in every:
            score += column[number]
        right = (score.argmax(axis=1) == truth[tested]).astype(np.float64)
        rights.append(right)
        gains.append(right - (int(prior.argmax()) == truth[tested]))
    gain, right = np.concatenate(gains), np.concatenate(rights)
    accuracy = 100.0 * float(right.mean())
    error = 100.0 * float(gain.std()) / np.sqrt(gain.size)
    return Guessed(accuracy, accuracy - 100.0 * float(gain.mean()), error)


def _trained(counts: Integers, number: int, paired: bool) -> Integers:
    """Return the counts of the records that a fold is not tested on; of all without a pairing."""
    every: Integers = counts.sum(axis=0)
    return every - counts[number] if paired else every
