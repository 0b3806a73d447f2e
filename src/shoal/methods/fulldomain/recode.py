"""`recode`: the levels of all columns that lose least, and the classes that they make."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from shoal.errors import RequestError, shown
from shoal.hints import option
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.kernels.jit import jit
from shoal.kernels.rules import Rules
from shoal.methods.enforce.swapping import MANY, MEMBERS, breaches, of_members, rows_of
from shoal.methods.fulldomain.columns import Leveled, leveled
from shoal.methods.problem import Problem
from shoal.partition import Recoding, canonical_labels
from shoal.progress import Reporter

Node = tuple[int, ...]
MOST = 10_000_000  # combinations that are held in memory
AHEAD = 4096  # combinations that are looked at at once for an open one
MIX, SHIFT = 0x5851F42D4C957F2D, 32  # a multiplier of good random numbers (Knuth)
ROUNDING = 1e-9  # of a share of the records


def recode(problem: Problem, report: Reporter) -> tuple[Integers, Recoding]:
    """Return the classes of the records that are kept, and the levels that make them.

    Of all combinations of levels whose classes keep what is asked, once at most the share
    `suppress` of the records is left out, it is the one with the least loss by column weights and
    survey weights.
    """
    nodes = problem.nodes
    rows, weights = nodes.rows, nodes.column_weights or {}
    on_node = partial(_report, report, rows)
    on_node(0, 1)
    spare = int(problem.suppress * rows + ROUNDING)
    if spare:
        _check_labels(problem)
    rules = None if problem.constraints is None else problem.constraints.rules
    survey = nodes.weights
    columns = [leveled(one, weights.get(one.name, 1.0), survey) for one in nodes.coded.columns]
    lattice = Lattice([one.sums for one in columns], [one.kinds for one in columns])
    judge = Judge(columns, Needs(problem.k, spare, rules, problem.k_of), survey)
    node = least(lattice, judge, on_node)
    labels, suppressed = judge.labels(node)
    levels = {one.name: int(one.levels[at]) for one, at in zip(columns, node, strict=True)}
    return labels, Recoding(levels, suppressed)


def _report(report: Reporter, rows: int, done: int, of: int) -> None:
    report("grouping", rows * done // max(of, 1), rows)


def _check_labels(problem: Problem) -> None:
    """Refuse to suppress records whose values the labels of a hierarchy would show all the same."""
    for column in problem.nodes.coded.columns:
        if column.rule.shows_values:
            such = option("hierarchies", {column.name: "widths:5,10"})
            raise RequestError(
                f"{option('suppress')}: the intervals of column {shown(column.name)} "
                f"({column.rule}) end in values of the data, also of records that are left out; "
                f"give it a hierarchy, such as {such}"
            )


@dataclass(frozen=True, repr=False)
class Needs:
    """What classes need: k records, what `rules` ask of all records' classes, an own k by columns.

    At most `spare` records may be left out, those of smaller classes, where k is all that is asked.
    """

    k: int
    spare: int = 0
    rules: Rules | None = None
    k_of: Mapping[tuple[str, ...], int] = field(default_factory=dict)


class Judge:
    """Judges combinations of levels; suppressed records have lost all their cells.

    `survey` weights (n) say how much records count in the loss.
    """

    def __init__(
        self, columns: Sequence[Leveled], needs: Needs, survey: Floats | None = None
    ) -> None:
        self.columns, self.needs, self.classes = columns, needs, Classes(columns)
        self.often = np.bincount(self.classes.which, survey)
        names = [one.name for one in columns]
        self.whole = sum(one.weight for one in columns)
        self.own: list[tuple[int, list[int], Classes]] = []
        for some, k in needs.k_of.items():
            places = [names.index(name) for name in some]
            if k > needs.k:
                self.own.append((k, places, Classes([columns[j] for j in places])))

    def __call__(self, node: Sequence[int]) -> float | None:
        """Return what a combination loses beyond its cells by suppression; None: it is not safe."""
        labels, sizes = self.classes.at(node)
        small = sizes < self.needs.k
        gone = int(sizes[small].sum())
        if gone > self.needs.spare or small.all():
            return None
        if not all(self._holds(k, places, own, node) for k, places, own in self.own):
            return None
        if self.needs.rules is not None:
            every = labels[self.classes.which]
            return 0.0 if keeps(self.needs.rules, every) else None
        return self._suppressed(node, small[labels]) if gone else 0.0

    def _holds(self, k: int, places: Sequence[int], own: Classes, node: Sequence[int]) -> bool:
        return int(own.at([node[j] for j in places])[1].min()) >= k

    def _suppressed(self, node: Sequence[int], gone: Flags) -> float:
        """Return how much more is lost if some records are left out."""
        cells, often = self.classes.codes.cells[gone], self.often[gone]
        kept: Floats = np.full(often.size, float(self.whole))
        for j, (column, level) in enumerate(zip(self.columns, node, strict=True)):
            kept -= column.losses[level][cells[:, j]]
        return float(kept @ often)

    def labels(self, node: Sequence[int]) -> tuple[Integers, Integers]:
        """Return the class of every record, from 0, and the rows of those in small classes."""
        labels, sizes = self.classes.at(node)
        every = labels[self.classes.which]
        small = (sizes < self.needs.k)[every]
        return canonical_labels(every[~small]), np.flatnonzero(small)


def keeps(rules: Rules, labels: Integers) -> bool:
    """Tell whether every class keeps the rules; large ones are judged one by one."""
    sizes = np.bincount(labels)
    some = np.flatnonzero((sizes <= MANY)[labels])
    if some.size:
        groups = rows_of(canonical_labels(labels[some]))
        members = groups[:, MEMBERS:]
        members[members >= 0] = some[members[members >= 0]]
        if (breaches(rules, groups) > 0.0).any():
            return False
    large = np.flatnonzero(sizes > MANY)
    return all(of_members(rules, np.flatnonzero(labels == group)) <= 0.0 for group in large)


class Codes(NamedTuple):
    """Codes of all columns, levels and values in one array."""

    cells: Integers  # (records, columns) values
    often: Integers  # (records) how many records each stands for
    first: Integers  # (columns) where the codes of a column begin
    width: Integers  # (columns) values of a column: the codes of a level
    codes: Integers  # (all)


class Room(NamedTuple):
    """Classes that are made, and room to work in."""

    slots: Integers  # (a power of two, at least twice the records) a class, or -1
    labels: Integers  # (records) the class of each
    sizes: Integers  # (records) of the classes
    held: Integers  # (records + 1, columns) codes of the classes, and of the record at hand


@jit
def _count(c: Codes, node: Integers, room: Room) -> int:
    """Make the classes of records with equal codes; return how many there are. room OUT."""
    cells, often, first, width, codes = c.cells, c.often, c.first, c.width, c.codes
    slots, labels, sizes, held = room.slots, room.labels, room.sizes, room.held
    rows, columns = cells.shape
    last, made = slots.size - 1, 0
    for slot in range(slots.size):
        slots[slot] = -1
    for row in range(rows):
        key = 0
        for j in range(columns):
            code = codes[first[j] + node[j] * width[j] + cells[row, j]]
            held[made, j] = code  # those of a new class, if it is one
            key = (key ^ code) * MIX
            key ^= (key >> SHIFT) & 0xFFFFFFFF
        slot = key & last
        while True:
            found = slots[slot]
            if found < 0:
                slots[slot], sizes[made], found = made, 0, made
                made += 1
                break
            same = True
            for j in range(columns):
                if held[found, j] != held[made, j]:
                    same = False
                    break
            if same:
                break
            slot = (slot + 1) & last
        labels[row] = found
        sizes[found] += often[row]
    return made


class Classes:
    """Counts classes by some columns; equal records are counted once, `which` is each one's."""

    def __init__(self, columns: Sequence[Leveled]) -> None:
        width = np.array([one.codes.shape[1] for one in columns])
        sizes = np.array([one.codes.size for one in columns])
        codes = np.concatenate([one.codes.ravel() for one in columns])
        cells = np.stack([one.cells for one in columns], axis=1)
        every = Codes(cells, np.ones(len(cells), dtype=np.int64), np.cumsum(sizes) - sizes, width,
                      codes)  # fmt: skip
        room, node = _room(every), np.zeros(len(columns), dtype=np.int64)
        made = _count(every, node, room)
        self.which: Integers = room.labels
        firsts = np.empty(made, dtype=np.int64)
        firsts[self.which[::-1]] = np.arange(len(cells) - 1, -1, -1)
        self.codes = every._replace(cells=cells[firsts], often=room.sizes[:made].copy())
        self.room = _room(self.codes)

    def at(self, node: Sequence[int]) -> tuple[Integers, Integers]:
        """Return the class of every different record and the sizes of classes, until called anew.

        `node` has the place of each column's level among those that make a difference.
        """
        made = _count(self.codes, np.array(node, dtype=np.int64), self.room)
        return self.room.labels, self.room.sizes[:made]


def _room(codes: Codes) -> Room:
    rows, columns = codes.cells.shape
    return Room(
        slots=np.empty(2 << rows.bit_length(), dtype=np.int64),
        labels=np.empty(rows, dtype=np.int64),
        sizes=np.empty(rows, dtype=np.int64),
        held=np.empty((rows + 1, columns), dtype=np.int64),
    )


@dataclass(frozen=True, eq=False, repr=False)
class Lattice:
    """All combinations of levels: by column, what all cells lose and how many forms there are.

    What cells lose is a bound on what a combination loses, and grows with every level.
    """

    sums: Sequence[Floats]
    kinds: Sequence[Integers]

    def __post_init__(self) -> None:
        combinations = math.prod(self.shape)
        if combinations > MOST:
            raise RequestError(
                f"the hierarchies have {combinations:,} combinations of levels, full-domain takes "
                f"up to {MOST:,}; give columns hierarchies of fewer levels (widths:10,50, a file)"
            )

    @property
    def shape(self) -> Node:
        """The number of levels of every column."""
        return tuple(own.size for own in self.sums)

    def bounds(self) -> Floats:
        """Return what cells lose at every combination."""
        total: Floats = np.zeros(())
        for own in self.sums:
            total = np.add.outer(total, own)
        return total

    def steepness(self, j: int, level: int) -> float:
        """Return what the next level of a column loses for the bits of forms that it merges."""
        more = self.sums[j][level + 1] - self.sums[j][level]
        return float(more / math.log2(self.kinds[j][level] / self.kinds[j][level + 1]))


def least(
    lattice: Lattice, judge: Callable[[Node], float | None], on_node: Callable[[int, int], None]
) -> Node:
    """Return the combination of least loss.

    `judge` says how much more than its cells a combination loses, None where it is not safe: then
    none below it is. The highest one must be safe. `on_node` is called with how many combinations
    are decided, and with that of all.
    """
    search = _Search(lattice, judge)
    while (first := search.first_open()) is not None:
        on_node(search.done, search.order.size)
        path = search.climb(first)
        low, high = 0, len(path)
        while low < high:
            middle = (low + high) // 2
            if search.look(path[middle]):
                high = middle
            else:
                low = middle + 1
    return search.best


class _Search:
    """Combinations that are open: neither judged, nor below one that is not safe."""

    def __init__(self, lattice: Lattice, judge: Callable[[Node], float | None]) -> None:
        self.lattice, self.judge, self.bounds = lattice, judge, lattice.bounds()
        self.open: Flags = np.ones(lattice.shape, dtype=bool)
        self.order = np.argsort(self.bounds, axis=None, kind="stable")
        self.done, self.least = 0, math.inf
        self.best: Node = tuple(size - 1 for size in lattice.shape)
        self.look(self.best)

    def look(self, node: Node) -> bool:
        """Judge a combination; tell whether it is safe."""
        more = self.judge(node)
        if more is None:
            self.open[tuple(slice(0, level + 1) for level in node)] = False
            return False
        self.open[node] = False
        loss = float(self.bounds[node]) + more
        if loss < self.least:
            self.best, self.least = node, loss
        return True

    def first_open(self) -> Node | None:
        """Return the open combination of the least bound, None if none could lose less."""
        flags, bounds = self.open.reshape(-1), self.bounds.reshape(-1)
        while self.done < self.order.size:
            ahead = self.order[self.done : self.done + AHEAD]
            found = np.flatnonzero(flags[ahead])
            if not found.size:
                self.done += ahead.size
                continue
            self.done += int(found[0])
            at = self.order[self.done]
            if bounds[at] >= self.least:
                return None
            return tuple(map(int, np.unravel_index(at, self.lattice.shape)))
        return None

    def climb(self, node: Node) -> list[Node]:
        """Return a chain of open combinations upwards, each the least loss for what it merges."""
        path = [node]
        while True:
            steps = []
            for j, level in enumerate(node):
                above = (*node[:j], level + 1, *node[j + 1 :])
                if level + 1 < self.lattice.shape[j] and self._is_open(above):
                    steps.append((self.lattice.steepness(j, level), j, above))
            if not steps:
                return path
            node = min(steps)[2]
            path.append(node)

    def _is_open(self, node: Node) -> bool:
        return bool(self.open[node]) and float(self.bounds[node]) < self.least
