"""Estimated seconds and megabytes of a run, from measured runs of every method.

`costs.csv` holds what runs took on two cores: several numbers of records at 8 columns and k = 5,
and other columns and k at one number of records (`benchmarks/estimates/measure.py` writes it). In
between, the logarithm of time is a straight line in the logarithm of the number of records, and so
it goes on beyond; columns and k each multiply by a power of theirs.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

COLUMNS, K = 8, 5  # of the runs of several numbers of records
START = 0.1  # seconds that the least run takes
LEAST = 100.0  # megabytes
STEEP = 2.3  # no method grows faster


@dataclass(frozen=True)
class Estimate:
    """Estimated time and memory of a run, within a factor of two."""

    seconds: float
    megabytes: float

    def describe(self) -> str:
        """Return the estimate in words."""
        return f"about {_time(self.seconds)} and {_room(self.megabytes)} of memory"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "a second"
    if seconds < 90:
        return f"{_round(seconds):.0f} s"
    if seconds < 5400:
        return f"{_round(seconds / 60):.0f} min"
    return f"{_round(seconds / 3600):.0f} h"


def _room(megabytes: float) -> str:
    return f"{_round(megabytes):.0f} MB" if megabytes < 1000 else f"{megabytes / 1000:.1f} GB"


def _round(value: float) -> float:
    """Return a number with two significant digits."""
    digits = max(0, math.floor(math.log10(max(value, 1.0))) - 1)
    return max(1.0, round(value, -digits))


@cache
def _known() -> Mapping[str, list[tuple[int, int, int, float, float]]]:
    """Return the measured runs by method."""
    runs = defaultdict(list)
    text = resources.files("shoal.pipeline.plan").joinpath("costs.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        numbers = int(row["records"]), int(row["columns"]), int(row["k"])
        runs[row["method"]].append((*numbers, float(row["seconds"]), float(row["megabytes"])))
    return runs


def estimate(method: str, records: int, columns: int, k: int) -> Estimate | None:
    """Return the estimate of a method with its defaults; None: not known.

    A run is grouped, released, verified and measured. `fast:best` is fast with effort best.
    """
    runs = _known().get(method, [])
    own = min({d for _, d, *_ in runs}, key=lambda d: abs(d - COLUMNS), default=COLUMNS)
    line = sorted(run for run in runs if run[1] == own and run[2] == K)
    if not line:
        return None
    seconds = _along([(n, max(s, START)) for n, _, _, s, _ in line], records)
    megabytes = _along([(n, max(m, LEAST)) for n, _, _, _, m in line], records)
    for at, usual, value in ((1, own, columns), (2, K, k)):
        seconds *= _power(runs, at, own, 3, START) ** math.log(value / usual)
        megabytes *= _power(runs, at, own, 4, LEAST) ** math.log(value / usual)
    return Estimate(max(seconds, START), max(megabytes, LEAST))


def _along(points: Sequence[tuple[int, float]], records: int) -> float:
    """Return the value at a number of records, on the line through measured ones."""
    if len(points) == 1:
        return points[0][1] * max(1.0, records / points[0][0])
    at = next((i for i, (n, _) in enumerate(points[1:-1], 1) if n >= records), len(points) - 1)
    (n0, v0), (n1, v1) = points[at - 1], points[at]
    slope = min(STEEP, math.log(v1 / v0) / math.log(n1 / n0))
    value: float = v1 * (records / n1) ** slope
    return value


def _power(
    runs: Sequence[tuple[int, int, int, float, float]], at: int, own: int, what: int, least: float
) -> float:
    """Return e to the power with which a figure grows with columns (1) or k (2)."""
    usual = {1: own, 2: K}[at]
    other = {1: K, 2: own}[at]
    same = 2 if at == 1 else 1
    best: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for run in runs:
        if run[same] == other:
            best[run[0]].append((int(run[at]), max(float(run[what]), least)))
    some = max((points for points in best.values()), key=len, default=[])
    if len(some) < 2:
        return 1.0
    x = [math.log(place / usual) for place, _ in some]
    y = [math.log(value) for _, value in some]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    spread = sum((one - mean_x) ** 2 for one in x)
    if spread == 0.0:
        return 1.0
    slope = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / spread
    return math.exp(slope)
