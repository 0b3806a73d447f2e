"""What a run from file to file is asked for beside its settings, and what it returns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from shoal.engines.executor import Executor
from shoal.release.pack import Targets
from shoal.release.report import Report
from shoal.settings import Settings


@dataclass(frozen=True)
class Released:
    """A release that was written and verified; the data is in the file alone."""

    path: Path
    report: Report
    settings: Settings

    def summary(self) -> str:
        """Return what a person wants to know first."""
        return self.report.summary()

    def __str__(self) -> str:
        return self.summary()


@dataclass(frozen=True)
class Order:
    """Where a release goes and how a run goes about it.

    `folder` is where the files of hierarchies are looked for, `parent` where the folder of the run
    is made; `engine` runs the steps of a release of many files; `shuffle_seed` is for tests.
    """

    targets: Targets
    force: bool = False
    with_page: bool = True
    folder: Path | None = None
    parent: Path | None = None
    threads: int | None = None
    shuffle_seed: int | None = None
    engine: Executor | None = None
