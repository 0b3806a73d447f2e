"""Models trained on the release beside models trained on the original."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.sides import Numbers, Side, Words, targets

MOST_WORDS = 10  # values of a column of categories that have a feature of their own
MOST_SQUARED = 40  # columns of numbers whose squares count too
MOST_MULTIPLIED = 8  # columns of numbers whose products count too
PRIOR = 10.0  # records' worth of doubt that any feature counts, in regressions and classifiers
RIDGE = 1e-8  # of a record's weight: keeps what is collinear or separable finite
STEPS, LEAST, CLOSE = 30, 1e-6, 1e-10  # of Newton's method
FARTHEST = 1e6  # standard deviations that a feature is from the originals' mean, at most
CLASSES = 10  # that a classifier tells apart
WIDE = 200  # features, beyond which classifiers of one column share a preconditioner
EXACT, TURNS = 1e-3, 200  # of conjugate gradients: the part of a slope that is left, at most; steps

Solver = Callable[[Floats, Floats], Floats]


@dataclass(frozen=True, eq=False, repr=False)
class Design:
    """The columns as features of both sides, scaled by the originals' means and deviations."""

    before: Floats
    after: Floats


def design(sides: Sequence[Side], rows: Integers, released: Integers) -> Design:
    """Return the features of some originals and some released records."""
    before: list[Floats] = []
    after: list[Floats] = []
    for side in sides:
        if isinstance(side, Words):
            b, a = _words(side, rows, released)
        else:
            b, a = _numbers(side, rows, released)
        before.append(b)
        after.append(a)
    empty = np.zeros((rows.size, 0)), np.zeros((released.size, 0))
    return Design(np.concatenate([*before, empty[0]], axis=1),
                  np.concatenate([*after, empty[1]], axis=1))  # fmt: skip


def _numbers(side: Numbers, rows: Integers, released: Integers) -> tuple[Floats, Floats]:
    center = side.center
    scale = side.deviation or 1.0
    parts = [
        np.clip((part - center) / scale, -FARTHEST, FARTHEST)
        for part in (side.before[rows], side.after[released])
    ]
    gone = [np.isnan(part) for part in parts]
    columns = [[np.nan_to_num(part)] for part in parts]
    if not side.is_complete:
        for own, flags in zip(columns, gone, strict=True):
            own.append(flags.astype(np.float64))
    return np.stack(columns[0], axis=1), np.stack(columns[1], axis=1)


def _words(side: Words, rows: Integers, released: Integers) -> tuple[Floats, Floats]:
    """One feature a frequent value; a form that covers it among others has its share of it."""
    counts = np.bincount(side.before[side.before >= 0], minlength=len(side.values))
    common = np.argsort(-counts, kind="stable")[:MOST_WORDS]
    common = common[counts[common] > 0]
    before = (side.before[rows][:, None] == common[None, :]).astype(np.float64)
    sizes = np.array([max(covered.size, 1) for covered in side.covers] + [1.0])
    shares = np.zeros((len(side.forms) + 1, common.size))
    forms, values = side.links
    for column, value in enumerate(common):
        shares[forms[values == value], column] = 1.0
    shares /= sizes[:, None]
    shares[-1] = counts[common] / max(int(counts.sum()), 1)
    return before, shares[side.after[released]]


def squared(features: Floats, numbers: int) -> Floats:
    """Return the features, the squares of the first so many, and, of few, their products."""
    if not 0 < numbers <= MOST_SQUARED:
        return features
    first = features[:, :numbers]
    upper = np.triu_indices(numbers, 0 if numbers <= MOST_MULTIPLIED else numbers)
    products = first[:, upper[0]] * first[:, upper[1]]
    squares = first * first if numbers > MOST_MULTIPLIED else np.zeros((first.shape[0], 0))
    return np.concatenate([features, squares, products], axis=1)


def logistic(features: Floats, marks: Floats, ridge: float = RIDGE) -> Floats:
    """Return the chances that a logistic regression (Newton's steps) gives every record."""
    return chances(fitted(features, marks, ridge), features)


def fitted(features: Floats, marks: Floats, ridge: float = RIDGE) -> Floats:
    """Return the coefficients of a logistic regression, the last one for 1."""
    X = _with_ones(features)
    penalty = ridge * X.shape[0]
    return _newton(X, marks, penalty, lambda weights, slope: _solve(X, penalty, weights, slope))


def _with_ones(features: Floats) -> Floats:
    return np.concatenate([features, np.ones((features.shape[0], 1))], axis=1)


def _newton(X: Floats, marks: Floats, penalty: float, solve: Solver) -> Floats:
    """Minimize by Newton's steps, which `solve` finds given the records' weights and the slope."""
    beta, at = np.zeros(X.shape[1]), np.zeros(X.shape[0])
    lost = _lost(at, beta, marks, penalty)
    for _ in range(STEPS):
        p = _sigmoid(at)
        slope = X.T @ (marks - p) - penalty * beta
        step = solve(p * (1.0 - p), slope)
        along = X @ step
        share, before = 1.0, lost
        while share > LEAST:  # as much of the step as makes the loss less
            lost = _lost(at + share * along, beta + share * step, marks, penalty)
            if lost <= before:
                break
            share /= 2.0
        else:
            break
        beta, at = beta + share * step, at + share * along
        if before - lost <= CLOSE * abs(before):
            break
    return beta


def _solve(X: Floats, penalty: float, weights: Floats, slope: Floats) -> Floats:
    curve: Floats = (X * weights[:, None]).T @ X
    curve[np.diag_indices_from(curve)] += penalty + 1e-12 * max(1.0, float(np.trace(curve)))
    step: Floats = np.linalg.solve(curve, slope).astype(np.float64, copy=False)
    return step


def _solver(X: Floats, penalty: float) -> Solver:
    """Return what finds Newton's steps of any marks of the same records; of many features by
    conjugate gradients, preconditioned by the greatest curve that there can be.

    References
    ----------
    D. Böhning, B. G. Lindsay, Monotonicity of quadratic-approximation algorithms, Annals of the
    Institute of Statistical Mathematics 40 (1988): XᵀX / 4 bounds the curve of any marks.
    """
    if X.shape[1] <= WIDE:
        return lambda weights, slope: _solve(X, penalty, weights, slope)
    bound = X.T @ X / 4.0
    bound[np.diag_indices_from(bound)] += penalty
    inverse = np.linalg.inv(bound)

    def solve(weights: Floats, slope: Floats) -> Floats:
        step: Floats = np.zeros(slope.size)
        left = slope
        scaled = inverse @ left
        along, size = scaled, float(left @ scaled)
        least = EXACT * EXACT * size
        for _ in range(TURNS if size > 0.0 else 0):
            bent = X.T @ (weights * (X @ along)) + penalty * along
            share = size / float(along @ bent)
            step, left = step + share * along, left - share * bent
            scaled = inverse @ left
            before, size = size, float(left @ scaled)
            if size <= least:
                break
            along = scaled + (size / before) * along
        return step

    return solve


def _lost(at: Floats, beta: Floats, marks: Floats, penalty: float) -> float:
    """Return minus the log-likelihood, and the penalty."""
    likely = float((np.logaddexp(0.0, at) - marks * at).sum())
    return likely + penalty * float(beta @ beta) / 2.0


def _sigmoid(values: Floats) -> Floats:
    shares: Floats = 0.5 * (1.0 + np.tanh(values / 2.0))
    return shares


def chances(beta: Floats, features: Floats) -> Floats:
    """Return the chances of records."""
    return _sigmoid(features @ beta[:-1] + beta[-1])


def propensity(sides: Sequence[Side], rows: Integers, released: Integers) -> tuple[Floats, float]:
    """Return (p - c)² of every record, originals first: how well the two can be told apart.

    And its mean where they differ by chance alone: every feature tells a record's worth.
    """
    ordered = sorted(sides, key=lambda side: isinstance(side, Words))
    made = design(ordered, rows, released)
    numbers = [side for side in ordered if isinstance(side, Numbers)]
    # else there are features of missing cells between those of numbers
    plain = all(side.is_complete for side in numbers)
    count = len(numbers) if plain else 0
    features = squared(np.concatenate([made.before, made.after]), count)
    marks = np.concatenate([np.zeros(rows.size), np.ones(released.size)])
    share = released.size / marks.size
    squares: Floats = (logistic(features, marks) - share) ** 2
    return squares, features.shape[1] * share * (1.0 - share) / marks.size


@dataclass(frozen=True, eq=False, repr=False)
class Halves:
    """Originals to train on and to test on, and the released records to train on instead."""

    train: Integers
    test: Integers
    released: Integers


@dataclass(frozen=True)
class FitScores:
    """R² or accuracy of a model of a column, trained on the original and on the release."""

    column: str
    original: float
    release: float


def regression(sides: Sequence[Side], side: Numbers, halves: Halves) -> FitScores | None:
    """Return R² of a column of numbers by the others, on originals that were not trained on."""
    train, tested, released = halves.train, halves.test, halves.released
    if not side.deviation:
        return None
    center = side.center
    y = [part - center for part in (side.before[train], side.after[released], side.before[tested])]
    made = design(sides, train, released)
    test = design(sides, tested, released[:0]).before
    there = ~np.isnan(y[2])
    total = float(((y[2][there] - y[2][there].mean()) ** 2).sum()) if there.any() else 0.0
    if not total:
        return None
    scores = []
    for features, goal in ((made.before, y[0]), (made.after, y[1])):
        beta = _least_squares(features, goal)
        error = y[2][there] - (test[there] @ beta[:-1] + beta[-1])
        scores.append(1.0 - float((error * error).sum()) / total)
    return FitScores(side.name, scores[0], scores[1])


def _least_squares(features: Floats, goal: Floats) -> Floats:
    there = ~np.isnan(goal)
    X = np.concatenate([features[there], np.ones((int(there.sum()), 1))], axis=1)
    square = X.T @ X
    doubt = np.full(X.shape[1], PRIOR)
    doubt[-1] = 0.0 if X.shape[0] else 1.0
    square[np.diag_indices_from(square)] += doubt
    beta: Floats = np.linalg.solve(square, X.T @ goal[there])
    return beta


def classification(sides: Sequence[Side], side: Side, halves: Halves) -> FitScores | None:
    """Return the accuracy of a classifier of a column, on originals that were not trained on."""
    truth, released, kinds = targets(side)
    counts = np.bincount(truth[truth >= 0], minlength=kinds)
    common = np.argsort(-counts, kind="stable")[:CLASSES]
    common = common[counts[common] > 0]
    if common.size < 2:
        return None
    tested = halves.test[np.isin(truth[halves.test], common)]
    if not tested.size:
        return None
    made = design(sides, halves.train, halves.released)
    test = design(sides, tested, halves.released[:0]).before
    scores = []
    for features, marks in (
        (made.before, truth[halves.train]),
        (made.after, released[halves.released]),
    ):
        known = np.isin(marks, common)
        results = chances_of_each(features[known], marks[known], common, test)
        guess = common[np.argmax(np.stack(results, axis=1), axis=1)]
        scores.append(100.0 * float((guess == truth[tested]).mean()))
    return FitScores(side.name, scores[0], scores[1])


def chances_of_each(
    features: Floats, marks: Integers, classes: Integers, tested: Floats
) -> list[Floats]:
    """Return the chances of tested records to be of each class, by one classifier a class."""
    X = _with_ones(features)
    solve = _solver(X, PRIOR)
    return [
        chances(_newton(X, (marks == value).astype(np.float64), PRIOR, solve), tested)
        for value in classes
    ]
