"""Numbers and dates of a column in its own smallest unit, to be changed and put back."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, shown
from shoal.table.roles import TICKS, Column, Kind
from shoal.table.table import as_integers, missing_cells, some_rows

if TYPE_CHECKING:
    from shoal.kernels.arrays import Flags, Floats

KINDS = (Kind.INTEGER, Kind.DECIMAL, Kind.FLOAT, Kind.DATE, Kind.DATETIME)


@dataclass(frozen=True, eq=False, repr=False)
class Numbers:
    """The cells of a column that are there, as numbers: whole ones of its unit, or floats.

    A unit is 1 of whole numbers, the last digit of decimals, a day, or a tick of times.
    """

    column: Column
    values: npt.NDArray[Any]
    gone: Flags

    @classmethod
    def of(cls, column: Column, step: str) -> Numbers:
        """Return the numbers of a column; raise RequestError, naming the step, if it has none."""
        if column.kind not in KINDS:
            raise RequestError(
                f"step {step} is for numbers and dates; column {shown(column.name)} is "
                f"{column.kind_name}"
            )
        gone = missing_cells(column)
        there = some_rows(column, ~gone)
        whole = as_integers(there)
        if whole is None:
            whole = np.asarray(there.values.cast("double")).astype(np.float64)
        return cls(column, whole, gone)

    @property
    def is_whole(self) -> bool:
        """Whether the numbers are whole ones of a unit."""
        return self.column.kind is not Kind.FLOAT

    @property
    def per_one(self) -> int:
        """How many units 1 is; of times, a day."""
        if self.column.kind is Kind.DECIMAL:
            return int(10**self.column.values.type.scale)
        if self.column.kind is Kind.DATETIME:
            return 86_400 * TICKS[self.column.values.type.unit]
        return 1

    @property
    def floats(self) -> Floats:
        """The numbers as floats, in units."""
        floats: Floats = self.values.astype(np.float64)
        return floats

    def threshold(self, at: int | float | str, step: str) -> Fraction:
        """Return a threshold in units; that of dates and times is a date as text."""
        if self.column.kind not in (Kind.DATE, Kind.DATETIME):
            if isinstance(at, str):
                raise RequestError(f"step {step}: at must be a number")
            return Fraction(str(at)) * self.per_one
        try:
            day = np.datetime64(str(at), "D").astype(np.int64)
        except ValueError:
            raise RequestError(f"step {step}: at must be a date, such as 2026-12-31") from None
        return Fraction(int(day)) * self.per_one

    def mean(self, rows: Flags) -> int | float:
        """Return the mean of some of the numbers, a whole one rounded to its unit."""
        some = self.values[rows].tolist()
        if self.is_whole:
            return round(Fraction(sum(some), len(some)))
        import math

        return math.fsum(some) / len(some)

    def replaced(self, values: npt.NDArray[Any]) -> Column:
        """Return the column with other numbers, in units; missing cells stay missing."""
        import pyarrow as pa

        from shoal.table.rounding import decimal_values, typed_values, with_values

        column, kind = self.column, self.column.values.type
        if column.kind is Kind.FLOAT:
            made = pa.array(values.astype(np.float64)).cast(kind, safe=False)
        elif column.kind is Kind.DECIMAL:
            made = decimal_values(values, pa.decimal128(38, kind.scale))
        else:
            made = typed_values(values, kind)
        return with_values(column, made, self.gone, column.written)
