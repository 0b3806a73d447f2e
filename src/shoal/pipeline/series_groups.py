"""Groups of a release of a series: the records that are kept, and what the ledger will note."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from shoal.errors import PrivacyError, RequestError
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.ledger.pending import Pending
from shoal.methods.series.group import Counterfeits, group_members
from shoal.partition import Partition, canonical_labels, rows_of_groups
from shoal.pipeline.group import Conditions, Groups, encoding_of, find_groups
from shoal.pipeline.membership import Membership, check_budget, series_notes
from shoal.pipeline.plan.notes import group_notes
from shoal.pipeline.plan.plan import Plan
from shoal.progress import Reporter
from shoal.table.encode import canonical_order
from shoal.table.encode_nodes import Coded
from shoal.table.levels import with_used_values
from shoal.table.survey import Survey
from shoal.table.table import Table


@dataclass(frozen=True, eq=False, repr=False)
class SeriesGrouping:
    """The partition of the records that are kept, and these records; the entry of the ledger.

    `grouped` is the table as it was grouped, `promised` are the notes that are published.
    """

    partition: Partition
    table: Table
    grouped: Table
    coded: Coded | None
    survey: Survey
    who: Membership
    counterfeits: Counterfeits
    pending: Pending
    notes: list[str]
    promised: list[str]


def group_series(
    table: Table,
    grouped: Table,
    plan: Plan,
    coded: Coded | None,
    conditions: Conditions,
    who: Membership,
    gone: int,
    report: Reporter,
    threads: int | None,
) -> SeriesGrouping:
    """Group the records of a release of a series, within the budget of people who are withheld.

    `gone` people had left the series before.
    """
    made = find_series_groups(grouped, plan, coded, conditions, who, report, threads)
    kept, withheld = made.kept, table.rows - made.kept.size
    check_budget(plan.settings.series.withhold, withheld, table.rows, made.exposed)
    who = who.take(kept).with_counterfeits(made.counterfeits)
    labels = made.counterfeits.joined_to(made.partition.labels)
    own, promised = series_notes(who, withheld, table.rows, gone, shrunk_notes(who, labels))
    return SeriesGrouping(
        made.partition,
        table.take(kept),
        grouped.take(kept),
        None if coded is None else with_used_values(coded.take(kept)),
        conditions.survey.take(kept),
        who,
        made.counterfeits,
        who.pending(who.dealt(labels), withheld),
        [*made.notes, *own],
        promised,
    )


def shrunk_notes(who: Membership, labels: Integers) -> list[str]:
    """Return for how many people fewer values are left by their classes than before.

    Companions are those who were in one class of the last release with somebody who is not in this
    one.
    """
    rule, left = who.rule, who.history.left
    if rule is None or not left:
        return []
    gone = set(who.history.homes) - set(who.people)
    emptied = {who.history.homes[one] for one in gone}
    shrunk, companions, fewest = 0, 0, len(who.values)
    for rows in rows_of_groups(labels):
        there = {who.values[value] for value in rule.own[rows].tolist()}
        for row in rows.tolist():
            before = left.get(who.people[row])
            if before is None:
                continue
            fewest = min(fewest, len(before & there))
            if not before <= there:
                shrunk += 1
                companions += int(who.homes[row]) in emptied
    if not shrunk:
        return []
    return [
        f"of {shrunk:,} people fewer values are left than by earlier classes, {companions:,} of "
        f"them companions of people who did not come again; the fewest are {fewest}"
    ]


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
    who: Membership,
    report: Reporter,
    threads: int | None = None,
) -> SeriesGroups:
    """Group the records of a release of a series; whom no class is safe for is left out.

    The records are grouped in an order that depends on what they hold, not on where they stood.
    Groups are so large that k people are left of them when no more than expected are in the next
    release.
    """
    k = math.ceil(plan.k / plan.settings.series.expect_overlap)
    if plan.k > table.rows:
        raise PrivacyError(
            f"{table.rows} records < k = {plan.k} are left when those are withheld for whom no "
            "class is safe; nothing was written"
        )
    if k > table.rows:
        raise RequestError(
            f"{table.rows} records < {k}, the size of groups that {option('expect_overlap')} asks "
            "for"
        )
    weights = who.column_weights or plan.settings.protect.column_weights
    asked = plan.settings.replace(protect={"k": k, "column_weights": weights})
    larger = replace(plan, settings=asked)
    barred = who.barred_rows
    if barred.size:
        rest = np.delete(np.arange(table.rows), barred)
        made = find_series_groups(
            table.take(rest), plan, None if coded is None else coded.take(rest),
            conditions.take(rest), who.take(rest), report, threads,
        )  # fmt: skip
        return replace(made, kept=rest[made.kept])
    false = Counterfeits.none()
    if who.members is None:
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
        own = group_members(problem, who.members.take(order), method, report, allowed)
        rows = np.delete(order, own.withheld)
        kept = np.sort(rows)
        labels = canonical_labels(own.partition.labels[np.argsort(rows)])
        partition = replace(own.partition, labels=labels)
        notes = group_notes(partition, report.stop)
        false = own.counterfeits.at(order)
    exposed = who.take(kept).exposed(partition.labels)
    if exposed.size == kept.size:
        raise PrivacyError(
            "kept columns would join every record with earlier releases below k; round them, drop "
            "them, or name those that change; nothing was written"
        )
    if exposed.size:
        labels = canonical_labels(np.delete(partition.labels, exposed))
        partition = replace(partition, labels=labels)
        kept = np.delete(kept, exposed)
    if k > plan.k:
        settings = plan.settings.replace(series={"expect_overlap": 1.0})
        usual = find_series_groups(
            table, replace(plan, settings=settings), coded, conditions, who, report.quiet(), threads
        )
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


def with_counterfeits(
    released: Table, made: Counterfeits, column: str | None, own: Integers
) -> Table:
    """Return a released table with counterfeits as its last records.

    Each is like a record of its class but for the sensitive `column`, which has a cell of a record
    with its value; `own` (n or more) are the values of the records.
    """
    if not made.count or column is None:
        return released
    every = np.arange(released.rows)
    first: dict[int, int] = {}
    for row, value in enumerate(own[: released.rows].tolist()):
        first.setdefault(value, row)
    wide = released.take(np.concatenate((every, made.like)))
    cells = np.array([first[value] for value in made.values.tolist()], dtype=np.int64)
    shown = released.take(np.concatenate((every, cells)))[column]
    columns = tuple(shown if one.name == column else one for one in wide.columns)
    return replace(wide, columns=columns)
