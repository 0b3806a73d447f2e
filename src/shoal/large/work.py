"""The folder in which a run keeps what it has done: private, resumable, gone in the end.

It holds confidential records, so only its owner may enter (0700, files 0600). A run that ends, well
or with an error, removes it. One that was killed leaves it, and the next run for the same output
takes it over: to go on, if input, request and program are the same, else to remove it.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from shoal.errors import OutputError, RequestError, shown

MARK = ".shoal-work"
FORGOTTEN = 24 * 3600.0  # seconds after which what a killed run for another output left is removed
HALF = ".half"


class Work:
    """The folder of one run; use it in a with statement."""

    def __init__(self, target: Path, request: Any, parent: Path | None = None) -> None:
        self.target, self.request = target, request
        whole = hashlib.sha256(str(target.absolute()).encode()).hexdigest()[:8]
        short = target.name.encode()[:80].decode(errors="ignore")
        self.parent = parent or target.parent
        self.folder = self.parent / f".{short}.{whole}{MARK}"
        self.resumed = False
        self._lock = -1
        self._made: list[Path] = []

    def __enter__(self) -> Work:
        try:
            self._make(self.parent)
            sweep(self.parent, but=self.folder)
            self._take()
            self._begin()
        except BaseException as error:
            self._leave()
            if isinstance(error, OSError):
                raise self._failed(error) from None
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._leave()

    def _leave(self) -> None:
        """Remove the folder, if it is held, and those that were made for it."""
        if self._lock >= 0:
            with contextlib.suppress(OSError):
                self._forget()
            shutil.rmtree(self.folder, ignore_errors=True)
            os.close(self._lock)
            self._lock = -1
        for folder in reversed(self._made):  # made for nothing
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _make(self, folder: Path) -> None:
        """Make a folder and those above it, and remember which ones are new."""
        if not folder.exists():
            self._make(folder.parent)
            folder.mkdir(exist_ok=True)
            self._made.append(folder)

    def _take(self) -> None:
        """Make the folder or take over the one that a killed run left."""
        with contextlib.suppress(FileExistsError):
            self.folder.mkdir(mode=0o700)
        if not is_ours(self.folder):
            raise OutputError(f"{shown(self.folder)}: not a folder of one's own; remove it")
        self.folder.chmod(0o700)
        lock = os.open(self.folder, os.O_RDONLY)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise RequestError(
                f"another run is at work on {shown(self.target)}; wait for it, or choose another "
                "output"
            ) from None
        self._lock = lock

    def _begin(self) -> None:
        """Go on where a run for the same request was killed, else start anew."""
        self.resumed = self.read("request") == self.request
        if not self.resumed:
            self._forget()
            for entry in list(self.folder.iterdir()):
                entry.unlink()
            self.note("request", self.request)

    def _forget(self) -> None:
        """Take the request away first: half of what was kept must not be taken for all of it."""
        self.path("request.json").unlink(missing_ok=True)

    def _failed(self, error: OSError) -> OutputError:
        reason = error.strerror or "no room"
        return OutputError(
            f"{shown(self.folder)}: the folder for temporary files cannot be used: {reason}; "
            "name another with --work"
        )

    def path(self, name: str) -> Path:
        """Return where a file of the run is, or will be."""
        return self.folder / name

    def has(self, name: str) -> bool:
        """Tell whether a file is there, whole."""
        return self.path(name).exists()

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """Yield a file to write, which gets its name when it is whole and on disk."""
        half = self.path(name + HALF)
        try:
            number = os.open(half, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
            with os.fdopen(number, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
            half.replace(self.path(name))
        except OSError as error:
            raise self._failed(error) from None

    def note(self, name: str, said: Any) -> None:
        """Keep plain values under a name."""
        with self.writing(f"{name}.json") as file:
            file.write(json.dumps(said).encode())

    def read(self, name: str) -> Any:
        """Return plain values that were kept under a name; None where there are none."""
        try:
            return json.loads(self.path(f"{name}.json").read_bytes())
        except (FileNotFoundError, ValueError):
            return None

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Return plain values that an earlier run kept, or make and keep them."""
        found = self.read(name)
        if found is None:
            found = make()
            self.note(name, found)
            found = self.read(name)  # as a run that goes on would have it
        return found

    def drop(self, *names: str) -> None:
        """Remove files that are needed no more."""
        for name in names:
            self.path(name).unlink(missing_ok=True)


def is_ours(folder: Path) -> bool:
    """Tell whether a path is a folder of this user, not a link to one."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def sweep(parent: Path, but: Path) -> int:
    """Remove what killed runs for other outputs left here long ago, and return how many."""
    removed = 0
    with contextlib.suppress(OSError):
        for folder in list(parent.glob(f".*{MARK}")):
            with contextlib.suppress(OSError):
                removed += folder != but and _is_forgotten(folder)
    return removed


def _is_forgotten(folder: Path) -> bool:
    """Remove a folder that nobody holds and nobody touched for long; tell whether it is gone."""
    if not is_ours(folder) or time.time() - folder.stat().st_mtime < FORGOTTEN:
        return False
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(folder, ignore_errors=True)
    finally:
        os.close(lock)
    return not folder.exists()
