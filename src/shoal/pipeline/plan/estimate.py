"""Estimate of a run, and the error where it does not fit in memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from shoal.errors import RequestError
from shoal.hints import option
from shoal.methods.auto import EFFORTS, Choice, choose, choose_mixed, seconds_by_trees
from shoal.methods.ils.search import ITERATIONS
from shoal.methods.problem import Info
from shoal.methods.registry import find
from shoal.pipeline.plan.costs import Estimate, estimate
from shoal.settings import Settings
from shoal.storage import processes

LEAN, LEAN_MIXED = "hilbert", "kaim"  # whose runs are little but reading, releasing, measuring
LONG = 10.0  # seconds: longer runs print their estimate


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
