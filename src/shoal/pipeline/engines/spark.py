"""Spark backend: the active session, a cluster, or a local one.

A task is a row of one Arrow batch, and so is what comes of it, as plain values; each is a job of
its own, so that some come back while others run, and Spark does again what a lost executor had.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import PurePath
from typing import Any, TypeVar

from shoal.errors import EngineError, EngineLostError, RequestError, ShoalError, pip_install
from shoal.executor import in_order, worker_failed
from shoal.pipeline.engines.counts import Counted
from shoal.progress import StopToken
from shoal.storage.names import is_url

Task = TypeVar("Task")
Result = TypeVar("Result")

MOST = 256  # jobs at once
CASE = "spark.sql.caseSensitive"


class Spark:
    """Spark; use it in a with statement.

    `scheduler` is a master (spark://host:7077, yarn, k8s://…). Without one, and without a
    `session`, Spark runs on the cores of this machine.
    """

    is_remote = True

    def __init__(self, scheduler: str | None = None, session: Any = None) -> None:
        self.scheduler = scheduler
        self._session = session
        self._after = contextlib.ExitStack()

    @classmethod
    def of(cls, frame: Any, scheduler: str | None) -> Spark:  # noqa: ARG003 - as Dask has it
        """Return the Spark that a DataFrame lives in."""
        return cls(session=frame.sparkSession)

    @staticmethod
    def token(frame: Any) -> Any:
        """Return what tells a Spark DataFrame from another: nothing does, so each is its own.

        What Spark says of a plan is the same when the files behind it have changed.
        """
        return [secrets.token_hex(8), *frame.columns]

    @staticmethod
    def read(frame: Any, files: Sequence[str]) -> Any:
        """Return Parquet files as a Spark DataFrame."""
        return frame.sparkSession.read.parquet(*map(reachable, files))

    def __enter__(self) -> Spark:
        try:
            from pyspark.sql import SparkSession
        except ImportError:
            raise RequestError(
                f"spark is not installed here: {pip_install('spark')}, and Java 17"
            ) from None
        with self._after as after:
            if self._session is None and self.scheduler is None:
                self._session = SparkSession.getActiveSession()
            if self._session is None:
                self._session = after.enter_context(self._started(SparkSession))
            self._after = after.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._after.close()

    @contextlib.contextmanager
    def _started(self, session: Any) -> Iterator[Any]:
        """Yield a session of our own: without a page for others, its files for its owner alone."""
        with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
            builder = session.builder.appName("shoal").config("spark.ui.enabled", "false")
            builder = builder.config("spark.ui.showConsoleProgress", "false")
            if self.scheduler is None:
                os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
                local = {
                    "spark.driver.bindAddress": "127.0.0.1",
                    "spark.driver.host": "127.0.0.1",
                    "spark.local.dir": folder,
                    "spark.sql.warehouse.dir": f"{folder}/warehouse",
                    "spark.log.level": "OFF",
                }
                for name, value in local.items():
                    builder = builder.config(name, value)
            try:
                started = builder.master(self.scheduler or "local[*]").getOrCreate()
            except Exception as error:
                raise EngineError(
                    f"Spark does not start ({type(error).__name__}): it needs Java 17, and a "
                    "master that answers"
                ) from None
            try:
                yield started
            finally:
                with contextlib.suppress(Exception):
                    started.stop()

    def _width(self) -> int:
        """Return how many tasks run at once."""
        with contextlib.suppress(Exception):
            return min(MOST, max(1, int(self._session.sparkContext.defaultParallelism)))
        return os.cpu_count() or 1  # Spark Connect does not tell

    def map(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None = None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks."""
        tag = f"shoal-{secrets.token_hex(8)}"

        def job(task: Task) -> Result:
            with contextlib.suppress(Exception):
                self._session.addTag(tag)
            return self._done(work, task)  # type: ignore[no-any-return]

        workers = self._width()
        with ThreadPoolExecutor(workers) as pool:
            try:
                yield from in_order(pool, job, tasks, workers, stop)
            except BaseException:
                with contextlib.suppress(Exception):
                    self._session.interruptTag(tag)
                raise

    def _done(self, work: Callable[[Any], Any], task: Any) -> Any:
        try:
            frame = self._session.createDataFrame([(json.dumps(task),)], "task string")
            rows = frame.coalesce(1).mapInArrow(partial(perform, work), "done string").collect()
        except Exception as error:
            raise self._failed(error) from None
        return json.loads(rows[0][0])

    def _failed(self, error: Exception) -> ShoalError:
        text = str(error)
        match = re.search(r"FailedError: (\w+ in [\w.]+, line \d+ on \S+)", text)
        if match:
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

    def write(self, frame: Any, hidden: Sequence[str], folder: str) -> None:
        """Write a Spark DataFrame as Parquet files, without what is in the hidden columns."""
        from pyspark.sql import functions

        for name in hidden:
            kind = frame.schema[name].dataType
            frame = frame.withColumn(name, functions.lit(None).cast(kind))
        try:
            frame.write.mode("overwrite").parquet(written(folder))
        except Exception as error:
            raise self._failed(error) from None

    def count(self, files: Sequence[str], names: Sequence[str]) -> Counted | None:
        """Group the records of Parquet files by some columns, and count the groups.

        None where a column has a type that Spark cannot read.
        """
        from pyspark.errors import AnalysisException
        from pyspark.sql import functions as f

        quoted = [f.col("`" + name.replace("`", "``") + "`") for name in names]
        case = self._session.conf.get(CASE)
        self._session.conf.set(CASE, "true")  # "age" and "Age" are two columns
        try:
            return self._counted(f, quoted, files)
        except AnalysisException as error:
            if not re.search("PARQUET|TYPE", str(error.getCondition())):
                raise self._failed(error) from None
            return None
        finally:
            self._session.conf.set(CASE, case)

    def _counted(self, f: Any, quoted: Sequence[Any], files: Sequence[str]) -> Counted:
        frame = self._session.read.parquet(*map(reachable, files))
        sizes = frame.groupBy(*quoted).agg(f.count(f.lit(1)).alias("size"))
        totals = sizes.agg(f.sum("size"), f.count(f.lit(1)), f.min("size"))
        try:
            records, classes, smallest = totals.collect()[0]
        except Exception as error:
            if type(error).__name__ == "AnalysisException":
                raise
            raise self._failed(error) from None
        return Counted(int(records or 0), int(classes), int(smallest or 0))


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
