"""Free text in kept columns: refused, because it names people and places that no group hides."""

from __future__ import annotations

from shoal.errors import RequestError, shown
from shoal.hints import option
from shoal.plan.kept_columns import MOST
from shoal.plan.profile import unique_share
from shoal.settings import Settings
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table

WORDS = 5.0  # of a cell, on average: what has more, and mostly unique cells, is free text


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
