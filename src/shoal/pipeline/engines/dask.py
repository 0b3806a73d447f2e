"""Dask backend: tasks on a running cluster, or on a local one."""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from shoal.errors import (
    EngineError,
    EngineLostError,
    InputError,
    RequestError,
    ShoalError,
    pip_install,
    shown,
)
from shoal.executor import AHEAD, check, worker_failed
from shoal.hints import option
from shoal.pipeline.engines.counts import Counted
from shoal.progress import StopToken

Task = TypeVar("Task")
Result = TypeVar("Result")

CONNECT = 20  # seconds to wait for a scheduler
ALONE = 120.0  # seconds to wait for a first worker
RETRIES = 2  # times that a failed task is tried again
LOOK = 1.0  # seconds between two looks at the cluster
LOOPBACK = "127.0.0.1:0"
OWN = {  # of a cluster of our own: no pages, and memory is not given back after every step
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
    "distributed.worker.profile.enabled": False,
}


class Dask:
    """A Dask cluster; use it in a with statement.

    `scheduler` is its address (tcp://host:8786, or tls:// with the certificates that Dask's own
    configuration names), which must answer within so many seconds. Without one, and without a
    `client`, a cluster of this machine is started, a process for each core, which talk over
    loopback by private certificates.
    """

    is_remote = True

    def __init__(
        self, scheduler: str | None = None, client: Any = None, workers: int | None = None,
        seconds: float = CONNECT,
    ) -> None:  # fmt: skip
        self.scheduler, self.workers, self.seconds = scheduler, workers, seconds
        self._client = client
        self._after = contextlib.ExitStack()

    @classmethod
    def of(cls, frame: Any, scheduler: str | None) -> Dask:  # noqa: ARG003 - as Spark has it
        """Return the cluster at an address, else the one that is in use, else one of our own."""
        from distributed import default_client

        client = None
        if scheduler is None:
            with contextlib.suppress(ValueError):  # there is none
                client = default_client()
        return cls(scheduler, client)

    @staticmethod
    def token(frame: Any) -> Any:
        """Return what tells a Dask DataFrame from another."""
        from dask.tokenize import tokenize

        return tokenize(frame)

    @staticmethod
    def read(frame: Any, files: Sequence[str]) -> Any:  # noqa: ARG004 - as Spark has it
        """Return Parquet files as a Dask DataFrame."""
        import dask.dataframe as dd

        return dd.read_parquet(list(files))

    def __enter__(self) -> Dask:
        try:
            import distributed
        except ImportError:
            raise RequestError(f"dask is not installed here: {pip_install('dask')}") from None
        with self._after as after:
            if self._client is None:
                after.callback(_silence_log())
                address = self.scheduler or after.enter_context(self._local(distributed))
                self._client = after.enter_context(self._connected(distributed, address))
            self._check_versions()
            self._after = after.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._after.close()

    @contextlib.contextmanager
    def _local(self, distributed: Any) -> Iterator[Any]:
        import dask

        with (
            tempfile.TemporaryDirectory(prefix="shoal-") as folder,
            dask.config.set(OWN),
            contextlib.ExitStack() as after,
        ):
            with _ignoring_interrupts():
                cluster = distributed.LocalCluster(
                    n_workers=self.workers or os.cpu_count() or 1,
                    threads_per_worker=1,
                    processes=True,
                    security=True,
                    dashboard_address=LOOPBACK,
                    worker_dashboard_address=LOOPBACK,
                    local_directory=folder,
                    silence_logs=logging.CRITICAL,
                )
            yield after.enter_context(cluster)

    @contextlib.contextmanager
    def _connected(self, distributed: Any, address: Any) -> Iterator[Any]:
        try:
            client = distributed.Client(address, timeout=self.seconds, set_as_default=False)
        except (OSError, ValueError, TimeoutError):
            raise EngineError(
                f"no Dask scheduler answers at {shown(address)}; start one, or say no "
                f"{option('scheduler')} for a cluster of this machine"
            ) from None
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):
                client.close(timeout=2)

    @property
    def _address(self) -> str:
        return self.scheduler or "this machine"

    def _check_versions(self) -> None:
        """Refuse workers that have another shoal, or none."""
        from importlib import metadata

        from shoal.version import __version__

        client = self._client
        try:
            client.wait_for_workers(1, timeout=self.seconds)
        except TimeoutError:
            raise EngineError(f"the scheduler at {self._address} has no workers") from None
        with self._watched():
            by_worker = client.run(metadata.version, "shoal", on_error="return")
        other = {
            address: "none" if isinstance(version, Exception) else str(version)
            for address, version in by_worker.items()
            if version != __version__
        }
        if other:
            versions = ", ".join(f"{at} has {what}" for at, what in sorted(other.items())[:5])
            raise EngineError(
                f"{len(other)} of {len(by_worker)} workers have another version of shoal than "
                f"{__version__}: {versions}; install the same on all machines"
            )

    def map(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None = None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks; what a lost worker had is done again."""
        with self._watched():
            yield from self._mapped(work, tasks, stop)

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """Turn what a client says that has lost its scheduler into words of ours."""
        try:
            yield
        except ShoalError:
            raise
        except Exception:
            if self._client.status == "running":
                raise
            raise self._lost() from None

    def _mapped(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None
    ) -> Iterator[Result]:
        client = self._client
        waiting: list[Any] = []
        try:
            sent = client.submit(_same, work, pure=False)  # once, however many tasks there are
            for task in tasks:
                future = client.submit(_called, sent, task, pure=False, retries=RETRIES)
                waiting.append(future)
                if len(waiting) >= AHEAD * max(1, self._threads()):
                    yield self._result(waiting.pop(0), stop)
                check(stop)
            while waiting:
                yield self._result(waiting.pop(0), stop)
        except BaseException:
            with contextlib.suppress(Exception):
                client.cancel(waiting, force=True)
            raise

    def _threads(self) -> int:
        known = self._client.scheduler_info(n_workers=-1).get("workers", {}).values()
        return sum(int(worker["nthreads"]) for worker in known)

    def _result(self, future: Any, stop: StopToken | None = None) -> Any:
        """Return the result of a task; wait while the cluster has workers."""
        self._wait(future, stop)
        try:
            if future.cancelled():
                raise self._lost()
            error = future.exception()
            if error is None:
                return future.result()
        except OSError:
            raise self._lost() from None
        raise self._failed(error)

    def _wait(self, future: Any, stop: StopToken | None) -> None:
        ready = threading.Event()
        future.add_done_callback(lambda _: ready.set())
        since = time.monotonic()
        while not future.done():
            ready.wait(LOOK)
            check(stop)
            if self._client.status != "running":
                raise self._lost()
            if future.done() or self._threads():
                since = time.monotonic()
            elif time.monotonic() - since > ALONE:
                raise EngineLostError(
                    f"the scheduler at {self._address} has had no workers for {ALONE:.0f} s; "
                    "what was done is kept: start workers, and the same run again"
                )

    def _lost(self) -> EngineError:
        return EngineLostError(
            f"the Dask scheduler at {self._address} is gone; what was done is kept: start it, and "
            "the same run again, to go on"
        )

    def _failed(self, error: BaseException) -> ShoalError:
        kind = type(error).__name__
        if kind in ("CancelledError", "FutureCancelledError"):
            return self._lost()
        if kind == "KilledWorker":
            return EngineLostError(
                "workers died again and again at the same part, maybe of too little memory; give "
                f"them more, or allow a part less with {option('memory')}"
            )
        reason = str(error) if kind == "FailedError" else kind
        return worker_failed(reason)

    def write(self, frame: Any, hidden: Sequence[str], folder: str) -> None:
        """Write a Dask DataFrame as Parquet files, without what is in the hidden columns."""
        empty = frame.assign(**dict.fromkeys(hidden, "")) if hidden else frame
        try:
            task = empty.to_parquet(
                folder, write_index=False, compute=False, compression="lz4",
                name_function=lambda number: f"part-{number:06d}.parquet",
            )  # fmt: skip
        except (TypeError, ValueError) as error:
            raise InputError(
                f"the dataframe cannot be written as Parquet ({type(error).__name__}): give its "
                "columns names that are texts, and each one type"
            ) from None
        with self._watched():
            self._result(self._client.compute(task))

    def count(self, files: Sequence[str], names: Sequence[str]) -> Counted:
        """Group the records of Parquet files by some columns, and count the groups."""
        import dask
        import dask.dataframe as dd

        wanted = list(names)
        frame = dd.read_parquet(list(files), columns=wanted, dtype_backend="pyarrow")
        with dask.config.set({"dataframe.convert-string": False}):
            by = frame.groupby(wanted, sort=False, dropna=False, observed=True)
            sizes = by.size(split_out=max(1, frame.npartitions // 4))
            counts = sizes.to_frame("size").map_partitions(
                _counts, meta=dict.fromkeys(COUNTED, "int64")
            )
            with self._watched():
                every = self._result(self._client.compute(counts))
        there = every[every["classes"] > 0]
        smallest = int(there["smallest"].min()) if len(there) else 0
        return Counted(int(every["records"].sum()), int(every["classes"].sum()), smallest)


def _same(work: Any) -> Any:
    return work


def _called(work: Callable[[Task], Result], task: Task) -> Result:
    return work(task)


COUNTED = ("records", "classes", "smallest")


def _counts(sizes: Any) -> Any:
    """Return what is counted in a partition, as a dataframe of one row."""
    one = sizes["size"]
    counted = (int(one.sum()), len(one), int(one.min()) if len(one) else 0)
    return type(sizes)({name: [value] for name, value in zip(COUNTED, counted, strict=True)})


@contextlib.contextmanager
def _ignoring_interrupts() -> Iterator[None]:
    """Start processes that ignore SIGINT; the parent ends them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _silence_log() -> Callable[[], None]:
    """Silence Dask's log; return a function that restores it."""
    log = logging.getLogger("distributed")
    before = log.level
    log.setLevel(logging.CRITICAL)
    return lambda: log.setLevel(before)
