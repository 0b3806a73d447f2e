"""FileRequest and Released: input and result of a run from file to file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.pipeline.regions.budget import SHARE
from shoal.release.targets import Targets
from shoal.report.report import Report
from shoal.settings import Settings

if TYPE_CHECKING:
    from shoal.pipeline.regions.parts import OutputFolder


@dataclass(frozen=True)
class Released:
    """A release that was written and verified; the data is there alone.

    `path` is its file, or the manifest of a release of many files. `data` is that release as a
    dataframe of the engine whose dataframe it was made of.
    """

    path: Path | str
    report: Report
    settings: Settings
    data: object = field(default=None, repr=False)

    def summary(self) -> str:
        """Return the report's summary."""
        return self.report.summary()

    def __str__(self) -> str:
        return self.summary()


@dataclass(frozen=True)
class FileRequest:
    """Output and resources of a run from file to file.

    `folder` holds the files of hierarchies; the run folder is made in `parent`, a path or a URL. A
    release of many files goes to `output_folder`, by an engine whose `scheduler` is at an address.
    `share` is how many records are worth a way to another machine. `shuffle_seed` is for tests.
    `on_estimate` is called with the estimate of a run in memory.
    """

    targets: Targets
    force: bool = False
    with_page: bool = True
    folder: Path | None = None
    parent: Path | str | None = None
    threads: int | None = None
    shuffle_seed: int | None = None
    output_folder: OutputFolder | None = None
    scheduler: str | None = None
    on_estimate: Callable[[Any], None] | None = None
    share: int = SHARE
