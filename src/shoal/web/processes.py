"""Processes for workers: forked from one that has imported everything, or started anew.

Importing the library takes a second or two, and the answer to a small question a few hundredths. So
one process (`python -m shoal.web.worker`) imports it once and forks for every question; what it
forks has its own session, limits and memory, as a new process would. Where processes cannot be
forked safely, each is started anew.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, Protocol

from shoal.storage import processes

KILLED = -9  # how a process ended whose fork server died


class Process(Protocol):
    """A running worker."""

    @property
    def pid(self) -> int:
        """Its number, which is also that of its session."""
        ...

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it runs."""
        ...

    def wait(self) -> Coroutine[Any, Any, int]:
        """Wait until it has ended, and return how."""
        ...


class Forked:
    """A process that the fork server started and reports on."""

    def __init__(self) -> None:
        self.pid = 0
        self.returncode: int | None = None
        self.started, self._ended = asyncio.Event(), asyncio.Event()

    async def wait(self) -> int:
        """Wait until it has ended, and return how."""
        await self._ended.wait()
        assert self.returncode is not None
        return self.returncode

    def begin(self, pid: int) -> None:
        """Note that it runs."""
        self.pid = pid
        self.started.set()

    def end(self, code: int) -> None:
        """Note that it has ended."""
        if self.returncode is None:
            self.returncode = code
        self.started.set()
        self._ended.set()


class Processes:
    """Starts workers: forks them, or else starts each anew."""

    def __init__(self, forks: bool | None = None) -> None:
        self._forks = processes.FORKS if forks is None else forks
        self._server: asyncio.subprocess.Process | None = None
        self._running: dict[int, Forked] = {}
        self._count = 0
        self._reader: asyncio.Task[None] | None = None
        self._starting = asyncio.Lock()

    async def start(self, place: Path) -> Process:
        """Start a worker that answers the request in a folder."""
        if not self._forks:
            return await _started(str(place))
        async with self._starting:
            server = await self._fork_server()
            self._count += 1
            number, forked = self._count, Forked()
            self._running[number] = forked
            assert server.stdin is not None
            with contextlib.suppress(OSError):  # it died just now: the reader notes that
                server.stdin.write(json.dumps([number, str(place)]).encode() + b"\n")
                await server.stdin.drain()
        await forked.started.wait()
        return forked

    async def _fork_server(self) -> asyncio.subprocess.Process:
        if self._server is None or self._server.returncode is not None:
            self._server = await _started()
            self._reader = asyncio.create_task(self._read(self._server))
        return self._server

    async def _read(self, server: asyncio.subprocess.Process) -> None:
        """Read the reports of the fork server, until it ends."""
        assert server.stdout is not None
        while line := await server.stdout.readline():
            number, what, value = json.loads(line)
            if what == "pid":
                self._running[number].begin(value)
            else:
                self._running.pop(number).end(value)
        await server.wait()
        running, self._running = self._running, {}
        for forked in running.values():
            forked.end(KILLED)

    async def close(self) -> None:
        """End the fork server, and with it all that it started."""
        async with self._starting:
            server, self._server = self._server, None
        if server is not None and server.stdin is not None:
            server.stdin.close()
            await server.wait()
        if self._reader is not None:
            await self._reader


async def _started(*arguments: str) -> asyncio.subprocess.Process:
    """Start a process: for one question, or without any the one that forks."""
    return await asyncio.create_subprocess_exec(
        sys.executable, "-m", "shoal.web.worker", *arguments,
        stdin=asyncio.subprocess.PIPE,  # closed when the server is gone
        stdout=asyncio.subprocess.DEVNULL if arguments else asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        **processes.apart(),
    )  # fmt: skip
