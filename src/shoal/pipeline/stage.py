"""A stage of a run, and the options that it reads."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from shoal.hints import option
from shoal.pipeline.state import State
from shoal.settings import Settings
from shoal.settings.table import RUN, TABLE, Entry

LOG = logging.getLogger(__name__)
BESIDE = RUN, "stream"  # parts whose options the doors read, and the loop of a stream


def never(value: Any) -> bool:  # noqa: ARG001 - as every test of a value
    """Tell that no value takes all records at once."""
    return False


@dataclass(frozen=True)
class Reads:
    """Options that a stage reads, by their paths in a recipe.

    Where these ask for what takes all records at once, `needs` says what that is. Any value does
    if no stage by regions reads the option, else those that `whole` tells.
    """

    paths: tuple[str, ...]
    needs: str = ""
    whole: Callable[[Any], bool] = never


@dataclass(frozen=True)
class Stage:
    """A stage: a function from state to state, what it reads, and whether it works by regions.

    `says` is what is shown while it works.
    """

    run: Callable[[State], State]
    reads: tuple[Reads, ...]
    by_region: bool
    says: str


def stage(
    *options: Reads, by_region: bool = False, says: str = ""
) -> Callable[[Callable[[State], State]], Stage]:
    """Declare a function as a stage."""
    return lambda run: Stage(run, options, by_region, says)


def carry_out(stages: Iterable[Stage], state: State) -> State:
    """Return the state after some stages: the one loop of every run."""
    report = state.means.report
    for each in stages:
        report.stop.check()
        if each.says:
            report(each.says, 0, 1)
        begin = time.perf_counter()
        state = each.run(state)
        LOG.debug("stage %s: %.3f s", each.run.__name__, time.perf_counter() - begin)
    return state


def check_read(every: Iterable[Reads], entries: Iterable[Entry] = TABLE.values()) -> None:
    """Raise TypeError for an option that no stage reads: every run would ignore it."""
    paths = {path for own in every for path in own.paths}
    for entry in entries:
        if entry.part not in BESIDE and entry.key not in paths:
            raise TypeError(
                f"no stage reads the option {entry.name}: let the stage that carries it out "
                f"declare {entry.key!r}, so that no run ignores it"
            )


def needs_all_records(
    settings: Settings, every: Iterable[Reads], by_regions: Iterable[Reads]
) -> str | None:
    """Return what settings ask for that no stage by regions carries out; None: nothing."""
    entries = {entry.key: entry for entry in TABLE.values()}
    by_regions = [*by_regions]
    paths = {path for own in by_regions for path in own.paths}
    for own in (*by_regions, *every):
        for path in own.paths:
            value: Any = settings
            for part in path.split("."):
                value = getattr(value, part)
            if value != entries[path].default and (path not in paths or own.whole(value)):
                return own.needs.format(value) or option(entries[path].name)
    return None
