"""The hierarchy that fits a column: prefixes of codes, parts of the calendar, round widths."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Floats
from shoal.table.proposals.codes import LONGEST, MOSTLY, SHORTEST, prefixes_of
from shoal.table.proposals.content import Content
from shoal.table.proposals.meanings import Meaning
from shoal.table.roles import Kind

FEW = 10  # different numbers that need no intervals
TAILS = (0.05, 0.95)  # quantiles between which numbers are counted in intervals
INTERVALS = 40  # narrowest ones between them, about
FACTORS = {1: 2, 2: 5, 5: 2}  # each width is a multiple of the one before: 5, 10, 20, 100
YEARS = 3.0  # of dates up to which months are told apart
AGES = "widths:5,10,20,40"


@dataclass(frozen=True)
class TreeProposal:
    """A rule of a hierarchy with its reason.

    `is_needed` tells that without it a run would suppress cells or average codes; of other columns
    it is for whoever wants intervals instead of means.
    """

    rule: str
    reason: str
    is_needed: bool = False


def propose_tree(content: Content) -> TreeProposal | None:
    """Return the hierarchy that fits a column, None where none is known."""
    if content.column.is_ordinal or content.column.doubt or content.different < 2:
        return None
    length = content.code_length or _digits(content)
    if length is not None:
        reason = f"codes of {length} signs: their first ones are kept"
        return TreeProposal(prefixes_of(length), reason, is_needed=True)
    if content.kind in (Kind.DATE, Kind.DATETIME):
        return _calendar(content)
    if content.kind.is_number and content.different > FEW and content.numbers.size:
        if content.meaning is Meaning.AGE and content.numbers[-1] < 150:
            return TreeProposal(AGES, "ages in steps of 5, 10, 20 and 40 years")
        return _widths(content.numbers)
    return None


def _digits(content: Content) -> int | None:
    """Return the length of postcodes that are whole numbers; None of other columns."""
    if content.meaning is not Meaning.POSTCODE or content.kind is not Kind.INTEGER:
        return None
    numbers = content.numbers[content.numbers > 0]
    if numbers.size < content.numbers.size or not numbers.size:
        return None
    lengths = np.floor(np.log10(numbers)).astype(int) + 1
    length = int(np.bincount(lengths).argmax())
    is_one = SHORTEST <= length <= LONGEST and float((lengths == length).mean()) >= MOSTLY
    return length if is_one else None


def _calendar(content: Content) -> TreeProposal:
    """Propose parts of the calendar: fine ones where all dates lie in a few years."""
    low, high = np.quantile(content.numbers, TAILS)
    years = float(high - low) / 365.25
    if years > YEARS:
        return TreeProposal("dates:quarter,year", "dates of many years: quarters, then years")
    return TreeProposal("dates:month,quarter,year", "dates of few years: months first")


def _widths(numbers: Floats) -> TreeProposal | None:
    """Propose round widths: about so many intervals between the tails, and ever wider ones."""
    low, high = np.quantile(numbers, TAILS)
    wide = float(high - low)
    if not wide > 0.0 or not math.isfinite(wide):
        return None
    power = math.floor(math.log10(wide / INTERVALS))
    first = next(step for step in (1, 2, 5, 10) if step * 10.0**power >= wide / INTERVALS)
    if first == 10:
        first, power = 1, power + 1
    whole = bool((numbers == np.rint(numbers)).all())
    if whole and first * 10.0**power <= 1:  # steps of one are the numbers themselves
        first, power = 2, 0
    widths: list[str] = []
    while first * 10.0**power <= wide / 2 or not widths:
        widths.append(_written(first, power))
        first *= FACTORS[first]
        if first == 10:
            first, power = 1, power + 1
    return TreeProposal(f"widths:{','.join(widths)}", f"numbers in round steps from {widths[0]} on")


def _written(digit: int, power: int) -> str:
    """Write digit · 10^power in plain digits."""
    return f"{digit}{'0' * power}" if power >= 0 else f"{digit * 10.0**power:.{-power}f}"
