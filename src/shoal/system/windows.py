"""Windows: an open file is neither renamed nor removed, and folders cannot be locked.

So files are closed before they get their names, the lock of a folder is a file beside or in it, and
a temporary file that is open is safe from others as it is. Who may read a file is decided by the
rights of its folder: modes say nothing here, but a folder made for its owner alone (0700) is that
with Python 3.12.4 and later.
"""

from __future__ import annotations

import ctypes
import errno
import importlib
import os
import signal
import socket
import stat
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

PATIENCE = 2.0  # seconds that a scanner may hold a file that is to be renamed
LOCK = ".shoal-lock"
LINKS = (0xA000000C, 0xA0000003)  # the tags of symbolic links and of junctions
BELOW_NORMAL = 0x4000  # a class of priority


class MemoryStatus(ctypes.Structure):
    """What GlobalMemoryStatusEx fills in."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("physical", ctypes.c_uint64),
        *((f"other_{number}", ctypes.c_uint64) for number in range(6)),
    )


class FileLock:
    """A locked file that stands for a folder, and is removed with the lock."""

    def __init__(self, path: Path, descriptor: int, locks: Any) -> None:
        self._path, self._descriptor, self._locks = path, descriptor, locks

    def release(self) -> None:
        """Let go of it; another process that waits for the file keeps it from being removed."""
        with suppress(OSError):  # closing it lets go too, but not always at once
            self._locks.locking(self._descriptor, self._locks.LK_UNLCK, 1)
        os.close(self._descriptor)
        with suppress(OSError):
            self._path.unlink()


class Windows:
    """A Windows system; `locks` is Python's module for it."""

    forks = False

    def __init__(self, locks: Any = None, patience: float = PATIENCE) -> None:
        self._locks = importlib.import_module("msvcrt") if locks is None else locks
        self._patience = patience

    def lock_folder(self, folder: Path) -> FileLock:
        """Lock a folder by a file beside it."""
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        return self._locked(folder.with_name(f"{folder.name}{LOCK}"))

    def lock_inside(self, folder: Path) -> FileLock:
        """Lock a folder by a file in it."""
        return self._locked(folder / LOCK)

    def _locked(self, path: Path) -> FileLock:
        busy = BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except PermissionError:
            if os.path.lexists(path):  # it is being removed
                raise busy from None
            raise
        try:
            self._locks.locking(descriptor, self._locks.LK_NBLCK, 1)
        except OSError as error:
            os.close(descriptor)
            raise (busy if isinstance(error, PermissionError) else error) from None
        return FileLock(path, descriptor, self._locks)

    def lock_file(self, descriptor: int) -> None:
        """Lock the first byte of a file as soon as it is free."""
        while True:
            os.lseek(descriptor, 0, os.SEEK_SET)
            try:
                self._locks.locking(descriptor, self._locks.LK_NBLCK, 1)
            except PermissionError:
                time.sleep(0.01)
            else:
                return

    def create(self, path: Path) -> int:
        """Return a new file; its bytes are written as they are."""
        binary = getattr(os, "O_BINARY", 0)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | binary, 0o600)

    def keep(self, descriptor: int) -> None:
        """Do nothing: a file that is open cannot be removed."""

    def sweep(self, path: Path) -> None:
        """Remove a temporary file, which fails while it is open."""
        path.unlink(missing_ok=True)

    def discard(self, descriptor: int, path: Path) -> None:
        """Close a temporary file, then remove it."""
        if descriptor >= 0:
            with suppress(OSError):
                os.close(descriptor)
        with suppress(OSError):
            self._patiently(lambda: path.unlink(missing_ok=True))

    def sync(self, descriptor: int) -> None:
        """Bring a file to the disk."""
        os.fsync(descriptor)

    def sync_folder(self, folder: Path) -> None:
        """Do nothing: names are brought to the disk by the system alone."""

    def before_naming(self, descriptor: int) -> int:
        """Close a file, which could not be renamed otherwise."""
        os.close(descriptor)
        return -1

    def name_new(self, source: Path, target: Path) -> None:
        """Rename, which never replaces here."""
        self._patiently(lambda: source.rename(target))

    def replace(self, source: Path, target: Path) -> None:
        """Rename in one step; wait for whoever has one of both open."""
        self._patiently(lambda: source.replace(target))

    def move_folder(self, source: Path, target: Path) -> None:
        """Rename; an empty folder of this name goes first."""
        if target.is_dir():
            target.rmdir()
        self._patiently(lambda: source.rename(target))

    def _patiently(self, act: Callable[[], object]) -> None:
        """Do something once nobody holds the file any more, or raise when patience ends."""
        end = time.monotonic() + self._patience
        while True:
            try:
                act()
            except PermissionError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.01)
            else:
                return

    def set_mode(self, descriptor: int, mode: int) -> None:
        """Do nothing: the rights of the folder hold."""

    def is_own_folder(self, path: Path) -> bool:
        """Tell whether a path is a folder, no link and no junction; whose it is, is not known."""
        status = path.lstat()
        return stat.S_ISDIR(status.st_mode) and getattr(status, "st_reparse_tag", 0) not in LINKS

    def cache(self) -> Path:
        """Return the folder of programs' data that stays on this machine."""
        own = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
        return Path(own) if own else Path.home() / "AppData" / "Local"

    def memory(self) -> float | None:
        """Return the bytes of memory of the machine."""
        kernel = self._kernel()
        status = MemoryStatus(length=ctypes.sizeof(MemoryStatus))
        if kernel is None or not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
            return None
        return float(status.physical)

    def processors(self) -> int:
        """Return how many processors there are."""
        return os.cpu_count() or 1

    def handles(self) -> int | None:
        """Return that there is no limit that matters."""
        return None

    def limit_memory(self, most: float | None) -> None:
        """Do nothing: a process that asks for too much is refused, not killed."""

    def lower_priority(self) -> None:
        """Let other processes go first."""
        kernel = self._kernel()
        if kernel is not None:
            kernel.SetPriorityClass(ctypes.c_void_p(kernel.GetCurrentProcess()), BELOW_NORMAL)

    def _kernel(self) -> Any:
        """Return the functions of the system; None where there are none, as in tests."""
        return getattr(getattr(ctypes, "windll", None), "kernel32", None)

    def apart(self) -> dict[str, Any]:
        """Start a subprocess in a group of its own, without a window."""
        names = ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW")
        return {"creationflags": sum(getattr(subprocess, name, 0) for name in names)}

    def end(self, pid: int, *, politely: bool) -> None:  # noqa: ARG002 - there is no polite way
        """End a process; what it started ends with its pipes."""
        try:
            os.kill(pid, signal.SIGTERM)
        except OSError as error:  # also where it has just ended
            raise ProcessLookupError(errno.ESRCH, os.strerror(errno.ESRCH)) from error

    def end_own(self) -> None:
        """Do nothing: what this process started ends with its pipes."""

    def end_with_terminal(self) -> None:
        """Do nothing: the next desk removes what one leaves that was closed with its window."""

    def was_killed(self, code: int) -> bool:
        """Tell whether a process was ended by `end`, which gives it the signal as its code."""
        return code in (signal.SIGTERM, -signal.SIGTERM)

    def take_alone(self, listener: socket.socket) -> None:
        """Take a port so that no other program can take it too, which Windows would let it."""
        option = getattr(socket, "SO_EXCLUSIVEADDRUSE", None)
        if option is not None:
            listener.setsockopt(socket.SOL_SOCKET, option, 1)
