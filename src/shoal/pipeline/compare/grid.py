"""`compare`: runs of several methods with several k."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack, overload

import numpy.typing as npt

from shoal.errors import Canceled, RequestError, ShoalError
from shoal.hints import Message, option
from shoal.methods.options import check_installed
from shoal.methods.problem import ILOSS, SSE
from shoal.methods.registry import find
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.compare.points import (
    ATTACKS,
    AUTO,
    Comparison,
    FrameT,
    Lists,
    Point,
    StepLists,
    alternatives_of,
    compare_lists,
    judged,
)
from shoal.pipeline.compare.resume import Notes
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.plan.aggregators import digests
from shoal.pipeline.plan.plan import Plan, once_read, plan_table
from shoal.pipeline.result import Result
from shoal.progress import Callback, Progress, Reporter
from shoal.report.chunk import GENERALIZED
from shoal.report.comparison import NCP
from shoal.report.fields import singled_out
from shoal.settings import Settings, names, whole
from shoal.settings.signatures import CompareOptions
from shoal.settings.table import takes_options
from shoal.settings.tree import settings_and_run
from shoal.table.read import read_with
from shoal.table.roles import AVERAGED
from shoal.table.table import Table
from shoal.version import __version__

NUMBERS = (
    "mdav", "v-mdav", "mdav-mhm", "mst", "hilbert", "tfrp", "diameter-phase2", "cbfs-nc3+", "fast",
    "ilsmc+",
)  # fmt: skip
MIXED = "kaim", "kaim+", "k-member", "mdav", "tfrp", "hilbert", "fast", "ilsmc+"
LARGE, LARGE_NUMBERS, LARGE_MIXED = 30_000, ("hilbert", "fast"), ("kaim-fast", "hilbert", "fast")
LEFT = "left out, "
MODELS = "regression", "classification"  # models whose utility is reported


@overload
def compare(
    data: str | os.PathLike[str] | npt.NDArray[Any] | Table,
    *,
    k: int | Sequence[int],
    methods: Sequence[str] | str | None = None,
    step_lists: StepLists | None = None,
    budget: float | None = None,
    resume: str | Path | None = None,
    callback: Callback | Reporter | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison[object]:
    """Of a file or an array: the runs are a table of Arrow."""


@overload
def compare(
    data: FrameT,
    *,
    k: int | Sequence[int],
    methods: Sequence[str] | str | None = None,
    step_lists: StepLists | None = None,
    budget: float | None = None,
    resume: str | Path | None = None,
    callback: Callback | Reporter | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison[FrameT]:
    """Of a dataframe: the runs are one of its type."""


@takes_options("compare")
def compare(
    data: Any,
    k: int | Sequence[int],
    *,
    methods: Sequence[str] | str | None = None,
    step_lists: StepLists | None = None,
    budget: float | None = None,
    resume: str | Path | None = None,
    progress: Shown = False,
    callback: Callback | Reporter | None = None,
    **options: Unpack[CompareOptions],
) -> Comparison[Any]:
    """Run several methods with several k; return the frontier of loss and risk, and a pick.

    Every run is a whole one: grouped, released as `shoal.anonymize` would, verified, measured;
    nothing is written. Losses are SSE/SST where all methods release means, ILoss where all
    generalize, and else NCP, by which means and categories compare (`loss_name`).

    Parameters
    ----------
    data : path, dataframe or Table
        As in `shoal.anonymize`.
    k : int or sequence of int
        The group sizes to compare.
    methods : sequence of str, optional
        The methods to compare; by default what `auto` runs, and others that suit the table.
    step_lists : mapping or sequence, optional
        Lists of steps to compare instead of methods: by name ({"years": ["coarsen born year"]}), or
        in order, each a list of steps or the path of a recipe with them. `steps` come first in
        every list; `methods` may name the one method. Losses are of the table before all steps.
    budget : float, optional
        Seconds for all runs together. Searches share what is left; a run that goes beyond it is
        given up, except that of `auto`, whose search ends with its best.
    resume : path, optional
        A file that records the figures of every finished run; the same comparison started again
        continues after them.
    {progress}
    callback : callable, optional
        Gets a `Progress`.
    {options}

    Returns
    -------
    Comparison
        The runs as points of loss and risk, their frontier and the recommended one.
    """
    sizes = sorted({whole(one, "k") for one in ([k] if not isinstance(k, Sequence) else k)})
    if not sizes:
        raise RequestError("k names no number")
    settings, run = settings_and_run({"k": sizes[0], **options})
    grid = Grid(sizes, names(methods, "methods"), budget, resume, step_lists)
    with reporting(progress, callback) as report:
        return compare_as(data, settings, grid, run.threads, report)


@dataclass(frozen=True)
class Grid:
    """What is compared: sizes of k and methods (none: the usual ones), in how many seconds.

    `resume` is the file that notes every run when it ends. With `step_lists`, these are compared.
    """

    sizes: Sequence[int]
    methods: Sequence[str] | None = None
    budget: float | None = None
    resume: str | Path | None = None
    step_lists: StepLists | None = None


def compare_as(
    data: Any,
    settings: Settings,
    grid: Grid,
    threads: int | None = None,
    callback: Callback | Reporter | None = None,
) -> Comparison[Any]:
    """Read data and compare with the settings, whatever their method and k are."""
    options = settings.input
    table = read_with(data, options.dialect, options.missing, options.types)
    if grid.step_lists is not None:
        lists = Lists(alternatives_of(grid.step_lists), grid.sizes)
        return _compare_steps(table, settings, grid, lists, threads, Reporter.of(callback))
    return compare_by(table, settings, grid, threads, callback)


def _compare_steps(
    table: Table,
    settings: Settings,
    grid: Grid,
    lists: Lists,
    threads: int | None,
    report: Reporter,
) -> Comparison[Any]:
    """Compare lists of steps, all by one method and without a budget."""
    if grid.budget is not None or len(grid.methods or ()) > 1:
        raise RequestError(
            "lists of steps are compared by one method and without a budget; leave out the budget, "
            f"and name at most one in {option('methods')}"
        )
    method = grid.methods[0] if grid.methods else AUTO
    own = settings.replace(protect={"method": method})
    return compare_lists(table, own, lists, threads, report)


def compare_by(
    own: Table,
    first: Settings,
    grid: Grid,
    threads: int | None = None,
    callback: Callback | Reporter | None = None,
) -> Comparison[Any]:
    """Compare a table with the settings, whatever their method and k are."""
    methods, budget = grid.methods, grid.budget
    if budget is not None and not budget > 0:
        raise RequestError("budget must be a number of seconds above 0")
    first = once_read(first)
    usual = _usual(own.rows, _plan(own, first, AUTO).is_mixed)
    chosen = list(dict.fromkeys(methods or [AUTO, *usual]))
    for name in chosen:
        if name != AUTO:
            check_installed(find(name).info)
    loss_name = _loss_name(own, first, chosen)
    cases = [(size, AUTO) for size in grid.sizes if AUTO in chosen]
    cases += [(size, name) for size in grid.sizes for name in chosen if name != AUTO]
    notes = Notes(grid.resume, _digest(own, first, budget, loss_name))
    report = Reporter.of(callback)
    stop = report.stop
    clock = _Clock(budget, report, len(cases))
    points: list[Point] = []
    for size, name in cases:
        if not methods and any(p.auto and (p.k, p.method) == (size, name) for p in points):
            clock.left -= 1  # auto has run the same search
            continue
        point = notes.known(size, name)
        if point is None:
            point = _run(own, first, name, size, clock, threads, loss_name)
            if point.information_loss is not None and not (stop.finish or stop.canceled):
                notes.add(point)
        clock.left -= 1
        points.append(point)
        if clock.canceled:
            raise Canceled("stopped by the callback; what was done is noted, if it was to be")
    points.sort(key=lambda point: point.k)
    if all(point.information_loss is not None or not point.said.startswith(LEFT)
           for point in points):  # fmt: skip
        notes.done()
    marked, reason = judged(points)
    native = own.source.native
    return Comparison(tuple(marked), reason, loss_name, own.rows, native)


def _plan(table: Table, settings: Settings, method: str) -> Plan:
    return plan_table(table, settings.replace(protect={"method": method}))[0]


def _loss_name(table: Table, settings: Settings, methods: Sequence[str]) -> str:
    """Return the loss by which releases of the methods compare, each released as `anonymize` does.

    It is SSE/SST where all of them release means alone, ILoss where all generalize every column;
    where some cells are means and others intervals or categories, it is NCP, which is of all.
    """
    by_trees = {AUTO if name == AUTO else str(find(name).info.on_nodes): name for name in methods}
    released: set[str] = set()
    for method in by_trees.values():
        with suppress(ShoalError):  # which the run tells
            released |= set(_plan(table, settings, method).aggregators.values())
    if released <= set(AVERAGED):
        return SSE[False]
    return ILOSS if released <= set(GENERALIZED) else NCP


def _digest(table: Table, settings: Settings, budget: float | None, loss_name: str) -> str:
    """Return a hash of all that the figures depend on."""
    trees = digests(settings.hierarchies) if settings.input.hierarchies is None else {}
    folder = settings.input.hierarchies
    files = sorted(Path(folder).glob("*.csv")) if folder is not None else []
    more = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    what = [__version__, table.source.sha256, settings.to_toml(), trees, more, budget,
            loss_name]  # fmt: skip
    return hashlib.sha256(json.dumps(what).encode("utf-8")).hexdigest()


def _usual(rows: int, mixed: bool) -> list[str]:
    if rows > LARGE:
        return list(LARGE_MIXED if mixed else LARGE_NUMBERS)
    return list(MIXED if mixed else NUMBERS)


class _Clock:
    """Time budget, shared among the remaining runs."""

    def __init__(self, budget: float | None, report: Reporter, runs: int) -> None:
        self.budget, self.stop, self.left = budget, report.stop, runs
        self.callback = report.callback
        self.runs = runs
        self.canceled = False
        self.began = time.perf_counter()

    def remaining(self) -> float | None:
        """Return the seconds that are left; None without a limit."""
        return None if self.budget is None else self.budget - (time.perf_counter() - self.began)

    def over(self) -> bool:
        """Tell whether none are left."""
        left = self.remaining()
        return left is not None and left <= 0.0

    def share(self) -> float | None:
        """Return the seconds that the next run may take."""
        left = self.remaining()
        return None if left is None else max(0.05, left / max(1, self.left))

    def reporter_for(self, method: str, k: int) -> Reporter:
        """Return the reporter of one run; that of auto only ends a search, with its best."""
        number = self.runs - self.left
        share, began = self.share(), time.perf_counter()

        def on_progress(look: Progress) -> bool | None:
            if self.callback is not None:
                stage = f"k = {k}, {method}: {look.stage}"
                done = replace(look, stage=stage, done=number, total=self.runs)
                self.canceled = self.callback(done) is True or self.canceled
            if method == AUTO:
                spent = share is not None and time.perf_counter() - began > share
                return self.canceled or (spent and look.current_loss is not None)
            return self.over() or self.canceled

        return Reporter(on_progress, self.stop)


def _run(
    table: Table,
    settings: Settings,
    method: str,
    k: int,
    clock: _Clock,
    threads: int | None,
    loss_name: str,
) -> Point:
    """Make one release and measure it; return the figures."""
    auto = method == AUTO
    blank = Point(method, k, auto=auto)
    if (clock.over() and not auto) or clock.stop.finish:
        why = "interrupted" if clock.stop.finish else "the budget was spent"
        return replace(blank, said=f"{LEFT}not run: {why}")
    share = clock.share()
    protect: dict[str, Any] = {"k": k, "method": method}
    if not auto and find(method).info.is_search and share is not None:
        protect["time_limit"] = share
    began = time.perf_counter()
    try:
        own = settings.replace(protect=protect)
        result = anonymize_with(table, own, clock.reporter_for(method, k), threads)
    except Canceled:
        return replace(blank, said=f"{LEFT}given up: the budget was spent")
    except ShoalError as error:
        return replace(blank, said=Message(error.marked))
    seconds = round(time.perf_counter() - began, 3)
    return replace(_point(result, method, k, loss_name), seconds=seconds)


def _point(result: Result[Any], method: str, k: int, loss_name: str) -> Point:
    report = result.report
    measures: Mapping[str, Any] = report.measures or {}
    risks, uses = measures.get("risk", {}), measures.get("utility", {})
    shares = [risks[key]["value"] for key in ATTACKS if key in risks]
    highest = 100.0 / report.verification["k"]
    models: dict[str, Any] = {key: uses[key]["value"] for key in MODELS if key in uses}
    return Point(
        report.method if method == AUTO else method,
        k,
        uses["ncp"]["value"] if loss_name == NCP else report.exact_loss,
        max(shares) if shares else highest,
        highest,
        singled_out(report.measures),
        report.groups["count"],
        enforced=report.enforced,
        auto=method == AUTO,
        **models,
    )
