"""Top and Bottom: values beyond a threshold become their mean, the threshold, or a label."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from shoal.errors import RequestError, shown
from shoal.table.steps.step import ColumnStep, Context, Number, Suits, Threshold

if TYPE_CHECKING:
    from shoal.table.steps.numbers import Numbers
    from shoal.table.table import Table


@dataclass(frozen=True)
class _Extreme(ColumnStep):
    """Top or bottom coding of a column of numbers or dates (Hundepool et al. 2012, 3.3.2)."""

    is_top: ClassVar[bool]
    at: Threshold | None = None
    share: Number | None = None
    becomes: Literal["mean", "limit"] = "mean"
    label: str | None = None

    def check(self) -> None:
        """Refuse both or none of threshold and share, and a share that is none."""
        if (self.at is None) == (self.share is None):
            raise RequestError(f"step {self.kind}: say at which value, or for which share")
        if self.share is not None and not 0 < self.share < 0.5:
            raise RequestError(f"step {self.kind}, share must lie between 0 and 0.5, such as 1%")
        if self.label is not None and self.becomes != "mean":
            raise RequestError(f"step {self.kind}: say becomes, or a label, not both")

    @property
    def is_row_wise(self) -> bool:
        """Whether the threshold is given, and nothing is averaged."""
        return self.at is not None and (self.label is not None or self.becomes == "limit")

    def apply(self, table: Table, context: Context) -> Table:
        """Return the table with the values beyond the threshold coded."""
        import numpy as np

        from shoal.table.steps.numbers import Numbers
        from shoal.table.steps.texts import texts_in, with_columns, with_texts

        column = table[self.column]
        numbers = Numbers.of(column, self.kind)
        limit = self.limit(numbers, context.k)
        beyond = _beyond(numbers, limit, self.is_top)
        rows = np.zeros(table.rows, dtype=bool)
        rows[~numbers.gone] = beyond
        if not rows.any() and self.label is None:
            return table
        if self.label is not None:
            own = texts_in(column)
            coded = set(own.indices[rows].tolist())
            texts = [self.label if i in coded else text for i, text in enumerate(own.texts)]
            return with_columns(table, {self.column: with_texts(column, own, texts)})
        values = numbers.values.copy()
        if self.becomes == "limit":
            values[beyond] = round(limit) if numbers.is_whole else float(limit)
        else:
            self._check_enough(context.people(table, rows), context.k)
            values[beyond] = numbers.mean(beyond)
        return with_columns(table, {self.column: numbers.replaced(values)})

    def limit(self, numbers: Numbers, k: int) -> Fraction:
        """Return the threshold, in units of the column.

        That of a share is rounded so that k people more or fewer change it by one step at most:
        they move an order statistic by at most k places, and the step is at least as wide as the
        values k places around it, 1, 2 or 5 times a power of ten. It is rounded to the inside, so
        that at least the share is coded, unless many values are equal to it.
        """
        if self.at is not None:
            return numbers.threshold(self.at, self.kind)
        assert self.share is not None
        values = sorted(numbers.values.tolist(), reverse=not self.is_top)
        count = len(values)
        some = -int(-Fraction(str(self.share)) * count // 1)  # rounded up
        place = count - some - 1
        if some < k or place < 0:
            raise RequestError(
                f"step {self.kind} of {shown(self.column)}: a share of {100 * self.share:g} % is "
                f"of fewer than k = {k} records; say a larger share, or at which value"
            )
        around = [Fraction(values[max(0, place - k)]), Fraction(values[min(count - 1, place + k)])]
        wide = _round_step(abs(around[1] - around[0]))
        if not wide:
            return Fraction(values[place])
        steps = Fraction(values[place]) / wide
        whole = steps.__floor__() if self.is_top else steps.__ceil__()
        return whole * wide

    def _check_enough(self, people: int, k: int) -> None:
        """Refuse the mean of fewer than k people."""
        if people < k:
            raise RequestError(
                f"step {self.kind} of {shown(self.column)}: fewer than k = {k} people or records "
                "lie beyond the threshold, and their mean would tell of them; move it, or say "
                "becomes limit or a label"
            )

    def describe(self) -> str:
        """Return what becomes of which values."""
        side = "above" if self.is_top else "below"
        part = "largest" if self.is_top else "smallest"
        which = (
            f"values {side} {self.at}"
            if self.at is not None
            else f"about the {part} {100 * (self.share or 0):g} % of values"
        )
        to = {"mean": "their mean", "limit": "the threshold"}[self.becomes]
        to = f"the label {shown(self.label)}" if self.label is not None else to
        return f"{self.column}: {which} become {to}"


@dataclass(frozen=True)
class Top(_Extreme):
    """Code the largest values of a column.

    Parameters
    ----------
    column : str
        The column, of numbers or dates.
    at : number or date, optional
        Values above it are coded.
    share : float, optional
        Or the share of values to code, 0.01 or "1%". The threshold is then rounded, so that it
        tells nothing of k people, and a few more may be coded.
    becomes : {"mean", "limit"}, default "mean"
        The mean of the coded values, of at least k people, or the threshold itself.
    label : str, optional
        A text instead, which makes the column one of texts: "90 or more".
    """

    kind: ClassVar[str] = "top"
    suits: ClassVar[Suits] = Suits.NUMBERS
    is_top: ClassVar[bool] = True


@dataclass(frozen=True)
class Bottom(_Extreme):
    """Code the smallest values of a column; as `Top`, below the threshold."""

    kind: ClassVar[str] = "bottom"
    suits: ClassVar[Suits] = Suits.NUMBERS
    is_top: ClassVar[bool] = False


def _beyond(numbers: Numbers, limit: Fraction, is_top: bool) -> Any:
    """Return which numbers lie beyond a threshold."""
    if not numbers.is_whole:
        return numbers.values > float(limit) if is_top else numbers.values < float(limit)
    whole = limit.__floor__() if is_top else limit.__ceil__()
    return numbers.values > whole if is_top else numbers.values < whole


def _round_step(width: Fraction) -> Fraction:
    """Return the least of 1, 2 and 5 times a power of ten that is at least a width; 0 for 0."""
    if not width:
        return Fraction(0)
    power = len(str(width.__ceil__())) + 1
    best = Fraction(10) ** power
    while True:
        smaller = [best / 2, best / 5, best / 10]
        fitting = [one for one in smaller if one >= width]
        if len(fitting) < 3:
            return min([best, *fitting])
        best /= 10
