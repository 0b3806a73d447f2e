"""Questions to workers: each in a folder of its own that is removed after, so many at once."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shutil
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any

from shoal.web.jobs import Worker, answer_of
from shoal.web.processes import Processes

QUESTION, LOOK = 300.0, 1800.0  # seconds that a hierarchy or an estimate, and a look may take
QUESTIONS, LOOKS = 2, 1  # at once


class Questions:
    """Lets workers answer; what they are asked lies in a folder that only its owner can read."""

    def __init__(self, folder: Path, processes: Processes) -> None:
        self.folder, self.processes = folder, processes
        self.looking, self.asking = asyncio.Semaphore(LOOKS), asyncio.Semaphore(QUESTIONS)
        self._about: asyncio.Task[dict[str, Any]] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Start something that ends with the session."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def close(self) -> None:
        """End all that was started."""
        going = list(self._tasks)
        for task in going:
            task.cancel()
        await asyncio.gather(*going, return_exceptions=True)

    def new_place(self, what: str) -> tuple[str, Path]:
        """Make a folder; return its id and where it is."""
        key = secrets.token_hex(16)
        place = self.folder / what / key
        place.mkdir(mode=0o700, parents=True)
        return key, place

    @contextlib.contextmanager
    def for_a_while(self) -> Iterator[Path]:
        """Make a folder that is removed after."""
        _, place = self.new_place("asked")
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)

    async def ask(self, request: dict[str, Any], place: Path | None = None) -> dict[str, Any]:
        """Let a worker answer a question, in a folder that is there, or in one of its own."""
        if place is not None:
            worker = Worker(place, request, self.processes)
            return await answer_of(worker, QUESTION, self.asking)
        with self.for_a_while() as own:
            return await self.ask(request, own)

    async def look(self, request: dict[str, Any]) -> dict[str, Any]:
        """Let a worker look at a file, which may take long."""
        with self.for_a_while() as place:
            worker = Worker(place, request, self.processes)
            return await answer_of(worker, LOOK, self.looking)

    def find_out(self) -> asyncio.Task[dict[str, Any]]:
        """Ask for the methods, and where the library of charts lies."""
        self._about = self.start(self.ask({"kind": "about", "room": str(self.folder)}))
        return self._about

    async def about(self) -> dict[str, Any]:
        """Return the methods, and where the library of charts lies; what failed is tried again."""
        task = self._about
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self.find_out()
        return await asyncio.shield(task)
