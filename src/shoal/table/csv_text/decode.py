"""Whether bytes are UTF-8 text, and where they are not."""

from __future__ import annotations

import codecs
from dataclasses import dataclass

from shoal.errors import InputError
from shoal.hints import option

Buffer = bytes | memoryview  # text as bytes, or a view of it that is no copy
MARK = codecs.BOM_UTF8
MAGIC = 4  # the most bytes that tell another format


@dataclass(frozen=True)
class Begin:
    """Where a piece of a file begins: what to add to its own lines, records and bytes."""

    lines: int = 0
    records: int = 0
    offset: int = 0


WHOLE = Begin()


def without_mark(raw: Buffer, name: str) -> Buffer:
    """Return a text without a byte order mark; other formats are refused."""
    first = bytes(raw[:MAGIC])
    for magic, what in (
        (b"%PDF", "a PDF file"),
        (b"PK\x03\x04", "a zip or Excel file"),
        (b"\x1f\x8b", "a gzip file; name it .csv.gz"),
        (b"PAR1", "a Parquet file; name it .parquet"),
        (b"\xd0\xcf\x11\xe0", "an old Excel file"),
    ):
        if first.startswith(magic):
            raise InputError(f"{name}: not text but {what}")
    return raw[len(MARK) :] if first.startswith(MARK) else raw


def check_text(raw: bytes, name: str, begin: Begin = WHOLE) -> None:
    """Raise InputError where bytes are not UTF-8 text."""
    zero = raw.find(b"\0")
    if zero >= 0:
        line = raw.count(b"\n", 0, zero) + 1 + begin.lines
        raise InputError(
            f"{name}, line {line}: a NUL byte (offset {zero + begin.offset}); "
            "the file is damaged, or it is no UTF-8 text: say what it is, as "
            f"{option('encoding', 'utf-16-le')}"
        )
    try:
        raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1 + begin.lines
        byte = error.start + begin.offset
        raise InputError(
            f"{name}, line {line}: byte {byte} is not UTF-8; say what the text is, as "
            f"{option('encoding', 'cp1252')} (`shoal inspect` proposes)"
        ) from None
