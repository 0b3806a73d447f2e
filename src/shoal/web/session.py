"""Session: open files and jobs, in a folder that only its owner can read."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
import shutil
import time
from collections.abc import AsyncIterator, Coroutine, Iterable, Iterator
from pathlib import Path
from typing import Any

from shoal.storage import system
from shoal.web.bodies import Refused
from shoal.web.jobs import QUEUED, RUNNING, Job, Queue, Worker, answer_of
from shoal.web.processes import Processes
from shoal.web.request import HierarchyRequest, asked_settings, read_input
from shoal.web.series.ledgers import KnownLedger, Ledgers
from shoal.web.series.streams import Streams
from shoal.web.uploads import (
    RESERVE,
    Allowance,
    Opened,
    check_ready,
    ending_of,
    entries_of,
    kept_name,
    plain_name,
    take_in,
    told,
    tree_names,
)
from shoal.web.workspace import make_workspace

QUESTION, LOOK = 300.0, 1800.0  # seconds that a hierarchy or an estimate, and a look may take
QUESTIONS, LOOKS = 2, 1  # at once
TREES, TREE = 200, 20 << 20  # hierarchies of a file, and the bytes of one
FILES, UPLOADS = 50, 4  # open at once, coming in at once
SAMPLE = "patients.csv"
QUESTIONED = ("preview", "risk", "trial", "improve")  # what a page asks of a recipe
FORGET = 24 * 3600.0  # seconds after which an unused file is removed


class Session:
    """Open files and jobs by generated ids; no path of a client is ever opened.

    A file that was not used for so many seconds is forgotten.
    """

    def __init__(
        self,
        base: Path,
        folder: Path | None = None,
        limit: int | None = None,
        forget: float = FORGET,
    ) -> None:
        self.folder = folder
        self.limit = limit
        self.forget = forget
        self.workspace = make_workspace(base)
        self.ledgers = Ledgers(self.workspace, folder)
        self.files: dict[str, Opened] = {}
        self.processes = Processes()
        self.queue = Queue(self.processes)
        self.streams = Streams(self.workspace, folder, self.processes)
        self.coming = 0
        self.questions = Questions(self.workspace.path, self.processes)

    def begin(self) -> None:
        """Start the background tasks."""
        self.questions.start(self._forget())
        self.questions.find_out()

    async def _forget(self) -> None:
        """Remove files that were long unused."""
        while True:
            await asyncio.sleep(self.forget / 20)
            for file in list(self.files.values()):
                own = [job for job in self.jobs.values() if job.file == file.id]
                busy = any(job.state in (QUEUED, RUNNING) for job in own)
                last = max([file.touched, *(job.ended for job in own)])
                if not busy and time.time() - last > self.forget:
                    with contextlib.suppress(OSError):
                        await self.finish(file)

    async def about(self) -> dict[str, Any]:
        """Return the methods, and where the library of charts lies."""
        return await self.questions.about()

    @property
    def jobs(self) -> dict[str, Job]:
        """Every job by its id."""
        return self.queue.jobs

    def most(self) -> int:
        """Return the most bytes that an upload may have now."""
        free = max(0, shutil.disk_usage(self.workspace.path).free - RESERVE)
        return free if self.limit is None else min(self.limit, free)

    def to_json(self) -> dict[str, Any]:
        """Return the session as JSON."""
        from shoal.version import __version__

        sample = {"name": SAMPLE, "says": "2,000 made-up hospital stays with 11 columns"}
        return {
            "version": __version__,
            "limit": self.most(),
            "folder": told(self.folder, self.workspace),
            "samples": [sample],
            "files": [file.card() for file in self.files.values()],
            "jobs": [job.card() for job in self.jobs.values()],
        }

    def file(self, key: str) -> Opened:
        """Return an open file."""
        if key not in self.files:
            raise Refused(404, "there is no such file on the desk")
        self.files[key].touched = time.time()
        return self.files[key]

    def job(self, key: str) -> Job:
        """Return a job."""
        if key not in self.jobs:
            raise Refused(404, "there is no such job on the desk")
        if self.jobs[key].file in self.files:
            self.files[self.jobs[key].file].touched = time.time()
        return self.jobs[key]

    async def upload(self, name: str, pieces: AsyncIterator[bytes]) -> Opened:
        """Store an upload, and inspect it."""
        ending = ending_of(name)
        self._check_room()
        if self.coming >= UPLOADS:
            raise Refused(503, "other uploads are under way; try again when one has ended")
        key, place = self.questions.new_place("files")
        path = place / kept_name(name, ending)
        self.coming += 1
        try:
            size = await take_in(pieces, path, ending, Allowance(self.most()))
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
        finally:
            self.coming -= 1
        return self._opened(Opened(key, name, size, "upload", path, place))

    async def open(self, sample: str | None, entry: str | None) -> Opened:
        """Open the embedded sample, or a file of the folder."""
        self._check_room()
        if entry is not None:
            path = entries_of(self.folder, self.workspace).get(entry)
            if path is None:
                raise Refused(404, "there is no such file in the folder")
            key, place = self.questions.new_place("files")
            size = path.stat().st_size
            return self._opened(Opened(key, plain_name(path.name), size, "folder", path, place))
        if sample != SAMPLE:
            raise Refused(404, "there is no such sample")
        from importlib import resources

        content = resources.files("shoal.datasets").joinpath(SAMPLE).read_bytes()
        key, place = self.questions.new_place("files")
        path = place / SAMPLE
        path.write_bytes(content)
        return self._opened(Opened(key, SAMPLE, len(content), "sample", path, place))

    def _check_room(self) -> None:
        if len(self.files) >= FILES:
            raise Refused(409, f"{FILES} files are open; finish one first")

    def _opened(self, file: Opened) -> Opened:
        self.files[file.id] = file
        file.tasks.append(self.questions.start(self._look(file)))
        return file

    async def _look(self, file: Opened) -> None:
        """Let a worker inspect a file; errors are stored in the file's state."""
        request: dict[str, Any] = {"kind": "look", "path": file.source, "input": file.reading}
        request |= {"uploaded": file.origin == "upload", "held": str(file.place)}
        try:
            look = await self.questions.look(request)
            if not file.reading:
                file.reading = read_input(look.get("reading", {}))
            file.take(look)
        except Refused as refused:
            file.state, file.error = "failed", refused.message

    def look_again(self, file: Opened, reading: dict[str, Any], table: Any = None) -> None:
        """Read a file in another way: with another delimiter, or another table of it."""
        if file.state == "looking":
            raise Refused(409, "the file is being looked at")
        file.choose(table)
        file.reading = read_input(reading)
        file.state, file.error, file.look = "looking", None, None
        file.tasks.append(self.questions.start(self._look(file)))

    async def tree(self, file: Opened, request: HierarchyRequest) -> dict[str, Any]:
        """Build or check a hierarchy; one given as text that covers the column is kept."""
        check_ready(file)
        going = (job for job in self.jobs.values() if job.state in (QUEUED, RUNNING))
        busy = [path for job in going for path in job.trees]
        return await answered(self.questions, file, request, busy)

    async def look_into(self, known: KnownLedger, **more: Any) -> dict[str, Any]:
        """Return what a ledger holds, in counts."""
        return await self.questions.ask({"kind": "ledger", "path": str(known.path), **more})

    async def question(
        self, file: Opened, kind: str, recipe: dict[str, Any], tab: str, **more: Any
    ) -> dict[str, Any]:
        """Answer a question about a recipe from a sample, for a tab; tabs take turns.

        It is one of QUESTIONED; a new one of a kind ends the tab's last of that kind.
        """
        check_ready(file)
        settings = asked_settings(file, kind, recipe, self.ledgers)
        request = {"kind": kind, "path": file.source, "settings": settings, **more}
        request["held"] = str(file.place)
        return await file.estimates.ask(
            f"{kind} {tab}", lambda: self.questions.start(self.questions.ask(request))
        )

    def start(self, file: Opened, kind: str, recipe: dict[str, Any], more: dict[str, Any]) -> Job:
        """Put a job in the queue."""
        check_ready(file)
        settings = asked_settings(file, kind, recipe, self.ledgers)
        key = secrets.token_hex(16)
        job = Job(
            id=key,
            kind=kind,
            file=file.id,
            name=file.name,
            path=file.source,
            table=file.table,
            place=self.workspace.path / "jobs" / key,
            recipe=recipe,
            settings=settings,
            more=more,
            trees=tree_names(settings["hierarchies"]),
            reading=dict(file.reading),
        )
        self.queue.add(job)
        return job

    async def finish(self, file: Opened) -> None:
        """Remove a file from the desk, and its trees and jobs; the folder's own file stays."""
        self.files.pop(file.id, None)
        file.state = "gone"
        going = [*file.tasks, *file.estimates.every()]
        for task in going:
            task.cancel()
        await asyncio.gather(*going, return_exceptions=True)
        await self.queue.remove(*(job for job in self.jobs.values() if job.file == file.id))
        await asyncio.to_thread(shutil.rmtree, file.place, True)

    async def close(self) -> None:
        """End every job and remove all that lies here."""
        await self.questions.close()
        await self.queue.close()
        await self.streams.close()
        await self.processes.close()
        self.workspace.leave()


async def answered(questions: Questions, file: Opened, request: HierarchyRequest,
                   busy: Iterable[str]) -> dict[str, Any]:  # fmt: skip
    """Build or check a hierarchy; one given as text that covers the column is kept.

    `busy` are the files of trees that jobs still read.
    """
    job: dict[str, Any] = {"kind": "tree", "path": file.source}
    job["input"] = {**file.reading, **request.input}
    job |= {"column": request.column, "rule": request.rule, "held": str(file.place)}
    with questions.for_a_while() as place:
        given = place / "tree.csv"
        if request.text is not None:
            content = request.text.encode("utf-8")
            if len(content) > TREE:
                raise Refused(413, "the hierarchy is larger than this desk takes")
            given.write_bytes(content)
            job["rule"] = str(given)
        answer = await questions.ask(job, place)
        if file.state == "gone":
            raise Refused(404, "there is no such file on the desk")
        answer["id"] = None
        if request.text is not None:
            answer["rule"] = "a file"
            if not answer["uncovered"]:
                answer["id"] = _kept(file, request, given, answer["levels"], set(busy))
        elif request.rule in (tree["path"] for tree in file.trees.values()):
            answer["rule"] = "a file"
        return answer


def _kept(file: Opened, request: HierarchyRequest, given: Path, levels: int, busy: set[str]) -> str:
    """Keep a hierarchy; the same text is one tree, and of too many the oldest go."""
    assert request.text is not None
    content = f"{request.column}\0{request.text}".encode()
    key = hashlib.blake2b(content, digest_size=16).hexdigest()
    kept = file.place / f"tree-{key}.csv"
    system.replace(given, kept)
    file.trees.pop(key, None)
    file.trees[key] = {"column": request.column, "levels": levels, "path": str(kept)}
    old = [one for one, tree in file.trees.items() if tree["path"] not in busy]
    for one in old[: max(0, len(file.trees) - TREES)]:
        Path(file.trees.pop(one)["path"]).unlink(missing_ok=True)
    return key


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
