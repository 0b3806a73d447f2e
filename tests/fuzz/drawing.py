"""A case from a seed."""

from __future__ import annotations

import random

from fuzz.cases import Case
from fuzz.options import draw_options
from fuzz.sources import SOURCES
from fuzz.tables import draw_columns


def draw(seed: int, door: str = "python") -> Case:
    """Return the case of a seed; the same for every door but for what that door can take."""
    rng = random.Random(seed)
    columns = draw_columns(rng)
    source = rng.choice(SOURCES if door == "python" else ("csv", "csv", "parquet", "csv.gz"))
    options, files = draw_options(rng, columns, source)
    return Case(seed, columns, options, source, door, files)
