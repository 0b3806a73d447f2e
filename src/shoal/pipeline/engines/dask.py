"""Dask: tasks on a running cluster, or on a local one."""

from __future__ import annotations

import logging
import operator
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from typing import Any

from shoal.errors import EngineError, EngineLostError, InputError, ShoalError, shown
from shoal.executor import Result, Task, in_order, worker_failed
from shoal.extras import check_extra
from shoal.hints import option
from shoal.progress import StopToken
from shoal.version import __version__

CONNECT = 20  # seconds to wait for a scheduler
ALONE = 120.0  # seconds to wait for a first worker
RETRIES = 2  # times that a failed task is tried again
LOOPBACK = "127.0.0.1:0"
GONE = ("CancelledError", "FutureCancelledError", "CommClosedError")  # said without a scheduler
OWN = {  # of a cluster of our own: no pages, and memory is not given back after every step
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
    "distributed.worker.profile.enabled": False,
}


@contextmanager
def opened(
    scheduler: str | None = None, frame: Any = None, seconds: float = CONNECT
) -> Iterator[Dask]:
    """Yield the cluster at an address, which must answer within so many seconds.

    The address is tcp://host:8786, or tls:// with the certificates that Dask's own configuration
    names. Without one it is the cluster in use, for a `frame`, else one of this machine, a process
    for each core, which talk over loopback by private certificates.
    """
    check_extra("dask", "dask is not installed here")
    from distributed import default_client

    client = None
    with ExitStack() as after:
        if frame is not None and scheduler is None:
            with suppress(ValueError):  # there is none
                client = default_client()
        if client is None:
            log = logging.getLogger("distributed")
            after.callback(log.setLevel, log.level)
            log.setLevel(logging.CRITICAL)
            address = scheduler or after.enter_context(_local_cluster())
            client = after.enter_context(_connected(address, seconds))
        engine = Dask(client, scheduler or "this machine")
        engine.check_workers(seconds)
        yield engine


def token(frame: Any) -> Any:
    """Return what tells a Dask DataFrame from another."""
    from dask.tokenize import tokenize

    return tokenize(frame)


def read(frame: Any, files: Sequence[str]) -> Any:  # noqa: ARG001 - as Spark has it
    """Return Parquet files as a Dask DataFrame."""
    import dask.dataframe as dd

    return dd.read_parquet(list(files))


@contextmanager
def _local_cluster() -> Iterator[Any]:
    import dask
    from distributed import LocalCluster

    with tempfile.TemporaryDirectory(prefix="shoal-") as folder, dask.config.set(OWN):
        with _ignoring_interrupts():
            cluster = LocalCluster(
                n_workers=os.cpu_count() or 1,
                threads_per_worker=1,
                processes=True,
                security=True,
                dashboard_address=LOOPBACK,
                worker_dashboard_address=LOOPBACK,
                local_directory=folder,
                silence_logs=logging.CRITICAL,
            )
        with cluster:
            yield cluster


@contextmanager
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


@contextmanager
def _connected(address: Any, seconds: float) -> Iterator[Any]:
    from distributed import Client

    try:
        client = Client(address, timeout=seconds, set_as_default=False)
    except (OSError, ValueError, TimeoutError):
        raise EngineError(
            f"no Dask scheduler answers at {shown(address)}; start one, or say no "
            f"{option('scheduler')} for a cluster of this machine"
        ) from None
    try:
        yield client
    finally:
        with suppress(Exception):
            client.close(timeout=2)


class Dask:
    """A Dask cluster, by a client of it."""

    is_remote = True

    def __init__(self, client: Any, address: str) -> None:
        self.client, self.address = client, address
        self._last_seen = 0.0

    def check_workers(self, seconds: float) -> None:
        """Refuse a cluster without workers, and workers that have another shoal, or none."""
        from importlib import metadata

        try:
            self.client.wait_for_workers(1, timeout=seconds)
        except TimeoutError:
            raise EngineError(f"the scheduler at {self.address} has no workers") from None
        with self._told():
            by_worker = self.client.run(metadata.version, "shoal", on_error="return")
        other = [
            f"{at} has {'none' if isinstance(version, Exception) else version}"
            for at, version in sorted(by_worker.items())
            if version != __version__
        ]
        if other:
            raise EngineError(
                f"{len(other)} of {len(by_worker)} workers have another version of shoal than "
                f"{__version__}: {', '.join(other[:5])}; install the same on all machines"
            )

    def map(
        self, work: Callable[[Task], Result], tasks: Iterable[Task], stop: StopToken | None = None
    ) -> Iterator[Result]:
        """Yield the results in the order of the tasks; what a lost worker had is done again."""
        with self._told():
            sent = self.client.submit(_same, work, pure=False)  # once, however many tasks there are
            submit = partial(self.client.submit, operator.call, sent, pure=False, retries=RETRIES)
            yield from self._in_order(submit, tasks, stop)

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
        with self._told():
            next(self._in_order(self.client.compute, [task]))

    def count(self, files: Sequence[str], names: Sequence[str]) -> dict[str, int]:
        """Group the records of Parquet files by some columns; count records and groups."""
        import dask
        import dask.dataframe as dd

        wanted = list(names)
        frame = dd.read_parquet(list(files), columns=wanted, dtype_backend="pyarrow")
        with self._told(), dask.config.set({"dataframe.convert-string": False}):
            by = frame.groupby(wanted, sort=False, dropna=False, observed=True)
            sizes = by.size(split_out=max(1, frame.npartitions // 4))
            sizes = self.client.persist(sizes)  # grouped once, for all three
            figures = [sizes.sum(), sizes.count(), sizes.min()]
            counted = map(int, self._in_order(self.client.compute, figures))
            return dict(zip(("records", "classes", "smallest"), counted, strict=True))

    def _in_order(
        self, submit: Callable[[Any], Any], tasks: Iterable[Any], stop: StopToken | None = None
    ) -> Iterator[Any]:
        self._last_seen = time.monotonic()
        watch = partial(self._watch, stop or StopToken())
        return in_order(submit, tasks, lambda: max(1, self._threads()), watch)

    def _threads(self) -> int:
        known = self.client.scheduler_info(n_workers=-1).get("workers", {}).values()
        return sum(int(worker["nthreads"]) for worker in known)

    def _watch(self, stop: StopToken) -> None:
        """Raise what ends a run: a cluster without its scheduler, or without workers."""
        stop.check()
        if self.client.status != "running":
            raise self._lost()
        if self._threads():
            self._last_seen = time.monotonic()
        elif time.monotonic() - self._last_seen > ALONE:
            raise EngineLostError(
                f"the scheduler at {self.address} has had no workers for {ALONE:.0f} s; "
                "what was done is kept: start workers, and the same run again"
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell errors of Dask and of its workers in words of ours, which show no record."""
        try:
            yield
        except ShoalError:
            raise
        except Exception as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> EngineError:
        kind = type(error).__name__
        if self.client.status != "running" or kind in GONE:
            return self._lost()
        if kind == "KilledWorker":
            return EngineLostError(
                "workers died again and again at the same part, maybe of too little memory; give "
                f"them more, or allow a part less with {option('memory')}"
            )
        return worker_failed(str(error) if kind == "FailedError" else kind)

    def _lost(self) -> EngineError:
        return EngineLostError(
            f"the Dask scheduler at {self.address} is gone; what was done is kept: start it, and "
            "the same run again, to go on"
        )


def _same(work: Any) -> Any:
    return work
