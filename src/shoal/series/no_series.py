"""A release that is no part of a series: every hook leaves what it gets.

So whoever makes a release asks nobody whether it is one of a series.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np

from shoal.kernels.arrays import Floats, Integers
from shoal.methods.enforce.rules import Kinds
from shoal.methods.enforce.values import ValueSets
from shoal.methods.series.group import Counterfeits, Members
from shoal.report.report import Report
from shoal.report.sections import SeriesSection
from shoal.series.frame import Plan
from shoal.settings import Settings
from shoal.table.encode_nodes import Coded
from shoal.table.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class NoSeries:
    """A release that is no part of a series: every hook leaves what it gets.

    `notes` are for the private report, `promises` are published, too; the last records of the
    release are `counterfeits`.
    """

    asked: Settings
    rule: Kinds | ValueSets | None = None
    counterfeits: Counterfeits = field(default_factory=Counterfeits.none)
    notes: Sequence[str] = ()
    promises: Sequence[str] = ()

    @property
    def settings(self) -> Settings:
        """The settings for the release."""
        return self.asked

    @property
    def pending(self) -> Any:
        """What the ledger will note when the release is written."""
        return None

    @property
    def section(self) -> SeriesSection:
        """What the report says of the series."""
        return SeriesSection()

    @property
    def members(self) -> Members | None:
        """What grouping needs to know of people; None where it is as in any release."""
        return None

    @property
    def barred(self) -> Integers:
        """The rows of people who must be withheld, whatever the groups are."""
        return np.zeros(0, dtype=np.int64)

    def admit(self, table: Table) -> tuple[Self, Table]:
        """Return the series and the table without people who left it."""
        return self, table

    def with_trees(self, plan: Plan, settings: Settings) -> Settings:
        """Return settings with the hierarchies that a stable series keeps."""
        return settings

    def meet(self, table: Table, settings: Settings) -> Self:
        """Return the series with the people of a table."""
        return self

    def fit(self, table: Table, plan: Plan, coded: Coded | None, weights: Floats | None) -> Self:
        """Return the series with the frame of the table as it is grouped."""
        return self

    def grouping(self, settings: Settings, rows: int) -> Settings:
        """Return the settings that so many records are grouped with."""
        return settings

    def exposed(self, labels: Integers) -> Integers:
        """Return the rows of groups in which kept columns leave somebody too few records."""
        return self.barred

    def take(self, rows: Integers) -> Self:
        """Return the same for some rows."""
        return self

    def keep(self, rows: Integers, made: Counterfeits, labels: Integers, exposed: int) -> Self:
        """Return the series of the rows that are kept; `labels` are their groups.

        `exposed` people are withheld because kept columns join records.
        """
        return self

    def with_counterfeits(self, released: Table) -> Table:
        """Return a released table with counterfeits as its last records."""
        return released

    def seal(self, report: Report) -> tuple[Self, Report]:
        """Return the series and the report with the figures of all releases."""
        return self, report
