"""ILoss as the loss of groups, and its pricing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.jit import jit
from shoal.methods.bounds.cuts import NO_CUTS, Cuts
from shoal.methods.bounds.hierarchies.branch import (
    BRANCH_INTEGERS,
    BRANCH_NUMBERS,
    FormBuffers,
)
from shoal.methods.bounds.hierarchies.neighbors import least_by_companions
from shoal.methods.bounds.hierarchies.pricing import price
from shoal.methods.bounds.threads import Priced, striped, workers
from shoal.methods.topdown.bins import END, HEIGHT, PLACE, RANGED, ROOT, Trees, common
from shoal.partition import rows_of_groups
from shoal.progress import Reporter

SMALL = 60  # records that one thread prices before another has begun


@jit
def lose(t: Trees, codes: Integers, members: Integers, ends: Integers, losses: Floats) -> None:
    """Write what records lose in their groups.

    members IN: the rows of all groups, one group after the other; ends IN: where each ends;
    losses OUT, as members.
    """
    start = 0
    for g in range(ends.shape[0]):
        for i in range(start, ends[g]):
            losses[i] = 0.0
        for j in range(codes.shape[1]):
            low = high = codes[members[start], j]
            for i in range(start, ends[g]):
                low, high = min(low, codes[members[i], j]), max(high, codes[members[i], j])
            if low == high:
                continue
            root = t.columns[j, ROOT]
            if t.columns[j, RANGED] == 1 and low != root:
                cost = t.levels[high, PLACE] - t.levels[low, PLACE] + t.levels[root, PLACE]
                top = -1
            else:
                top = common(t.tree, low, high)
                cost = t.levels[top, HEIGHT]
            for i in range(start, ends[g]):
                if codes[members[i], j] != top:
                    losses[i] += cost
        start = ends[g]


class Forms:
    """ILoss of groups of records, summed over their cells."""

    def __init__(self, trees: Trees, codes: Integers) -> None:
        self.trees, self.codes = trees, codes

    @property
    def rows(self) -> int:
        """The number of records."""
        return int(self.codes.shape[0])

    def of_groups(self, groups: Integers) -> Floats:
        """Return what groups of one size lose, (groups, size)."""
        count, size = groups.shape
        losses = np.zeros(groups.size)
        ends = size * np.arange(1, count + 1)
        lose(self.trees, self.codes, np.ascontiguousarray(groups).ravel(), ends, losses)
        total: Floats = losses.reshape(count, size).sum(axis=1)
        return total

    def of_records(self, labels: Integers) -> Floats:
        """Return what records lose in a grouping: half their own, half their group's mean."""
        groups = rows_of_groups(labels)
        members, sizes = np.concatenate(groups), np.bincount(labels)
        losses, own = np.zeros(labels.size), np.empty(labels.size)
        lose(self.trees, self.codes, members, np.cumsum(sizes), losses)
        own[members] = losses
        means = np.bincount(labels, own) / sizes
        return 0.5 * (own + means[labels])

    def savings(self) -> Floats:
        """Return what records may lose less than others of their group.

        A cell that is the released node loses nothing: of those that can be shared by others, that
        is an inner node or a missing cell.
        """
        tree, levels, codes = self.trees.tree, self.trees.levels, self.codes
        inner = tree[codes, END] > codes + 1
        total: Floats = np.where(inner, levels[codes, HEIGHT], 0.0).sum(axis=1)
        return total

    def take(self, rows: Integers) -> Forms:
        """Return some of the records."""
        return Forms(self.trees, np.ascontiguousarray(self.codes[rows]))

    def scaled(self, unit: float) -> Forms:
        """Return the losses in other units."""
        return Forms(self.trees._replace(levels=self.trees.levels / unit), self.codes)

    def pricing(self, k: int, threads: int | None, over: Callable[[], bool]) -> FormPricer:
        """Return what prices groups of k to 2k - 1 records."""
        return FormPricer(self, k, threads, over)


class FormPricer:
    """Prices groups of k to 2k - 1 records by ILoss; made once for a table. There are no cuts."""

    def __init__(
        self, forms: Forms, k: int, threads: int | None = None,
        over: Callable[[], bool] = lambda: False, small: int = SMALL,
    ) -> None:  # fmt: skip
        self.forms, self.k, self.over, self.small = forms, k, over, small
        self.rows = forms.rows
        self.sizes = range(k, min(2 * k, self.rows + 1))
        self.floors = least_by_companions(forms.trees, forms.codes, k, Reporter(None))
        self.savings = forms.savings()
        count = 1 if self.rows < small else workers(threads)
        self._rooms = [self._room() for _ in range(count)]

    @property
    def floor(self) -> float:
        """What no grouping costs less than: every record with its cheapest companions."""
        return float(self.floors.sum())

    def _room(self) -> FormBuffers:
        k, (rows, width), trees = self.k, self.forms.codes.shape, self.forms.trees
        integers = np.zeros((2, 2 * k, rows), dtype=np.int64)
        numbers = np.zeros((4, 2 * k, rows))
        return FormBuffers(
            trees.tree, trees.levels, trees.columns, self.forms.codes, self.floors, np.zeros(rows),
            np.zeros(rows), np.zeros((rows, width), dtype=np.int64), integers[0], numbers[0],
            numbers[1], numbers[2], integers[1], numbers[3],
            np.zeros((2 * k, width, 2), dtype=np.int64), np.zeros((2 * k, width)),
            np.zeros(rows), np.zeros(rows, dtype=np.int64),
            np.zeros((2 << (2 * rows).bit_length(), 2), dtype=np.int64),
            np.zeros((2, 2 * k)), np.zeros((BRANCH_INTEGERS, 2 * k + 1), dtype=np.int64),
            np.zeros((BRANCH_NUMBERS, 2 * k + 1)),
        )  # fmt: skip

    @staticmethod
    def _refuse(cuts: Cuts, prices: Floats | None) -> None:
        """Refuse cuts, whose prices no branch counts."""
        if len(cuts) or (prices is not None and prices.size):
            raise ValueError("groups of hierarchies are priced without cuts")

    def _works(self, duals: Floats) -> list[FormBuffers]:
        duals, spared = np.ascontiguousarray(duals), -duals - self.savings
        return [room._replace(duals=duals, spared=spared) for room in self._rooms]

    def price(
        self, duals: Floats, most: int, tolerance: float, cuts: Cuts = NO_CUTS,
        prices: Floats | None = None,
    ) -> Priced:  # fmt: skip
        """Price all roots, with at most so many branches each."""
        self._refuse(cuts, prices)
        groups = np.full((self.rows, 2 * self.k - 1), -1)
        figures, branches = np.zeros((self.rows, 3)), np.zeros(self.rows, dtype=np.int64)
        left_out = []

        def run(work: FormBuffers, stripe: int, stripes: int) -> None:
            if self.over():
                left_out.append(stripe)
                return
            price(work, stripe, stripes, self.k, -tolerance, most, False, groups, figures, branches)

        striped(self._works(duals), run, self.rows < self.small)
        best = np.where(figures[:, 0] < -tolerance, figures[:, 0], 0.0)
        sizes = (groups >= 0).sum(axis=1)
        reduced = np.where(sizes == np.array(self.sizes)[:, None], best, 0.0)
        lowest = np.sort(np.minimum(figures[:, 1], 0.0))[: self.rows // self.k]
        missing = -np.inf if left_out else float(lowest.sum())
        by_size = [np.ascontiguousarray(groups[:, :size]) for size in self.sizes]
        return Priced(by_size, reduced, missing, int((branches >= most).sum()))

    def grow(self, duals: Floats) -> tuple[Integers, Floats]:
        """Return the group that few branches find for every root, and its reduced cost."""
        found = self.price(duals, 2 * self.k, 0.0)
        groups = np.full((self.rows, 2 * self.k - 1), -1)
        for size, own, reduced in zip(self.sizes, found.groups, found.reduced, strict=True):
            groups[reduced < 0.0, :size] = own[reduced < 0.0]
        return groups, found.reduced.min(axis=0)

    def every_group(
        self, duals: Floats, limit: float, most: int, room: int, cuts: Cuts, prices: Floats
    ) -> list[Integers] | None:
        """Return all groups whose reduced cost is below a limit, by size; None if too many."""
        self._refuse(cuts, prices)
        groups = np.full((room, 2 * self.k - 1), -1)
        figures, branches = np.zeros((self.rows, 3)), np.zeros(self.rows, dtype=np.int64)
        if self.over():
            return None
        count = price(
            self._works(duals)[0], 0, 1, self.k, limit, most, True, groups, figures, branches
        )
        if count < 0:
            return None
        sizes = (groups[:count] >= 0).sum(axis=1)
        return [np.ascontiguousarray(groups[:count][sizes == s][:, :s]) for s in self.sizes]
