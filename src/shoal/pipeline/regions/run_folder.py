"""Run folder: private intermediate files, resumable, removed at the end.

It holds confidential records, so only its owner may enter (0700, files 0600). A run that ends, well
or with an error, removes it. One that was killed leaves it, or one whose engine was lost, and the
next run for the same output takes it over: to go on, if input, request and program are the same,
else to remove it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import secrets
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from shoal.errors import EngineLostError, OutputError, RequestError, shown
from shoal.hints import option
from shoal.storage import system
from shoal.storage.names import is_url, name_of
from shoal.storage.places import Folder, Remote, Storage, remove_unheld
from shoal.storage.system import Lock

LOG = logging.getLogger("shoal.engine")
MARK = ".shoal-work"
REQUEST = "request"  # the note that a run cannot be without
FORGOTTEN = 24 * 3600.0  # seconds after which what a killed run for another output left is removed


class Files:
    """Files of a run, and its notes: plain values under a name."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    def open(self, name: str) -> BinaryIO:
        """Return a file to read."""
        return self.storage.open(name)

    @contextlib.contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """Yield a file to write, which gets its name when it is whole and on disk."""
        try:
            with self.storage.writing(name) as file:
                yield file
            self._take_back(name)
        except OSError as error:
            raise self._failed(error) from None

    def _take_back(self, name: str) -> None:
        """Remove a file at a URL if the run has ended meanwhile."""
        own = f"{REQUEST}.json"
        if isinstance(self.storage, Remote) and name != own and self.read(REQUEST) is None:
            self.storage.remove(name)

    def note(self, name: str, values: Any) -> None:
        """Keep plain values under a name."""
        with self.writing(f"{name}.json") as file:
            file.write(json.dumps(values).encode())

    def read(self, name: str) -> Any:
        """Return plain values that were kept under a name; None where there are none."""
        try:
            with self.open(f"{name}.json") as file:
                return json.loads(file.read())
        except (FileNotFoundError, ValueError, RecursionError):
            return None

    def once(self, name: str, make: Callable[[], Any]) -> Any:
        """Return plain values that an earlier run kept, or make and keep them."""
        values = self.read(name)
        if values is None:
            values = make()
            self.note(name, values)
            values = self.read(name)  # as a run that goes on would have it
        return values

    def drop(self, *names: str) -> None:
        """Remove files that are needed no more."""
        self.storage.remove(*names)

    def _failed(self, error: OSError) -> OutputError | EngineLostError:
        reason = error.strerror or "no room"
        lasting = isinstance(error, PermissionError | FileNotFoundError)
        if isinstance(self.storage, Remote) and not lasting:
            return EngineLostError(
                f"{shown(self.storage.location)}: the storage does not take a file ({reason}); "
                "what was done is kept: start the same run again, to go on"
            )
        return OutputError(
            f"{shown(self.storage.location)}: the folder for temporary files cannot be used: "
            f"{reason}; name another with {option('work')}"
        )


class RunFolder(Files):
    """Folder of a run, locked while in use; a context manager.

    Sent to another process, it is its files alone. What is `shared` with other machines lies in a
    room of its own in the folder, which another request never uses: whoever still works for an
    earlier one finds it gone.
    """

    storage: Folder | Remote

    def __init__(
        self, target: Path | str, request: Any, parent: Path | str | None = None,
        shared: bool = False,
    ) -> None:  # fmt: skip
        self.target, self.request, self.shared = target, request, shared
        self.folder = Path()
        if parent is None and isinstance(target, str):
            parent = target.rstrip("/").rpartition("/")[0]
        if isinstance(parent, str):
            whole = str(target).rstrip("/") if is_url(str(target)) else str(Path(target).absolute())
            name = work_name(whole)
            super().__init__(Remote(f"{parent.rstrip('/')}/{name}"))
        else:
            self.parent = (parent or Path(target).absolute().parent).absolute()
            self.folder = self.parent / work_name(str(Path(target).absolute()))
            super().__init__(Folder(self.folder))
        self.whole = self.storage
        self.resumed = False
        self._lock: Lock | None = None
        self._made: list[Path] = []

    def __reduce__(self) -> Any:
        return Files, (self.storage,)

    def __enter__(self) -> RunFolder:
        try:
            if isinstance(self.storage, Remote):
                self.storage.make()
            else:
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
        self._leave(keep=isinstance(error, EngineLostError))

    def _leave(self, keep: bool = False) -> None:
        """Remove the folder, if it is held, and those that were made for it; or `keep` it."""
        remote = isinstance(self.storage, Remote)
        if (self._lock is not None or remote) and not keep:
            with contextlib.suppress(OSError):
                self.forget()
            with contextlib.suppress(OSError):
                self.whole.clear()
            if self._lock is not None and self.folder.exists():
                LOG.warning("%s cannot be removed: remove it, it holds records", self.folder)
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        for folder in reversed(self._made):  # made for nothing
            with contextlib.suppress(OSError):
                folder.rmdir()

    def _make(self, folder: Path) -> None:
        """Make a folder, not those above it, and remember that it is new."""
        if not folder.exists():
            folder.mkdir(exist_ok=True)
            self._made.append(folder)

    def _take(self) -> None:
        """Make the folder or take over the one that a killed run left."""
        with contextlib.suppress(FileExistsError):
            self.folder.mkdir(mode=0o700)
        if not system.is_own_folder(self.folder):
            raise OutputError(f"{shown(self.folder)}: not a folder of one's own; remove it")
        self.folder.chmod(0o700)
        try:
            self._lock = system.lock_folder(self.folder)
        except BlockingIOError:
            raise RequestError(
                f"another run is at work on {shown(self.target)}; wait for it, or choose another "
                "output"
            ) from None

    def _begin(self) -> None:
        """Resume a killed run of the same request, else start anew."""
        noted = self.read(REQUEST) or {}
        subfolder = noted.get("room")
        self.resumed = (
            noted.get("request") == self.request and (subfolder is not None) == self.shared
        )
        if not self.resumed:
            self.forget()
            self._empty()
            subfolder = secrets.token_hex(8) if self.shared else None
            self.note(REQUEST, {"request": self.request, "room": subfolder})
        if subfolder is not None:
            self.storage = type(self.whole)(self.whole.full(subfolder))
            self.storage.make()
            self.note(REQUEST, {})

    def _empty(self) -> None:
        if isinstance(self.whole, Remote):
            self.whole.clear()
            self.whole.make()
            return
        for entry in list(self.folder.iterdir()):
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            else:
                entry.unlink()

    def forget(self) -> None:
        """Remove the note of the request first, so that a partial folder is never resumed."""
        self.whole.remove(f"{REQUEST}.json")
        if self.storage is not self.whole:
            self.storage.remove(f"{REQUEST}.json")


def work_name(target: str) -> str:
    """Return the name of the folder of a run for an output."""
    whole = hashlib.sha256(target.encode()).hexdigest()[:8]
    short = name_of(target).encode()[:80].decode(errors="ignore")
    return f".{short}.{whole}{MARK}"


def sweep(parent: Path, but: Path) -> int:
    """Remove what killed runs for other outputs left here long ago, and return how many."""
    removed = 0
    with contextlib.suppress(OSError):
        for folder in list(parent.glob(f".*{MARK}")):
            with contextlib.suppress(OSError):
                removed += folder != but and _is_forgotten(folder)
    return removed


def _is_forgotten(folder: Path) -> bool:
    """Remove an unlocked folder that is long unused; tell whether it was removed."""
    if not system.is_own_folder(folder) or time.time() - folder.stat().st_mtime < FORGOTTEN:
        return False
    return remove_unheld(folder)
