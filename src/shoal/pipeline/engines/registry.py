"""Registry of engines by name; each is imported when it is first used."""

from __future__ import annotations

from typing import Any


def engine_named(name: str) -> Any:
    """Return the class of the engine dask or spark."""
    if name == "spark":
        from shoal.pipeline.engines.spark import Spark

        return Spark
    from shoal.pipeline.engines.dask import Dask

    return Dask
