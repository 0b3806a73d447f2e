"""What the rest of the house may ask of an operating system: `Unix` and `Windows` answer."""

from __future__ import annotations

import socket
from functools import cache
from pathlib import Path
from typing import Any, Protocol


class Lock(Protocol):
    """A lock that this process holds; the system lets go of it when the process ends."""

    def release(self) -> None:
        """Let go of it."""
        ...


class System(Protocol):
    """One operating system."""

    @property
    def forks(self) -> bool:
        """Whether a process that has imported everything survives a fork."""
        ...

    def lock_folder(self, folder: Path) -> Lock:
        """Lock a folder of ours, which may be renamed or removed meanwhile.

        A BlockingIOError says that another process has locked it.
        """
        ...

    def lock_inside(self, folder: Path) -> Lock:
        """Lock a folder that files are written to, which stays; errors as for `lock_folder`."""
        ...

    def lock_file(self, descriptor: int) -> None:
        """Lock an open file as soon as no other process has locked it; closing it lets go."""
        ...

    def create(self, path: Path) -> int:
        """Return a new file, open to read and write, that only its owner can read."""
        ...

    def keep(self, descriptor: int) -> None:
        """Keep others from sweeping a temporary file while it is open."""
        ...

    def sweep(self, path: Path) -> None:
        """Remove a temporary file that nobody keeps; an OSError says that somebody does."""
        ...

    def discard(self, descriptor: int, path: Path) -> None:
        """Close and remove a temporary file; one that will not go now is swept later."""
        ...

    def sync(self, descriptor: int) -> None:
        """Bring an open file to the disk."""
        ...

    def sync_folder(self, folder: Path) -> None:
        """Bring the names of a folder to the disk."""
        ...

    def before_naming(self, descriptor: int) -> int:
        """Return the descriptor of a written file that gets its name now; -1 where it was closed.

        Some systems rename no open file.
        """
        ...

    def name_new(self, source: Path, target: Path) -> None:
        """Give a file its name; a FileExistsError says that there is one of this name."""
        ...

    def replace(self, source: Path, target: Path) -> None:
        """Give a file its name, in place of one that has it."""
        ...

    def move_folder(self, source: Path, target: Path) -> None:
        """Give a folder its name; an empty folder that has it is replaced."""
        ...

    def set_mode(self, descriptor: int, mode: int) -> None:
        """Say who may read an open file; nothing where -1 says that it was closed."""
        ...

    def is_own_folder(self, path: Path) -> bool:
        """Tell whether a path is a folder of this user, not a link to one."""
        ...

    def cache(self) -> Path:
        """Return the folder that holds the caches of the user's programs."""
        ...

    def memory(self) -> float | None:
        """Return the bytes of memory that this machine, or container, has; None: not known."""
        ...

    def processors(self) -> int:
        """Return how many processors this process may use."""
        ...

    def handles(self) -> int | None:
        """Return how many files this process may have open; None: as many as it likes."""
        ...

    def limit_memory(self, most: float | None) -> None:
        """Limit the bytes that this process takes, where that can be done; write no core file."""
        ...

    def lower_priority(self) -> None:
        """Let other processes go first."""
        ...

    def apart(self) -> dict[str, Any]:
        """Return the arguments of a subprocess that gets no Ctrl-C of this process."""
        ...

    def end(self, pid: int, *, politely: bool) -> None:
        """End a process that was started apart, with those that it started where that can be done.

        A ProcessLookupError says that there is none.
        """
        ...

    def end_own(self) -> None:
        """End what this process started, and this process too, if it was started apart."""
        ...

    def end_with_terminal(self) -> None:
        """Let this process end in order when its terminal is closed, where it is told."""
        ...

    def was_killed(self, code: int) -> bool:
        """Tell whether a process that ended with a code was ended by another."""
        ...

    def take_alone(self, listener: socket.socket) -> None:
        """Let a socket take its port alone, also soon after another program had it."""
        ...


@cache
def current() -> System:
    """Return the system of this process: Unix where Python has its module of locks."""
    try:
        from shoal.system.unix import Unix
    except ModuleNotFoundError:  # no fcntl
        from shoal.system.windows import Windows

        return Windows()
    return Unix()
