"""Tables without delimiters: columns of the same width in all lines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from shoal.errors import InputError
from shoal.hints import option
from shoal.table.csv_text.split import Head, Part

SOME = 200  # lines that are looked at


def blank_columns(lines: Sequence[str]) -> tuple[int, ...]:
    """Return the widths of columns that blanks separate at the same places of all lines."""
    some = [line.rstrip("\r\n") for line in lines if line.strip()][:SOME]
    length = max(map(len, some), default=0)
    if len(some) < 3 or sum(len(line) == length for line in some) < 2:
        return ()
    blank = [all(line[i : i + 1] in ("", " ") for line in some) for i in range(length)]
    starts = [i for i in range(length) if not blank[i] and (i == 0 or blank[i - 1])]
    if len(starts) < 2:
        return ()
    ends = [*starts[1:], length]
    return tuple(end - begin for begin, end in zip([0, *starts[1:]], ends, strict=True))


def _fills(line: str, widths: Sequence[int]) -> bool:
    """Tell whether a line has text in every column."""
    ends = list(accumulate(widths))
    return all(line[end - width : end].strip() for width, end in zip(widths, ends, strict=True))


def check_one_column(head: Head, part: Part, name: str) -> None:
    """Refuse a table of one column whose lines show several: its first record is no name."""
    if len(head.names) > 1 or not part.records:
        return
    cells = part.cells[0].slice(0, SOME).to_pylist()
    widths = blank_columns([head.names[0], *cells])
    if widths and _fills(head.names[0], widths):
        raise InputError(
            f"{name}: no delimiter, and {len(widths)} columns of the same width in all lines; say "
            f"{option('widths', list(widths))}, or {option('delimiter', ',')} if it is one column"
        )
