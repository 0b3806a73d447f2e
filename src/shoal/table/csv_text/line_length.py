"""Limit on the length of a line, checked while a file is read."""

from __future__ import annotations

import numpy as np

from shoal.errors import InputError
from shoal.table.csv_text.decode import Buffer
from shoal.table.csv_text.scan import LF, NEAR, count_of

MAX_LINE = 2**24  # bytes


class Lines:
    """Watches text as it passes by, `part` by part, and refuses a line too long to be a record.

    Precondition: parts come in order. Postcondition: no line of what was seen is longer than
    `most`.
    """

    def __init__(self, name: str, most: int = MAX_LINE, part: int = NEAR) -> None:
        self._name, self.most, self._part = name, most, part
        self._lines = self._open = 0

    def see(self, text: Buffer) -> None:
        """Check the next part."""
        for start in range(0, len(text), self._part):
            self._see(bytes(text[start : start + self._part]))

    def _see(self, part: bytes) -> None:
        first = part.find(b"\n")
        if self._open + (len(part) if first < 0 else first) > self.most:
            raise InputError(
                f"{self._name}, line {self._lines + 1}: longer than {self.most // 2**20} MB; "
                "this is no table, or its line ends are missing"
            )
        if first < 0:
            self._open += len(part)
        else:
            self._lines += count_of(np.frombuffer(part, dtype=np.uint8), LF)
            self._open = len(part) - 1 - part.rfind(b"\n")
