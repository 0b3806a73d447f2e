"""Columns of periods (pandas): dates or times inside, periods again when they come back.

A period is its first day, or its first moment where it is shorter than a day. What a group releases
of them is rounded to the nearest start of a period, half to even, so that no release is finer than
its input.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

DAY = 86_400_000_000  # microseconds


def is_period(kind: Any) -> bool:
    """Tell whether an Arrow type holds periods of pandas."""
    return getattr(kind, "extension_name", "") == "pandas.period"


def starts(values: Any) -> Any:
    """Return an Arrow array of periods as their first days, or moments where days are too long."""
    moments = pa.array(values.to_pandas().dt.to_timestamp(how="start")).cast(pa.timestamp("us"))
    ticks = moments.cast(pa.int64()).unique().drop_null().to_pylist()
    return moments if any(tick % DAY for tick in ticks) else moments.cast(pa.date32())


def nearest(values: Any, frequency: Any) -> Any:
    """Return the period of a frequency that begins nearest to each date or time; pandas' own."""
    moments = values.cast(pa.timestamp("us")).to_pandas()
    before = moments.dt.to_period(frequency)
    after = before + 1
    down, up = moments - before.dt.to_timestamp(), after.dt.to_timestamp() - moments
    odd = before.array.asi8 % 2 == 1
    return before.where(~((up < down) | ((up == down) & odd)), after)


def frequency_of(native: Any) -> Any:
    """Return the frequency of a native column of periods; None of any other."""
    if isinstance(native, pa.ChunkedArray):
        return native.type.freq if is_period(native.type) else None
    kind: Any = getattr(native, "dtype", None)
    return kind.freq if str(kind).startswith("period[") else None
