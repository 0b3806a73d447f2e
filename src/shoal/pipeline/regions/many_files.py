"""Release of many files, or of a dataframe of Dask or Spark, by an engine.

Where records come from is an `Origin`. Those of a dataframe are written once as Parquet files into
the private folder of the run, by its engine itself, so that they are the same at every look;
columns that are left out are written empty. The release is a folder of Parquet parts.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from shoal.errors import InputError, PrivacyError, RequestError
from shoal.executor import Executor, Threads
from shoal.judge.papers import SCHEMA
from shoal.pipeline import engines
from shoal.pipeline.regions.budget import WORKER, budget_for
from shoal.pipeline.regions.release import ReleasedRegions, Releasing, report_of
from shoal.pipeline.regions.request import FileRequest, Released
from shoal.pipeline.regions.run import release_regions, run_fingerprint, stamps_of
from shoal.pipeline.regions.run_folder import LOG, RunFolder
from shoal.pipeline.regions.tasks import TaskRunner
from shoal.pipeline.stages import check_possible
from shoal.progress import Callback, Reporter
from shoal.release.save import papers_of, verify_written
from shoal.report.build import versions
from shoal.settings import Settings
from shoal.storage.places import Folder, Storage, storage
from shoal.table.dialects.dialect import CSV_ONLY
from shoal.table.files.formats import is_parquet
from shoal.table.files.many_files import Parts, find_parts, is_many
from shoal.table.memory import read_memory, shape
from shoal.table.source import Source
from shoal.table.streams import Reading, Whole, in_pieces


@dataclass(frozen=True)
class Origin:
    """Where records come from.

    `stamps` are its identity, as plain values, `files` the paths or URLs that it is, if any. `read`
    returns the records, and `released` a release in the form that they came in: None for files.
    """

    stamps: Sequence[Any]
    files: Sequence[str]
    read: Callable[[TaskRunner], Reading]
    released: Callable[[Sequence[str]], Any] = lambda files: None  # noqa: ARG005


def from_path(source: str, settings: Settings) -> Origin:
    """Return the Parquet files that a text names, or a file that only this process reads."""
    options = settings.input
    if is_many(source) or is_parquet(source):
        if not options.is_plain:
            raise RequestError(f"types, missing and how text is written {CSV_ONLY}")
        return from_parts(find_parts(source))
    path = Path(source)

    def read(_: TaskRunner) -> Reading:
        pieces = in_pieces(path, options.dialect, options.missing, options.types)
        return Whole(pieces, shape(path))

    return Origin(stamps_of(path), [str(path.absolute())], read)


def from_parts(parts: Parts) -> Origin:
    """Return Parquet files."""
    return Origin(parts.stamps, [part.location for part in parts.parts], partial(_hashed, parts))


def _hashed(parts: Parts, runner: TaskRunner) -> Parts:
    """Return files with the hash of them all, which is computed once."""
    tasks = range(len(parts.parts))
    noted = runner.work.once("digests", lambda: runner.all("hashing files", parts.digest, tasks))
    return parts.together(noted)


def from_frame(frame: Any, name: str, settings: Settings) -> Origin:
    """Return the records of a dataframe of an engine."""
    engine, roles = engines.engine_module(name), settings.roles
    hidden = [one for one in (*roles.identifiers, *roles.drop) if one in frame.columns]

    def read(runner: TaskRunner) -> Reading:
        folder = storage(runner.work.storage.full("input"))
        runner.report("writing the dataframe", 0, 1)
        runner.work.once("frame", partial(_write_frame, frame, hidden, folder, runner.engine))
        runner.report("writing the dataframe", 1, 1)
        parts = _hashed(find_parts(folder.location, is_folder=True), runner)
        sha256, columns = parts.source.sha256, parts.source.columns
        source = Source("the dataframe", "dataframe", sha256, columns=columns)
        return replace(parts, source=source)

    return Origin([name, engine.token(frame)], [], read, partial(engine.read, frame))


def _write_frame(frame: Any, hidden: Sequence[str], folder: Storage, engine: Any) -> bool:
    folder.clear()
    folder.make()
    engine.write(frame, hidden, folder.location)
    if isinstance(folder, Folder):
        for entry in folder.path.iterdir():
            entry.chmod(0o600)
    return True


def release_by_engine(
    source: Any, settings: Settings, request: FileRequest,
    callback: Callback | Reporter | None = None,
) -> Released:  # fmt: skip
    """Release files or a dataframe by an engine."""
    frame, name = None, str(settings.protect.engine or "threads")
    if isinstance(source, str | os.PathLike):
        origin = from_path(os.fspath(source), settings)
    else:
        frame, own = source, engines.engine_of_frame(source)
        if own is None:
            raise InputError(
                f"cannot read a table from {type(frame).__name__} by an engine: give a path, a "
                "URL, or a DataFrame of Dask or Spark; leave out engine for other lazy frames"
            )
        if settings.protect.engine not in (None, own):
            raise RequestError(f"a dataframe of {own} is grouped by {own}, not by {name}")
        name = own
        origin = from_frame(frame, name, settings)
    settings = settings.replace(protect={"engine": name})
    with engines.opened(name, request.scheduler, frame) as engine:
        return release_origin(origin, settings, request, engine, callback)


def release_origin(
    origin: Origin, settings: Settings, request: FileRequest, engine: Executor,
    callback: Callback | Reporter | None = None,
) -> Released:  # fmt: skip
    """Release a table by an engine, as a folder of Parquet files, verified, or nothing.

    A run whose engine was lost goes on where it was when it is started again.
    """
    begin = time.perf_counter()
    report, output = Reporter.of(callback), request.output_folder
    assert output is not None
    check_possible(settings)
    output.check(origin.files)
    memory = read_memory(settings.protect.memory or WORKER)
    fingerprint = run_fingerprint(list(origin.stamps), settings, memory, request, "parts")
    with RunFolder(output.place, fingerprint, request.parent) as work:
        if work.resumed:
            LOG.info("going on where an earlier run was")
        runner = TaskRunner(work, engine, Threads(request.threads), report)
        reading = origin.read(runner)
        budget = budget_for(memory, *reading.shape)
        releasing, made = release_regions(reading, settings, budget, request, runner, shared=True)
        staged = storage(work.storage.full("release"))
        staged.make()
        parts = _write_parts(releasing, made, staged, is_url=output.is_url)
        files = [staged.full(part["file"]) for part in parts]
        verified = _verify(files, made, runner)
        final_report = report_of(releasing, made, verified, time.perf_counter() - begin)
        manifest = _manifest(parts, made, verified["classes"])
        papers = papers_of(
            request.targets, made.settings, final_report, hashlib.sha256(manifest).hexdigest(),
            settings.release.keep_order, request.with_page,
        )  # fmt: skip
        texts = {**papers.public, request.targets.release: manifest}
        for target, text in texts.items():
            with staged.writing(target.name) as file:
                file.write(text)
        names = [*(part["file"] for part in parts), *(target.name for target in texts)]
        output.commit(staged, names, papers.private, work.forget)
    place = storage(output.place)
    data = origin.released([place.full(part["file"]) for part in parts])
    location = place.full(request.targets.release.name)
    path = location if output.is_url else Path(location)
    return Released(path, final_report, made.settings, data)


def _write_parts(
    releasing: Releasing, made: ReleasedRegions, staged: Storage, is_url: bool
) -> list[dict[str, Any]]:
    """Write every bucket as a file; return the entries of the manifest."""
    runner, buckets = releasing.solver.runner, releasing.buckets(made)
    more = f"-{secrets.token_hex(4)}" if is_url else ""  # beside those of an old release
    step = partial(buckets.part, staged, runner.work.once("names", lambda: more))
    return list(chain.from_iterable(runner.each("writing", step, range(buckets.count))))


def _verify(files: Sequence[str], made: ReleasedRegions, runner: TaskRunner) -> Any:
    """Verify a release by our own check, and let an engine group it in its own way.

    Raises a PrivacyError if the engine finds another number of records, or a class too small.
    """
    engine: Any = runner.engine
    settings, counted = made.settings, None
    runner.report("verifying", 0, 2)
    if engine.is_remote:
        begin = time.perf_counter()
        counted = engine.count(files, settings.roles.quasi_identifiers)
        seconds = time.perf_counter() - begin
        if counted is None:
            LOG.warning("the engine cannot read a column: verified by our own check alone")
        else:
            LOG.info("counting by the engine: 1 of 1, %.1f s on all", seconds)
            records, smallest = counted["records"], counted["smallest"]
            if records != made.rows or smallest < settings.protect.k:
                raise PrivacyError(
                    f"the engine finds {records} records, the smallest class of {smallest}; "
                    f"{made.rows} and at least {settings.protect.k} are needed; nothing was kept"
                )
    runner.report("verifying", 1, 2)
    verified = verify_written(list(files), settings, made.released, made.rows, "parquet").to_dict()
    runner.report("verifying", 2, 2)
    if engine.is_remote:
        nothing = dict.fromkeys(("records", "classes", "smallest"))
        verified["engine"] = {"name": settings.protect.engine, **(counted or nothing)}
    return verified


def _manifest(parts: Sequence[dict[str, Any]], made: ReleasedRegions, classes: int) -> bytes:
    """Return the manifest of a release: what is in it, and what it keeps."""
    tree = {
        "schema": SCHEMA,
        "versions": dict(versions()),
        "k": made.settings.protect.k,
        "columns": made.released.names,
        "quasi_identifiers": list(made.settings.roles.quasi_identifiers),
        "classes": classes,
        "records": sum(part["records"] for part in parts),
        "parts": parts,
    }
    return (json.dumps(tree, indent=2, ensure_ascii=False) + "\n").encode()
