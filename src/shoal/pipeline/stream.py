"""`stream`: records that come one after the other are released in verified batches."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any, BinaryIO, Unpack

from shoal.errors import InputError, RequestError, listed, shown
from shoal.hints import Hint, option
from shoal.pipeline.batches import Releaser, Stream
from shoal.pipeline.live import Shown
from shoal.progress import Callback, Reporter
from shoal.release.save import seen_from
from shoal.series.arrivals import Delay, Pieces, of_folder, of_items, of_pipe
from shoal.series.records import person_of
from shoal.series.waiting import State
from shoal.settings import RunOptions, Settings
from shoal.settings.model import FORM, STREAM
from shoal.settings.signatures import StreamOptions
from shoal.settings.table import RUN, TABLE, Entry, commands_of, takers_of, takes_options
from shoal.settings.tree import settings_and_run
from shoal.storage.names import is_url
from shoal.storage.private_folder import RECIPE, SUFFIX, private_folder
from shoal.storage.staging import Staging
from shoal.table.files.formats import check_kind
from shoal.table.hierarchy.specify import is_file
from shoal.version import __version__

LEDGER, REQUEST = "stream.ledger", "request"
READ_BY = "input"  # the part that says how records are read


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


def check_streamed(settings: Settings) -> None:
    """Raise RequestError for what a recipe asks for and no stream can do."""
    for entry in TABLE.values():
        if STREAM in takers_of(entry) or STREAM in commands_of(entry) or entry.part == RUN:
            continue
        if _value(settings.model_dump(), entry) != entry.default:
            raise RequestError(f"a stream takes no {Hint(entry.name).mark}; leave it out")
    for name, rule in settings.hierarchies.items():
        if rule == "balanced":  # batches could not be compared
            raise RequestError(
                f"{listed([name])}: balanced follows the data of each batch; take widths or cuts, "
                f"{option('hierarchies', {name: 'widths:5,10'})}"
            )


def settled(settings: Settings, private: Path) -> Settings:
    """Return settings whose files are found from anywhere, with the ledger of the stream."""
    ledger = settings.series.ledger
    folder = settings.input.hierarchies
    return settings.replace(
        input={
            "path": None, "sha256": None, "commitment": None, "hierarchies_sha256": {},
            "hierarchies": None if folder is None else _whole(folder),
        },
        hierarchies={
            name: _whole(rule) if is_file(rule) else rule
            for name, rule in settings.hierarchies.items()
        },
        release={"output": None},
        series={"ledger": _whole(private / LEDGER if ledger is None else ledger)},
    ).model_copy(update={"shoal": None, "form": None})  # fmt: skip


def _whole(path: str | Path) -> str:
    """Return a path that is found from anywhere."""
    return os.path.abspath(path)  # noqa: PTH100 - without following links


def write_recipe(settings: Settings, source: str | None, private: Path) -> None:
    """Write the recipe into the private folder, unless it is there."""
    own = settled(settings, private)
    ledger = None if settings.series.ledger is None else own.series.ledger
    recipe = own.model_copy(
        update={"shoal": __version__, "form": FORM}
    ).replace(
        input={
            "path": seen_from(source, private),
            "hierarchies": seen_from(own.input.hierarchies, private),
        },
        hierarchies={
            name: str(seen_from(rule, private)) if is_file(rule) else rule
            for name, rule in own.hierarchies.items()
        },
        release={"output": f"../{private.name.removesuffix(SUFFIX)}/"},
        series={"ledger": seen_from(ledger, private)},
    )  # fmt: skip
    content, target = recipe.to_toml(streamed=True).encode("utf-8"), private / RECIPE
    if target.is_file() and target.read_bytes() == content:
        return
    with Staging(force=True) as staging:
        staging.check(target)
        staging.add(target, content, private=True)
        staging.commit()


def begin(state: State, settings: Settings) -> None:
    """Note what a stream is begun with; once a batch is released, it stays.

    Before, it may change; but who is who and how records are read stay once records have come.
    """
    tree = settings.model_dump(mode="json")
    options = {
        name: _value(tree, entry)
        for name, entry in TABLE.items()
        if entry.part != RUN and name not in ("batch", "delay")
    }
    asked, before = json.dumps(options, default=str), state.note(REQUEST)
    if before == asked:
        return
    counts = state.counts
    if before is not None:
        own, other = json.loads(asked), json.loads(before)
        changed = [name for name in own if own[name] != other[name]]
        if changed and (counts.batches or state.noted() is not None):
            raise RequestError(
                f"{shown(state.folder)}: batches were released with other options: "
                f"{_named(changed)}; say them as {RECIPE} there does, or begin another folder "
                f"(only {option('batch')} and {option('delay')} may change)"
            )
        fixed = ("person", "ledger")  # records that came were numbered, and read, by these
        kept = [one for one in changed if one in fixed or TABLE[one].part == READ_BY]
        if counts.come and kept:
            raise RequestError(
                f"{shown(state.folder)}: records wait that came with other options: "
                f"{_named(kept)}; say them as {RECIPE} there does, or begin another folder"
            )
    with state.changing():
        if before is not None and not counts.come:
            state.forget()
        state.set_note(REQUEST, asked)


def _named(changed: list[str]) -> str:
    """Return the names of options as a list."""
    return ", ".join(Hint(name).mark for name in changed)


def _value(tree: dict[str, Any], entry: Entry) -> Any:
    """Return the value of an option in a tree of settings."""
    place = tree.get(entry.part, {}) if entry.part else tree
    return place.get(entry.field)
