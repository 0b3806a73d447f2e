"""`suggest`: lists of steps are tried, and the one that loses least is recommended."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from textwrap import wrap
from typing import Any, Unpack

import numpy as np

from shoal.errors import Json, RequestError
from shoal.hints import Message, option, said
from shoal.measures.original_loss import NAME, original_loss
from shoal.pipeline.comparison import Comparison, Point, compared, run_point
from shoal.pipeline.live import Shown, reporting
from shoal.pipeline.plan.plan import once_read, plan_table
from shoal.pipeline.result import Result
from shoal.progress import Callback, Reporter
from shoal.settings import Settings, load_tree
from shoal.settings.hints import stored
from shoal.settings.signatures import CompareOptions
from shoal.settings.table import takes_options
from shoal.settings.tree import settings_and_run
from shoal.table.read import read_with
from shoal.table.roles import Kind, Role
from shoal.table.steps.dates import Coarsen, Derive
from shoal.table.steps.extremes import Top
from shoal.table.steps.registry import steps_of
from shoal.table.steps.step import Step
from shoal.table.table import Table

TOP = 0.01  # the share of values that top coding codes
BUDGETS = (0.005, 0.01, 0.02)  # shares of records that may be left out
StepLists = Mapping[str, Sequence[Any]] | Sequence[Sequence[Any] | os.PathLike[str]]


@dataclass(frozen=True)
class Alternative:
    """A list of steps by its name, and the share of records that may be left out."""

    name: str
    steps: tuple[Step, ...]
    suppress: float | None = None


def alternatives_of(given: StepLists) -> list[Alternative]:
    """Return lists of steps that are given by name, or in order as steps or paths of recipes."""
    if isinstance(given, Mapping):
        return [Alternative(str(name), steps_of(steps)) for name, steps in given.items()]
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise RequestError("step_lists must be lists of steps, by name or in order")
    lists = []
    for number, one in enumerate(given, 1):
        if isinstance(one, os.PathLike):
            tree = load_tree(Path(one))
            suppress = tree.get("protect", {}).get("suppress")
            lists.append(Alternative(Path(one).name, steps_of(tree.get("steps", ())), suppress))
        else:
            lists.append(Alternative(f"list {number}", steps_of(one)))
    return lists


def compare_lists(
    table: Table,
    settings: Settings,
    lists: Sequence[Alternative],
    sizes: Sequence[int],
    threads: int | None = None,
    report: Reporter | None = None,
) -> Comparison[Any]:
    """Make a release with every list of steps at every k; return their losses and risks.

    Steps of the settings come first in every list. Losses are of the table before all steps.
    """
    if len({one.name for one in lists}) < len(lists):
        raise RequestError("two lists of steps have one name; rename a file")
    settings, report = once_read(settings), Reporter.of(report)
    # as of a csv file, whose records know their lines when some are left
    source = replace(table.source, kind="csv", lines=None, native=None)
    original = replace(table, source=source)

    def figures(result: Result[Any]) -> dict[str, Any]:
        return {"information_loss": _original_loss(original, settings, result)}

    cases = list(product(sizes, lists))
    points = []
    for done, (k, one) in enumerate(cases):
        report(f"k = {k}, {one.name}", done, len(cases))
        protect = {} if one.suppress is None else {"suppress": one.suppress}
        points.append(
            run_point(original, settings, Point(one.name, k), protect, one.steps, figures,
                 report.quiet(), threads)
        )  # fmt: skip
    return compared(table, points, NAME)


def _original_loss(table: Table, settings: Settings, result: Result[Any]) -> float:
    """Return what the release loses of all columns that are not identifiers or dropped."""
    roles = settings.roles
    apart = {*roles.drop, *result.settings.roles.identifiers, roles.group}
    columns = [name for name in table.names if name not in apart]
    steps = result.settings.steps
    derived = {s.of: s.name for s in steps if isinstance(s, Derive) and not s.keep}
    lines = result.table.source.lines
    rows = np.arange(table.rows) if lines is None else np.asarray(lines[1:], dtype=np.int64) - 2
    return original_loss(table, result.table, rows, columns, derived)


@dataclass(frozen=True)
class Suggestion:
    """All alternatives that were tried, the one that is recommended, and why."""

    comparison: Comparison[object]
    alternatives: tuple[Alternative, ...]
    max_risk: float

    @property
    def point(self) -> Point | None:
        """The figures of the recommended list; None where none keeps the risk."""
        fitting = [p for p in self.done if p.risk is not None and p.risk <= 100.0 * self.max_risk]
        return min(fitting, key=lambda p: (p.information_loss, p.risk), default=None)

    @property
    def done(self) -> list[Point]:
        """The runs that came to an end."""
        return [p for p in self.comparison.points if p.information_loss is not None]

    @property
    def pick(self) -> Alternative | None:
        """The recommended list of steps."""
        name = self.point and self.point.method
        return next((one for one in self.alternatives if one.name == name), None)

    @property
    def reason(self) -> str:
        """Why it is recommended, or what to do where no list keeps the risk."""
        point, limit = self.point, 100.0 * self.max_risk
        least = min(self.done, key=lambda p: p.risk or 0.0, default=None)
        if least is None:
            return "no list of steps came to an end; what each says tells why"
        if point is None:
            return (
                f"no list keeps the risk at {limit:g} %: the least is {least.risk:.2f} %, of "
                f"{least.method}; {option('k', math.ceil(1 / self.max_risk))} keeps it in any "
                "case, by the size of classes alone"
            )
        lower = [
            p.method for p in self.done
            if (p.risk or 0.0) > limit and (p.information_loss or 0) < (point.information_loss or 0)
        ]  # fmt: skip
        more = f"; {', '.join(lower)} would lose less, with more risk" if lower else ""
        return f"{point.method}: of all that keep the risk at {limit:g} %, it loses least{more}"

    def summary(self) -> str:
        """Return the alternatives with their losses and risks, and the recommended one."""
        point, pick, points = self.point, self.pick, self.comparison.points
        width = max(5, *(len(p.method) for p in points))
        refused: dict[str, list[str]] = {}
        for one in points:
            if one.said:
                refused.setdefault(one.said, []).append(one.method)
        lines = [
            f"  {'steps':<{width}}   loss %   risk %   kept %  groups",
            *(
                f"{'→' if one is point else ' '} {one.method:<{width}}  "
                f"{one.information_loss:7.2f}  {one.risk:7.2f}  {one.kept or 0.0:7.2f}  "
                f"{one.groups:>6}"
                for one in self.done
            ),
            *(f"  not possible: {'; '.join(own)} ({said(why)})" for why, own in refused.items()),
            "",
            "loss: what the columns of the original lose on average, steps included;",
            "risk: records that the best of three linkage attacks finds; kept: records that",
            "  columns which are kept single out in their class",
            "",
            *wrap(said(Message(self.reason)), 78),
            *([] if pick is None else [f"  {word}" for word in option_words(pick)]),
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON."""
        pick = self.pick
        return {
            **self.comparison.to_dict(),
            "max_risk": self.max_risk,
            "reason": stored(self.reason),
            "pick": None if pick is None else pick.name,
            "steps": [] if pick is None else [step.to_dict() for step in pick.steps],
            "suppress": None if pick is None else pick.suppress,
        }


def option_words(one: Alternative) -> list[str]:
    """Return the options that say an alternative."""
    words = [option("steps", [step.to_dict()]) for step in one.steps]
    words += [] if one.suppress is None else [option("suppress", one.suppress)]
    return [said(Message(word)) for word in words]


@takes_options("compare", "suggest")
def suggest(
    data: Any,
    k: int,
    *,
    max_risk: float = 0.05,
    progress: Shown = False,
    callback: Callback | Reporter | None = None,
    **options: Unpack[CompareOptions],
) -> Suggestion:
    """Try a small set of steps beside grouping; recommend the one that loses least.

    Each is grouped, released, verified and measured, and nothing of it is written: the table as it
    is, coarser dates, top coding of 1 %, and up to 0.5, 1 and 2 % of the records left out. Losses
    are of the table before all steps, so that they compare.

    Parameters
    ----------
    data : path, dataframe or Table
        As in `shoal.anonymize`.
    k : int
        The size of groups.
    max_risk : float, default 0.05
        The share of records that linkage attacks may find.
    {progress}
    callback : callable, optional
        Gets a `Progress`.
    {options}

    Returns
    -------
    Suggestion
        What was tried, with losses and risks; `pick` is the recommended list, and `reason` why.

    Raises
    ------
    RequestError
        The options contradict each other or the data.
    """
    settings, run = settings_and_run({"k": k, **options})
    with reporting(progress, callback) as report:
        return suggest_as(data, settings, max_risk, run.threads, Reporter.of(report))


def suggest_as(
    data: Any,
    settings: Settings,
    max_risk: float,
    threads: int | None = None,
    report: Reporter | None = None,
) -> Suggestion:
    """Read data and try the usual lists of steps; return them with their losses and risks."""
    how = settings.input
    table = read_with(data, how.dialect, how.missing, how.types, threads)
    if not 0 < max_risk <= 1:
        raise RequestError("max_risk must be a share above 0, such as 0.05")
    lists = usual_lists(table, settings)
    comparison = compare_lists(table, settings, lists, [settings.protect.k], threads, report)
    return Suggestion(comparison, tuple(lists), max_risk)


def usual_lists(table: Table, settings: Settings) -> list[Alternative]:
    """Return the lists that suit the quasi-identifiers: dates, top coding, left out records."""
    schema = plan_table(table, once_read(settings))[0].schema.schema
    own = [c for c in table.columns if c.name in schema.with_role(Role.QUASI_IDENTIFIER)]
    dates = [c.name for c in own if c.kind in (Kind.DATE, Kind.DATETIME)]
    numbers = [c.name for c in own if c.kind.is_number]
    top = tuple(Top(name, share=TOP, becomes="limit") for name in numbers)
    quarter, year = (
        tuple(Coarsen(name, period) for name in dates) for period in ("quarter", "year")
    )
    lists: dict[str, tuple[Step, ...]] = {
        "dates by quarter": quarter,
        "dates by year": year,
        "top 1 % coded": top,
        "dates by quarter, top 1 % coded": (*quarter, *top) if quarter and top else (),
    }
    return [
        Alternative("no steps", ()),
        *(Alternative(name, steps) for name, steps in lists.items() if steps),
        *(Alternative(f"up to {100 * share:g} % left out", (), share) for share in BUDGETS),
    ]
