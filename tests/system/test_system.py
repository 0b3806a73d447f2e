"""What differs by operating system, tried on this one; `walk.py` is on Windows."""

from __future__ import annotations

import errno
import os
import stat
from types import SimpleNamespace

import pytest

from shoal.storage import system


@pytest.mark.parametrize("stays", [True, False])
def test_a_locked_folder_is_refused_to_a_second(tmp_path, stays):
    """A lock keeps others off until it is let go, and may be taken with the folder renamed."""
    folder = tmp_path / "work"
    folder.mkdir()
    lock = system.lock_folder(folder, stays=stays)
    with pytest.raises(BlockingIOError):
        system.lock_folder(folder, stays=stays)
    lock.release()
    with system.lock_folder(folder):
        system.move_folder(folder, tmp_path / "named")
    with pytest.raises((NotADirectoryError, FileNotFoundError)):
        system.lock_folder(folder)


def test_a_temporary_file(tmp_path):
    """It is its owner's, never one that is there or a link's end, kept while open, then gone."""
    before = os.umask(0)
    try:
        descriptor = system.create(tmp_path / "a")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600
    (tmp_path / "link").symlink_to(tmp_path / "b")
    for name in ("a", "link"):
        with pytest.raises(FileExistsError):
            system.create(tmp_path / name)
    assert not (tmp_path / "b").exists()
    system.protect(descriptor)
    system.sync(descriptor)
    system.sync_folder(tmp_path)
    system.discard(descriptor, tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_sweeping(tmp_path):
    """A file that is in use stays; a link stays with what it leads to; others go."""
    descriptor = system.create(tmp_path / "used")
    system.protect(descriptor)
    (tmp_path / "left").touch()
    (tmp_path / "link").symlink_to(tmp_path / "used")
    swept = [system.sweep_file(tmp_path / name) for name in ("used", "left", "link", "none")]
    assert swept == [False, True, False, False]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "used"]
    os.close(descriptor)


def test_without_hard_links(tmp_path, monkeypatch):
    """On a disk without hard links a new name is given too, and never that of another file."""

    def refused(*_):
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", refused)
    (tmp_path / "a").write_text("new")
    system.name_new(tmp_path / "a", tmp_path / "b")
    (tmp_path / "c").write_text("other")
    with pytest.raises(FileExistsError):
        system.name_new(tmp_path / "c", tmp_path / "b")
    assert (tmp_path / "b").read_text() == "new"


def test_a_folder_takes_the_place_of_an_empty_one_alone(tmp_path):
    """A folder with files in it is never replaced."""
    for name in ("made", "empty", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "full" / "x").touch()
    system.move_folder(tmp_path / "made", tmp_path / "empty")
    with pytest.raises(OSError, match="not empty"):
        system.move_folder(tmp_path / "empty", tmp_path / "full")


@pytest.mark.parametrize(
    ("tag", "own"), [(0, True), (0x9000001A, True), *((tag, False) for tag in system.LINKS)]
)
def test_links_and_junctions_are_no_folders_of_ours(tmp_path, tag, own):
    """A link, junction or file is not taken for a folder of ours; one that a cloud keeps is."""
    status = SimpleNamespace(st_mode=stat.S_IFDIR, st_reparse_tag=tag, st_uid=os.geteuid())
    assert system.is_own_folder(SimpleNamespace(lstat=lambda: status)) is own
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").touch()
    found = [system.is_own_folder(path) for path in (tmp_path, *sorted(tmp_path.iterdir()))]
    assert found == [True, False, False]
