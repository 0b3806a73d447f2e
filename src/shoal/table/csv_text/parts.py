"""The parts of a csv text, read side by side, and the columns that they are together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import InputError
from shoal.executor import Threads
from shoal.kernels.arrays import Flags, Integers
from shoal.table.csv_text.cells import Cells
from shoal.table.csv_text.decide import Where, decide, doubt_of, misfit, released_texts, values_of
from shoal.table.csv_text.facts import Facts, look
from shoal.table.csv_text.scan import WHOLE, Buffer, check_text, without_mark
from shoal.table.csv_text.split import (
    PIECE,
    Head,
    Part,
    bytes_of,
    cuts,
    first_empty_line,
    head_of,
    lines_of,
    scan_part,
    scan_text,
    split,
    too_much_text,
    unswapped,
    unswapped_head,
)
from shoal.table.dialects.dialect import PLAIN, QUOTE, Dialect
from shoal.table.roles import Column, Kind


class Text:
    """A csv text in parts: its header, and the cells of its records.

    A part has about `piece` bytes. Whatever it shows to be wrong is told by a look at the whole
    text, so that the first fault of a file is the same wherever it is cut.
    """

    def __init__(
        self,
        raw: Buffer,
        name: str,
        delimiter: str | None,
        threads: int | None = None,
        dialect: Dialect = PLAIN,
        piece: int = PIECE,
    ) -> None:
        raw = without_mark(raw, name)
        self._dialect = dialect
        self._pool = Threads(threads if len(raw) > piece else 1)
        try:
            self.head = head_of(raw, name, delimiter)
            pieces = cuts(raw, len(self.head.raw), _end(raw, self.head), piece)
            self.parts = list(self._pool.map(self._part, pieces))
        except InputError:
            whole = bytes(raw)
            check_text(whole, name)
            self.head, part, _ = scan_text(whole, name, delimiter)
            self.parts = [part]
        if dialect.quote != QUOTE:
            self.head = unswapped_head(self.head, dialect.quote)
            self.parts = [unswapped(part, dialect.quote) for part in self.parts]

    def _part(self, piece: memoryview) -> Part:
        part = split(piece, self.head)
        if part is None:
            raw = bytes(piece)
            check_text(raw, "")
            part, layout = scan_part(raw, self.head, "", WHOLE)
            if first_empty_line(self.head.raw + raw, layout, WHOLE) is not None:
                raise InputError("an empty line between records")  # the whole tells where
        return part

    @property
    def records(self) -> int:
        """The number of records."""
        return sum(part.records for part in self.parts)

    @property
    def lines(self) -> Integers | None:
        """The line of each record, header first; None: record r stands on line r + 1."""
        return lines_of(self.parts, 1 + self.head.raw.count(b"\n"))

    def columns(
        self, missing: tuple[str, ...], types: Mapping[str, str], where: Where
    ) -> tuple[Column, ...]:
        """Return the columns with kinds and values; InputError where one is not as declared."""

        def seen(part: Part) -> list[tuple[Cells, Facts]]:
            every = [
                Cells(cells, missing, types.get(name), self._dialect.notation(name))
                for name, cells in zip(self.head.names, part.cells, strict=True)
            ]
            return [(cells, look(cells)) for cells in every]

        looks = list(self._pool.map(seen, self.parts))
        decided = []
        for index, name in enumerate(self.head.names):
            every = [look[index] for look in looks]
            facts = Facts()
            for _, own in every:
                facts = facts.joined(own)
            cells = [own for own, _ in every]
            verdict = decide(name, facts, types.get(name))
            doubt = doubt_of(cells, verdict, where)
            if doubt is not None and name in types:
                raise misfit(name, doubt)
            decided.append((cells, verdict, doubt))

        def made(index: int) -> Column:
            cells, verdict, doubt = decided[index]
            whole = self._cells(index)
            if verdict.kind is Kind.TEXT:
                values = released_texts(Cells(whole, missing, None, cells[0].notation))
            else:
                values = joined([values_of(own, verdict) for own in cells])
            return Column(
                self.head.names[index],
                verdict.kind,
                values,
                written=verdict.written,
                cells=whole,
                quoted=self._quoted(index),
                doubt=doubt,
            )

        return tuple(self._pool.map(made, range(len(decided))))

    def _cells(self, index: int) -> Any:
        cells = [part.cells[index] for part in self.parts]
        if sum(bytes_of(own).size for own in cells) >= 2**31:
            raise too_much_text(index)
        return joined(cells)

    def _quoted(self, index: int) -> Flags | None:
        flags = [part.quoted[index] for part in self.parts]
        if all(own is None for own in flags):
            return None
        return np.concatenate(
            [
                np.zeros(part.records, dtype=bool) if own is None else own
                for part, own in zip(self.parts, flags, strict=True)
            ]
        )


def joined(arrays: list[Any]) -> Any:
    """Return arrays one after the other as one."""
    return arrays[0] if len(arrays) == 1 else pa.concat_arrays(arrays)


def _end(raw: Buffer, head: Head) -> int:
    """Return where the records end: empty lines at the end of a file are none."""
    if len(head.names) == 1 or not bytes(raw[-3:]).endswith((b"\n\n", b"\n\r\n")):
        return len(raw)
    end = len(bytes(raw).rstrip(b"\r\n"))
    rest = bytes(raw[end:])
    has_lone = rest.count(b"\r") != rest.count(b"\r\n")
    return len(raw) if has_lone else max(end, len(head.raw))
