"""What is measured inside a process of Shoal: `python ours.py WHAT …` prints figures as JSON."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FEW = 2_000  # records at most that are grouped first, so that what is compiled is there


def cpu(who=resource.RUSAGE_SELF):
    """Return the seconds of all processors that this process took so far, or its children did."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def group(path, options):
    """The grouping alone: of columns that are read already, by the method the job would take."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    import shoal

    options = json.loads(options)
    missing = pc.ConvertOptions(strings_can_be_null=True)
    read = (
        pq.read_table(path)
        if path.endswith("parquet")
        else pc.read_csv(path, convert_options=missing)
    )
    table = read.select(options.pop("quasi"))
    shoal.microaggregate(table.slice(0, min(FEW, len(table) // 4)), **options)
    before = cpu()
    shoal.microaggregate(table, **options)
    return {"grouping": cpu() - before}


def reading(path):
    """A table read by Shoal and by Arrow, in turns."""
    import pyarrow.csv as pc
    import pyarrow.parquet as pq

    import shoal

    theirs = pq.read_table if path.endswith("parquet") else pc.read_csv
    took = {"shoal": [], "arrow": []}
    for _ in range(4):
        for name, read in (("shoal", shoal.read), ("arrow", theirs)):
            before = cpu()
            read(path)
            took[name].append(cpu() - before)
    return {name: min(seconds[1:]) for name, seconds in took.items()}


def threads(path, k):
    """The time of grouping by one thread and by two, in turns."""
    import pyarrow.parquet as pq

    import shoal

    table = pq.read_table(path).drop(["s"])
    shoal.microaggregate(table.slice(0, 20_000), int(k), method="fast", threads=2)
    took = {"one": [], "two": []}
    for _ in range(2):
        for name, many in (("one", 1), ("two", 2)):
            begun = time.perf_counter()
            shoal.microaggregate(table, int(k), method="fast", threads=many)
            took[name].append(time.perf_counter() - begun)
    return {name: min(seconds) for name, seconds in took.items()}


def install(*words):
    """A job with nothing compiled and no bytecode, as after an install, and once more."""
    took = []
    with tempfile.TemporaryDirectory() as folder:
        kept = {"NUMBA_CACHE_DIR": f"{folder}/kernels", "PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}
        for _ in range(2):
            before = cpu(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, *words],
                env={**os.environ, **kept},
                check=True,
                capture_output=True,
            )
            took.append(cpu(resource.RUSAGE_CHILDREN) - before)
    return dict(zip(("first", "second"), took, strict=True))


def hops(path, options):
    """Files and functions of ours that one `anonymize` passes, and calls from file to file.

    It is the second of its process: the first also imports and loads what is compiled.
    """
    import shoal

    house = str(Path(shoal.__file__).parent) + os.sep
    files, functions, between = set(), set(), 0

    def called(frame, event, _):
        nonlocal between
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(house):
            files.add(code.co_filename)
            functions.add(code)
            caller = frame.f_back
            while caller and not caller.f_code.co_filename.startswith(house):
                caller = caller.f_back
            between += bool(caller) and caller.f_code.co_filename != code.co_filename

    options = json.loads(options)
    shoal.anonymize(path, **options)
    sys.setprofile(called)
    shoal.anonymize(path, **options)
    sys.setprofile(None)
    return {"files": len(files), "functions": len(functions), "hops": between}


PARTS = {part.__name__: part for part in (group, reading, threads, install, hops)}

if __name__ == "__main__":
    print(json.dumps(PARTS[sys.argv[1]](*sys.argv[2:])))
