"""Choice of the method and effort that `auto` runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.errors import RequestError
from shoal.methods.ils.hierarchies.layout import LOOK
from shoal.methods.problem import Method, Points, Problem
from shoal.methods.registry import AUTO, AUTO_LARGE, AUTO_MIXED, AUTO_MIXED_LARGE, find
from shoal.table.encode_nodes import needs_trees
from shoal.table.roles import Column
from shoal.table.table import Table

EFFORTS = {"quick": 1.0, "normal": 10.0, "best": 60.0}  # seconds for a thousand records
LOWER = {"normal": "quick", "best": "normal"}  # what an effort is compared with, or begins with
RUNS = 5  # of a search on trees by best effort
CLOSING, LEAST_LOOKS = 4, 50  # see `_looks`: the second is for each record
WIDE = 35  # columns beyond which the time of an iteration grows with their number


@dataclass(frozen=True)
class Pace:
    """What `auto` takes for long, and for large.

    efforts: seconds for a thousand records; iteration: seconds of one, times k², measured on a
    thousand records of 13 columns; pooled: seconds of one on trees, times k and columns, measured
    on adult; large: records from which on blocks are searched, as a search takes minutes, and these
    a second.
    """

    efforts: Mapping[str, float] = field(default_factory=lambda: EFFORTS)
    iteration: float = 3.5e-6
    pooled: float = 1.1e-6
    large: int = 50_000


_NOW: ContextVar[Pace] = ContextVar("pace", default=Pace())  # noqa: B039 - it is frozen


def pace() -> Pace:
    """Return the pace that holds now, in this thread."""
    return _NOW.get()


@dataclass(frozen=True)
class Choice:
    """The choice of `auto`: method, search options and reason."""

    method: str
    options: Mapping[str, Any]
    reason: str


def by_hierarchies(
    table: Table,
    hierarchies: Mapping[str, str] | None,
    missing: Callable[[Column], int] | None = None,
) -> bool:
    """Tell whether `auto` compares records by hierarchies.

    It does where cells are texts or missing, and where a hierarchy is named. `missing` is as in
    `needs_trees`.
    """
    return bool(hierarchies) or needs_trees(table, missing)


def check_effort(effort: str) -> None:
    """Raise RequestError if there is no such effort."""
    if effort not in EFFORTS:
        raise RequestError(f"effort must be one of {', '.join(EFFORTS)}")


def lower_effort(problem: Problem, method: str | Method) -> str | None:
    """Return the next lower effort, whose result is compared so that more never loses more.

    None where nothing depends on the effort: for named methods but blocks, and where a start or
    search options are given. Of blocks `normal` is not compared with `quick`, which would take as
    long again; nor is the method `best`, whose rounds go on from each other.
    """
    lower = LOWER.get(problem.effort)
    if not isinstance(method, str) or problem.start is not None or problem.options:
        return None
    if runs_blocks(problem, method):
        return None if problem.effort == "normal" else lower
    return lower if method == "auto" else None


def runs_blocks(problem: Problem, method: str) -> bool:
    """Tell whether a method works in blocks, whose results a higher effort does not start from."""
    large = method == "auto" and problem.encoding.rows >= pace().large
    return large or find(method).info.in_blocks


def chosen(problem: Problem, method: str | Method) -> tuple[Method, Problem, str]:
    """Return the method, the problem with its search options, and the reason of the choice."""
    encoding = problem.encoding
    options = encoding.search_options(problem.options)
    problem = replace(problem, options=options)
    if not isinstance(method, str):
        return method, problem, ""
    if method != "auto" or (isinstance(encoding, Points) and problem.start is not None):
        return find(method), problem, ""
    rows, k, limited = encoding.rows, problem.k, bool(options)
    if isinstance(encoding, Points):
        width = encoding.matrix.shape[1]
        if encoding.weights is not None:
            width = max(width, 2)  # one column alone is solved without
        choice = choose(rows, width, k, problem.effort, encoding.mixed, limited)
    else:
        choice = choose_mixed(rows, len(encoding.coded.columns), k, problem.effort, limited)
    chosen_method, reason = find(choice.method), choice.reason
    if not chosen_method.info.is_search:
        return chosen_method, replace(problem, options={}), reason
    if options.get("stop") and isinstance(encoding, Points):
        reason = "the search for the least squared error (SSE)"
    return chosen_method, replace(problem, options=merged(choice.options, options)), reason


def choose(
    rows: int, columns: int, k: int, effort: str, mixed: bool = False, limited: bool = False
) -> Choice:
    """Choose the method for a numeric table of so many records and varying columns.

    Effort is a number of iterations computed from n and k: about 1, 10 or 60 seconds for a thousand
    records, less for fewer, and growing with the square root of their number beyond. Texts may have
    hundreds of coordinates, of which an iteration takes longer. Large tables are searched block by
    block, unless the search is `limited`.
    """
    check_effort(effort)
    if columns <= 1:
        return Choice("optimal-1d", {}, "one column varies: its best grouping can be computed")
    now = pace()
    if rows >= now.large and not limited:
        return Choice(AUTO_LARGE, {}, f"{rows:,} records, searched block by block: effort {effort}")
    size = rows / 1000
    seconds = now.efforts[effort] * (size * size if size < 1 else size**0.5)
    if mixed:
        seconds *= min(1.0, WIDE / columns)
    iterations = max(100, round(seconds / (now.iteration * k * k)))
    return Choice(
        AUTO,
        {"stop": {"iterations": iterations}, "schedule": iterations},
        f"the search for the least squared error (SSE), {iterations:,} iterations: effort {effort}",
    )


def seconds_by_trees(rows: int, effort: str) -> float:
    """Return about how long a search by trees of so many records takes, on one core."""
    size = rows / 1000
    part = 7.0 if effort == "best" else 14.0  # of what a search by distance takes
    growth: float = size ** (0.5 if size < 1 else 0.75)
    return pace().efforts[effort] / part * growth


def choose_mixed(rows: int, columns: int, k: int, effort: str, limited: bool = False) -> Choice:
    """Choose the method for a table with categories, hierarchies, intervals or missing cells.

    Effort is a number of iterations computed from the table's size and k: about 0.1, 1 or 10
    seconds for a thousand records, growing with the square root of fewer and with the power 3/4 of
    more. Large tables are searched block by block, unless the search is `limited`. `best` deals
    them out to several runs, whose groups are recombined.
    """
    check_effort(effort)
    now = pace()
    if rows >= now.large and not limited:
        return Choice(
            AUTO_MIXED_LARGE,
            {},
            f"{rows:,} records with categories, trees or missing cells, to be generalized as "
            f"little as possible (ILoss), block by block: effort {effort}",
        )
    seconds = seconds_by_trees(rows, effort)
    iterations = max(100, round(seconds / (now.pooled * k * max(8, columns))))
    looks = {} if columns <= WIDE else {"looks": _looks(rows, columns, seconds)}
    what = "categories, trees, intervals or missing cells, to be generalized as little as possible"
    what += " (ILoss)"
    if effort == "best":
        own = max(100, iterations // RUNS)
        return Choice(
            AUTO_MIXED,
            {"runs": RUNS, "stop": {"iterations": own}, **looks},
            f"{what}, {RUNS} searches of up to {own:,} iterations: effort {effort}",
        )
    return Choice(
        AUTO_MIXED,
        {"stop": {"iterations": iterations}, **looks},
        f"{what}, up to {iterations:,} iterations: effort {effort}",
    )


def _looks(rows: int, columns: int, seconds: float) -> int:
    """Return how many looks the last shifts and swaps of a wide table may take.

    They take CLOSING times as long as the search at most; to a local optimum it would be minutes.
    """
    return max(LEAST_LOOKS * rows, round(CLOSING * seconds / (LOOK * columns / 8)))


def merged(tree: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return two trees of parameters merged; the second takes precedence.

    A limit of another kind takes the place of the default number of iterations; a
    number of iterations is planned for as a whole.
    """
    both = {**tree, **more}
    stop = more.get("stop")
    if isinstance(stop, Mapping):
        limited = stop.get("seconds") is not None or stop.get("target") is not None
        both["stop"] = {**({} if limited else tree.get("stop", {})), **stop}
        if "schedule" not in more and stop.get("iterations") is not None:
            both.pop("schedule", None)
    return both
