"""Files that only the library reads which wrote them: it does so in a fresh process.

What that process knows of the file is its bytes. It answers with Arrow batches on a pipe, and with
an exit code.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from shoal.errors import InputError
from shoal.judge.readers import fresh_reader as reader
from shoal.judge.readers.source import Source
from shoal.judge.readers.whole import RATIO, whole

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

    command = [sys.executable, "-P", reader.__file__, str(path.resolve()), kind]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ran = subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    if ran.returncode != 0:
        raise InputError(f"{path.name}: {_reason(ran.returncode, kind)}")
    try:
        with pa.ipc.open_stream(ran.stdout) as stream:
            table = stream.read_all()
    except pa.ArrowException:
        raise InputError(f"{path.name}: {_reason(reader.BROKEN, kind)}") from None
    names = list(table.column_names)
    columns = {name: table[at].combine_chunks() for at, name in enumerate(names)}
    return whole(path.name, names, columns, table.num_rows, READERS[kind])


def _reason(code: int, kind: str) -> str:
    """Return why a file could not be read."""
    if code == reader.LACKING:
        return f"this is a file of {STATISTICS[kind]}; pip install 'shoal[formats]' to read it"
    if code == reader.LARGE:
        return f"unpacks to more than {RATIO} times its size; not a table"
    if code == reader.BROKEN:
        return "not a whole file of its kind, or damaged"
    return "the process that reads it ended"
