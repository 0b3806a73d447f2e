"""Runs of a search side by side, recombined in the end."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.kernels.arrays import Integers
from shoal.methods.ils.hierarchies.cooling import HEAT, WARM
from shoal.methods.ils.hierarchies.regions import Map, Region, Run, Totals
from shoal.methods.ils.recombine import Grouping, recombined
from shoal.partition import canonical_labels


class Runs:
    """So many runs of every start; `ended` are their groupings after they became one.

    `blocks` is how many blocks the best took from others then, `by_blocks` what that gained.
    """

    def __init__(self, map_: Map, starts: Sequence[Integers], count: int) -> None:
        self.map = map_
        self.searches = [
            Run(map_, start, run, WARM if place == 0 and map_.task.warm else HEAT)
            for place, start in enumerate(starts)
            for run in range(place * count, (place + 1) * count)
        ]
        self.ended: list[Grouping] = []
        self.blocks, self.by_blocks = 0, 0.0
        self._past: list[Totals] = []

    @property
    def best(self) -> Run:
        """The run that loses least."""
        return min(self.searches, key=lambda search: search.loss)

    @property
    def regions(self) -> list[Region]:
        """The regions of all runs."""
        return [region for search in self.searches for region in search.regions]

    @property
    def totals(self) -> list[Totals]:
        """What was counted and gained in every run so far."""
        return [*self._past, *(search.totals for search in self.searches)]

    def recombine(self) -> None:
        """Make one run of all, with the cheapest blocks."""
        self.ended = [search.grouping for search in self.searches]
        best, self.blocks = recombined(self.ended)
        self.by_blocks = min(one.loss for one in self.ended) - best.loss
        self._past = [search.totals for search in self.searches]
        self.searches = [Run(self.map, canonical_labels(best.labels), 0, WARM)]
