"""What is counted of a release, in memory or on disk."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from shoal.errors import RequestError
from shoal.judge.classes import Memory, Subset
from shoal.judge.disk import Spill
from shoal.judge.readers.source import Key, Source
from shoal.judge.sensitive import Combination, Sensitive

if TYPE_CHECKING:
    from shoal.judge.classes import Layout
    from shoal.judge.disk import Disk


@dataclass(frozen=True)
class Wanted:
    """What is counted: the first `width` places are those of the quasi-identifiers."""

    source: Source
    places: list[int]
    width: int
    sensitive: Sequence[Sensitive]
    subsets: Sequence[Subset]
    reading: str
    spill: Callable[[], Spill]
    limit: int
    combined: Sequence[Combination] = ()

    def in_memory(self, counts: Counter[Key], firsts: array[int]) -> Memory:
        """Return the classes of counted rows."""
        return Memory(
            counts, firsts, self.width, self.sensitive, self.subsets, self.reading, self.combined
        )

    def on_disk(self, layout: Layout) -> Disk:
        """Return the files that classes can be written to."""
        from shoal.judge.disk import Disk

        if self.reading != "own":
            raise RequestError(
                f"missing_as {self.reading} is counted in memory, and there are more than "
                f"{self.limit} classes; verify with missing_as own, which is stricter"
            )
        return Disk(self.spill(), layout, self.subsets, self.combined)
