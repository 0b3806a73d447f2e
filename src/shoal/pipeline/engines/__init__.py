"""Engines that carry out the tasks of a run: threads of this process, Dask and Spark.

The library of an engine is imported when it is first used, in its own module: `opened` is the
engine itself, `token` tells one of its dataframes from another, and `read` returns files as one.
"""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from importlib import import_module
from typing import Any, cast

from shoal.errors import RequestError
from shoal.executor import Executor, Threads
from shoal.hints import option

FRAMES = {"dask": "dask", "dask_expr": "dask", "pyspark": "spark"}


def engine_of_frame(frame: Any) -> str | None:
    """Return the engine that a dataframe is of; None for anything else."""
    return FRAMES.get(type(frame).__module__.partition(".")[0])


def engine_module(name: str) -> Any:
    """Return the module of the engine dask or spark."""
    return import_module(f"{__name__}.{name}")


def opened(
    name: str, scheduler: str | None = None, frame: Any = None
) -> AbstractContextManager[Executor]:
    """Return an engine, to be used in a with statement; that of a `frame` is where it lives."""
    if name != "threads":
        engine = engine_module(name).opened(scheduler, frame)
        return cast(AbstractContextManager[Executor], engine)
    if scheduler is not None:
        raise RequestError(
            f"threads have no scheduler; say "
            f"{option('engine', 'dask')} or {option('engine', 'spark')}"
        )
    return nullcontext(Threads(1))
