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
from shoal.table.hierarchy.axis import Axis
from shoal.table.hierarchy.tree import Tree, from_paths
from shoal.table.hierarchy.values import Distinct

LIMIT = 64 * 2**20
INTERVAL = re.compile(r"\[\s*([^,;\[\]()]+?)\s*[,;]\s*([^,;\[\]()]+?)\s*\)")
ENDLESS = {"inf": 1, "∞": 1, "-inf": -1, "-∞": -1}
FAR = Fraction(10) ** 400

Span = tuple[Fraction, Fraction]


def interval(label: str, axis: Axis) -> Span | None:
    """Return the bounds of a label that says [a,b), else None."""
    found = INTERVAL.fullmatch(label)
    if found is None:
        return None
    try:
        low, high = (
            ENDLESS[text] * FAR if text in ENDLESS else axis.read(text, label)
            for text in found.groups()
        )
    except InputError:
        return None
    return low, high


@dataclass(frozen=True)
class Listed:
    """The paths of a file; `lines` says where each stands."""

    name: str
    rows: tuple[tuple[str, ...], ...]
    lines: tuple[int, ...]
    given: bool = True

    def __str__(self) -> str:
        return self.name

    def place(self, index: int) -> str:
        """Return where a path stands, ready to be followed by what is wrong."""
        return f"line {self.lines[index]}: "

    def tree(self) -> Tree:
        """Return the file's own tree, checked, without any data."""
        tree = from_paths(self.rows, self.name, self.place)
        for axis in (Axis("number"), Axis("date")):
            if interval(self.rows[0][0], axis) is not None:
                self._spans(axis)
        self._check_levels()
        return tree

    def paths(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the paths of the values, and of those the data does not have."""
        from_paths(self.rows, self.name, self.place)
        if values.on_a_line and interval(self.rows[0][0], values.axis) is not None:
            return self._in_intervals(values)
        self._check_levels()
        keys = self._keys(values)
        numbered = values.kind.is_number
        wanted = {
            (values.axis.number(v) if numbered else text): i
            for i, (v, text) in enumerate(zip(values.values, values.texts, strict=True))
        }
        paths = [list(row) for row in self.rows]
        for path, key in zip(paths, keys, strict=True):
            at = wanted.pop(key, None)
            if at is not None:
                path[:] = [values.texts[at] if label == path[0] else label for label in path]
        known = {path[0] for path in paths}
        return paths, [i for i in wanted.values() if values.texts[i] not in known]

    def _keys(self, values: Distinct) -> list[Fraction | str]:
        """Return the first cells as what they are compared by: numbers or texts."""
        if not values.kind.is_number:
            return [row[0] for row in self.rows]
        return [
            values.axis.read(row[0], f"{self.name}, line {line}")
            for row, line in zip(self.rows, self.lines, strict=True)
        ]

    def _in_intervals(self, values: Distinct) -> tuple[list[list[str]], list[int]]:
        """Return the paths of values through the interval each lies in."""
        spans = self._spans(values.axis)
        self._check_levels()
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

    def _check_levels(self) -> None:
        """Refuse a level of intervals that overlap, leave gaps, or do not hold what is below."""
        for axis in (Axis("number"), Axis("date")):
            for level in range(1, len(self.rows[0]) - 1):
                spans = {
                    row[level]: (interval(row[level], axis), row[level], i)
                    for i, row in reversed(list(enumerate(self.rows)))
                }
                found = [(span, label, i) for span, label, i in spans.values() if span is not None]
                if len(found) == len(spans):
                    self._check_neighbors(sorted(found))
                    self._check_inside(level, axis)

    def _check_neighbors(self, ordered: list[tuple[Span, str, int]]) -> None:
        for (span, label, i), (after, other, j) in pairwise(ordered):
            if span[1] != after[0]:
                what = "overlap" if span[1] > after[0] else "leave a gap between them"
                raise InputError(
                    f"{self.name}: {shown(label)} (line {self.lines[i]}) and {shown(other)} "
                    f"(line {self.lines[j]}) {what}"
                )

    def _check_inside(self, level: int, axis: Axis) -> None:
        """Refuse a value or interval that does not lie in the interval above it."""
        for i, row in enumerate(self.rows):
            outer = interval(row[level], axis)
            try:
                inner = interval(row[level - 1], axis) or (axis.read(row[level - 1], ""),) * 2
            except InputError:
                continue
            if outer and not (outer[0] <= inner[0] <= inner[1] <= outer[1] and inner[0] < outer[1]):
                where = f"{self.name}, line {self.lines[i]}"
                raise InputError(
                    f"{where}: {shown(row[level - 1])} does not lie in {shown(row[level])}"
                )


def read_listed(path: Path) -> Listed:
    """Read a hierarchy's csv file; `;`, `,` or tabs between the levels."""
    name = path.name
    try:
        if not path.is_file():
            raise InputError(f"there is no hierarchy file {shown(path)}")
        if path.stat().st_size > LIMIT:
            raise InputError(f"{name}: over {LIMIT // 2**20} MB; this is no hierarchy")
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{shown(path)}: cannot be read") from None
    return parse_listed(data, name)


def parse_listed(data: bytes, name: str) -> Listed:
    """Return the paths in the bytes of a csv file."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise InputError(f"{name}, line {line}: not UTF-8; re-save the file as UTF-8") from None
    if "\0" in text:
        line = text[: text.index("\0")].count("\n") + 1
        raise InputError(f"{name}, line {line}: a NUL; this is no UTF-8 text")
    first = text.split("\n", 1)[0]
    sign = next((sign for sign in ";,\t" if sign in first), None)
    if sign is None:
        what = "no ; , or tab between the levels" if first.strip() else "an empty file"
        raise InputError(f"{name}, line 1: {what}; say value;parent;*")
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
                if not all(row):
                    raise InputError(f"{name}, line {begins}: an empty label")
            begins = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{name}, line {begins}: {error}") from None
    return Listed(name, tuple(rows), tuple(lines))
