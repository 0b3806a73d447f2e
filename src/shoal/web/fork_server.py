"""A process that forks: it reads tasks from stdin, and does each in a process of its own."""

from __future__ import annotations

import json
import os
import select
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

Work = Callable[[Path, int], NoReturn]


def serve(work: Work) -> NoReturn:
    """Fork for every line of stdin, and report the process and how it ended.

    A line is a number and a folder. `work` gets the folder, and the end of a pipe whose other end
    is closed when this process is gone.
    """
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    lifeline, held = os.pipe()
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
                    _become_worker(work, Path(place), lifeline, [woken, wake, held])
                workers[pid] = number
                _report(number, "pid", pid)
    for pid in workers:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
    os._exit(0)


def _report_exits(workers: dict[int, int]) -> None:
    while workers:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        _report(workers.pop(pid), "code", os.waitstatus_to_exitcode(status))


def _report(number: int, what: str, value: int) -> None:
    with suppress(BrokenPipeError):
        os.write(1, json.dumps([number, what, value]).encode() + b"\n")


def _become_worker(work: Work, place: Path, lifeline: int, others: list[int]) -> NoReturn:
    """Work in a process that was forked just now: with a session and files of its own."""
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDWR)
        for own in (0, 1, 2):
            os.dup2(nothing, own)
        for other in (nothing, *others):
            os.close(other)
        work(place, lifeline)
    finally:
        os._exit(1)
