"""The recipe of a run: settings that repeat it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.methods.registry import find
from shoal.partition import SearchLog
from shoal.pipeline.plan.aggregators import numbers_as
from shoal.pipeline.plan.plan import Plan
from shoal.settings import Settings
from shoal.settings.model import FORM
from shoal.table.hierarchy.specify import digests, is_file
from shoal.table.roles import Role
from shoal.table.steps.sequence import is_left_out
from shoal.version import __version__


def repeating_settings(plan: Plan, method: str, log: SearchLog | None) -> Settings:
    """Return settings that repeat a run of a plan: every role and choice spelled out."""
    settings, schema, source = plan.settings, plan.schema.schema, plan.schema.source
    as_asked = bool(settings.roles.by) or _goes_on(settings) or _chooses(settings)
    as_asked = as_asked or plan.begins_twice
    named = settings.roles.group is None and not as_asked
    protect: dict[str, Any] = {"method": method} if named else {}
    again = dict(settings.search)
    if as_asked:
        pass  # strata have a search each; one that goes on from others has no count of its own
    elif log is None:
        protect |= {"max_iterations": None, "time_limit": None, "runs": None}
        again = {}
    else:  # as many iterations, whatever the clock says next time
        protect |= {"max_iterations": log.iterations, "time_limit": None, "runs": log.runs}
        again["schedule"] = log.schedule
        again |= {} if log.looks is None else {"looks": log.looks}
        if isinstance(again.get("stop"), Mapping):  # the count has taken the place of the clock
            again["stop"] = {**again["stop"], "seconds": None, "iterations": None}
    dropped = settings.roles.drop
    trees = {
        name: str(((plan.folder or Path()) / rule).resolve()) if is_file(rule) else rule
        for name, rule in settings.hierarchies.items()
    }
    kept = {*schema.names, *dropped, settings.roles.group}
    released = {"numbers": numbers_as(settings)}
    if settings.roles.weight is not None:
        released["weights_as"] = settings.release.weights_as or "mean"
    return settings.model_copy(update={"shoal": __version__, "form": FORM}).replace(
        input={
            "path": source.path,
            "sha256": source.sha256,
            **source.how,
            "delimiter": source.found_delimiter,
            "missing": source.missing,
            "types": dict(source.types),
            "hierarchies_sha256": digests(trees),
        },
        roles={
            "identifiers": schema.with_role(Role.IDENTIFIER),
            "quasi_identifiers": schema.with_role(Role.QUASI_IDENTIFIER),
            "sensitive": schema.with_role(Role.SENSITIVE),
            "other": schema.with_role(Role.OTHER),
            "drop": [*dropped, *_unnamed(source.columns, kept, settings)],
        },
        release=released,
        protect=protect,
        hierarchies=trees,
        search=again,
    )


def _chooses(settings: Settings) -> bool:
    """Tell whether records were left out that several groupings chose, not the last one alone."""
    protect = settings.protect
    return bool(protect.suppress) and not find(protect.method).info.recodes


def _unnamed(columns: Sequence[str], kept: set[str | None], settings: Settings) -> list[str]:
    """Return the columns that were left out before, but for those that steps leave out."""
    return [n for n in columns if n not in kept and not is_left_out(n, settings.steps)]


def _goes_on(settings: Settings) -> bool:
    """Tell whether a search began with the result of less effort, which only `auto` repeats."""
    protect = settings.protect
    chosen = protect.method == "auto" and protect.start is None and settings.roles.group is None
    return chosen and protect.effort == "best" and not settings.search_options()
