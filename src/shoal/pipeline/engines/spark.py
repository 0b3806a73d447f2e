"""Spark: the active session, a cluster, or a local one.

A task is a row of one Arrow batch, and so is what comes of it, as plain values; each is a job of
its own, so that some come back while others run, and Spark does again what a lost executor had.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import PurePath
from typing import Any

from shoal.errors import EngineError, EngineLostError, RequestError, pip_install
from shoal.executor import Result, Task, in_order, worker_failed
from shoal.extras import is_installed
from shoal.progress import StopToken
from shoal.storage.names import is_url

MOST = 256  # jobs at once
CASE = "spark.sql.caseSensitive"
QUIET = {"spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}


@contextmanager
def opened(scheduler: str | None = None, frame: Any = None) -> Iterator[Spark]:
    """Yield the Spark that a `frame` lives in, that of a master, or the one of this process.

    A master is spark://host:7077, yarn, k8s://…; without one, and without an active session, Spark
    runs on the cores of this machine.
    """
    if not is_installed("pyspark"):
        raise RequestError(f"spark is not installed here: {pip_install('spark')}, and Java 17")
    from pyspark.sql import SparkSession

    session = None if frame is None else frame.sparkSession
    if session is None and scheduler is None:
        session = SparkSession.getActiveSession()
    if session is not None:
        yield Spark(session)
        return
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        session = _started(SparkSession.builder.appName("shoal"), scheduler, folder)
        try:
            yield Spark(session)
        finally:
            with suppress(Exception):
                session.stop()


def token(frame: Any) -> Any:
    """Return what tells a Spark DataFrame from another: nothing does, so each is its own.

    What Spark says of a plan is the same when the files behind it have changed.
    """
    return [secrets.token_hex(8), *frame.columns]


def read(frame: Any, files: Sequence[str]) -> Any:
    """Return Parquet files as a Spark DataFrame."""
    return frame.sparkSession.read.parquet(*map(reachable, files))


def _started(builder: Any, scheduler: str | None, folder: str) -> Any:
    """Return a session of our own: without a page for others, its files for its owner alone."""
    settings = dict(QUIET)
    if scheduler is None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        settings |= {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": folder,
            "spark.sql.warehouse.dir": f"{folder}/warehouse",
            "spark.log.level": "OFF",
        }
    for name, value in settings.items():
        builder = builder.config(name, value)
    try:
        return builder.master(scheduler or "local[*]").getOrCreate()
    except Exception as error:
        raise EngineError(
            f"Spark does not start ({type(error).__name__}): it needs Java 17, and a master that "
            "answers"
        ) from None


class Spark:
    """Spark, by a session of it."""

    is_remote = True

    def __init__(self, session: Any) -> None:
        self.session = session

    def _width(self) -> int:
        """Return how many tasks run at once."""
        with suppress(Exception):
            return min(MOST, max(1, int(self.session.sparkContext.defaultParallelism)))
        return os.cpu_count() or 1  # Spark Connect does not tell

    def map(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None = None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks."""
        tag, workers = f"shoal-{secrets.token_hex(8)}", self._width()
        with ThreadPoolExecutor(workers) as pool:
            try:
                yield from in_order(
                    lambda task: pool.submit(self._done, tag, work, task), tasks, lambda: workers,
                    (stop or StopToken()).check,
                )  # fmt: skip
            except BaseException:
                with suppress(Exception):
                    self.session.interruptTag(tag)
                raise

    def _done(self, tag: str, work: Callable[[Any], Any], task: Any) -> Any:
        """Do a task as a job with a tag."""
        with suppress(Exception):
            self.session.addTag(tag)
        try:
            frame = self.session.createDataFrame([(json.dumps(task),)], "task string")
            rows = frame.coalesce(1).mapInArrow(partial(perform, work), "done string").collect()
        except Exception as error:
            raise _failed(error) from None
        return json.loads(rows[0][0])

    def write(self, frame: Any, hidden: Sequence[str], folder: str) -> None:
        """Write a Spark DataFrame as Parquet files, without what is in the hidden columns."""
        from pyspark.sql import functions

        for name in hidden:
            kind = frame.schema[name].dataType
            frame = frame.withColumn(name, functions.lit(None).cast(kind))
        try:
            frame.write.mode("overwrite").parquet(written(folder))
        except Exception as error:
            raise _failed(error) from None

    def count(self, files: Sequence[str], names: Sequence[str]) -> dict[str, int] | None:
        """Group the records of Parquet files by some columns; count records and groups.

        None where a column has a type that Spark cannot read.
        """
        from pyspark.errors import AnalysisException
        from pyspark.sql import functions as f

        quoted = [f.col("`" + name.replace("`", "``") + "`") for name in names]
        case = self.session.conf.get(CASE)
        self.session.conf.set(CASE, "true")  # "age" and "Age" are two columns
        try:
            frame = self.session.read.parquet(*map(reachable, files))
            sizes = frame.groupBy(*quoted).agg(f.count(f.lit(1)).alias("size"))
            totals = sizes.agg(f.sum("size"), f.count(f.lit(1)), f.min("size"))
            records, classes, smallest = totals.collect()[0]
        except AnalysisException as error:
            if not re.search("PARQUET|TYPE", str(error.getCondition())):
                raise _failed(error) from None
            return None
        except Exception as error:
            raise _failed(error) from None
        finally:
            self.session.conf.set(CASE, case)
        return {"records": int(records or 0), "classes": int(classes),
                "smallest": int(smallest or 0)}  # fmt: skip


def _failed(error: Exception) -> EngineError:
    """Return what Spark says in words of ours, which show no record."""
    text = str(error)
    if match := re.search(r"FailedError: (\w+ in [\w.]+, line \d+ on \S+)", text):
        return worker_failed(match[1])
    if "No module named 'shoal'" in text:
        return EngineError(
            "the workers of Spark have no shoal: install the same version on all machines"
        )
    if "PYTHON_VERSION_MISMATCH" in text or "Python in worker has different" in text:
        return EngineError(
            "the workers of Spark have another Python: name the one that has shoal in "
            "PYSPARK_PYTHON"
        )
    return EngineLostError(
        f"Spark failed ({type(error).__name__}); what was done is kept: start it, and the "
        "same run again, to go on"
    )


def reachable(location: str) -> str:
    """Return a path or URL as Spark has it, where some signs are those of patterns."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", written(location))


def written(location: str) -> str:
    """Return a path or URL that Spark writes to."""
    if not is_url(location):
        rooted = location if location.startswith("/") else f"/{PurePath(location).as_posix()}"
        return f"file://{rooted}"
    return f"s3a://{location[5:]}" if location.startswith("s3://") else location


def perform(work: Callable[[Any], Any], batches: Iterator[Any]) -> Iterator[Any]:
    """Do the tasks in the rows of Arrow batches, on a worker; all are plain values."""
    import pyarrow as pa

    for batch in batches:
        for task in batch.column(0).to_pylist():
            done = json.dumps(work(json.loads(task)))
            yield pa.RecordBatch.from_arrays([pa.array([done], pa.string())], names=["done"])
