"""Bursts: text that comes in parts, each read as far as its records are whole."""

from __future__ import annotations

from dataclasses import replace

from shoal.errors import InputError, RequestError
from shoal.hints import option
from shoal.settings.data import InputSettings
from shoal.table.csv_text.parts import Text, joined
from shoal.table.csv_text.split import last_end
from shoal.table.dialects.dialect import PLAIN
from shoal.table.files.arrow_files import table_of_lines
from shoal.table.roles import Column, Kind
from shoal.table.source import Source
from shoal.table.table import Table

LONGEST = 2**24  # bytes of a record that has not ended
NAME = "stdin"


class Csv:
    """Csv text; its header is set before every burst."""

    def __init__(self, how: InputSettings) -> None:
        plain = replace(PLAIN, delimiter=how.dialect.delimiter)
        if how.dialect != plain:
            raise RequestError(
                f"csv on stdin is UTF-8 in plain notation; only {option('delimiter')} can be said "
                "of it; write files of another dialect to a folder"
            )
        self._delimiter = how.dialect.delimiter
        self._head, self._rest = b"", b""

    def add(self, part: bytes) -> Table | None:
        """Return the records that are whole with one more part; an empty part is the last."""
        self._rest += part
        end = len(self._rest) if not part else last_end(self._rest)
        if end == 0:
            _check_long(self._rest)
            return None
        raw, self._rest = self._head + self._rest[:end], self._rest[end:]
        text = Text(raw, NAME, self._delimiter, 1)
        self._head, self._delimiter = text.head.raw, text.head.delimiter
        if not self._head.endswith(b"\n"):
            self._head += b"\n"
        columns = []
        for place, name in enumerate(text.head.names):
            cells = joined([own.cells[place] for own in text.parts])
            columns.append(Column(name, Kind.TEXT, cells, cells=cells))
        source = Source(NAME, "csv", delimiter=text.head.delimiter, columns=text.head.names)
        return Table(tuple(columns), source)


class JsonLines:
    """JSON lines, one record each."""

    def __init__(self, how: InputSettings) -> None:
        if how.dialect != PLAIN or how.types:
            raise RequestError("JSON lines have types of their own; leave out those of csv text")
        self._rest = b""

    def add(self, part: bytes) -> Table | None:
        """Return the records that are whole with one more part; an empty part is the last."""
        self._rest += part
        end = len(self._rest) if not part else self._rest.rfind(b"\n") + 1
        raw, self._rest = self._rest[:end], self._rest[end:]
        if not raw.strip():
            _check_long(self._rest)
            return None
        return table_of_lines(raw, NAME)


def _check_long(rest: bytes) -> None:
    if len(rest) > LONGEST:
        raise InputError(f"{NAME}: a record of over {LONGEST:,} bytes; a quote may not be closed")
