"""What groups of records lose, as a programme over groups sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from shoal.kernels.arrays import Floats, Integers

if TYPE_CHECKING:
    from shoal.methods.bounds.threads import Pricing


class Losses(Protocol):
    """The loss of any group of some records; no group loses less than a part of it."""

    @property
    def rows(self) -> int:
        """The number of records."""

    def of_groups(self, groups: Integers) -> Floats:
        """Return what groups of one size lose, (groups, size)."""

    def of_records(self, labels: Integers) -> Floats:
        """Return what records lose in a grouping: half their own, half their group's mean."""

    def take(self, rows: Integers) -> Losses:
        """Return the losses of some of the records."""

    def scaled(self, unit: float) -> Losses | None:
        """Return the losses in other units; None where they are no numbers that can be weighed."""

    def pricing(self, k: int, threads: int | None, over: Callable[[], bool]) -> Pricing:
        """Return what prices groups of k to 2k - 1 records."""


def cost_of(losses: Losses, labels: Integers) -> float:
    """Return what a grouping loses."""
    return float(losses.of_records(labels).sum())
