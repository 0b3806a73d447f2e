"""A hierarchy from a csv file: one line a value, `value;parent;…;*`.

The first cell is a value of the column or, for numbers, a half-open interval [a,b) of values.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from shoal.errors import InputError, shown
from shoal.table.csv_text.scan import Lines
from shoal.table.hierarchy.tree import ROOT, Tree, from_paths
from shoal.table.hierarchy.values import Axis, Distinct

LIMIT = 64 * 2**20
LINE = 2**20  # bytes of a line
INTERVAL = re.compile(r"\[\s*([^,;\[\]()]+?)\s*[,;]\s*([^,;\[\]()]+?)\s*([)\]])")
BEYOND = re.compile(r"(<|>=)\s*([^\s<>=].*?)\s*")
ENDLESS = {"inf": 1, "∞": 1, "-inf": -1, "-∞": -1}
MAX_CELL = csv.field_size_limit()
FAR = Fraction(10) ** 400

Span = tuple[Fraction, Fraction]


def interval(label: str, axis: Axis) -> Span | None:
    """Return the bounds of a label that says [a,b), else None."""
    match = INTERVAL.fullmatch(label)
    if match is None or match[3] != ")":
        return None
    return _ends(match[1], match[2], axis)


def _ends(first: str, second: str, axis: Axis) -> Span | None:
    try:
        low, high = (
            ENDLESS[text] * FAR if text in ENDLESS else axis.read(text, "")
            for text in (first, second)
        )
    except InputError:
        return None
    return low, high


def holds(label: str, inner: Span, axis: Axis) -> bool:
    """Tell whether a label that names bounds, [a,b), [a,b], <a or >=a, holds a span of values.

    Of one number the span's ends are the same. A label without bounds holds anything.
    """
    between, beyond = INTERVAL.fullmatch(label), BEYOND.fullmatch(label)
    if between:
        outer = _ends(between[1], between[2], axis)
    elif beyond:
        outer = (
            _ends("-inf", beyond[2], axis) if beyond[1] == "<" else _ends(beyond[2], "inf", axis)
        )
    else:
        return True
    if outer is None:
        return True
    last = inner[1] if inner[0] < inner[1] else None  # of an interval, which it does not hold
    closed = between is not None and between[3] == "]"
    below = (
        (last is not None and last <= outer[1])
        or inner[1] < outer[1]
        or (closed and inner[1] == outer[1])
    )
    return outer[0] <= inner[0] and below


@dataclass(frozen=True, repr=False)
class Listed:
    """The paths of a file; `lines` says where each stands."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    given: bool = True
    shows_values: bool = False

    def __str__(self) -> str:
        return self.name

    def place(self, index: int) -> str:
        """Return where a path stands, ready to be followed by what is wrong."""
        return f"line {self.lines[index]}: "

    @property
    def repeated(self) -> str:
        """A note on duplicate lines, empty where there are none."""
        first: dict[tuple[str, ...], int] = {}
        again = [
            (line, before)
            for row, line in zip(self.rows, self.lines, strict=True)
            if (before := first.setdefault(row, line)) != line
        ]
        if not again:
            return ""
        line, before = again[0]
        more = f", and {len(again) - 1:,} more repeat another" if again[1:] else ""
        return f"{shown(self.name)[1:-1]}: line {line} repeats line {before}{more}"

    def tree(self) -> Tree:
        """Return the file's own tree, checked, without any data."""
        tree = from_paths(self.rows, self.name, self.place)
        for axis in (Axis("number"), Axis("date")):
            if interval(self.rows[0][0], axis) is not None:
                self._spans(axis)
            self._check_levels(axis)
        return tree

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the paths of the values, and of those the data does not have."""
        from_paths(self.rows, self.name, self.place)
        if values.on_a_line and interval(self.rows[0][0], values.axis) is not None:
            return self._in_intervals(values)
        if values.on_a_line:
            self._check_levels(values.axis)
        keys = self._keys(values)
        numbered = values.kind.is_number
        wanted = {
            (values.axis.number(v) if numbered else text): i
            for i, (v, text) in enumerate(zip(values.values, values.texts, strict=True))
        }
        names = {  # a number may be written in another way than in the data
            row[0]: values.texts[wanted[key]]
            for row, key in zip(self.rows, keys, strict=True)
            if key in wanted
        }
        known = set(keys)
        paths = [[names.get(label, label) for label in row] for row in self.rows]
        return paths, [i for key, i in wanted.items() if key not in known]

    def _keys(self, values: Distinct) -> list[Fraction | str]:
        """Return the first cells as what they are compared by: numbers or texts."""
        if not values.kind.is_number:
            return [row[0] for row in self.rows]
        keys = [
            values.axis.read(row[0], f"{self.name}, line {line}")
            for row, line in zip(self.rows, self.lines, strict=True)
        ]
        first: dict[Fraction, int] = {}
        for i, key in enumerate(keys):
            before = first.setdefault(key, i)
            if self.rows[before][1:] != self.rows[i][1:]:
                raise InputError(
                    f"{self.name}: {shown(self.rows[i][0])} has two parents "
                    f"(line {self.lines[before]} and line {self.lines[i]})"
                )
        return list(keys)

    def _in_intervals(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the paths of values through the interval each lies in."""
        spans = self._spans(values.axis)
        self._check_levels(values.axis)
        paths, uncovered, at = [], [], 0
        for i, (value, text) in enumerate(zip(values.values, values.texts, strict=True)):
            number = values.axis.number(value)  # the values are in order, as the intervals are
            while at < len(spans) and spans[at][0][1] <= number:
                at += 1
            if at == len(spans) or number < spans[at][0][0]:
                uncovered.append(i)
            else:
                paths.append([text, *self.rows[spans[at][1]]])
        return paths, uncovered

    def _spans(self, axis: Axis) -> list[tuple[Span, int]]:
        """Return the intervals of the first cells in order: none may overlap or leave a gap."""
        spans: dict[str, tuple[Span, int]] = {}
        for i, row in enumerate(self.rows):
            span = interval(row[0], axis)
            if span is None or span[0] >= span[1]:
                where = f"{self.name}, line {self.lines[i]}"
                raise InputError(f"{where}: {shown(row[0])} is no interval [a,b) with a < b")
            spans.setdefault(row[0], (span, i))
        ordered = sorted(spans.values())
        self._check_neighbors([(span, self.rows[i][0], i) for span, i in ordered])
        return ordered

    def _check_levels(self, axis: Axis) -> None:
        """Refuse a level of intervals that overlap, and a label that does not hold what is below.

        Between intervals of values there may be gaps where no value lies.
        """
        for level in range(1, len(self.rows[0])):
            spans = {
                row[level]: (interval(row[level], axis), row[level], i)
                for i, row in reversed(list(enumerate(self.rows)))
            }
            intervals = [(span, label, i) for span, label, i in spans.values() if span is not None]
            if len(intervals) == len(spans):
                self._check_neighbors(sorted(intervals), gaps=True)
            for i, row in enumerate(self.rows):
                if row[level] != row[level - 1]:
                    self._check_inside(i, level, axis)

    def _check_neighbors(self, ordered: list[tuple[Span, str, int]], gaps: bool = False) -> None:
        for (span, label, i), (after, other, j) in pairwise(ordered):
            if span[1] > after[0] or (span[1] < after[0] and not gaps):
                what = "overlap" if span[1] > after[0] else "leave a gap between them"
                raise InputError(
                    f"{self.name}: {shown(label)} (line {self.lines[i]}) and {shown(other)} "
                    f"(line {self.lines[j]}) {what}"
                )

    def _check_inside(self, i: int, level: int, axis: Axis) -> None:
        """Refuse a value or interval that does not lie in the interval above it."""
        inner, outer = self.rows[i][level - 1], self.rows[i][level]
        span = interval(inner, axis)
        if span is None:
            if INTERVAL.fullmatch(inner) or BEYOND.fullmatch(inner):
                return
            try:
                span = (axis.read(inner, ""),) * 2
            except InputError:
                return
        if not holds(outer, span, axis):
            where = f"{self.name}, line {self.lines[i]}"
            raise InputError(f"{where}: {shown(inner)} does not lie in {shown(outer)}")


def read_listed(path: Path) -> Listed:
    """Read a hierarchy's csv file; `;`, `,` or tabs between the levels."""
    name = path.name
    try:
        if not path.is_file():
            raise InputError(f"there is no hierarchy file {shown(name)}")
        if path.stat().st_size > LIMIT:
            raise InputError(f"{name}: over {LIMIT // 2**20} MB; this is no hierarchy")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the hierarchy file {shown(name)} cannot be read") from None
    return parse_listed(data, name)


def parse_listed(data: bytes, name: str) -> Listed:
    """Return the paths in the bytes of a csv file."""
    Lines(name, LINE).see(data)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(f"{name}, line {line}: not UTF-8; re-save the file as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(f"{name}, line {line}: a NUL; this is no UTF-8 text")
    if not text.strip():
        raise InputError(f"{name}, line 1: an empty file; say value;parent;*")
    sign = _delimiter(text)
    if sign is None:
        raise InputError(f"{name}, line 1: no ; , or tab between the levels; say value;parent;*")
    rows: list[tuple[str, ...]] = []
    lines: list[int] = []
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
    begins = 1
    try:
        for row in reader:
            if row:
                rows.append(tuple(row))
                lines.append(begins)
                if len(row) == 1 and row[0].strip():
                    raise InputError(
                        f"{name}, line {begins}: no {shown(sign)} between the levels, as line 1 has"
                    )
                halves = (
                    re.fullmatch(r"\[[^\])]+", a) and b[-1:] in ")]" for a, b in pairwise(row)
                )
                if sign == "," and any(halves):
                    raise InputError(
                        f"{name}, line {begins}: an interval is cut at its comma; put it in quotes"
                    )
                if not all(row):
                    raise InputError(f"{name}, line {begins}: an empty label")
            begins = reader.line_num + 1
    except csv.Error as error:
        reason = str(error)
        if "field limit" in reason:
            reason = f"a cell of more than {MAX_CELL} characters; is a quote missing?"
        raise InputError(f"{name}, line {begins}: {reason}") from None
    return Listed(name, tuple(rows), tuple(lines))


def _delimiter(text: str) -> str | None:
    """Return what separates the levels: what leaves * as the last cell of the first line."""
    firsts, unread = {}, False
    for sign in ";,\t":
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True)
            first = next((row for row in reader if row), [])
        except csv.Error:
            unread = True
            continue
        if len(first) > 1:
            firsts[sign] = first
    rooted = [sign for sign, first in firsts.items() if first[-1] == ROOT]
    return next(iter([*rooted, *firsts]), ";" if unread or '"' in text else None)
