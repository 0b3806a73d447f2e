"""FileRequest and Released: input and result of a run from file to file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.report.report import Report
from shoal.save.files import Targets
from shoal.settings import Settings

if TYPE_CHECKING:
    from shoal.outofcore.parts import Shelf


@dataclass(frozen=True)
class Released:
    """A release that was written and verified; the data is there alone.

    `path` is its file, or the manifest of a release of many files. `data` is that release as a
    dataframe of the engine whose dataframe it was made of.
    """

    path: Path | str
    report: Report
    settings: Settings
    data: Any = field(default=None, repr=False)

    def summary(self) -> str:
        """Return the report's summary."""
        return self.report.summary()

    def __str__(self) -> str:
        return self.summary()


@dataclass(frozen=True)
class FileRequest:
    """Output and resources of a run from file to file.

    `folder` is where the files of hierarchies are looked for, `parent` where the folder of the run
    is made, a path or a URL; with a `shelf`, a release of many files goes there, by an engine whose
    `scheduler` is at an address. `shuffle_seed` is for tests. `on_estimate` hears what a run in
    memory is expected to take.
    """

    targets: Targets
    force: bool = False
    with_page: bool = True
    folder: Path | None = None
    parent: Path | str | None = None
    threads: int | None = None
    shuffle_seed: int | None = None
    shelf: Shelf | None = None
    scheduler: str | None = None
    on_estimate: Callable[[Any], None] | None = None
