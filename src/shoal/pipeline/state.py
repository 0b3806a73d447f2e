"""State of a run: what is asked and what it means, the records, their groups, and the release."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.kernels.arrays import Floats, Integers
from shoal.measures.sections import MeasuresSection
from shoal.partition import Partition
from shoal.pipeline.plan.estimate import Estimate
from shoal.pipeline.plan.plan import Plan
from shoal.pipeline.result import Result
from shoal.pipeline.totals import Totals
from shoal.progress import Reporter
from shoal.report.build import Run
from shoal.report.chunk import Chunk
from shoal.report.figures.ranges import Key
from shoal.report.public.rounding import Stable
from shoal.report.report import Report
from shoal.report.sections import StepSection, StepsRiskSection, SuppressedSection
from shoal.series.series import NoSeries
from shoal.settings import Settings
from shoal.table.encode_nodes import Coded, CodedColumn
from shoal.table.levels import with_used_values
from shoal.table.survey import Survey
from shoal.table.table import Profile, Table

UNSET: Any = None  # what no stage has made yet


@dataclass(frozen=True, eq=False, repr=False)
class Working:
    """The records that are worked on, of a table or a region, and how they were drawn.

    `grouped` is the table without strata, `coded` its cells as nodes of hierarchies.
    """

    table: Table
    grouped: Table
    coded: Coded | None = None
    survey: Survey = field(default_factory=Survey)

    def take(self, rows: Integers) -> Working:
        """Return some of the records, and of the hierarchies' values those that these have."""
        coded = None if self.coded is None else with_used_values(self.coded.take(rows))
        return Working(
            self.table.take(rows), self.grouped.take(rows), coded, self.survey.take(rows)
        )

    @property
    def trees(self) -> dict[str, CodedColumn]:
        """The hierarchies by column."""
        return {} if self.coded is None else {column.name: column for column in self.coded.columns}


@dataclass(frozen=True, eq=False, repr=False)
class Grouping:
    """The groups; those of columns that have a k of their own; and the records left out.

    `notes` say how they were found.
    """

    partition: Partition
    notes: Sequence[str] = ()
    wider: Mapping[str, Partition] = field(default_factory=dict)
    left_out: SuppressedSection = field(default_factory=SuppressedSection)


@dataclass(frozen=True, eq=False, repr=False)
class Release:
    """The release: row by row as the records are worked on, and as it is handed over.

    `weights` are the survey weights that it has. `shown` has more than `table`: counterfeits of a
    series, and the numbers of groups. `steps` says what those beside grouping are and cost,
    `classes` numbers the classes of the records.
    """

    table: Table
    weights: Floats | None = None
    shown: Table = UNSET
    recipe: Settings = UNSET
    verification: dict[str, Any] = UNSET
    classes: Integers = UNSET
    steps: Sequence[StepSection] = ()
    steps_risk: StepsRiskSection = field(default_factory=StepsRiskSection)
    compared: Mapping[Key, Stable] = field(default_factory=dict)
    figures: Mapping[str, Any] = UNSET
    measures: MeasuresSection | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Means:
    """How a run is carried out: what it reports to, its threads, and where files are.

    `folder` holds the files of hierarchies. `kind` is the kind of file that the release is for,
    where it is known. If it is not `measured`, the report has no measures of utility and risk.
    `on_estimate` is called with the estimate before the groups are formed.
    """

    report: Reporter
    threads: int | None = None
    folder: Path | None = None
    kind: str | None = None
    measured: bool = True
    on_estimate: Callable[[Estimate], None] | None = None
    begin: float = field(default_factory=time.perf_counter)


@dataclass(frozen=True, eq=False, repr=False)
class State:
    """The state of a run between two stages: each returns a new one.

    `request` is what was asked, `original` are all records as they were read, `given` the groups
    that they came with. `how` says how the groups were made; `notes` are what the stages have to
    say, in their order. Of a region, `grains`
    are the greatest common divisors of times in all of the file.
    """

    data: Any
    request: Settings
    means: Means
    series: NoSeries
    original: Table = UNSET
    given: Integers | None = None
    plan: Plan = UNSET
    profile: Profile = UNSET
    totals: Totals | None = None
    working: Working = UNSET
    grouping: Grouping = UNSET
    release: Release = UNSET
    how: Run = UNSET
    notes: Sequence[str] = ()
    grains: Mapping[str, int] = field(default_factory=dict)
    report: Report = UNSET
    result: Result[Any] = UNSET

    @property
    def deleted(self) -> int:
        """How many records are left out."""
        return self.original.rows - self.working.table.rows

    @property
    def chunk(self) -> Chunk:
        """The records and their release, as figures are counted; of a region without originals."""
        working, release, grouping = self.working, self.release, self.grouping
        originals = None
        if self.original is not UNSET:
            originals = working.table if self.deleted else self.plan.stepped(self.original)
        return Chunk(
            working.table, release.table, grouping.partition.labels, self.plan.released_as,
            working.coded, {name: own.labels for name, own in grouping.wider.items()},
            working.survey.weights, release.weights, originals,
        )  # fmt: skip
