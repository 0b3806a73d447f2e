"""Release by an engine: chooses the engine and opens its input."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, cast

from shoal.errors import RequestError
from shoal.executor import Executor, Threads
from shoal.hints import option
from shoal.pipeline.engines.registry import engine_named
from shoal.pipeline.regions.frames import FromFrame
from shoal.pipeline.regions.many_files import FromFile, FromParts, Origin, release_parts
from shoal.pipeline.regions.request import FileRequest, Released
from shoal.progress import Callback, Reporter
from shoal.settings import Settings
from shoal.table.dialects.dialect import CSV_ONLY
from shoal.table.files.formats import is_parquet
from shoal.table.files.many_files import find_parts, is_many


def release_by_engine(
    source: Any,
    settings: Settings,
    request: FileRequest,
    callback: Callback | Reporter | None = None,
) -> Released:
    """Release files or a dataframe by an engine."""
    origin: Origin
    name: str
    if isinstance(source, str | os.PathLike):
        name = settings.protect.engine or "threads"
        origin, executor = _origin(os.fspath(source), settings), engine_of(name, request.scheduler)
    else:
        frame = FromFrame(source, settings)
        name, origin, executor = frame.name, frame, frame.engine(request.scheduler)
    settings = settings.replace(protect={"engine": name})
    with executor as engine:
        return release_parts(origin, settings, request, engine, callback)


def _origin(source: str, settings: Settings) -> Origin:
    """Return what a text names."""
    if not is_many(source) and not is_parquet(source):
        return FromFile(Path(source), settings)
    reading = settings.input
    if not reading.is_plain:
        raise RequestError(f"types, missing and how text is written {CSV_ONLY}")
    return FromParts(find_parts(source))


def engine_of(name: str, scheduler: str | None) -> AbstractContextManager[Executor]:
    """Return an engine, to be used in a with statement."""
    if name != "threads":
        return cast(AbstractContextManager[Executor], engine_named(name)(scheduler))
    if scheduler is not None:
        raise RequestError(
            f"threads have no scheduler; say "
            f"{option('engine', 'dask')} or {option('engine', 'spark')}"
        )
    return nullcontext(Threads(1))
