"""The scikit-learn door: shaped as scikit-learn expects, but for a listed, explained few."""

from __future__ import annotations

import doctest
import pickle
import subprocess
import sys
from importlib import import_module

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from later import Later
from thorough import spread

TOGETHER = "scikit-learn"  # which one process imports
base, compose, linear_model, pipelines, preprocessing, estimator_checks, ours = map(
    Later,
    (
        "sklearn.base", "sklearn.compose", "sklearn.linear_model", "sklearn.pipeline",
        "sklearn.preprocessing", "sklearn.utils.estimator_checks", "shoal.estimator",
    ),
)  # fmt: skip

UNSEEN = "transforms other rows than it was fitted on, which could break k and is refused"
EXPECTED = {
    "check_clustering": "expects three large clusters; groups of k records are small on purpose",
    "check_methods_sample_order_invariance": UNSEEN,
    "check_methods_subset_invariance": UNSEEN,
    "check_fit_idempotent": UNSEEN,
}

X = np.random.default_rng(0).normal(size=(60, 3))
MIXED = {
    "age": [30, 31, 32, 60, 61, 62, None, 33, 63], "town": [*"aabcccabc"],
    "pay": [1.0, 2.0, 3.0, 7.0, 8.0, 9.0, 2.5, None, 8.5],
}  # fmt: skip
FRAMES = [pd.DataFrame, pl.DataFrame, pa.table]
FAST = {"k": 3, "method": "mdav"}


def test_scikit_learns_own_checks():
    """Every check of scikit-learn passes, but for those listed with their reason."""
    ran = estimator_checks.check_estimator(
        ours.Microaggregator(k=3), expected_failed_checks=EXPECTED, on_skip=None
    )
    assert {one["check_name"] for one in ran if one["status"] == "xfail"} == set(EXPECTED)
    assert sum(one["status"] == "passed" for one in ran) > 40


def test_docstring_examples():
    """The examples of the estimator give what they say."""
    ran = doctest.testmod(import_module("shoal.estimator"))
    assert (ran.failed, ran.attempted > 0) == (0, True)


def test_same_groups_as_the_function():
    """The estimator is a door: its groups are those of microaggregate."""
    estimator = ours.Microaggregator(k=4, method="cbfs-nc").fit(X)
    partition = shoal.microaggregate(X, 4, method="cbfs-nc")
    assert np.array_equal(estimator.labels_, partition.labels)
    assert estimator.information_loss_ == partition.information_loss
    assert estimator.n_groups_ == partition.groups
    assert np.array_equal(estimator.fit_predict(X), partition.labels)


def test_fit_transform_gives_group_means():
    """Every record becomes the mean of its group."""
    estimator = ours.Microaggregator(k=5)
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
        ours.Microaggregator(k=5).fit(X).transform(rows)


def test_dataframes_and_pipelines():
    """set_output gives dataframes with names; a pipeline and a clone work."""
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    estimator = ours.Microaggregator(k=5).set_output(transform="pandas")
    released = estimator.fit_transform(frame)
    assert list(released.columns) == ["a", "b", "c"]
    pipeline = pipelines.make_pipeline(preprocessing.StandardScaler(), base.clone(estimator))
    assert pipeline.fit_transform(frame).shape == X.shape


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"k": 2.5}, "k must be"), ({"k": 0}, "k must be"), ({"method": "x"}, "no method 'x'"),
     ({"k": 61}, "minimum of 61 is required")],
)  # fmt: skip
def test_wrong_parameters(parameters, message):
    """Wrong parameters are ValueErrors that name them."""
    with pytest.raises(ValueError, match=message):
        ours.Microaggregator(**parameters).fit(X)


def test_huge_numbers():
    """Means of numbers near the end of the floating-point range are finite."""
    released = ours.Microaggregator(k=2).fit_transform([[1e308], [1.1e308], [1.2e308], [1.3e308]])
    assert released[:, 0] == pytest.approx([1.05e308, 1.05e308, 1.25e308, 1.25e308])


def test_random_state():
    """A number and a RandomState are seeds."""
    for state in (0, 7, np.random.RandomState(1)):
        assert ours.Microaggregator(k=5, random_state=state).fit(X).n_groups_ == 12


@pytest.mark.parametrize("state", [np.random.default_rng(1), np.random.RandomState(1), 5, None])
def test_seed_beside_random_state(state):
    """A seed is that of the function; a Generator is a random state; both given are an error."""
    parameters = {"k": 5, "method": "tfrp1"}
    assert ours.Microaggregator(random_state=state, **parameters).fit(X).n_groups_ == 12
    seeded = ours.Microaggregator(seed=7, **parameters).fit(X)
    assert np.array_equal(seeded.labels_, shoal.microaggregate(X, 5, method="tfrp1", seed=7).labels)
    if state is not None:
        with pytest.raises(ValueError, match="seed or random_state, not both"):
            ours.Microaggregator(seed=7, random_state=state).fit(X)


@pytest.mark.parametrize("make", FRAMES)
def test_missing_cells_and_texts(make):
    """Dataframes with missing cells and texts come back, each group with one value a column."""
    frame = make(MIXED)
    estimator = ours.Microaggregator(**FAST)
    released = estimator.fit_transform(frame)
    assert type(released) is type(frame)
    assert list(estimator.get_feature_names_out()) == list(MIXED)
    assert np.bincount(estimator.labels_).min() >= 3
    columns = pa.table(released).to_pydict()
    assert all(pa.table(frame).to_pydict()[name] == MIXED[name] for name in MIXED)
    for label in range(estimator.n_groups_):
        rows = np.flatnonzero(estimator.labels_ == label)
        for name, before in MIXED.items():
            own = {columns[name][row] for row in rows}
            assert len(own) == 1
            there = [before[row] for row in rows if before[row] is not None]
            if name == "pay" and len(there) >= 3:
                assert own.pop() == pytest.approx(np.mean(there))
            elif name == "pay":
                assert own.pop() is None
            elif name == "town":
                assert there.count(own.pop()) == max(map(there.count, there))


def test_missing_numbers_stay_an_array():
    """Numbers with missing cells come back as floats: means of k present cells, else NaN."""
    holed = X.copy()
    holed[::4, 0] = np.nan
    for given in (holed, pd.DataFrame(holed, columns=list("abc"))):
        estimator = ours.Microaggregator(**FAST)
        released = estimator.fit_transform(given)
        assert isinstance(released, np.ndarray)
        for label in range(estimator.n_groups_):
            own = estimator.labels_ == label
            there = holed[own, 0][~np.isnan(holed[own, 0])]
            if there.size >= 3:
                assert released[own, 0] == pytest.approx(there.mean())
            else:
                assert np.isnan(released[own, 0]).all()
            assert released[own, 1] == pytest.approx(holed[own, 1].mean())
    assert np.isnan(released[:, 0]).any()
    with pytest.raises(ValueError, match="infinity"):
        ours.Microaggregator(**FAST).fit(np.where(np.isnan(holed), np.inf, holed))


@pytest.mark.parametrize("wanted", ["pandas", "polars"])
@pytest.mark.parametrize("make", FRAMES)
def test_set_output(make, wanted):
    """set_output gives the dataframe that is wanted, of any other; an index of pandas stays."""
    frame = make(MIXED)
    if isinstance(frame, pd.DataFrame):
        frame.index = range(100, 109)
    released = ours.Microaggregator(**FAST).set_output(transform=wanted).fit_transform(frame)
    assert isinstance(released, {"pandas": pd.DataFrame, "polars": pl.DataFrame}[wanted])
    assert list(released.columns) == list(MIXED)
    if wanted == "pandas" and isinstance(frame, pd.DataFrame):
        assert list(released.index) == list(frame.index)


def test_clones_and_pickles():
    """A clone has the parameters; a pickle transforms the fitted records, and holds no other."""
    frame = pd.DataFrame({**MIXED, "town": ["CANARY1", "CANARY2", *["b"] * 7]})
    estimator = ours.Microaggregator(**FAST, seed=3, new_rows="pass")
    assert base.clone(estimator).get_params() == estimator.get_params()
    written = pickle.dumps(estimator.fit(frame))
    assert pickle.loads(written).transform(frame).equals(estimator.transform(frame))  # noqa: S301
    assert b"CANARY1" not in written or b"CANARY2" not in written
    assert b"CANARY" not in pickle.dumps(base.clone(estimator))


@pytest.mark.parametrize("data", [X, pd.DataFrame(MIXED)])
def test_new_rows_pass(data):
    """With new_rows='pass' other rows pass unchanged, with a warning at the caller's line."""
    estimator = ours.Microaggregator(**FAST, new_rows="pass").fit(data)
    fitted = estimator.transform(data)
    assert not np.array_equal(np.asarray(fitted), np.asarray(data))
    with pytest.warns(
        shoal.PrivacyWarning, match="^4 rows were not fitted: .* unprotected"
    ) as told:
        passed = estimator.transform(data[:4])
    assert [one.filename for one in told] == [__file__]
    assert type(passed) is type(data)
    pd.testing.assert_frame_equal(pd.DataFrame(passed), pd.DataFrame(data[:4]))


def test_pipelines_predict():
    """A classifier is fitted on protected records, and predicts new ones."""
    y = X[:, 0] > 0
    pipeline = pipelines.make_pipeline(
        ours.Microaggregator(**FAST, new_rows="pass"), linear_model.LogisticRegression()
    )
    pipeline.fit(X[:40], y[:40])
    with pytest.warns(shoal.PrivacyWarning, match="20 rows"):
        assert pipeline.score(X[40:], y[40:]) > 0.7
    frame = pd.DataFrame(MIXED, index=range(9, 18))
    columns = compose.make_column_transformer(
        (ours.Microaggregator(**FAST), ["age", "town"]), remainder="passthrough"
    ).set_output(transform="pandas")
    released = columns.fit_transform(frame)
    assert list(released.index) == list(frame.index)
    assert released.shape == frame.shape


@pytest.mark.parametrize("name", spread(["out.csv", "out.csv.gz", "out.parquet"], 1))
@pytest.mark.parametrize("data", [X, pd.DataFrame(MIXED)])
def test_saved_records_are_verified(tmp_path, name, data):
    """The fitted records are written as their groups' values, in another order, and are safe."""
    estimator = ours.Microaggregator(**FAST).fit(data)
    path = estimator.save(data, tmp_path / name)
    names = [str(one) for one in estimator.get_feature_names_out()]
    assert shoal.verify(path, 3, quasi_identifiers=names).ok
    assert shoal.read(path).rows == len(data)
    with pytest.raises(shoal.OutputError, match="exists"):
        estimator.save(data, path)
    assert estimator.save(data, path, force=True) == path


def test_unprotected_rows_are_never_written(tmp_path):
    """Rows that were not fitted are refused by save, and so is a name of another format."""
    estimator = ours.Microaggregator(**FAST, new_rows="pass").fit(X)
    with pytest.raises(ValueError, match="not protected, and are never written"):
        estimator.save(X[:30], tmp_path / "out.csv")
    with pytest.raises(ValueError, match=r"ends in \.csv"):
        estimator.save(X, tmp_path / "out.txt")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="new_rows must be"):
        ours.Microaggregator(new_rows="drop").fit(X)


def test_without_scikit_learn():
    """Where scikit-learn is missing the error says how to get it; the rest of shoal works."""
    code = (
        "import sys; sys.modules['sklearn'] = None; import shoal; shoal.anonymize\n"
        "try:\n    import shoal.estimator\n"
        "except ImportError as error:\n    print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert 'pip install "shoal[sklearn]"' in ran.stdout
