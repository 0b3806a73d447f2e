"""The semidefinite bound: the pair bound, where shares must also be those of groups.

With x(i, i) = 1 the shares of pairs (see `pairs.py`) are a matrix X that is a sum of squares of
groups, and so positive semidefinite; its rows add up to k. Every grouping costs at least

    min <C, X>,    X psd,    X e = k e,    X(i, i) = 1,    0 <= X <= 1,    C = D / 2k.

This is the relaxation of Peng and Wei 2007, SIAM Journal on Optimization 18(1), for groups of one
size, as of Karisch and Rendl 1998 for equal parts of a graph. Any symmetric matrix M of prices of
pairs bounds it from below: with S = C - M, and T = S less its means of rows and columns,

    <C, X> >= k/n sum(S) + (n - k) min(0, lowest eigenvalue of T)
              + sum of M(i, i) + sum over i != j of min(0, M(i, j)),

for X is k/n of the matrix of ones and a psd matrix whose trace is n - k and whose rows add up to 0.
`least_by_prices` computes it with allowance for rounding. The prices are found by the alternating
direction method of multipliers: X goes to the nearest psd matrix (one eigendecomposition a step),
then to the nearest one within the limits, and the prices follow the difference.
"""

from __future__ import annotations

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.loss import ROUNDED

PENALTY = 0.5  # of the difference, where a record costs about 1
STRETCH = 1.6  # over-relaxation
EPS = 2.0**-52


def centered(matrix: Floats) -> Floats:
    """Return a symmetric matrix less its means of rows and columns."""
    means = matrix.mean(axis=1)
    out: Floats = matrix - means[:, None]
    out -= means - means.mean()
    return out


def paid(prices: Floats) -> float:
    """Return what the limits of the shares are worth: the diagonal, and what is below 0 beside."""
    own = np.diagonal(prices)
    below = float(np.minimum(prices, 0.0).sum()) - float(np.minimum(own, 0.0).sum())
    return float(own.sum()) + below


def lowest_eigenvalue(matrix: Floats, error: float) -> float:
    """Return a number that no eigenvalue is below, of a matrix known up to a spectral `error`.

    Cholesky's decomposition of the matrix with a shift proves it: if it runs to its end, no
    eigenvalue is below minus (n + 1) eps times the trace (Rump 2006, BIT 46).
    """
    rows = int(matrix.shape[0])
    shift = max(0.0, -float(np.linalg.eigvalsh(matrix)[0])) + error
    for _ in range(60):
        trial = matrix.copy()
        trial[np.diag_indices(rows)] += shift
        try:
            np.linalg.cholesky(trial)
        except np.linalg.LinAlgError:
            shift = 2.0 * shift + EPS * float(np.abs(np.diagonal(matrix)).max())
            continue
        trace = float(np.abs(np.diagonal(trial)).sum())
        return -(shift * (1.0 + EPS) + error + 2.0 * (rows + 2) * EPS * trace)
    return -np.inf


def least_by_prices(costs: Floats, k: int, prices: Floats) -> float:
    """Return what no grouping costs less than, by prices of pairs: their certificate.

    costs (n, n) are squared distances by 2k; prices (n, n) is any matrix, its symmetric part
    counts.
    """
    rows = int(costs.shape[0])
    prices = 0.5 * (prices + prices.T)
    slack = costs - prices
    error = 50.0 * EPS * rows * float(np.abs(slack).max())  # of centering, as a spectral norm
    lowest = lowest_eigenvalue(centered(slack), error)
    total = k / rows * float(slack.sum()) + (rows - k) * lowest + paid(prices)
    sums = k / rows * float(np.abs(slack).sum()) + abs(paid(-np.abs(prices)))
    return total - ROUNDED * sums


class Semidefinite:
    """The relaxation of a table, in the making.

    `costs` (n, n) are squared distances by 2k, scaled so that a record costs about 1 in `labels`, a
    good grouping; `by_record` (n) are prices of records (`least_by_pairs`), scaled likewise.
    `bound` never exceeds the cost of any grouping; `prices` prove it.
    """

    def __init__(self, costs: Floats, k: int, labels: Integers, by_record: Floats) -> None:
        self.costs, self.k, self.rows = costs, k, costs.shape[0]
        self.shares = (labels[:, None] == labels).astype(np.float64)
        self.current: Floats = costs - by_record[:, None] - by_record
        self.prices, self.bound = self.current, -np.inf
        self.likely, self.likely_prices = -np.inf, self.current

    def step(self) -> None:
        """Make one step; remember the prices where they are worth more than all before."""
        shares = self._nearest_psd(self.shares - (self.costs - self.current) / PENALTY)
        fitting = self.current - PENALTY * (shares - self.shares)
        value = self.k / self.rows * float((self.costs - fitting).sum()) + paid(fitting)
        if value > self.likely:
            self.likely, self.likely_prices = value, fitting
        shares *= STRETCH
        shares += (1.0 - STRETCH) * self.shares
        shares -= self.current / PENALTY
        self.shares = np.clip(shares, 0.0, 1.0)
        np.fill_diagonal(self.shares, 1.0)
        self.current = PENALTY * (self.shares - shares)

    def _nearest_psd(self, matrix: Floats) -> Floats:
        """Return the psd matrix with rows that add up to k that is nearest to a symmetric one."""
        values, vectors = np.linalg.eigh(centered(matrix))
        above = values > 0.0
        root = vectors[:, above] * np.sqrt(values[above])
        near: Floats = root @ root.T
        near += self.k / self.rows
        return near

    def certify(self) -> None:
        """Let the best prices prove what they can."""
        if self.likely > self.bound:
            proven = least_by_prices(self.costs, self.k, self.likely_prices)
            if proven > self.bound:
                self.bound, self.prices = proven, self.likely_prices
