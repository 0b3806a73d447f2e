"""The part for Windows, call by call, with a stand-in for its module of locks."""

from __future__ import annotations

import errno
import os
import signal
import socket
import stat
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from shoal.system.windows import LINKS, LOCK, Windows


class Locks:
    """Locks of files by their place on the disk, in this process."""

    LK_UNLCK, LK_NBLCK = 0, 2

    def __init__(self):
        self.held = {}

    def locking(self, descriptor, mode, size):
        """Lock a file, unless another descriptor that is still open has; or let go of it."""
        assert size == 1
        place = os.fstat(descriptor).st_ino
        if mode == self.LK_UNLCK:
            assert self.held.pop(place) == descriptor
            return
        assert mode == self.LK_NBLCK
        holder = self.held.setdefault(place, descriptor)
        if holder != descriptor and self.is_open(holder, place):
            raise PermissionError(errno.EACCES, "Permission denied")
        self.held[place] = descriptor

    def is_open(self, descriptor, place):
        """Tell whether a descriptor is still that of a file."""
        try:
            return os.fstat(descriptor).st_ino == place
        except OSError:
            return False


@pytest.fixture
def windows():
    """A Windows that does not wait long."""
    return Windows(Locks(), patience=0.05)


def test_a_folder_is_locked_beside_it(windows, tmp_path):
    """A lock keeps others off, lets the folder be moved, and leaves no file when it goes."""
    folder = tmp_path / "work"
    folder.mkdir()
    lock = windows.lock_folder(folder)
    assert [path.name for path in tmp_path.iterdir() if path != folder] == [f"work{LOCK}"]
    with pytest.raises(BlockingIOError):
        windows.lock_folder(folder)
    windows.move_folder(folder, tmp_path / "named")
    lock.release()
    assert [path.name for path in tmp_path.iterdir()] == ["named"]
    with pytest.raises(NotADirectoryError):
        windows.lock_folder(folder)


def test_a_folder_that_stays_is_locked_in_it(windows, tmp_path):
    """The lock of a folder that files are written to needs no rights above it."""
    lock = windows.lock_inside(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [LOCK]
    with pytest.raises(BlockingIOError):
        windows.lock_inside(tmp_path)
    lock.release()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_is_being_removed(windows, tmp_path, monkeypatch):
    """A lock that cannot be opened is busy while it is there, and an error where none can be."""

    def refused(*_):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refused)
    with pytest.raises(PermissionError):
        windows.lock_inside(tmp_path)
    (tmp_path / LOCK).write_bytes(b"")
    with pytest.raises(BlockingIOError):
        windows.lock_inside(tmp_path)


def test_a_locked_file_is_waited_for(windows, tmp_path):
    """A lock of a file is got when the other has closed it."""
    first, second = (windows.create(tmp_path / "a"), os.open(tmp_path / "a", os.O_RDWR))
    windows.lock_file(first)
    got = threading.Event()
    waiting = threading.Thread(target=lambda: (windows.lock_file(second), got.set()))
    waiting.start()
    assert not got.wait(0.05)
    os.close(first)
    waiting.join(10)
    assert got.is_set()
    os.close(second)


def busy(times):
    """Return a call that is refused so many times, and the number of calls."""
    calls = []

    def act(source, target):
        calls.append(target)
        if len(calls) <= times:
            raise PermissionError(errno.EACCES, "in use")
        os.rename(source, target)  # noqa: PTH104

    return act, calls


@pytest.mark.parametrize("name", ["replace", "rename"])
def test_a_file_in_use_is_tried_again(tmp_path, monkeypatch, name):
    """Renaming waits for whoever holds a file, and gives up in the end with what was said."""
    (tmp_path / "a").write_text("x")
    windows = Windows(Locks(), patience=30)
    rename = windows.replace if name == "replace" else windows.name_new
    act, calls = busy(2)
    monkeypatch.setattr(Path, name, act)
    rename(tmp_path / "a", tmp_path / "b")
    assert len(calls) == 3
    assert (tmp_path / "b").read_text() == "x"
    monkeypatch.setattr(Path, name, busy(10**9)[0])
    hasty = Windows(Locks(), patience=0.02)
    rename = hasty.replace if name == "replace" else hasty.name_new
    with pytest.raises(PermissionError, match="in use"):
        rename(tmp_path / "b", tmp_path / "c")


def test_a_temporary_file(windows, tmp_path):
    """It is closed before it gets a name, once, and gone when it gets none."""
    descriptor = windows.create(tmp_path / "a")
    with pytest.raises(FileExistsError):
        windows.create(tmp_path / "a")
    windows.keep(descriptor)
    os.write(descriptor, b"a\nb")
    windows.sync(descriptor)
    assert windows.before_naming(descriptor) == -1
    with pytest.raises(OSError, match="Bad file"):
        os.fstat(descriptor)
    windows.set_mode(-1, 0o644)
    windows.discard(-1, tmp_path / "a")
    assert not (tmp_path / "a").exists()
    windows.discard(windows.create(tmp_path / "b"), tmp_path / "b")
    (tmp_path / "c").touch()
    windows.sweep(tmp_path / "c")
    windows.sync_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_takes_the_place_of_an_empty_one_alone(windows, tmp_path):
    """A folder with files in it is never replaced."""
    for name in ("made", "empty", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "full" / "x").touch()
    windows.move_folder(tmp_path / "made", tmp_path / "empty")
    with pytest.raises(OSError, match="not empty"):
        windows.move_folder(tmp_path / "empty", tmp_path / "full")


@pytest.mark.parametrize(
    ("tag", "own"), [(0, True), (0x9000001A, True), *((t, False) for t in LINKS)]
)
def test_links_and_junctions_are_no_folders_of_ours(windows, tag, own):
    """A link or junction is not taken for a folder; one that a cloud keeps is."""
    status = SimpleNamespace(st_mode=stat.S_IFDIR, st_reparse_tag=tag)
    assert windows.is_own_folder(SimpleNamespace(lstat=lambda: status)) is own


def test_what_the_machine_has(windows, monkeypatch):
    """What only Windows can tell is not known elsewhere; the cache is where all have theirs."""
    assert windows.memory() is None
    assert windows.handles() is None
    assert windows.processors() >= 1
    assert not windows.forks
    windows.lower_priority()
    windows.limit_memory(1.0)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setenv("LOCALAPPDATA", "/local")
    assert windows.cache() == Path("/local")
    monkeypatch.delenv("LOCALAPPDATA")
    assert windows.cache() == Path.home() / "AppData" / "Local"


def test_processes(windows):
    """Subprocesses start with flags that this system takes; ended ones are told by their code."""
    assert windows.apart() == {"creationflags": 0}
    assert windows.was_killed(signal.SIGTERM)
    assert not windows.was_killed(0)
    with pytest.raises(ProcessLookupError):
        windows.end(2**22 + 1, politely=True)


def test_a_port_is_taken_alone(windows):
    """No second program can listen at a port that is taken."""
    with socket.socket() as one, socket.socket() as other:
        for listener in (one, other):
            windows.take_alone(listener)
        one.bind(("127.0.0.1", 0))
        one.listen()
        with pytest.raises(OSError, match="in use"):
            other.bind(one.getsockname())
