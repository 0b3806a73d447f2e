"""The scikit-learn door: shaped as scikit-learn expects, but for a listed, explained few."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import shoal
from shoal.estimator import Microaggregator

UNSEEN = "transforms other rows than it was fitted on, which could break k and is refused"
EXPECTED = {
    "check_clustering": "expects three large clusters; groups of k records are small on purpose",
    "check_methods_sample_order_invariance": UNSEEN,
    "check_methods_subset_invariance": UNSEEN,
    "check_fit_idempotent": UNSEEN,
}

X = np.random.default_rng(0).normal(size=(60, 3))


@parametrize_with_checks([Microaggregator(k=3)], expected_failed_checks=lambda _: EXPECTED)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learns_own_checks(estimator, check):
    """Every check of scikit-learn passes, but for those listed with their reason."""
    check(estimator)


def test_same_groups_as_the_function():
    """The estimator is a door: its groups are those of microaggregate."""
    estimator = Microaggregator(k=4, method="cbfs-nc").fit(X)
    partition = shoal.microaggregate(X, 4, method="cbfs-nc")
    assert np.array_equal(estimator.labels_, partition.labels)
    assert estimator.information_loss_ == partition.information_loss
    assert estimator.n_groups_ == partition.groups
    assert np.array_equal(estimator.fit_predict(X), partition.labels)


def test_fit_transform_gives_group_means():
    """Every record becomes the mean of its group."""
    estimator = Microaggregator(k=5)
    released = estimator.fit_transform(X)
    for label in range(estimator.n_groups_):
        members = estimator.labels_ == label
        assert members.sum() >= 5
        assert released[members] == pytest.approx(np.tile(X[members].mean(0), (members.sum(), 1)))
    assert np.array_equal(estimator.transform(X), released)


@pytest.mark.parametrize("rows", [X[:10], X[::-1], X + 1e-9, np.vstack([X, X[:1]])])
def test_unseen_rows_are_refused(rows):
    """Transforming anything but the fitted records could break k, and is refused."""
    with pytest.raises(ValueError, match="could break k-anonymity"):
        Microaggregator(k=5).fit(X).transform(rows)


def test_dataframes_and_pipelines():
    """set_output gives dataframes with names; a pipeline and a clone work."""
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    estimator = Microaggregator(k=5).set_output(transform="pandas")
    released = estimator.fit_transform(frame)
    assert list(released.columns) == ["a", "b", "c"]
    pipeline = make_pipeline(StandardScaler(), clone(estimator))
    assert pipeline.fit_transform(frame).shape == X.shape


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"k": 2.5}, "k must be"), ({"k": 0}, "k must be"), ({"method": "x"}, "no method 'x'"),
     ({"k": 61}, "minimum of 61 is required")],
)  # fmt: skip
def test_wrong_parameters(parameters, message):
    """Wrong parameters are ValueErrors that name them."""
    with pytest.raises(ValueError, match=message):
        Microaggregator(**parameters).fit(X)


def test_huge_numbers():
    """Means of numbers near the end of the floating-point range are finite."""
    released = Microaggregator(k=2).fit_transform([[1e308], [1.1e308], [1.2e308], [1.3e308]])
    assert released[:, 0] == pytest.approx([1.05e308, 1.05e308, 1.25e308, 1.25e308])


def test_random_state():
    """A number and a RandomState are seeds."""
    for state in (0, 7, np.random.RandomState(1)):
        assert Microaggregator(k=5, random_state=state).fit(X).n_groups_ == 12


def test_without_scikit_learn():
    """Where scikit-learn is missing the error says how to get it; the rest of shoal works."""
    code = (
        "import sys; sys.modules['sklearn'] = None; import shoal; shoal.anonymize\n"
        "try:\n    import shoal.estimator\n"
        "except ImportError as error:\n    print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'shoal[sklearn]'" in ran.stdout
