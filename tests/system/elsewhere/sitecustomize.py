"""A Python without what only Unix has, on files as Windows keeps them.

Every process that finds this folder on PYTHONPATH starts with it: modules of Unix are hidden from
whoever imports them, calls and constants of Unix are gone, and a file that is open is neither
renamed nor removed. What the standard library itself needs to start on this machine is loaded
before.
"""

from __future__ import annotations

import asyncio.subprocess  # noqa: F401
import concurrent.futures.process  # noqa: F401
import errno
import fcntl
import importlib.abc
import logging  # noqa: F401
import multiprocessing.popen_spawn_posix  # noqa: F401
import os
import random  # noqa: F401
import shutil
import signal
import stat
import subprocess
import sys
import tempfile  # noqa: F401
import types
from pathlib import Path

from only_unix import CALLS, MODULES, SIGNALS

NEEDED = {"uname", "getuid"}  # by other libraries on this machine


class Hide(importlib.abc.MetaPathFinder):
    """Finds no module of Unix."""

    def find_spec(self, fullname, *_):
        """Raise for what is hidden; others look for the rest."""
        if fullname in MODULES:
            raise ModuleNotFoundError(f"No module named {fullname!r}", name=fullname)


def in_use(path):
    """Tell whether this process has a file open, or one in a folder."""
    real = os.path.realpath(path)
    for number in Path("/proc/self/fd").iterdir():
        try:
            other = os.fspath(number.readlink())
        except OSError:
            continue
        if other == real or other.startswith(f"{real}/"):
            return True
    return False


def refused(path):
    """Return what Windows says of a file that is open elsewhere."""
    return PermissionError(errno.EACCES, "The process cannot access the file", os.fspath(path))


def closed_only(name):
    """Let a call of os work on files that are not open alone."""
    real = getattr(os, name)

    def call(path, *others, **options):
        for one in (path, *others):
            if in_use(one):
                raise refused(one)
        if name == "rename" and others and os.path.lexists(others[0]):
            raise FileExistsError(errno.EEXIST, "Cannot create a file when that file exists")
        return real(path, *others, **options)

    setattr(os, name, call)


def open_no_folder(real):
    """Return an os.open that opens no folder, but for `tempfile` to make files without a name."""
    nameless = os.O_TMPFILE

    def call(path, flags, mode=0o777, *, dir_fd=None):
        is_folder = isinstance(path, str | os.PathLike) and Path(path).is_dir()
        if is_folder and flags & nameless != nameless:
            raise refused(path)
        return real(path, flags, mode, dir_fd=dir_fd)

    return call


def stand_in(flock, exclusive, unlocked):
    """Return a module as msvcrt, whose locks are those of this machine."""
    unlock, lock = 0, 2
    modes = {unlock: unlocked, lock: exclusive}

    def locking(descriptor, mode, size):
        assert size == 1
        assert stat.S_ISREG(os.fstat(descriptor).st_mode)
        try:
            flock(descriptor, modes[mode])
        except BlockingIOError:
            raise PermissionError(errno.EACCES, "Permission denied") from None

    module = types.ModuleType("msvcrt")
    vars(module).update(locking=locking, LK_NBLCK=lock, LK_UNLCK=unlock)
    return module


def disk_usage(statvfs):
    """Return what stands for shutil.disk_usage, which asks Windows in another way."""

    def call(path):
        disk = statvfs(path)
        sizes = (disk.f_blocks, disk.f_blocks - disk.f_bfree, disk.f_bavail)
        return types.SimpleNamespace(
            **dict(zip(("total", "used", "free"), (n * disk.f_frsize for n in sizes), strict=True))
        )

    return call


def move_elsewhere():
    """Hide what Unix alone has."""
    sys.modules["msvcrt"] = stand_in(fcntl.flock, fcntl.LOCK_EX | fcntl.LOCK_NB, fcntl.LOCK_UN)
    shutil.disk_usage = disk_usage(os.statvfs)
    shutil._use_fd_functions = False
    subprocess.Popen.kill = subprocess.Popen.terminate
    for name in ("replace", "rename", "unlink", "remove"):
        closed_only(name)
    os.open = open_no_folder(os.open)
    for module, names in ((os, CALLS - NEEDED), (signal, SIGNALS)):
        for name in names:
            if hasattr(module, name):
                delattr(module, name)
    for name in MODULES:
        sys.modules.pop(name, None)
    sys.meta_path.insert(0, Hide())


move_elsewhere()
