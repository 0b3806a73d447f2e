"""Task of a search: plain frozen values."""

from __future__ import annotations

from dataclasses import dataclass, field

from shoal.errors import in_shape
from shoal.kernels.arrays import Integers
from shoal.kernels.rules import NONE, Rules
from shoal.methods.ils.parameters import Search


@dataclass(frozen=True, eq=False)
class Task:
    """Groups of at least k, from a start, by the options of a search.

    `start` (n) has groups 0, 1, ... of at least k records, None: random. `rules` are what no group
    of the start or of the result breaks; with a `penalty` above 0 they may, and breaking them by 1
    costs every member of a group so much. Of searches by trees, `others` are more starts: each has
    its runs; `warm`: the first start is good already, and searched at a lower temperature.
    """

    __repr__ = in_shape

    k: int
    start: Integers | None = None
    options: Search = field(default_factory=Search)
    seed: int = 0
    threads: int | None = None
    rules: Rules = field(default_factory=lambda: NONE)
    penalty: float = 0.0
    others: tuple[Integers, ...] = ()
    warm: bool = False
