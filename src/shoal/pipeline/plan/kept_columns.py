"""Kept columns: rounded on request, refused where most records are unique in them.

Only `other` columns and weights can be refused: sensitive ones are expected to differ.
"""

from __future__ import annotations

from functools import partial

from shoal.errors import RequestError, nearest_names, shown
from shoal.hints import STEP, option
from shoal.release.aggregate import rounded_weights
from shoal.settings import Settings
from shoal.table.roles import Kind, Role
from shoal.table.rounding import rounded
from shoal.table.table import Profile, Table, same

MOST = 0.5  # of the records may be unique in a column that is kept


def with_rounding(table: Table, settings: Settings) -> Table:
    """Return the table with its kept columns rounded."""
    return rounded(table, settings.release.round) if settings.release.round else table


def check_rounding(table: Table, settings: Settings) -> None:
    """Raise RequestError if a column to round is not kept."""
    kept = [*table.schema.with_role(Role.OTHER), *table.schema.with_role(Role.SENSITIVE)]
    for name in settings.release.round:
        if name == settings.roles.weight:
            raise RequestError(
                f"round: {shown(name)} holds the survey weights; say "
                f"{option('weights_as', 'rounded:N')}"
            )
        if name in table.schema.with_role(Role.QUASI_IDENTIFIER):
            raise RequestError(
                f"round is for columns that are kept; {shown(name)} is a quasi-identifier, whose "
                f"means {option('decimals')} rounds"
            )
        if name not in kept:
            raise RequestError(
                f"round is for columns that are kept; {shown(name)} is not"
                f"{nearest_names(name, kept)}"
            )


def check_kept(table: Table, settings: Settings, profile: Profile) -> None:
    """Refuse other columns and weights in which most records are unique, as they are released."""
    roles = settings.roles
    kept = table.schema.with_role(Role.OTHER)
    for name in roles.keep_unique:
        if name not in kept:
            raise RequestError(
                f"keep_unique is for other columns and weights; {shown(name)} is none"
                f"{nearest_names(name, kept)}"
            )
    for column in table.with_role(Role.OTHER):
        if column.name in roles.keep_unique:
            continue
        is_weight = column.name == roles.weight
        weights_as, step = settings.release.weights
        if is_weight and weights_as in ("mean", "drop"):
            continue  # no record stands out by them
        rounds = is_weight and weights_as == "rounded"
        released = partial(rounded_weights, step=step) if rounds else same
        share = profile.unique_share(column, released)
        if share > MOST:
            name = shown(column.name)
            advice = f"leave it out ({option('drop', [column.name])})"
            if column.kind.is_grouped:
                advice += f", group it ({option('quasi_identifiers', [column.name])})"
            if is_weight:
                advice = (
                    f"release it as the mean of each group ({option('weights_as', 'mean')}) or not "
                    f"at all ({option('weights_as', 'drop')})"
                )
            elif column.kind.is_numeric and column.kind is not Kind.DURATION:
                advice += f", round it ({option('round', {column.name: STEP})})"
            raise RequestError(
                f"{table.source.name}, column {name}: {100.0 * share:.3g} % of the records are "
                f"unique in it, which singles them out; {advice}, or say "
                f"{option('keep_unique', [column.name])} to release it all the same"
            )
