"""Files that only the library reads which wrote them: it does so in a fresh process.

What that process knows of the file is its bytes. It answers with an Arrow file in the private
folder, and with an exit code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from shoal.errors import InputError, listed, pip_install
from shoal.judge import fresh_reader as reader
from shoal.judge.arrow_tables import load
from shoal.judge.checks import RATIO, more
from shoal.judge.engine import Engine
from shoal.judge.metadata import check_metadata
from shoal.judge.source import Source

READERS = {
    **dict.fromkeys(reader.READ, "pyreadstat in a fresh process"),
    **dict.fromkeys(("feather", "arrow", "ipc"), "pyarrow in a fresh process"),
}
REASONS = {
    reader.LACKING: f"this is a file of SPSS, Stata or SAS; {pip_install('formats')} to read it",
    reader.LARGE: f"unpacks to more than {RATIO} times its size; not a table",
    reader.BROKEN: "not a whole file of its kind, or damaged",
}


def fresh_table(engine: Engine, path: Path, kind: str, table: str, published: bool) -> Source:
    """Make a table of a file of one of these kinds."""
    import pyarrow as pa

    target = engine.new_file()
    target.touch(0o600)
    command = [sys.executable, "-P", reader.__file__, str(path.resolve()), kind, str(target)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    code = subprocess.run(
        command, env=environment, check=False, stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    ).returncode  # fmt: skip
    if code:
        reason = REASONS.get(code, "the process that reads it ended")
        raise InputError(f"{path.name}: {reason}")
    with pa.memory_map(str(target)) as file:
        given = pa.ipc.open_file(file).read_all()
        told = dict(given.schema.metadata)
        beside = json.loads(told.pop(reader.MORE))
        if published and beside:
            raise more(path.name, listed(beside))
        given = given.replace_schema_metadata(told)
        if published:
            check_metadata(given.schema, {}, path.name)
        return load(engine, table, given, path.name, READERS[kind])
