"""Proposal of the formats of dates: where the cells of a column leave one order alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import listed
from shoal.hints import COLUMN, option
from shoal.table.dialects.notation import ZONE

ORDERS = (("d", "m", "Y"), ("m", "d", "Y"), ("Y", "m", "d"))
DATE = re.compile(
    r"(?P<first>[0-9]{1,4})(?P<sign>[./-])(?P<second>[0-9]{1,2})(?P=sign)(?P<third>[0-9]{1,4})"
    rf"(?:(?P<between>[ T])[0-9]{{1,2}}:[0-9]{{2}}(?P<seconds>:[0-9]{{2}})?(?P<zone>{ZONE})?)?"
)
MOST = {"d": 31, "m": 12, "Y": 9999}


@dataclass
class Dates:
    """Formats by column, columns of ISO dates, and those that leave something open."""

    formats: dict[str, str] = field(default_factory=dict)
    plain: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)
    short: list[str] = field(default_factory=list)

    @property
    def option(self) -> str | dict[str, str]:
        """What `date_format` says: one format for all where no column has another."""
        every = set(self.formats.values())
        one = len(every) == 1 and not self.plain and not self.unsettled and not self.short
        return every.pop() if one else self.formats

    @property
    def findings(self) -> list[str]:
        """What is left to a person."""
        found = []
        if self.unsettled:
            found.append(
                f"dates of {listed(self.unsettled)} may have the day or the month first; say "
                f"{option('date_format', {COLUMN: '%d/%m/%Y'})} or "
                f"{option('date_format', {COLUMN: '%m/%d/%Y'})}"
            )
        if self.short:
            found.append(
                f"years of {listed(self.short)} have two digits, which leave the century open; "
                f"write four, or say {option('types', {COLUMN: 'text'})}"
            )
        return found


def find_dates(columns: Mapping[str, Sequence[str]], gone: Collection[str]) -> Dates:
    """Return the formats of dates; `gone` are cells that are missing."""
    found = Dates()
    for name, cells in columns.items():
        known = [cell for cell in cells if cell not in gone]
        matches = [match for cell in known if (match := DATE.fullmatch(cell))]
        if not known or len(matches) < len(known):
            continue
        orders = [order for order in ORDERS if _fits(matches, order)]
        looks = {(m["sign"], m["between"], m["seconds"] is None) for m in matches}
        if len(orders) > 1:
            found.unsettled.append(name)
        elif not orders:
            found.short += [name] if _are_short(matches) else []
        elif _is_iso(matches, orders[0]):
            found.plain.append(name)
        elif len(looks) == 1:
            found.formats[name] = _format(matches, orders[0])
    return found


def _parts(match: Any) -> tuple[str, str, str]:
    return match["first"], match["second"], match["third"]


def _fits(matches: Sequence[Any], order: tuple[str, ...]) -> bool:
    """Tell whether all dates are of the calendar in an order of day, month and year."""
    for match in matches:
        for part, digits in zip(order, _parts(match), strict=True):
            if (len(digits) == 4) != (part == "Y") or not 1 <= int(digits) <= MOST[part]:
                return False
    return True


def _are_short(matches: Sequence[Any]) -> bool:
    """Tell whether all dates have years of two digits, or none that could be one."""
    return all(len(digits) <= 2 for match in matches for digits in _parts(match))


def _is_iso(matches: Sequence[Any], order: tuple[str, ...]) -> bool:
    """Tell whether dates need no format: those of ISO, of one zone where they have a time."""
    zones = {match["zone"] for match in matches}
    digits = all(len(part) > 1 for match in matches for part in _parts(match))
    return order[0] == "Y" and matches[0]["sign"] == "-" and digits and len(zones) == 1


def _format(matches: Sequence[Any], order: tuple[str, ...]) -> str:
    match = matches[0]
    text: str = match["sign"].join(f"%{part}" for part in order)
    if match["between"]:
        text += match["between"] + ("%H:%M:%S" if match["seconds"] else "%H:%M")
    return text + ("%z" if match["zone"] else "")
