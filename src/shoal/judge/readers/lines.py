"""Lines of a csv file, the judge's own reader: too long lines are refused early."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, AnyStr

from shoal.errors import InputError

LINE = 2**24  # bytes


def bounded(file: IO[AnyStr], name: str, most: int = LINE, whole: float = float("inf")) -> Iterator[
    AnyStr
]:  # fmt: skip
    """Yield the lines of a file of which none, and not all together, may be too long."""
    number = size = 0
    while line := file.readline(most + 2):
        number += 1
        size += len(line)
        if len(line) > most + 1:  # with its line end
            raise long_line(name, number, most)
        if size > whole:
            raise InputError(f"{name}: over {int(whole) // 2**20} MB; this is no hierarchy")
        yield line


def long_line(name: str, number: int, most: int = LINE) -> InputError:
    """Return the error of a line that is too long."""
    return InputError(
        f"{name}, line {number}: longer than {most // 2**20} MB; this is no table, or its line "
        "ends are missing"
    )
