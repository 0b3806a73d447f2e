"""Key, weights, households and population -> every count and risk of the records."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from shoal.errors import in_shape
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.disclosure.individual import household_risks, individual_risks
from shoal.measures.disclosure.key import Key
from shoal.measures.disclosure.loglinear import LogLinear, log_linear
from shoal.measures.disclosure.matching import OUTSIDE, WITHIN, matches
from shoal.measures.disclosure.population_uniques import PopulationUniques, population_uniques
from shoal.measures.disclosure.sets import Walk, count_of_sets, walk
from shoal.measures.disclosure.suda import FRACTION, Suda, score

FULL = 8  # columns up to which all sets are visited, where no size is given
SIZE = 4  # of sets of more columns
VISITS = 2_000_000_000  # records of sets, together: beyond it sets are counted in a sample
DRAWN = 100  # as many fewer are visited in a sample
FEWEST = 1_000  # records of a sample


@dataclass(frozen=True)
class Asked:
    """What is looked for: k, a threshold of risk, the size of sets, formula, reading and seed.

    Sets of columns are counted in a sample where all would take more than so many `visits` of a
    record.
    """

    k: int = 5
    threshold: float = 0.09
    size: int | None = None
    formula: str = "exact"
    missing_as: str = "own"
    seed: int = 0
    visits: int = VISITS

    def size_of(self, width: int) -> int:
        """Return the size of the largest sets of so many columns."""
        return min(self.size or (width if width <= FULL else SIZE), width)


@dataclass(frozen=True, eq=False)
class Known:
    """What is known beside the key: weights, households, a population or a sampling fraction."""

    __repr__ = in_shape

    weights: Floats | None = None
    households: Integers | None = None
    population: Key | None = None
    fraction: float | None = None

    def sampled(self, rows: int) -> float | None:
        """Return the share of the population that is in the table; None where nobody knows."""
        if self.weights is not None:
            return min(rows / float(self.weights.sum()), 1.0)
        if self.population is not None:
            return min(rows / self.population.rows, 1.0)
        return self.fraction


@dataclass(frozen=True, eq=False)
class Assessment:
    """Counts and risks of the records.

    `members` is how many records match each, `people` how many of the population do (None where
    nothing is known of it), `risks` the chance of a right link. `classes` numbers the classes.
    `suda` and `walk` are None, and `sampled` counts of sets, where there are too many to visit.
    """

    __repr__ = in_shape

    key: Key
    asked: Asked
    known: Known
    classes: Integers
    members: Floats
    people: Floats | None
    risks: Floats
    households: Floats | None
    walk: Walk
    sampled: int | None
    suda: Suda | None

    @property
    def fraction(self) -> float | None:
        """The share of the population that is in the table; None where nobody knows."""
        return self.known.sampled(self.key.rows)


@dataclass(frozen=True, eq=False)
class Estimates:
    """What models say of the population, where the sampling fraction is known."""

    __repr__ = in_shape

    uniques: PopulationUniques | None = None
    model: LogLinear | None = None


def estimate(one: Assessment) -> Estimates:
    """Estimate who is unique in the population, by class sizes and by a log-linear model."""
    if one.fraction is None or one.known.population is not None:
        return Estimates()
    return Estimates(
        population_uniques(np.bincount(one.classes), one.fraction),
        log_linear(one.key, one.classes, one.fraction, one.asked.seed),
    )


def assess(key: Key, known: Known, asked: Asked) -> Assessment:
    """Count everything that the records' risks follow from."""
    classes = key.classes()
    sizes = np.bincount(classes)
    within = WITHIN[asked.missing_as]
    starred = asked.missing_as != "own" and key.has_stars
    members = matches(key, key, within) if starred else sizes[classes].astype(float)
    people = _people(key, known, asked, members, classes if not starred else None)
    fraction = known.sampled(key.rows)
    if known.population is not None:
        assert people is not None
        risks = 1.0 / np.maximum(people, members)
    else:
        risks = individual_risks(members, members if people is None else people, asked.formula)
    together = None if known.households is None else household_risks(risks, known.households)
    visited, drawn = _walk(key, asked)
    suda = None
    if drawn is None:
        shape, most = (key.rows, len(key.names)), asked.size_of(len(key.names))
        suda = score(visited.uniques, sizes, shape, most, fraction or FRACTION)
    return Assessment(
        key, asked, known, classes, members, people, risks, together, visited, drawn, suda
    )


def _people(
    key: Key, known: Known, asked: Asked, members: Floats, classes: Integers | None
) -> Floats | None:
    """Return how many people of the population match each record, counted or estimated.

    `classes` are those of the records where missing cells match nothing else.
    """
    if known.population is not None:
        return matches(key, known.population, OUTSIDE[asked.missing_as])
    if known.weights is not None and classes is not None:
        return np.bincount(classes, known.weights).astype(float)[classes]
    if known.weights is not None:
        return matches(key, key, WITHIN[asked.missing_as], known.weights)
    return None if known.fraction is None else members / known.fraction


def _walk(key: Key, asked: Asked) -> tuple[Walk, int | None]:
    """Visit the sets of columns, of all records or of a sample; return its size, too."""
    most = asked.size_of(len(key.names))
    sets = count_of_sets(len(key.names), most)
    if sets * key.rows <= asked.visits:
        return walk(key.codes, most, asked.k), None
    many = min(max(asked.visits // DRAWN // sets, FEWEST), key.rows)
    rows = np.random.default_rng(asked.seed).choice(key.rows, many, replace=False)
    return walk(key.take(np.sort(rows)).codes, most, asked.k), many
