"""The published recipe: without private files and values."""

from __future__ import annotations

from collections.abc import Iterable

from shoal.release.commitments import Commitments
from shoal.settings import COMMITTED, Settings
from shoal.settings.release import SeriesSettings
from shoal.table.hierarchy.specify import is_file
from shoal.table.spelling import form_of
from shoal.table.steps.recode import hides_values
from shoal.table.steps.sequence import are_random
from shoal.table.table import Table


def public_recipe(
    settings: Settings, released: Table, keep: bool, commitments: Commitments
) -> Settings:
    """Return the recipe with commitments for files and for values that the release does not show.

    Under a ledger everybody has one record, and what is promised over the series stands in the
    report: the recipe is that of the release alone. The seed and how long a search went are left
    out: whoever knows both, and guesses the input, could compare releases.
    """
    options = settings.input
    trees = {
        name: COMMITTED + commitments.of_hierarchy(name, options.hierarchies_sha256[name])
        if is_file(tree)
        else tree
        for name, tree in settings.hierarchies.items()
    }
    ordinal = {
        name: released[name].order or ()
        for name in settings.roles.sensitive
        if released[name].is_ordinal
    }
    orders = {}
    for name, order in {**ordinal, **settings.orders}.items():
        shown = name in released.names and set(order) <= shown_values(released, name)
        committed = (COMMITTED + commitments.of_order(name, order),)
        orders[name] = tuple(order) if shown else committed
    published = {form_of(cell) for cell in ("", *shown_cells(released, released.names))}
    missing = tuple(
        token if form_of(token) in published else COMMITTED + commitments.of_missing(token)
        for token in options.missing
    )
    return settings.replace(
        input={
            "path": None,
            "sha256": None,
            "commitment": commitments.of_input(options.sha256) if options.sha256 else None,
            "missing": missing,
            "hierarchies": None,
            "hierarchies_sha256": {},
        },
        protect={"seed": 0, "max_iterations": None, "time_limit": None, "runs": None},
        release={"keep_order": keep, "output": None},
        roles={"person": None if settings.series.ledger else settings.roles.person},
        series=SeriesSettings().model_dump(),
    ).model_copy(
        update={
            "orders": orders, "hierarchies": trees, "search": {}, "secret": None,
            "steps": tuple(step.published() for step in settings.steps),
        }
    )  # fmt: skip


def lacks(recipe: Settings) -> list[str]:
    """Return what a published recipe lacks to repeat the run, from itself."""
    lacking = ["the input, which is named by a commitment", "the seed and the length of a search"]
    if are_random(recipe.steps):
        lacking.append("the secret of noise, swaps and draws")
    hidden = [step.changes[0] for step in recipe.steps if hides_values(step)]
    lacking += [f"the values that a step recodes in {name}" for name in hidden]
    lacking += [
        f"the hierarchy of {name}, which is named by a commitment"
        for name, tree in recipe.hierarchies.items()
        if tree.startswith(COMMITTED)
    ]
    lacking += [
        f"the order of {name}, which is named by a commitment"
        for name, order in recipe.orders.items()
        if is_committed(order)
    ]
    if any(token.startswith(COMMITTED) for token in recipe.input.missing):
        lacking.append("what stands for missing cells, which is named by a commitment")
    return lacking


def is_committed(order: tuple[str, ...]) -> bool:
    """Tell whether a commitment stands for an order."""
    return bool(order) and order[0].startswith(COMMITTED)


def shown_cells(released: Table, names: Iterable[str]) -> set[str]:
    """Return the texts that cells of columns which are released as they are hold, of csv files."""
    kept = [released[name].cells for name in names if not released[name].protected]
    return {str(cell) for cells in kept if cells is not None for cell in cells.unique().to_pylist()}


def shown_values(released: Table, name: str) -> set[str]:
    """Return the values of a released column as texts."""
    return {str(value) for value in released[name].values.unique().to_pylist()}
