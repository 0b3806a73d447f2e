"""Workers are forked from one process that has imported everything, each in its own session."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
import time
from pathlib import Path

import pytest

from desks import LONG, Server, alive, census_like, fork_servers_of, running, workers_of
from shoal.web.bodies import Refused
from shoal.web.jobs import Worker
from shoal.web.processes import Processes

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks on Linux alone")


def until(condition, seconds=30):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


async def answered(folder, own):
    """Ask two questions beside each other, one of them a wrong one: the answers do not mix."""
    asked = [{"kind": "about", "room": str(folder)}, {"kind": "no such thing"}]
    workers = [Worker(folder / str(i), one, own) for i, one in enumerate(asked)]
    about, refused = await asyncio.gather(*(w.run() for w in workers), return_exceptions=True)
    assert any(method["name"] == "mdav" for method in about["methods"])
    assert isinstance(refused, Refused)
    assert refused.status == 500


async def canceled(folder, own):
    """Cancel before the process is there: none is left behind."""
    asked = {"kind": "about", "room": str(folder)}
    worker = Worker(folder / "one", asked, own)
    task = asyncio.create_task(worker.run())
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert worker.process is not None
    assert worker.process.returncode is not None
    ended = Worker(folder / "two", asked, own)
    await ended.end()  # before it begins
    with contextlib.suppress(Refused):
        await ended.run()
    assert ended.process.returncode is not None
    assert not any(map(alive, (worker.process.pid, ended.process.pid)))


async def in_turn(own, folder, *steps):
    """Do things one after the other with the same processes."""
    try:
        for step in steps:
            await step(folder, own)
    finally:
        await own.close()


def test_forked_workers(tmp_path):
    """One that is canceled while the fork server still starts is ended; then others answer."""
    asyncio.run(in_turn(Processes(), tmp_path, canceled, answered))


@pytest.mark.slow
def test_workers_started_anew(tmp_path):
    """Where processes cannot be forked, workers answer too."""
    asyncio.run(in_turn(Processes(forks=False), tmp_path, answered))


def test_workers_find_everything_imported(desk):
    """What Arrow and Numba import at their first use, the fork server has imported before."""
    desk.get("/methods.json")  # a worker has answered
    [server] = fork_servers_of(desk)
    maps = Path(f"/proc/{server}/maps").read_text()
    assert "/pandas/_libs/" in maps
    assert "/llvmlite/" in maps


@pytest.mark.slow
def test_the_fork_server_may_die(desk):
    """Who waits for a worker is told, and the next question is answered by another."""
    file = desk.upload("numbers.csv", census_like())
    desk.looked(file)
    job = desk.start(file, LONG)
    running(desk, job)
    (server,), (worker,) = fork_servers_of(desk), workers_of(desk)
    os.kill(server, signal.SIGKILL)
    assert desk.done(job)["state"] == "failed"
    until(lambda: not alive(worker))
    assert desk.looked(desk.upload("more.csv", census_like()))["state"] == "ready"
    assert fork_servers_of(desk) != [server]


@pytest.mark.slow
def test_workers_end_with_the_server(tmp_path):
    """When the desk is killed, its fork server and its workers go too."""
    with Server(tmp_path) as desk:
        file = desk.upload("numbers.csv", census_like())
        desk.looked(file)
        running(desk, desk.start(file, LONG))
        own = [*fork_servers_of(desk), *workers_of(desk)]
        assert len(own) == 2
        groups = {Path(f"/proc/{one}/stat").read_text().rsplit(")", 1)[1].split()[2] for one in own}
        assert groups == set(map(str, own))  # a group each
        desk.process.kill()
        until(lambda: not any(map(alive, own)))
