"""Rounding steps that hide k people: powers of ten, at least their influence."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any

SAYS = 10  # steps that a figure's scale must have, or the figure says nothing
DIGITS = 700  # of any float written out


@dataclass(frozen=True)
class Stable:
    """A figure before rounding, and by how much k people can change it at most.

    `scale` is how far apart its values can be; `up` tells which way it is rounded.
    """

    value: float
    bound: float
    scale: float
    up: bool

    @property
    def step(self) -> float:
        """The step of its rounding: 0 where the release alone gives the figure."""
        return step_of(self.bound)

    @property
    def published(self) -> float | None:
        """The figure as it may be published; None where its step says nothing."""
        if not (math.isfinite(self.value) and math.isfinite(self.step)):
            return None
        if self.step * SAYS > self.scale * (1.0 + 1e-12):
            return None
        return rounded(self.value, self.step, up=self.up)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {"value": self.published, "step": self.step if self.step < math.inf else None}


def step_of(bound: float) -> float:
    """Return the least power of ten that is at least a bound; 0 for 0."""
    if bound <= 0.0:
        return 0.0
    if not math.isfinite(bound):
        return math.inf
    power = math.ceil(math.log10(bound) - 1e-9)
    return float(f"1e{power}") if power <= 308 else math.inf


def rounded(value: float, step: float, *, up: bool) -> float:
    """Return a figure as a multiple of a power of ten: the next above it, or the next below.

    Digits beyond twelve places after the step are what floats add; they do not count.
    """
    if step <= 0.0:
        return value
    with localcontext() as exact:
        exact.prec = DIGITS
        steps = (Decimal(value) / Decimal(repr(step))).quantize(Decimal("1e-12"))
        whole = steps.to_integral_value(ROUND_CEILING if up else ROUND_FLOOR)
        return float(whole * Decimal(repr(step))) + 0.0
