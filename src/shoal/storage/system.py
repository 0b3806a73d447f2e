"""What operating systems do differently with files: locks, names, modes, bringing them to the disk.

Windows renames and removes no open file, and locks no folder. So files are closed there before they
get their names, a file stands for the lock of a folder, and a temporary file that is open is safe
from others as it is. Who may read a file is decided there by the rights of its folder; one made for
its owner alone (0700) is that with Python 3.12.4 and later.
"""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

from filelock import FileLock, Timeout, lock_descriptor

try:
    import fcntl
except ModuleNotFoundError:
    UNIX, FULL_SYNC = False, None
else:
    UNIX, FULL_SYNC = True, getattr(fcntl, "F_FULLFSYNC", None)  # macOS has it

PATIENCE = 2.0  # seconds that a scanner on Windows may hold a file that is to be renamed
LOCK = ".shoal-lock"
LINKS = (0xA000000C, 0xA0000003)  # the tags of symbolic links and of junctions on Windows
# a disk without hard links; Windows says the last
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EINVAL)


class Lock(ExitStack):
    """A lock that this process holds until it is released; or until this process ends."""

    release = ExitStack.close


def lock_folder(folder: Path, *, stays: bool = False) -> Lock:
    """Lock a folder.

    A BlockingIOError says that another process has locked it. Where a file stands for the lock, it
    lies beside the folder, which may be renamed, or in one that `stays`.
    """
    busy = BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
    with Lock() as held:
        if UNIX:
            descriptor = os.open(folder, os.O_RDONLY)
            held.callback(os.close, descriptor)
            if not lock_descriptor(descriptor, blocking=False):
                raise busy
            return held.pop_all()
        if not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        place = folder / LOCK if stays else folder.with_name(f"{folder.name}{LOCK}")
        try:
            held.enter_context(FileLock(place, timeout=0))
        except Timeout:
            raise busy from None
        return held.pop_all()


def create(path: Path) -> int:
    """Return a new file, open to read and write, that only its owner can read (0600)."""
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    return os.open(path, flags, 0o600)


def protect(descriptor: int) -> None:
    """Keep others from sweeping a temporary file while it is open, where the disk has locks."""
    if UNIX:
        with suppress(OSError):
            lock_descriptor(descriptor, poll_interval=0.002)  # a sweep may have it for a moment


def sweep_file(path: Path) -> bool:
    """Remove a temporary file that nobody has open; what a link leads to is left alone."""
    with suppress(OSError), ExitStack() as held:
        if UNIX:
            descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
            held.callback(os.close, descriptor)
            if not lock_descriptor(descriptor, blocking=False):
                return False
        path.unlink(missing_ok=True)
        return True
    return False


def discard(descriptor: int, path: Path) -> None:
    """Close and remove a temporary file; one that will not go now is swept by the next run."""
    acts: list[Callable[[], object]] = [lambda: path.unlink(missing_ok=True)]
    if descriptor >= 0:  # Unix removes it while it is locked, Windows once it is closed
        acts.insert(1 if UNIX else 0, lambda: os.close(descriptor))
    for act in acts:
        with suppress(OSError):
            patiently(act)


def sync(descriptor: int) -> None:
    """Bring an open file to the disk; on macOS fsync alone stops at the disk's own memory."""
    if FULL_SYNC is not None:
        with suppress(OSError):  # a disk that does not know it
            fcntl.fcntl(descriptor, FULL_SYNC)
            return
    os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Bring the names of a folder to the disk, which Windows does by itself."""
    if UNIX:
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def patiently(act: Callable[[], object]) -> None:
    """Do something with a file; on Windows, wait until nobody else has it open."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            act()
        except PermissionError:
            if UNIX or time.monotonic() > end:
                raise
            time.sleep(0.01)
        else:
            return


def name_new(source: Path, target: Path) -> None:
    """Give a file its name; a FileExistsError says that there is one of this name."""
    if not UNIX:  # where renaming never replaces
        patiently(lambda: source.rename(target))
        return
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
        source.replace(target)
        return
    with suppress(OSError):  # the next run takes it
        source.unlink(missing_ok=True)


def replace(source: Path, target: Path) -> None:
    """Give a file its name in one step, in place of one that has it."""
    patiently(lambda: source.replace(target))


def move_folder(source: Path, target: Path) -> None:
    """Give a folder its name; an empty folder that has it is replaced."""
    if not UNIX and target.is_dir():
        target.rmdir()
    patiently(lambda: source.rename(target))


def set_mode(descriptor: int, mode: int) -> None:
    """Say who may read an open file; on Windows the rights of its folder hold."""
    if UNIX:
        os.fchmod(descriptor, mode)


def is_own_folder(path: Path) -> bool:
    """Tell whether a path is a folder of this user, not a link or junction to one."""
    status = path.lstat()
    mine = not UNIX or status.st_uid == os.geteuid()
    is_link = getattr(status, "st_reparse_tag", 0) in LINKS
    return stat.S_ISDIR(status.st_mode) and mine and not is_link
