"""Dates of a csv release in the format that its papers name, by the standard library."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from shoal.errors import RequestError, shown

SAMPLE = datetime(2001, 2, 3, 4, 5, tzinfo=UTC)
ALIKE = SAMPLE.replace(year=2007)  # on the same weekday
TIMES = ("%H", "%M", "%S")


def as_iso(text: str, form: str) -> str | None:
    """Return a date, or a date and time, as ISO writes it; None if it is not of the format."""
    try:
        moment = datetime.strptime(text.strip(" \t"), form)
    except ValueError:
        return None
    if any(part in form for part in TIMES):
        return moment.isoformat()
    return moment.date().isoformat()


def formats_of(given: Any) -> dict[str, str]:
    """Return formats by column, "" for all; raise RequestError for what is none."""
    formats = {"": given} if isinstance(given, str) else given
    texts = isinstance(formats, Mapping) and all(
        isinstance(one, str) for pair in formats.items() for one in pair
    )
    if not texts:
        raise RequestError("date_format must be a format, or one by column")
    for form in formats.values():
        has_year = SAMPLE.strftime(form) != ALIKE.strftime(form)  # Python warns of days without one
        iso = as_iso(SAMPLE.strftime(form), form) if has_year else None
        if iso is None or iso[:10] != SAMPLE.date().isoformat():
            raise RequestError(f"date format {shown(form)}: say it as %d.%m.%Y")
    return dict(formats)
