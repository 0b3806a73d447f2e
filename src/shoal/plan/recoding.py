"""Recoding of whole columns: what it takes, and what contradicts it."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.errors import RequestError, shown
from shoal.hints import option
from shoal.methods.registry import find
from shoal.settings import Settings


def check_recoding(settings: Settings, aggregators: Mapping[str, str]) -> None:
    """Raise RequestError for what a recoding cannot be, and for suppression by other methods."""
    protect, roles = settings.protect, settings.roles
    method = find(protect.method).info
    if roles.group is not None or not method.recodes:
        if protect.suppress:
            named = "refine" if roles.group is not None else protect.method
            raise RequestError(
                f"{option('suppress')} is for methods that recode whole columns, {named} does not; "
                f"say {option('method', 'full-domain')}, or leave it out"
            )
        return
    if roles.by:
        raise RequestError(
            f"{method.name} has one level for all records, not one by stratum; leave out "
            f"{option('by')}"
        )
    for name, one in aggregators.items():
        if one != "generalize":
            raise RequestError(
                f"{method.name} releases a level of every hierarchy, {shown(name)} is to be "
                f"released as {one}; leave out {option('aggregate')} and {option('numbers')}"
            )
    requirement = settings.requirement
    if protect.suppress and (requirement.more_than_k or requirement.k_of):
        raise RequestError(
            f"{option('suppress')} is for k alone: what else is asked of classes could fail in "
            "what is left; leave it out"
        )
