"""Session: open files and jobs, in a folder that only its owner can read."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from shoal.system.current import current
from shoal.table.files.database_names import file_of
from shoal.web.asked import asked_settings
from shoal.web.errors import Refused
from shoal.web.jobs import QUEUED, RUNNING, Job, Queue, Worker, answer_of
from shoal.web.ledgers import KnownLedger, Ledgers
from shoal.web.open_file import Opened, check_ready, kept_name, plain_name, tree_names
from shoal.web.processes import Processes
from shoal.web.request import HierarchyRequest, read_input
from shoal.web.uploads import ENDINGS, RESERVE, Allowance, ending_of, take_in
from shoal.web.workspace import make_workspace

FILES, UPLOADS = 50, 4  # open at once, coming in at once
TREES, TREE = 200, 20 << 20  # hierarchies of a file, and the bytes of one
SAMPLE = "patients.csv"
QUESTION, LOOK = 300.0, 1800.0  # seconds that a hierarchy or an estimate, and a look may take
QUESTIONS, LOOKS = 2, 1  # at once
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
        self.coming = 0
        self.looking, self.asking = asyncio.Semaphore(LOOKS), asyncio.Semaphore(QUESTIONS)
        self._about: asyncio.Task[dict[str, Any]] | None = None
        self._tasks: set[asyncio.Task[Any]] = set()

    def begin(self) -> None:
        """Start the background tasks."""
        self._start(self._forget())
        self._find_out()

    def _find_out(self) -> asyncio.Task[dict[str, Any]]:
        request = {"kind": "about", "room": str(self.workspace.path)}
        self._about = self._start(self._ask(request, QUESTION))
        return self._about

    async def about(self) -> dict[str, Any]:
        """Return the methods, and where the library of charts lies; what failed is tried again."""
        task = self._about
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._find_out()
        return await asyncio.shield(task)

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

    @property
    def jobs(self) -> dict[str, Job]:
        """Every job by its id."""
        return self.queue.jobs

    def most(self) -> int:
        """Return the most bytes that an upload may have now."""
        free = max(0, shutil.disk_usage(self.workspace.path).free - RESERVE)
        return free if self.limit is None else min(self.limit, free)

    def entries(self) -> dict[str, Path]:
        """Return the files of the folder by ids that do not disclose their paths."""
        if self.folder is None:
            return {}
        entries = {}
        inside = self.folder.resolve()
        try:
            every = sorted(self.folder.iterdir())
        except OSError:
            return {}
        for path in every:
            own = path.name.lower().endswith(ENDINGS) and not path.name.startswith(".")
            own = own and file_of(path) == path  # and not called like a table of a database
            with contextlib.suppress(OSError):
                if own and path.is_file() and path.resolve().parent == inside:
                    entries[self.workspace.named(path.name)] = path
        return entries

    def to_json(self) -> dict[str, Any]:
        """Return the session as JSON."""
        from shoal import __version__

        folder = None
        if self.folder is not None:
            entries = []
            for key, path in self.entries().items():
                with contextlib.suppress(OSError):  # gone since
                    size = path.stat().st_size
                    entries.append({"id": key, "name": plain_name(path.name), "bytes": size})
            folder = {"name": plain_name(self.folder.resolve().name), "entries": entries}
        sample = {"name": SAMPLE, "says": "2,000 made-up hospital stays with 11 columns"}
        return {
            "version": __version__,
            "limit": self.most(),
            "folder": folder,
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
        key, place = self._new_place("files")
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
            path = self.entries().get(entry)
            if path is None:
                raise Refused(404, "there is no such file in the folder")
            key, place = self._new_place("files")
            size = path.stat().st_size
            return self._opened(Opened(key, plain_name(path.name), size, "folder", path, place))
        if sample != SAMPLE:
            raise Refused(404, "there is no such sample")
        from importlib import resources

        content = resources.files("shoal.datasets").joinpath(SAMPLE).read_bytes()
        key, place = self._new_place("files")
        path = place / SAMPLE
        path.write_bytes(content)
        return self._opened(Opened(key, SAMPLE, len(content), "sample", path, place))

    def _check_room(self) -> None:
        if len(self.files) >= FILES:
            raise Refused(409, f"{FILES} files are open; finish one first")

    def _new_place(self, what: str) -> tuple[str, Path]:
        key = secrets.token_hex(16)
        place = self.workspace.path / what / key
        place.mkdir(mode=0o700, parents=True)
        return key, place

    def _opened(self, file: Opened) -> Opened:
        self.files[file.id] = file
        file.tasks.append(self._start(self._look(file)))
        return file

    def _start(self, work: Any) -> asyncio.Task[Any]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _look(self, file: Opened) -> None:
        """Let a worker inspect a file; errors are stored in the file's state."""
        request: dict[str, Any] = {"kind": "look", "path": file.source, "input": file.reading}
        request["uploaded"] = file.origin == "upload"
        try:
            look = await self._ask(request, LOOK, self.looking)
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
        file.tasks.append(self._start(self._look(file)))

    async def _ask(
        self, request: dict[str, Any], patience: float, door: asyncio.Semaphore | None = None
    ) -> dict[str, Any]:
        """Let a worker answer a request; its folder is removed after."""
        _, place = self._new_place("asked")
        try:
            return await answer_of(
                Worker(place, request, self.processes), patience, door or self.asking
            )
        finally:
            shutil.rmtree(place, ignore_errors=True)

    async def tree(self, file: Opened, request: HierarchyRequest) -> dict[str, Any]:
        """Build or check a hierarchy; one given as text that covers the column is kept."""
        check_ready(file)
        job: dict[str, Any] = {"kind": "tree", "path": file.source}
        job["input"] = {**file.reading, **request.input}
        job |= {"column": request.column, "rule": request.rule}
        _, place = self._new_place("asked")
        try:
            if request.text is not None:
                content = request.text.encode("utf-8")
                if len(content) > TREE:
                    raise Refused(413, "the hierarchy is larger than this desk takes")
                given = place / "tree.csv"
                given.write_bytes(content)
                job["rule"] = str(given)
            answer = await answer_of(Worker(place, job, self.processes), QUESTION, self.asking)
            self.file(file.id)  # it may be gone since
            answer["id"] = None
            if request.text is not None:
                answer["rule"] = "a file"
                if not answer["uncovered"]:
                    answer["id"] = self._kept(file, request, given, answer["levels"])
            elif request.rule in (tree["path"] for tree in file.trees.values()):
                answer["rule"] = "a file"
            return answer
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _kept(self, file: Opened, request: HierarchyRequest, given: Path, levels: int) -> str:
        """Keep a hierarchy; the same text is one tree, and of too many the oldest go."""
        assert request.text is not None
        content = f"{request.column}\0{request.text}".encode()
        key = hashlib.blake2b(content, digest_size=16).hexdigest()
        kept = file.place / f"tree-{key}.csv"
        current().replace(given, kept)
        file.trees.pop(key, None)
        file.trees[key] = {"column": request.column, "levels": levels, "path": str(kept)}
        busy = {path for job in self.jobs.values() if job.state in (QUEUED, RUNNING)
                for path in job.trees}  # fmt: skip
        old = [one for one, tree in file.trees.items() if tree["path"] not in busy]
        for one in old[: max(0, len(file.trees) - TREES)]:
            Path(file.trees.pop(one)["path"]).unlink(missing_ok=True)
        return key

    async def look_into(self, known: KnownLedger, **more: Any) -> dict[str, Any]:
        """Return what a ledger holds, in counts."""
        return await self._ask({"kind": "ledger", "path": str(known.path), **more}, QUESTION)

    async def question(
        self, file: Opened, kind: str, recipe: dict[str, Any], tab: str, **more: Any
    ) -> dict[str, Any]:
        """Answer a question about a recipe from a sample, for a tab; tabs take turns.

        It is one of QUESTIONED; a new one of a kind ends the tab's last of that kind.
        """
        check_ready(file)
        settings = asked_settings(file, kind, recipe, self.ledgers)
        request = {"kind": kind, "path": file.source, "settings": settings, **more}
        return await file.estimates.ask(
            f"{kind} {tab}", lambda: self._start(self._ask(request, QUESTION))
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
        going = [*file.tasks, *file.estimates.every()]
        for task in going:
            task.cancel()
        await asyncio.gather(*going, return_exceptions=True)
        await self.queue.remove(*(job for job in self.jobs.values() if job.file == file.id))
        await asyncio.to_thread(shutil.rmtree, file.place, True)

    async def close(self) -> None:
        """End every job and remove all that lies here."""
        going = list(self._tasks)
        for task in going:
            task.cancel()
        await self.queue.close()
        await asyncio.gather(*going, return_exceptions=True)
        await self.processes.close()
        self.workspace.leave()
