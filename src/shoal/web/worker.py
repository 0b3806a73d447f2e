"""Worker process of the desk: `python -m shoal.web.worker [FOLDER]`.

It reads the request in the folder, writes its progress and its answer there, runs at low priority
unless a page waits for the answer, and ends when the server does. Without a folder it is the fork
server: it imports everything once, reads folders from stdin and forks a worker for each.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from shoal.errors import Canceled, PrivacyError, ShoalError, UnlistedError
from shoal.hints import Message, speaking, spoken
from shoal.storage import processes
from shoal.web import fork_server
from shoal.web.jobs import ANSWER, ASKED, ProgressWriter, write_json
from shoal.web.labels import as_field

AWAITED = ("about", "tree", "preview", "risk", "trial")  # what a page follows while it is changed


def main() -> None:
    """Answer the request in a folder, or fork a worker for each of many."""
    os.umask(0o077)
    if len(sys.argv) > 1:
        answer(Path(sys.argv[1]), sys.stdin.fileno())
    else:
        serve()


def serve() -> None:
    """Fork a worker for every folder that is named on stdin."""
    _import_everything()
    if _load_kernels():
        _rehearse()
    gc.freeze()  # what is here now, a worker's collector does not touch: its pages stay shared
    fork_server.serve(answer)


def _import_everything() -> None:
    """Import what workers need, also what others import at their first use: most of a second."""
    import numpy as np
    import pyarrow as pa
    from narwhals import from_native
    from pyarrow import csv  # noqa: F401

    from shoal.judge import reading  # noqa: F401
    from shoal.kernels.nearest import slack
    from shoal.pipeline import anonymize, compare, preview  # noqa: F401
    from shoal.report import draw, plots  # noqa: F401
    from shoal.web import tasks  # noqa: F401

    np.asarray(pa.array([True]))  # imports pandas, where it is installed
    slack(1.0, 0.0)  # a kernel: imports all that Numba compiles with
    from_native(pa.table({"one": [1]}))  # imports what reads tables of Arrow


def _load_kernels() -> bool:
    """Load the kernels of trials, which follow every change of a page, where they are compiled.

    Tells whether those of a trial by trees are.
    """
    from shoal.kernels import by_group, exact_sum
    from shoal.kernels.jit import load_cached
    from shoal.methods.ils import advance, neighbors, state
    from shoal.methods.ils.hierarchies import advance as by_trees
    from shoal.methods.topdown import split

    for kernel in (
        by_group.add_squares, by_group.add_up, neighbors._sweep_nearest, state.load, advance.advance
    ):  # fmt: skip
        load_cached(kernel)
    loaded = [load_cached(one) for one in (split.split, by_trees.advance, exact_sum.add_up)]
    return all(loaded)


def _rehearse() -> None:
    """Try a release of a few made-up records: what is done at a first use is done for all workers.

    It leaves no thread behind, which a fork would not take along.
    """
    from shoal.settings import build
    from shoal.table.read import read
    from shoal.web.trial import figures, shown_rows, tried

    numbers = range(60)
    table = read({"age": [20 + 7 * i % 50 for i in numbers], "sex": ["fm"[i % 2] for i in numbers],
                  "postcode": [str(10_000 + 37 * i) for i in numbers],
                  "ill": ["abc"[i % 3] for i in numbers]})  # fmt: skip
    roles = {"quasi_identifiers": ["age", "sex", "postcode"], "sensitive": ["ill"]}
    with suppress(ShoalError):
        done = tried(table, build({"roles": roles, "protect": {"k": 3}}))
        figures(done)
        shown_rows(done)


def answer(place: Path, lifeline: int) -> NoReturn:
    """Answer the request in a folder, while the other end of a pipe is open; then end."""
    _limit_memory()
    threading.Thread(target=_end_with_server, args=(lifeline,), daemon=True).start()
    signal.signal(signal.SIGTERM, _ended)
    request = json.loads((place / ASKED).read_bytes())
    if request["kind"] not in AWAITED:
        processes.lower_priority()
    try:
        from shoal.web import tasks

        with speaking(as_field):
            result = spoken(tasks.KINDS[request["kind"]](request, place, ProgressWriter(place)))
    except UnlistedError as error:
        result = _error(error.brief, 400)
    except (Canceled, KeyboardInterrupt):
        result = _error("canceled", 409)
    except PrivacyError as error:
        result = _error(error.marked, 422)
    except ShoalError as error:
        result = _error(error.marked, 400)
    except MemoryError:
        result = _error("not enough memory for this table; say how much it may take", 400)
    except Exception as error:
        result = _error(f"something went wrong that should not ({type(error).__name__})", 500)
    write_json(place / ANSWER, result)
    os._exit(0)  # taking the interpreter apart takes a moment


def _error(message: str, status: int) -> dict[str, Any]:
    words = Message(message).at(as_field)
    return {"error": {"said": " ".join(words.split()), "status": status}}


def _limit_memory() -> None:
    available = processes.memory()
    processes.limit_memory(None if available is None else available * 0.9)


def _end_with_server(lifeline: int) -> None:
    """Wait until the other end of the pipe is closed."""
    with suppress(OSError, ValueError):
        while os.read(lifeline, 1):
            pass
    processes.end_own()  # with all that this process may have started
    os._exit(130)


def _ended(_number: int, _frame: object) -> None:
    os._exit(130)


if __name__ == "__main__":
    main()
