"""Pieces of a csv file, cell by cell: the judge's own parser.

A piece of whole lines is cut at the delimiters and line ends outside of quotes, all cells at once;
one that holds anything odd, such as a quote inside of a cell, is read by the standard library,
record by record, which also finds the words for what is wrong. Each byte is one character: cells
compare as bytes.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import IO

import numpy as np
import numpy.typing as npt

from shoal.errors import InputError
from shoal.judge.count_rows import Places
from shoal.judge.limits import limits
from shoal.judge.readers.cells import Bytes, Cells, TextCells
from shoal.judge.readers.lines import LINE, long_line

CELL_LIMIT = 2**20
QUOTE, NEWLINE, RETURN, NUL = 34, 10, 13, 0


class Pieces:
    """The records of an opened file, whose header was read already.

    `line` is the number of the last line that was read; `width` how many cells a record has.
    """

    def __init__(self, file: IO[bytes], name: str, sign: str, width: int, line: int) -> None:
        self.file, self.name, self.sign, self.width, self.line = file, name, sign, width, line

    def columns(self, places: list[int]) -> Iterator[list[Cells]]:
        """Yield the cells of some columns, piece by piece."""
        while piece := self._read():
            cut = self._cut(piece)
            if cut is None:
                rows = list(self._records(piece))
                if rows:
                    yield [TextCells.of([row[place] for row in rows]) for place in places]
                continue
            data, begins, lengths = cut
            self.line += piece.count(b"\n")
            yield [TextCells(data, begins[:, place], lengths[:, place]) for place in places]

    def _read(self) -> bytes:
        """Return some whole lines; the last one of the file may have no end."""
        piece = self.file.read(limits().piece)
        if piece and not piece.endswith(b"\n"):
            begun = len(piece) - piece.rfind(b"\n") - 1
            rest = self.file.readline(LINE + 2)
            if begun + len(rest) > LINE + 1:
                raise long_line(self.name, self.line + piece.count(b"\n") + 1)
            piece += rest
        return piece

    def _cut(self, piece: bytes) -> tuple[Bytes, Places, Places] | None:
        """Return the bytes, and where each cell begins and how long it is; None if it is odd."""
        if ord(self.sign) > 255 or b"\0" in piece:
            return None
        data = np.frombuffer(piece + bytes(17), np.uint8).copy()
        end = len(piece)
        if not piece.endswith(b"\n"):
            data[end] = NEWLINE
            end += 1
        own = data[:end]
        cuts = (own == ord(self.sign)) | (own == NEWLINE)
        quotes = np.cumsum(own == QUOTE, dtype=np.int32) if b'"' in piece else None
        if quotes is not None:
            cuts &= quotes & 1 == 0  # what is not inside of quotes
            if quotes[-1] & 1:
                return None
        signs = np.flatnonzero(cuts)
        if len(signs) % self.width:
            return None
        ends = signs.reshape(-1, self.width)
        lines = own[ends] == NEWLINE
        if not lines[:, -1].all() or lines[:, :-1].any():
            return None
        begins = np.empty_like(ends)
        begins.reshape(-1)[0] = 0
        begins.reshape(-1)[1:] = ends.reshape(-1)[:-1] + 1
        lengths = ends - begins
        if b"\r" in piece:
            last = own[np.maximum(ends[:, -1] - 1, 0)] == RETURN
            last &= lengths[:, -1] > 0
            lengths[:, -1] -= last
            if np.count_nonzero(own == RETURN) != np.count_nonzero(last):
                return None
        if lengths.max(initial=0) > CELL_LIMIT:
            return None
        if quotes is not None and not _unquote(own, quotes, begins, lengths):
            return None
        return data, begins, lengths

    # --- the standard library's reader

    def _records(self, piece: bytes) -> Iterator[list[str]]:
        """Yield the records of a piece; the last one may go on behind it."""
        before, left = self.line, True

        def lines() -> Iterator[str]:
            nonlocal left
            every = piece.split(b"\n")
            ended = not every[-1]
            whole = [one + b"\n" for one in every[:-1]] + ([] if ended else every[-1:])
            for number, line in enumerate(whole, 1):
                left = number < len(whole)
                yield self._line(line)
            while line := self.file.readline(LINE + 2):
                if len(line) > LINE + 1:
                    raise long_line(self.name, self.line + 1)
                yield self._line(line)

        reader = csv.reader(lines(), delimiter=self.sign, strict=True)
        try:
            while left:
                row = next(reader, None)
                if row is None:
                    return
                if len(row) != self.width:
                    cells = row or [""]  # an empty line is one empty cell
                    line = before + reader.line_num
                    if len(cells) == self.width:
                        yield cells
                        continue
                    if not row and not any(reader):  # empty lines at the end of the file
                        return
                    own = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
                    raise InputError(
                        f"{self.name}, line {line}: {own}, the header has {self.width}"
                    )
                yield row
        except csv.Error as error:
            line = before + reader.line_num
            raise InputError(f"{self.name}, line {line}: not strict csv ({error})") from None

    def _line(self, line: bytes) -> str:
        self.line += 1
        if NUL in line:
            raise InputError(f"{self.name}, line {self.line}: a NUL byte; the file is not text")
        return line.decode("latin-1")


def _unquote(data: Bytes, quotes: npt.NDArray[np.int32], begins: Places, lengths: Places) -> bool:
    """Take cells out of their quotes; tell whether no cell has a quote in it.

    data, quotes IN (bytes: quotes up to each), begins and lengths IN/OUT (rows, cells).
    """
    last = np.maximum(begins + lengths - 1, 0)
    first = quotes[begins] - (data[begins] == QUOTE)
    inside = np.where(lengths > 0, quotes[last] - first, 0)
    places = np.nonzero(inside)
    whole = (inside[places] == 2) & (lengths[places] > 1)
    whole &= (data[begins[places]] == QUOTE) & (data[last[places]] == QUOTE)
    if not whole.all():
        return False
    begins[places] += 1
    lengths[places] -= 2
    return True
