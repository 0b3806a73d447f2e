"""Noise: kept numbers plus or times random ones, correlated, or with totals that stay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from shoal.errors import RequestError
from shoal.table.steps.step import ColumnsStep, Context, Number, Suits, When

if TYPE_CHECKING:
    from shoal.kernels.arrays import Floats, Integers
    from shoal.table.steps.draws import Draws
    from shoal.table.steps.numbers import Numbers
    from shoal.table.table import Table

HOW = {
    "additive": "",
    "correlated": ", with the correlations of the columns",
    "multiplicative": ", by a factor",
    "zero-sum": ", which keeps the totals of groups",
}


@dataclass(frozen=True)
class Noise(ColumnsStep):
    """Add noise to kept columns of numbers.

    Parameters
    ----------
    columns : sequence of str
        The columns, none of them a quasi-identifier.
    amount : float, default 0.1
        The standard deviation of the noise: in standard deviations of the column, or, of
        multiplicative noise, in shares of each value.
    how : {"additive", "correlated", "multiplicative", "zero-sum"}, default "additive"
        Independent normal noise; normal noise whose covariance is that of the columns times
        amount², so that correlations stay; a lognormal factor with mean 1; or normal noise that
        sums up to 0 in every group, so that totals of groups, and all that is made of them, stay
        what they were: exactly, and in floats up to their last digit.

    Notes
    -----
    Whole numbers, decimals and dates stay such: noise is rounded to their unit. A group in which
    one cell alone is present keeps it under zero-sum noise.

    References
    ----------
    Kim (1986), A method for limiting disclosure in microdata based on random noise and
    transformation; Brand (2002), Microdata protection through noise addition; Hwang (1986),
    Multiplicative errors-in-variables models; Ting, Fienberg and Trottini (2008), Random orthogonal
    matrix masking (sums that stay).
    """

    kind: ClassVar[str] = "noise"
    when: ClassVar[When] = When.AFTER
    suits: ClassVar[Suits] = Suits.NUMBERS
    amount: Number = 0.1
    how: Literal["additive", "correlated", "multiplicative", "zero-sum"] = "additive"

    def check(self) -> None:
        """Refuse noise of no size, and correlations of a single column."""
        if not 0 < self.amount <= 10:
            raise RequestError("step noise, amount must lie above 0, and at most at 10")
        if self.how == "correlated" and len(self.columns) < 2:
            raise RequestError("step noise: correlated noise is for at least two columns")

    def apply(self, table: Table, context: Context) -> Table:
        """Return the table with the noise added."""
        from shoal.table.steps.numbers import Numbers
        from shoal.table.steps.texts import with_columns

        assert context.draws is not None
        assert context.labels is not None
        every = {name: Numbers.of(table[name], self.kind) for name in self.columns}
        normals = {
            name: context.draws.of(name).normals(table.rows)[~own.gone]
            for name, own in every.items()
        }
        if self.how == "correlated":
            normals = self._correlated(table, every, context.draws)
        columns = {}
        for name, own in every.items():
            values = own.floats
            if self.how == "multiplicative":
                added = values * (_factors(normals[name], float(self.amount)) - 1.0)
            elif self.how == "correlated":
                added = self.amount * normals[name]
            else:
                deviation = float(values.std()) if values.size else 0.0
                added = self.amount * deviation * normals[name]
            labels = context.labels[~own.gone] if self.how == "zero-sum" else None
            columns[name] = own.replaced(_added(own, added, labels))
        return with_columns(table, columns)

    def _correlated(
        self, table: Table, every: dict[str, Numbers], draws: Draws
    ) -> dict[str, Floats]:
        """Return normal noise with the covariance of the columns, whose cells must all be there."""
        for name, own in every.items():
            if own.gone.any():
                raise self.fail(
                    name, "cells are missing, and correlated noise needs all; say how additive"
                )
        values = np.stack([own.floats for own in every.values()], axis=1)
        covariance = np.atleast_2d(np.cov(values, rowvar=False, bias=True))
        spread, axes = np.linalg.eigh(covariance)
        root = axes * np.sqrt(np.maximum(spread, 0.0))
        drawn = np.stack([draws.of(name).normals(table.rows) for name in every], axis=1)
        noise = drawn @ root.T
        return {name: noise[:, place] for place, name in enumerate(every)}

    def describe(self) -> str:
        """Return what noise is added, of which size."""
        of = "shares of each value" if self.how == "multiplicative" else "standard deviations"
        return f"{', '.join(self.columns)}: noise of {self.amount:g} {of}{HOW[self.how]}"


def _factors(normals: Floats, amount: float) -> Floats:
    """Return lognormal factors with mean 1 and a standard deviation."""
    width = float(np.sqrt(np.log1p(amount * amount)))
    factors: Floats = np.exp(width * normals - 0.5 * width * width)
    return factors


def _added(own: Numbers, added: Floats, labels: Integers | None) -> Any:
    """Return numbers with noise, in units; by `labels` it sums up to 0 in every group."""
    if labels is not None:
        sizes = np.bincount(labels)
        added = added - (np.bincount(labels, weights=added) / np.maximum(sizes, 1))[labels]
    if not own.is_whole:
        return own.values + added
    whole = np.rint(added)
    if labels is not None:
        whole = _balanced(added, whole, labels)
    return own.values + whole.astype(np.int64)


def _balanced(added: Floats, whole: Floats, labels: Integers) -> Floats:
    """Return whole noise that sums up to 0 in every group, as near to the given as can be.

    The records whose noise was rounded farthest are rounded the other way (largest remainders,
    Hamilton): a group of m records is off by at most m / 2, so that each moves by one unit at most.
    """
    off = np.rint(np.bincount(labels, weights=whole)).astype(np.int64)
    rest = (added - whole) * np.where(off > 0, -1.0, 1.0)[labels]
    order = np.lexsort((-rest, labels))
    starts = np.concatenate(([0], np.cumsum(np.bincount(labels))[:-1]))
    ranks = np.empty(labels.size, dtype=np.int64)
    ranks[order] = np.arange(labels.size) - starts[labels[order]]
    moved = ranks < np.abs(off)[labels]
    balanced: Floats = whole - np.where(moved, np.sign(off)[labels], 0)
    return balanced
