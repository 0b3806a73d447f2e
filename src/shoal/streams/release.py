"""Release of a batch: grouped, written, verified, noted in the ledger, and named; or not at all."""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import PrivacyError
from shoal.judge.engine import limited
from shoal.ledger.book import Book, entry_of
from shoal.ledger.history import History
from shoal.ledger.ledger import Frame, locked
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.result import Result
from shoal.progress import Reporter
from shoal.release.prepare import prepared
from shoal.release.save import judged_entry, verified_bytes
from shoal.release.write import release_bytes, row_order
from shoal.series.series import Series
from shoal.settings import Settings
from shoal.settings.data import InputSettings
from shoal.storage.staging import Staging, finish_naming, uninterrupted
from shoal.streams.form import Form, Waiting
from shoal.streams.state import Noted, State

LOG = logging.getLogger(__name__)
FORM, FRAME, LAST = "form", "frame", "ledger"  # notes of the state
ALL = 0.999999  # the share that may be withheld from a batch: they wait on


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
            self.book = Book.open(self.ledger, b"" if noted is None else noted.line)
            if noted is not None:
                self._take_up(noted)
            self._know_people()

    @property
    def form(self) -> Form | None:
        """What the columns are; None before anything came."""
        text = self.state.note(FORM)
        return None if text is None else Form.from_json(text)

    def release(self, waiting: Waiting, come: int, report: Reporter) -> Batch | None:
        """Release what can be released of the records that wait; None where nothing can be."""
        form, person = self.form, self.settings.roles.person
        assert form is not None
        assert person is not None
        with locked(self.ledger):
            if not self.book.is_as_it_was:
                self.book = Book.open(self.ledger)
                waiting = self._know_people() or waiting
            if waiting.rows < self.settings.protect.k:
                return None
            table = form.table(waiting.frame, self.settings)
            text = self.state.note(FRAME)
            frame = None if text is None else Frame.from_tree(json.loads(text))
            asked = self.settings.replace(series={"stable": frame is not None, "withhold": ALL})
            asked = asked.model_copy(update={"input": InputSettings()})
            series = Series(
                asked, ledger=self.book.ledger(frame), history=History(), person=person,
                strict=False,
            )  # fmt: skip
            try:
                result = anonymize_with(
                    table, asked, report, self.threads, measured=False, kind=self.kind,
                    series=series,
                )  # fmt: skip
            except PrivacyError as error:
                LOG.warning("no batch could be made, its records wait: %s", error)
                return None
            report("saving", 0, 1)
            return self._write(result, form.fixed(waiting.frame, table), come)

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
            frame = "" if pending.frame is None else json.dumps(asdict(pending.frame))
            digest = hashlib.sha256(content).hexdigest()
            noted = Noted(
                number, target.name, temporary.name, digest, self.book.line(entry),
                tuple(pending.people), form.to_json(), frame,
            )  # fmt: skip
            with uninterrupted():
                with self.state.changing():
                    self.state.set_noted(noted)
                longer = self.book
                try:
                    longer = self.book.append(entry, noted.line)
                    staging.commit()
                except BaseException:
                    self.book.cut()
                    with self.state.changing():
                        self.state.set_noted(None)
                    raise
                self.book = longer
                self._let_go(noted)
        loss = result.report.information_loss
        return Batch(number, target, len(noted.people), seen.classes, seen.k, loss, come)

    def _let_go(self, noted: Noted) -> None:
        """Note that a batch is released: its records wait no more."""
        parts = [one.without(noted.people) for one in self.state.waiting()]
        left = [one for one in parts if one.rows]
        form = Form.from_json(noted.form)
        rest = Waiting.joined(left, form) if left else None
        with self.state.changing():
            self.state.set_waiting(rest)
            self.state.add(released=len(noted.people), waiting=-len(noted.people), batches=1)
            self.state.set_note(FORM, noted.form)
            if noted.frame and self.state.note(FRAME) is None:
                self.state.set_note(FRAME, noted.frame)
            self.state.set_note(LAST, self.book.last)
            self.state.set_noted(None)

    def _take_up(self, noted: Noted) -> None:
        """Finish the batch that a killed run was releasing, or let its records wait on."""
        target, temporary = self.folder / noted.file, self.folder / noted.temporary
        if noted.sha256 not in self.book.files:
            entry = entry_of(noted.line)
            written = _is(temporary, noted.sha256)
            if not written or self.book.line(entry) != noted.line:  # or others wrote there since
                self.book.cut()
                temporary.unlink(missing_ok=True)
                with self.state.changing():
                    self.state.set_noted(None)
                return
            self.book = self.book.append(entry, noted.line)
        if _is(target, noted.sha256) or _is(temporary, noted.sha256):
            finish_naming(temporary, target)
        else:
            LOG.warning("%s was released, and is not there any more", noted.file)
        self._let_go(noted)

    def _know_people(self) -> Waiting | None:
        """Learn who is in the ledger, if others wrote there; who waits and is, waits no more."""
        if self.state.note(LAST) == self.book.last:
            return None
        parts = self.state.waiting()
        form = self.form
        everybody = {person for one in parts for person in one.people}
        gone: set[str] = set()

        def know(people: Sequence[str]) -> None:
            own = set(people)
            gone.update(own & everybody)
            self.state.add_people(list(own - everybody))

        with self.state.changing():
            self.book.visit(know)
            again = len(gone)
            left = (self.book.left & everybody) - gone
            rest = None
            if parts and form is not None:
                rest = Waiting.joined(parts, form).without([*gone, *left])
                self.state.set_waiting(rest)
            self.state.add(again=again, left=len(left), waiting=-again - len(left))
            self.state.set_note(LAST, self.book.last)
        return rest

    def withhold(self, waiting: Waiting, flags: Any) -> Waiting:
        """Withhold some of the records that wait for good, and return the others."""
        rest = waiting.take(~np.asarray(flags, dtype=bool))
        with self.state.changing():
            self.state.set_waiting(rest)
            gone = waiting.rows - rest.rows
            self.state.add(withheld=gone, waiting=-gone)
        return rest


def _is(path: Path, digest: str) -> bool:
    """Tell whether a file is there, with this content."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == digest
    except OSError:
        return False
