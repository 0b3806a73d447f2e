"""Source: an opened release, as records or as Arrow batches."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from shoal.errors import InputError

if TYPE_CHECKING:
    from shoal.judge.declared import Manifest

Key = tuple[Any, ...]
Made = TypeVar("Made")


class Batches(Protocol):
    """The columns of a release at some places, batch by batch, through a function."""

    def __call__(self, places: list[int], make: Callable[[list[Any]], Made], /) -> Iterator[Made]:
        """Yield what is made of each batch; what Arrow cannot read then is an InputError."""
        ...


@dataclass(frozen=True)
class Source:
    """An opened release: `rows` gives the cells of some columns, record by record.

    Cells of csv are bytes, each as one character of a text; `as_bytes` tells. Parquet and
    dataframes come in `batches` too, and say how many `records` they have; of several files, `each`
    does. `manifest` is what a folder of them says of itself. `reader` is what reads the file,
    `warnings` are about it.
    """

    name: str
    header: list[str]
    rows: Callable[[list[int]], Iterator[Key]]
    as_bytes: bool
    batches: Batches | None = None
    records: int = 0
    each: tuple[int, ...] = ()
    manifest: Manifest | None = None
    reader: str = ""
    warnings: tuple[str, ...] = ()

    def places(self, wanted: Sequence[str]) -> list[int]:
        """Return where columns stand; one that there is not is an error."""
        for name in wanted:
            if name not in self.header:
                close = difflib.get_close_matches(name, self.header, n=3, cutoff=0.5)
                hint = f"; did you mean {', '.join(map(repr, close))}?" if close else ""
                raise InputError(f"{self.name}: there is no column {name[:60]!r}{hint}")
        return [self.header.index(name) for name in wanted]

    def keys(self, wanted: Sequence[str]) -> Iterator[Key]:
        """Yield the cells of the wanted columns of every record."""
        return self.rows(self.places(wanted))


def check_header(header: Sequence[str], name: str) -> None:
    """Refuse two columns of one name."""
    for column in header:
        if list(header).count(column) > 1:
            raise InputError(f"{name}: two columns are named {column[:60]!r}")
