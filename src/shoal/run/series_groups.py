"""Groups of a release of a series: the records that are kept, and what the ledger will note."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import in_shape
from shoal.ledger.pending import Pending
from shoal.methods.series.counterfeits import Counterfeits
from shoal.partition import Partition
from shoal.plan.plan import Plan
from shoal.progress import Reporter
from shoal.run.group_series import find_series_groups
from shoal.run.membership import Membership, check_budget, series_notes
from shoal.run.shrunk import shrunk_notes
from shoal.run.strata import Conditions
from shoal.table.encode_nodes import Coded
from shoal.table.levels import with_used_values
from shoal.table.survey import Survey
from shoal.table.table import Table


@dataclass(frozen=True, eq=False)
class SeriesGrouping:
    """The partition of the records that are kept, and these records; the entry of the ledger.

    `grouped` is the table as it was grouped, `promised` are the notes that are published.
    """

    __repr__ = in_shape

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
