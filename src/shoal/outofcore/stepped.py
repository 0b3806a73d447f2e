"""Steps of a release out of core: those that look at one record at a time, piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from shoal.outofcore.release import ReleasedRegions
from shoal.report.report import Report
from shoal.report.steps import listed_sections
from shoal.settings import Settings
from shoal.table.source import Source
from shoal.table.steps.sequence import applied, is_left_out
from shoal.table.steps.step import Context
from shoal.table.streams import Pieces
from shoal.table.table import Table


class SteppedPieces:
    """A file in pieces after the steps before grouping.

    The kinds of a csv file's columns are known after a pass over all of it: it is read once more.
    """

    def __init__(self, pieces: Pieces, settings: Settings, context: Context) -> None:
        self._pieces = pieces
        self._changed = partial(applied, settings.steps, context=context)

    @property
    def source(self) -> Source:
        """What it is; whole after the first pass."""
        return self._pieces.source

    def first(self) -> Iterator[Table]:
        """Yield the pieces after the steps, once the kinds of the whole file are known."""
        for _ in self._pieces.first():
            pass
        yield from self.again()

    def again(self) -> Iterator[Table]:
        """Yield the same pieces again."""
        return map(self._changed, self._pieces.again())


def without_steps(settings: Settings) -> Settings:
    """Return the settings of a table whose steps are done."""
    return settings.model_copy(update={"steps": ()})


def with_steps_again(made: ReleasedRegions, settings: Settings) -> ReleasedRegions:
    """Return released regions whose recipe repeats the steps, too."""
    own = made.settings
    drop = [name for name in own.roles.drop if not is_left_out(name, settings.steps)]
    own = own.replace(roles={"drop": drop}).model_copy(update={"steps": settings.steps})
    return replace(made, settings=own)


def with_listed_steps(report: Report, settings: Settings) -> Report:
    """Return the report with the steps, whose costs were not counted."""
    return replace(report, steps=listed_sections(settings.steps))
