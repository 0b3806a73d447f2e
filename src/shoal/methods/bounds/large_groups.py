"""Bounds where groups are large: by pairs of records instead of groups."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit
from shoal.kernels.nearest import sift_down
from shoal.measures.loss import ROUNDED
from shoal.progress import Reporter

STEPS = 60
STRIDE, HALVED = 0.3, 30  # the first step as a share of the way, and after how many it is half
PENALTY = 0.5  # of the difference, where a record costs about 1
STRETCH = 1.6  # over-relaxation
EPS = 2.0**-52
# steps of the semidefinite relaxation at most, and steps times n³; a step takes about 0.5 ns n³
WORK = {"quick": (0, 0.0), "normal": (200, 7e10), "best": (1_000, 6e11)}
FEWEST = 40  # steps: with fewer it has hardly begun to gain
A_CERTIFICATE = 20  # steps between two certificates
SETTLED = 2e-5  # a share of the bound: where steps between two certificates gain less they end


def steps_by(effort: str, rows: int) -> int:
    """Return how many steps of the semidefinite relaxation an effort makes, 0 if too few."""
    most, work = WORK[effort]
    steps = min(most, int(work / rows**3))
    return steps if steps >= FEWEST else 0


class LargeGroups:
    """The pair bound of a table, and the semidefinite bound above it.

    `gaps` (n, n) are finite squared distances, `labels` a good grouping whose cost is `upper`,
    above 0. `least` never exceeds the cost of any grouping; `relaxation` has the certificate.
    """

    def __init__(
        self, gaps: Floats, k: int, labels: Integers, upper: float,
        over: Callable[[], bool] = lambda: False,
    ) -> None:  # fmt: skip
        self.gaps, self.k, self.labels, self.over = gaps, k, labels, over
        self.unit = upper / labels.size
        self.least = 0.0
        self.by_record = np.zeros(labels.size)
        self.relaxation: Semidefinite | None = None

    def bound_by_pairs(self) -> None:
        """Find the pair bound."""
        self.least, self.by_record = least_by_pairs(self.gaps, self.k, self.over)

    def raise_bound(self, steps: int, report: Reporter) -> None:
        """Make some steps of the semidefinite relaxation, and keep what is proven."""
        if steps == 0:
            return
        scale = 1.0 / (2.0 * self.k * self.unit)
        relaxation = Semidefinite(self.gaps * scale, self.k, self.labels, self.by_record * scale)
        self.relaxation = relaxation
        with suppress(np.linalg.LinAlgError):  # what is proven by then is a bound all the same
            try:
                self._step(relaxation, steps, report)
            finally:
                relaxation.certify()
                proven = relaxation.bound * self.unit * (1.0 - ROUNDED)
                self.least = max(self.least, proven)

    def _step(self, relaxation: Semidefinite, steps: int, report: Reporter) -> None:
        """Step until the bound hardly rises, or the time is up."""
        before = -np.inf
        for step in range(steps):
            report("bounding", step, steps)
            if self.over():
                return
            relaxation.step()
            if step % A_CERTIFICATE == A_CERTIFICATE - 1:
                relaxation.certify()
                if relaxation.bound < before * (1.0 + SETTLED):
                    return
                before = relaxation.bound


# The semidefinite bound: the pair bound, where shares must also be those of groups.
#
# With x(i, i) = 1 the shares of pairs (see above) are a matrix X that is a sum of squares of
# groups, and so positive semidefinite; its rows add up to k. Every grouping costs at least
#
#     min <C, X>,    X psd,    X e = k e,    X(i, i) = 1,    0 <= X <= 1,    C = D / 2k.
#
# This is the relaxation of Peng and Wei 2007, SIAM Journal on Optimization 18(1), for groups of one
# size, as of Karisch and Rendl 1998 for equal parts of a graph. Any symmetric matrix M of prices of
# pairs bounds it from below: with S = C - M, and T = S less its means of rows and columns,
#
#     <C, X> >= k/n sum(S) + (n - k) min(0, lowest eigenvalue of T)
#               + sum of M(i, i) + sum over i != j of min(0, M(i, j)),
#
# for X is k/n of the matrix of ones and a psd matrix whose trace is n - k and whose rows add up to
# 0. `least_by_prices` computes it with allowance for rounding. The prices are found by the
# alternating direction method of multipliers: X goes to the nearest psd matrix (one
# eigendecomposition a step), then to the nearest one within the limits, and the prices follow the
# difference.
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


# The pair bound: a linear programme over the pairs of records that share a group.
#
# Groups may be taken for groups of exactly k: all subsets of k of a group of m records, each to the
# same share, cover every record once and cost m (k - 1) / (k (m - 1)) of the group's SSE together,
# which is no more than all of it. Let x(i, j) be the share in which two records are together, and
# D(i, j) their squared distance. Every grouping then costs at least the least of
#
#     sum of D(i, j) x(i, j) over i != j, by 2k,    0 <= x <= 1,    sum over j of x(i, j) = k - 1.
#
# Any prices u of records bound it from below, for what is left of D - u - u is paid only where it
# is below 0:
#
#     2 (k - 1) sum of u(i) + sum over i != j of min(0, D(i, j) - u(i) - u(j)),    by 2k.
#
# A record's price is best, the others' given, between the (k - 1)-th and the k-th least D(i, j) -
# u(j). All prices go part of the way there at once, by ever shorter steps.


@jit
def weigh_pairs(
    gaps: Floats, prices: Floats, keys: Floats, items: Integers, short: Floats, aims: Floats
) -> None:
    """Write what the pairs of each record cost below their prices, and the price that suits it.

    gaps IN (n, n), prices IN (n); short OUT (n) and aims OUT (n); work space: keys (k), items (k).
    Requires n > k > 1.
    """
    rows, k = gaps.shape[0], keys.shape[0]
    for row in range(rows):
        for i in range(k):
            keys[i] = np.inf
        total, own = 0.0, prices[row]
        for other in range(rows):
            left = gaps[row, other] - prices[other]
            if other == row:
                continue
            if left < own:
                total += left - own
            if left < keys[0]:
                keys[0] = left
                sift_down(keys, items, k, 0)
        below = keys[1]
        if k > 2:
            below = max(below, keys[2])
        short[row], aims[row] = total, 0.5 * (keys[0] + below)


def weigh(gaps: Floats, k: int, prices: Floats) -> tuple[float, Floats]:
    """Return what prices prove, and where each should go."""
    short, aims = np.empty(prices.size), np.empty(prices.size)
    weigh_pairs(gaps, prices, np.empty(k), np.zeros(k, dtype=np.int64), short, aims)
    below = float(short.sum())
    value = 2.0 * (k - 1) * float(prices.sum()) + below
    value -= ROUNDED * (2.0 * k * float(np.abs(prices).sum()) - below)
    return max(value / (2.0 * k), 0.0), aims


def least_by_pairs(
    gaps: Floats, k: int, over: Callable[[], bool] = lambda: False
) -> tuple[float, Floats]:
    """Return a sum of squares that no grouping falls short of, and the prices that prove it, (n).

    gaps (n, n) are squared distances, 2k records or more. It ends early when the time is over.
    """
    prices = np.array([0.5 * np.partition(row, k - 1)[k - 1] for row in gaps])  # 0 is its own
    least, best = -1.0, prices
    for step in range(STEPS):
        if step and over():
            break
        value, aims = weigh(gaps, k, prices)
        if value > least:
            least, best = value, prices
        prices = prices + STRIDE / (1.0 + step / HALVED) * (aims - prices)
    return least, best
