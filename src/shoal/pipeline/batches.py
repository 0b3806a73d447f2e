"""A stream: records that come one after the other, released in verified batches.

Records wait until a batch is full, or one of them has waited as long as it may; then all that wait
are grouped by `anonymize`, as any table. Standardization and hierarchies are those of the first
batch. Everybody is released once: whose number is in the ledger, or waits, does not come again.

**Whole or not at all.** `series/waiting.py` is a database for the owner alone, beside the folder of
batches: who has come, which records wait, how far each file was read, and the batch that is being
released. A batch goes through five steps, and a run that is killed anywhere is taken up by the next
one:

1. the file is written under a temporary name, brought to the disk, and verified by the judge;
2. the database notes the batch and its line of the ledger: from here on it will be released;
3. the line is appended to the ledger;
4. the file gets its name;
5. the database lets go of its records.

Killed before 2, the records still wait. After 2, the next run does what is left of 3 to 5: each can
be done again. If the file is gone by then (somebody took it as soon as it had its name), it counts
as released: nobody is released twice.
"""

from __future__ import annotations

import hashlib
import logging
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc

from shoal.errors import PrivacyError, shown
from shoal.hints import COLUMN, option
from shoal.judge.engine import limited
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.result import Result
from shoal.progress import Callback, Reporter
from shoal.release.prepare import prepared
from shoal.release.save import judged_entry, verified_bytes
from shoal.release.write import release_bytes, row_order
from shoal.series.arrivals import Delay, Piece, Pieces
from shoal.series.form import ARRIVAL, PERSON, TIME, Form, joined, with_arrivals, without_people
from shoal.series.ledger import FRAME as FRAMES
from shoal.series.ledger import Frame, Leaving, Ledger, Release, entry_of, locked
from shoal.series.records import History, numbers_of
from shoal.series.series import Series
from shoal.series.waiting import FORM, FRAME, Counts, Noted, State
from shoal.settings import Settings
from shoal.settings.data import InputSettings
from shoal.storage.staging import Staging, finish_naming, uninterrupted
from shoal.table.table import Table

LOG = logging.getLogger(__name__)
LAST = "ledger"  # the note of where the ledger ended
ALL = 0.999999  # the share that may be withheld from a batch: they wait on
MOST = 4  # batches of records that may wait because no group takes them


@dataclass(frozen=True)
class Batch:
    """A batch that was released: its number and file, and what the judge counted in it.

    `smallest` is the size of its smallest class; `loss` is its information loss in percent, where
    it is known. `come` is how many records had come when it was made.
    """

    number: int
    path: Path
    records: int
    classes: int
    smallest: int
    loss: float | None
    come: int

    def to_dict(self) -> dict[str, object]:
        """Return plain values for JSON."""
        return {**asdict(self), "path": str(self.path)}


class Releaser:
    """Makes the batches of one stream, one after the other."""

    def __init__(self, settings: Settings, folder: Path, state: State, threads: int | None) -> None:
        assert settings.series.ledger is not None
        self.settings, self.folder, self.kind = settings, folder, settings.stream.format
        self.state, self.threads = state, threads
        self.ledger = Path(settings.series.ledger)
        noted = state.noted()
        with locked(self.ledger):
            if not self.ledger.exists():
                Ledger.open(self.ledger).write()
            torn = b"" if noted is None else noted.line.encode()
            self.book = Ledger.load(self.ledger, people=False, torn=torn)
            if noted is not None:
                self._take_up(noted)
            self._know_people()

    def release(self, waiting: Any, come: int, report: Reporter) -> Batch | None:
        """Release what can be released of the records that wait; None where nothing can be."""
        form, person = self.state.form, self.settings.roles.person
        assert form is not None
        assert person is not None
        with locked(self.ledger):
            if not self.book.is_as_it_was:
                self.book = Ledger.load(self.ledger, people=False)
                self._know_people()
                waiting = joined([waiting.slice(0, 0), *self.state.waiting()])
            if waiting.num_rows < self.settings.protect.k:
                return None
            records = waiting.select(list(form.names))
            table = form.table(records, self.settings)
            text = self.state.note(FRAME)
            book = self._promised(None if text is None else FRAMES.validate_json(text))
            asked = self.settings.replace(series={"stable": text is not None, "withhold": ALL})
            asked = asked.model_copy(update={"input": InputSettings()})
            series = Series(asked, ledger=book, history=History(), person=person, strict=False)
            try:
                result = anonymize_with(
                    table, asked, report, self.threads, measured=False, kind=self.kind,
                    series=series,
                )  # fmt: skip
            except PrivacyError as error:
                LOG.warning("no batch could be made, its records wait: %s", error)
                return None
            report("saving", 0, 1)
            return self._write(result, form.fixed(records, table), come)

    def _promised(self, frame: Frame | None) -> Ledger:
        """Return a ledger that knows promises and who left: nobody is in two releases of a stream.

        Its last release has the frame of the first batch, which is that of all. One release a
        promise is enough, however many batches there are.
        """
        made = [one for one in self.book.entries if isinstance(one, Release)]
        known = {one.promise: replace(one, frame=frame) for one in made}
        left = [one for one in self.book.entries if isinstance(one, Leaving)]
        return replace(self.book, entries=(*known.values(), *left))

    def _write(self, result: Result[Any], form: Form, come: int) -> Batch:
        """Write a batch: a file that is verified, its entry, and its name together."""
        pending = result.pending
        assert pending is not None
        number = self.state.counts.batches + 1
        target = self.folder / f"batch-{number:06}.{self.kind}"
        release = prepared(result, self.kind)
        order = row_order(release.table.rows, keep=False)
        content = release_bytes(release.table, order, self.kind, self.threads)
        with Staging(force=False, folders=[self.folder]) as staging:
            staging.check(target)
            temporary = staging.add(target, content)
            with limited(threads=self.threads):
                seen = verified_bytes(release, order, temporary, content, self.kind)
            entry = judged_entry(pending, release, order, temporary, target.name, self.kind)
            frame = "" if pending.frame is None else FRAMES.dump_json(pending.frame).decode()
            noted = Noted(
                number, target.name, temporary.name, hashlib.sha256(content).hexdigest(),
                self.book.line(entry).decode(), form.to_json(), frame,
            )  # fmt: skip
            with uninterrupted():
                with self.state.changing():
                    self.state.set_noted(noted)
                longer = self.book
                try:
                    longer = self.book.append(entry)
                    staging.commit()
                except BaseException:
                    self.book.cut()
                    with self.state.changing():
                        self.state.set_noted(None)
                    raise
                self.book = longer
                self._let_go(noted)
        loss = result.report.information_loss
        return Batch(number, target, len(pending.people), seen.classes, seen.k, loss, come)

    def _let_go(self, noted: Noted) -> None:
        """Note that a batch is released: its records wait no more."""
        entry = entry_of(noted.line.encode())
        assert isinstance(entry, Release)
        people = entry.roll.people
        rest = [without_people(one, people) for one in self.state.waiting()]
        with self.state.changing():
            self.state.set_waiting(rest)
            self.state.add(released=len(people), waiting=-len(people), batches=1)
            self.state.set_note(FORM, noted.form)
            if noted.frame and self.state.note(FRAME) is None:
                self.state.set_note(FRAME, noted.frame)
            self.state.set_note(LAST, self.book.last)
            self.state.set_noted(None)

    def _take_up(self, noted: Noted) -> None:
        """Finish the batch that a killed run was releasing, or let its records wait on."""
        target, temporary = self.folder / noted.file, self.folder / noted.temporary
        if noted.sha256 not in {one.sha256 for one in self.book.releases}:
            line, written = noted.line.encode(), _is(temporary, noted.sha256)
            entry = entry_of(line)
            if not written or self.book.line(entry) != line:  # or others wrote there since
                self.book.cut()
                temporary.unlink(missing_ok=True)
                with self.state.changing():
                    self.state.set_noted(None)
                return
            self.book = self.book.append(entry)
        if _is(target, noted.sha256) or _is(temporary, noted.sha256):
            finish_naming(temporary, target)
        else:
            LOG.warning("%s was released, and is not there any more", noted.file)
        self._let_go(noted)

    def _know_people(self) -> None:
        """Learn who is in the ledger, if others wrote there; who waits and is, waits no more."""
        if self.state.note(LAST) == self.book.last:
            return
        parts = self.state.waiting()
        waiting = {person for one in parts for person in one[PERSON].to_pylist()}
        with self.state.changing():
            again: set[str] = set()
            for people in self.book.people():
                again |= waiting.intersection(people)
                self.state.add_people(list(set(people) - waiting))
            left = (self.book.left & waiting) - again
            gone = [*again, *left]
            self.state.set_waiting([without_people(one, gone) for one in parts])
            self.state.add(again=len(again), left=len(left), waiting=-len(gone))
            self.state.set_note(LAST, self.book.last)


def _is(path: Path, digest: str) -> bool:
    """Tell whether a file is there, with this content."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == digest
    except OSError:
        return False


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
        self._waiting = sum(one.num_rows for one in parts)
        self._first = min((pc.min(one[ARRIVAL]).as_py() for one in parts), default=None)
        self._since = min((pc.min(one[TIME]).as_py() for one in parts), default=math.inf)
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
        table, state, come, now = piece.table, self._state, self._counts.come, time.time()
        form = state.form or Form.of(table, self._person, self._releaser.settings)
        frame = form.frame(table)
        people = self._numbers(form, frame, table)
        left, seen = self._releaser.book.left, set()
        fresh = []
        for one, is_unknown in zip(people, state.unknown(people), strict=True):
            fresh.append(is_unknown and one not in left and one not in seen)
            seen.add(one)
        gone, rows = sum(one in left for one in people), table.rows
        some = with_arrivals(frame, people, come, now).filter(np.array(fresh, dtype=bool))
        with state.changing():
            if state.note(FORM) is None and rows:
                state.set_note(FORM, form.to_json())
            state.add_waiting(some)
            state.add_people(some[PERSON].to_pylist())
            again = rows - some.num_rows - gone
            state.add(come=rows, waiting=some.num_rows, again=again, left=gone)
            if piece.file:
                state.set_rows(piece.file, piece.taken, piece.mark)
        if some.num_rows and self._first is None:
            self._first, self._since = some[ARRIVAL][0].as_py(), now
        self._waiting += some.num_rows
        self._counts = state.counts

    def _numbers(self, form: Form, frame: Any, table: Table) -> list[str]:
        """Return the number of each record's person."""
        if self._person not in form.names:
            table[self._person]  # says which columns there are
        cells = form.table(frame.select([self._person]), self._releaser.settings)
        where = f"{table.source.name}, person {shown(self._person)}"
        advice = f"; name another column with {option('person', COLUMN)}"
        return numbers_of(cells[self._person], self._releaser.book.key, where, advice)

    def _release(self) -> Batch | None:
        """Release what waits, as far as it can be; withhold who has waited too long."""
        parts, made = self._state.waiting(), None
        if not parts:
            return None
        if self._waiting >= self._releaser.settings.protect.k:
            waiting, shown_by = joined(parts), self._shown_by
            if isinstance(shown_by, Reporter):
                made = self._releaser.release(waiting, self._counts.come, shown_by)
            else:
                with reporting(*shown_by) as report:
                    made = self._releaser.release(waiting, self._counts.come, Reporter.of(report))
        self._load()
        if self._is_due():
            self._withhold()
        self._full = self._batch if made is not None else self._waiting + self._batch
        if made is None and self._waiting >= MOST * self._batch:
            raise PrivacyError(
                f"{self._waiting:,} records wait, and no group can take them; ask for less, say "
                f"how long they may wait with {option('delay')}, or make larger batches with "
                f"{option('batch')}; nothing is lost"
            )
        return made

    def _withhold(self) -> None:
        """Withhold those who have waited as long as they may."""
        waiting, now, come = joined(self._state.waiting()), time.time(), self._counts.come
        every = zip(waiting[ARRIVAL].to_pylist(), waiting[TIME].to_pylist(), strict=True)
        stays = np.array([not self._delay.is_over(*one, come, now) for one in every], dtype=bool)
        gone = int((~stays).sum())
        with self._state.changing():
            self._state.set_waiting([waiting.filter(stays)])
            self._state.add(withheld=gone, waiting=-gone)
        self._load()
