"""Claims of a release: the arguments of `verify` that follow from settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.judge.models.requirement import OF_COLUMNS, Requirement
from shoal.release.intervals import names_in
from shoal.settings import Settings, joined_key
from shoal.table.table import Table


def claims(settings: Settings, released: Table) -> dict[str, Any]:
    """Return the arguments of `verify`; the settings name every role, and files by whole paths.

    What the table knows of its sensitive columns is said too: a file alone does not tell that
    numbers are codes, which texts are missing values, or what order values have.
    """
    requirement, roles = settings.requirement, settings.roles
    quasi = names_in(released.names, settings.class_columns)
    arguments: dict[str, Any] = {"k": requirement.k, "quasi_identifiers": quasi}
    if requirement.of_sensitive:
        own = roles.sensitive
        arguments |= {
            "sensitive": own,
            "l": requirement.l,
            "l_kind": requirement.l_kind,
            "c": requirement.c,
            "t": requirement.t,
            "alpha": requirement.alpha,
            "beta": requirement.beta,
            "beta_kind": requirement.beta_kind,
            "delta": requirement.delta,
            "e": requirement.e,
            "l_of": requirement.l_of,
            "hierarchies": {n: rule for n, rule in settings.hierarchies.items() if n in own},
            "orders": {n: list(released[n].order or ()) for n in own if released[n].is_ordinal},
            "words": [n for n in own if not released[n].has_places],
            "missing": settings.input.missing,
            "missing_sensitive": requirement.missing_sensitive,
            "by_people": roles.person is not None and settings.series.ledger is None,
        }
    if requirement.k_of:
        arguments["k_of"] = {
            tuple(names_in(released.names, names)): k for names, k in requirement.k_of.items()
        }
    return arguments


def requirements_beyond_k(requirement: Requirement) -> dict[str, Any]:
    """Return the requirements beyond k, as in a recipe."""
    fields: dict[str, Any] = {}
    for what in (*OF_COLUMNS, "c", "dominance"):
        threshold = getattr(requirement, what)
        if threshold is not None:
            fields[what] = dict(threshold) if isinstance(threshold, Mapping) else threshold
    if requirement.missing_sensitive != "ignored":
        fields["missing_sensitive"] = requirement.missing_sensitive
    if requirement.l_kind != "distinct":
        fields["l_kind"] = requirement.l_kind
    if requirement.beta_kind != "enhanced":
        fields["beta_kind"] = requirement.beta_kind
    if requirement.l_of:
        fields["l_of"] = {joined_key(columns): least for columns, least in requirement.l_of.items()}
    if requirement.k_of:
        fields["k_of"] = {joined_key(columns): k for columns, k in requirement.k_of.items()}
    return fields
