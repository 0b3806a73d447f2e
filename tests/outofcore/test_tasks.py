"""Steps that use one core each are done side by side on this machine."""

from __future__ import annotations

import threading

import pytest

from shoal.executor import Threads
from shoal.pipeline.regions.run_folder import Files
from shoal.pipeline.regions.tasks import TaskRunner
from shoal.progress import Reporter
from shoal.storage.places import Folder

LONG = 20  # seconds after which a step that is waited for will not come


def runner(folder, threads, engine=None):
    return TaskRunner(Files(Folder(folder)), engine or Threads(1), Threads(threads), Reporter(None))


@pytest.mark.parametrize(("threads", "each"), [(2, 1), (3, 1), (8, 4)])
def test_two_regions_at_once(tmp_path, threads, each):
    """Two steps meet, each with its share of the threads; their results come in order."""
    meeting = threading.Barrier(2)

    def step(region):
        meeting.wait(LONG)
        return region

    side = runner(tmp_path, threads).beside(2)
    assert side.threads == each
    assert side.all("meeting", step, range(6)) == list(range(6))


def test_an_error_ends_the_others(tmp_path):
    """The error of a step is raised, and most of the steps after it are never begun."""
    begun = []

    def step(region):
        begun.append(region)
        if region == 1:
            raise OSError("no room")

    with pytest.raises(OSError, match="no room"):
        runner(tmp_path, 2).beside(2).all("failing", step, range(1000))
    assert len(begun) < 100


def test_an_interrupt_ends_all(tmp_path):
    """A run that is canceled begins few more steps, and ends as an interrupted one."""
    begun = []
    side = runner(tmp_path, 2).beside(2)

    def step(region):
        begun.append(region)
        if region == 3:
            side.report.stop.canceled = True

    with pytest.raises(KeyboardInterrupt):
        side.all("canceled", step, range(1000))
    assert len(begun) < 100


def test_notes_of_two_steps_at_once(tmp_path):
    """Files and notes that two steps write at once are all there, and each is made once."""
    side = runner(tmp_path, 2).beside(2)
    made = []

    def step(region):
        def make():
            made.append(region)
            with side.work.writing(f"rows-{region}") as file:
                file.write(b"%d" % region)
            return {"region": region}

        return side.work.once(f"note-{region}", make)

    for _ in range(2):  # a run that goes on finds them
        assert side.all("noting", step, range(30)) == [{"region": one} for one in range(30)]
    assert sorted(made) == list(range(30))
    names = {*(f"rows-{one}" for one in range(30)), *(f"note-{one}.json" for one in range(30))}
    assert set(Folder(tmp_path).names()) == names
