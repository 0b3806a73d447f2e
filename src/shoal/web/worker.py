"""Worker process of the desk: `python -m shoal.web.worker [FOLDER]`.

It reads the request in the folder, writes its progress and its answer there, runs at low priority
and ends when the server does. Without a folder it is the fork
server: it imports everything once, reads folders from stdin and forks a worker for each.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from shoal.errors import Canceled, PrivacyError, ShoalError, UnlistedError
from shoal.web.messages import ANSWER, ASKED, ProgressWriter, write_json

NICE = 10


def main() -> None:
    """Answer the request in a folder, or fork a worker for each of many."""
    os.umask(0o077)
    os.nice(NICE)
    if len(sys.argv) > 1:
        answer(Path(sys.argv[1]), sys.stdin.fileno())
    else:
        serve()


def serve() -> None:
    """Fork a worker for every line of stdin, and report its process and how it ended."""
    _import_everything()
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    lifeline, held = os.pipe()  # workers read its end when this process is gone
    workers: dict[int, int] = {}
    buffer = b""
    while True:
        ready, _, _ = select.select([0, woken], [], [])
        if woken in ready:
            os.read(woken, 4096)
            _report_exits(workers)
        if 0 in ready:
            content = os.read(0, 65_536)
            if not content:
                break
            *lines, buffer = (buffer + content).split(b"\n")
            for line in lines:
                number, place = json.loads(line)
                pid = os.fork()
                if pid == 0:
                    _become_worker(Path(place), lifeline, [woken, wake, held])
                workers[pid] = number
                _report(number, "pid", pid)
    for pid in workers:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    os._exit(0)


def _import_everything() -> None:
    """Import what workers need, also what others import at their first use: most of a second."""
    import numpy as np
    import pyarrow as pa

    from shoal.kernels.nearest import slack
    from shoal.report import draw, plots  # noqa: F401
    from shoal.run import anonymize, preview  # noqa: F401
    from shoal.run.compare import grid  # noqa: F401
    from shoal.save.pack import folder, recheck  # noqa: F401
    from shoal.web import tasks  # noqa: F401

    np.asarray(pa.array([True]))  # imports pandas, where it is installed
    slack(1.0, 0.0)  # a kernel: imports all that Numba compiles with


def _report_exits(workers: dict[int, int]) -> None:
    while workers:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        _report(workers.pop(pid), "code", os.waitstatus_to_exitcode(status))


def _report(number: int, what: str, value: int) -> None:
    with suppress(BrokenPipeError):
        os.write(1, json.dumps([number, what, value]).encode() + b"\n")


def _become_worker(place: Path, lifeline: int, others: list[int]) -> NoReturn:
    """Answer in a process that was forked just now: with a session and files of its own."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for own in (0, 1, 2):
            os.dup2(nothing, own)
        for other in (nothing, *others):
            os.close(other)
        answer(place, lifeline)
    finally:
        os._exit(1)


def answer(place: Path, lifeline: int) -> NoReturn:
    """Answer the request in a folder, while the other end of a pipe is open; then end."""
    _limit_memory()
    threading.Thread(target=_end_with_server, args=(lifeline,), daemon=True).start()
    signal.signal(signal.SIGTERM, _ended)
    request = json.loads((place / ASKED).read_bytes())
    try:
        from shoal.web import tasks

        result = tasks.KINDS[request["kind"]](request, place, ProgressWriter(place))
    except UnlistedError as error:  # whose message says how the command line shows values
        result = _error(str(error).rsplit("; ", 1)[0], 400)
    except (Canceled, KeyboardInterrupt):
        result = _error("canceled", 409)
    except PrivacyError as error:
        result = _error(str(error), 422)
    except ShoalError as error:
        result = _error(str(error), 400)
    except MemoryError:
        result = _error("not enough memory for this table; say how much it may take", 400)
    except Exception as error:
        result = _error(f"something went wrong that should not ({type(error).__name__})", 500)
    write_json(place / ANSWER, result)
    os._exit(0)  # taking the interpreter apart takes a moment


def _error(message: str, status: int) -> dict[str, Any]:
    return {"error": {"said": " ".join(message.split()), "status": status}}


def _limit_memory() -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    from shoal.plan.estimate import machine_memory

    available = machine_memory()
    if available is not None and sys.platform == "linux":
        most = int(available * 0.9e6)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _end_with_server(lifeline: int) -> None:
    """Wait until the other end of the pipe is closed."""
    with suppress(OSError, ValueError):
        while os.read(lifeline, 1):
            pass
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # with all that this process may have started
    os._exit(130)


def _ended(_number: int, _frame: object) -> None:
    os._exit(130)


if __name__ == "__main__":
    main()
