"""Linux, macOS and other Unix systems: locks by flock, files of one owner, groups of processes."""

from __future__ import annotations

import errno
import fcntl
import os
import resource
import signal
import socket
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

NICE = 10
NO_LOCKS = (errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS)  # a disk without locks
NO_LINKS = (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)  # or without hard links
CONTAINER = Path("/sys/fs/cgroup/memory.max")


class FolderLock:
    """A lock on an open folder."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def release(self) -> None:
        """Let go of it."""
        os.close(self._descriptor)


class Unix:
    """A Unix system; `name` is what Python calls it, `full_sync` what macOS alone has."""

    def __init__(
        self, name: str = sys.platform, full_sync: int | None = getattr(fcntl, "F_FULLFSYNC", None)
    ) -> None:
        self._name, self._full_sync = name, full_sync

    @property
    def forks(self) -> bool:
        """Whether a process survives a fork: on macOS some libraries do not."""
        return self._name == "linux"

    def lock_folder(self, folder: Path) -> FolderLock:
        """Lock a folder."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BaseException:
            os.close(descriptor)
            raise
        return FolderLock(descriptor)

    def lock_inside(self, folder: Path) -> FolderLock:
        """Lock a folder that files are written to."""
        return self.lock_folder(folder)

    def lock_file(self, descriptor: int) -> None:
        """Lock an open file as soon as it is free."""
        fcntl.flock(descriptor, fcntl.LOCK_EX)

    def create(self, path: Path) -> int:
        """Return a new file that only its owner can read (0600)."""
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)

    def keep(self, descriptor: int) -> None:
        """Lock a temporary file, where the disk has locks."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise

    def sweep(self, path: Path) -> None:
        """Remove an unlocked temporary file; what a link leads to is left alone."""
        descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        finally:
            os.close(descriptor)

    def discard(self, descriptor: int, path: Path) -> None:
        """Remove a temporary file while it is locked, then close it."""
        with suppress(OSError):
            path.unlink(missing_ok=True)
        with suppress(OSError):
            os.close(descriptor)

    def sync(self, descriptor: int) -> None:
        """Bring a file to the disk; on macOS fsync alone stops at the disk's own memory."""
        if self._full_sync is not None:
            with suppress(OSError):  # a disk that does not know it
                fcntl.fcntl(descriptor, self._full_sync)
                return
        os.fsync(descriptor)

    def sync_folder(self, folder: Path) -> None:
        """Bring the names of a folder to the disk."""
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def before_naming(self, descriptor: int) -> int:
        """Return the descriptor: an open file can be renamed, and stays locked."""
        return descriptor

    def name_new(self, source: Path, target: Path) -> None:
        """Rename without ever replacing: a file that came up meanwhile is kept."""
        try:
            os.link(source, target)
        except FileExistsError:
            raise
        except OSError as error:
            if error.errno not in NO_LINKS:
                raise
            if target.exists():
                raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST)) from None
            source.replace(target)
            return
        with suppress(OSError):  # the next run takes it
            source.unlink(missing_ok=True)

    def replace(self, source: Path, target: Path) -> None:
        """Rename in one step."""
        source.replace(target)

    def move_folder(self, source: Path, target: Path) -> None:
        """Rename in one step, over an empty folder too."""
        source.rename(target)

    def set_mode(self, descriptor: int, mode: int) -> None:
        """Set the mode of an open file."""
        os.fchmod(descriptor, mode)

    def is_own_folder(self, path: Path) -> bool:
        """Tell whether a path is a folder that belongs to this user."""
        status = path.lstat()
        return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()

    def cache(self) -> Path:
        """Return XDG_CACHE_HOME, or what stands for it."""
        usual = Path("Library", "Caches") if self._name == "darwin" else Path(".cache")
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / usual)

    def memory(self) -> float | None:
        """Return the bytes of memory of the machine, or of the container if it has less."""
        try:
            memory = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        except (ValueError, OSError):
            return None
        with suppress(OSError, ValueError):
            memory = min(memory, float(int(CONTAINER.read_text())))
        return memory

    def processors(self) -> int:
        """Return how many processors this process may use; macOS does not say which."""
        if hasattr(os, "sched_getaffinity"):
            return len(os.sched_getaffinity(0))
        return os.cpu_count() or 1

    def handles(self) -> int | None:
        """Return how many files may be open."""
        limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return None if limit == resource.RLIM_INFINITY else limit

    def limit_memory(self, most: float | None) -> None:
        """Write no core file; take no more than so many bytes, which Linux alone can hold to."""
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if most is not None and self._name == "linux":
            with suppress(ValueError, OSError):
                resource.setrlimit(resource.RLIMIT_DATA, (int(most), int(most)))

    def lower_priority(self) -> None:
        """Let other processes go first."""
        os.nice(NICE)

    def apart(self) -> dict[str, Any]:
        """Start a subprocess in a session of its own."""
        return {"start_new_session": True}

    def end(self, pid: int, *, politely: bool) -> None:
        """End a process and all of its session."""
        os.killpg(pid, signal.SIGTERM if politely else signal.SIGKILL)

    def end_own(self) -> None:
        """End this process's session, if it has one of its own."""
        if os.getpgrp() == os.getpid():
            os.killpg(0, signal.SIGKILL)

    def end_with_terminal(self) -> None:
        """Take a terminal that is closed as a polite kill."""
        signal.signal(signal.SIGHUP, lambda *_: signal.raise_signal(signal.SIGTERM))

    def was_killed(self, code: int) -> bool:
        """Tell whether a process was ended by a signal that kills."""
        return code in (-signal.SIGKILL, -signal.SIGTERM)

    def take_alone(self, listener: socket.socket) -> None:
        """Take a port that another program has just left; here nobody can share it."""
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
