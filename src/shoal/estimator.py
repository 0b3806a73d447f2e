"""Estimator with the scikit-learn interface. Needs `pip install shoal[sklearn]`."""

from __future__ import annotations

import hashlib
import os
import warnings
from pathlib import Path
from typing import Any, Self

import narwhals as nw
import numpy as np
import pyarrow as pa

from shoal.errors import pip_install

try:
    from sklearn import get_config
    from sklearn.base import BaseEstimator, ClusterMixin, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils import check_array, check_random_state
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise ImportError(f"shoal.estimator needs scikit-learn: {pip_install('sklearn')}") from error

from shoal.errors import PrivacyWarning, RequestError
from shoal.kernels.arrays import Floats
from shoal.measures.loss import group_means
from shoal.partition import Partition
from shoal.pipeline.microaggregate import (
    distance_groups,
    group_rows,
    microaggregate,
    present_means,
)
from shoal.release.records import save_records
from shoal.table.dataframes.native import take_native
from shoal.table.read import read
from shoal.table.roles import Column, Kind
from shoal.table.table import Table

REFUSE, PASS = "refuse", "pass"


class Microaggregator(OneToOneFeatureMixin, ClusterMixin, TransformerMixin, BaseEstimator):
    """Group similar records, at least k in each, and replace each by its group's mean.

    Parameters
    ----------
    k : int, default 5
        The least number of records of a group.
    method : str, default "auto"
        A name of `shoal.methods()`.
    random_state : int, RandomState, Generator or None, default None
        What the seed is drawn from; None is seed 0, so that a fit can be repeated.
    standardize : bool, default True
        Whether numbers are divided by their standard deviation.
    seed : int or None, default None
        The seed itself, as in `shoal.microaggregate`; not beside `random_state`.
    new_rows : {"refuse", "pass"}, default "refuse"
        What `transform` does with another table than the fitted one: it is an error, or its rows
        pass unchanged, with a `shoal.PrivacyWarning`, so that a pipeline can predict.

    Attributes
    ----------
    labels_ : array of n ints
        The group of each record.
    cluster_centers_ : array or dataframe
        What each group releases, one row a group, in the units of the data.
    information_loss_ : float
        SSE/SST in percent.
    n_groups_ : int
        The number of groups.

    Notes
    -----
    `transform` gives the fitted records back as their groups' values. A new record put into an old
    group is a group that nobody made k-anonymous, and whoever compares two releases would see who
    is new: fit all records together instead. Rows that pass are as they were, and not protected:
    `save` never writes them. A table that is not the fitted one passes as a whole, also the rows
    that both have: to know single records again, the model would have to hold a mark of each.

    Dataframes may have missing cells and columns of texts, categories and dates. A group releases
    the mean of the cells that are there if they are at least k, else none; of texts and categories
    the most frequent one, and none where a cell of the group is missing. Where all columns are
    numbers an array comes back, else the caller's type of dataframe; `set_output` chooses.

    Examples
    --------
    >>> from shoal.estimator import Microaggregator
    >>> Microaggregator(k=2).fit_transform([[1.0], [2.0], [8.0], [9.0]]).tolist()
    [[1.5], [1.5], [8.5], [8.5]]
    """

    def __init__(
        self,
        k: int = 5,
        *,
        method: str = "auto",
        random_state: Any = None,
        standardize: bool = True,
        seed: int | None = None,
        new_rows: str = REFUSE,
    ) -> None:
        self.k = k
        self.method = method
        self.random_state = random_state
        self.standardize = standardize
        self.seed = seed
        self.new_rows = new_rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn's signature
        """Group the records of X."""
        if self.new_rows not in (REFUSE, PASS):
            raise RequestError(f"new_rows must be {REFUSE} or {PASS}")
        seed = self._seed()
        records = self._records(X, reset=True)
        partition = self._grouped(records, seed)
        self.labels_ = np.array(partition.labels)
        if isinstance(records, Table):
            self.cluster_centers_ = group_rows(records, partition)
        elif np.isnan(records).any():
            self.cluster_centers_ = present_means(records, partition.labels, partition.k)
        else:
            self.cluster_centers_ = group_means(records, partition.labels)
        self.information_loss_ = partition.information_loss
        self.n_groups_ = partition.groups
        self._fitted_on = _digest(records)
        return self

    def transform(self, X: Any) -> Any:
        """Return the fitted records as their groups' values; others are refused, or pass."""
        check_is_fitted(self)
        records = self._records(X, reset=False)
        if _digest(records) == self._fitted_on:
            return self._released(X)
        if self.new_rows != PASS:
            raise RequestError(
                "Microaggregator can transform only the records it was fitted on: a new record in "
                "an old group could break k-anonymity. Use fit_transform on all records together, "
                "or new_rows='pass' to let others through unprotected"
            )
        warnings.warn(
            PrivacyWarning(
                f"{_count(records):,} rows were not fitted: they pass as they are, unprotected"
            ),
            stacklevel=3,
        )
        return self._laid_out(X, X) if isinstance(records, Table) else records

    def save(self, X: Any, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Write the fitted records as their groups' values, verified, or nothing.

        The file (.csv, .csv.gz or .parquet) has its rows in random order and no index. Rows that
        were not fitted are refused, whatever `new_rows` says. For a report, and columns that are
        kept, see `shoal.anonymize`.
        """
        check_is_fitted(self)
        if _digest(self._records(X, reset=False)) != self._fitted_on:
            raise RequestError(
                "these rows were not fitted: they are not protected, and are never written; fit "
                "all records together"
            )
        released = take_native(self.cluster_centers_, self.labels_) if self._is_mixed else {
            str(name): pa.array(column, from_pandas=True)
            for name, column in zip(
                self.get_feature_names_out(), self.cluster_centers_[self.labels_].T, strict=True
            )
        }  # fmt: skip
        return save_records(read(released), int(self.k), path, force=force)

    @property
    def _is_mixed(self) -> bool:
        """Whether columns were fitted that are no numbers."""
        return not isinstance(self.cluster_centers_, np.ndarray)

    def _seed(self) -> int:
        """Return the seed that was given, or that a random state draws."""
        if self.seed is not None:
            if self.random_state is not None:
                raise RequestError("give seed or random_state, not both")
            return self.seed
        if self.random_state is None:
            return 0
        if isinstance(self.random_state, np.random.Generator):
            return int(self.random_state.integers(2**31 - 1))
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def _records(self, X: Any, reset: bool) -> Floats | Table:
        """Return X as a matrix, or as a Table where a column of a dataframe is no number."""
        least = max(2, int(self.k)) if reset and isinstance(self.k, int | np.integer) else 1
        checks: dict[str, Any] = {
            "dtype": np.float64, "ensure_all_finite": "allow-nan", "ensure_min_samples": least,
        }  # fmt: skip
        if isinstance(X, Table) or not hasattr(X, "columns"):
            matrix: Floats = validate_data(self, X, reset=reset, **checks)
            return matrix
        validate_data(self, X, reset=reset, skip_check_array=True)
        table = read(X)
        if not all(_is_number(column) for column in table.columns):
            return table
        whole: Floats = np.stack([_floats(column) for column in table.columns], axis=1)
        return np.asarray(check_array(whole, **checks))

    def _grouped(self, records: Floats | Table, seed: int) -> Partition:
        if isinstance(records, Table) or np.isnan(records).any():
            return distance_groups(read(records), self.k, self.method, seed, self.standardize)
        return microaggregate(
            records, self.k, method=self.method, seed=seed, standardize=self.standardize
        )

    def _released(self, X: Any) -> Any:
        """Return every fitted record as the values of its group."""
        if not self._is_mixed:
            return self.cluster_centers_[self.labels_]
        return self._laid_out(take_native(self.cluster_centers_, self.labels_), X)

    def _laid_out(self, frame: Any, X: Any) -> Any:
        """Return a dataframe of the type that `set_output` wants, with the index of X, if any."""
        own = getattr(self, "_sklearn_output_config", {}).get("transform")
        wanted = own or get_config()["transform_output"]
        if wanted in ("pandas", "polars"):
            given = nw.from_native(frame, eager_only=True)
            frame = given.to_pandas() if wanted == "pandas" else given.to_polars()
        if hasattr(X, "index") and hasattr(frame, "set_axis"):
            frame = frame.set_axis(X.index, axis=0)
        return frame


def _is_number(column: Column) -> bool:
    return column.kind.is_number or column.kind is Kind.BOOLEAN


def _floats(column: Column) -> Floats:
    """Return a column of numbers as floats; a missing cell is NaN."""
    values = column.values.cast(pa.int8()) if column.kind is Kind.BOOLEAN else column.values
    floats: Floats = values.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return floats


def _count(records: Floats | Table) -> int:
    return records.rows if isinstance(records, Table) else len(records)


def _digest(records: Floats | Table) -> str:
    if isinstance(records, Table):
        return records.source.sha256
    return hashlib.sha256(np.ascontiguousarray(records).tobytes()).hexdigest()
