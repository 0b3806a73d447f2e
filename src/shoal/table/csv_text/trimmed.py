"""Trimmed: the texts of a column without blanks around them, as bytes."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from shoal.backends.once import once
from shoal.kernels.arrays import Flags
from shoal.table.csv_text.scan import near
from shoal.table.csv_text.split import bytes_of, offsets_of

BLANKS = " \t"
BLANK_BYTES = tuple(BLANKS.encode())

Lengths = npt.NDArray[np.int32]


class Trimmed:
    """Texts of one column without blanks around them; those of missing cells are null and empty."""

    def __init__(self, cells: Any, absent: Flags | None) -> None:
        if absent is not None:
            if np.diff(offsets_of(cells))[absent].any():
                cells = pc.if_else(pa.array(absent), "", cells)
            cells = with_nulls(cells, absent)
        self.texts, self._absent = cells, absent
        if self._has_blanks():
            self.texts = pc.ascii_trim(cells, BLANKS)

    def _has_blanks(self) -> bool:
        """Tell whether some text begins or ends with a blank; few columns have any at all."""
        data = bytes_of(self.texts)
        if not data.size or data.min() > max(BLANK_BYTES):
            return False
        offsets = offsets_of(self.texts) - offsets_of(self.texts)[0]
        some = np.diff(offsets) > 0
        return any(
            bool(np.isin(_bytes_at(data, places, some), BLANK_BYTES).any())
            for places in (offsets[:-1], offsets[1:] - 1)
        )

    @once
    def data(self) -> npt.NDArray[np.uint8]:
        """The bytes of all texts."""
        return bytes_of(self.texts)

    @once
    def starts(self) -> Lengths:
        """Where each text begins in `data`, and where the last ends."""
        offsets = offsets_of(self.texts)
        return offsets if not offsets[0] else offsets - offsets[0]

    @once
    def lengths(self) -> Lengths:
        """The bytes of each text."""
        return np.diff(self.starts)

    @once
    def first(self) -> Any:
        """The first byte of each text, 0 where it has none."""
        return _bytes_at(self.data, self.starts[:-1], self.lengths > 0)

    @once
    def last(self) -> Any:
        """The last byte of each text, 0 where it has none."""
        return _bytes_at(self.data, self.starts[1:] - 1, self.lengths > 0)

    @once
    def present(self) -> Flags:
        """Which texts are not missing."""
        if self._absent is None:
            return np.ones(len(self.texts), dtype=bool)
        return ~self._absent

    @once
    def odd(self) -> int:
        """How many bytes are no digits."""
        zero = np.uint8(ord("0"))  # what is below it, is above 9 when it is taken away
        return sum(int(np.count_nonzero(part - zero > 9)) for part in near(self.data))


def _bytes_at(data: Any, places: Any, some: Flags) -> Any:
    """Return the bytes at places, one of each text; 0 for texts that have none."""
    return data.take(places, mode="clip") * some if data.size else np.zeros(some.size, np.uint8)


def with_nulls(texts: Any, absent: Flags) -> Any:
    """Return the same texts, of which some are null."""
    bits = pa.py_buffer(np.packbits(~absent, bitorder="little").tobytes())
    if texts.offset:
        texts = pa.concat_arrays([texts.slice(0, 0), texts])
    _, offsets, data = texts.buffers()
    return pa.StringArray.from_buffers(len(texts), offsets, data, bits, int(absent.sum()))
