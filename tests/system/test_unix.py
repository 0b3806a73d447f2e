"""The part for Unix: what macOS does in another way than Linux, and what none may do."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import sys
from pathlib import Path

import pytest

from shoal.system.interface import current
from shoal.system.unix import Unix

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the modules of Unix")


def test_this_machine():
    """A machine with locks of Unix is one, decided once."""
    assert isinstance(current(), Unix)
    assert current() is current()


def test_macos_forks_nothing_and_has_its_own_cache(monkeypatch):
    """Linux forks, macOS does not; the cache is where the system has it, unless one is named."""
    assert [Unix(name).forks for name in ("linux", "darwin", "freebsd14")] == [True, False, False]
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert Unix("darwin").cache() == Path.home() / "Library" / "Caches"
    assert Unix("linux").cache() == Path.home() / ".cache"
    monkeypatch.setenv("XDG_CACHE_HOME", "/elsewhere")
    assert {Unix(name).cache() for name in ("linux", "darwin")} == {Path("/elsewhere")}


@pytest.mark.parametrize(("full_sync", "known", "calls"), [
    (51, True, ["full"]), (51, False, ["full", "plain"]), (None, True, ["plain"]),
])  # fmt: skip
def test_files_are_brought_to_the_disk(tmp_path, monkeypatch, full_sync, known, calls):
    """On macOS a file goes to the disk itself, where that knows how; elsewhere fsync does it."""
    made = []

    def full(_descriptor, what):
        assert what == full_sync
        made.append("full")
        if not known:
            raise OSError(errno.ENOTSUP, "not here")

    monkeypatch.setattr(fcntl, "fcntl", full)
    monkeypatch.setattr(os, "fsync", lambda _: made.append("plain"))
    descriptor = Unix("darwin", full_sync).create(tmp_path / "a")
    Unix("darwin", full_sync).sync(descriptor)
    os.close(descriptor)
    assert made == calls


def test_created_files_are_of_their_owner(tmp_path):
    """A new file is 0600 whatever the mask, is never one that is there, nor the end of a link."""
    before = os.umask(0)
    try:
        os.close(Unix().create(tmp_path / "a"))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "b")
    for name in ("a", "link"):
        with pytest.raises(FileExistsError):
            Unix().create(tmp_path / name)
    assert not (tmp_path / "b").exists()


def test_sweeping_follows_no_link(tmp_path):
    """A link in the place of a temporary file leaves alone what it leads to, and itself."""
    (tmp_path / "kept").write_text("x")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    with pytest.raises(OSError, match="symbolic"):
        Unix().sweep(tmp_path / "link")
    assert (tmp_path / "kept").read_text() == "x"


def test_locks(tmp_path):
    """A locked folder is refused to a second, until it is let go."""
    lock = Unix().lock_folder(tmp_path)
    with pytest.raises(BlockingIOError):
        Unix().lock_inside(tmp_path)
    lock.release()
    Unix().lock_inside(tmp_path).release()


def test_folders_of_others(tmp_path):
    """A link is no folder of ours, and neither is one of another user."""
    (tmp_path / "link").symlink_to(tmp_path)
    assert Unix().is_own_folder(tmp_path)
    assert not Unix().is_own_folder(tmp_path / "link")
    (tmp_path / "file").touch()
    assert not Unix().is_own_folder(tmp_path / "file")


def test_no_hard_links(tmp_path, monkeypatch):
    """On a disk without hard links a new name is given too, and never that of another file."""

    def refused(*_):
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", refused)
    (tmp_path / "a").write_text("new")
    Unix().name_new(tmp_path / "a", tmp_path / "b")
    (tmp_path / "c").write_text("other")
    with pytest.raises(FileExistsError):
        Unix().name_new(tmp_path / "c", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "new"
