"""Shuffle: files of a run whose records are partitioned by destination.

A file has as many Arrow batches as there are places to go, in their order; whoever gathers a place
reads one batch of every file. So each file is written once, by one step, and no step needs more
than one open file, however many places there are.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.backends.storage import Remote
from shoal.kernels.arrays import Integers
from shoal.outofcore.run_folder import Files

READERS = 16  # files of a remote storage that are read at once
PACKED = pa.ipc.IpcWriteOptions(compression="lz4")


def part(work: Files, name: str, table: Any, places: Integers, count: int) -> list[int]:
    """Write a table's rows by the places they go to, in their order; return how many go to each."""
    order = np.argsort(places, kind="stable")
    counts = np.bincount(places, minlength=count)
    ends = np.cumsum(counts).tolist()
    with work.writing(name) as file, pa.ipc.new_file(file, table.schema, options=PACKED) as writer:
        start = 0
        for end in ends:
            some = table.take(pa.array(order[start:end])).combine_chunks()
            batches = some.to_batches()
            writer.write_batch(batches[0] if batches else _none(table.schema))
            start = end
    return [int(many) for many in counts]


def _none(schema: Any) -> Any:
    return pa.RecordBatch.from_arrays([pa.nulls(0, field.type) for field in schema], schema=schema)


def gather(work: Files, names: Iterable[str], place: int) -> Any:
    """Return the rows of all files that go to one place, those of the first file first."""

    def batch(name: str) -> Any:
        with work.open(name) as file:
            return pa.ipc.open_file(file).get_batch(place)

    if isinstance(work.storage, Remote):  # which answers late, but many at once
        with ThreadPoolExecutor(READERS) as pool:
            batches = list(pool.map(batch, names))
    else:
        batches = [batch(name) for name in names]
    return pa.Table.from_batches(batches).combine_chunks()


def keep(work: Files, name: str, table: Any) -> None:
    """Keep a table under a name."""
    with work.writing(name) as file, pa.ipc.new_file(file, table.schema, options=PACKED) as writer:
        writer.write_table(table)


def kept(work: Files, name: str) -> Any:
    """Return the table that was kept under a name."""
    with work.open(name) as file:
        return pa.ipc.open_file(file).read_all()


def save(work: Files, name: str, numbers: npt.NDArray[Any]) -> None:
    """Keep an array under a name."""
    with work.writing(name) as file:
        np.save(file, numbers, allow_pickle=False)


def load(work: Files, name: str) -> npt.NDArray[Any]:
    """Return the array that was kept under a name."""
    with work.open(name) as file:
        return np.asarray(np.load(io.BytesIO(file.read()), allow_pickle=False))
