"""The folder of a large run: private, taken over by the next run, gone in the end."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from pathlib import Path

import pytest

from shoal.errors import OutputError, RequestError
from shoal.pipeline.regions import run_folder as module
from shoal.pipeline.regions.run_folder import RunFolder


def kill(work):
    """Leave a folder as a killed run would: nothing is removed, but the lock is gone."""
    work._lock.release()


def test_only_the_owner_can_enter(tmp_path):
    """The folder is 0700 and its files are 0600, whatever the mask says."""
    before = os.umask(0)
    try:
        with RunFolder(tmp_path / "r.csv", 1) as work:
            work.note("some", [1])
            with work.writing("more") as file:
                file.write(b"x")
                (half,) = Path(work.storage.location).glob("more.*.half")
                assert stat.S_IMODE(half.stat().st_mode) == 0o600
            assert stat.S_IMODE(work.whole.path.stat().st_mode) == 0o700
            modes = {
                stat.S_IMODE(path.stat().st_mode)
                for path in work.whole.path.rglob("*")
                if path.is_file()
            }
            assert modes == {0o600}
    finally:
        os.umask(before)


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt])
def test_nothing_is_left(tmp_path, error):
    """The folder is gone at the end, after an error and after an interrupt."""
    try:
        with RunFolder(tmp_path / "new/r.csv", 1) as work:
            work.note("some", [1])
            assert work.whole.path.exists()
            if error:
                raise error
    except (ValueError, KeyboardInterrupt):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_killed_run_is_taken_over(tmp_path):
    """The same request finds what was kept; another one finds an empty folder."""
    first = RunFolder(tmp_path / "r.csv", {"k": 3}).__enter__()
    first.note("done", [7])
    kill(first)
    again = RunFolder(tmp_path / "r.csv", {"k": 3}).__enter__()
    assert again.resumed
    assert again.read("done") == [7]
    kill(again)
    with RunFolder(tmp_path / "r.csv", {"k": 4}) as other:
        assert not other.resumed
        assert other.read("done") is None


@pytest.mark.parametrize("when", ["at the end", "at a start"])
def test_killed_while_files_are_removed(tmp_path, monkeypatch, when):
    """A run that is killed while it cleans up leaves nothing that the next one would go on from."""
    first = RunFolder(tmp_path / "r.csv", {"k": 3}).__enter__()
    first.note("done", [7])
    kill(first)

    class Killed(BaseException):
        pass

    def die(*_, **__):
        raise Killed

    if when == "at the end":
        again = RunFolder(tmp_path / "r.csv", {"k": 3}).__enter__()
        monkeypatch.setattr(module.Folder, "clear", die)
        with pytest.raises(Killed):
            again.__exit__(None, None, None)
    else:
        monkeypatch.setattr(module.RunFolder, "_end", lambda *_: None)
        monkeypatch.setattr(module.Folder, "entries", die)
        other = RunFolder(tmp_path / "r.csv", {"k": 4})
        with pytest.raises(Killed):
            other.__enter__()
    monkeypatch.undo()
    with RunFolder(tmp_path / "r.csv", {"k": 3}) as last:
        assert not last.resumed
        assert last.read("done") is None


def test_two_runs_at_once(tmp_path):
    """A second run for one output is refused while the first is at work, and harms nothing."""
    with RunFolder(tmp_path / "r.csv", 1) as work:
        work.note("done", [7])
        with pytest.raises(RequestError, match="another run is at work"):
            RunFolder(tmp_path / "r.csv", 1).__enter__()
        assert work.read("done") == [7]


def test_half_a_file_does_not_count(tmp_path):
    """A file has its name only when it is whole."""
    with RunFolder(tmp_path / "r.csv", 1) as work:
        with contextlib.suppress(ValueError), work.writing("some") as file:
            file.write(b"half")
            raise ValueError
        assert work.storage.names() == ["request.json"]


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000])
def test_a_note_that_cannot_be_read_does_not_count(tmp_path, text):
    """A note that is cut short, or nested too deeply to be read, is made again."""
    with RunFolder(tmp_path / "r.csv", 1) as work:
        work.note("a", 1)
        with work.writing("a.json") as file:
            file.write(text.encode())
        assert work.read("a") is None
        assert work.once("a", lambda: 2) == 2


def test_a_full_disk_is_an_error_in_words(tmp_path, monkeypatch):
    """No room for temporary files is one line that names the way out."""
    with RunFolder(tmp_path / "r.csv", 1) as work:

        def full(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OutputError, match="No space left on device; name another with work"):
            work.note("some", [1])
        monkeypatch.undo()


def test_a_folder_of_somebody_else_is_refused(tmp_path):
    """A link in the place of the folder is not followed."""
    aside = tmp_path / "aside"
    aside.mkdir()
    work = RunFolder(tmp_path / "r.csv", 1)
    work.whole.path.symlink_to(aside)
    with pytest.raises(OutputError, match="not a folder of one's own"):
        work.__enter__()
    assert aside.exists()


def test_what_was_forgotten_is_swept(tmp_path, monkeypatch):
    """What a killed run for another output left is removed after a day, not before."""
    old = RunFolder(tmp_path / "old.csv", 1).__enter__()
    kill(old)
    with RunFolder(tmp_path / "new.csv", 1):
        assert old.whole.path.exists()
    later = time.time() + module.FORGOTTEN + 60
    monkeypatch.setattr(module.time, "time", lambda: later)
    with RunFolder(tmp_path / "new.csv", 1):
        assert not old.whole.path.exists()


def test_what_somebody_holds_is_not_swept(tmp_path, monkeypatch):
    """A run that is at work keeps its folder however old it is."""
    with RunFolder(tmp_path / "old.csv", 1) as old:
        later = time.time() + module.FORGOTTEN + 60
        monkeypatch.setattr(module.time, "time", lambda: later)
        with RunFolder(tmp_path / "new.csv", 1):
            assert old.whole.path.exists()


def test_a_start_that_fails_leaves_nothing(tmp_path, monkeypatch):
    """If not even the request can be noted, no folder is left, and no lock is held."""

    def full(self, name, said):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(RunFolder, "note", full)
    with pytest.raises(OutputError, match="No space left"):
        RunFolder(tmp_path / "new/r.csv", 1).__enter__()
    assert list(tmp_path.iterdir()) == []
