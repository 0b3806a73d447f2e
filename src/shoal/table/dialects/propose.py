"""Proposal: in which dialect a text file seems to be written, from its first part.

Nothing is read by a proposal but what a person then asks for: `shoal inspect` shows the options,
every other command wants them said.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from shoal.errors import listed
from shoal.hints import Message, option
from shoal.table.csv_text.scan import DELIMITERS
from shoal.table.dialects.notation import STRICT, Notation
from shoal.table.dialects.propose_dates import find_dates
from shoal.table.dialects.propose_missing import MOSTLY, find_missing, is_word, mostly
from shoal.table.dialects.transcode import marked_encoding
from shoal.table.dialects.widths import blank_columns
from shoal.table.files.opening import first_bytes

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
