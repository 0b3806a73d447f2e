"""Release of many files by an engine, step by step."""

from __future__ import annotations

import hashlib
import secrets
import time
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from shoal.errors import PrivacyError
from shoal.executor import Executor, Threads
from shoal.pipeline.engines.counts import Counted
from shoal.pipeline.regions.budget import WORKER, budget_for
from shoal.pipeline.regions.file_plan import check_possible
from shoal.pipeline.regions.parts import manifest
from shoal.pipeline.regions.release import ReleasedRegions, report_of
from shoal.pipeline.regions.request import FileRequest, Released
from shoal.pipeline.regions.run import release_regions, run_fingerprint, stamps_of
from shoal.pipeline.regions.run_folder import LOG, RunFolder
from shoal.pipeline.regions.tasks import TaskRunner
from shoal.progress import Callback, Reporter
from shoal.release.save import papers_of, verify_written
from shoal.report.build import versions
from shoal.settings import Settings
from shoal.table.files.many_files import Parts
from shoal.table.memory import read_memory, shape
from shoal.table.streams import Reading, Whole, in_pieces


class Origin(Protocol):
    """Where records come from: files, or a dataframe of an engine."""

    @property
    def stamps(self) -> list[Any]:
        """Its identity, as plain values."""
        ...

    @property
    def files(self) -> list[str]:
        """The files that it is, as absolute paths or URLs."""
        ...

    def opened(self, runner: TaskRunner) -> Reading:
        """Return the records, to be read."""
        ...

    def released(self, files: list[str]) -> Any:
        """Return a release in the form the records came in; None for files."""
        ...


class FromFile:
    """A file that only this process reads; the rest is the engine's."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path, self.settings = path, settings

    @property
    def stamps(self) -> list[Any]:
        """The file, its size and time."""
        return stamps_of(self.path)

    @property
    def files(self) -> list[str]:
        """The file."""
        return [str(self.path.absolute())]

    def opened(self, runner: TaskRunner) -> Reading:  # noqa: ARG002 - as Origin has it
        """Return the file in pieces."""
        options = self.settings.input
        pieces = in_pieces(self.path, options.dialect, options.missing, options.types)
        return Whole(pieces, shape(self.path))

    def released(self, files: list[str]) -> Any:
        """Return nothing: the release is in its files."""


class FromParts:
    """Parquet files."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts

    @property
    def stamps(self) -> list[Any]:
        """The files, their sizes and times."""
        return list(self.parts.stamps)

    @property
    def files(self) -> list[str]:
        """Where the files are."""
        return [part.location for part in self.parts.parts]

    def opened(self, runner: TaskRunner) -> Reading:
        """Return the files, with the hash of them all."""
        return hashed(self.parts, runner)

    def released(self, files: list[str]) -> Any:
        """Return nothing: the release is in its files."""


def hashed(parts: Parts, runner: TaskRunner) -> Parts:
    """Return files with the hash of them all, which is computed once."""
    tasks = range(len(parts.parts))
    noted = runner.work.once("digests", lambda: runner.all("hashing files", parts.digest, tasks))
    return parts.together(noted)


def release_parts(
    origin: Origin, settings: Settings, request: FileRequest, engine: Executor,
    callback: Callback | Reporter | None = None,
) -> Released:  # fmt: skip
    """Release a table by an engine, as a folder of Parquet files, verified, or nothing.

    A run whose engine was lost goes on where it was when it is started again.
    """
    begin = time.perf_counter()
    report = Reporter.of(callback)
    targets, output_folder = request.targets, request.output_folder
    assert output_folder is not None
    check_possible(settings)
    output_folder.check(origin.files)
    memory = read_memory(settings.protect.memory or WORKER)
    fingerprint = run_fingerprint(origin.stamps, settings, memory, request, "parts")
    with RunFolder(output_folder.target, fingerprint, request.parent, shared=True) as work:
        if work.resumed:
            LOG.info("going on where an earlier run was")
        runner = TaskRunner(work, engine, Threads(request.threads), report)
        reading = origin.opened(runner)
        budget = budget_for(memory, *reading.shape)
        releasing, made = release_regions(reading, settings, budget, request, runner, shared=True)
        staged = output_folder.stage(work)
        buckets = releasing.buckets(made)
        more = (
            f"-{secrets.token_hex(4)}" if output_folder.is_url else ""
        )  # beside those of an old release
        more = work.once("names", lambda: more)
        step = partial(buckets.part, staged, more)
        written_parts = runner.all("writing", step, range(buckets.count))
        parts = [part for part in written_parts if part is not None]
        files = [staged.full(part["file"]) for part in parts]
        report("verifying", 0, 2)
        counted = _counted(engine, files, made)
        report("verifying", 1, 2)
        verification = verify_written(files, made.settings, made.released, made.rows, "parquet")
        report("verifying", 2, 2)
        verified = verification.to_dict()
        if engine.is_remote and counted is None:
            LOG.warning("the engine cannot read a column: verified by our own check alone")
        if engine.is_remote:
            verified["engine"] = {"name": settings.protect.engine, **_plain(counted)}
        final_report = report_of(releasing, made, verified, time.perf_counter() - begin)
        content = manifest(
            parts,
            {
                "versions": dict(versions()),
                "k": made.settings.protect.k,
                "columns": made.released.names,
                "quasi_identifiers": list(made.settings.roles.quasi_identifiers),
                "classes": verification.classes,
            },
        )
        keep_order = settings.release.keep_order
        digest = hashlib.sha256(content).hexdigest()
        papers = papers_of(
            targets, made.settings, final_report, digest, keep_order, request.with_page
        )
        names = [part["file"] for part in parts]
        for target, text in {**papers.public, targets.release: content}.items():
            with staged.writing(target.name) as file:
                file.write(text)
            names.append(target.name)
        output_folder.commit(staged, names, papers.private, work.forget)
    final = [output_folder.full(part["file"]) for part in parts]
    return Released(output_folder.manifest, final_report, made.settings, origin.released(final))


def _plain(counted: Counted | None) -> dict[str, int | None]:
    """Return what an engine counted; nothing where it cannot read a column."""
    if counted is None:
        return {"records": None, "classes": None, "smallest": None}
    return {**vars(counted)}


def _counted(engine: Executor, files: list[str], made: ReleasedRegions) -> Counted | None:
    """Let the engine group the release by its quasi-identifiers, in its own way.

    Raises a PrivacyError if it finds another number of records, or a class that is too small.
    """
    count = getattr(engine, "count", None)
    if count is None:
        return None
    settings = made.settings
    begin = time.perf_counter()
    counted: Counted | None = count(files, settings.roles.quasi_identifiers)
    if counted is None:
        return None
    LOG.info("counting by the engine: 1 of 1, %.1f s on all", time.perf_counter() - begin)
    if counted.records != made.rows or counted.smallest < settings.protect.k:
        raise PrivacyError(
            f"the engine finds {counted.records} records, the smallest class of "
            f"{counted.smallest}; {made.rows} and at least {settings.protect.k} are needed; "
            "nothing was kept"
        )
    return counted
