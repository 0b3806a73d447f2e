"""Method protocol, and the description of a method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from shoal.errors import in_html
from shoal.methods.ils.parameters import Search
from shoal.methods.problem import NODES, POINTS, Problem, Solution
from shoal.progress import Reporter


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
