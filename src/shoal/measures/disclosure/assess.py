"""Key, weights, households and population -> every count and risk of the records."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.errors import RequestError
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.disclosure.key import OUTSIDE, WITHIN, Key, matches
from shoal.measures.disclosure.loglinear import LogLinear, log_linear
from shoal.measures.disclosure.roots import bracket, digamma, root
from shoal.measures.disclosure.sets import FRACTION, Suda, Walk, count_of_sets, score, walk
from shoal.measures.disclosure.slide_negative_binomial import slide_negative_binomial
from shoal.measures.risk.classes import expected_share

FORMULAS = ("exact", "approximate")
CLOSED = 3  # records of a class up to which the approximation is exact, too
# How many people are unique in the population, by the class sizes of a sample alone.
#
# Three models, and which of them to believe (Dankar, El Emam, Neisa and Roffey 2012, BMC Med.
# Inform. Decis. Mak. 12:66). s_i is the number of classes of i records, u that of all classes, n of
# records, π the sampling fraction, N = n / π.
LEAST = 1e-6  # of α, which lies between 0 and 1
EQUAL = 1e12  # times its step, a number that a sum adds nothing to


def pitman(held: Integers, counts: Integers, fraction: float) -> float | None:
    """Return the estimated number of unique people (Hoshino 2001, J. Off. Stat. 17(4)).

    Γ(θ+1) / Γ(θ+α) N^α; no answer where all records are unique, or all in one class.
    """
    found = fit_pitman(held, counts)
    if found is None:
        return None
    theta, alpha = found
    logs = math.lgamma(theta + 1.0) - math.lgamma(theta + alpha)
    return math.exp(logs + alpha * math.log(float((held * counts).sum()) / fraction))


def fit_pitman(held: Integers, counts: Integers) -> tuple[float, float] | None:
    """Return the θ and α that maximize the likelihood of Pitman's sampling formula.

    `held` are sizes of classes, `counts` how many have each. At the maximum
    Σ_{i<u} 1/(θ+iα) = Σ_{i<n} 1/(θ+i) and Σ_{i<u} i/(θ+iα) = Σ_i s_i Σ_{j<i} 1/(j-α).
    """
    classes, drawn = int(counts.sum()), int((held * counts).sum())
    if classes in (1, drawn):
        return None
    several = [(int(size), int(many)) for size, many in zip(held, counts, strict=True) if size > 1]

    def rest(alpha: float) -> float:
        theta = _theta(alpha, classes, drawn)
        inside = (classes - 1 - theta * _harmonic(theta, alpha, classes)) / alpha
        over = digamma(1.0 - alpha)
        return inside - sum(many * (digamma(size - alpha) - over) for size, many in several)

    alpha = LEAST if rest(LEAST) <= 0.0 else root(rest, LEAST, 1.0 - LEAST)
    return _theta(alpha, classes, drawn), alpha


def _harmonic(theta: float, alpha: float, end: int) -> float:
    """Return Σ 1/(θ + iα) for 0 < i < end."""
    ratio = theta / alpha
    if ratio > EQUAL:
        return (end - 1) / theta
    return (digamma(ratio + end) - digamma(ratio + 1.0)) / alpha


def _theta(alpha: float, classes: int, drawn: int) -> float:
    """Return the best θ for an α: it is above -α."""

    def rest(shifted: float) -> float:
        theta = shifted - alpha
        return _harmonic(theta, alpha, classes) - _harmonic(theta, 1.0, drawn)

    return root(rest, 0.0, bracket(rest, 1.0)) - alpha


FEW = 0.1  # sampling fraction up to which Pitman's model is believed


@dataclass(frozen=True)
class PopulationUniques:
    """Estimated shares of the population that are unique in it; None where a model has no answer.

    `chosen` names the model that the rule of Dankar and others picks, `share` is its estimate.
    """

    zayatz: float | None
    pitman: float | None
    snb: float | None
    chosen: str
    share: float


def population_uniques(sizes: Integers, fraction: float) -> PopulationUniques:
    """Return the estimates by all models, and the choice among them.

    Pitman's where at most a tenth of the population is in the sample and the model has an answer;
    else the smaller one of Zayatz's and of the slide negative binomial.
    """
    held, counts = np.unique(sizes, return_counts=True)
    people = float((held * counts).sum()) / fraction
    if not (held == 1).any():
        return PopulationUniques(0.0, 0.0, 0.0, "none", 0.0)
    estimates = {
        "zayatz": zayatz(held, counts, fraction),
        "pitman": pitman(held, counts, fraction),
        "snb": slide_negative_binomial(held, counts, fraction),
    }
    shares = {
        name: None if value is None else min(value / people, 1.0)
        for name, value in estimates.items()
    }
    order = ["pitman", "zayatz"] if fraction <= FEW else _smaller_first(shares)
    chosen = next(name for name in order if shares[name] is not None)
    share = shares[chosen]
    assert share is not None
    return PopulationUniques(shares["zayatz"], shares["pitman"], shares["snb"], chosen, share)


def _smaller_first(shares: dict[str, float | None]) -> list[str]:
    """Return the models for large samples, the smaller estimate first."""
    known = [name for name in ("snb", "zayatz") if shares[name] is not None]
    return sorted(known, key=lambda name: shares[name] or 0.0)


def zayatz(held: Integers, counts: Integers, fraction: float) -> float | None:
    """Return the estimated number of unique people (Zayatz 1991, U.S. Bureau of the Census).

    s_1 P(F=1 | f=1) / π, by Bayes: P(F=j) is s_j / u, the share of the sample's own classes, and
    P(f=1 | F=j) hypergeometric, of n records drawn from N.
    """
    drawn = int((held * counts).sum())
    people = round(drawn / fraction)
    chances = np.array([_drawn_once(int(size), drawn, people) for size in held])
    alone = counts[held == 1].sum() * chances[held == 1].sum()
    every = float((counts * chances).sum())
    if not every:
        return None
    return float(counts[held == 1].sum() * alone / every / fraction)


def _drawn_once(size: int, drawn: int, people: int) -> float:
    """Return the chance that of `size` people exactly one is among those drawn without return."""
    rest = people - drawn
    if size - 1 > rest:
        return 0.0
    # size * n / N * product of (N - n - i) / (N - 1 - i), i < size - 1
    i = np.arange(size - 1, dtype=float)
    with np.errstate(divide="ignore"):
        logs = np.log(rest - i) - np.log(people - 1 - i)
    return float(size * drawn / people * np.exp(logs.sum()))


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


@dataclass(frozen=True, eq=False, repr=False)
class Known:
    """What is known beside the key: weights, households, a population or a sampling fraction."""

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


@dataclass(frozen=True, eq=False, repr=False)
class Assessment:
    """Counts and risks of the records.

    `members` is how many records match each, `people` how many of the population do (None where
    nothing is known of it), `risks` the chance of a right link. `classes` numbers the classes.
    `suda` and `walk` are None, and `sampled` counts of sets, where there are too many to visit.
    """

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


@dataclass(frozen=True, eq=False, repr=False)
class Estimates:
    """What models say of the population, where the sampling fraction is known."""

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


def individual_risks(members: Floats, population: Floats, formula: str = "exact") -> Floats:
    """Return of every record E[1/F | f]: f records match it, the population holds about F.

    Given f, F - f is negative binomial with p = f / F (Benedetti and Franconi 1998). `exact` is its
    expectation; `approximate` is p / (f - (1 - p)) for f > 3, as μ-Argus and sdcMicro have it
    (Hundepool and others 2012, section 3.3.1), and exact up to there. Records whose population is
    known to be f have the risk 1 / f.
    """
    if formula not in FORMULAS:
        raise RequestError(f"formula must be one of {', '.join(FORMULAS)}")
    p = members / np.maximum(population, members)
    risks = expected_share(members.astype(np.int64), p)
    if formula == "approximate":
        risks = np.where(members > CLOSED, p / (members - (1.0 - p)), risks)
    return risks


def household_risks(risks: Floats, households: Integers) -> Floats:
    """Return of every record the chance that any member of its household is linked rightly.

    1 - product of (1 - r) over the members (Hundepool and others 2012, section 3.3.3).
    """
    with np.errstate(divide="ignore"):
        nobody = np.bincount(households, np.log1p(-np.minimum(risks, 1.0)))
    whole: Floats = -np.expm1(nobody)
    return whole[households]
