"""Estimated seconds and megabytes of a run, and the error where it does not fit in memory.

`costs.csv` holds what runs of every method took on two cores: several numbers of records at 8
columns and k = 5, and other columns and k at one number of records
(`benchmarks/estimates/measure.py` writes it). In between, the logarithm of time is a straight line
in the logarithm of the number of records, and so it goes on beyond; columns and k each multiply by
a power of theirs.
"""

from __future__ import annotations

import csv
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from shoal.errors import RequestError
from shoal.hints import option
from shoal.methods.auto import EFFORTS, Choice, choose, choose_mixed, seconds_by_trees
from shoal.methods.ils.search import ITERATIONS
from shoal.methods.problem import Info
from shoal.methods.registry import find
from shoal.settings import Settings
from shoal.storage import processes

COLUMNS, K = 8, 5  # of the runs of several numbers of records
START = 0.1  # seconds that the least run takes
LEAST = 100.0  # megabytes
STEEP = 2.3  # no method grows faster
LEAN, LEAN_MIXED = "hilbert", "kaim"  # whose runs are little but reading, releasing, measuring
LONG = 10.0  # seconds: longer runs print their estimate


@dataclass(frozen=True)
class Estimate:
    """Estimated time and memory of a run, within a factor of two."""

    seconds: float
    megabytes: float

    def describe(self) -> str:
        """Return the estimate in words."""
        memory = self.megabytes
        room = f"{_round(memory):.0f} MB" if memory < 1000 else f"{memory / 1000:.1f} GB"
        return f"about {_time(self.seconds)} and {room} of memory"


def _time(seconds: float) -> str:
    if seconds < 1:
        return "a second"
    if seconds < 90:
        return f"{_round(seconds):.0f} s"
    if seconds < 5400:
        return f"{_round(seconds / 60):.0f} min"
    return f"{_round(seconds / 3600):.0f} h"


def _round(value: float) -> float:
    """Return a number with two significant digits."""
    digits = max(0, math.floor(math.log10(max(value, 1.0))) - 1)
    return max(1.0, round(value, -digits))


class Measured(NamedTuple):
    """A run that was measured."""

    records: int
    columns: int
    k: int
    seconds: float
    megabytes: float


@cache
def _known() -> Mapping[str, list[Measured]]:
    """Return the measured runs by method."""
    runs = defaultdict(list)
    text = resources.files("shoal.pipeline.plan").joinpath("costs.csv").read_text(encoding="utf-8")
    for method, records, columns, k, seconds, megabytes in list(csv.reader(text.splitlines()))[1:]:
        own = Measured(int(records), int(columns), int(k), float(seconds), float(megabytes))
        runs[method].append(own)
    return runs


def estimate(method: str, records: int, columns: int, k: int) -> Estimate | None:
    """Return the estimate of a method with its defaults; None: not known.

    A run is grouped, released, verified and measured. `fast:best` is fast with effort best.
    """
    runs = _known().get(method, [])
    usual = min({run.columns for run in runs}, key=lambda d: abs(d - COLUMNS), default=COLUMNS)
    line = sorted(run for run in runs if (run.columns, run.k) == (usual, K))
    if not line:
        return None
    figures = []
    for what, least in (("seconds", START), ("megabytes", LEAST)):
        value = _along([(run.records, max(getattr(run, what), least)) for run in line], records)
        for at, own, same, other in (("columns", columns, "k", K), ("k", k, "columns", usual)):
            some = [run for run in runs if getattr(run, same) == other]
            points = [(run.records, getattr(run, at), max(getattr(run, what), least))
                      for run in some]  # fmt: skip
            value *= (own / (usual if at == "columns" else K)) ** _power(points)
        figures.append(max(value, least))
    return Estimate(*figures)


def _along(points: Sequence[tuple[int, float]], records: int) -> float:
    """Return the value at a number of records, on the line through measured ones."""
    if len(points) == 1:
        return points[0][1] * max(1.0, records / points[0][0])
    at = next((i for i, (n, _) in enumerate(points[1:-1], 1) if n >= records), len(points) - 1)
    (n0, v0), (n1, v1) = points[at - 1], points[at]
    slope = min(STEEP, math.log(v1 / v0) / math.log(n1 / n0))
    value: float = v1 * (records / n1) ** slope
    return value


def _power(runs: Sequence[tuple[int, int, float]]) -> float:
    """Return the power by which a figure grows: of runs of that many records of which most are."""
    by_records: dict[int, list[tuple[int, float]]] = defaultdict(list)
    for records, place, value in runs:
        by_records[records].append((place, value))
    some = np.log(max(by_records.values(), key=len))
    if len(some) < 2 or np.ptp(some[:, 0]) == 0.0:
        return 0.0
    return float(np.polyfit(some[:, 0], some[:, 1], 1)[0])


def expected(settings: Settings, records: int, columns: int, mixed: bool) -> Estimate | None:
    """Return the estimate of a run with these settings; None where it was never measured.

    columns counts the quasi-identifiers; `mixed` tells that records are grouped by trees.
    """
    protect = settings.protect
    limits = settings.search_options().get("stop", {})
    if not isinstance(limits, dict):
        return None  # no search takes it: it is refused in words
    k, effort = protect.k, protect.effort
    lean = estimate(LEAN_MIXED if mixed else LEAN, records, columns, k)
    if settings.roles.group is not None:
        return None
    if protect.method != "auto":
        return _limited(find(protect.method).info, limits, effort, records, columns, k, lean)
    choice = chosen(settings, records, columns, mixed)
    method = find(choice.method).info
    if not method.is_search:
        return _limited(method, limits, effort, records, columns, k, lean)
    own = estimate(method.name, records, columns, k)
    if own is None or lean is None:
        return None
    size = records / 1000
    seconds = EFFORTS[effort] * (size * size if size < 1 else size**0.5)
    if mixed:
        seconds = seconds_by_trees(records, effort)
    if limits.get("seconds") is not None:
        seconds = float(limits["seconds"])
    return Estimate(lean.seconds + seconds, own.megabytes)


def chosen(settings: Settings, records: int, columns: int, mixed: bool) -> Choice:
    """Return what `auto` runs with these settings, and why."""
    pick = choose_mixed if mixed else choose
    limited = bool(settings.search_options().get("stop"))
    return pick(records, columns, settings.protect.k, settings.protect.effort, limited=limited)


def _limited(
    method: Info, limits: Any, effort: str, records: int, columns: int, k: int,
    lean: Estimate | None,
) -> Estimate | None:  # fmt: skip
    """Return the estimate of a method within the limits of its search."""
    name = method.name
    if method.in_blocks and effort != "normal":
        name = f"{name}:{effort}"
    usual = estimate(name, records, columns, k)
    if usual is None or lean is None or not method.is_search:
        return usual
    own = max(0.0, usual.seconds - lean.seconds)
    if limits.get("seconds") is not None:
        own = float(limits["seconds"])
    elif limits.get("iterations") is not None:
        own *= limits["iterations"] / (method.rounds["normal"] if method.rounds else ITERATIONS)
    elif method.rounds:
        own *= method.rounds[effort] / method.rounds["normal"]
    return replace(usual, seconds=lean.seconds + own)


def check_fits(
    estimate: Estimate | None, settings: Settings, mixed: bool, available: float | None
) -> None:
    """Raise RequestError if a run takes more memory than is available, in MB, if that is known."""
    if estimate is None or available is None or estimate.megabytes <= available:
        return
    lean = "kaim-fast" if mixed else "fast"
    memory = f"{max(1, int(available // 2000))}GB"
    given = option("memory", memory, python=f"`anonymize_file` with memory={memory!r}")
    advice = f"say {given} to group a file region by region"
    if settings.protect.method not in ("auto", lean):
        advice = f"take {option('method', lean)}, which works in blocks, or {advice}"
    raise RequestError(
        f"this takes {estimate.describe()}, and the machine has {available / 1000:.0f} GB; {advice}"
    )


def machine_memory() -> float | None:
    """Return the megabytes of memory that this machine, or container, has; None: not known."""
    memory = processes.memory()
    return None if memory is None else memory / 1e6
