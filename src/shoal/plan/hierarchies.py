"""Hierarchies that settings name, and their files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from shoal.errors import InputError, shown
from shoal.plan.aggregators import requested_aggregator
from shoal.settings import Settings
from shoal.table.hierarchy.specify import in_folder, is_file
from shoal.table.profile import Profile
from shoal.table.proposals.codes import prefixes_of
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table


def with_hierarchies(settings: Settings, schema: Table, folder: Path | None) -> Settings:
    """Return the settings with the files of a folder of hierarchies spelled out."""
    place = settings.input.hierarchies
    if place is None:
        return settings
    where = Path(place) if folder is None else folder / place
    grouped = schema.schema.with_role(Role.QUASI_IDENTIFIER)
    files = in_folder(where, [name for name in grouped if name not in settings.roles.by])
    rules = {**{name: str(Path(file).resolve()) for name, file in files.items()},
            **settings.hierarchies}  # fmt: skip
    return settings.replace(hierarchies=rules, input={"hierarchies": None})


def with_proposed(
    settings: Settings, schema: Table, profile: Profile
) -> tuple[Settings, dict[str, str]]:
    """Return the settings with hierarchies for texts that have none and are codes; and these.

    The recipe of a run has every hierarchy spelled out: none is added to it.
    """
    if settings.shoal is not None:
        return settings, {}
    rules = {}
    for column in schema.with_role(Role.QUASI_IDENTIFIER):
        if _is_generalized(column, settings) and column.name not in settings.hierarchies:
            length = profile.code_length(column)
            if length is not None:
                rules[column.name] = prefixes_of(length)
    if not rules:
        return settings, {}
    return settings.replace(hierarchies={**settings.hierarchies, **rules}), rules


def _is_generalized(column: Column, settings: Settings) -> bool:
    """Tell whether a column releases what its texts have in common."""
    if column.kind is not Kind.TEXT or column.is_ordinal or column.name in settings.roles.by:
        return False
    return requested_aggregator(column, settings.release.aggregate, "generalize") == "generalize"


def compared_columns(schema: Table, settings: Settings) -> list[str]:
    """Return the sensitive columns whose values t-closeness compares."""
    requirement = settings.requirement
    return [
        n
        for n in schema.schema.with_role(Role.SENSITIVE)
        if requirement.threshold("t", n) is not None
    ]


def grouping_hierarchies(schema: Table, settings: Settings) -> dict[str, str]:
    """Return the hierarchies by column but for those that t-closeness compares values by."""
    own = compared_columns(schema, settings)
    return {name: rule for name, rule in settings.hierarchies.items() if name not in own}


def digests(hierarchies: Mapping[str, str], folder: Path | None = None) -> dict[str, str]:
    """Return the sha256 of the files of hierarchies, by column."""
    hashes = {}
    for name, rule in hierarchies.items():
        if is_file(rule):
            path = (folder or Path()) / rule
            try:
                with path.open("rb") as file:
                    hashes[name] = hashlib.file_digest(file, "sha256").hexdigest()
            except OSError:
                raise InputError(f"there is no hierarchy file {shown(path.name)}") from None
    return hashes
