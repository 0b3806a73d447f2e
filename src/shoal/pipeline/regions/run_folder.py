"""Run folder: private intermediate files, resumable, removed at the end.

It holds confidential records, so only its owner may enter (0700, files 0600). A run that ends, well
or with an error, removes it. One that was killed leaves it, or one whose engine was lost, and the
next run for the same output takes it over: to go on, if input, request and program are the same,
else to empty it. Files lie in a room of it, which another request never uses: whoever still works
for an earlier one, on another machine, finds it gone.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from shoal.errors import EngineLostError, OutputError, RequestError, shown
from shoal.hints import option
from shoal.storage import system
from shoal.storage.names import is_url, name_of
from shoal.storage.places import Folder, Remote, Storage, remove_unheld, storage

LOG = logging.getLogger("shoal.engine")
MARK = ".shoal-work"
REQUEST = "request"  # the note that a run cannot be without
FORGOTTEN = 24 * 3600.0  # seconds after which what a killed run for another output left is removed


class Files:
    """Files of a run, and its notes: plain values under a name."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage

    @contextmanager
    def writing(self, name: str) -> Iterator[BinaryIO]:
        """Yield a file to write, which gets its name when it is whole and on disk."""
        try:
            with self.storage.writing(name) as file:
                yield file
            is_far = isinstance(self.storage, Remote) and name != f"{REQUEST}.json"
            if is_far and self.read(REQUEST) is None:  # the run has ended meanwhile
                self.storage.remove(name)
        except OSError as error:
            raise self._failed(error) from None

    def note(self, name: str, values: Any) -> None:
        """Keep plain values under a name."""
        with self.writing(f"{name}.json") as file:
            file.write(json.dumps(values).encode())

    def read(self, name: str) -> Any:
        """Return plain values that were kept under a name; None where there are none."""
        try:
            with self.storage.open(f"{name}.json") as file:
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

    Sent to another process, it is its files alone.
    """

    def __init__(self, target: Path | str, request: Any, parent: Path | str | None = None) -> None:
        self.target, self.request, self.resumed = target, request, False
        place = str(target).rstrip("/") if is_url(str(target)) else str(Path(target).absolute())
        above = os.path.dirname(place) if parent is None else str(parent)  # noqa: PTH120 - or a URL
        self.whole = storage(f"{above.rstrip('/')}/{work_name(place)}")
        super().__init__(self.whole)
        self._after = ExitStack()

    def __reduce__(self) -> Any:
        return Files, (self.storage,)

    def __enter__(self) -> RunFolder:
        with ExitStack() as after:
            try:
                self._take(after)
                self._begin()
            except OSError as error:
                raise self._failed(error) from None
            self._after = after.pop_all()
        return self

    def __exit__(self, *error: Any) -> None:
        self._after.__exit__(*error)

    def _take(self, after: ExitStack) -> None:
        """Make the folder, or take over the one that a killed run left."""
        if not isinstance(self.whole, Folder):
            self.whole.make()
            after.push(self._end)
            return
        folder = self.whole.path
        if not folder.parent.exists():
            folder.parent.mkdir(exist_ok=True)
            after.callback(_remove_empty, folder.parent)
        sweep(folder.parent, but=folder)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)
        if not system.is_own_folder(folder):
            raise OutputError(f"{shown(folder)}: not a folder of one's own; remove it")
        folder.chmod(0o700)
        try:
            self._lock = system.lock_folder(folder)
        except BlockingIOError:
            raise RequestError(
                f"another run is at work on {shown(self.target)}; wait for it, or choose another "
                "output"
            ) from None
        after.callback(self._lock.release)
        after.push(self._end)

    def _begin(self) -> None:
        """Resume a killed run of the same request, else start anew."""
        noted = self.read(REQUEST) or {}
        self.resumed = noted.get("request") == self.request
        if not self.resumed:
            self.forget()
            for name, kind in self.whole.entries().items():
                if kind == "folder":
                    storage(self.whole.full(name)).clear()
                else:
                    self.whole.remove(name)
            noted = {"request": self.request, "room": secrets.token_hex(8)}
            self.note(REQUEST, noted)
        self.storage = storage(self.whole.full(noted["room"]))
        self.storage.make()
        self.note(REQUEST, {})

    def _end(self, kind: type[BaseException] | None, *_: object) -> None:
        """Remove the folder, unless the run can go on when its engine is there again."""
        if kind is not None and issubclass(kind, EngineLostError):
            return
        with suppress(OSError):
            self.forget()
        with suppress(OSError):
            self.whole.clear()
        if isinstance(self.whole, Folder) and self.whole.path.exists():
            LOG.warning("%s cannot be removed: remove it, it holds records", self.whole.path)

    def forget(self) -> None:
        """Remove the note of the request first, so that a partial folder is never resumed."""
        for folder in (self.whole, self.storage):
            folder.remove(f"{REQUEST}.json")


def work_name(target: str) -> str:
    """Return the name of the folder of a run for an output."""
    whole = hashlib.sha256(target.encode()).hexdigest()[:8]
    short = name_of(target).encode()[:80].decode(errors="ignore")
    return f".{short}.{whole}{MARK}"


def sweep(parent: Path, but: Path) -> None:
    """Remove what killed runs for other outputs left here long ago, and nobody has locked."""
    for folder in parent.glob(f".*{MARK}"):
        with suppress(OSError):
            is_ours = folder != but and system.is_own_folder(folder)
            if is_ours and time.time() - folder.stat().st_mtime > FORGOTTEN:
                remove_unheld(folder)


def _remove_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()
