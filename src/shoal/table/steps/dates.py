"""Coarsen and Derive: dates become first days of periods, or ages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from shoal.errors import RequestError, shown
from shoal.table.steps.step import ColumnName, ColumnStep, Context, Step, Suits

if TYPE_CHECKING:
    from shoal.kernels.arrays import Integers
    from shoal.table.roles import Column
    from shoal.table.table import Table

MONTHS = {"month": 1, "quarter": 3, "year": 12, "decade": 120}


@dataclass(frozen=True)
class Coarsen(ColumnStep):
    """Move dates to the first day of their period; the column stays one of dates.

    Parameters
    ----------
    column : str
        The column, of dates or times.
    to : {"month", "quarter", "year", "decade"}
        The period.
    """

    kind: ClassVar[str] = "coarsen"
    row_wise: ClassVar[bool] = True
    suits: ClassVar[Suits] = Suits.DATES
    to: Literal["month", "quarter", "year", "decade"]

    def apply(self, table: Table, _context: Context) -> Table:
        """Return the table with the dates moved."""
        import numpy as np

        from shoal.table.steps.numbers import Numbers
        from shoal.table.steps.texts import with_columns

        column = _dates(table[self.column], self.kind)
        numbers = Numbers.of(column, self.kind)
        months = _months(numbers.values // numbers.per_one)
        first = months - months % MONTHS[self.to]  # 1970 begins a period of each length
        days = first.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)
        return with_columns(table, {self.column: numbers.replaced(days * numbers.per_one)})

    def describe(self) -> str:
        """Return what dates become."""
        return f"{self.column}: dates become the first day of their {self.to}"


@dataclass(frozen=True)
class Derive(Step):
    """Make a column of ages or years from one of dates, which is left out.

    Parameters
    ----------
    name : str
        The name of the new column; it takes the place of the dates.
    of : str
        The column of dates.
    at : str, optional
        The reference date of ages, such as "2026-12-31".
    what : {"age", "year"}, default "age"
        Completed years at the reference date, or the year of the date.
    keep : bool, default False
        Keep the column of dates, too.
    """

    kind: ClassVar[str] = "derive"
    row_wise: ClassVar[bool] = True
    suits: ClassVar[Suits] = Suits.DATES
    name: str
    of: ColumnName
    at: str | None = None
    what: Literal["age", "year"] = "age"
    keep: bool = False

    def check(self) -> None:
        """Refuse ages without a reference date, and a date that is none."""
        if self.what == "age":
            if self.at is None:
                raise RequestError("step derive: say at which date the age is meant, 2026-12-31")
            self._reference()
        elif self.at is not None:
            raise RequestError("step derive: a year needs no reference date; leave out at")
        if self.name == self.of:
            raise RequestError("step derive: the new column needs a name of its own")

    def _reference(self) -> tuple[int, int]:
        """Return the months since 1970 and the day of the month of the reference date."""
        import numpy as np

        try:
            day = np.array([np.datetime64(str(self.at), "D").astype(np.int64)])
        except ValueError:
            raise RequestError("step derive, at must be a date, such as 2026-12-31") from None
        return int(_months(day)[0]), int(_days(day)[0])

    @property
    def changes(self) -> tuple[str, ...]:
        """The new column, and that of dates where it is left out."""
        return (self.name,) if self.keep else (self.name, self.of)

    def apply(self, table: Table, _context: Context) -> Table:
        """Return the table with the new column."""
        import numpy as np
        import pyarrow as pa

        from shoal.table.roles import Kind, Written
        from shoal.table.steps.numbers import Numbers

        if self.name in table.names:
            raise RequestError(f"step derive: there is a column {shown(self.name)} already")
        column = _dates(table[self.of], self.kind)
        numbers = Numbers.of(column, self.kind)
        days = numbers.values // numbers.per_one
        values = 1970 + _months(days) // 12
        if self.what == "age":
            months, day = self._reference()
            full = months - _months(days) - (_days(days) > day)
            if (full < 0).any():
                count = int((full < 0).sum())
                raise self.fail(self.of, f"{count} cells lie after the reference date; move it")
            values = full // 12
        places = np.cumsum(~numbers.gone) - 1
        made = pa.array(values.astype(np.int64)).take(pa.array(places, mask=numbers.gone))
        written = None if column.written is None else Written()
        new = replace(
            column, name=self.name, kind=Kind.INTEGER, values=made, written=written, cells=None,
            quoted=None, variable=None, rounded=True,
        )  # fmt: skip
        columns = []
        for one in table.columns:
            columns += [one] if one.name != self.of or self.keep else []
            columns += [new] if one.name == self.of else []
        return replace(table, columns=tuple(columns))

    def describe(self) -> str:
        """Return what the new column is."""
        left = "" if self.keep else ", which is left out"
        if self.what == "year":
            return f"{self.name} is the year of {self.of}{left}"
        return f"{self.name} is the age at {self.at} by {self.of}{left}"


def _dates(column: Column, step: str) -> Column:
    """Return a column of dates or times; raise RequestError for any other."""
    from shoal.table.roles import Kind

    if column.kind not in (Kind.DATE, Kind.DATETIME):
        raise RequestError(
            f"step {step} is for dates; column {shown(column.name)} is {column.kind_name}"
        )
    return column


def _months(days: Any) -> Integers:
    """Return the months since 1970 of days since then."""
    import numpy as np

    months: Integers = days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    return months


def _days(days: Any) -> Integers:
    """Return the days of the month, from 0, of days since 1970."""
    import numpy as np

    whole = days.astype("datetime64[D]")
    since: Integers = (whole - whole.astype("datetime64[M]")).astype(np.int64)
    return since
