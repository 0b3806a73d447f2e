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
from shoal.pipeline.state import Grouping, Working
from shoal.progress import Reporter
from shoal.series.no_series import NoSeries
from shoal.table.encode import canonical_order
from shoal.table.encode_nodes import Coded
from shoal.table.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class Kept:
    """The partition of the rows that are kept, these rows, and notes.

    `exposed` people are withheld because kept columns would join records of theirs; the
    `counterfeits` are like some of the rows that are kept.
    """

    partition: Partition
    rows: Integers
    notes: list[str]
    exposed: int = 0
    counterfeits: Counterfeits = field(default_factory=Counterfeits.none)


def group_series(
    working: Working, plan: Plan, conditions: Conditions, series: NoSeries, report: Reporter,
    threads: int | None,
) -> tuple[Working, Grouping, NoSeries]:  # fmt: skip
    """Group the records of a release within the budget of people whom a series may withhold.

    Returns the records that are kept, their groups, and the series with them.
    """
    rest = np.delete(np.arange(working.grouped.rows), series.barred)
    table, coded, able, own = working.grouped, working.coded, conditions, series
    if rest.size < table.rows:
        table, able, own = table.take(rest), able.take(rest), own.take(rest)
        coded = None if coded is None else coded.take(rest)
    made = group_kept(table, coded, plan, able, own, report, threads)
    rows, partition = rest[made.rows], made.partition
    series = series.keep(rows, made.counterfeits, partition.labels, made.exposed)
    if rows.size < working.table.rows:
        working = working.take(rows)
    return working, Grouping(partition, [*made.notes, *series.notes]), series


def group_kept(
    table: Table, coded: Coded | None, plan: Plan, conditions: Conditions, series: NoSeries,
    report: Reporter, threads: int | None,
) -> Kept:  # fmt: skip
    """Group the records of a release; whom no class of a series is safe for is left out.

    The records are grouped in an order that depends on what they hold, not on where they stood.
    """
    larger = replace(plan, settings=series.grouping(plan.settings, table.rows))
    false, rows = Counterfeits.none(), np.arange(table.rows)
    if series.members is None:
        partition, notes = find_groups(table, larger, coded, conditions, report, threads)
    else:
        order = canonical_order(table)
        encoding = encoding_of(table, larger, coded, conditions, threads).take(order)
        problem = Groups(larger.settings, report, threads).problem(encoding)
        problem = replace(problem, constraints=conditions.take(order).constraints)
        asked = plan.settings.series.counterfeits
        allowed = math.floor(asked * table.rows + 1e-9) if asked < 1 else int(asked)
        members, method = series.members.take(order), plan.settings.protect.method
        own = group_members(problem, members, method, report, allowed)
        grouped = np.delete(order, own.withheld)
        rows = np.sort(grouped)
        labels = canonical_labels(own.partition.labels[np.argsort(grouped)])
        partition = replace(own.partition, labels=labels)
        notes = group_notes(partition, report.stop)
        false = own.counterfeits.at(order)
    exposed = series.take(rows).exposed(partition.labels)
    if exposed.size == rows.size:
        raise PrivacyError(
            "kept columns would join every record with earlier releases below k; round them, drop "
            "them, or name those that change; nothing was written"
        )
    if exposed.size:
        labels = canonical_labels(np.delete(partition.labels, exposed))
        partition, rows = replace(partition, labels=labels), np.delete(rows, exposed)
    if larger.k > plan.k:
        settings = plan.settings.replace(series={"expect_overlap": 1.0})
        usual = replace(plan, settings=settings)
        other = group_kept(table, coded, usual, conditions, series, report.quiet(), threads)
        share = plan.settings.series.expect_overlap
        notes = [*notes, overlap_note(partition, other.partition, plan.k, share)]
        partition = replace(partition, k=plan.k)  # which is what is promised
    return Kept(partition, rows, notes, exposed.size, false.among(rows))


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
