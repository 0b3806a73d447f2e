"""Round: numbers to so many digits or to multiples, dates to days."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from shoal.errors import RequestError
from shoal.table.steps.step import ColumnStep, Context, Number, Suits

if TYPE_CHECKING:
    from shoal.table.table import Table


@dataclass(frozen=True)
class Round(ColumnStep):
    """Round a column of numbers, half to even.

    Parameters
    ----------
    column : str
        The column.
    digits : int, optional
        How many digits after the point stay; -1 rounds to tens, -3 to thousands.
    to : float, optional
        Round to multiples of this instead: 500, 0.25; of dates, so many days.

    Examples
    --------
    >>> from shoal import steps
    >>> steps.Round("income", digits=-3).describe()
    'income is rounded to multiples of 1000'
    """

    kind: ClassVar[str] = "round"
    row_wise: ClassVar[bool] = True
    suits: ClassVar[Suits] = Suits.NUMBERS
    digits: int | None = None
    to: Number | None = None

    def check(self) -> None:
        """Refuse both or none of digits and to, and steps that are none."""
        if (self.digits is None) == (self.to is None):
            raise RequestError("step round: say digits, or to what it rounds multiples")
        if self.digits is not None and not -30 <= self.digits <= 30:
            raise RequestError("step round, digits must lie between -30 and 30")
        if self.to is not None and not self.to > 0:
            raise RequestError("step round, to must be above 0")

    @property
    def unit(self) -> Fraction:
        """What values are rounded to multiples of."""
        if self.digits is not None:
            return Fraction(10) ** -self.digits
        return Fraction(str(self.to))

    def apply(self, table: Table, _context: Context) -> Table:
        """Return the table with the column rounded."""
        from shoal.table.rounding import round_column
        from shoal.table.steps.numbers import Numbers
        from shoal.table.steps.texts import with_columns

        column = table[self.column]
        Numbers.of(column, self.kind)
        step = float(self.unit) if self.unit.denominator > 1 else int(self.unit)
        return with_columns(table, {self.column: round_column(column, step)})

    def describe(self) -> str:
        """Return to multiples of what the column is rounded."""
        unit = self.unit
        text = str(unit.numerator) if unit.denominator == 1 else f"{float(unit):g}"
        return f"{self.column} is rounded to multiples of {text}"
