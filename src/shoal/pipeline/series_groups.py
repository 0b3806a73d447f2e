"""Groups of a release of a series: the records that are kept, and what the ledger will note."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import PrivacyError
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.methods.series.group import Counterfeits, group_members
from shoal.partition import Partition, canonical_labels
from shoal.pipeline.group import Conditions, Groups, encoding_of, find_groups
from shoal.pipeline.plan.notes import group_notes
from shoal.pipeline.plan.plan import Plan
from shoal.progress import Reporter
from shoal.series.series import NoSeries
from shoal.table.encode import canonical_order
from shoal.table.encode_nodes import Coded
from shoal.table.levels import with_used_values
from shoal.table.survey import Survey
from shoal.table.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class SeriesGrouping:
    """The partition of the records that are kept, these records, and the series with them.

    `grouped` is the table as it was grouped.
    """

    partition: Partition
    table: Table
    grouped: Table
    coded: Coded | None
    survey: Survey
    series: NoSeries
    notes: list[str]


def group_series(
    table: Table,
    grouped: Table,
    plan: Plan,
    coded: Coded | None,
    conditions: Conditions,
    series: NoSeries,
    report: Reporter,
    threads: int | None,
) -> SeriesGrouping:
    """Group the records of a release within the budget of people whom a series may withhold."""
    made = find_series_groups(grouped, plan, coded, conditions, series, report, threads)
    partition, kept, survey = made.partition, made.kept, conditions.survey
    series = series.keep(kept, made.counterfeits, partition.labels, made.exposed)
    if kept.size < table.rows:
        table, grouped, survey = table.take(kept), grouped.take(kept), survey.take(kept)
        coded = None if coded is None else with_used_values(coded.take(kept))
    notes = [*made.notes, *series.notes]
    return SeriesGrouping(partition, table, grouped, coded, survey, series, notes)


@dataclass(frozen=True, eq=False, repr=False)
class SeriesGroups:
    """The partition of the rows that are kept, these rows, and notes.

    `exposed` people are withheld because kept columns would join records of theirs; the
    `counterfeits` are like some of the rows that are kept.
    """

    partition: Partition
    kept: Integers
    notes: list[str]
    exposed: int = 0
    counterfeits: Counterfeits = field(default_factory=Counterfeits.none)


def find_series_groups(
    table: Table,
    plan: Plan,
    coded: Coded | None,
    conditions: Conditions,
    series: NoSeries,
    report: Reporter,
    threads: int | None = None,
) -> SeriesGroups:
    """Group the records of a release; whom no class of a series is safe for is left out.

    The records are grouped in an order that depends on what they hold, not on where they stood.
    """
    larger = replace(plan, settings=series.grouping(plan.settings, table.rows))
    barred = series.barred
    if barred.size:
        rest = np.delete(np.arange(table.rows), barred)
        made = find_series_groups(
            table.take(rest), plan, None if coded is None else coded.take(rest),
            conditions.take(rest), series.take(rest), report, threads,
        )  # fmt: skip
        return replace(made, kept=rest[made.kept])
    false = Counterfeits.none()
    if series.members is None:
        partition, notes = find_groups(table, larger, coded, conditions, report, threads)
        kept = np.arange(table.rows)
    else:
        order = canonical_order(table)
        encoding = encoding_of(table, larger, coded, conditions, threads).take(order)
        problem = Groups(larger.settings, report, threads).problem(encoding)
        constraints = conditions.take(order).constraints
        problem = replace(problem, constraints=constraints)
        method = plan.settings.protect.method
        allowed = allowed_counterfeits(plan.settings.series.counterfeits, table.rows)
        own = group_members(problem, series.members.take(order), method, report, allowed)
        rows = np.delete(order, own.withheld)
        kept = np.sort(rows)
        labels = canonical_labels(own.partition.labels[np.argsort(rows)])
        partition = replace(own.partition, labels=labels)
        notes = group_notes(partition, report.stop)
        false = own.counterfeits.at(order)
    exposed = series.take(kept).exposed(partition.labels)
    if exposed.size == kept.size:
        raise PrivacyError(
            "kept columns would join every record with earlier releases below k; round them, drop "
            "them, or name those that change; nothing was written"
        )
    if exposed.size:
        labels = canonical_labels(np.delete(partition.labels, exposed))
        partition = replace(partition, labels=labels)
        kept = np.delete(kept, exposed)
    if larger.k > plan.k:
        settings = plan.settings.replace(series={"expect_overlap": 1.0})
        usual = find_series_groups(
            table, replace(plan, settings=settings), coded, conditions, series, report.quiet(),
            threads,
        )  # fmt: skip
        share = plan.settings.series.expect_overlap
        notes = [*notes, overlap_note(partition, usual.partition, plan.k, share)]
        partition = replace(partition, k=plan.k)  # which is what is promised
    return SeriesGroups(partition, kept, notes, exposed.size, false.among(kept))


def short_share(sizes: Iterable[int], k: int, share: float) -> float:
    """Return the expected share of people who come again in classes of which fewer than k do.

    Everybody of a class of c comes again with the same chance p, whatever the others do: of
    j people in it, who are fewer than k, the sum of j C(c, j) p^j (1 - p)^(c - j) over that of c p.
    """
    sizes = list(sizes)
    short = sum(
        j * math.comb(c, j) * share**j * (1.0 - share) ** (c - j)
        for c in sizes
        for j in range(1, min(k, c + 1))
    )
    return short / (share * sum(sizes))


def overlap_note(larger: Partition, usual: Partition, k: int, share: float) -> str:
    """Return what groups for the overlap that is expected lose now, and what they save then."""
    saved, lost = (100.0 * short_share(one.sizes.tolist(), k, share) for one in (larger, usual))
    return (
        f"{option('expect_overlap', share)}: groups of at least {larger.k} people instead of {k} "
        f"lose {larger.information_loss:.2f} instead of {usual.information_loss:.2f} "
        f"({larger.loss_name}) now; of the people who come again, {saved:.1f} % instead of "
        f"{lost:.1f} % are likely to be in classes of which fewer than k come again, who are "
        "withheld where kept columns join their records"
    )


def allowed_counterfeits(asked: float, rows: int) -> int:
    """Return how many counterfeits may be made: a share of the records, or a number from 1 on."""
    return math.floor(asked * rows + 1e-9) if asked < 1 else int(asked)
