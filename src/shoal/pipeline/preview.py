"""`preview`: loss, time and memory of a run, extrapolated from a sample."""

from __future__ import annotations

import math
import time
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from shoal.errors import Json, RequestError
from shoal.methods.problem import check_size
from shoal.partition import rows_of_groups
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.plan.design import survey_design
from shoal.pipeline.plan.estimate import Estimate
from shoal.pipeline.plan.plan import Plan, once_read, plan_table
from shoal.progress import Callback, Reporter
from shoal.settings import Settings, whole
from shoal.settings.signatures import PreviewOptions
from shoal.settings.table import takes_options
from shoal.settings.tree import settings_and_run
from shoal.table.read import read_with
from shoal.table.roles import Role
from shoal.table.table import Table, complete_rows

Integers = npt.NDArray[np.int64]

PART = 4  # the sample is this many times a smaller one, which tells how the loss falls
STEEPEST = -1.0  # the loss falls no faster than the number of records grows


@dataclass(frozen=True)
class Preview:
    """Loss, time and memory of a run on a sample, and the estimates for the whole table.

    Losses are in percent, `loss_name` says of what. `seconds` and `megabytes` are None where no
    method like it was measured.
    """

    records: int
    sample: int
    method: str
    k: int
    loss_name: str
    loss_sample: float
    loss: float
    seconds_sample: float
    seconds: float | None
    megabytes: float | None

    def summary(self) -> str:
        """Return a summary in a few lines."""
        lines = [
            f"preview of {self.sample:,} of {self.records:,} records, k = {self.k}, method "
            f"{self.method}; nothing was written",
            f"  loss of the sample    {self.loss_sample:8.3f} %  ({self.loss_name})",
            f"  loss of all, expected {self.loss:8.3f} %",
            f"  time of the sample    {self.seconds_sample:8.1f} s",
        ]
        if self.seconds is not None and self.megabytes is not None:
            estimate = Estimate(self.seconds, self.megabytes).describe()
            lines.append(f"  all records           {estimate}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON."""
        return asdict(self)

    def __str__(self) -> str:
        return self.summary()


@takes_options("preview")
def preview(
    data: Any,
    k: int | None = None,
    *,
    sample: int = 10_000,
    progress: Shown = False,
    callback: Callback | None = None,
    **options: Unpack[PreviewOptions],
) -> Preview:
    """Run on a sample of the records; estimate loss, time and memory of the whole run.

    Parameters
    ----------
    data : path, dataframe or Table
        As in `shoal.anonymize`.
    sample : int, default 10000
        The number of records to run on. Strata are sampled in proportion; households and people are
        sampled as a whole.
    {progress}
    callback : callable, optional
        Gets a `Progress`.
    {options}

    Returns
    -------
    Preview
        The expected loss, seconds and megabytes.
    """
    settings, run = settings_and_run({"k": k, **options})
    with reporting(progress, callback) as report:
        return preview_of(data, settings, whole(sample, "sample"), run.threads, report)


def preview_of(
    data: Any,
    settings: Settings,
    sample: int,
    threads: int | None = None,
    callback: Callback | Reporter | None = None,
    folder: Path | None = None,
    measured: bool = True,
    records: int | None = None,
) -> Preview:
    """Run on a sample and on a part of it; extrapolate log-linearly from both sizes.

    A sample of all records needs no part. Runs that are not `measured` take less time than a
    whole one would. `records` are those of the whole table, where the data are some of them.
    """
    if settings.roles.group is not None:
        raise RequestError("groups that are given hold every record: there is no sample of them")
    k, options = settings.protect.k, settings.input
    table = read_with(data, options.dialect, options.missing, options.types)
    check_size(table.rows, k, table.source.name)
    least = 2 * PART * max([k, *settings.protect.k_of.values()])
    if sample < min(least, table.rows):  # all records are sample enough
        raise RequestError(f"a sample of at least {least} records is needed for such a k")
    plan, _ = plan_table(table, once_read(settings), folder)
    settings = with_roles(once_read(settings), plan)
    some, part = samples(table, plan, min(sample, table.rows))
    every = table.rows if records is None else records
    run = partial(
        anonymize_with, settings=settings, callback=callback, threads=threads, folder=folder,
        measured=measured,
    )  # fmt: skip
    falls = before = 0.0
    if part.size < some.size < every:  # of all records the loss is known
        before = run(table.take(part)).report.exact_loss
    start = time.perf_counter()
    result = run(table.take(some))
    seconds = time.perf_counter() - start
    lost = result.report.exact_loss
    if lost > 0.0 and before > 0.0:
        slope = math.log(lost / before) / math.log(some.size / part.size)
        falls = min(0.0, max(STEEPEST, slope))
    likely, own = plan.expected(every), plan.expected(some.size)
    return Preview(
        records=every,
        sample=some.size,
        method=result.report.method,
        k=k,
        loss_name=result.report.loss_name,
        loss_sample=lost,
        loss=lost * math.exp(falls * math.log(every / some.size)),
        seconds_sample=seconds,
        seconds=seconds * likely.seconds / own.seconds if likely and own else None,
        megabytes=likely.megabytes if likely else None,
    )


def with_roles(settings: Settings, plan: Plan) -> Settings:
    """Return settings that name every role of a plan: in a sample more columns look unique."""
    schema = plan.schema.schema
    roles: dict[str, Any] = {"keep_unique": tuple(schema.with_role(Role.OTHER))}
    if settings.roles.any_given:
        roles["other"] = (*settings.roles.other, *plan.unnamed)
    else:
        roles["quasi_identifiers"] = tuple(schema.with_role(Role.QUASI_IDENTIFIER))
    return settings.replace(roles=roles)


def samples(table: Table, plan: Plan, size: int) -> tuple[Integers, Integers]:
    """Return the rows of a sample and of a part of it, in order."""
    settings = plan.settings
    rng = np.random.default_rng(settings.protect.seed)
    least = max([settings.protect.k, *settings.protect.k_of.values()])
    if not (settings.roles.by or settings.roles.household or settings.roles.person):
        order = rng.permutation(table.rows)[:size]
        return np.sort(order), np.sort(order[: max(2 * least, size // PART)])
    given = plan.prepared(table)
    kept = np.arange(table.rows)
    if given.rows < table.rows:  # incomplete records, which are deleted
        kept = complete_rows([table[c.name] for c in plan.schema.with_role(Role.QUASI_IDENTIFIER)])
    _, survey, _ = survey_design(given, plan)
    units = np.arange(given.rows) if survey.together is None else survey.together
    strata = np.zeros(given.rows, dtype=np.int64) if survey.strata is None else survey.strata
    chosen = np.zeros((2, table.rows), dtype=bool)
    for rows in rows_of_groups(strata):
        every = rng.permutation(np.unique(units[rows]))
        share = every.size * size / given.rows
        for flags, parts in zip(chosen, (1, PART), strict=True):
            count = max(least, round(share / parts))
            flags[kept[rows]] = np.isin(units[rows], every[:count])
    return np.flatnonzero(chosen[0]), np.flatnonzero(chosen[1])
