"""Atomic writing: files appear whole or not at all.

Each file is written beside its final name under a temporary one that only the owner may read,
brought to disk, and renamed when all are ready. Temporary files are locked while a run works
on them; one without a lock was left by a run that was killed, and the next run removes it.
Runs that write to one folder name their files one run after the other.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from shoal.errors import OutputError, exists, shown
from shoal.progress import INTERRUPT
from shoal.storage import system
from shoal.storage.names import is_same, problem_of
from shoal.storage.private_folder import SUFFIX

MARK = ".shoal-tmp"
PATIENCE = 10.0  # seconds to wait for another run that names its files; then go on without
PROBE = 2**16  # bytes that a disk with room takes


class Staging:
    """A set of files that are put in place together by `commit`, or removed on the way out.

    `folders` are those that may be made for them, where the folders that they lie in exist.
    """

    def __init__(self, *, force: bool, folders: Iterable[Path] = ()) -> None:
        self.force, self.folders = force, set(folders)
        self._files: list[tuple[int, Path, Path]] = []
        self._private: set[Path] = set()
        self._replaced: set[Path] = set()
        self._made: list[Path] = []
        self._probed: set[Path] = set()

    def __enter__(self) -> Staging:
        return self

    def __exit__(self, *_error: object) -> None:
        for descriptor, temporary, _ in self._files:
            system.discard(descriptor, temporary)
        self._files = []
        for folder in reversed(self._made):  # made for nothing
            with contextlib.suppress(OSError):
                folder.rmdir()

    @property
    def waiting(self) -> list[tuple[Path, Path]]:
        """The temporary and the final name of every file that waits for its name."""
        return [(temporary, target) for _, temporary, target in self._files]

    def check(self, target: Path, *inputs: Path) -> None:
        """Refuse a target that exists, cannot be written, or is the input itself."""
        try:
            self._check(target, inputs)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not a valid path"
            raise OutputError(f"{shown(target)}: cannot be written: {reason}") from None

    def _check(self, target: Path, inputs: tuple[Path, ...]) -> None:
        if any(is_same(source, target) for source in inputs):
            raise OutputError(f"{shown(target)}: input and output are the same file")
        if target.is_dir():
            raise OutputError(f"{shown(target)}: this is a folder")
        folder = target.parent
        check_above(folder if folder in self.folders else target)
        if folder.name.endswith(SUFFIX) and folder.is_symlink():
            raise OutputError(f"{shown(folder)}: this is a link; name the folder itself")
        if folder.name.endswith(SUFFIX) and folder.exists() and not folder.is_dir():
            raise OutputError(f"{shown(folder)}: cannot be written: this is no folder")
        if target.is_symlink():
            raise OutputError(f"{shown(target)}: this is a link; name the file itself")
        if target.exists() and not target.is_file():
            raise OutputError(f"{shown(target)}: this is not an ordinary file")
        if target.exists() and not self.force:
            raise exists(target)
        above = folder if folder.exists() else folder.absolute().parent
        if above not in self._probed:  # before the work: a run that ends on a full disk took hours
            self._probed.add(above)
            probe(above)

    def add(
        self, target: Path, content: bytes, private: bool = False, replaces: bool = False
    ) -> Path:
        """Write a file under a temporary name beside its final one, and return that name.

        What is `private` only its owner may ever read, and a folder *.private that it is in. One
        that `replaces` takes the place of a file of its name, whether or not others may.
        """
        if private:
            self._private.add(target)
        if replaces:
            self._replaced.add(target)
        with self.writing(target) as (temporary, file):
            file.write(content)
        return temporary

    @contextlib.contextmanager
    def writing(self, target: Path) -> Iterator[tuple[Path, BinaryIO]]:
        """Yield a temporary name beside a final one, and the file to write."""
        try:
            self._make(target.parent)
            if target in self._private and target.parent.name.endswith(SUFFIX):
                target.parent.chmod(0o700)
            with _turns({target.parent}):
                sweep(target.parent, target.name)
            descriptor, temporary = self._create(target)
            with open(descriptor, "wb", closefd=False) as file:
                yield temporary, file
            system.sync(descriptor)
        except OSError as error:
            raise OutputError(f"{shown(target)}: cannot be written: {error.strerror}") from None

    def _make(self, folder: Path) -> None:
        """Make a folder that may be made, and remember that it is new."""
        if folder in self.folders and not folder.exists():
            check_above(folder)
            self._made.append(folder)
            folder.mkdir(0o700 if folder.name.endswith(SUFFIX) else 0o777, exist_ok=True)

    def _create(self, target: Path) -> tuple[int, Path]:
        """Create and lock a temporary file; one that a sweep took in between is made again."""
        while True:
            temporary = _beside(target)
            with uninterrupted(late=True):
                descriptor = system.create(temporary)
                self._files.append((descriptor, temporary, target))
            system.protect(descriptor)
            if os.fstat(descriptor).st_nlink:
                return descriptor, temporary
            self._files.pop()
            os.close(descriptor)

    def commit(
        self,
        last: Path | None = None,
        then: Callable[[], None] | None = None,
        release: bool = False,
    ) -> None:
        """Give every file its final name, in the order they were added: the last is the release.

        `last` is the target of the one that is to be last, where another was added last. Interrupts
        wait until all have theirs. `then` names what else belongs to them. If one cannot be named,
        those before it go back to what they were. Once a `release` has its name, an interrupt takes
        nothing back.
        """
        self._files.sort(key=lambda file: file[2] == last)
        mode, target = 0o666 & ~umask(), Path()
        folders = {path.parent for _, _, path in self._files}
        try:
            with (
                uninterrupted(),
                _turns(folders),
                contextlib.ExitStack() as aside,
                contextlib.ExitStack() as back,
            ):
                for place, (descriptor, temporary, target) in enumerate(self._files):
                    replaces = self.force or target in self._replaced
                    old = _set_aside(target) if replaces else None
                    if old is not None:
                        aside.callback(_remove, old)
                    if not system.UNIX:  # which renames no open file
                        os.close(descriptor)
                        self._files[place] = -1, temporary, target
                    system.replace(temporary, target) if replaces else _name_new(temporary, target)
                    back.callback(_put_back, target, old)
                    if target not in self._private:
                        system.set_mode(descriptor, mode)
                for folder in folders:
                    system.sync_folder(folder)
                if then is not None:
                    then()
                back.pop_all()  # from here on nothing goes back
                self._made = []
                INTERRUPT.written |= release
        except OSError as error:
            reason = error.strerror
            raise OutputError(f"{shown(target)}: cannot be named: {reason}") from None


def probe(folder: Path) -> None:
    """Raise an OSError where no file can be written to a folder, or its disk is full."""
    with tempfile.TemporaryFile(dir=folder) as file:
        file.write(bytes(PROBE))


def check_above(target: Path) -> None:
    """Raise OutputError where the folder above is missing, or the system means another name."""
    if problem := problem_of(target):
        raise OutputError(f"{shown(target)}: cannot be written: {problem}")
    above = target.absolute().parent
    if os.path.isdir(above):  # noqa: PTH112 - never raises
        return
    if os.path.lexists(above):
        raise OutputError(f"{shown(target)}: cannot be written: {shown(above, 200)} is no folder")
    raise OutputError(f"{shown(target)}: there is no folder {shown(above, 200)}; make it first")


def umask() -> int:
    """Return which rights new files do not get."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


@contextlib.contextmanager
def uninterrupted(*, late: bool = False) -> Iterator[None]:
    """Let Ctrl-C and a polite kill wait for a few system calls that belong together.

    Work that is done when it ends stays done: an interrupt that came meanwhile is dropped, or comes
    `late`. One that came before, and was lost while compiled code called back into Python or DuckDB
    answered a query, comes now: nothing has got its name yet.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    INTERRUPT.check()
    came: list[int] = []
    with contextlib.ExitStack() as handlers:
        for number in (signal.SIGINT, signal.SIGTERM):
            handlers.callback(signal.signal, number, signal.getsignal(number))
            signal.signal(number, lambda number, _frame: came.append(number))
        yield
    if late and came:
        signal.raise_signal(came[0])


@contextlib.contextmanager
def _turns(folders: set[Path]) -> Iterator[None]:
    """Hold the folders' locks, so that no other run names or sweeps files there meanwhile.

    Where folders cannot be locked, or somebody holds one for long, the work goes on without:
    every file is whole all the same, only a set may then be mixed from two runs.
    """
    with contextlib.ExitStack() as held:
        for folder in sorted(folders):
            with contextlib.suppress(OSError):
                held.enter_context(_lock(folder))
        yield


def _lock(folder: Path) -> system.Lock:
    """Return the lock of a folder as soon as it is free; raise BlockingIOError if it is not."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            return system.lock_folder(folder, stays=True)
        except BlockingIOError:
            if time.monotonic() > end:
                raise
            time.sleep(0.002)


def _set_aside(target: Path) -> Path | None:
    """Keep the old file under another name until all new ones are in place."""
    while target.exists():
        backup = _beside(target)
        with contextlib.suppress(FileNotFoundError):  # replaced by another run just now: again
            try:
                os.link(target, backup)
            except OSError as error:
                if error.errno not in system.NO_LINKS:
                    raise
                with os.fdopen(system.create(backup), "wb") as copy:
                    copy.write(target.read_bytes())
            return backup
    return None


def _put_back(target: Path, old: Path | None) -> None:
    """Give a file that was set aside its name again; what had none goes."""
    with contextlib.suppress(OSError):
        system.replace(old, target) if old is not None else _remove(target)


def _remove(path: Path) -> None:
    """Remove a file; a temporary one that will not go now is taken by the next run."""
    with contextlib.suppress(OSError):
        path.unlink(missing_ok=True)


def _beside(target: Path) -> Path:
    """Return a new temporary name in the target's folder, short enough for any target."""
    return target.with_name(f"{_prefix(target.name)}{secrets.token_hex(8)}{MARK}")


def _prefix(name: str) -> str:
    return f".{name.encode()[:80].decode(errors='ignore')}."


def _name_new(temporary: Path, target: Path) -> None:
    """Rename without ever replacing: a file that came up meanwhile is kept."""
    try:
        system.name_new(temporary, target)
    except FileExistsError:
        raise exists(target) from None


def finish_naming(temporary: Path, target: Path) -> None:
    """Give a written file its final name, which the run that wrote it could not, and its mode."""
    try:
        if temporary.exists() and target.exists() and is_same(temporary, target):
            temporary.unlink()
        elif temporary.exists():
            _name_new(temporary, target)
        target.chmod(0o666 & ~umask())
        system.sync_folder(target.parent)
    except OSError as error:
        raise OutputError(f"{shown(target)}: cannot be named: {error.strerror}") from None


def sweep(folder: Path, name: str) -> int:
    """Remove unlocked temporary files of this target, and return how many."""
    prefix = _prefix(name)
    with os.scandir(folder) as entries:
        stale = [e.path for e in entries if e.name.startswith(prefix) and e.name.endswith(MARK)]
    return sum(system.sweep_file(Path(path)) for path in stale)
