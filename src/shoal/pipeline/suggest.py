"""`suggest`: a small set of step lists is tried, and the one that loses least is recommended."""

from __future__ import annotations

import math
from dataclasses import dataclass
from textwrap import wrap
from typing import Any, Unpack

from shoal.errors import Json, RequestError
from shoal.hints import Message, option, said
from shoal.pipeline.compare.points import (
    Alternative,
    Comparison,
    Lists,
    Point,
    compare_lists,
    roles_of,
)
from shoal.pipeline.live import Shown, reporting
from shoal.progress import Callback, Reporter
from shoal.settings import Settings
from shoal.settings.hints import stored
from shoal.settings.signatures import CompareOptions
from shoal.settings.table import takes_options
from shoal.settings.tree import settings_and_run
from shoal.table.read import read_with
from shoal.table.roles import Kind, Role
from shoal.table.steps.dates import Coarsen
from shoal.table.steps.extremes import Top
from shoal.table.steps.step import Step
from shoal.table.table import Table

AS_IT_IS = "no steps"
TOP = 0.01  # the share of values that top coding codes
BUDGETS = (0.005, 0.01, 0.02)  # shares of records that may be left out


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
        point = self.point
        names = {one.name: one for one in self.alternatives}
        return None if point is None else names[point.method]

    @property
    def reason(self) -> str:
        """Why it is recommended, or what to do where no list keeps the risk."""
        point, limit = self.point, 100.0 * self.max_risk
        if point is None:
            least = min(self.done, key=lambda p: p.risk or 0.0, default=None)
            if least is None:
                return "no list of steps came to an end; what each says tells why"
            return (
                f"no list keeps the risk at {limit:g} %: the least is {least.risk:.2f} %, of "
                f"{least.method}; {option('k', math.ceil(1 / self.max_risk))} keeps it in any "
                "case, by the size of classes alone"
            )
        others = [p for p in self.done if p is not point]
        refused = [p for p in others if (p.risk or 0.0) > limit]
        lower = [p for p in refused if (p.information_loss or 0.0) < (point.information_loss or 0)]
        why = f"{point.method}: of all that keep the risk at {limit:g} %, it loses least"
        if lower:
            why += f"; {', '.join(p.method for p in lower)} would lose less, with more risk"
        return why

    def summary(self) -> str:
        """Return the alternatives with their losses and risks, and the recommended one."""
        point, pick = self.point, self.pick
        width = max(5, *(len(p.method) for p in self.comparison.points))
        lines = [f"  {'steps':<{width}}   loss %   risk %   kept %  groups"]
        for one in self.comparison.points:
            head = f"{'→' if one is point else ' '} {one.method:<{width}}"
            if one.information_loss is None:
                continue
            lines.append(
                f"{head}  {one.information_loss:7.2f}  {one.risk:7.2f}  {one.kept or 0.0:7.2f}  "
                f"{one.groups:>6}"
            )
        for why in dict.fromkeys(p.said for p in self.comparison.points if p.said):
            names = [p.method for p in self.comparison.points if p.said == why]
            lines.append(f"  not possible: {'; '.join(names)} ({said(why)})")
        lines += ["", "loss: what the columns of the original lose on average, steps included;"]
        lines.append(
            "risk: records that the best of three linkage attacks finds; kept: records that"
        )
        lines += ["  columns which are kept single out in their class", ""]
        lines += wrap(said(Message(self.reason)), 78)
        if pick is not None:
            lines += [f"  {word}" for word in option_words(pick)]
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
    """Read data and try the usual lists of steps with the settings."""
    how = settings.input
    table = read_with(data, how.dialect, how.missing, how.types, threads)
    return suggest_for(table, settings, max_risk, threads, report)


def suggest_for(
    table: Table,
    settings: Settings,
    max_risk: float,
    threads: int | None = None,
    report: Reporter | None = None,
) -> Suggestion:
    """Try the usual lists of steps for a table; return them with their losses and risks."""
    if not 0 < max_risk <= 1:
        raise RequestError("max_risk must be a share above 0, such as 0.05")
    alternatives = usual_lists(table, settings)
    lists = Lists(alternatives, [settings.protect.k])
    comparison = compare_lists(table, settings, lists, threads, report)
    return Suggestion(comparison, tuple(alternatives), max_risk)


def usual_lists(table: Table, settings: Settings) -> list[Alternative]:
    """Return the lists that suit the quasi-identifiers: dates, top coding, left out records."""
    roles = roles_of(table, settings)
    own = [c for c in table.columns if roles.get(c.name) is Role.QUASI_IDENTIFIER]
    dates = [c.name for c in own if c.kind in (Kind.DATE, Kind.DATETIME)]
    numbers = [c.name for c in own if c.kind.is_number]
    top: tuple[Step, ...] = tuple(Top(name, share=TOP, becomes="limit") for name in numbers)
    lists = [Alternative(AS_IT_IS, ())]
    coarse: dict[str, tuple[Step, ...]] = {
        period: tuple(Coarsen(name, period) for name in dates) for period in ("quarter", "year")
    }
    if dates:
        lists += [Alternative(f"dates by {period}", one) for period, one in coarse.items()]
    if numbers:
        lists.append(Alternative("top 1 % coded", top))
    if dates and numbers:
        lists.append(Alternative("dates by quarter, top 1 % coded", (*coarse["quarter"], *top)))
    return lists + [Alternative(f"up to {100 * b:g} % left out", (), b) for b in BUDGETS]
