"""Problem and Solution: input and output of a method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Protocol

import numpy as np

from shoal.errors import RequestError, check_weights, in_html
from shoal.executor import Threads
from shoal.kernels.arrays import Floats, Integers
from shoal.measures.generalization import loss_rate
from shoal.measures.loss import information_loss, percent, squared_error, total_squares
from shoal.methods.enforce.constraints import Constraints
from shoal.methods.ils.parameters import Search
from shoal.partition import Bound, Recoding, SearchLog
from shoal.progress import Reporter
from shoal.table.encode_nodes import Coded
from shoal.table.levels import at_levels

POINTS, NODES = "points", "nodes"  # of encodings
ILOSS = "ILoss rate, percent"
SSE = {False: "SSE/SST, percent", True: "SSE/SST of numbers and tree paths, percent"}  # mixed?


@dataclass(frozen=True, eq=False, repr=False)
class Points:
    """Records as points, the rows of a matrix; a loss is SSE/SST.

    `mixed` says that the matrix stands for texts or missing cells too. Survey `weights` (n), above
    0, say how many a record stands for. Where other records are left out, `whole` is the SST of
    all, and `gone` the share of those, which have lost everything.
    """

    kind: ClassVar[str] = POINTS

    matrix: Floats
    mixed: bool = False
    weights: Floats | None = None
    whole: float | None = None
    gone: float = 0.0

    @property
    def rows(self) -> int:
        """The number of records."""
        return len(self.matrix)

    @property
    def loss_name(self) -> str:
        """What a loss is called."""
        return SSE[self.mixed]

    def loss(self, labels: Integers, threads: int | None = 1) -> float:
        """Return the information loss of a grouping, in percent.

        Where some are left out, 100 (SSE + g SST) / SST for a share g of them: each has lost what a
        record does on average where all is lost, so that 100 is everything (SST as in
        Domingo-Ferrer and Mateo-Sanz 2002).
        """
        if self.whole is None:
            return information_loss(self.matrix, labels, self.weights, Threads(threads))
        error = float(squared_error(self.matrix, labels, self.weights, Threads(threads)).sum())
        return percent(error, self.whole) + self.lost_with_others

    @property
    def lost_with_others(self) -> float:
        """How much of the loss is due to records that are left out, in percent."""
        return 100.0 * self.gone

    def without(self, rows: Integers) -> Points:
        """Return the others where some rows are left out."""
        own = np.ones(self.rows) if self.weights is None else self.weights
        rest = self.take(np.delete(np.arange(self.rows), rows))
        gone = float(own[rows].sum() / own.sum())
        return replace(rest, whole=total_squares(self.matrix, self.weights), gone=gone)

    def take(self, rows: Integers) -> Points:
        """Return some rows, or all in another order."""
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, matrix=self.matrix[rows], weights=weights)

    def varying(self) -> Points:
        """Return the points without columns that do not vary; with the first if none does."""
        varying = np.ptp(self.matrix, axis=0) > 0
        if varying.all():
            return self
        some = self.matrix[:, varying] if varying.any() else self.matrix[:, :1]
        return replace(self, matrix=np.ascontiguousarray(some))

    @staticmethod
    def search_options(options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the search options."""
        return dict(options)


@dataclass(frozen=True, eq=False, repr=False)
class Nodes:
    """Records as nodes of hierarchies; a loss is KAIM's ILoss rate.

    Column weights say how much columns count. The records' `matrix`, needed to keep constraints,
    says which groups are near each other. `suppressed` counts records that are left out, and so
    have lost all. Survey `weights` (n), above 0, say how many a record stands for: what it loses
    counts so often (None where all are equal), and `suppressed` is in records of average weight.
    """

    kind: ClassVar[str] = NODES
    loss_name: ClassVar[str] = ILOSS

    coded: Coded
    column_weights: Mapping[str, float] | None = None
    matrix: Floats | None = None
    suppressed: float = 0
    weights: Floats | None = None

    def __post_init__(self) -> None:
        check_weights(self.column_weights or {}, self.coded.names)
        own = self.weights
        if own is not None and (not own.size or own.min() == own.max()):
            object.__setattr__(self, "weights", None)

    @property
    def rows(self) -> int:
        """The number of records."""
        return self.coded.rows

    def loss(self, labels: Integers, _: int | None = 1) -> float:
        """Return the information loss of a grouping, in percent."""
        return loss_rate(self.coded, labels, self.suppressed, self.weights)

    def take(self, rows: Integers) -> Nodes:
        """Return some rows, or all in another order."""
        matrix = None if self.matrix is None else self.matrix[rows]
        weights = None if self.weights is None else self.weights[rows]
        return replace(self, coded=self.coded.take(rows), matrix=matrix, weights=weights)

    @property
    def lost_with_others(self) -> float:
        """How much of the loss is due to records that are left out, in percent."""
        return 100.0 * self.suppressed / (self.rows + self.suppressed)

    def without(self, rows: Integers) -> Nodes:
        """Return the others where some rows are left out, which have lost all."""
        rest = self.take(np.delete(np.arange(self.rows), rows))
        return replace(rest, suppressed=self._counted(rows))

    def _counted(self, rows: Integers) -> float:
        """Return how many records of the others' average weight some rows are."""
        if self.weights is None or not rows.size:
            return rows.size
        return float(self.weights[rows].sum() / np.delete(self.weights, rows).mean())

    def recoded(self, recoding: Recoding) -> Nodes:
        """Return the records that a recoding keeps, at its levels."""
        kept = replace(self, coded=at_levels(self.coded, recoding.levels))
        left_out = self._counted(recoding.suppressed)
        return replace(kept.take(recoding.kept(self.rows)), suppressed=left_out)

    def varying(self) -> Nodes:
        """Return the records as they are: a column that does not vary costs nothing."""
        return self

    @staticmethod
    def search_options(options: Mapping[str, Any]) -> dict[str, Any]:
        """Return the search options without fields equal to the defaults."""
        usual = Search().to_dict()
        changed = {name: part for name, part in options.items() if part != usual.get(name, ...)}
        if isinstance(changed.get("stop"), Mapping):
            changed["stop"] = {
                name: one for name, one in changed["stop"].items() if one is not None
            }
        return changed


@dataclass(frozen=True, eq=False, repr=False)
class Problem:
    """The input of a method: encoded records, k, constraints and options.

    For searches: `start` is the name of a method, "random", or labels from 0, each k times (of
    methods on nodes: also a rule for the first record of a group); `options` are options that
    differ from the method's own, as a TOML table gives them; `effort` and `threads`. Groups keep
    the `constraints`, which all records together must. For methods that recode columns: `suppress`
    is the share of records that may be left out, `k_of` an own k of the classes by some columns.
    `second` are groups that a search on nodes begins with besides its own.
    """

    encoding: Points | Nodes
    k: int
    seed: int = 0
    effort: str = "normal"
    start: str | Integers | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    constraints: Constraints | None = None
    threads: int | None = None
    suppress: float = 0.0
    k_of: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    second: Integers | None = None

    @property
    def points(self) -> Points:
        """The records as points; for methods that support no other encoding."""
        assert isinstance(self.encoding, Points)
        return self.encoding

    @property
    def nodes(self) -> Nodes:
        """The records as nodes; for methods that support no other encoding."""
        assert isinstance(self.encoding, Nodes)
        return self.encoding

    @property
    def start_labels(self) -> Integers | None:
        """The groups to start from, where they are given."""
        return None if isinstance(self.start, str) else self.start

    def alone(self) -> Solution:
        """Return the one best partition for k = 1: every record is a group."""
        return Solution(np.arange(self.encoding.rows))


@dataclass(frozen=True, eq=False, repr=False)
class Solution:
    """The output of a method: labels, with its log and bound.

    A search has a `log`, a proof a `bound`. A method that keeps constraints itself names its
    `enforcement` in one word, and in a sentence (`enforced`). One that recodes columns has a
    `recoding`, and labels of the records that it keeps.
    """

    labels: Integers
    log: SearchLog | None = None
    bound: Bound | None = None
    enforcement: str = ""
    enforced: str = ""
    recoding: Recoding | None = None


def check_size(rows: int, k: int, name: str = "the table") -> None:
    """Raise RequestError if a table has fewer than k records."""
    if rows < k:
        raise RequestError(f"{name}: n = {rows} records < k = {k}, a group cannot be made")


@dataclass(frozen=True)
class Info:
    """Description of a method: name, kind, cost, citation, and properties.

    `encoding` is how it sees records, `search` has the parts of its search, `columns` is how many
    that vary it takes at most, `in_blocks` says that it cuts a table into blocks, `rounds` how many
    rounds an effort has, where it has rounds, `refines` that it needs groups to start from, `extra`
    which extra it needs, `recodes` that it releases one level of every column for all records,
    `by_table` that it takes both encodings: records are nodes where they would be for `auto`, and
    `suppresses` that it releases cells as they are, or not at all.
    """

    name: str
    kind: str
    summary: str
    cost: str
    citation: str
    encoding: str = POINTS
    search: Search | None = None
    columns: int | None = None
    in_blocks: bool = False
    rounds: Mapping[str, int] | None = None
    refines: bool = False
    extra: str | None = None
    recodes: bool = False
    by_table: bool = False
    suppresses: bool = False

    @property
    def is_search(self) -> bool:
        """Whether it is a search with stopping criteria."""
        return self.search is not None

    @property
    def on_nodes(self) -> bool:
        """Whether it groups cells by their hierarchies, not the rows of a matrix."""
        return self.encoding == NODES


class Methods(list[Info]):
    """The methods there are, as a list that a notebook shows as a table."""

    def __repr__(self) -> str:
        return f"<{len(self)} methods: {', '.join(one.name for one in self)}>"

    def _repr_html_(self) -> str:
        rows = [("name", "kind", "summary", "cost")]
        rows += [(one.name, one.kind, one.summary, one.cost) for one in self]
        return in_html(f"{len(self)} methods", rows=rows)


class Method(Protocol):
    """A way to make a partition; the reporter carries the stop token."""

    @property
    def info(self) -> Info:
        """The description of the method."""

    def supports(self, problem: Problem) -> str | None:
        """Return why it cannot solve a problem; None if it can."""

    def run(self, problem: Problem, report: Reporter) -> Solution:
        """Return groups of at least k records. Requires 2k records, and `supports`."""


@dataclass(frozen=True)
class Family:
    """Base of families of methods: an `info`, and one supported encoding."""

    info: Info

    def supports(self, problem: Problem) -> str | None:
        """Return why it cannot solve a problem; None if it can."""
        info = self.info
        encoding = problem.encoding
        if info.encoding != encoding.kind and not info.by_table:
            if info.on_nodes:
                return f"{info.name} groups cells of a table by their trees, not a matrix"
            subject = f"{info.name} groups the rows of a matrix"
            return f"{subject}, not cells by their trees; kaim+ and auto do"
        if info.columns is None or (width := problem.points.matrix.shape[1]) <= info.columns:
            return None
        why = ", as texts and missing cells count several times" if problem.points.mixed else ""
        return (
            f"{info.name} takes {info.columns} column that varies, the table has {width}{why}; "
            "`shoal methods` lists the methods for several"
        )
