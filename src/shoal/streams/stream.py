"""`stream`: records that come one after the other are released in verified batches."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Unpack

from shoal.backends.private_folder import private_folder
from shoal.errors import InputError, RequestError, shown
from shoal.hints import option
from shoal.progress import Callback, Reporter
from shoal.run.live import Shown
from shoal.run.series import person_of
from shoal.settings import RunOptions, Settings
from shoal.settings.signature import takes_options
from shoal.settings.signatures import StreamOptions
from shoal.settings.tree import settings_and_run
from shoal.streams.arrivals import Pieces, of_folder, of_items, of_pipe
from shoal.streams.delay import Delay
from shoal.streams.form import check_rules
from shoal.streams.loop import Stream
from shoal.streams.recipe import begin, check_streamed, settled, write_recipe
from shoal.streams.release import Releaser
from shoal.streams.state import State
from shoal.system.names import is_url
from shoal.table.files.formats import check_kind


@takes_options("stream")
def stream(
    source: Any,
    folder: str | os.PathLike[str],
    k: int | None = None,
    *,
    progress: Shown = False,
    callback: Callback | None = None,
    **options: Unpack[StreamOptions],
) -> Stream:
    """Release records as they come, in batches: each hides among at least k of its batch.

    Parameters
    ----------
    source : path or iterable
        A folder whose files are read by name, or an iterable whose items are records (dicts) or
        tables (dataframes, Arrow tables, lists of dicts).
    folder : path
        Where the batches go: batch-000001.csv and so on. What is private lies beside it, in
        FOLDER.private/: the records that wait, and the ledger of who was released.
    progress : bool or callable, default False
        True shows how far each batch is. A callable gets a `Progress`, as `callback` does.
    callback : callable, optional
        Gets a `Progress`; True from it cancels.
    {options}

    Returns
    -------
    Stream
        An iterator over the batches, each verified and written when it is returned. `counts` says
        what became of all records.

    Raises
    ------
    InputError
        Records cannot be read, or are not as the first ones were.
    RequestError
        The options contradict each other, or those that the stream was begun with.
    PrivacyError
        So many records wait in vain that no batch will come of them.

    Notes
    -----
    A batch is made when `batch` records wait, when one of them has waited as long as `delay` says,
    and, without a `delay`, when the source ends. Everybody is released once: records of a `person`
    who came before are left out and counted. Standardization and hierarchies are those of the first
    batch. Run again with the same folder, a stream goes on where it was, also if it was killed; an
    iterable may then begin from its start.

    Examples
    --------
    >>> import tempfile
    >>> import shoal
    >>> people = [{"id": str(n), "age": 20 + n % 50, "stay": n % 9} for n in range(300)]
    >>> with tempfile.TemporaryDirectory() as place:
    ...     stays = shoal.stream(people, f"{place}/out", 5, batch=100, person="id",
    ...                          quasi_identifiers=["age", "stay"])
    ...     [batch.records for batch in stays]
    [100, 100, 100]
    """
    settings, run = settings_and_run({"k": k, **options})
    return stream_with(source, Path(folder), settings, run, (progress, callback))


def stream_with(
    source: Any,
    folder: Path,
    settings: Settings,
    run: RunOptions,
    shown_by: tuple[Shown, Callback | None] | Reporter = (False, None),
    pipe: tuple[BinaryIO, str] | None = None,
) -> Stream:
    """Return the Stream of a source and settings; a `pipe` with its format is read instead."""
    person = person_of(settings)
    check_kind(settings.stream.format)
    check_streamed(settings)
    check_rules(settings)
    delay = Delay.of(settings.stream.delay, settings.protect.k)
    if settings.stream.batch < settings.protect.k:
        raise RequestError(
            f"{option('batch', settings.stream.batch)}: a batch has at least k = "
            f"{settings.protect.k} records"
        )
    if is_url(str(folder)):
        raise RequestError(f"{shown(folder)}: batches are written to a folder of this machine")
    private = private_folder(folder)
    own = settled(settings, private)
    state = State(private)
    try:
        pieces = _pieces(source, pipe, own, state, run.follow)
        begin(state, own)
        named = pipe is None and isinstance(source, str | os.PathLike)
        write_recipe(settings, os.fspath(source) if named else None, private)
        return Stream(Releaser(own, folder, state, run.threads), person, delay, pieces, shown_by)
    except BaseException:
        state.close()
        raise


def _pieces(
    source: Any, pipe: tuple[BinaryIO, str] | None, settings: Settings, state: State, follow: bool
) -> Pieces:
    """Return what comes from a source."""
    if pipe is not None:
        return of_pipe(*pipe, settings)
    if isinstance(source, str | os.PathLike):
        if not Path(source).is_dir():
            raise InputError(f"{shown(source)}: a stream comes from a folder; this is none")
        if Path(source).resolve() == state.folder.with_suffix("").resolve():
            raise RequestError(
                f"{shown(source)}: batches go to another folder than records come to"
            )
        return of_folder(Path(source), settings, state.rows_of, follow)
    if not isinstance(source, Iterable):
        raise RequestError("a stream comes from a folder, or from an iterable of records or tables")
    return of_items(source, settings.stream.batch)
