"""State of a run, and the stages that turn one state into the next.

A state holds what is asked and what it means, the records, their groups, and the release. A stage
is a function of it that says which options it reads.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.hints import option
from shoal.judge.sections import VerificationSection
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
from shoal.report.sections import (
    StepSection,
    StepsRiskSection,
    SuppressedSection,
)
from shoal.series.no_series import NoSeries
from shoal.settings import Settings
from shoal.settings.table import RUN, TABLE, Entry
from shoal.table.encode_nodes import Coded, CodedColumn
from shoal.table.levels import with_used_values
from shoal.table.survey import Survey
from shoal.table.table import Profile, Table

LOG = logging.getLogger(__name__)
BESIDE = RUN, "stream"  # parts whose options the doors read, and the loop of a stream
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
    verification: VerificationSection = UNSET
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


def never(value: Any) -> bool:  # noqa: ARG001 - as every test of a value
    """Tell that no value takes all records at once."""
    return False


@dataclass(frozen=True)
class Reads:
    """Options that a stage reads, by their paths in a recipe.

    Where these ask for what takes all records at once, `needs` says what that is. Any value does
    if no stage by regions reads the option, else those that `whole` tells.
    """

    paths: tuple[str, ...]
    needs: str = ""
    whole: Callable[[Any], bool] = never


@dataclass(frozen=True)
class Stage:
    """A stage: a function from state to state, what it reads, and whether it works by regions.

    `says` is what is shown while it works.
    """

    run: Callable[[State], State]
    reads: tuple[Reads, ...]
    by_region: bool
    says: str


def stage(
    *options: Reads, by_region: bool = False, says: str = ""
) -> Callable[[Callable[[State], State]], Stage]:
    """Declare a function as a stage."""
    return lambda run: Stage(run, options, by_region, says)


def carry_out(stages: Iterable[Stage], state: State) -> State:
    """Return the state after some stages: the one loop of every run."""
    report = state.means.report
    for each in stages:
        report.stop.check()
        if each.says:
            report(each.says, 0, 1)
        begin = time.perf_counter()
        state = each.run(state)
        LOG.debug("stage %s: %.3f s", each.run.__name__, time.perf_counter() - begin)
    return state


def check_read(every: Iterable[Reads], entries: Iterable[Entry] = TABLE.values()) -> None:
    """Raise TypeError for an option that no stage reads: every run would ignore it."""
    paths = {path for own in every for path in own.paths}
    for entry in entries:
        if entry.part not in BESIDE and entry.key not in paths:
            raise TypeError(
                f"no stage reads the option {entry.name}: let the stage that carries it out "
                f"declare {entry.key!r}, so that no run ignores it"
            )


def needs_all_records(
    settings: Settings, every: Iterable[Reads], by_regions: Iterable[Reads]
) -> str | None:
    """Return what settings ask for that no stage by regions carries out; None: nothing."""
    entries = {entry.key: entry for entry in TABLE.values()}
    by_regions = [*by_regions]
    paths = {path for own in by_regions for path in own.paths}
    for own in (*by_regions, *every):
        for path in own.paths:
            value: Any = settings
            for part in path.split("."):
                value = getattr(value, part)
            if value != entries[path].default and (path not in paths or own.whole(value)):
                return own.needs.format(value) or option(entries[path].name)
    return None
