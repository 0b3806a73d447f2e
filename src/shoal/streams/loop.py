"""The loop of a stream: records come and wait, and are released when a batch is full."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import InputError, PrivacyError, shown
from shoal.hints import COLUMN, option
from shoal.pipeline.live import Shown, reporting
from shoal.progress import Callback, Reporter
from shoal.streams.arrivals import Piece, Pieces
from shoal.streams.delay import Delay
from shoal.streams.form import Form, Waiting
from shoal.streams.release import FORM, Batch, Releaser
from shoal.streams.state import Counts
from shoal.table.hierarchy.values import distinct_values
from shoal.table.table import Table, missing_cells

MOST = 4  # batches of records that may wait because no group takes them


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
