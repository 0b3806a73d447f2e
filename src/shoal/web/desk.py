"""What is open on the desk: files and jobs, in a folder that only their owner can read."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import hashlib
import os
import re
import secrets
import shutil
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.storage import remove_unheld
from shoal.table.hierarchy.specify import is_file
from shoal.web.asked import Asked, read_asked, read_input
from shoal.web.jobs import QUEUED, RUNNING, Job, Queue, answer_of
from shoal.web.refused import Refused
from shoal.web.uploads import ENDINGS, RESERVE, ending_of, take_in

FILES, UPLOADS = 50, 4  # open at once, coming in at once
TREES, TREE = 200, 20 << 20  # hierarchies of a file, and the bytes of one
SAMPLE = "patients.csv"
ROOM, MARK = re.compile("room-[0-9a-f]{16}"), "room"
QUESTION, LOOK = 300.0, 1800.0  # seconds that a hierarchy or an estimate, and a look may take
QUESTIONS, LOOKS = 2, 1  # at once
FORGET = 24 * 3600.0  # seconds after which a file that nobody asks for is removed


@dataclass
class Opened:
    """A file on the desk: where it lies, what was seen of it, what the page noted."""

    id: str
    name: str
    bytes: int
    origin: str
    path: Path
    place: Path
    opened: float = field(default_factory=time.time)
    state: str = "looking"
    error: str | None = None
    look: dict[str, Any] | None = None
    draft: Any = None
    reading: dict[str, Any] = field(default_factory=dict)  # how it is to be read, where asked
    trees: dict[str, dict[str, Any]] = field(default_factory=dict)
    estimating: asyncio.Task[Any] | None = None
    tasks: list[asyncio.Task[Any]] = field(default_factory=list)  # looks at it
    touched: float = field(default_factory=time.time)

    def card(self) -> dict[str, Any]:
        """Return what a list says of it."""
        keys = "id", "name", "bytes", "origin", "state", "opened"
        return {key: getattr(self, key) for key in keys}

    def told(self) -> dict[str, Any]:
        """Return all there is to say of it."""
        trees = [
            {"id": key, "column": tree["column"], "levels": tree["levels"]}
            for key, tree in self.trees.items()
        ]
        more = {"error": self.error, "draft": self.draft, "trees": trees, "look": self.look,
                "reading": self.reading}  # fmt: skip
        return {**self.card(), **more}


class Desk:
    """Files and jobs by their ids, which the desk makes up; no path of a client is ever opened."""

    def __init__(self, base: Path, folder: Path | None = None, limit: int | None = None) -> None:
        self.folder = folder
        self.limit = limit
        self.room = _private_room(base)
        self.files: dict[str, Opened] = {}
        self.queue = Queue(self.room.path / "jobs")
        self.coming = 0
        self.looking, self.asking = asyncio.Semaphore(LOOKS), asyncio.Semaphore(QUESTIONS)
        self._about: asyncio.Task[dict[str, Any]] | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self) -> None:
        """Start what goes on while the server lives."""
        self._start(self._forget())
        self._find_out()

    def _find_out(self) -> asyncio.Task[dict[str, Any]]:
        asked = {"kind": "about", "room": str(self.room.path)}
        self._about = asyncio.create_task(self._ask(asked, QUESTION))
        return self._about

    async def about(self) -> dict[str, Any]:
        """Return the methods, and where the library of charts lies; what failed is tried again."""
        task = self._about
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            task = self._find_out()
        return await asyncio.shield(task)

    async def _forget(self) -> None:
        """Remove files that nobody has asked for in a long time."""
        while True:
            await asyncio.sleep(FORGET / 20)
            for file in list(self.files.values()):
                own = [job for job in self.jobs.values() if job.file == file.id]
                busy = any(job.state in (QUEUED, RUNNING) for job in own)
                last = max([file.touched, *(job.ended for job in own)])
                if not busy and time.time() - last > FORGET:
                    with contextlib.suppress(OSError):
                        await self.finish(file)

    @property
    def jobs(self) -> dict[str, Job]:
        """Every job by its id."""
        return self.queue.jobs

    def most(self) -> int:
        """Return the most bytes that an upload may have now."""
        room = os.statvfs(self.room.path)
        free = max(0, int(room.f_bavail * room.f_frsize) - RESERVE)
        return free if self.limit is None else min(self.limit, free)

    def entries(self) -> dict[str, Path]:
        """Return the files of the folder by ids that say nothing of where they lie."""
        if self.folder is None:
            return {}
        found = {}
        inside = self.folder.resolve()
        try:
            every = sorted(self.folder.iterdir())
        except OSError:
            return {}
        for path in every:
            own = path.name.lower().endswith(ENDINGS) and not path.name.startswith(".")
            with contextlib.suppress(OSError):
                if own and path.is_file() and path.resolve().parent == inside:
                    found[self.room.named(path.name)] = path
        return found

    def told(self) -> dict[str, Any]:
        """Return what is on the desk."""
        from shoal import __version__

        folder = None
        if self.folder is not None:
            entries = []
            for key, path in self.entries().items():
                with contextlib.suppress(OSError):  # gone since
                    size = path.stat().st_size
                    entries.append({"id": key, "name": _plain(path.name), "bytes": size})
            folder = {"name": _plain(self.folder.resolve().name), "entries": entries}
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
        """Take a file in, and look at it."""
        ending = ending_of(name)
        self._check_room()
        if self.coming >= UPLOADS:
            raise Refused(503, "other uploads are under way; try again when one has ended")
        key, place = self._new_place("files")
        path = place / kept_name(name, ending)
        self.coming += 1
        try:
            size = await take_in(pieces, path, ending, self.most())
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
            return self._opened(Opened(key, _plain(path.name), size, "folder", path, place))
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
        place = self.room.path / what / key
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
        """Let a worker look at a file; what is wrong with it is told in its place."""
        asked = {"kind": "look", "path": str(file.path), "input": file.reading}
        try:
            file.look = await self._ask(asked, LOOK, self.looking)
            file.state = "ready"
        except Refused as refused:
            file.state, file.error = "failed", refused.said

    def look_again(self, file: Opened, reading: dict[str, Any]) -> None:
        """Read a file in another way: with another delimiter, say."""
        if file.state == "looking":
            raise Refused(409, "the file is being looked at")
        file.reading = read_input(reading)
        file.state, file.error, file.look = "looking", None, None
        file.tasks.append(self._start(self._look(file)))

    async def _ask(
        self, asked: dict[str, Any], patience: float, door: asyncio.Semaphore | None = None
    ) -> dict[str, Any]:
        """Let a worker answer a question; its folder is gone after."""
        _, place = self._new_place("asked")
        try:
            return await answer_of(place, asked, patience, door or self.asking)
        finally:
            shutil.rmtree(place, ignore_errors=True)

    async def tree(self, file: Opened, asked: Asked) -> dict[str, Any]:
        """Build or check a hierarchy; one given as text that covers the column is kept."""
        _check_ready(file)
        told: dict[str, Any] = {"kind": "tree", "path": str(file.path)}
        told["input"] = {**file.reading, **asked.input}
        told |= {"column": asked.column, "rule": asked.rule}
        _, place = self._new_place("asked")
        try:
            if asked.text is not None:
                content = asked.text.encode("utf-8")
                if len(content) > TREE:
                    raise Refused(413, "the hierarchy is larger than this desk takes")
                given = place / "tree.csv"
                given.write_bytes(content)
                told["rule"] = str(given)
            found = await answer_of(place, told, QUESTION, self.asking)
            self.file(file.id)  # it may be gone since
            found["id"] = None
            if asked.text is not None:
                found["rule"] = "a file"
                if not found["uncovered"]:
                    found["id"] = self._kept(file, asked, given, found["levels"])
            elif asked.rule in (tree["path"] for tree in file.trees.values()):
                found["rule"] = "a file"
            return found
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _kept(self, file: Opened, asked: Asked, given: Path, levels: int) -> str:
        """Keep a hierarchy; the same text is one tree, and of too many the oldest go."""
        assert asked.text is not None
        said = f"{asked.column}\0{asked.text}".encode()
        key = hashlib.blake2b(said, digest_size=16).hexdigest()
        kept = file.place / f"tree-{key}.csv"
        given.replace(kept)
        file.trees.pop(key, None)
        file.trees[key] = {"column": asked.column, "levels": levels, "path": str(kept)}
        busy = {path for job in self.jobs.values() if job.state in (QUEUED, RUNNING)
                for path in job.trees}  # fmt: skip
        old = [one for one, tree in file.trees.items() if tree["path"] not in busy]
        for one in old[: max(0, len(file.trees) - TREES)]:
            Path(file.trees.pop(one)["path"]).unlink(missing_ok=True)
        return key

    async def preview(self, file: Opened, recipe: dict[str, Any]) -> dict[str, Any]:
        """Estimate time, memory and loss from a sample; a new question ends the one before."""
        _check_ready(file)
        settings = read_asked(recipe, file.trees, file.reading)
        if file.estimating is not None:
            file.estimating.cancel()
        asked = {"kind": "preview", "path": str(file.path), "settings": settings}
        file.estimating = asyncio.create_task(self._ask(asked, QUESTION))
        try:
            found: dict[str, Any] = await file.estimating
        except asyncio.CancelledError:
            raise Refused(409, "another estimate was asked for") from None
        return found

    def start(self, file: Opened, kind: str, recipe: dict[str, Any], more: dict[str, Any]) -> Job:
        """Put a job in the queue."""
        _check_ready(file)
        settings = read_asked(recipe, file.trees, file.reading)
        key = secrets.token_hex(16)
        job = Job(
            id=key,
            kind=kind,
            file=file.id,
            name=file.name,
            path=file.path,
            place=self.room.path / "jobs" / key,
            recipe=recipe,
            settings=settings,
            more=more,
            trees=_tree_names(settings["hierarchies"]),
        )
        self.queue.add(job)
        return job

    async def finish(self, file: Opened) -> None:
        """Remove a file from the desk, and its trees and jobs; the folder's own file stays."""
        self.files.pop(file.id, None)
        going = [task for task in (*file.tasks, file.estimating) if task is not None]
        for task in going:
            task.cancel()
        await asyncio.gather(*going, return_exceptions=True)
        await self.queue.remove(*(job for job in self.jobs.values() if job.file == file.id))
        await asyncio.to_thread(shutil.rmtree, file.place, True)

    async def close(self) -> None:
        """End every job and remove all that lies here."""
        for task in [*self._tasks, *([self._about] if self._about is not None else [])]:
            task.cancel()
        for file in self.files.values():
            if file.estimating is not None:
                file.estimating.cancel()
        await self.queue.close()
        ends = [file.estimating for file in self.files.values() if file.estimating is not None]
        ends += [self._about] if self._about is not None else []
        await asyncio.gather(*self._tasks, *ends, return_exceptions=True)
        self.room.leave()


def _check_ready(file: Opened) -> None:
    if file.state != "ready":
        raise Refused(409, "the file is not ready")


def _plain(name: str) -> str:
    """Return a name of a file as it can be shown, whatever bytes it is of."""
    return name.encode("utf-8", "replace").decode()


def _tree_names(hierarchies: dict[str, str]) -> dict[str, str]:
    """Return what the files of hierarchies are called where they are taken home."""
    found: dict[str, str] = {}
    for column, said in hierarchies.items():
        if is_file(said):
            name = f"trees/{kept_name(f'{column}.csv', '.csv')}"
            again = f"trees/{len(found)}-{name.removeprefix('trees/')}"
            found[said] = name if name not in found.values() else again
    return found


def kept_name(name: str, ending: str) -> str:
    """Return the name a file gets on disk: the last part of its own, of plain signs alone."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    stem = last[: -len(ending)]
    plain = "".join(c if c.isprintable() and c not in '/:*?"<>|' else "_" for c in stem)
    plain = plain.encode("utf-8", "replace")[:80].decode("utf-8", "ignore").strip(" .")
    return f"{plain if plain and not plain.startswith('-') else 'table' + plain}{ending}"


class Room:
    """A folder that one server holds by a lock; what servers that died left is swept away."""

    def __init__(self, path: Path, held: int) -> None:
        self.path, self._held = path, held
        self._salt = secrets.token_bytes(16)

    def named(self, name: str) -> str:
        """Return an id for a name: the same while the server lives, and of no use to guess."""
        return hashlib.blake2b(os.fsencode(name), key=self._salt, digest_size=16).hexdigest()

    def leave(self) -> None:
        """Remove the folder; a second time does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._held >= 0:
            os.close(self._held)
            self._held = -1


def _private_room(base: Path) -> Room:
    """Make a folder of our own, and remove those whose servers are gone.

    Whatever else lies in the base is left alone: rooms are in a folder of their own, and bear a
    mark.
    """
    base.mkdir(mode=0o700, parents=True, exist_ok=True)
    house = base / "desk"
    house.mkdir(mode=0o700, exist_ok=True)
    with (house / "lock").open("ab") as one_at_a_time:
        fcntl.flock(one_at_a_time, fcntl.LOCK_EX)
        for left in house.iterdir():
            if ROOM.fullmatch(left.name) and not left.is_symlink() and (left / MARK).is_file():
                remove_unheld(left)
        path = house / f"room-{secrets.token_hex(8)}"
        path.mkdir(mode=0o700)
        held = os.open(path, os.O_RDONLY)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        (path / MARK).touch(0o600)
    for name in ("files", "jobs", "asked"):
        (path / name).mkdir(mode=0o700)
    return Room(path, held)
