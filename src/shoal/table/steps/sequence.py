"""Lists of steps, carried out in their order: those before grouping, and those after.

Groups are made before the first step that needs them. From there on, all steps change kept columns
alone: rounding after noise is rounding of what is released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from shoal.errors import RequestError, listed, nearest_names, shown
from shoal.table.steps.draws import Draws
from shoal.table.steps.step import Context, Step, When

if TYPE_CHECKING:
    from shoal.table.steps.cost import Cost
    from shoal.table.table import Table


def before_groups(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps that are carried out before the groups are made."""
    return tuple(step for step in steps[: _first(steps)] if step.when is When.BEFORE)


def after_groups(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps that are carried out after the groups are made."""
    return tuple(step for step in steps[_first(steps) :] if step.when is not When.WITH)


def _first(steps: Sequence[Step]) -> int:
    """Return the place of the first step that needs the groups."""
    after = [place for place, step in enumerate(steps) if step.when is When.AFTER]
    return after[0] if after else len(steps)


def are_random(steps: Sequence[Step]) -> bool:
    """Tell whether steps need a secret."""
    return any(step.when is When.AFTER for step in steps)


def is_left_out(name: str, steps: Sequence[Step]) -> bool:
    """Tell whether steps leave out a column."""
    from shoal.table.steps.dates import Derive
    from shoal.table.steps.rare import Drop

    return any(
        (isinstance(step, Drop) and name in step.columns)
        or (isinstance(step, Derive) and name == step.of and not step.keep)
        for step in steps
    )


def applied(steps: Sequence[Step], table: Table, context: Context) -> Table:
    """Return the table after some steps, one after the other."""
    for place, step in enumerate(steps):
        table = step.apply(table, _in_place(context, step, place))
    return table


def with_costs(
    steps: Sequence[Step], table: Table, context: Context
) -> tuple[Table, tuple[Cost, ...]]:
    """Return the table after some steps, and what each cost."""
    from shoal.table.steps.cost import cost_of

    costs = []
    for place, step in enumerate(steps):
        after = step.apply(table, _in_place(context, step, place))
        costs.append(cost_of(step, table, after))
        table = after
    return table, tuple(costs)


def _in_place(context: Context, step: Step, place: int) -> Context:
    """Return the context of a step in its place: two like steps draw different numbers."""
    if context.draws is None:
        return context
    return replace(context, draws=context.draws.of(str(place), step.kind))


def draws_of(secret: str | None) -> Draws | None:
    """Return the random numbers of a release, None where no step needs any."""
    return None if secret is None else Draws(secret)


def check_kept(steps: Sequence[Step], kept: Sequence[str], quasi: Sequence[str]) -> None:
    """Raise RequestError if steps after grouping change what is not kept."""
    for step in after_groups(steps):
        for name in step.changes:
            if name in kept:
                continue
            if name in quasi:
                raise RequestError(
                    f"step {step.kind} is for columns that are kept; {shown(name)} is a "
                    "quasi-identifier, whose groups protect it"
                    + ("" if step.when is When.AFTER else "; move the step before the first "
                       "one of noise, swapping or PRAM")
                )  # fmt: skip
            raise RequestError(
                f"step {step.kind} after grouping is for columns that are kept; {shown(name)} is "
                f"none{nearest_names(name, list(kept))}"
            )
    late = [step.kind for step in after_groups(steps) if step.kind in ("derive", "drop")]
    if late:
        raise RequestError(
            f"steps that make or leave out columns ({listed(late)}) go before noise, swapping and "
            "PRAM"
        )
