"""What operating systems do differently with processes: memory, limits, groups, ports."""

from __future__ import annotations

import ctypes
import errno
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

try:
    import resource
except ModuleNotFoundError:  # Windows
    UNIX = False
else:
    UNIX = True

FORKS = UNIX and sys.platform == "linux"  # on macOS some libraries survive no fork
CONTAINER = Path("/sys/fs/cgroup/memory.max")
KERNEL: Any = getattr(getattr(ctypes, "windll", None), "kernel32", None)  # functions of Windows
BELOW_NORMAL = 0x4000  # a class of priority on Windows


def memory() -> float | None:
    """Return the bytes of memory that this machine, or container, has; None: not known."""
    if not UNIX:
        kilobytes = ctypes.c_uint64()
        known = KERNEL and KERNEL.GetPhysicallyInstalledSystemMemory(ctypes.byref(kilobytes))
        return 1024.0 * kilobytes.value if known else None
    try:
        total = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError):
        return None
    with suppress(OSError, ValueError):
        total = min(total, float(int(CONTAINER.read_text())))
    return total


def handles() -> int | None:
    """Return how many files this process may have open; None: as many as it likes."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0] if UNIX else None
    return None if UNIX and limit == resource.RLIM_INFINITY else limit


def limit_memory(most: float | None) -> None:
    """Write no core file; on Linux, take no more than so many bytes."""
    if UNIX:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if most is not None and sys.platform == "linux":
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_DATA, (int(most), int(most)))


def lower_priority() -> None:
    """Let other processes go first."""
    if UNIX:
        os.nice(10)
    elif KERNEL is not None:
        KERNEL.SetPriorityClass(ctypes.c_void_p(KERNEL.GetCurrentProcess()), BELOW_NORMAL)


def apart() -> dict[str, Any]:
    """Return the arguments of a subprocess that gets no Ctrl-C of this process."""
    if UNIX:
        return {"start_new_session": True}
    names = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")
    return {"creationflags": sum(getattr(subprocess, name, 0) for name in names)}


def end(pid: int, *, politely: bool) -> None:
    """End a process that was started apart; on Unix with those that it started.

    A ProcessLookupError says that there is none.
    """
    if UNIX:
        os.killpg(pid, signal.SIGTERM if politely else signal.SIGKILL)
        return
    try:
        os.kill(pid, signal.SIGTERM)  # there is no polite way
    except OSError as error:  # also where it has just ended
        raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH)) from error


def end_own() -> None:
    """End the processes that this one started, and this one, if it was started apart.

    On Windows they end with their pipes.
    """
    if UNIX and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)


def end_with_terminal() -> None:
    """Let this process end in order when its terminal is closed, where it is told."""
    if UNIX:
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))


def was_killed(code: int) -> bool:
    """Tell whether a process that ended with a code was ended by another."""
    return code in (-9, -signal.SIGTERM, *(() if UNIX else (signal.SIGTERM,)))


def take_alone(listener: socket.socket) -> None:
    """Let a socket take its port alone, also soon after another program had it."""
    option = getattr(socket, "SO_REUSEADDR" if UNIX else "SO_EXCLUSIVEADDRUSE", None)
    if option is not None:
        listener.setsockopt(socket.SOL_SOCKET, option, 1)
