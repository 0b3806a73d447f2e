"""Combinations of sensitive columns: several values of a record as one value.

A combination has a code for the forms of its values, whatever their spelling. It is missing where
any of its values is; in the reading in which missing cells are values, every combination counts.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Mapping, Sequence

from shoal.judge.sensitive import MISSING, Sensitive, Tally


class Combination:
    """Some sensitive columns together, by their places among all that are counted.

    `whole` is how often each combination occurs in the whole release, once every class was seen.
    """

    def __init__(self, columns: tuple[str, ...], sensitive: Sequence[Sensitive]) -> None:
        names = [column.name for column in sensitive]
        self.columns = columns
        self.places = [names.index(name) for name in columns]
        self.parts = [sensitive[place] for place in self.places]
        self.gone: set[int] = set()
        self.whole: Counter[int] = Counter()
        self._codes: dict[tuple[int, ...], int] = {}

    @property
    def name(self) -> str:
        """Its columns as a line of csv, as requests name them."""
        line = io.StringIO()
        csv.writer(line, lineterminator="").writerow(self.columns)
        return line.getvalue()

    @property
    def respelled(self) -> bool:
        """Whether some value of its columns has several spellings."""
        return any(part.respelled for part in self.parts)

    def code(self, codes: Sequence[int], times: int = 1) -> int:
        """Return the code of the values of so many records, which have these codes of columns."""
        forms = tuple(
            part.forms[codes[place]] for part, place in zip(self.parts, self.places, strict=True)
        )
        code = self._codes.setdefault(forms, len(self._codes))
        if MISSING in forms:
            self.gone.add(code)
        self.whole[code] += times
        return code

    def tally(self, values: Mapping[int, int]) -> Tally:
        """Return counts of codes, with those that are missing."""
        return Tally(values, values, self.gone)
