"""Sensitive columns: which cells are one value, and how far values are apart.

Missing cells ("", None, not a number) and * are one value of their own. Cells of csv that are
numbers are equal as numbers (1, 1.0 and 1e0), other texts as texts; values of Parquet and
dataframes are equal as values. Values of a column with a tree of words or a declared order are
those that it names. Memory holds one entry a distinct cell. Which values are spellings of one, as
l-diversity and alpha count them, `spelling.py` says.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

from shoal.errors import InputError, shown
from shoal.hints import option
from shoal.judge.hierarchies import Tree, number
from shoal.judge.models.closeness import Distance, Equal, Hierarchical, Ordered
from shoal.judge.models.matching import is_star
from shoal.judge.readers.written import Written
from shoal.judge.spelling import plain_value

DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?", re.ASCII)
BEYOND = re.compile(r"\.\d{6}(\d+)", re.ASCII)
PLAIN = Written()
MISSING = 0  # the code of all missing cells
GONE = frozenset((MISSING,))
Counts = Mapping[int, int]


class Tally(NamedTuple):
    """How often values occur: by their codes, and by the codes of their forms.

    The forms that are `gone` are those of missing values.
    """

    values: Counts
    forms: Counts
    gone: Set[int] = GONE

    @property
    def known(self) -> Counts:
        """The forms without what is missing."""
        if self.gone.isdisjoint(self.forms):
            return self.forms
        return {form: many for form, many in self.forms.items() if form not in self.gone}


class Sensitive:
    """One column: cells become codes, codes are counted.

    `values` has the value of each code; `whole` how often each occurs in the whole release.
    `respelled` tells that some value has several spellings, or is a spelling of a missing one.
    """

    def __init__(
        self,
        name: str,
        as_bytes: bool,
        tree: Tree | None = None,
        order: Sequence[Any] | None = None,
        is_words: bool = False,
        missing: Sequence[str] = (),
        written: Written = PLAIN,
    ) -> None:
        self.name, self.as_bytes, self.tree, self.order = name, as_bytes, tree, order
        self.is_words, self.written = is_words, written
        self.has_moments = not is_words and tree is None and order is None
        self.silent = {plain_value(word, ()) for word in missing} - {None}
        self.missing = {m.encode().decode("latin-1") for m in missing} if as_bytes else set()
        words = [str(word) for word in order] if order is not None else []
        self.ranks: dict[str, int] = {word: rank for rank, word in enumerate(words)}
        if tree is not None:
            words = list(tree.lines)
        self.named = {value: word for word in words if (value := number(word)) is not None}
        self.words = set(words)
        self.values: list[Any] = [None]
        self.whole: Counter[int] = Counter()
        self.forms: list[int] = [MISSING]  # the form of each code; that of the first such value
        self.respelled = False
        self._forms: dict[Any, int] = {None: MISSING}
        self._cells: dict[Any, int] = {}
        self._codes: dict[Any, int] = {None: MISSING}

    def code(self, cell: Any) -> int:
        """Return the code of a cell."""
        code = self._cells.get(cell)
        if code is None:
            gone = is_star(cell) or (self.as_bytes and cell in self.missing)
            value = None if gone else self._value(cell)
            code = self._codes.setdefault(value, len(self.values))
            if code == len(self.values):
                self.values.append(value)
                form = plain_value(value, self.silent, self.has_moments)
                self.forms.append(self._forms.setdefault(form, code))
                self.respelled |= self.forms[-1] != code
            self._cells[cell] = code
        return code

    def _value(self, cell: Any) -> Any:
        text = cell
        if self.as_bytes:
            text = cell.encode("latin-1").decode("utf-8", "surrogateescape")
            if not self.is_words:
                text = self.written.date(self.name, text) or text
        declared = self.tree is not None or self.order is not None
        if declared:
            return self._declared(text)
        if not self.as_bytes:
            return cell
        if self.is_words:
            return text
        value, trimmed = number(self.written.number(text)), text.strip(" \t")
        if value is None and (DATE.fullmatch(trimmed) or trimmed.lower() in ("true", "false")):
            return trimmed
        return text if value is None else value

    def _declared(self, cell: Any) -> str:
        """Return the word of a tree or an order that a cell is; what is none, as it stands."""
        text = str(cell)
        if isinstance(cell, bool):
            cases = (text.lower(), text, text.upper())
            return next((word for word in cases if word in self.words), text.lower())
        value = number(text) if text not in self.words and not self.is_words else None
        if value is None:
            trimmed = text.strip(" \t")
            return trimmed if DATE.fullmatch(trimmed) and not self.is_words else text
        return self.named.get(value, text.strip(" \t").removeprefix("+"))

    def tally(self, values: Counts) -> Tally:
        """Return counts of codes with those of their forms."""
        if not self.respelled:
            return Tally(values, values)
        forms: dict[int, int] = {}
        for code, many in values.items():
            form = self.forms[code]
            forms[form] = forms.get(form, 0) + many
        return Tally(values, forms)

    def number(self, code: int) -> Fraction | None:
        """Return the number that the values of a code are, exactly as it is written."""
        if self.forms[code] == MISSING:
            return None
        value = self.values[code]
        is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
        if self.is_words or not is_number or not math.isfinite(value):
            raise InputError(
                f"(k,e)-anonymity is asked of numbers; {shown(self.name)} holds values that are "
                f"none; name the columns that {option('e')} is asked of"
            )
        return Fraction(str(value))

    def distances(self, whole: Tally) -> list[Distance]:
        """Return the distances of t-closeness: of values, and of forms where these differ.

        `whole` counts all that there is, once every record was seen.
        """
        distances = [self._distance(whole.values, list(range(len(self.values))))]
        if self.respelled:
            distances.append(self._distance(whole.forms, self.forms))
        return distances

    def _distance(self, whole: Counts, forms: Sequence[int]) -> Distance:
        there = self.values[1:]
        if self.tree is not None:
            return self._hierarchical(self.tree, whole, forms)
        if self.order is not None:
            self._check(value in self.ranks for value in there)
            return self._ordered(self.ranks, whole, forms)
        if self.is_words:
            return Equal(whole)
        if there and all(_on_a_line(value) for value in there):
            return self._ordered({value: value for value in there}, whole, forms)
        if self.as_bytes and there:
            moments = _moments(there)
            return self._ordered(moments, whole, forms) if moments else Equal(whole)
        return Equal(whole)

    def _ordered(self, ranks: Mapping[Any, Any], whole: Counts, forms: Sequence[int]) -> Ordered:
        places = _least([None, *(ranks[value] for value in self.values[1:])], forms)
        by_code: Callable[[int], Any] = places.__getitem__
        return Ordered(whole, by_code)

    def _hierarchical(self, tree: Tree, whole: Counts, forms: Sequence[int]) -> Hierarchical:
        texts = [str(value) for value in self.values]
        self._check(tree.path(text) is not None for text in texts[1:])
        first = _least(texts, forms)
        paths = {code: tree.path(text) or [] for code, text in enumerate(first) if code}
        heights = {node: node[0] for path in paths.values() for node in path}
        return Hierarchical(whole, paths, heights, tree.height)

    def _check(self, known: Any) -> None:
        lacking = sum(1 for good in known if not good)
        if lacking:
            what = "hierarchy" if self.tree is not None else "order"
            raise InputError(
                f"the {what} of {shown(self.name)} lacks {lacking} of its {len(self.values) - 1} "
                "values"
            )


def _least(places: list[Any], forms: Sequence[int]) -> list[Any]:
    """Return the places of codes; at the code of a form, the least of its values'."""
    order = list(places)
    for code, form in enumerate(forms):
        if form != MISSING:
            order[form] = min(order[form], places[code])
    return order


def _on_a_line(value: Any) -> bool:
    kinds = (int, float, Decimal, date, time, timedelta)
    return isinstance(value, kinds) and not isinstance(value, bool)


def _moments(texts: Sequence[Any]) -> dict[Any, tuple[datetime, str]]:
    """Return the moments that texts are, or nothing if one is none.

    Python's own moments stop at microseconds: the digits after them stand beside.
    """
    moments: dict[Any, tuple[datetime, str]] = {}
    for text in texts:
        if not isinstance(text, str) or not DATE.fullmatch(text):
            return {}
        try:
            beyond = BEYOND.search(text)
            moments[text] = datetime.fromisoformat(text), beyond[1].rstrip("0") if beyond else ""
        except ValueError:
            return {}
    aware = {moment.tzinfo is not None for moment, _ in moments.values()}
    return moments if len(aware) == 1 else {}


# Combinations of sensitive columns: several values of a record as one value.
#
# A combination has a code for the forms of its values, whatever their spelling. It is missing where
# any of its values is; in the reading in which missing cells are values, every combination counts.


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
