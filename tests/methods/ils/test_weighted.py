"""Searches with survey weights, against a record of weight 2 as the record twice."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as limits
from hypothesis import strategies as st

import shoal
from naive.survey import best_move, repeated, weighted_mean, weighted_sse
from shoal.errors import InputError, RequestError
from shoal.measures.loss import group_means, information_loss, squared_error, total_squares

SOME = ("mdav", "v-mdav", "tfrp", "hilbert", "mst", "fast", "lsc", "ilsmc", "ilsmc+")


def table(seed, rows=40, columns=3, most=4):
    """A matrix and whole weights."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(rows, columns)), rng.integers(1, most + 1, rows).astype(float)


def test_losses_and_means_are_those_of_records_repeated():
    """A weight of 2 is the record twice: mean, SSE, SST and loss."""
    X, w = table(0)
    labels = np.arange(40) % 7
    Y = np.array(repeated(X.tolist(), w))
    twice = np.array(repeated(labels.tolist(), w))
    assert group_means(X, labels, w) == pytest.approx(group_means(Y, twice), rel=1e-12)
    assert squared_error(X, labels, w) == pytest.approx(squared_error(Y, twice), rel=1e-12)
    assert total_squares(X, w) == pytest.approx(total_squares(Y), rel=1e-12)
    naive = weighted_sse(X.tolist(), labels.tolist(), w.tolist())
    assert squared_error(X, labels, w).sum() == pytest.approx(naive, rel=1e-12)
    first = X[labels == 0].tolist()
    assert group_means(X, labels, w)[0] == pytest.approx(
        weighted_mean(first, w[labels == 0].tolist()), rel=1e-12
    )


@pytest.mark.parametrize("method", SOME)
@pytest.mark.parametrize("k", [2, 3, 5])
def test_contracts(method, k):
    """Groups of k records; the loss is that of records repeated; the same seed, the same groups."""
    X, w = table(1)
    few = {} if method in SOME[:6] else {"max_iterations": 50}
    found = shoal.microaggregate(X, k, method=method, weights=w, **few)
    assert found.sizes.min() >= k
    Y = np.array(repeated(X.tolist(), w))
    twice = np.array(repeated(found.labels.tolist(), w))
    Z = (Y - Y.mean(axis=0)) / Y.std(axis=0)
    assert found.information_loss == pytest.approx(information_loss(Z, twice), rel=1e-9)
    again = shoal.microaggregate(X, k, method=method, weights=w, **few)
    assert np.array_equal(found.labels, again.labels)
    scaled = shoal.microaggregate(X, k, method=method, weights=8.0 * w, **few)
    assert np.array_equal(found.labels, scaled.labels)


@pytest.mark.parametrize("method", ["mdav", "tfrp", "ilsmc", "ilsmc+", "lsc"])
@pytest.mark.parametrize("seed", range(4))
def test_no_move_gains(method, seed):
    """Where a search ends, no shift and no swap between two groups lowers the weighted SSE."""
    X, w = table(seed, rows=16, columns=2, most=9)
    few = {} if method in ("mdav", "tfrp") else {"max_iterations": 20}
    labels = shoal.microaggregate(
        X, 3, method=method, weights=w, standardize=False, **few
    ).labels.tolist()
    least = weighted_sse(X.tolist(), labels, w.tolist())
    assert best_move(X.tolist(), labels, w.tolist(), 3) >= least * (1 - 1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(3, 5), st.sampled_from(["ilsmc+", "lsc", "fast"]))
@limits(max_examples=25)
def test_weights_of_one_change_nothing(seed, k, method):
    """Weights of 1 give the groups that no weights give.

    In groups of two it is the same to swap the one record or the other: there rounding decides.
    """
    X = np.random.default_rng(seed).normal(size=(30, 2))
    few = {} if method == "fast" else {"max_iterations": 20}
    plain = shoal.microaggregate(X, k, method=method, **few)
    ones = shoal.microaggregate(X, k, method=method, weights=np.ones(30), **few)
    assert np.array_equal(ones.labels, plain.labels)
    assert ones.information_loss == pytest.approx(plain.information_loss, rel=1e-12)


def test_weights_change_groups():
    """A heavy record pulls the mean to it: groups are other ones, and lose less by weight."""
    X, w = table(3, rows=60, most=50)
    plain = shoal.microaggregate(X, 3, method="ilsmc+", max_iterations=300)
    own = shoal.microaggregate(X, 3, method="ilsmc+", max_iterations=300, weights=w)
    Z = (X - np.average(X, axis=0, weights=w)) / np.sqrt(
        np.average((X - np.average(X, axis=0, weights=w)) ** 2, axis=0, weights=w)
    )
    assert own.information_loss < information_loss(Z, plain.labels, w)


def test_texts_are_scaled_by_weight():
    """The inertia of a column of texts counts by weight, too."""
    import pandas as pd

    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"a": rng.normal(size=30), "t": rng.choice(list("xyz"), 30)})
    w = rng.integers(1, 4, 30)
    own = shoal.microaggregate(frame, 3, method="mdav", weights=w)
    twice = frame.loc[np.repeat(np.arange(30), w)].reset_index(drop=True)
    table_ = shoal.read(twice)
    from shoal.table.encode import encode

    matrix = encode(table_, k=3).matrix
    assert own.information_loss == pytest.approx(
        information_loss(matrix, np.repeat(own.labels, w)), rel=1e-9
    )


@pytest.mark.parametrize(
    ("weights", "said"),
    [
        ([1.0] * 9, "9 for 10"),
        ([0.0] + [1.0] * 9, "above 0"),
        ([-1.0] + [1.0] * 9, "above 0"),
        ([float("nan")] + [1.0] * 9, "above 0"),
        ([1e-6] + [1e6] * 9, "times the smallest"),
        (["a"] * 10, "one number a record"),
    ],
)
def test_bad_weights(weights, said):
    """Weights that are none are refused, with a reason."""
    with pytest.raises((RequestError, InputError), match=said):
        shoal.microaggregate(np.arange(20.0).reshape(10, 2), 2, weights=weights)
    with pytest.raises((RequestError, InputError), match=said):
        shoal.microaggregate(np.arange(20.0).reshape(10, 2), 2, method="kaim", weights=weights)


@pytest.mark.parametrize("method", ["best", "exact"])
def test_programmes_take_none(method):
    """Programmes price groups by their number of records: they say so."""
    with pytest.raises(RequestError, match="no survey weights"):
        shoal.microaggregate(np.arange(20.0).reshape(10, 2), 2, method=method, weights=[1.0] * 10)
