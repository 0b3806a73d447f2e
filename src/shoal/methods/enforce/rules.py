"""Rules for kernels, from a table and its requirement."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import PrivacyError, RequestError, shown
from shoal.judge.requirement import Requirement
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import (
    ALPHA,
    AT,
    BASE,
    CODES,
    COLUMNS,
    DELTA,
    DOMINANCE,
    DOMINATED,
    FORM,
    FROM,
    HEAD,
    HEADS,
    KINDS,
    KNOWN,
    LEAST,
    LIKE,
    LINE,
    LOG,
    MAGNITUDES,
    PERCENT,
    PLACES,
    REACH,
    ROOM,
    ROWS,
    SERIES,
    SHARES,
    SPAN,
    TREE,
    TWICE,
    WHOLE,
    C,
    Rules,
    T,
)
from shoal.methods.enforce.values import (
    Sensitive,
    ValueSets,
    combined,
    counted,
    numbers,
    once,
    respelled,
    sensitive,
)
from shoal.partition import Partition
from shoal.table.roles import Column, Role
from shoal.table.table import Table

NEW = -1  # the bond of who is in no earlier release


@dataclass(frozen=True, repr=False)
class Part:
    """A head with the codes that it counts, and arrays that its fields are to point to."""

    head: Floats
    made: Sensitive
    behind: Mapping[int, Floats] = field(default_factory=dict)


def make_rules(
    table: Table,
    requirement: Requirement,
    hierarchies: Mapping[str, str],
    folder: Path | None,
    averaged: Sequence[str],
    persons: Integers | None = None,
    kinds: Kinds | ValueSets | None = None,
) -> tuple[Rules, list[Sensitive]]:
    """Return the rules of a table; `averaged` are the columns whose groups release their means.

    With `persons` (n), whose record each is, every person and value of a group counts once; the
    groups that are judged by the rules must hold all records of a person. `kinds` are those of
    records in a series of releases.
    """
    columns = table.with_role(Role.SENSITIVE) if requirement.of_sensitive else []
    wanted = [column for column in columns if requirement.of_column(column.name)]
    dominated = _dominated(table, requirement, averaged)
    values = [sensitive(c, table, hierarchies.get(c.name), folder) for c in wanted]
    parts = [
        part
        for column, made in zip(wanted, values, strict=True)
        for part in _parts(column, table, requirement, made, persons)
    ]
    for names, least in requirement.l_of.items():
        own = [counted(table[name], table, requirement) for name in names]
        made = replace(values[0], codes=combined(own, persons))
        parts.append(Part(_diversity(least, requirement), made))
    heads: list[Floats] = []
    behind: list[Floats] = []
    count = len(parts) + (kinds is not None)
    at = HEADS + count * HEAD + len(dominated) * DOMINANCE
    for part in parts:
        head = part.head
        arrays = {AT: _distribution(head, part.made), **part.behind}
        for place, array in (*arrays.items(), (CODES, part.made.codes.astype(np.float64))):
            head[place] = at if array.size else 0.0
            behind.append(array)
            at += array.size
        heads.append(head)
    if kinds is not None:
        head, listed = kinds.head(at), kinds.table()
        heads.append(head)
        behind += [listed, kinds.codes.astype(np.float64)]
        at += listed.size + table.rows
    for percent, magnitudes in dominated:
        head = np.zeros(DOMINANCE)
        head[PERCENT], head[MAGNITUDES] = percent, at
        heads.append(head)
        behind.append(magnitudes)
        at += table.rows
    counts = np.zeros(HEADS)
    counts[[COLUMNS, DOMINATED, ROWS, ROOM]] = count, len(dominated), table.rows, at
    nodes = max((made.parents.size for made in values), default=0)
    nodes = max(nodes, 0 if kinds is None else kinds.values)
    room = np.zeros(2 * table.rows + 4 + nodes)  # as `kernels.rules` uses it
    return np.concatenate([counts, *heads, *behind, room]), values


def _parts(
    column: Column,
    table: Table,
    requirement: Requirement,
    made: Sensitive,
    persons: Integers | None,
) -> list[Part]:
    """Return the heads of a column, each with the codes that it counts.

    All but t-closeness count values whatever their spelling, t-closeness both ways. Where that is
    all the same, there is one head. The ranks of (k,e)-anonymity have a head of their own.
    """
    own = counted(column, table, requirement, persons)
    head = _head(column.name, requirement)
    t = requirement.threshold("t", column.name)
    raw = replace(made, codes=once(made.codes, persons))
    parts = _of_range(column, table, requirement, made)
    counts = replace(made, codes=own.codes)
    if t is None:
        return parts if not head.any() else [_counting(head, counts, requirement, column), *parts]
    close = np.zeros(HEAD)
    close[T], close[FORM] = t, LINE if made.line else TREE
    parts.append(Part(close, raw))
    if own.spelled:
        other = respelled(column, table, made)
        parts.append(Part(close.copy(), replace(other, codes=once(other.codes, persons))))
    if not head.any():
        return parts
    if not own.spelled and (
        not own.missing or made.line == (requirement.missing_sensitive != "value")
    ):
        parts.pop()
        return [_counting(head + close, raw, requirement, column), *parts]
    return [_counting(head, counts, requirement, column), *parts]


def _head(name: str, requirement: Requirement) -> Floats:
    """Return the head of a column for all that counts values."""
    least, alpha = requirement.threshold("l", name), requirement.threshold("alpha", name)
    head = np.zeros(HEAD) if least is None else _diversity(least, requirement)
    head[ALPHA] = alpha or 0.0
    head[LIKE] = float(requirement.threshold("beta", name) is not None)
    head[DELTA] = requirement.threshold("delta", name) or 0.0
    return head


def _diversity(least: float, requirement: Requirement) -> Floats:
    """Return a head for l-diversity of the kind that is asked."""
    head = np.zeros(HEAD)
    if requirement.l_kind == "entropy":
        head[LOG], head[LEAST] = math.log(least), 1.0  # a group without any value has none
    elif requirement.c is not None:
        head[FROM], head[C] = least, requirement.c
    else:
        head[LEAST] = least
    return head


def _counting(head: Floats, made: Sensitive, requirement: Requirement, column: Column) -> Part:
    """Return a part with what every value may gain at most, where shares are compared.

    That is β, or min(β, -ln p) for the share p of a value (enhanced β-likeness, Cao and Karras
    2012, definition 3). head IN/OUT: how many values there are.
    """
    beta = requirement.threshold("beta", column.name)
    if beta is None and not head[DELTA]:
        return Part(head, made)
    counts = np.bincount(made.codes[made.codes >= 0]).astype(np.float64)
    head[KNOWN], head[KINDS] = counts.sum(), np.count_nonzero(counts)
    most = np.full(counts.size, math.inf if beta is None else beta)
    if beta is not None and requirement.beta_kind == "enhanced":
        bounds = [-math.log(own / counts.sum()) if own else 0.0 for own in counts.tolist()]
        most = np.minimum(most, bounds)
    return Part(head, made, {SHARES: np.stack([counts, most], axis=1).ravel()})


def _of_range(
    column: Column, table: Table, requirement: Requirement, made: Sensitive
) -> list[Part]:
    """Return the part of (k,e)-anonymity: of every rank the least one that is e above it.

    Records of one person count as often as they are: neither part is other for it.
    """
    e = requirement.threshold("e", column.name)
    if e is None:
        return []
    ranks, values = numbers(column, table)
    wanted, head = Fraction(str(e)), np.zeros(HEAD)
    head[LEAST], head[PLACES] = requirement.k, max(1, len(values))
    reach = [float(bisect_left(values, value + wanted)) for value in values]
    return [Part(head, replace(made, codes=ranks), {REACH: np.array(reach)})]


def _distribution(head: Floats, made: Sensitive) -> Floats:
    """Return the distribution that t-closeness compares with. head IN/OUT: what it is made of."""
    codes = made.codes[made.codes != TWICE]
    head[WHOLE] = codes.size
    if not head[FORM]:
        return np.zeros(0)
    if made.line:
        there = codes[codes >= 0]
        counts = np.bincount(there)
        cumulated = np.cumsum(counts).astype(np.float64)
        head[SPAN] = counts.size
        return np.concatenate(([codes.size - there.size], cumulated, [0.0], np.cumsum(cumulated)))
    below = np.zeros(made.parents.size)
    np.add.at(below, codes, 1.0)
    for node, parent in _upward(made.parents):
        below[parent] += below[node]
    head[SPAN] = 2 * made.height
    head[BASE] = float((made.climbed * below).sum())
    return np.stack([made.parents, made.climbed, below], axis=1).ravel()


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
    table: Table, requirement: Requirement, averaged: Sequence[str]
) -> list[tuple[float, Floats]]:
    """Return p and the sizes of the values of every column that the p % rule is for."""
    if requirement.dominance is None:
        return []
    sizes = []
    for column in table.with_role(Role.QUASI_IDENTIFIER):
        p = requirement.threshold("dominance", column.name)
        named = isinstance(requirement.dominance, Mapping)
        if p is None or (column.name not in averaged and not named):
            continue
        if column.name not in averaged or not column.kind.is_number:
            raise RequestError(
                f"dominance is for numbers that are released as means; {shown(column.name)} is not"
            )
        sizes.append((float(p), magnitudes(column)))
    if not sizes:
        raise RequestError("dominance is for numbers that are released as means; there are none")
    return sizes


def magnitudes(column: Column) -> Floats:
    """Return the sizes of numbers, 0 where one is missing.

    They are divided by a power of two, so that no sum of them overflows.
    """
    numbers = column.values.cast("double", safe=False).to_numpy(zero_copy_only=False)
    sizes = np.abs(np.nan_to_num(np.asarray(numbers, dtype=np.float64)))
    return np.ldexp(sizes, -math.frexp(float(sizes.max(initial=0.0)))[1])


@dataclass(frozen=True, eq=False, repr=False)
class Kinds:
    """The values (n), from 0, and the bonds (n) of records; NEW people have none.

    A bond is a signature, a set of values that the people who have it must show equally often in
    every group; or it is empty, of people who were together in all earlier releases: those of them
    in a group need l different values. New people fill what signatures lack; the others of a group
    need l different values, too.
    """

    own: Integers
    bond: Integers
    bonds: Sequence[tuple[int, ...]]
    l: int  # noqa: E741 - its name in the literature

    @property
    def values(self) -> int:
        """How many values there are."""
        most = max((max(one) for one in self.bonds if one), default=-1)
        return max(most, int(self.own.max(initial=-1))) + 1

    @property
    def codes(self) -> Integers:
        """The kind of each record, as `kernels.rules.series` reads it."""
        return (self.bond + 1) * self.values + self.own

    @property
    def signed(self) -> Integers:
        """Which records have a signature, as 0 and 1."""
        has = np.array([*(bool(one) for one in self.bonds), False], dtype=np.int64)
        return has[self.bond]

    def table(self) -> Floats:
        """Return where the values of each bond begin, and them; that of NEW comes first."""
        starts = np.zeros(len(self.bonds) + 2)
        starts[1:] = starts.size + np.cumsum([0, *(len(one) for one in self.bonds)])
        return np.concatenate([starts, *(np.array(one, dtype=float) for one in self.bonds)])

    def head(self, at: int) -> Floats:
        """Return the head of the rule, whose table of bonds stands `at` a place."""
        head = np.zeros(HEAD)
        head[[FORM, AT, SPAN, BASE]] = SERIES, at, self.values, self.l
        head[CODES] = at + self.table().size
        return head

    def take(self, rows: Integers) -> Kinds:
        """Return the kinds of some records, or of all in another order."""
        return replace(self, own=self.own[rows], bond=self.bond[rows])


def left_over(values: Iterable[float]) -> float:
    """Return what hides the largest unit of a group, in percent of it; the p % rule asks for p.

    The second largest knows its own value and subtracts it from the total T: what is left over,
    T - x1 - x2, is all that hides x1 (Cox 1981; Hundepool and others 2012, section 4.2.2). Sizes
    count, not signs; where all values are 0 nothing could be larger, and it is infinite.
    """
    every = sorted((abs(value) for value in values), reverse=True)
    if not every or every[0] == 0.0:
        return math.inf
    scale = -math.frexp(every[0])[1]  # by a power of two, so that nothing overflows or is rounded
    rest = math.fsum(math.ldexp(value, scale) for value in every[2:])
    return 100.0 * rest / math.ldexp(every[0], scale)


def judge_dominance(
    table: Table,
    partition: Partition,
    wider: Mapping[str, Partition],
    requirement: Requirement,
    aggregators: Mapping[str, str],
) -> list[dict[str, Any]]:
    """Judge the p % rule by its definition, on the values behind the means; a break is an error.

    The release alone does not show it: the values of a group are not in it.
    """
    results = []
    for column in table.with_role(Role.QUASI_IDENTIFIER):
        p = requirement.threshold("dominance", column.name)
        if p is None or aggregators[column.name] != "mean" or not column.kind.is_number:
            continue
        values = magnitudes(column)
        groups = wider.get(column.name, partition)
        worst = min(left_over(values[rows].tolist()) for rows in groups.members())
        if worst < p:
            raise PrivacyError(
                f"a group's mean of {shown(column.name)} gives away its largest value (p % rule)"
            )
        known = worst if math.isfinite(worst) else None
        judged = {"model": "p % rule", "column": column.name, "asked": p, "found": known}
        results.append({**judged, "ok": True})
    return results
