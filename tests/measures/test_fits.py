"""The models beside those of scikit-learn, and the guessing model beside its naive Bayes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from later import Later
from shoal.measures.reading import both_sides
from shoal.measures.risk import figures as inference
from shoal.measures.sides import MOST, targets
from shoal.measures.utility import fits
from shoal.table.read import read

TOGETHER = "scikit-learn"  # which one process imports
linear_model, naive_bayes = Later("sklearn.linear_model"), Later("sklearn.naive_bayes")


def side(before, after=None):
    """Both sides of one column."""
    tables = [
        read(pa.table({"x": values})) for values in (before, before if after is None else after)
    ]
    rows = np.arange(len(before))
    return both_sides(tables[0]["x"], tables[1]["x"], None, (rows, rows))


@pytest.mark.parametrize("seed", range(5))
def test_logistic_regression(seed):
    """Chances are those of scikit-learn without a penalty."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)) * [1, 10, 0.1, 3]
    y = (X @ [1, 0.1, 4, -0.3] + rng.logistic(size=300) > 0.5).astype(float)
    model = linear_model.LogisticRegression(C=1e12, tol=1e-10, max_iter=10_000).fit(X, y)
    assert fits.logistic(X, y) == pytest.approx(model.predict_proba(X)[:, 1], abs=1e-4)


def test_logistic_regression_of_what_is_separable():
    """What a line separates has chances near 0 and 1, and no figure overflows."""
    x = np.linspace(-1, 1, 40)[:, None]
    y = (x[:, 0] > 0).astype(float)
    found = fits.logistic(x, y)
    assert np.isfinite(found).all()
    assert np.abs(found - y).max() < 0.5
    assert ((found > 0.5) == (y > 0.5)).all()
    constant = fits.logistic(np.ones((40, 2)), y)
    assert constant == pytest.approx(np.full(40, 0.5), abs=1e-6)


@pytest.mark.parametrize("width", [fits.WIDE - 1, fits.WIDE + 100])
def test_classifiers_of_many_features(width):
    """Classifiers that share a preconditioner have the chances of those fitted one by one."""
    rng = np.random.default_rng(width)
    X = rng.normal(size=(240, width))
    X[:, ::2] = X[:, ::2] > 1  # as the features of categories are
    marks = np.digitize(X @ rng.normal(scale=0.1, size=width), [-1.0, 0.0, 1.5])
    classes = np.arange(5)  # no record is of the last
    chances = fits.chances_of_each(X[:200], marks[:200], classes, X[200:])
    for value, ours in zip(classes, chances, strict=True):
        beta = fits.fitted(X[:200], (marks[:200] == value) * 1.0, fits.PRIOR / 200)
        assert ours == pytest.approx(fits.chances(beta, X[200:]), abs=1e-8)
    none = fits.chances_of_each(X[:0], marks[:0], classes, X)
    assert np.stack(none) == pytest.approx(0.5)


@pytest.mark.parametrize("seed", range(5))
def test_regression(seed):
    """R² is that of scikit-learn's ridge regression with the same features."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(size=200)
    sides = [side(column) for column in X.T]
    goal = side(y)
    rows = rng.permutation(200)
    halves = fits.Halves(rows[:100], rows[100:], rows[:100])
    found = fits.regression(sides, goal, halves)
    made = (X - X.mean(axis=0)) / X.std(axis=0, ddof=1)
    theirs = linear_model.Ridge(alpha=fits.PRIOR).fit(made[rows[:100]], y[rows[:100]])
    assert found.original == pytest.approx(
        _r2(theirs.predict(made[rows[100:]]), y[rows[100:]]), abs=5e-3
    )
    assert found.release == found.original


def _r2(guess, truth):
    return 1 - ((truth - guess) ** 2).sum() / ((truth - truth.mean()) ** 2).sum()


def test_classification():
    """A target that a column tells is told; a constant one is no target."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    told = np.where(x > 0.2, "high", "low")
    halves = fits.Halves(np.arange(150), np.arange(150, 300), np.arange(150))
    found = fits.classification([side(x)], side(told), halves)
    assert found.original > 95
    assert found.release == found.original
    assert fits.classification([side(x)], side(["one"] * 300), halves) is None
    noise = [
        fits.classification([side(x, rng.permutation(x))], side(told), halves).release
        for _ in range(20)
    ]
    assert 30 < np.mean(noise) < 70


@pytest.mark.parametrize("seed", range(10))
def test_naive_bayes(seed):
    """What the model learns is what scikit-learn's learns from the same few values."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, size=(200, 3))
    y = (X[:, 0] + rng.integers(0, 3, 200)) % 3
    texts = [[f"v{v}" for v in column] for column in X.T]
    features = [inference.Feature.of(side(column), np.arange(200)) for column in texts]
    folds = np.arange(200) % 2
    score = np.log(np.bincount(y, minlength=3) / 200)[None, :] + sum(
        feature.learned(feature.counts(folds, 2, y, 3).sum(axis=0))[feature.before]
        for feature in features
    )
    theirs = naive_bayes.CategoricalNB(alpha=1.0).fit(X, y)
    chance = np.exp(score - np.logaddexp.reduce(score, axis=1)[:, None])
    assert chance == pytest.approx(theirs.predict_proba(X))


def test_a_generalized_cell_is_spread_over_what_it_covers():
    """A form of two values counts half for each, one that says nothing as the originals are."""
    words = both_sides(
        read(pa.table({"x": ["a", "a", "b", "c"]}))["x"],
        read(pa.table({"x": ["ab", "ab", "ab", None]}))["x"],
        None,
        (np.arange(4), np.arange(4)),
    )
    assert words.values == ("a", "b", "c")
    assert words.spread(np.array([3.0, 4.0])) == pytest.approx([1.5 + 2, 1.5 + 1, 1])
    assert words.fits(np.array([0, 1, 2, -1]), np.array([0, -1])).tolist() == [
        [True, True], [True, True], [False, True], [False, True],
    ]  # fmt: skip


def test_sensitive_values_of_many_kinds():
    """The rarest of many words are one value to guess; numbers are guessed in fifths."""
    many = side([f"w{i}" for i in range(60) for _ in range(1 + (i < 5))])
    truth, told, kinds = targets(many)
    assert kinds == MOST
    assert truth.max() == MOST - 1
    assert np.array_equal(truth, told)
    truth, _, kinds = targets(side(np.arange(100.0)))
    assert kinds == 5
    assert np.bincount(truth).tolist() == [20] * 5


def test_products_and_squares_count():
    """A release that keeps means but no spread is told apart; an equal one is not."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(400, 3))
    same = shoal.measure(X, X.copy(), quasi_identifiers=["x0", "x1", "x2"], rows="same")
    assert same["propensity"].value < 1e-12
    flat = shoal.measure(X, X * 0.3, rows="same")
    assert flat["propensity"].value > 0.05
    wide = rng.normal(size=(400, 12))
    assert shoal.measure(wide, wide * 0.3, rows="same")["propensity"].value > 0.05
