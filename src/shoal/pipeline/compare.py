"""`compare`: runs of several methods, or lists of steps, with several k."""

from __future__ import annotations

import hashlib
import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, Unpack, cast, overload

import numpy.typing as npt

from shoal.errors import Canceled, OutputError, RequestError, ShoalError, shown
from shoal.hints import option
from shoal.methods.options import check_installed
from shoal.methods.problem import ILOSS, SSE
from shoal.methods.registry import find
from shoal.pipeline.comparison import AUTO, SCHEMA, Comparison, FrameT, Point, compared, run_point
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.plan.plan import Plan, once_read, plan_table
from shoal.pipeline.result import Result
from shoal.pipeline.suggest import StepLists, alternatives_of, compare_lists
from shoal.progress import Callback, Progress, Reporter
from shoal.report.chunk import GENERALIZED
from shoal.report.comparison import NCP
from shoal.settings import Settings, names, whole
from shoal.settings.signatures import CompareOptions
from shoal.settings.table import takes_options
from shoal.settings.tree import settings_and_run
from shoal.table.hierarchy.specify import digests
from shoal.table.read import read_with
from shoal.table.roles import AVERAGED
from shoal.table.table import Table
from shoal.version import __version__

LARGE = 30_000  # records
USUAL = {  # methods by whether records are many, and cells texts or missing
    (False, False): (
        "mdav", "v-mdav", "mdav-mhm", "mst", "hilbert", "tfrp", "diameter-phase2", "cbfs-nc3+",
        "fast", "ilsmc+",
    ),
    (False, True): ("kaim", "kaim+", "k-member", "mdav", "tfrp", "hilbert", "fast", "ilsmc+"),
    (True, False): ("hilbert", "fast"),
    (True, True): ("kaim-fast", "hilbert", "fast"),
}  # fmt: skip
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
    options, methods = settings.input, grid.methods or [AUTO]
    table = read_with(data, options.dialect, options.missing, options.types)
    if grid.step_lists is None:
        return compare_by(table, settings, grid, threads, callback)
    lists = alternatives_of(grid.step_lists)
    if grid.budget is not None or len(methods) > 1:
        raise RequestError(
            "lists of steps are compared by one method and without a budget; leave out the budget, "
            f"and name at most one in {option('methods')}"
        )
    own = settings.replace(protect={"method": methods[0]})
    return compare_lists(table, own, lists, grid.sizes, threads, Reporter.of(callback))


def compare_by(
    own: Table,
    first: Settings,
    grid: Grid,
    threads: int | None = None,
    callback: Callback | Reporter | None = None,
) -> Comparison[Any]:
    """Compare a table with the settings, whatever their method and k are."""
    if grid.budget is not None and not grid.budget > 0:
        raise RequestError("budget must be a number of seconds above 0")
    first = once_read(first)
    usual = USUAL[own.rows > LARGE, _plan(own, first, AUTO).is_mixed]
    chosen = list(dict.fromkeys(grid.methods or (AUTO, *usual)))
    for name in chosen:
        if name != AUTO:
            check_installed(find(name).info)
    loss_name = _loss_name(own, first, chosen)
    cases = sorted(product(grid.sizes, chosen), key=lambda case: case[1] != AUTO)
    notes = Notes(grid.resume, _digest(own, first, grid.budget, loss_name))
    clock = _Clock(grid.budget, Reporter.of(callback), len(cases))
    points: list[Point] = []
    for clock.done, (size, name) in enumerate(cases):
        if not grid.methods and any(p.auto and (p.k, p.method) == (size, name) for p in points):
            continue  # auto has run the same search
        point = notes.points.get((size, name))
        if point is None:
            point = _run_method(own, first, Point(name, size, auto=name == AUTO), clock, threads,
                                loss_name)  # fmt: skip
            if point.information_loss is not None and not (
                clock.stop.finish or clock.stop.canceled
            ):
                notes.add(point)
        points.append(point)
        if clock.canceled:
            raise Canceled("stopped by the callback; what was done is noted, if it was to be")
    if not any(point.said.startswith(LEFT) for point in points):
        notes.forget()
    return compared(own, points, loss_name)


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
    folder = settings.input.hierarchies
    trees = digests(settings.hierarchies) if folder is None else {}
    files = [] if folder is None else sorted(Path(folder).glob("*.csv"))
    more = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    what = [__version__, table.source.sha256, settings.to_toml(), trees, more, budget,
            loss_name]  # fmt: skip
    return hashlib.sha256(json.dumps(what).encode("utf-8")).hexdigest()


class Notes:
    """A file of the runs that came to an end: a line of JSON each, figures alone.

    The first line has the hash of what is compared; a file that has none is not ours.
    """

    def __init__(self, path: str | Path | None, what: str) -> None:
        self.path = None if path is None else Path(path)
        self.points: dict[tuple[int, str], Point] = {}
        if self.path is None:
            return
        head = {"schema": SCHEMA, "of": what}
        found = self._read(self.path) if self.path.exists() else []
        known = [Point(**note) for note in found[1:] if found[0] == head]
        self.points = {(p.k, AUTO if p.auto else p.method): p for p in known}
        folder = self.path.absolute().parent
        if not folder.is_dir():
            raise OutputError(
                f"{shown(self.path)}: there is no folder {shown(folder)}; make it first"
            )
        self.path.unlink(missing_ok=True)  # a line that was cut short goes, too
        self._write(head, *map(asdict, known))

    @staticmethod
    def _read(path: Path) -> list[dict[str, Any]]:
        """Return what was noted, up to a line that was cut short."""
        notes: list[dict[str, Any]] = []
        with suppress(ValueError, TypeError, RecursionError):
            for line in path.read_bytes().split(b"\n")[:-1]:
                notes.append({**json.loads(line)})
        if path.stat().st_size and (not notes or notes[0].get("schema") != SCHEMA):
            raise RequestError(f"{shown(path)}: these are no notes of a comparison")
        return notes

    def _write(self, *notes: Mapping[str, Any]) -> None:
        assert self.path is not None
        with self.path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(note, ensure_ascii=False) + "\n" for note in notes)

    def add(self, point: Point) -> None:
        """Note a run."""
        if self.path is not None:
            self._write(asdict(point))

    def forget(self) -> None:
        """Forget everything: the comparison is whole."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


class _Clock:
    """Time budget, shared among the remaining runs; `done` are over."""

    def __init__(self, budget: float | None, report: Reporter, runs: int) -> None:
        self.end = math.inf if budget is None else time.perf_counter() + budget
        self.callback, self.stop = report.callback, report.stop
        self.runs, self.done, self.canceled = runs, 0, False

    @property
    def remaining(self) -> float:
        """The seconds that are left."""
        return self.end - time.perf_counter()

    @property
    def share(self) -> float:
        """The seconds that the next run may take."""
        return max(0.05, self.remaining / (self.runs - self.done))

    def reporter_for(self, method: str, k: int) -> Reporter:
        """Return the reporter of one run; that of auto only ends a search, with its best."""
        end = time.perf_counter() + self.share

        def on_progress(look: Progress) -> bool | None:
            if self.callback is not None:
                stage = f"k = {k}, {method}: {look.stage}"
                done = replace(look, stage=stage, done=self.done, total=self.runs)
                self.canceled = self.callback(done) is True or self.canceled
            if method == AUTO:
                spent = time.perf_counter() > end
                return self.canceled or (spent and look.current_loss is not None)
            return self.remaining <= 0.0 or self.canceled

        return Reporter(on_progress, self.stop)


def _run_method(
    table: Table,
    settings: Settings,
    blank: Point,
    clock: _Clock,
    threads: int | None,
    loss_name: str,
) -> Point:
    """Make one release by a method and measure it, if there is time."""
    if clock.stop.finish:
        return replace(blank, said=f"{LEFT}not run: interrupted")
    if clock.remaining <= 0.0 and not blank.auto:
        return replace(blank, said=f"{LEFT}not run: the budget was spent")
    protect: dict[str, Any] = {"method": blank.method}
    if not blank.auto and find(blank.method).info.is_search and clock.share < math.inf:
        protect["time_limit"] = clock.share

    def figures(result: Result[Any]) -> dict[str, Any]:
        report = result.report
        uses = cast(Mapping[str, Any], report.measures or {}).get("utility", {})
        return {
            "method": report.method if blank.auto else blank.method,
            "information_loss": uses["ncp"]["value"] if loss_name == NCP else report.exact_loss,
            "enforced": report.enforced,
            **{key: uses[key]["value"] for key in MODELS if key in uses},
        }

    reporter = clock.reporter_for(blank.method, blank.k)
    try:
        return run_point(table, settings, blank, protect, (), figures, reporter, threads)
    except Canceled:
        return replace(blank, said=f"{LEFT}given up: the budget was spent")
