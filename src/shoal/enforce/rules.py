"""A table and what is asked of it -> the rules as numbers that kernels know."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from shoal.errors import RequestError, in_shape, shown
from shoal.kernels.rules import (
    ALPHA,
    AT,
    BASE,
    CODES,
    COLUMNS,
    DOMINANCE,
    DOMINATED,
    FORM,
    FROM,
    HEAD,
    HEADS,
    LEAST,
    LINE,
    LOG,
    MAGNITUDES,
    PERCENT,
    ROOM,
    ROWS,
    SPAN,
    TREE,
    C,
    Rules,
    T,
)
from shoal.models.requirement import Requirement
from shoal.table.code import UncoveredError
from shoal.table.hierarchy.listed import Listed, interval
from shoal.table.hierarchy.specify import is_file, specify
from shoal.table.hierarchy.values import Distinct, distinct_values
from shoal.table.roles import STAR, Column, Kind, Role
from shoal.table.table import Table

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]


MODELS = ("l", "t", "alpha")  # what is asked of sensitive columns
PREFIXED = (Kind.TEXT, Kind.INTEGER, Kind.DATE)  # kinds that have prefixes
GONE = ("", STAR)  # texts that say nothing, as missing cells


@dataclass(frozen=True)
class Sensitive:
    """A sensitive column as codes; `order` sorts its records so that like values stand together.

    In a `line` codes are ranks and -1 is missing; else they are leaves of a tree, given by the
    parents of its nodes (-1: the root), what the edges above them climb, and its height.
    """

    __repr__ = in_shape

    codes: Integers
    line: bool
    parents: Integers
    climbed: Integers
    height: int = 1

    @property
    def order(self) -> Integers:
        """The rows by their values, the missing first."""
        return np.argsort(self.codes, kind="stable")


def sensitive(column: Column, table: Table, said: str | None, folder: Path | None) -> Sensitive:
    """Return a column as codes: ranks where it has an order, else leaves of its tree."""
    values = distinct_values(column)
    if said is None:
        if column.has_places and column.kind is not Kind.BOOLEAN:
            nothing = np.zeros(0, dtype=np.int64)
            return Sensitive(_places(values), True, nothing, nothing)
        leaves = len(values.texts) + 1
        codes = _leaves(values)
        return Sensitive(codes, False, np.full(leaves, -1), np.ones(leaves, dtype=np.int64))
    _check_tree(column, said)
    rule = specify(said, folder)
    if isinstance(rule, Listed) and interval(rule.rows[0][0], values.axis) is not None:
        raise RequestError(
            f"the hierarchy of sensitive column {shown(column.name)} must list its values, not "
            "intervals"
        )
    paths, lacking = rule.paths(values)
    uncovered = [i for i in lacking if values.texts[i] not in GONE]
    if uncovered:
        raise UncoveredError(
            f"{table.source.name}, column {shown(column.name)}: its hierarchy lacks "
            f"{len(uncovered)} of its values", [values.texts[i] for i in uncovered],
        )  # fmt: skip
    lines = {path[0]: path for path in paths}
    return _in_tree(values, [lines.get(text, [text, STAR]) for text in values.texts])


def _check_tree(column: Column, said: str) -> None:
    """Refuse what the judge of the written file could not read the same way."""
    what = f"the hierarchy of sensitive column {shown(column.name)}"
    if not is_file(said) and not said.startswith("prefixes:"):
        raise RequestError(f"{what} must be FILE.csv or prefixes:3,2")
    if column.kind is Kind.DATETIME or (not is_file(said) and column.kind not in PREFIXED):
        raise RequestError(f"{what}: {'there is none' if is_file(said) else 'prefixes are not'} "
                           f"for {column.kind}")  # fmt: skip


def _leaves(values: Distinct) -> Integers:
    """Return a number for every record's value; the last one is for what is missing or `*`."""
    last = len(values.texts)
    numbers = [last if text in GONE else i for i, text in enumerate(values.texts)]
    return np.array([*numbers, last], dtype=np.int64)[values.indices]


def _places(values: Distinct) -> Integers:
    """Return the place of every record's value among those there are; -1 is missing."""
    there = [text not in GONE for text in values.texts]
    ranks = np.where(there, np.cumsum(there) - 1, -1).astype(np.int64)
    found: Integers = np.append(ranks, -1)[values.indices]
    return found


def _in_tree(values: Distinct, paths: Sequence[Sequence[str]]) -> Sensitive:
    """Return leaves of a tree: every value is one, and what is missing, right below the root.

    A node is a word on a level, as high as the level. An edge counts half of what it climbs:
    then leaves are as far apart as their lowest common ancestor is high, over the root's height.
    """
    highest = max((len(path) for path in paths), default=2) - 1
    leaves = len(values.texts) + 1
    numbers: dict[tuple[int, str], int] = {}
    parents, climbed = [-1] * leaves, [1] * leaves
    climbed[-1] = highest
    for leaf, path in enumerate(paths):
        node = leaf
        for level, word in enumerate(path[1:-1], 1):
            if (level, word) not in numbers:
                numbers[level, word] = len(parents)
                parents.append(-1)
                climbed.append(1)
            parents[node] = numbers[level, word]
            node = numbers[level, word]
        climbed[node] = highest - len(path) + 2
    nodes = np.array(parents, dtype=np.int64)
    return Sensitive(_leaves(values), False, nodes, np.array(climbed, dtype=np.int64), highest)


def make_rules(
    table: Table,
    asked: Requirement,
    hierarchies: Mapping[str, str],
    folder: Path | None,
    averaged: Sequence[str],
) -> tuple[Rules, list[Sensitive]]:
    """Return the rules of a table; `averaged` are the columns whose groups release their means."""
    columns = table.having(Role.SENSITIVE) if asked.of_sensitive else []
    wanted = [c for c in columns if any(asked.asked(w, c.name) is not None for w in MODELS)]
    dominated = _dominated(table, asked, averaged)
    heads: list[Floats] = []
    behind: list[Floats] = []
    values: list[Sensitive] = []
    at = HEADS + len(wanted) * HEAD + len(dominated) * DOMINANCE
    for column in wanted:
        made = sensitive(column, table, hierarchies.get(column.name), folder)
        head, numbers = _head(column.name, asked, made, at)
        head[CODES] = at + numbers.size
        heads.append(head)
        behind += [numbers, made.codes.astype(np.float64)]
        values.append(made)
        at += numbers.size + table.rows
    for percent, magnitudes in dominated:
        head = np.zeros(DOMINANCE)
        head[PERCENT], head[MAGNITUDES] = percent, at
        heads.append(head)
        behind.append(magnitudes)
        at += table.rows
    counts = np.zeros(HEADS)
    counts[[COLUMNS, DOMINATED, ROWS, ROOM]] = len(wanted), len(dominated), table.rows, at
    nodes = max((made.parents.size for made in values), default=0)
    room = np.zeros(2 * table.rows + 4 + nodes)  # as `kernels.rules` uses it
    return np.concatenate([counts, *heads, *behind, room]), values


def _head(name: str, asked: Requirement, made: Sensitive, at: int) -> tuple[Floats, Floats]:
    """Return the head of a column, and what stands behind all heads of it."""
    head, behind = np.zeros(HEAD), np.zeros(0)
    least, t, alpha = (asked.asked(what, name) for what in ("l", "t", "alpha"))
    if least is not None and asked.l_kind == "entropy":
        head[LOG] = math.log(least)
    elif least is not None and asked.c is not None:
        head[FROM], head[C] = least, asked.c
    elif least is not None:
        head[LEAST] = least
    head[ALPHA] = alpha or 0.0
    if t is not None:
        rows = made.codes.size
        head[T], head[AT] = t, at
        if made.line:
            there = made.codes[made.codes >= 0]
            counts = np.bincount(there)
            cumulated = np.cumsum(counts).astype(np.float64)
            head[FORM], head[SPAN] = LINE, counts.size
            behind = np.concatenate(([rows - there.size], cumulated, [0.0], np.cumsum(cumulated)))
        else:
            below = np.zeros(made.parents.size)
            np.add.at(below, made.codes, 1.0)
            for node, parent in _upward(made.parents):
                below[parent] += below[node]
            head[FORM], head[SPAN] = TREE, 2 * made.height
            head[BASE] = float((made.climbed * below).sum())
            behind = np.stack([made.parents, made.climbed, below], axis=1).ravel()
    return head, behind


def _upward(parents: Integers) -> list[tuple[int, int]]:
    """Return every node with its parent, children before their parents."""
    depth = np.zeros(parents.size, dtype=np.int64)
    at = parents.copy()
    while (at >= 0).any():
        depth += at >= 0
        at = np.where(at >= 0, parents[at], -1)
    order = np.argsort(-depth, kind="stable")
    return [(int(node), int(parents[node])) for node in order if parents[node] >= 0]


def _dominated(
    table: Table, asked: Requirement, averaged: Sequence[str]
) -> list[tuple[float, Floats]]:
    """Return p and the sizes of the values of every column that the p % rule is for."""
    if asked.dominance is None:
        return []
    found = []
    for column in table.having(Role.QUASI_IDENTIFIER):
        p = asked.asked("dominance", column.name)
        named = isinstance(asked.dominance, Mapping)
        if p is None or (column.name not in averaged and not named):
            continue
        if column.name not in averaged or not column.kind.is_number:
            raise RequestError(
                f"dominance is for numbers that are released as means; {shown(column.name)} is not"
            )
        found.append((float(p), magnitudes(column)))
    if not found:
        raise RequestError("dominance is for numbers that are released as means; there are none")
    return found


def magnitudes(column: Column) -> Floats:
    """Return the sizes of numbers, 0 where one is missing.

    They are divided by a power of two, so that no sum of them overflows.
    """
    numbers = column.values.cast("double", safe=False).to_numpy(zero_copy_only=False)
    sizes = np.abs(np.nan_to_num(np.asarray(numbers, dtype=np.float64)))
    return np.ldexp(sizes, -math.frexp(float(sizes.max(initial=0.0)))[1])
