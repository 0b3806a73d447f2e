"""The judge: whether a released file keeps what is asked, told by queries over the file alone."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from shoal.errors import InputError, ShoalError


def refuse(*wrongs: tuple[object, str], error: type[ShoalError] = InputError) -> None:
    """Raise an error in the words of the first wrong that is there."""
    for is_there, words in wrongs:
        if is_there:
            raise error(words)


@contextmanager
def in_words(words: str, *errors: type[Exception]) -> Iterator[None]:
    """Raise InputError in these words where a library raises its own, which may show a record."""
    try:
        yield
    except ShoalError:
        raise
    except errors:
        raise InputError(words) from None
