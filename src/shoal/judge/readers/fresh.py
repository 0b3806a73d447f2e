"""Files that only the library reads which wrote them: it does so in a fresh process.

What that process knows of the file is its bytes. It answers with Arrow batches on a pipe, and with
an exit code. Arrow's own files come batch by batch, each time that they are read; the others whole.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from shoal.errors import InputError, pip_install
from shoal.judge.limits import limits
from shoal.judge.readers import fresh_reader as reader
from shoal.judge.readers.arrow import RATIO, check_plain, rows_in, whole
from shoal.judge.readers.cells import ArrowCells
from shoal.judge.readers.source import Made, Source, check_header

STATISTICS = {"sav": "SPSS", "zsav": "SPSS", "por": "SPSS", "dta": "Stata", "xpt": "SAS",
              "sas7bdat": "SAS"}  # fmt: skip
ARROW = "feather", "arrow", "ipc"
READERS = {
    **dict.fromkeys(STATISTICS, "pyreadstat in a fresh process"),
    **dict.fromkeys(ARROW, "pyarrow in a fresh process"),
}


def fresh(path: Path, kind: str) -> Source:
    """Return an opened file of one of these kinds."""
    import pyarrow as pa

    schema, *batches = _answered(path, kind, only_schema=kind in ARROW)
    if kind in ARROW:
        return _streamed(path, kind, schema)
    table = pa.Table.from_batches(batches, schema)
    names = list(table.column_names)
    columns = {name: table[at].combine_chunks() for at, name in enumerate(names)}
    return whole(path.name, names, columns, table.num_rows, READERS[kind])


def _streamed(path: Path, kind: str, schema: Any) -> Source:
    """Return a file that is read anew, batch by batch, whenever its records are wanted."""
    names = list(schema.names)
    check_header(names, path.name)

    def batches(places: list[int], make: Callable[[list[Any]], Made]) -> Iterator[Made]:
        for place in places:
            check_plain(schema.field(place).type, names[place], path.name)
        size = limits().batch
        for batch in islice(_answered(path, kind), 1, None):
            for begin in range(0, batch.num_rows, size):
                some = batch.slice(begin, size)
                yield make([ArrowCells(some.column(place)) for place in places])

    return Source(path.name, names, partial(rows_in, batches), False, batches, reader=READERS[kind])


def _answered(path: Path, kind: str, only_schema: bool = False) -> Iterator[Any]:
    """Yield the schema of a file, then its batches, from a process that is started for it."""
    import pyarrow as pa

    command = [sys.executable, "-P", reader.__file__, str(path.resolve()), kind]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    with subprocess.Popen(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        try:
            with pa.ipc.open_stream(process.stdout) as stream:
                yield stream.schema
                if only_schema:
                    return
                yield from stream
        except (pa.ArrowException, OSError):
            code = process.wait() or reader.BROKEN
            raise InputError(f"{path.name}: {_reason(code, kind)}") from None
        finally:
            if process.stdout is not None:
                process.stdout.close()
            if sys.exc_info()[0] is not None or only_schema:
                process.kill()
        if process.wait() != 0:
            raise InputError(f"{path.name}: {_reason(process.returncode, kind)}")


def _reason(code: int, kind: str) -> str:
    """Return why a file could not be read."""
    if code == reader.LACKING:
        return f"this is a file of {STATISTICS[kind]}; {pip_install('formats')} to read it"
    if code == reader.LARGE:
        return f"unpacks to more than {RATIO} times its size; not a table"
    if code == reader.BROKEN:
        return "not a whole file of its kind, or damaged"
    return "the process that reads it ended"
