"""Which method and which k: runs of several, what each loses, which risk it leaves, and a pick."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

from shoal.arguments import settings_from
from shoal.errors import Canceled, RequestError, ShoalError, interrupt, shown
from shoal.progress import Callback, Progress
from shoal.recipes import find
from shoal.release.charts import frontier
from shoal.release.plots import Chart
from shoal.request import digests, generalizes, once_read, prepared, without_strata
from shoal.settings import Settings, names, whole
from shoal.solving import ILOSS, SSE
from shoal.table.read import read
from shoal.table.table import Table
from shoal.walk import Result, walk

SCHEMA = "shoal-comparison/1"
NUMBERS = (
    "mdav", "v-mdav", "mdav-mhm", "mst", "hilbert", "tfrp", "diameter+", "cbfs-nc3", "fast",
    "ilsmc+",
)  # fmt: skip
MIXED = "kaim", "kaim+", "k-member", "mdav", "tfrp", "hilbert", "fast", "ilsmc+"
LARGE, LARGE_NUMBERS, LARGE_MIXED = 30_000, ("hilbert", "fast"), ("kaim-fast", "hilbert", "fast")
LEFT = "left out, "
ALIKE = {"generalize": ILOSS, "mean": SSE[False]}
ATTACKS = "distance_linkage", "rank_linkage", "block_linkage"


@dataclass(frozen=True)
class Point:
    """One run: what it lost and what it left to fear, in percent; `said` is why there is nothing.

    `risk` is the share of records that the best of three linkage attacks finds, `highest_risk`
    one in k. `frontier`: no other run has both less loss and less risk.
    """

    method: str
    k: int
    information_loss: float | None = None
    risk: float | None = None
    highest_risk: float | None = None
    groups: int | None = None
    seconds: float | None = None
    frontier: bool = False
    picked: bool = False
    said: str = ""


@dataclass(frozen=True)
class Comparison:
    """All runs, the one that is recommended, and why; losses are `loss_name`."""

    points: tuple[Point, ...]
    reason: str
    loss_name: str
    records: int
    native: Any = None

    @property
    def pick(self) -> Point | None:
        """The run that is recommended; None where none came to an end."""
        return next((point for point in self.points if point.picked), None)

    @property
    def data(self) -> Any:
        """The runs as a dataframe of the caller's type; of Arrow where a file was compared."""
        import narwhals as nw
        import pyarrow as pa

        rows = [asdict(point) for point in self.points]
        table = pa.table({key: [row[key] for row in rows] for key in rows[0]})
        if self.native is None:
            return table
        frame = nw.from_native(self.native, eager_only=True)
        return nw.from_arrow(table, backend=frame.implementation).to_native()

    def plot(self) -> Chart:
        """Return the chart of all runs, the frontier and the pick."""
        return Chart(frontier(self.to_dict()))

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "schema": SCHEMA,
            "records": self.records,
            "loss_name": self.loss_name,
            "reason": self.reason,
            "points": [asdict(point) for point in self.points],
        }

    def to_json(self) -> str:
        """Return the comparison as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def summary(self) -> str:
        """Return the table of all runs, the frontier marked, and the pick."""
        width = max(6, *(len(point.method) for point in self.points))
        lines = [f"   k  {'method':<{width}}   loss %   risk %  groups  seconds"]
        lines += [_line(point, width) for point in self.points]
        lines.append("")
        lines.append(f"* on the frontier: nothing else has both less loss ({self.loss_name}) and")
        lines.append("  less risk (records that the best of three linkage attacks finds)")
        return "\n".join([*lines, self.reason])

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        from shoal.release.page.frame import escape

        return f"<pre>{escape(self.summary())}</pre>"


def _line(point: Point, width: int) -> str:
    mark = "→" if point.picked else "*" if point.frontier else " "
    head = f"{mark} {point.k:>2}  {point.method:<{width}}"
    if point.information_loss is None:
        return f"{head}  {point.said}"
    assert point.risk is not None
    return (
        f"{head}  {point.information_loss:7.3f}  {point.risk:7.2f}  {point.groups:>6}  "
        f"{point.seconds:7.1f}"
    )


def compare(
    data: Any,
    *,
    k: int | Sequence[int],
    methods: Sequence[str] | str | None = None,
    budget: float | None = None,
    resume: str | Path | None = None,
    seed: int = 0,
    threads: int | None = None,
    callback: Callback | None = None,
    **asked: Any,
) -> Comparison:
    """Run several methods with several k, and tell which are worth a choice.

    Every run is a whole one: grouped, released, verified, measured; nothing is written. Other
    arguments are those of `shoal.anonymize` (roles, weight, by, hierarchies, ...). Without
    `methods` ten that suit the table are taken. `budget` is seconds for all runs together: searches
    share what is left, a run that goes beyond it is given up. `resume` names a file that notes
    every run when it ends, figures alone: the same comparison started again goes on after them.
    """
    sizes = sorted({whole(one, "k") for one in ([k] if not isinstance(k, Sequence) else k)})
    if not sizes:
        raise RequestError("k names no number")
    if budget is not None and not budget > 0:
        raise RequestError("budget must be a number of seconds above 0")
    first = settings_from(k=sizes[0], seed=seed, **asked)
    own = read(
        data, delimiter=first.input.delimiter, missing=first.input.missing, types=first.input.types
    )
    mixed = _is_mixed(own, first)
    first = _released_alike(once_read(first), mixed)
    chosen = list(dict.fromkeys(names(methods, "methods") or _usual(own.rows, mixed)))
    for name in chosen:
        find(name)
    plan = [(size, name) for size in sizes for name in chosen]
    notes = _Notes(resume, _digest(own, first, budget))
    clock = _Clock(budget, callback, len(plan))
    points, loss_name = [], ""
    for size, name in plan:
        point, called = notes.known(size, name), ""
        if point is None:
            point, called = _run(own, first, name, size, clock, threads)
            if point.information_loss is not None and not interrupt.finish:
                notes.add(point, called)
        loss_name = loss_name or called or notes.loss_name
        clock.left -= 1
        points.append(point)
        if clock.canceled:
            raise Canceled("stopped by the callback; what was done is noted, if it was to be")
    if all(point.information_loss is not None or not point.said.startswith(LEFT)
           for point in points):  # fmt: skip
        notes.done()
    if first.release.aggregate in ALIKE:  # of what is released, whatever made the groups
        loss_name = ALIKE[first.release.aggregate]
    marked, reason = _judged(points)
    native = own.source.native
    return Comparison(tuple(marked), reason, loss_name or "percent", own.rows, native)


def _is_mixed(table: Table, settings: Settings) -> bool:
    """Tell whether there are texts, trees or missing cells: all releases are then generalized."""
    _, given, settings = prepared(table, once_read(settings), None)
    alone = settings.having(roles={"household": None}, protect={"method": "auto"})
    return generalizes(without_strata(given, settings), alone)


def _released_alike(settings: Settings, mixed: bool) -> Settings:
    """Let all runs release alike, so that losses are of one kind; unless somebody said how."""
    if settings.release.aggregate is not None:
        return settings
    return settings.having(release={"aggregate": "generalize" if mixed else "mean"})


def _digest(table: Table, settings: Settings, budget: float | None) -> str:
    """Return a hash of all that the figures depend on."""
    trees = digests(settings.hierarchies) if settings.input.hierarchies is None else {}
    folder = settings.input.hierarchies
    files = sorted(Path(folder).glob("*.csv")) if folder is not None else []
    more = [hashlib.sha256(path.read_bytes()).hexdigest() for path in files]
    what = [metadata.version("shoal"), table.source.sha256, settings.to_toml(), trees, more, budget]
    return hashlib.sha256(json.dumps(what).encode("utf-8")).hexdigest()


def _usual(rows: int, mixed: bool) -> list[str]:
    if rows > LARGE:
        return list(LARGE_MIXED if mixed else LARGE_NUMBERS)
    return list(MIXED if mixed else NUMBERS)


class _Clock:
    """Shares the time among the runs that are left, and tells runs when it is over."""

    def __init__(self, budget: float | None, callback: Callback | None, runs: int) -> None:
        self.budget, self.callback, self.left = budget, callback, runs
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

    def heard(self, method: str, k: int) -> Callback:
        """Return the callback of one run."""
        number = self.runs - self.left

        def tell(look: Progress) -> bool | None:
            if self.callback is not None:
                stage = f"k = {k}, {method}: {look.stage}"
                done = replace(look, stage=stage, done=number, total=self.runs)
                self.canceled = self.callback(done) is True or self.canceled
            return self.over() or self.canceled

        return tell


def _run(
    table: Table,
    settings: Settings,
    method: str,
    k: int,
    clock: _Clock,
    threads: int | None,
) -> tuple[Point, str]:
    """Make one release and measure it; return the figures and what the loss is called."""
    blank = Point(method, k)
    if clock.over() or interrupt.finish:
        why = "interrupted" if interrupt.finish else "the budget was spent"
        return replace(blank, said=f"{LEFT}not run: {why}"), ""
    recipe, share = find(method), clock.share()
    protect: dict[str, Any] = {"k": k, "method": method}
    if recipe.search is not None and share is not None:
        protect["time_limit"] = share
    began = time.perf_counter()
    try:
        own = settings.having(protect=protect)
        result = walk(table, own, clock.heard(method, k), threads)
    except Canceled:
        return replace(blank, said=f"{LEFT}given up: the budget was spent"), ""
    except ShoalError as error:
        return replace(blank, said=str(error)), ""
    return _point(result, method, k, time.perf_counter() - began), result.report.loss_name


def _point(result: Result, method: str, k: int, seconds: float) -> Point:
    report = result.report
    risks = (report.measures or {}).get("risk", {})
    found = [risks[key]["value"] for key in ATTACKS if key in risks]
    highest = 100.0 / report.verification["k"]
    return Point(
        method,
        k,
        report.information_loss_released,
        max(found) if found else highest,
        highest,
        report.groups["count"],
        round(seconds, 3),
    )


class _Notes:
    """A file of the runs that came to an end: a line of JSON each, figures alone.

    The first line has the hash of what is compared; a file that has none is somebody else's.
    """

    def __init__(self, path: str | Path | None, what: str) -> None:
        self.path = None if path is None else Path(path)
        self.points: dict[tuple[int, str], Point] = {}
        self.loss_name = ""
        head = {"schema": SCHEMA, "of": what}
        if self.path is None:
            return
        lines = self._lines()
        if lines and lines[0].get("schema") != SCHEMA:
            raise RequestError(f"{shown(self.path)}: these are no notes of a comparison")
        for told in lines[1:] if lines and lines[0] == head else ():
            self.loss_name = told.pop("loss_name", "")
            point = Point(**told)
            self.points[point.k, point.method] = point
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.path.unlink(missing_ok=True)  # a line that was cut short goes, too
        self._write(head)
        for point in self.points.values():
            self.add(point, self.loss_name)

    def _lines(self) -> list[dict[str, Any]]:
        """Return what was noted, up to a line that was cut short."""
        assert self.path is not None
        if not self.path.exists():
            return []
        found = []
        for line in self.path.read_bytes().split(b"\n")[:-1]:
            try:
                told = json.loads(line)
            except ValueError:
                told = None
            if not isinstance(told, dict):
                break
            found.append(told)
        if not found and self.path.stat().st_size:
            raise RequestError(f"{shown(self.path)}: these are no notes of a comparison")
        return found

    def _write(self, told: Mapping[str, Any]) -> None:
        assert self.path is not None
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(told, ensure_ascii=False) + "\n")

    def known(self, k: int, method: str) -> Point | None:
        """Return a run that was noted."""
        return self.points.get((k, method))

    def add(self, point: Point, loss_name: str) -> None:
        """Note a run."""
        if self.path is not None and not interrupt.wanted:
            self._write({**asdict(point), "loss_name": loss_name})

    def done(self) -> None:
        """Forget everything: the comparison is whole."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _judged(points: Sequence[Point]) -> tuple[list[Point], str]:
    """Mark the frontier and the pick; return the runs and why it is the pick."""
    whole_ = [p for p in points if p.information_loss is not None]
    if not whole_:
        return list(points), "no run came to an end"
    edge = {(p.k, p.method) for p in on_frontier(whole_)}
    best = sorted((p for p in whole_ if (p.k, p.method) in edge), key=_place)
    pick = _knee(best)
    marked = [
        replace(p, frontier=(p.k, p.method) in edge, picked=p is pick) for p in points
    ]  # fmt: skip
    return marked, _why(pick, best, len(whole_))


def _place(point: Point) -> tuple[float, float]:
    assert point.information_loss is not None
    assert point.risk is not None
    return point.information_loss, point.risk


def on_frontier(points: Sequence[Point]) -> list[Point]:
    """Return the runs of which no other has less of both; of equals the first."""
    found: list[Point] = []
    for point in sorted(points, key=_place):  # by loss, so what is kept has less of it
        if all(_place(point)[1] < _place(other)[1] for other in found):
            found.append(point)
    return found


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
    """Say why a run is the pick: what its neighbors on the frontier gain and cost."""
    loss, risk = _place(pick)
    at = best.index(pick)
    told = [
        f"→ {pick.method}, k = {pick.k}: loss {loss:.3g} %, risk {risk:.3g} %; of {runs} runs "
        f"{len(best)} {'are' if len(best) > 1 else 'is'} on the frontier, and it bends here"
    ]
    if at > 0:
        other = best[at - 1]
        told.append(
            f"{other.method}, k = {other.k} would lose {loss - _place(other)[0]:.3g} points less, "
            f"for {_place(other)[1] - risk:.3g} points more risk"
        )
    if at + 1 < len(best):
        other = best[at + 1]
        told.append(
            f"{other.method}, k = {other.k} would have {risk - _place(other)[1]:.3g} points less "
            f"risk, for {_place(other)[0] - loss:.3g} points more loss"
        )
    return "; ".join(told)
