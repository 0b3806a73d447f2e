"""Measures of utility beside numpy, scipy and scikit-learn."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import shoal
from later import Later

TOGETHER = "scikit-learn"  # which one process imports
metrics, stats = Later("sklearn.metrics"), Later("scipy.stats")
NAMES = ["a", "b", "c", "d"]


def correlated(seed, rows=300):
    """Correlated numbers, some of them skewed."""
    rng = np.random.default_rng(seed)
    mixing = rng.normal(size=(4, 4))
    matrix = rng.normal(size=(rows, 4)) @ mixing
    matrix[:, 1] = np.exp(matrix[:, 1] / 2)
    return matrix


def grouped(matrix, k, seed=0):
    """Means of groups of k neighbors along a random line; one record stays alone, as k = 1."""
    rng = np.random.default_rng(seed)
    order = np.argsort(matrix @ rng.normal(size=matrix.shape[1]))[1:]
    released = matrix.copy()
    for begin in range(0, len(order), k):
        rows = order[begin : begin + k]
        released[rows] = matrix[rows].mean(axis=0)
    return released


def table(matrix):
    """A matrix as an Arrow table."""
    return pa.table({name: matrix[:, j] for j, name in enumerate(NAMES)})


def measured(original, release):
    """The utility of two matrices."""
    asked = {"quasi_identifiers": NAMES, "rows": "same"}
    return shoal.measure(table(original), table(release), **asked).utility


@pytest.mark.parametrize("seed", range(8))
def test_distributions(seed):
    """The gaps of distributions are those of scipy's two-sample Kolmogorov-Smirnov test."""
    original = correlated(seed)
    release = grouped(original, 3 + seed, seed)
    found = measured(original, release)["distributions"]
    wanted = [stats.ks_2samp(original[:, j], release[:, j]).statistic for j in range(4)]
    assert found.value == pytest.approx(max(wanted), abs=1e-12)
    assert [found.by[name] for name in NAMES] == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_quantiles(seed):
    """With a record alone in its class the quantiles are numpy's."""
    original = correlated(seed)
    release = grouped(original, 3 + seed, seed)
    at = [0.05, 0.25, 0.5, 0.75, 0.95]
    shifts = np.abs(np.quantile(release, at, axis=0) - np.quantile(original, at, axis=0))
    wanted = (shifts / original.std(axis=0, ddof=1)).max(axis=0)
    found = measured(original, release)["quantiles"]
    assert found.value == pytest.approx(wanted.max())
    assert [found.by[name] for name in NAMES] == pytest.approx(wanted.tolist())


@pytest.mark.parametrize("seed", range(8))
def test_moments(seed):
    """Means, variances and correlations are numpy's."""
    original = correlated(seed)
    release = grouped(original, 3 + seed, seed)
    release[:, 0] += 0.1 * seed
    found = measured(original, release)
    s = original.std(axis=0, ddof=1)
    shifts = np.abs(release.mean(axis=0) - original.mean(axis=0)) / s
    kept = 100 * release.var(axis=0, ddof=1) / s**2
    turned = np.abs(np.corrcoef(release.T) - np.corrcoef(original.T))
    assert found["means"].value == pytest.approx(shifts.max(), abs=1e-12)
    assert found["variances"].value == pytest.approx(kept.min())
    assert found["correlations"].value == pytest.approx(turned.max(), abs=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_losses(seed):
    """SSE/SST is 1 - R² of scikit-learn, IL1s its mean absolute error by √2 s."""
    original = correlated(seed)
    release = grouped(original, 3 + seed, seed)
    found = measured(original, release)
    lost = [100 * (1 - metrics.r2_score(original[:, j], release[:, j])) for j in range(4)]
    s = original.std(axis=0, ddof=1)
    off = metrics.mean_absolute_error(original / s, release / s) / np.sqrt(2)
    assert found["sse_sst"].value == pytest.approx(np.mean(lost))
    assert found["il1s"].value == pytest.approx(off)


def test_missing_cells():
    """With missing cells each correlation is over the records that have both."""
    rng = np.random.default_rng(5)
    original = correlated(5, rows=120)
    original[rng.random(original.shape) < 0.1] = np.nan
    release = np.round(original)
    tables = [
        pa.table({name: pa.array(part[:, j], from_pandas=True) for j, name in enumerate(NAMES)})
        for part in (original, release)
    ]
    found = shoal.measure(*tables, quasi_identifiers=NAMES, rows="same").utility
    pairs = [
        [np.corrcoef(part[ok][:, [i, j]].T)[0, 1] for part in (original, release)]
        for i in range(4)
        for j in range(i)
        for ok in [~np.isnan(original[:, [i, j]]).any(axis=1)]
    ]
    wanted = max(abs(b - a) for a, b in pairs)
    assert found["correlations"].value == pytest.approx(wanted, abs=1e-12)
    s = np.nanstd(original, axis=0, ddof=1)
    off = np.nanmean(np.abs(original - release) / s) / np.sqrt(2)
    assert found["il1s"].value == pytest.approx(off)


@pytest.mark.parametrize("seed", range(4))
def test_propensity(seed):
    """pMSE is 0 for the original itself, at most 0.25, and grows as groups get larger."""
    original = correlated(seed)
    same = measured(original, original)["propensity"].value
    assert same == pytest.approx(0, abs=1e-6)
    fine, coarse, coarser = (
        measured(original, grouped(original, k, seed))["propensity"].value for k in (3, 10, 150)
    )
    assert 0 <= fine < coarse < coarser <= 0.25


def test_propensity_of_what_is_told_apart():
    """A release that a line parts from the original has a pMSE near its greatest, 0.25."""
    original = correlated(1)
    apart = measured(original, original + 100 * original.std(axis=0))["propensity"].value
    assert 0.2 < apart <= 0.25


@pytest.mark.parametrize("seed", range(4))
def test_regression_and_classification(seed):
    """Models trained on the original itself keep all; on exchanged columns they keep little."""
    original = correlated(seed, rows=600)
    original[:, 1] = np.log(original[:, 1])  # a tail would decide about R²
    rng = np.random.default_rng(seed)
    words = np.array(["low", "high"])[(original[:, 0] > 0).astype(int)]
    before = table(original).append_column("word", pa.array(words))
    names = before.column_names
    after = pa.table({name: before[name].take(rng.permutation(600)) for name in names})
    asked = {"quasi_identifiers": names, "rows": "same"}
    same = shoal.measure(before, before, **asked).utility
    mixed = shoal.measure(before, after, **asked).utility
    assert same["regression"].value == pytest.approx(100, abs=1e-6)
    assert same["classification"].value == pytest.approx(100, abs=1e-6)
    assert mixed["regression"].value < 50
    assert mixed["classification"].value < 80
