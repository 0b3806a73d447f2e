"""`stream`: records that come one after the other are released in verified batches."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Unpack

import numpy as np

from shoal.backends.private_folder import private_folder
from shoal.errors import InputError, PrivacyError, RequestError, shown
from shoal.hints import COLUMN, option
from shoal.progress import Callback, Reporter
from shoal.run.live import Shown, reporting
from shoal.run.series import person_of
from shoal.settings import RunOptions, Settings
from shoal.settings.signature import takes_options
from shoal.settings.signatures import StreamOptions
from shoal.settings.tree import settings_and_run
from shoal.streams.arrivals import Piece, Pieces, of_folder, of_items, of_pipe
from shoal.streams.delay import Delay
from shoal.streams.form import Form, check_rules
from shoal.streams.release import FORM, Batch, Releaser, request_of
from shoal.streams.state import Counts, State
from shoal.streams.waiting import Waiting
from shoal.system.names import is_url
from shoal.table.files.formats import check_kind
from shoal.table.hierarchy.values import distinct_values
from shoal.table.table import Table, missing_cells

LEDGER, REQUEST = "stream.ledger", "request"
MOST = 4  # batches of records that may wait because no group takes them


@takes_options("stream")
def stream(
    source: Any,
    folder: str | os.PathLike[str],
    k: int | None = None,
    *,
    format: str = "csv",  # noqa: A002 - the usual word
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
    format : str, default "csv"
        csv, csv.gz, parquet, feather, arrow, jsonl, xlsx, sav, zsav, dta or xpt.
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
    return stream_with(source, Path(folder), settings, run, format, (progress, callback))


def stream_with(
    source: Any,
    folder: Path,
    settings: Settings,
    run: RunOptions,
    kind: str = "csv",
    shown_by: tuple[Shown, Callback | None] | Reporter = (False, None),
    pipe: tuple[BinaryIO, str] | None = None,
) -> Stream:
    """Return the Stream of a source and settings; a `pipe` with its format is read instead."""
    person = person_of(settings)
    check_kind(kind)
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
    if settings.series.ledger is None:
        settings = settings.replace(series={"ledger": str(private / LEDGER)})
    state = State(private)
    try:
        return Stream(
            Releaser(settings, folder, kind, _begun(state, settings, kind), run.threads), person,
            delay, _pieces(source, pipe, settings, state, run.follow), shown_by,
        )  # fmt: skip
    except BaseException:
        state.close()
        raise


def _begun(state: State, settings: Settings, kind: str) -> State:
    """Return the state, which notes what the stream was begun with; that stays."""
    asked, before = request_of(settings, kind), state.note(REQUEST)
    if before is None:
        with state.changing():
            state.set_note(REQUEST, asked)
    elif before != asked:
        raise RequestError(
            f"{shown(state.folder)}: this stream was begun with other options; say the same, or "
            f"begin another folder (only {option('batch')} and {option('delay')} may change)"
        )
    return state


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


class Stream(Iterator[Batch]):
    """The batches of a stream, as they are released; `counts` says what became of all records.

    Waiting records and the ledger lie in a private folder. `close`, or the end of a `with`, lets go
    of it before the last batch.
    """

    def __init__(
        self, releaser: Releaser, person: str, delay: Delay, pieces: Pieces,
        shown_by: tuple[Shown, Callback | None] | Reporter,
    ) -> None:  # fmt: skip
        self._releaser, self._person, self._delay = releaser, person, delay
        self._pieces, self._shown_by = pieces, shown_by
        self._state, self._batch = releaser.state, releaser.settings.stream.batch
        self._counts = self._state.counts
        self._rest: Piece | None = None
        self._load()
        self._full = self._batch
        self._made = self._run()

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> Batch:
        try:
            return next(self._made)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Stream: {self.counts.summary()}>"

    @property
    def counts(self) -> Counts:
        """What has become of the records that came, in all runs of the stream."""
        return self._counts

    @property
    def private(self) -> Path:
        """The private folder: what waits, and the ledger where no other was named."""
        return self._state.folder

    def close(self) -> None:
        """Let go of the private folder: another run may go on."""
        self._state.close()

    def _load(self) -> None:
        """Look at what waits: how many, and when the first came."""
        parts = self._state.waiting()
        self._waiting = sum(one.rows for one in parts)
        self._first = min((int(one.arrivals.min()) for one in parts), default=None)
        self._since = min((float(one.times.min()) for one in parts), default=math.inf)
        self._counts = self._state.counts

    def _run(self) -> Iterator[Batch]:
        """Let records come, and release them when a batch is full, one is due, or at the end."""
        ended = False
        while not ended:
            if self._waiting < self._full and not self._is_due():
                ended = not self._let_come()
            if (
                self._waiting >= self._full
                or self._is_due()
                or (ended and not self._delay.is_given)
            ):
                made = self._release()
                if made is not None:
                    yield made
                if isinstance(self._shown_by, Reporter) and self._shown_by.stop.finish:
                    return  # asked to end: what waits is kept

    def _is_due(self) -> bool:
        if self._first is None:
            return False
        return self._delay.is_over(self._first, self._since, self._counts.come, time.time())

    def _let_come(self) -> bool:
        """Let some records come, as many as there is room for; tell whether there may be more."""
        piece = self._rest
        if piece is None:
            try:
                piece = next(self._pieces)
            except StopIteration:
                return False
        if piece is None:
            return True
        room = min(self._full - self._waiting, self._delay.room(self._first, self._counts.come))
        piece, self._rest = piece.cut(max(int(room), 1))
        self._admit(piece)
        return True

    def _admit(self, piece: Piece) -> None:
        """Let the records of people wait who have not come before."""
        table, state, come = piece.table, self._state, self._counts.come
        form = self._releaser.form or Form.of(table, self._person, self._releaser.settings)
        frame = form.frame(table)
        people = self._numbers(form, frame, table)
        left = self._releaser.book.left
        fresh, seen = [], set()
        for one, is_unknown in zip(people, state.unknown(people), strict=True):
            fresh.append(is_unknown and one not in left and one not in seen)
            seen.add(one)
        gone = sum(one in left for one in people)
        flags = np.array(fresh, dtype=bool)
        rows = table.rows
        some = Waiting(
            frame, tuple(people), np.arange(come, come + rows), np.full(rows, time.time())
        ).take(flags)
        with state.changing():
            if state.note(FORM) is None and rows:
                state.set_note(FORM, form.to_json())
            state.add_waiting(some)
            state.add_people(some.people)
            again = rows - some.rows - gone
            state.add(come=rows, waiting=some.rows, again=again, left=gone)
            if piece.file:
                state.set_rows(piece.file, piece.taken, piece.mark)
        if some.rows and self._first is None:
            self._first, self._since = int(some.arrivals[0]), float(some.times[0])
        self._waiting += some.rows
        self._counts = state.counts

    def _numbers(self, form: Form, frame: Any, table: Table) -> list[str]:
        """Return the number of each record's person."""
        if self._person not in form.names:
            table[self._person]  # says which columns there are
        column = form.table(frame.select([self._person]), self._releaser.settings)[self._person]
        absent = int(missing_cells(column).sum())
        if absent:
            raise InputError(
                f"{table.source.name}, person {shown(self._person)}: {absent} missing cells; every "
                f"record needs one; name another column with {option('person', COLUMN)}"
            )
        values = distinct_values(column)
        hashed = [self._releaser.book.key.person(text) for text in values.texts]
        return [hashed[place] for place in values.indices.tolist()]

    def _release(self) -> Batch | None:
        """Release what waits, as far as it can be; withhold who has waited too long."""
        form, parts = self._releaser.form, self._state.waiting()
        if form is None or not parts:
            return None
        made = None
        if self._waiting >= self._releaser.settings.protect.k:
            shown_by = self._shown_by
            waiting = Waiting.joined(parts, form)
            if isinstance(shown_by, Reporter):
                made = self._releaser.release(waiting, self._counts.come, shown_by)
            else:
                with reporting(*shown_by) as report:
                    made = self._releaser.release(waiting, self._counts.come, Reporter.of(report))
        self._load()
        if self._is_due():
            self._withhold(form)
        self._full = self._batch if made is not None else self._waiting + self._batch
        if made is None and self._waiting >= MOST * self._batch:
            raise PrivacyError(
                f"{self._waiting:,} records wait, and no group can take them; ask for less, say "
                f"how long they may wait with {option('delay')}, or make larger batches with "
                f"{option('batch')}; nothing is lost"
            )
        return made

    def _withhold(self, form: Form) -> None:
        """Withhold those who have waited as long as they may."""
        waiting, now = Waiting.joined(self._state.waiting(), form), time.time()
        every = zip(waiting.arrivals.tolist(), waiting.times.tolist(), strict=True)
        flags = [self._delay.is_over(*one, self._counts.come, now) for one in every]
        self._releaser.withhold(waiting, flags)
        self._load()
