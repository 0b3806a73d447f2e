"""The estimate of a run: what it loses and takes, which method it is, and why."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.plan.plan import Plan, once_read, plan_table
from shoal.settings import build
from shoal.table.roles import Role
from shoal.web.held import held_sample
from shoal.web.messages import ProgressWriter
from shoal.web.tables import check_headers
from shoal.web.trial import PATIENCE, SAMPLE


def preview(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Estimate what a run loses and takes, from a sample on which searches are short."""
    from shoal.methods.registry import find
    from shoal.plan.costs import Estimate
    from shoal.run.preview import preview_of

    settings = once_read(build(request["settings"]))
    table, records = held_sample(request, place, settings)
    check_headers(table, settings, "csv")
    method = settings.protect.method
    quick = settings
    if method == "auto" or find(method).info.is_search:
        limit = min(PATIENCE, settings.protect.time_limit or PATIENCE)
        quick = settings.replace(protect={"time_limit": limit, "max_iterations": None})
    largest = max([settings.protect.k, *settings.protect.k_of.values()])
    estimated = preview_of(
        table, quick, min(table.rows, max(SAMPLE, 40 * largest)), callback=progress.reporter(),
        measured=False, records=records,
    )  # fmt: skip
    plan, _ = plan_table(table, settings)
    likely = plan.expected(records)
    if likely is None and estimated.seconds is not None and estimated.megabytes is not None:
        likely = Estimate(estimated.seconds, estimated.megabytes)
    return {
        "records": records,
        "sample": estimated.sample,
        **_chosen(plan, estimated.method, records),
        "loss_name": estimated.loss_name,
        "loss": estimated.loss,
        "seconds": None if likely is None else likely.seconds,
        "megabytes": None if likely is None else likely.megabytes,
        "told": None if likely is None else likely.describe(),
    }


def _chosen(plan: Plan, sampled: str, rows: int) -> dict[str, str]:
    """Return the method that will run, and why `auto` takes it, or what it does.

    `sampled` is what ran on a sample: of the whole table, `auto` may take another.
    """
    from shoal.methods.registry import find
    from shoal.plan.estimate import chosen

    settings = plan.settings
    if settings.protect.method != "auto":
        return {"method": sampled, "why": find(settings.protect.method).info.summary}
    columns = len(plan.grouped.with_role(Role.QUASI_IDENTIFIER))
    columns = 1 if find(sampled).info.columns == 1 else columns  # of several, one varies
    choice = chosen(settings, rows, columns, plan.by_hierarchies)
    return {"method": choice.method, "why": f"{choice.method}: {choice.reason}"}
