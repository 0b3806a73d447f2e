"""Steps of a release: carried out before and after grouping, with what each cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from shoal.errors import RequestError, listed, shown
from shoal.hints import option
from shoal.kernels.arrays import Integers
from shoal.measures.risk.kept_attack import linked_in_class
from shoal.report.sections import StepSection, StepsRiskSection
from shoal.settings import Settings
from shoal.table.roles import Role
from shoal.table.steps.cost import Cost
from shoal.table.steps.draws import new_secret
from shoal.table.steps.sequence import (
    after_groups,
    applied,
    are_random,
    before_groups,
    check_kept,
    draws_of,
    with_costs,
)
from shoal.table.steps.step import Context, Step
from shoal.table.table import Table

DRAWN_ANEW = (
    "the noise, swaps and draws of steps are new in this release: whoever has another release of "
    "the same records with other ones can average them away; the private recipe repeats these"
)


def step_context(settings: Settings, folder: Path | None = None) -> Context:
    """Return what steps may know beside the table."""
    return Context(settings.protect.k, settings.roles.person, folder)


def with_steps(table: Table, settings: Settings, folder: Path | None = None) -> Table:
    """Return the table after the steps before grouping."""
    return applied(before_groups(settings.steps), table, step_context(settings, folder))


def check_steps(schema: Table, settings: Settings) -> None:
    """Raise RequestError if steps after grouping change columns that are not kept."""
    names = schema.schema
    kept = [*names.with_role(Role.OTHER), *names.with_role(Role.SENSITIVE)]
    weight = settings.roles.weight
    for step in after_groups(settings.steps):
        if weight in step.changes and settings.release.weights[0] != "exact":
            raise RequestError(
                f"step {step.kind}: {shown(weight)} holds the survey weights, which are not "
                f"released as they are; say {option('weights_as', 'exact')}, too"
            )
    check_kept(settings.steps, kept, names.with_role(Role.QUASI_IDENTIFIER))


def check_row_wise(settings: Settings) -> None:
    """Raise RequestError for steps that need all records at once, by their names."""
    steps: Sequence[Step] = settings.steps
    if steps and settings.protect.engine is not None:
        raise RequestError(
            f"no engine carries out steps ({listed(step.kind for step in steps)}); leave out "
            f"{option('steps')}, or prepare the files so"
        )
    whole = [step.kind for step in steps if not step.is_row_wise]
    if whole:
        raise RequestError(
            f"the file does not fit in the memory given, and steps {listed(whole)} take all "
            f"records at once; allow more with {option('memory')}, or leave them out"
        )


def with_secret(settings: Settings) -> tuple[Settings, list[str]]:
    """Return settings whose random steps have a secret, and a note if it is a new one."""
    if settings.secret is not None or not are_random(settings.steps):
        return settings, []
    return settings.model_copy(update={"secret": new_secret()}), [DRAWN_ANEW]


def costs_before(table: Table, settings: Settings, folder: Path | None) -> tuple[Cost, ...]:
    """Return what the steps before grouping cost."""
    own = before_groups(settings.steps)
    return with_costs(own, table, step_context(settings, folder))[1] if own else ()


def after_release(
    released: Table, settings: Settings, labels: Integers
) -> tuple[Table, Sequence[Cost]]:
    """Return the release after the steps that follow grouping, and what each cost."""
    own = after_groups(settings.steps)
    if not own:
        return released, ()
    context = replace(step_context(settings), labels=labels, draws=draws_of(settings.secret))
    return with_costs(own, released, context)


def steps_risk(
    steps: Sequence[StepSection],
    original: Table,
    table: Table,
    released: Table,
    classes: Integers,
) -> StepsRiskSection:
    """Return how often kept columns link a person to a record of the class, before and after.

    `original` is the table before all steps, `table` that after the steps before grouping. Empty
    where steps change no kept column that was there before.
    """
    changed = {name for step in steps for name in step["columns"]}
    names = [
        column.name
        for column in released.columns
        if column.name in changed
        and column.role in (Role.OTHER, Role.SENSITIVE)
        and column.name in original.names
        and column.kind.is_grouped
    ]
    if not names:
        return StepsRiskSection()
    true = table if original.rows != table.rows else original  # records were left out
    as_recoded = [
        true[name] if true[name].kind is released[name].kind else table[name] for name in names
    ]  # a recoding is published: the attacker recodes what is known
    return StepsRiskSection(
        columns=names,
        before=linked_in_class([true[n] for n in names], [true[n] for n in names], classes),
        after=linked_in_class(as_recoded, [released[n] for n in names], classes),
    )
