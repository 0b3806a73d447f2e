"""What a release of some settings must show, as the judge is asked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.judge.models.requirement import Requirement
from shoal.settings import Settings, joined_key
from shoal.table.table import Table


def claims(settings: Settings, released: Table) -> dict[str, Any]:
    """Return the arguments of `verify`; the settings name every role, and files by whole paths.

    What the table knows of its sensitive columns is said too: a file alone does not tell that
    numbers are codes, which texts are missing values, or what order values have.
    """
    asked, roles = settings.requirement, settings.roles
    found: dict[str, Any] = {"k": asked.k, "quasi_identifiers": roles.quasi_identifiers}
    if asked.of_sensitive:
        own = roles.sensitive
        found |= {
            "sensitive": own,
            "l": asked.l,
            "l_kind": asked.l_kind,
            "c": asked.c,
            "t": asked.t,
            "alpha": asked.alpha,
            "hierarchies": {n: said for n, said in settings.hierarchies.items() if n in own},
            "orders": {n: list(released[n].order or ()) for n in own if released[n].is_ordinal},
            "words": [n for n in own if not released[n].has_places],
            "missing": settings.input.missing,
            "missing_sensitive": asked.missing_sensitive,
            "by_people": roles.person is not None,
        }
    if asked.k_of:
        found["k_of"] = dict(asked.k_of)
    return found


def requirements_beyond_k(asked: Requirement) -> dict[str, Any]:
    """Return what is asked beyond k as a recipe says it, without what is not."""
    found: dict[str, Any] = {}
    for what in ("l", "c", "t", "alpha", "dominance"):
        said = getattr(asked, what)
        if said is not None:
            found[what] = dict(said) if isinstance(said, Mapping) else said
    if asked.missing_sensitive != "ignored":
        found["missing_sensitive"] = asked.missing_sensitive
    if asked.l_kind != "distinct":
        found["l_kind"] = asked.l_kind
    if asked.k_of:
        found["k_of"] = {joined_key(columns): k for columns, k in asked.k_of.items()}
    return found
