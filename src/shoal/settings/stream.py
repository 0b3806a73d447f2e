"""Options of a stream: how many are grouped at once, how long one may wait, what is written."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from pydantic import Field

from shoal.settings.kinds import TEXT, WHOLE
from shoal.settings.option import Option, Part

STREAM = "stream"
_option = partial(Option, commands=(STREAM,), functions=(STREAM,), desk=False)
_privacy = partial(_option, "Privacy")


class StreamSettings(Part):
    """The size of a batch, the longest delay, and the format of batches."""

    batch: Annotated[
        int,
        Field(ge=2),
        _privacy(
            "How many records of a stream are grouped at once: larger batches lose less and take "
            "more memory. Default: 10,000.",
            WHOLE, least=2,
        ),
    ] = 10_000  # fmt: skip
    delay: Annotated[
        str | None,
        _privacy(
            "How long a record may wait: 5000 (so many later records), or 30s, 15min, 2h, 1d. "
            "What cannot be released by then is withheld. Default: no limit, and what waits when "
            "the input ends is released.",
            TEXT,
        ),
    ] = None
    format: Annotated[
        str,
        _option(
            "Writing",
            "Of the batches: csv, csv.gz, parquet, feather, arrow, jsonl, xlsx, sav, zsav, dta or "
            "xpt. Default: csv.",
            TEXT,
        ),
    ] = "csv"
