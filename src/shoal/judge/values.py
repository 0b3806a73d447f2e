"""Sensitive values: which cells are one value, how they are ordered, and which say nothing.

Two numbers are given to every different cell of a sensitive column. Its *value*: cells of csv that
are numbers are equal as numbers (1, 1.0 and 1e0), other texts as texts; of other files cells are
equal as values. Its *form*: spellings of one value are one. Compatibility forms and cases of
letters are made one (NFKC, case folding), and whatever takes no ink is left out: white space,
control and format characters, and those that Unicode lists as ignorable. What reads as a number
then is compared as a number, a moment as a moment. Missing cells, `*` and words that stand for
missing cells have the number 0. l, α, β and δ count forms; t-closeness takes the larger of both
distances.
"""

from __future__ import annotations

import csv
import io
import math
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, cast
from unicodedata import category, decimal, normalize

from shoal.errors import InputError, RequestError, shown
from shoal.hints import option
from shoal.judge import in_words, refuse
from shoal.judge.csv_text import Written

NUMBER = re.compile(r"\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,5})?\s*", re.ASCII)
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}.*)?", re.ASCII)
BEYOND = re.compile(r"\.\d{6}(\d+)", re.ASCII)
PREFIXES = "prefixes:"
LARGEST = 64 * 2**20  # bytes of a hierarchy's file
INKLESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2065\u2800\u3164\ufe00-\ufe0f\uffa0\ufff0-\ufff8"
    "\U000e0000-\U000e0fff]"
)
UNSEEN = ("Cc", "Cf", "Zs", "Zl", "Zp")  # categories of Unicode: control signs and spaces


def number(text: str) -> Decimal | None:
    """Return the number that a text is, None for other texts."""
    return Decimal(text.strip()) if NUMBER.fullmatch(text) else None


def is_star(cell: Any) -> bool:
    """Tell whether a cell says nothing: missing, empty, not a number, or suppressed."""
    return cell is None or cell in ("", "*") or cell != cell  # noqa: PLR0124


def plain_text(text: str) -> str:
    """Return the letters that all spellings of a text share."""
    for _ in range(1 + len(text)):  # mostly once; each further round has less to change
        again = "".join(
            str(decimal(sign)) if category(sign) == "Nd" else sign
            for sign in INKLESS.sub("", normalize("NFKC", text).casefold())
            if category(sign) not in UNSEEN
        )
        if again == text:
            break
        text = again
    return text


def plain_value(value: Any, silent: Collection[Any], moments: bool = False) -> Any:
    """Return what all spellings of a value have in common, None for what says nothing.

    `silent` holds such forms of the words that stand for missing cells; `moments` tells that texts
    may be moments.
    """
    if is_star(value):
        return None
    plain = value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value
    if isinstance(value, bool):
        plain = str(value).lower()
    elif isinstance(value, int | float | Decimal):
        plain = Decimal(str(value)) if isinstance(value, float) else Decimal(value)
    elif isinstance(plain, str):
        letters, moment = plain_text(plain), _moment(plain) if moments else None
        digits = number(letters)
        plain = None if letters in ("", "*") else moment or (letters if digits is None else digits)
    return None if plain in silent else plain


def _moment(text: str) -> tuple[str, Any, str] | None:
    """Return a moment of a day as what it is, however it is written; a date alone is a text."""
    trimmed = text.strip(" \t")
    with suppress(ValueError):
        if len(trimmed) >= 16 and trimmed[:4].isdigit() and trimmed[4] == "-":
            moment, fraction = datetime.fromisoformat(trimmed), trimmed.partition(".")[2]
            beyond = "".join(sign for sign in fraction[6:9] if sign.isdigit()).rstrip("0")
            return "moment", moment.astimezone(UTC) if moment.tzinfo else moment, beyond
    return None


PLAIN = Written()


@dataclass(frozen=True)
class Sensitive:
    """What is known of a sensitive column: its tree, its order, whether its numbers are codes.

    `missing` are words that stand for missing cells; `as_text` tells that cells are those of csv,
    which writes numbers and dates as `written` says.
    """

    name: str
    as_text: bool
    tree: Tree | None = None
    order: Sequence[Any] | None = None
    is_words: bool = False
    missing: Sequence[str] = ()
    written: Written = PLAIN

    def coded(self, cells: Sequence[Any]) -> Coded:
        """Return the values and forms of different cells."""
        is_declared = self.tree is not None or self.order is not None
        words = [str(word) for word in (self.tree.lines if self.tree else self.order or ())]
        named = {value: word for word in words if (value := number(word)) is not None}
        silent = {plain_value(word, ()) for word in self.missing} - {None}
        known, forms = dict[Any, int]({None: 0}), dict[Any, int]({None: 0})
        coded, of_tree = Coded(self, [None], [0], []), set(words)
        for cell in cells:
            found: Any = None
            if not is_star(cell) and not (self.as_text and cell in self.missing):
                is_text = self.as_text and not self.is_words
                found = (is_text and self.written.date(self.name, cell)) or cell
                if is_declared:
                    found = self._word(found, of_tree, named)
                elif is_text:
                    found = self._value(found)
            code = known.setdefault(found, len(known))
            if code == len(coded.values):
                form = plain_value(found, silent, not self.is_words and not is_declared)
                coded.values.append(found)
                coded.forms.append(forms.setdefault(form, code))
            coded.codes.append(code)
        return coded

    def _value(self, text: str) -> Any:
        """Return the number, date or flag that a cell of csv is, or the cell."""
        value, trimmed = number(self.written.number(text)), text.strip(" \t")
        is_known = DATE.fullmatch(trimmed) or trimmed.lower() in ("true", "false")
        return value if value is not None else trimmed if is_known else text

    def _word(self, cell: Any, words: set[str], named: Mapping[Decimal, str]) -> str:
        """Return the word of a tree or an order that a cell is; what is none, as it stands."""
        text, trimmed = str(cell), str(cell).strip(" \t")
        if isinstance(cell, bool):
            cases = (text.lower(), text, text.upper())
            return next((word for word in cases if word in words), text.lower())
        value = None if self.is_words or text in words else number(text)
        if value is None:
            return trimmed if DATE.fullmatch(trimmed) and not self.is_words else text
        return named.get(value, trimmed.removeprefix("+"))


@dataclass(frozen=True, repr=False)
class Coded:
    """Numbers of the different cells of a sensitive column.

    `values` has the value of each number, `forms` the number of its form, which is that of its
    first value, and `codes` the number of each cell.
    """

    column: Sensitive
    values: list[Any]
    forms: list[int]
    codes: list[int]

    @property
    def respelled(self) -> bool:
        """Whether some value has several spellings, or is a spelling of a missing one."""
        return self.forms != list(range(len(self.forms)))

    def numbers(self) -> dict[int, Decimal]:
        """Return the number that the values of each form are, exactly as it is written."""
        own = {code: self.values[code] for code, form in enumerate(self.forms) if form == code > 0}
        are_numbers = not self.column.is_words and all(
            isinstance(value, int | float | Decimal) and not isinstance(value, bool)
            and math.isfinite(value) for value in own.values()
        )  # fmt: skip
        refuse((
            own and not are_numbers,
            f"(k,e)-anonymity is asked of numbers; {shown(self.column.name)} holds values that are "
            f"none; name the columns that {option('e')} is asked of",
        ))  # fmt: skip
        return {code: Decimal(str(value)) for code, value in own.items()}

    def places(self, by_form: bool) -> dict[int, int] | None:
        """Return the place of each number among the sorted values; None where they have no order.

        `by_form` gives those of forms: a form is where the first of its values is.
        """
        ranks = self._ranks()
        if ranks is None:
            return None
        if by_form:
            least = dict[int, Any]()
            for code, rank in ranks.items():
                form = self.forms[code]
                least[form] = min(rank, least.get(form, rank))
            ranks = {form: rank for form, rank in least.items() if form}
        order = {rank: place for place, rank in enumerate(sorted(set(ranks.values())))}
        return {code: order[rank] for code, rank in ranks.items()}

    def _ranks(self) -> dict[int, Any] | None:
        """Return what the values of each number are sorted by; None where they have no order."""
        column, there = self.column, self.values[1:]
        if column.order is not None:
            ranks = {str(word): rank for rank, word in enumerate(column.order)}
            self._check("order", (value in ranks for value in there))
            return {code: ranks[value] for code, value in enumerate(there, 1)}
        if column.tree is not None or column.is_words or not there:
            return None
        kinds = (int, float, Decimal, date, time, timedelta)
        if all(isinstance(value, kinds) and not isinstance(value, bool) for value in there):
            return dict(enumerate(there, 1))
        moments = _moments(there) if column.as_text else []
        return dict(enumerate(moments, 1)) if moments else None

    def paths(self, by_form: bool) -> list[tuple[int, int, str, int]]:
        """Return the nodes above each number: the number, the node's level, its word, its length.

        The length is that of the edge above the node; a value is its own node, of level 0.
        `by_form` gives those of forms: of the first text that is spelled so.
        """
        tree, texts = cast(Tree, self.column.tree), [str(value) for value in self.values]
        every = [tree.path(text) for text in texts]
        self._check("hierarchy", (path is not None for path in every[1:]))
        chosen = {code: code for code in range(1, len(texts))}
        if by_form:
            first = dict[int, int]()
            for code in sorted(chosen, key=lambda code: texts[code]):
                first.setdefault(self.forms[code], code)
            chosen = {code: form for form, code in first.items() if form}
        found = [(0, 0, "", tree.height)]
        for code, number in chosen.items():
            levels = [(0, str(number)), *(every[code] or ())]
            tops = [*(level for level, _ in levels[1:]), tree.height]
            found += [(number, level, word, top - level)
                      for (level, word), top in zip(levels, tops, strict=True)]  # fmt: skip
        return found

    def _check(self, what: str, known: Iterable[bool]) -> None:
        lacking = sum(not good for good in known)
        refuse((lacking, f"the {what} of {shown(self.column.name)} lacks {lacking} of its "
                f"{len(self.values) - 1} values"))  # fmt: skip


def _moments(texts: Sequence[Any]) -> list[tuple[datetime, str]]:
    """Return the moments that texts are, or nothing if one is none.

    Python's own moments stop at microseconds: the digits after them stand beside.
    """
    moments: list[tuple[datetime, str]] = []
    with suppress(ValueError):
        for text in texts:
            if not isinstance(text, str) or not DATE.fullmatch(text):
                return []
            beyond = BEYOND.search(text)
            moments.append((datetime.fromisoformat(text), beyond[1].rstrip("0") if beyond else ""))
        are_aware = {moment.tzinfo is not None for moment, _ in moments}
        return moments if len(are_aware) == 1 else []
    return []


@dataclass(frozen=True, repr=False)
class Tree:
    """The words above each value, the lowest first, or the lengths of prefixes."""

    height: int
    lines: dict[str, tuple[str, ...]]
    lengths: tuple[int, ...] = ()

    def path(self, value: str) -> list[tuple[int, str]] | None:
        """Return the nodes above a value, without the root; None if the tree lacks it."""
        words = self.lines.get(value)
        if self.lengths:
            words = tuple(value[:kept] + "*" * (len(value) - kept) for kept in self.lengths)
        return None if words is None else list(enumerate(words, 1))


def read_tree(rule: str | os.PathLike[str], column: str) -> Tree:
    """Return the hierarchy of a column: a csv of lines `value;parent;…;*`, or `prefixes:3,2`."""
    if isinstance(rule, str) and rule.startswith(PREFIXES):
        parts = rule.removeprefix(PREFIXES).split(",")
        lengths = tuple(int(part) if part.isdecimal() else 0 for part in parts)
        refuse((not all(lengths) or list(lengths) != sorted(set(lengths), reverse=True),
                f"the hierarchy of {shown(column)}: say prefixes:3,2"),
               error=RequestError)  # fmt: skip
        return Tree(len(lengths) + 1, {}, lengths)
    path, name = Path(rule), shown(Path(rule).name)
    refuse((not path.is_file(), f"the hierarchy of {shown(column)}: there is no file {name}; "
            "verify takes a FILE.csv or prefixes:3,2"))  # fmt: skip
    refuse((path.stat().st_size > LARGEST,
            f"{name}: over {LARGEST // 2**20} MB; this is no hierarchy"))  # fmt: skip
    with in_words(f"{name}: cannot be read as UTF-8 text", OSError, UnicodeDecodeError):
        content = path.read_bytes().decode("utf-8-sig")
    for rows in hierarchy_rows(content):
        if all(len(row) == len(rows[0]) > 1 and row[-1] == "*" for row in rows):
            lines: dict[str, tuple[str, ...]] = {}
            for line, row in enumerate(rows, 1):
                is_other = lines.setdefault(row[0], tuple(row[1:-1])) != tuple(row[1:-1])
                refuse((is_other, f"{name}: the value of path {line} has two parents"))
            return Tree(len(rows[0]) - 1, lines)
    raise InputError(f"{name}: no hierarchy; every line must be value;parent;…;*")


def hierarchy_rows(content: str) -> Iterator[list[list[str]]]:
    """Yield the lines of a hierarchy's file by each delimiter that splits it without an error."""
    for sign in ";,\t":
        with suppress(csv.Error):
            reader = csv.reader(io.StringIO(content, newline=""), delimiter=sign, strict=True)
            if rows := [row for row in reader if row]:
                yield rows
