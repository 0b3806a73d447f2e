"""Proposal: in which dialect a text file seems to be written, from its first part.

Nothing is read by a proposal but what a person then asks for: `shoal inspect` shows the options,
every other command wants them said.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from pathlib import Path
from typing import Any

from shoal.errors import InputError, listed
from shoal.hints import Message, option
from shoal.table.csv_text.scan import DELIMITERS
from shoal.table.csv_text.split import Head, Part
from shoal.table.dialects.notation import STRICT, Notation
from shoal.table.dialects.propose_dates import DATE, find_dates
from shoal.table.dialects.transcode import marked_encoding
from shoal.table.files.opening import first_bytes

SOME = 200  # lines that are looked at
MOSTLY = 0.8
FEW = 5  # so many different numbers show a range
WORDS = frozenset((
    "na", "n/a", "n.a.", "#n/a", "<na>", "nan", "nat", "null", "(null)", "none", "\\n", "#nv", "nv",
    ".", "..", "-", "--", "?", "??", "k.a.", "k. a.", "k.a", "keine angabe", "unbekannt", "fehlt",
    "missing", "unknown", "not available", "not applicable", "0000-00-00", "00.00.0000",
))  # fmt: skip
CODES = frozenset(
    (-1, -9, -99, -999, -9999, -99999, 99, 999, 9999, 99999, 999999)
)  # fmt: skip
Columns = Mapping[str, Sequence[str]]
LOOKED_AT = 2**20  # bytes
LINES = 2_000
GROUPED = {",": re.compile(r"[+-]?[1-9][0-9]{0,2}(\.[0-9]{3})+(,[0-9]+)?"),
           ".": re.compile(r"[+-]?[1-9][0-9]{0,2}(,[0-9]{3})+(\.[0-9]+)?")}  # fmt: skip
THOUSANDTHS = re.compile(r"[+-]?[1-9][0-9]{0,2}\.[0-9]{3}")
COMMA, POINT = Notation(",", "."), Notation(".", ",")


@dataclass
class Proposal:
    """Options by name, as arguments of `read`, and what was found, in words."""

    options: dict[str, Any] = field(default_factory=dict)
    findings: list[Message] = field(default_factory=list)

    def add(self, name: str, value: Any, finding: str) -> None:
        """Propose an option."""
        self.options[name] = value
        self.findings.append(Message(finding))


def propose(path: Path) -> Proposal:
    """Return what the first part of a text file shows of its dialect."""
    proposal = Proposal()
    raw = first_bytes(path, LOOKED_AT)
    text = _text(raw, proposal)
    lines = _lines(text, whole=len(raw) < LOOKED_AT)
    if not lines:
        return proposal
    lines = _without_comments(lines, proposal)
    sign = _delimiter(lines)
    if sign is None:
        _widths(lines, proposal)
        return proposal
    rows = _rows(lines, sign)
    rows = _without_preamble(rows, proposal)
    if sign not in _header_signs(lines, proposal):
        proposal.add("delimiter", sign, "the delimiter is not the only sign of its kind")
    columns = _columns(rows)
    _missing(columns, proposal, _notation(columns, sign, proposal))
    _dates(columns, proposal)
    return proposal


def _text(raw: bytes, proposal: Proposal) -> str:
    """Return the text; propose its encoding where it is not certain."""
    marked = marked_encoding(raw)
    if marked is not None:
        return raw.decode(marked, "replace").lstrip("\ufeff")
    zeros = raw[:4096].count(0)
    if zeros > len(raw[:4096]) // 4:
        encoding = "utf-16-le" if raw[1::2].count(0) > raw[::2].count(0) else "utf-16-be"
        proposal.add("encoding", encoding, "every other byte is zero: UTF-16 without a mark")
        return raw.decode(encoding, "replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start >= len(raw) - 4 and error.reason == "unexpected end of data":
            return raw.decode("utf-8", "ignore")
        offset = error.start
    for encoding in ("cp1252", "latin-1"):
        try:
            text = raw.decode(encoding)
        except UnicodeDecodeError:
            continue
        proposal.add("encoding", encoding, f"byte {offset} is not UTF-8, and all are {encoding}")
        return text
    return raw.decode("latin-1")


def _lines(text: str, *, whole: bool) -> list[str]:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[: LINES + 1]
    if not whole or len(lines) > LINES:
        lines = lines[:-1]
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _without_comments(lines: list[str], proposal: Proposal) -> list[str]:
    if not any(line.startswith("#") for line in lines):
        return lines
    kept = [line for line in lines if not line.startswith("#")]
    first = next((line for line in lines if line.strip()), "")
    if not kept or not (first.startswith("#") or lines[-1].startswith("#")):
        return lines
    proposal.add("comment", "#", f"{len(lines) - len(kept)} lines begin with #")
    return kept


def _counts(lines: Sequence[str], sign: str) -> Counter[int]:
    return Counter("".join(line.split('"')[::2]).count(sign) for line in lines if line.strip())


def _delimiter(lines: Sequence[str]) -> str | None:
    """Return the sign that most lines have the same number of, None where there is none."""
    likely = []
    for sign in DELIMITERS:
        counts = _counts(lines, sign)
        number, times = max(counts.items(), key=lambda one: (one[1], one[0]))
        share = times / sum(counts.values())
        if number and share >= MOSTLY:
            likely.append((share, number, sign))
    best, *others = sorted(likely, reverse=True) or [(0.0, 0, "")]
    if any(other[:2] == best[:2] for other in others):
        return None  # two signs are as likely
    return best[2] or None


def _header_signs(lines: Sequence[str], proposal: Proposal) -> str:
    """Return the delimiters that the header shows: one alone is certain."""
    header = lines[min(proposal.options.get("skip_lines", 0), len(lines) - 1)]
    bare = "".join(header.split('"')[::2])
    signs = "".join(sign for sign in DELIMITERS if sign in bare)
    return signs if len(signs) == 1 else ""


def _rows(lines: Sequence[str], sign: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO("\n".join(lines), newline=""), delimiter=sign))


def _without_preamble(rows: list[list[str]], proposal: Proposal) -> list[list[str]]:
    """Return the rows from the header on; propose to skip what stands above it."""
    width, _ = Counter(map(len, rows)).most_common(1)[0]
    above = next((i for i, row in enumerate(rows) if len(row) == width), 0)
    if above:
        proposal.add("skip_lines", above, f"{above} lines stand above the header")
    return [row for row in rows[above:] if len(row) == width]


def _columns(rows: list[list[str]]) -> dict[str, list[str]]:
    header, *records = rows
    return {
        name: [row[i].strip() for row in records if row[i].strip()] for i, name in enumerate(header)
    }


def _notation(columns: dict[str, list[str]], sign: str, proposal: Proposal) -> Notation:
    """Propose decimal sign and thousands; return the notation.

    A decimal comma is proposed where some columns are numbers by it alone, and none without it.
    """
    every = [[c for c in cells if not is_word(c)] for cells in columns.values()]
    commas = [c for c in every if mostly(c, COMMA) and not mostly(c, STRICT)]
    points = [c for c in every if mostly(c, STRICT) and not mostly(c, COMMA)]
    if commas and not points:
        proposal.add("decimal", ",", f"numbers of {len(commas)} columns have a decimal comma")
        return _grouped([c for c in every if mostly(c, COMMA)], COMMA, proposal)
    if not commas:
        thousandths = [c for c in every if c and all(map(THOUSANDTHS.fullmatch, c))]
        if sign == ";" and thousandths:
            finding = (
                f"numbers of {len(thousandths)} columns all have three digits after the point, "
                "which is read as the decimal sign; if it stands between thousands, say "
                f"{option('decimal', ',')} and {option('thousands', '.')}"
            )
            proposal.findings.append(Message(finding))
        return _grouped([c for c in every if mostly(c, POINT)], POINT, proposal)
    return STRICT


def _grouped(columns: list[list[str]], notation: Notation, proposal: Proposal) -> Notation:
    """Propose the sign between thousands, where a number has one; return the notation."""
    if not any(GROUPED[notation.decimal].fullmatch(cell) for cells in columns for cell in cells):
        return Notation(notation.decimal)
    proposal.add("thousands", notation.thousands, "numbers have a sign between thousands")
    return notation


def _missing(columns: dict[str, list[str]], proposal: Proposal, notation: Notation) -> None:
    """Propose words and codes that stand for missing cells."""
    found = find_missing(columns, notation)
    proposal.findings += map(Message, found.findings)
    if found.words:
        each = "; ".join(f"{word} in {listed(names)}" for word, names in found.words.items())
        finding = f"what seems to stand for missing cells: {each}"
        proposal.add("missing", ["", *found.words], finding)


def _dates(columns: dict[str, list[str]], proposal: Proposal) -> None:
    """Propose the formats of dates, by column where they differ; what is open is said."""
    found = find_dates(columns, proposal.options.get("missing", ()))
    if found.formats:
        finding = f"dates of {len(found.formats)} columns are not %Y-%m-%d"
        proposal.add("date_format", found.option, finding)
    proposal.findings += map(Message, found.findings)


def _widths(lines: Sequence[str], proposal: Proposal) -> None:
    """Propose widths where blanks stand at the same places of all lines."""
    widths = blank_columns(lines)
    if widths:
        proposal.add(
            "widths",
            widths,
            f"no delimiter, but {len(widths)} columns of the same width in all lines",
        )


# Proposal of the words and codes that stand for missing cells, on evidence alone.
#
# A known word is proposed where the other cells of its column are numbers or dates; a code, such as
# -1 or 9999, where it is repeated and lies beyond all other numbers of its column. What also occurs
# where nothing speaks for it is not proposed, or said: `missing` is for all columns.
@dataclass
class Missing:
    """Words and codes with the columns that speak for each; what else is to be said of them."""

    words: dict[str, list[str]] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)


def is_word(cell: str) -> bool:
    """Tell whether a cell is a word for missing that is in use."""
    return cell.casefold() in WORDS


def mostly(cells: Sequence[str], notation: Notation) -> bool:
    """Tell whether most cells are numbers of a notation."""
    fits = sum(notation.number.fullmatch(cell) is not None for cell in cells)
    return bool(cells) and fits >= MOSTLY * len(cells)


def find_missing(columns: Columns, notation: Notation) -> Missing:
    """Return what seems to stand for missing cells."""
    found, strange = Missing(), []
    for name, cells in columns.items():
        rest = [cell for cell in cells if not is_word(cell)]
        counts = Counter(rest)
        numbers = mostly(rest, notation)
        dates = sum(DATE.fullmatch(cell) is not None for cell in rest) >= MOSTLY * len(rest)
        if not rest or not (numbers or dates):
            continue
        codes = _codes(counts, notation) if numbers else []
        for word in [*dict.fromkeys(cell for cell in cells if is_word(cell)), *codes]:
            found.words.setdefault(word, []).append(name)
        if numbers and not all(notation.number.fullmatch(cell) for cell in rest):
            strange.append(name)
    _check_elsewhere(columns, found)
    if strange:
        found.findings.append(
            f"{listed(strange)}: cells among the numbers that are none; if they stand for missing "
            f"values say {option('missing')}, and {option('show_rows', python='the table')} shows "
            "records"
        )
    return found


def _codes(counts: Counter[str], notation: Notation) -> list[str]:
    """Return codes that lie beyond all other numbers and occur more than once."""
    values = {
        cell: float(notation.plain(cell)) for cell in counts if notation.number.fullmatch(cell)
    }
    usual = [value for value in values.values() if value not in CODES]
    if len(usual) < FEW:
        return []
    low, high = min(usual), max(usual)
    spread = max(high - low, 1.0)
    return [
        cell for cell, value in values.items()
        if value in CODES and counts[cell] > 1
        and (value < low - spread or value > high + spread or value < 0 <= low)
    ]  # fmt: skip


def _check_elsewhere(columns: Columns, found: Missing) -> None:
    """Leave out codes that are values of other columns; say so of words."""
    for word, names in list(found.words.items()):
        other = [name for name, cells in columns.items() if name not in names and word in cells]
        if not other:
            continue
        if is_word(word):
            found.findings.append(
                f"{word} stands in {listed(other)}, too, where {option('missing')} makes it "
                "missing as well"
            )
            continue
        del found.words[word]
        found.findings.append(
            f"{word} seems to stand for missing in {listed(names)}, and for itself in "
            f"{listed(other)}: mend the file where it is missing"
        )


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
