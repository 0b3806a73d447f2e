"""Offsets of times from UTC, as csv writes them: Z, +01:00, +0100 or +01."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime, timedelta, timezone
from typing import Any

ZONE = "(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)"
AT_END = re.compile(f"{ZONE}$")


def offset_of(zone: str) -> timedelta | None:
    """Return how far a zone is ahead of UTC; None where no clock is set so."""
    digits = zone.strip("Z").replace(":", "")
    hours, minutes = int(digits[1:3] or 0), int(digits[3:] or 0)
    if hours > 23 or minutes > 59:
        return None
    return timedelta(hours=hours, minutes=minutes) * (-1 if digits.startswith("-") else 1)


def shared_zone(zones: Collection[str]) -> str:
    """Return the zone in which times are written: their own, or UTC where they have several."""
    if len(zones) == 1:
        return next(iter(zones))
    if "Z" in zones:
        return "Z"
    return "+00:00" if any(":" in zone for zone in zones) else "+0000"


def local_time(moment: datetime, zone: str) -> datetime:
    """Return what clocks of a zone show at a moment; without a zone, what was written."""
    offset = offset_of(zone) if zone else None
    if offset is None or moment.utcoffset() == offset:
        return moment.replace(tzinfo=None)
    return moment.astimezone(timezone(offset)).replace(tzinfo=None)


def instants(values: Any, zone: str) -> Any:
    """Return local times of a zone, an Arrow array, as instants of UTC."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unit = values.type.unit
    offset = pa.scalar(offset_of(zone), type=pa.duration(unit))
    return pc.subtract(values, offset).cast(pa.timestamp(unit, "UTC"))


def local_times(values: Any, zone: str) -> Any:
    """Return instants, an Arrow array, as the local times of a zone."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unit = values.type.unit
    offset = pa.scalar(offset_of(zone), type=pa.duration(unit))
    return pc.add(values.cast(pa.timestamp(unit, "UTC")).cast(pa.timestamp(unit)), offset)
