"""`build_report`: figures, run and findings become one Report."""

from __future__ import annotations

import math
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache
from importlib import metadata
from typing import Any, cast

from shoal.judge.requirement import Requirement
from shoal.judge.sections import VerificationSection
from shoal.measures.sections import MeasuresSection
from shoal.partition import Partition
from shoal.report.fields import ColumnReport
from shoal.report.figures.ranges import Key, count_of, nested
from shoal.report.guarantees import Protection, ends_in_values, guarantee, shows_records
from shoal.report.public.rounding import Stable
from shoal.report.report import SCHEMA, Report
from shoal.report.sections import (
    AskedSection,
    BoundSection,
    DominanceSection,
    PublicSection,
    ReleaseSection,
    SearchSection,
    SeriesSection,
    StepSection,
    StepsRiskSection,
    SuppressedSection,
    SurveySection,
)
from shoal.settings.recipe import requirements_beyond_k
from shoal.table.encode_nodes import CodedColumn
from shoal.table.roles import Column, Role
from shoal.table.table import Table
from shoal.version import __version__


@dataclass(frozen=True)
class Released:
    """The released table: schema, names, aggregators and figures.

    `aggregators` are those of the quasi-identifiers, `dropped` columns were left out before,
    `rounded` says to multiples of what kept columns were rounded. `compared` are stable figures
    that whole groups give, all or a sample; `group_column` holds the numbers of groups,
    `suppressed` counts records that were left out within a budget. `steps` are those beside
    grouping, `steps_risk` says what they did to linkage.
    """

    table: Table
    names: Sequence[str]
    aggregators: Mapping[str, str]
    trees: Mapping[str, CodedColumn]
    dropped: Sequence[str]
    rounded: Mapping[str, float]
    compared: Mapping[Key, Stable]
    group_column: str | None = None
    suppressed: SuppressedSection = field(default_factory=SuppressedSection)
    steps: Sequence[StepSection] = ()
    steps_risk: StepsRiskSection = field(default_factory=StepsRiskSection)


@dataclass(frozen=True)
class Run:
    """How a release was made; `given` says that the groups came with the data.

    `enforced` is how they came to keep what is asked beyond k.
    """

    method: str
    k: int
    seed: int
    information_loss: float
    loss_name: str
    seconds: float
    given: bool = False
    search: SearchSection | None = None
    bound: BoundSection | None = None
    enforced: str = ""

    @classmethod
    def of(cls, partition: Partition, seed: int, seconds: float, given: bool) -> Run:
        """Return how a partition was made."""
        log = partition.search
        search = None if log is None else cast(SearchSection, asdict(log))
        return cls(
            partition.method, partition.k, seed, partition.information_loss, partition.loss_name,
            seconds, given, search, _bound(partition), partition.way,
        )  # fmt: skip


@dataclass(frozen=True)
class Findings:
    """Findings on a release: verification, notes, and requirements beyond k.

    `survey` names the columns that say how records were drawn, `dominance` says how the p % rule
    was judged; `public_notes` are those that may be published; `series` is what is promised over a
    series, and how many records of the release are counterfeits.
    """

    verification: VerificationSection
    notes: Sequence[str]
    public_notes: Sequence[str]
    requirement: Requirement | None = None
    dominance: Sequence[DominanceSection] = ()
    survey: SurveySection = field(default_factory=SurveySection)
    measures: MeasuresSection | None = None
    series: SeriesSection = field(default_factory=SeriesSection)


def build_report(
    released: Released, run: Run, findings: Findings, figures: Mapping[str, Any]
) -> Report:
    """Return the report of a release, in memory or out of core; `figures` are those of all chunks.

    See `shoal.report.figures`.
    """
    table, rows, deleted = released.table, figures["cells"]["records"], figures["cells"]["deleted"]
    losses, groups = figures["losses"], figures["classes"]["groups"]
    roles = {str(role): [c.name for c in table.with_role(role)] for role in Role}
    columns = [_column(c, released, figures) for c in table.with_role(Role.QUASI_IDENTIFIER)]
    return Report(
        schema=SCHEMA,
        versions=dict(versions()),
        method=run.method,
        k=run.k,
        seed=run.seed,
        aggregate=_aggregate_text(released.aggregators),
        input={
            "kind": table.source.kind,
            "sha256": table.source.sha256,
            "records": rows + deleted,
            "columns": len(table.columns) + len(released.dropped),
        },
        release=_release(released, rows + findings.series.get("counterfeits", 0)),
        roles={**roles, "dropped": list(released.dropped)},
        groups=groups,
        verification=findings.verification,
        information_loss=run.information_loss,
        information_loss_released=losses["all"],
        loss_name=run.loss_name,
        columns=columns,
        correlations=figures["correlations"],
        guarantee=guarantee(
            Protection(
                k=run.k,
                smallest=int(findings.verification["k"]),
                values=any(ends_in_values(c.released_as, c.hierarchy) for c in columns),
                records=any(shows_records(c.released_as, c.kind) for c in columns),
                given=run.given,
                requirement=findings.requirement,
                sensitive=roles[Role.SENSITIVE],
                households=bool(findings.survey.get("household")),
                people=bool(findings.survey.get("person")),
                weights_as=findings.survey.get("weights_as"),
            )
        ),
        notes=[*findings.notes, *_note_of_equals(groups["without_spread"])],
        seconds=round(run.seconds, 3),
        search=run.search,
        bound=run.bound,
        missing=figures["cells"]["missing"],
        costs=losses["costs"],
        dominance=list(findings.dominance),
        asked=AskedSection()
        if findings.requirement is None
        else cast(AskedSection, requirements_beyond_k(findings.requirement)),
        measures=findings.measures,
        totals=figures["totals"],
        survey=findings.survey,
        public=cast(
            PublicSection,
            nested({**figures["stable"], **released.compared, **_left_out(released, rows, run.k)}),
        ),
        public_notes=list(findings.public_notes),
        rounded=dict(released.rounded),
        enforced=run.enforced,
        rounding_loss=losses["all_rounding"],
        suppressed=released.suppressed,
        steps=list(released.steps),
        steps_risk=released.steps_risk,
        series=findings.series,
        **figures["constants"],
    )


def _left_out(released: Released, rows: int, k: int) -> dict[Key, Stable]:
    """Return counts of records that were left out: k records change each by at most k."""
    figures: dict[Key, Stable] = {}
    for key, value in released.suppressed.items():
        if key == "budget":
            continue
        if isinstance(value, Mapping):
            for name, count in value.items():
                figures["suppressed", key, name] = count_of(count, rows, k)
        else:
            figures["suppressed", key] = count_of(cast(int, value), rows, k)
    return figures


def _release(released: Released, rows: int) -> ReleaseSection:
    """Return what is known of the release before it is written."""
    release: ReleaseSection = {"columns": list(released.names), "records": rows}
    if released.group_column is not None:
        release["group_column"] = released.group_column
    return release


def _column(column: Column, released: Released, figures: Mapping[str, Any]) -> ColumnReport:
    """Return the report of a column."""
    name, tree = column.name, released.trees.get(column.name)
    return ColumnReport(
        name=name,
        kind=column.kind_name,
        information_loss=figures["losses"]["columns"][name],
        released_as=released.aggregators[name],
        **figures["cells"]["columns"][name],
        hierarchy=None if tree is None else str(tree.rule),
        levels=None if tree is None else int(tree.tree.heights[0]) + 1,
        level=None if tree is None else tree.level,
        **figures["numbers"].get(name, {}),
        histogram=figures["histograms"].get(name),
        rounding_loss=figures["losses"]["rounding"].get(name),
    )


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of libraries that can change a result."""
    known = {name: metadata.version(name) for name in ("numpy", "numba", "pyarrow")}
    return {"shoal": __version__, **known, "python": platform.python_version()}


def _aggregate_text(aggregators: Mapping[str, str]) -> str:
    """Return the aggregators as one word, or column by column."""
    different = set(aggregators.values())
    if len(different) == 1:
        return next(iter(different))
    return ", ".join(f"{name}: {aggregator}" for name, aggregator in aggregators.items())


def _note_of_equals(equal: int) -> list[str]:
    """Return in words how many groups hold equal records, if any does."""
    if not equal:
        return []
    return [f"{equal} groups hold equal records, whose values are released as they were"]


def _bound(partition: Partition) -> BoundSection | None:
    """Return the lower bound, and the distance of the partition from it."""
    if partition.bound is None:
        return None
    above = partition.bound.above(partition.information_loss)
    return {
        "information_loss": partition.bound.information_loss,
        "complete": partition.bound.complete,
        "at_most_above_percent": above if math.isfinite(above) else None,
        "told": partition.bound.describe(partition.information_loss),
    }
