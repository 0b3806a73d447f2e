"""Delay: how long a record may wait, in later records or by the clock."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from shoal.errors import RequestError
from shoal.hints import option

UNITS = {"s": 1.0, "min": 60.0, "h": 3600.0, "d": 86_400.0}
FORM = re.compile(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(s|min|h|d)?\s*")


@dataclass(frozen=True)
class Delay:
    """The most later records, or seconds, that one may wait; neither: as long as it takes."""

    records: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, text: str | None, k: int) -> Delay:
        """Return the delay that a text says; it must let k people come."""
        if text is None:
            return cls()
        form = FORM.fullmatch(text)
        if form is None or (form[2] is None and "." in form[1]):
            raise RequestError(
                "delay must be a number of records, 5000, or a time: 30s, 15min, 2h, 1d"
            )
        if form[2] is not None:
            return cls(seconds=float(form[1]) * UNITS[form[2]])
        if int(form[1]) < k - 1:
            raise RequestError(
                f"{option('delay', form[1])}: no {k} people come while one may wait; say at least "
                f"{option('delay', str(k - 1))}"
            )
        return cls(records=int(form[1]))

    @property
    def is_given(self) -> bool:
        """Whether there is a limit."""
        return self.records is not None or self.seconds is not None

    def is_over(self, arrival: int, time: float, come: int, now: float) -> bool:
        """Tell whether a record has waited as long as it may.

        `arrival` is how many came before it, `time` when it came; `come` have come until now.
        """
        if self.records is not None:
            return come - 1 - arrival >= self.records
        return self.seconds is not None and now - time >= self.seconds

    def room(self, arrival: int | None, come: int) -> float:
        """Return how many may come before the record that came first is due; none waits: None."""
        if self.records is None:
            return math.inf
        return self.records + 1 if arrival is None else self.records - (come - 1 - arrival)
