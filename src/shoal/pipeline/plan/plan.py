"""Plan and `make_plan`: settings, schema and profile become one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from shoal.errors import RequestError, nearest_names, shown
from shoal.hints import option
from shoal.judge.requirement import Requirement
from shoal.kernels.arrays import Integers
from shoal.methods.problem import check_size
from shoal.methods.registry import find
from shoal.pipeline.plan.aggregators import (
    build_aggregators,
    by_hierarchies,
    compared_columns,
    grouping_hierarchies,
    has_mixed_cells,
    has_only_intervals,
    with_hierarchies,
    with_proposed,
)
from shoal.pipeline.plan.costs import Estimate
from shoal.pipeline.plan.estimate import check_fits, expected, machine_memory
from shoal.pipeline.plan.kept_columns import MOST, check_kept, check_rounding, with_rounding
from shoal.pipeline.plan.local_suppression import with_flat_trees
from shoal.pipeline.plan.profile import TableProfile, unique_share
from shoal.pipeline.plan.steps import check_steps, with_steps
from shoal.pipeline.plan.survey import check_people, with_survey_roles, without_strata
from shoal.release.aggregate import Aggregators
from shoal.report.sections import SuppressedSection
from shoal.settings import Settings
from shoal.table.assign import assign
from shoal.table.dataframes.frames import check_names
from shoal.table.dialects.dialect import PLAIN
from shoal.table.ordinal import with_orders
from shoal.table.roles import STRATUM, Column, Kind, Role, averaged
from shoal.table.survey import Survey, named_strata
from shoal.table.table import Profile, Table, check_readable, complete_rows, present

WORDS = 5.0  # of a cell, on average: what has more, and mostly unique cells, is free text


@dataclass(frozen=True)
class Plan:
    """The plan of a run: what settings mean for a table.

    `settings` are the request with every role and hierarchy spelled out; `schema` is the table
    without rows, its columns with their roles and orders, and `unnamed` are those that nobody gave
    one. `grouped` is the schema of what is grouped: without strata. `is_mixed` tells that cells
    are texts or missing, or hierarchies are named; `by_hierarchies` is the encoder: nodes of
    `hierarchies`, else distances; `aggregators` say what a group releases, by
    column. `estimate` is what the run is expected to take, None where it was never measured.
    `folder` is where files of hierarchies are looked for; `proposed` are the hierarchies that
    nobody gave.
    """

    settings: Settings
    schema: Table
    grouped: Table
    unnamed: tuple[str, ...]
    is_mixed: bool
    by_hierarchies: bool
    hierarchies: Mapping[str, str]
    aggregators: Mapping[str, str]
    estimate: Estimate | None
    folder: Path | None = None
    proposed: Mapping[str, str] = field(default_factory=dict)

    @property
    def k(self) -> int:
        """How many records every class has, at least."""
        return self.settings.protect.k

    @property
    def seed(self) -> int:
        """The seed of every random choice."""
        return self.settings.protect.seed

    @property
    def requirement(self) -> Requirement:
        """The privacy requirement, as the judge checks it."""
        return self.settings.requirement

    @property
    def weight(self) -> str | None:
        """The column of survey weights."""
        return self.settings.roles.weight

    @property
    def strata(self) -> tuple[str, ...]:
        """The columns whose combinations are strata."""
        return self.settings.roles.by

    @property
    def released_weights(self) -> tuple[str | None, str, float]:
        """The column of survey weights, how they are released, and the step of rounded ones."""
        return self.weight, *self.settings.release.weights

    @property
    def rounding(self) -> Mapping[str, float]:
        """The steps of the columns that are kept rounded."""
        return self.settings.release.round

    @property
    def all_hierarchies(self) -> Mapping[str, str]:
        """The hierarchies by column, those that t-closeness compares values by too."""
        return self.settings.hierarchies

    @property
    def aggregation(self) -> Aggregators:
        """The aggregators, and the rounding of means."""
        own = self.settings
        return Aggregators(self.released_as, own.release.decimals, own.protect.column_weights)

    def without_strata(self, table: Table) -> Table:
        """Return a table without the columns of strata, which are the same throughout a group."""
        return without_strata(table, self.settings)

    @property
    def released_as(self) -> dict[str, str]:
        """The aggregators, and strata, which are released as they are."""
        return {**self.aggregators, **dict.fromkeys(self.settings.roles.by, STRATUM)}

    @property
    def needs_codes(self) -> bool:
        """Whether cells are looked up in hierarchies: to group records, or to release them."""
        return self.by_hierarchies or not averaged(self.aggregators)

    @property
    def begins_twice(self) -> bool:
        """Whether `auto` groups numbers that are released as intervals, from two starts."""
        chosen = self.settings.protect.method == "auto" and self.settings.roles.group is None
        return chosen and self.by_hierarchies and not self.is_mixed

    @property
    def ranges(self) -> list[str]:
        """The columns that are released as ranges."""
        return [name for name, one in self.aggregators.items() if one == "range"]

    def expected(self, records: int) -> Estimate | None:
        """Return the estimate of a run on so many records."""
        columns = len(self.grouped.with_role(Role.QUASI_IDENTIFIER))
        return expected(self.settings, records, columns, self.by_hierarchies)

    def check_fits(self) -> None:
        """Raise RequestError if the run takes more memory than this machine has."""
        check_fits(self.estimate, self.settings, self.by_hierarchies, machine_memory())

    @property
    def untouched(self) -> tuple[str, ...]:
        """The columns without a given role that no step changes."""
        changed = {name for step in self.settings.steps for name in step.changes}
        return tuple(name for name in self.unnamed if name not in changed)

    def grouped_profile(self, profile: Profile) -> Profile:
        """Return the profile of the records that are grouped, of that of all."""
        return _complete(self.settings, self.schema, profile)

    def stepped(self, table: Table) -> Table:
        """Return a table, or a piece of one, after the steps before grouping."""
        return with_steps(table, self.settings, self.folder)

    def prepared(self, table: Table) -> Table:
        """Return a table, or a piece of one, as it is grouped: after steps, with roles and orders.

        Records that miss a quasi-identifier are left out, where that is asked for. Raises an error
        for cells that cannot be interpreted, and for values that an order lacks.
        """
        table = with_rounding(self.stepped(table), self.settings)
        columns = tuple(table[c.name].replace(role=c.role) for c in self.schema.columns)
        table = replace(table, columns=columns, roles_given=True)
        own = compared_columns(self.schema, self.settings)
        table = with_orders(table, self.settings.orders, own)
        quasi = table.with_role(Role.QUASI_IDENTIFIER)
        for column in quasi:
            check_readable(column, table)
        if self.settings.protect.incomplete == "keep":
            return table
        rows = complete_rows(quasi)
        return table if rows.size == table.rows else table.take(rows)


def plan_table(
    table: Table, settings: Settings, folder: Path | None = None
) -> tuple[Plan, Profile]:
    """Return the plan for a table in memory, and its profile."""
    rounded = with_rounding(with_steps(table, settings, folder), settings)
    profile = TableProfile(rounded)
    plan = make_plan(settings, rounded.without_rows(), profile, folder)
    check_free_text(rounded, plan.schema, settings)
    return plan, profile


def make_plan(
    settings: Settings, schema: Table, profile: Profile, folder: Path | None = None
) -> Plan:
    """Return the plan for a schema and a profile.

    Ensures that everything a run depends on is checked and spelled out in the plan; raises
    RequestError or InputError, with one line that says what to do, where it cannot be met.
    """
    _check_group_column(schema, settings.release.group_column)
    settings = with_survey_roles(settings, schema, profile)
    assigned = assign(schema, settings.roles, profile.reason)
    schema = assigned.table
    check_people(schema, settings, profile)
    check_rounding(schema, settings)
    check_steps(schema, settings)
    schema = with_orders(schema, settings.orders, compared_columns(schema, settings))
    settings = with_hierarchies(settings, schema, folder)
    settings = with_flat_trees(settings, schema)
    settings, proposed = with_proposed(settings, schema, profile)
    _check_columns(schema, settings, profile)
    whole, profile = profile, _complete(settings, schema, profile)
    if settings.protect.incomplete == "delete":
        name = f"{schema.source.name} without incomplete records"
        check_size(profile.rows, settings.protect.k, name)
    check_kept(schema, settings, profile)
    grouped = without_strata(schema, settings)
    hierarchies = grouping_hierarchies(grouped, settings)
    is_mixed = has_mixed_cells(grouped, settings, profile, hierarchies)
    intervals = has_only_intervals(grouped, settings, profile, hierarchies)
    encoder = by_hierarchies(settings, is_mixed, intervals)
    columns = len(grouped.with_role(Role.QUASI_IDENTIFIER))
    given = {name: rule for name, rule in hierarchies.items() if name not in proposed}
    aggregators = build_aggregators(grouped, settings, encoder, whole, given)
    check_recoding(settings, aggregators)
    return Plan(
        settings, schema, grouped, assigned.unnamed, is_mixed, encoder, hierarchies, aggregators,
        expected(settings, profile.rows, columns, encoder), folder, proposed,
    )  # fmt: skip


def _complete(settings: Settings, schema: Table, profile: Profile) -> Profile:
    """Return the profile without the records that are left out because a cell is missing."""
    if settings.protect.incomplete == "keep":
        return profile
    return profile.complete(schema.schema.with_role(Role.QUASI_IDENTIFIER))


def once_read(settings: Settings) -> Settings:
    """Return the settings of a table that is already read, without input options."""
    return settings.replace(input={**PLAIN.to_settings(), "missing": ("",), "types": {}})


def _check_group_column(schema: Table, name: str | None) -> None:
    """Refuse a column of group numbers whose name is none, or is that of another column."""
    if name is None:
        return
    check_names([name], "the release")
    if name in schema.names:
        raise RequestError(
            f"group_column: {schema.source.name} has a column {shown(name)} already; give the "
            "group numbers another name"
        )


def _check_columns(schema: Table, settings: Settings, profile: Profile) -> None:
    """Refuse decimals for columns that are not grouped, and columns without a value."""
    if settings.roles.group is not None and settings.protect.incomplete == "delete":
        raise RequestError("groups that are given hold every record: none can be deleted")
    decimals = settings.release.decimals
    quasi = schema.with_role(Role.QUASI_IDENTIFIER)
    names = [column.name for column in quasi]
    for name in decimals if isinstance(decimals, dict) else ():
        if name not in names:
            raise RequestError(
                f"decimals are given for {shown(name)}, which is no quasi-identifier"
                f"{nearest_names(name, names)}"
            )
    for column in quasi:
        check_readable(column, schema)
    for column in (*quasi, *schema.with_role(Role.SENSITIVE)):
        if profile.missing(column) == profile.rows and not settings.protect.allow_empty:
            what = "sensitive column" if column.role is Role.SENSITIVE else "quasi-identifier"
            raise RequestError(
                f"{schema.source.name}: every cell of {what} {shown(column.name)} is missing; "
                f"leave it out with {option('drop', [column.name])}, or say "
                f"{option('allow_empty', True)}"
            )


def words_a_cell(column: Column) -> float:
    """Return how many words the cells of a column of texts have, on average."""
    import pyarrow.compute as pc

    there = column.values.drop_null()
    if not len(there):
        return 0.0
    return float(pc.mean(pc.list_value_length(pc.utf8_split_whitespace(there))).as_py())


def is_free_text(column: Column) -> bool:
    """Tell whether a column holds free text: many words a cell, most cells unique."""
    if column.kind is not Kind.TEXT or column.is_ordinal or words_a_cell(column) < WORDS:
        return False
    return unique_share(column) > MOST


def check_free_text(table: Table, schema: Table, settings: Settings) -> None:
    """Raise RequestError for a kept column of free text that nobody allowed."""
    for column in schema.columns:
        name = column.name
        is_kept = column.role in (Role.SENSITIVE, Role.OTHER)
        if is_kept and name not in settings.roles.keep_unique and is_free_text(table[name]):
            raise RequestError(
                f"{table.source.name}, column {shown(name)}: free text, which can name people in "
                f"ways that no check sees; leave it out ({option('drop', [name])}), or say "
                f"{option('other', [name])} and {option('keep_unique', [name])} to release it all "
                "the same"
            )


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


def suppressed_section(
    table: Table, plan: Plan, survey: Survey, rows: Integers
) -> SuppressedSection:
    """Return how many records are left out, by stratum, and how many cells by column."""
    quasi = table.with_role(Role.QUASI_IDENTIFIER)
    section: SuppressedSection = {
        "budget": plan.settings.protect.suppress,
        "records": int(rows.size),
        "cells": {one.name: int(np.count_nonzero(present(one)[rows])) for one in quasi},
    }
    if survey.strata is not None:
        names = named_strata(table, plan.strata, survey.strata)
        counts = np.bincount(survey.strata[rows], minlength=len(names))
        section["strata"] = dict(zip(names, counts.tolist(), strict=True))
    return section
