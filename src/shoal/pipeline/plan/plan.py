"""Plan and `make_plan`: settings, schema and profile become one frozen value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from shoal.judge.requirement import Requirement
from shoal.methods.problem import check_size
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
from shoal.pipeline.plan.columns import (
    TableProfile,
    check_columns,
    check_free_text,
    check_group_column,
    check_kept,
    check_people,
    check_recoding,
    check_rounding,
    with_flat_trees,
    with_survey_roles,
    without_strata,
)
from shoal.pipeline.plan.estimate import Estimate, expected
from shoal.pipeline.plan.steps import check_steps, with_steps
from shoal.release.aggregate import Aggregators
from shoal.settings import Settings
from shoal.table.assign import assign
from shoal.table.dialects.dialect import PLAIN
from shoal.table.ordinal import with_orders
from shoal.table.roles import STRATUM, Role, averaged
from shoal.table.rounding import rounded
from shoal.table.table import Profile, Table, check_readable, complete_rows


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
        table = rounded(self.stepped(table), self.settings.release.round)
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
    stepped = rounded(with_steps(table, settings, folder), settings.release.round)
    profile = TableProfile(stepped)
    plan = make_plan(settings, stepped.without_rows(), profile, folder)
    check_free_text(stepped, plan.schema, settings)
    return plan, profile


def make_plan(
    settings: Settings, schema: Table, profile: Profile, folder: Path | None = None
) -> Plan:
    """Return the plan for a schema and a profile.

    Ensures that everything a run depends on is checked and spelled out in the plan; raises
    RequestError or InputError, with one line that says what to do, where it cannot be met.
    """
    check_group_column(schema, settings.release.group_column)
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
    check_columns(schema, settings, profile)
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
