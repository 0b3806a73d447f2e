"""Points of loss and risk, one a run; their frontier, and the pick."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from textwrap import wrap
from typing import Any, Generic, TypeVar, cast

from shoal.errors import Canceled, Json, ShoalError
from shoal.hints import Message, said, spoken
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.result import Result
from shoal.progress import Reporter
from shoal.report.charts import frontier
from shoal.report.comparison import loss_words
from shoal.report.fields import ENFORCED, singled_out
from shoal.report.plots import Chart
from shoal.settings import Settings
from shoal.settings.hints import stored
from shoal.table.steps.step import Step
from shoal.table.table import Table

SCHEMA = "shoal-comparison/1"
AUTO = "auto"
ATTACKS = "distance_linkage", "rank_linkage", "block_linkage"
FrameT = TypeVar("FrameT")
LOSS, RISK = 3, 2  # decimals that are printed; what differs beyond them does not differ


@dataclass(frozen=True)
class Point:
    """One run: loss and risk in percent; `said` is the reason where there are none.

    `risk` is the share of records that the best of three linkage attacks finds, `highest_risk`
    one in k, `kept` the share that kept columns single out within their class. `regression` and
    `classification` are what models of the release keep of R² and of accuracy; None where there is
    nothing to model. `frontier`: no other run has both less loss and less risk, as they are
    printed. `auto`: what auto runs, as long as its effort says; `method` is what it took.
    `enforced` is how groups came to keep what is asked beyond k, as a report says it.
    """

    method: str
    k: int
    information_loss: float | None = None
    risk: float | None = None
    highest_risk: float | None = None
    kept: float | None = None
    groups: int | None = None
    seconds: float | None = None
    frontier: bool = False
    picked: bool = False
    said: str = ""
    enforced: str = ""
    regression: float | None = None
    classification: float | None = None
    auto: bool = False


@dataclass(frozen=True)
class Comparison(Generic[FrameT]):
    """All runs, the one that is recommended, and why; losses are `loss_name`."""

    points: tuple[Point, ...]
    reason: str
    loss_name: str
    records: int
    native: FrameT | None = field(default=None, repr=False)

    @property
    def pick(self) -> Point | None:
        """The run that is recommended; None where none came to an end."""
        return next((point for point in self.points if point.picked), None)

    @property
    def data(self) -> FrameT:
        """The runs as a dataframe of the caller's type; of Arrow where a file was compared."""
        import narwhals as nw
        import pyarrow as pa

        rows = [spoken(asdict(point)) for point in self.points]
        table = pa.table({key: [row[key] for row in rows] for key in rows[0]})
        if self.native is not None:
            frame = nw.from_native(cast(Any, self.native), eager_only=True)
            table = nw.from_arrow(table, backend=frame.implementation).to_native()
        return cast(FrameT, table)

    def plot(self) -> Chart:
        """Return the chart of all runs, the frontier and the pick."""
        return Chart(frontier(self.to_dict()))

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON."""
        return {
            "schema": SCHEMA,
            "audience": "private",
            "records": self.records,
            "loss_name": self.loss_name,
            "loss_words": loss_words(self.loss_name),
            "reason": self.reason,
            "points": [{**asdict(one), "said": stored(one.said)} for one in self.points],
        }

    def to_json(self) -> str:
        """Return the comparison as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def summary(self) -> str:
        """Return the table of all runs, the frontier marked, and the pick."""
        width = max(6, *(len(_called(point)) for point in self.points))
        heads = "   loss %   risk %   kept %    R² %  class %  groups  seconds"
        lines = [
            f"   k  {'method':<{width}}{heads}",
            *(_line(point, width) for point in self.points),
            "",
            f"* on the frontier: nothing else has both less loss ({self.loss_name}) and",
            "  less risk (records that the best of three linkage attacks finds)",
            *wrap(loss_words(self.loss_name), 78, subsequent_indent="  "),
            "kept: records that columns which are kept single out in their class",
            "R², class: what a regression, and a classifier, on the release keep of what",
            "  one on the original explains, or gets right",
            self.reason,
        ]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        from shoal.report.html.frame import escape

        return f"<pre>{chr(10).join(map(escape, self.summary().splitlines()))}</pre>"


def _called(point: Point) -> str:
    """Return a run's method as the table has it."""
    return f"{point.method} (auto)" if point.auto and point.method != AUTO else point.method


def _line(point: Point, width: int) -> str:
    mark = "→" if point.picked else "*" if point.frontier else " "
    head = f"{mark} {point.k:>2}  {_called(point):<{width}}"
    if point.information_loss is None:
        return f"{head}  {said(point.said)}"
    assert point.risk is not None
    models = (
        f"{'–':>7}" if kept is None else f"{kept:7.1f}"
        for kept in (point.regression, point.classification)
    )
    return (
        f"{head}  {point.information_loss:7.{LOSS}f}  {point.risk:7.{RISK}f}  "
        f"{point.kept or 0.0:7.2f} {'  '.join(models)}  {point.groups:>6}  {point.seconds:7.1f}"
        f"{f'  {ENFORCED.get(point.enforced, point.enforced)}' if point.enforced else ''}"
    )


def judged(points: Sequence[Point]) -> tuple[list[Point], str]:
    """Mark the frontier and the pick; return the runs and why it is the pick."""
    whole_ = [p for p in points if p.information_loss is not None]
    if not whole_:
        return list(points), "no run came to an end"
    best = on_frontier(whole_)
    pick = _knee(best)
    edge = {id(point) for point in best}
    marked = [replace(p, frontier=id(p) in edge, picked=p is pick) for p in points]
    return marked, _why(pick, best, len(whole_))


def _place(point: Point) -> tuple[float, float]:
    """Return a run's loss and risk as they are printed."""
    assert point.information_loss is not None
    assert point.risk is not None
    return round(point.information_loss, LOSS), round(point.risk, RISK)


def on_frontier(points: Sequence[Point]) -> list[Point]:
    """Return the runs of which no other has less of both, by loss; of equals the exactly least."""
    frontier: list[Point] = []
    for point in sorted(points, key=lambda p: (_place(p), p.information_loss, p.risk)):
        if all(_place(point)[1] < _place(other)[1] for other in frontier):
            frontier.append(point)
    return frontier


def _knee(best: Sequence[Point]) -> Point:
    """Return where the frontier bends most: farthest below the line between its ends.

    Of two ends alone the one with less risk, if it loses no more than half as much again.
    """
    (l0, r0), (l1, r1) = _place(best[0]), _place(best[-1])
    if len(best) == 1 or l1 <= l0 or r0 <= r1:
        return best[0]
    if len(best) == 2:
        return best[1] if l1 <= 1.5 * l0 else best[0]

    def below(point: Point) -> float:
        loss, risk = _place(point)
        return 1.0 - (loss - l0) / (l1 - l0) - (risk - r1) / (r0 - r1)

    return max(best, key=below)


def _why(pick: Point, best: Sequence[Point], runs: int) -> str:
    """Return why a run is the pick: what its neighbors on the frontier gain and cost."""
    loss, risk = _place(pick)
    at = best.index(pick)
    gains = [
        f"→ {pick.method}, k = {pick.k}: loss {loss:.{LOSS}f} %, risk {risk:.{RISK}f} %; of "
        f"{runs} runs {len(best)} {'are' if len(best) > 1 else 'is'} on the frontier, and it bends "
        "here"
    ]
    if at > 0:
        other = best[at - 1]
        gains.append(
            f"{other.method}, k = {other.k} would lose {loss - _place(other)[0]:.{LOSS}f} "
            f"points less, for {_place(other)[1] - risk:.{RISK}f} points more risk"
        )
    if at + 1 < len(best):
        other = best[at + 1]
        gains.append(
            f"{other.method}, k = {other.k} would have {risk - _place(other)[1]:.{RISK}f} "
            f"points less risk, for {_place(other)[0] - loss:.{LOSS}f} points more loss"
        )
    return "; ".join(gains)


def compared(table: Table, points: Sequence[Point], loss_name: str) -> Comparison[Any]:
    """Return the runs by k, with the frontier and the pick."""
    marked, reason = judged(sorted(points, key=lambda point: point.k))
    return Comparison(tuple(marked), reason, loss_name, table.rows, table.source.native)


def run_point(
    table: Table,
    settings: Settings,
    blank: Point,
    protect: dict[str, Any],
    steps: Sequence[Step],
    figures: Callable[[Result[Any]], dict[str, Any]],
    reporter: Reporter,
    threads: int | None,
) -> Point:
    """Make one release with other protection and more steps; return the point of its figures."""
    began = time.perf_counter()
    try:
        own = settings.replace(protect={**protect, "k": blank.k})
        own = own.model_copy(update={"steps": (*settings.steps, *steps)})
        result = anonymize_with(table, own, reporter, threads)
    except Canceled:
        raise
    except ShoalError as error:
        return replace(blank, said=Message(error.marked))
    report = result.report
    risks = cast(Mapping[str, Any], report.measures or {}).get("risk", {})
    highest = 100.0 / report.verification["k"]
    return replace(
        blank,
        risk=max((risks[key]["value"] for key in ATTACKS if key in risks), default=highest),
        highest_risk=highest,
        kept=singled_out(report.measures),
        groups=report.groups["count"],
        seconds=round(time.perf_counter() - began, 3),
        **figures(result),
    )
