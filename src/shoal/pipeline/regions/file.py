"""`anonymize_file`: in memory where it fits, else by regions, or by an engine."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Any, Unpack

from shoal.errors import RequestError
from shoal.hints import OUT, option
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.regions.request import FileRequest, Released
from shoal.pipeline.regions.run_folder import RunFolder
from shoal.progress import Callback, Reporter
from shoal.release.targets import Targets
from shoal.settings import RunOptions, Settings
from shoal.settings.signatures import AnonymizeFileOptions
from shoal.settings.table import takes_options
from shoal.settings.tree import settings_and_run
from shoal.storage.names import is_url
from shoal.storage.places import plain
from shoal.storage.processes import memory
from shoal.table.dialects.dialect import CSV_ONLY
from shoal.table.files.many_files import is_many
from shoal.table.files.opening import check_ordinary, is_database
from shoal.table.memory import needed, read_memory, shape


@takes_options("anonymize_file")
def anonymize_file(
    source: Any,
    output: str | os.PathLike[str],
    k: int | None = None,
    *,
    progress: Shown = False,
    callback: Callback | None = None,
    **options: Unpack[AnonymizeFileOptions],
) -> Released:
    """Make a file safe to release, and write it with its report and recipe, verified, or nothing.

    Parameters
    ----------
    source : path, URL, pattern or dataframe
        A csv, csv.gz or Parquet file or a table of a database ("survey.duckdb#patients") of any
        size, or any other file that fits in memory. Also a lazy frame (polars, DuckDB, Ibis) or an
        Arrow stream, which is read once. With an `engine` also a pattern, a folder or a URL of
        Parquet files, or a Dask or Spark DataFrame, whose own engine is then the default.
    output : path or URL
        A name that ends as a file does, or a folder (ending in /). With an `engine` a folder or URL
        that gets Parquet parts and their manifest.
    {progress}
    callback : callable, optional
        Gets a `Progress`; True from it ends a search with its best, and cancels anything else.
    {options}

    Returns
    -------
    Released
        Where the files are, the report, and with an engine the release as a DataFrame of it.

    Raises
    ------
    InputError, RequestError, PrivacyError, OutputError
        As `shoal.anonymize`, and where the output cannot be written: nothing is left then.
    EngineError
        The cluster connection was lost; partial results are kept and the run can be resumed.

    Notes
    -----
    With `memory` ("4GB"), a file that would take more is grouped region by region, in files beside
    the output (or in the folder `work`) that only their owner can read and that are removed in the
    end. A run that was killed goes on from them when it is started again.

    The records of a lazy frame or a stream are written to such a file first, batch by batch; what
    their own library takes, and keeps, comes on top of `memory`. Polars and DuckDB keep about 45 MB
    beside their code; a DuckDB connection with `SET threads = 1` and a `memory_limit` keeps 16 MB.

    `scheduler` is the address of a cluster; without one, a small one of this machine is started.
    `output`, or `work`, must be in a place that all machines reach under one name; `memory` is what
    a task may take ("2GB"). Some options need all records at once (constraints beyond k, given
    groups, survey designs, searches with limits): where the file does not fit in the memory given,
    or with an engine, these are refused.
    """
    settings, run = settings_and_run({"k": k, **options})
    request = file_request(source, os.fspath(output), settings, run)
    with reporting(progress, callback) as report:
        return release(source, settings, request, report)


def file_request(
    source: Any, output: str, settings: Settings, run: RunOptions, folder: Path | None = None
) -> FileRequest:
    """Return the request of a run from file to file, from its options."""
    place: str | Path | None = None
    if run.work is not None:
        place = plain(run.work)
        place = place if is_url(place) else Path(place).absolute()
    if wants_engine(source, settings):
        from shoal.pipeline.regions.parts import OutputFolder

        output_folder = OutputFolder.of(output, run.force)
        return FileRequest(
            output_folder.targets, run.force, run.report, folder, place, run.threads,
            output_folder=output_folder,
            scheduler=run.scheduler,
        )  # fmt: skip
    if run.scheduler is not None:
        raise RequestError(
            f"a scheduler is that of an engine; say "
            f"{option('engine', 'dask')} or {option('engine', 'spark')}"
        )
    if isinstance(place, str):
        raise RequestError("the work folder is a URL only with an engine")
    return FileRequest(Targets.of(output), run.force, run.report, folder, place, run.threads)


def wants_engine(source: Any, settings: Settings) -> bool:
    """Tell whether an engine does the work: one is named, or there are several files."""
    if settings.protect.engine is not None:
        return True
    if not isinstance(source, str | os.PathLike):
        from shoal.pipeline.engines import engine_of_frame

        return engine_of_frame(source) is not None
    return is_many(os.fspath(source))


def release(
    source: Any,
    settings: Settings,
    request: FileRequest,
    callback: Callback | Reporter | None = None,
) -> Released:
    """Release a file as its settings say, in the memory that they allow."""
    if request.output_folder is not None:
        from shoal.pipeline.regions.many_files import release_by_engine

        return release_by_engine(source, settings, request, callback)
    if not isinstance(source, str | os.PathLike):
        return release_stream(source, settings, request, callback)
    source = Path(source)
    staging = request.targets.staging(request.force)
    request.targets.check(staging, [source], request.with_page)
    if not is_database(source):
        check_ordinary(source)
    limit = settings.protect.memory
    if limit is not None and needed(source) > read_memory(limit):
        from shoal.pipeline.regions.budget import budget_for
        from shoal.pipeline.regions.run import release_file

        budget = budget_for(read_memory(limit), *shape(source))
        return release_file(source, settings, budget, request, callback)
    if limit is None:
        check_room(source)
    return _release_in_memory(source, settings, request, callback)


def release_stream(
    source: Any,
    settings: Settings,
    request: FileRequest,
    callback: Callback | Reporter | None = None,
) -> Released:
    """Release the records of a lazy frame or an Arrow stream, in the memory that is allowed.

    They are written to a private file first, which is then read as any other.
    """
    from shoal.pipeline.regions.spool import FRAME, spool

    targets, limit, report = request.targets, settings.protect.memory, Reporter.of(callback)
    if not settings.input.is_plain:
        raise RequestError(f"types, missing and how text is written {CSV_ONLY}")
    targets.check(targets.staging(request.force), [], request.with_page)
    own = targets.release.with_name(f"{targets.release.name}.input")
    with RunFolder(own, {"stream": secrets.token_hex(16)}, request.parent) as work:
        spooled = spool(source, work, report)
        if limit is not None and needed(spooled.path) > read_memory(limit):
            from shoal.pipeline.regions.budget import budget_for
            from shoal.pipeline.regions.run import release_file

            budget = budget_for(read_memory(limit), *shape(spooled.path))
            pieces = spooled.pieces(budget.batch)
            return release_file(spooled.path, settings, budget, request, report, pieces)
        if limit is None:
            check_room(spooled.path, FRAME)
        return _release_in_memory(spooled.table(), settings, request, report)


def _release_in_memory(
    data: Any, settings: Settings, request: FileRequest, callback: Callback | Reporter | None
) -> Released:
    """Release a file or a Table that fits in memory."""
    from shoal.pipeline.anonymize import anonymize_with
    from shoal.release.save import save

    result = anonymize_with(
        data, settings, callback, request.threads, request.folder, request.on_estimate,
        kind=request.targets.kind,
    )  # fmt: skip
    Reporter.of(callback)("writing and verifying", 0, 1)
    save(
        result, request.targets, force=request.force, with_page=request.with_page,
        threads=request.threads,
    )  # fmt: skip
    return Released(request.targets.release, result.report, result.settings)


def check_whole(source: str, settings: Settings) -> None:
    """Raise RequestError for input that a pack cannot be made of."""
    if wants_engine(source, settings):
        raise RequestError(f"a pack is made of one file, in memory; leave out {option('engine')}")
    check_screen(Path(source), settings)


def check_screen(source: Path, settings: Settings) -> None:
    """Refuse a file for the screen that does not fit in the memory given, or in the machine's."""
    limit = settings.protect.memory
    if limit is None:
        check_room(source)
    elif needed(source) > read_memory(limit):
        raise RequestError(
            f"{source.name}: does not fit in the memory given, and what goes to the screen takes "
            f"all records at once, as a pack does; write it to a file with {option('output', OUT)}"
        )


def check_room(source: Path, name: str | None = None) -> None:
    """Raise RequestError for a file that exceeds this machine's memory."""
    available = memory()
    if available is not None and needed(source) > available:
        half = f"{max(1, int(available // 2e9))}GB"
        raise RequestError(
            f"{name or source.name}: takes about {needed(source) / 1e9:.0f} GB of memory, and "
            f"there are {available / 1e9:.0f}; say {option('memory', half)} to group it region by "
            "region"
        )
