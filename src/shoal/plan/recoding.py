"""Recoding of whole columns: what it takes, and what contradicts it."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.errors import RequestError, shown
from shoal.hints import option
from shoal.methods.registry import find
from shoal.settings import Settings


def check_recoding(settings: Settings, aggregators: Mapping[str, str]) -> None:
    """Raise RequestError for what a recoding cannot be, and what suppression cannot leave out."""
    protect, roles = settings.protect, settings.roles
    method = find(protect.method).info
    if roles.group is not None or not method.recodes:
        if protect.suppress:
            _check_suppression(settings)
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


def _check_suppression(settings: Settings) -> None:
    """Raise RequestError where single records cannot be left out."""
    roles = settings.roles
    units = "household" if roles.household is not None else "person"
    if roles.group is not None:
        why = "groups that are given hold every record"
    elif roles.household is not None or roles.person is not None:
        why = f"it leaves out single records, not all of a {units}"
    else:
        return
    raise RequestError(f"{option('suppress')}: {why}; leave it out")
