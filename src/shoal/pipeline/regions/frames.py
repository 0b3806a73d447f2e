"""Dataframes of an engine: Dask's and Spark's, in and out.

Their records are written once as Parquet files into the private folder of the run, by the engine
itself, so that they are the same at every look. Columns that are left out are written empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, cast

from shoal.errors import InputError, RequestError
from shoal.executor import Executor
from shoal.pipeline.engines.registry import engine_named
from shoal.pipeline.regions.many_files import hashed
from shoal.pipeline.regions.tasks import TaskRunner
from shoal.settings import Settings
from shoal.storage.places import Folder, storage
from shoal.table.files.many_files import Parts, find_parts
from shoal.table.source import Source

FRAMES = {"dask": "dask", "dask_expr": "dask", "pyspark": "spark"}


def engine_name(frame: Any) -> str | None:
    """Return the engine that a dataframe is of; None for anything else."""
    return FRAMES.get(type(frame).__module__.partition(".")[0])


class FromFrame:
    """The records of a Dask or Spark DataFrame."""

    def __init__(self, frame: Any, settings: Settings) -> None:
        name = engine_name(frame)
        if name is None:
            raise InputError(
                f"cannot read a table from {type(frame).__name__} by an engine: give a path, a "
                "URL, or a DataFrame of Dask or Spark; leave out engine for other lazy frames"
            )
        engine = settings.protect.engine
        if engine not in (None, name):
            raise RequestError(f"a dataframe of {name} is grouped by {name}, not by {engine}")
        self.frame, self.name, self.kind = frame, name, engine_named(name)
        roles = settings.roles
        self.hidden = [n for n in (*roles.identifiers, *roles.drop) if n in frame.columns]

    def engine(self, scheduler: str | None) -> AbstractContextManager[Executor]:
        """Return the engine that the dataframe is of."""
        return cast(AbstractContextManager[Executor], self.kind.of(self.frame, scheduler))

    @property
    def stamps(self) -> list[Any]:
        """What the dataframe is made of, as its engine tells it from others."""
        return [self.name, self.kind.token(self.frame)]

    @property
    def files(self) -> list[str]:
        """No files: a dataframe has no known location."""
        return []

    def opened(self, runner: TaskRunner) -> Parts:
        """Return the records as files of the run."""
        folder = storage(runner.work.storage.full("input"))
        runner.report("writing the dataframe", 0, 1)
        runner.work.once("frame", lambda: self._write(folder, runner))
        runner.report("writing the dataframe", 1, 1)
        parts = hashed(find_parts(folder.location, is_folder=True), runner)
        source = Source(
            "the dataframe", "dataframe", parts.source.sha256, columns=parts.source.columns
        )
        return replace(parts, source=source)

    def _write(self, folder: Any, runner: TaskRunner) -> bool:
        folder.clear()
        folder.make()
        engine: Any = runner.engine
        engine.write(self.frame, self.hidden, folder.location)
        if isinstance(folder, Folder):
            for entry in folder.path.iterdir():
                entry.chmod(0o600)
        return True

    def released(self, files: Sequence[str]) -> Any:
        """Return a release as a dataframe of the same engine."""
        return self.kind.read(self.frame, files)
