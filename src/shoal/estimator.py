"""Estimator with the scikit-learn interface. Needs `pip install shoal[sklearn]`."""

from __future__ import annotations

import hashlib
from typing import Any, Self

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClusterMixin, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils import check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError("shoal.estimator needs scikit-learn: pip install 'shoal[sklearn]'") from error

from shoal.kernels.arrays import Floats
from shoal.measures.loss import group_means
from shoal.run.microaggregate import microaggregate


class Microaggregator(OneToOneFeatureMixin, ClusterMixin, TransformerMixin, BaseEstimator):
    """Group similar records, at least k in each, and replace each by its group's mean.

    Parameters are those of `shoal.microaggregate`; `random_state` is its seed. After `fit`:
    `labels_` (the group of each record), `cluster_centers_` (the groups' means, in the units of
    the data), `information_loss_` (percent), `n_groups_`.

    `transform` gives the records that were fitted back as their groups' means. It refuses any
    other rows: a new record put into an old group is a group that nobody made k-anonymous, and
    whoever compares two releases would see who is new. Fit all records together instead.
    """

    def __init__(
        self,
        k: int = 5,
        *,
        method: str = "auto",
        random_state: Any = None,
        standardize: bool = True,
    ) -> None:
        self.k = k
        self.method = method
        self.random_state = random_state
        self.standardize = standardize

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Group the records of X."""
        X = validate_data(self, X, dtype=np.float64, ensure_min_samples=max(2, _whole(self.k)))
        seed = 0
        if self.random_state is not None:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        partition = microaggregate(
            X, self.k, method=self.method, seed=seed, standardize=self.standardize
        )
        self.labels_ = np.array(partition.labels)
        self.cluster_centers_ = group_means(X, partition.labels)
        self.information_loss_ = partition.information_loss
        self.n_groups_ = partition.groups
        self._fitted_on = _digest(X)
        return self

    def transform(self, X: Any) -> Floats:
        """Return the fitted records as their groups' means; other rows are refused."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        if _digest(X) != self._fitted_on:
            raise ValueError(
                "Microaggregator can transform only the records it was fitted on: a new record in "
                "an old group could break k-anonymity. Use fit_transform on all records together"
            )
        released: Floats = self.cluster_centers_[self.labels_]
        return released


def _whole(k: Any) -> int:
    """Return k where it is a number to compare with; microaggregate says what is wrong with it."""
    return int(k) if isinstance(k, int | np.integer) else 2


def _digest(X: Floats) -> str:
    return hashlib.sha256(np.ascontiguousarray(X).tobytes()).hexdigest()
