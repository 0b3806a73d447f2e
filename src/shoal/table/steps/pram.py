"""Pram: kept categories are drawn anew by a matrix that leaves their frequencies, on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from shoal.errors import RequestError
from shoal.table.steps.step import ColumnStep, Context, Number, Suits, When

if TYPE_CHECKING:
    from shoal.table.table import Table


@dataclass(frozen=True)
class Pram(ColumnStep):
    """Post-randomize a kept column of categories (PRAM), with an invariant matrix.

    A value stays with probability `keep`; else it is drawn from the values of all records, its own
    among them. The matrix is R = keep I + (1 - keep) 1 p', with p the frequencies of the values:
    p'R = p', so that expected frequencies are what they were.

    Parameters
    ----------
    column : str
        The column, of texts, whole numbers or truth values.
    keep : float, default 0.8
        The probability that a value is not drawn anew.

    References
    ----------
    Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), Post randomisation for statistical
    disclosure control: theory and implementation (invariant matrices: section 4).
    """

    kind: ClassVar[str] = "pram"
    when: ClassVar[When] = When.AFTER
    suits: ClassVar[Suits] = Suits.CATEGORIES
    keep: Number = 0.8

    def check(self) -> None:
        """Refuse a probability that is none, or changes nothing."""
        if not 0 <= self.keep < 1:
            raise RequestError("step pram, keep must lie from 0 to below 1")

    def apply(self, table: Table, context: Context) -> Table:
        """Return the table with the column drawn anew."""
        from shoal.table.roles import Kind
        from shoal.table.steps.swaps import taken_from
        from shoal.table.steps.texts import with_columns
        from shoal.table.table import present

        assert context.draws is not None
        column = table[self.column]
        if column.kind not in (Kind.TEXT, Kind.INTEGER, Kind.BOOLEAN):
            raise self.fail(self.column, f"it is {column.kind_name}, which has no categories")
        there = np.flatnonzero(present(column))
        drawn = context.draws.of("which").uniforms(there.size) >= self.keep
        others = (context.draws.of("what").uniforms(there.size) * there.size).astype(np.int64)
        source = np.arange(table.rows)
        source[there[drawn]] = there[others[drawn]]
        return with_columns(table, {self.column: taken_from(column, source)})

    def describe(self) -> str:
        """Return how often a value stays."""
        return (
            f"{self.column}: values are drawn anew with probability {100 * (1 - self.keep):g} %, "
            "so that expected frequencies stay (PRAM)"
        )
