"""Rules for kernels, from a table and its requirement."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from shoal.errors import RequestError, in_shape, shown
from shoal.judge.models.requirement import Requirement
from shoal.kernels.arrays import Floats, Integers
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
    GONE,
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
    TWICE,
    WHOLE,
    C,
    Rules,
    T,
)
from shoal.methods.enforce.kinds import Kinds
from shoal.methods.enforce.value_sets import ValueSets
from shoal.table.encode_nodes import UncoveredError
from shoal.table.hierarchy.listed import Listed, interval
from shoal.table.hierarchy.specify import is_file, specify
from shoal.table.hierarchy.values import Distinct, distinct_values
from shoal.table.roles import STAR, Column, Kind, Role
from shoal.table.spelling import forms_of, spelled
from shoal.table.table import Table

PREFIXED = (Kind.TEXT, Kind.INTEGER, Kind.DATE)  # kinds that have prefixes
SILENT = ("", STAR)  # texts that say nothing, as missing cells


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


def sensitive(column: Column, table: Table, spec: str | None, folder: Path | None) -> Sensitive:
    """Return a column as codes: ranks where it has an order, else leaves of its tree."""
    values = distinct_values(column)
    if spec is None:
        if column.has_places and column.kind is not Kind.BOOLEAN:
            nothing = np.zeros(0, dtype=np.int64)
            return Sensitive(_places(values), True, nothing, nothing)
        leaves = len(values.texts) + 1
        codes = _leaves(values)
        return Sensitive(codes, False, np.full(leaves, -1), np.ones(leaves, dtype=np.int64))
    _check_tree(column, spec)
    rule = specify(spec, folder)
    if isinstance(rule, Listed) and interval(rule.rows[0][0], values.axis) is not None:
        raise RequestError(
            f"the hierarchy of sensitive column {shown(column.name)} must list its values, not "
            "intervals"
        )
    paths, lacking = rule.paths(values)
    uncovered = [i for i in lacking if values.texts[i] not in SILENT]
    if uncovered:
        raise UncoveredError(
            f"{table.source.name}, column {shown(column.name)}: its hierarchy lacks "
            f"{len(uncovered)} of its values", [values.texts[i] for i in uncovered],
        )  # fmt: skip
    lines = {path[0]: path for path in paths}
    return _in_tree(values, [lines.get(text, [text, STAR]) for text in values.texts])


def _check_tree(column: Column, rule: str) -> None:
    """Refuse what the judge of the written file could not read the same way."""
    what = f"the hierarchy of sensitive column {shown(column.name)}"
    if not is_file(rule) and not rule.startswith("prefixes:"):
        raise RequestError(f"{what} must be FILE.csv or prefixes:3,2")
    if column.kind in (Kind.DATETIME, Kind.DURATION) or (
        not is_file(rule) and column.kind not in PREFIXED
    ):
        raise RequestError(f"{what}: {'there is none' if is_file(rule) else 'prefixes are not'} "
                           f"for {column.kind}")  # fmt: skip


def _leaves(values: Distinct) -> Integers:
    """Return a number for every record's value; the last one is for what is missing or `*`."""
    last = len(values.texts)
    numbers = [last if text in SILENT else i for i, text in enumerate(values.texts)]
    return np.array([*numbers, last], dtype=np.int64)[values.indices]


def _places(values: Distinct) -> Integers:
    """Return the place of every record's value among those there are; -1 is missing."""
    there = [text not in SILENT for text in values.texts]
    ranks = np.where(there, np.cumsum(there) - 1, -1).astype(np.int64)
    places: Integers = np.append(ranks, -1)[values.indices]
    return places


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


@dataclass(frozen=True)
class Counted:
    """What l-diversity and alpha count of a column: codes of values, alike for spellings of one.

    A missing value is -1, or has a code of its own, as is asked; of the records of one person with
    one value all but the first are TWICE. `spelled` tells that some value has several spellings,
    `missing` that there are missing values.
    """

    codes: Integers
    spelled: bool
    missing: bool

    __repr__ = in_shape

    @property
    def counts(self) -> dict[int, int]:
        """How often each value counts in all."""
        every, often = np.unique(self.codes[self.codes >= 0], return_counts=True)
        return dict(zip(every.tolist(), often.tolist(), strict=True))


def counted(
    column: Column, table: Table, requirement: Requirement, persons: Integers | None = None
) -> Counted:
    """Return what l-diversity and alpha count of a column."""
    values = distinct_values(column)
    forms = forms_of(column, values, table.source.missing)
    codes = _by_record(forms, values)
    missing = bool((codes == GONE).any())
    if requirement.missing_sensitive == "value":
        codes = np.where(codes == GONE, forms.max(initial=0) + 1, codes)
    return Counted(_once(codes, persons), spelled(values.texts, forms), missing)


def _by_record(numbers: Integers, values: Distinct) -> Integers:
    """Return the number of every record's value; a missing cell is gone."""
    codes: Integers = np.append(numbers, GONE)[values.indices]
    return codes


def _once(codes: Integers, persons: Integers | None) -> Integers:
    """Return the codes with TWICE for all but one record of a person and a code.

    The records of a person are in one group, always: it does not matter which of them counts.
    """
    if persons is None:
        return codes
    pairs = np.stack([persons, codes])
    _, first = np.unique(pairs, axis=1, return_index=True)
    counted_codes = np.full_like(codes, TWICE)
    counted_codes[first] = codes[first]
    return counted_codes


def _respelled(column: Column, table: Table, made: Sensitive) -> Sensitive:
    """Return a column as codes in which all spellings of a value are one.

    It has the place of the first of them in a line, that of the least text in a tree.
    """
    values = distinct_values(column)
    forms = forms_of(column, values, table.source.missing)
    if made.line:
        return replace(made, codes=_by_record(forms, values))
    leaves = np.full(len(values.texts) + 1, len(values.texts), dtype=np.int64)
    chosen: dict[int, int] = {}
    for leaf in sorted(range(len(values.texts)), key=values.texts.__getitem__):
        if forms[leaf] >= 0:
            leaves[leaf] = chosen.setdefault(int(forms[leaf]), leaf)
    return replace(made, codes=leaves[values.indices])


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
    heads: list[Floats] = []
    behind: list[Floats] = []
    count = len(parts) + (kinds is not None)
    at = HEADS + count * HEAD + len(dominated) * DOMINANCE
    for head, made in parts:
        numbers = _distribution(head, made, at)
        head[CODES] = at + numbers.size
        heads.append(head)
        behind += [numbers, made.codes.astype(np.float64)]
        at += numbers.size + table.rows
    if kinds is not None:
        head, numbers = kinds.head(at), kinds.table()
        heads.append(head)
        behind += [numbers, kinds.codes.astype(np.float64)]
        at += numbers.size + table.rows
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
) -> list[tuple[Floats, Sensitive]]:
    """Return the heads of a column, each with the codes that it counts.

    l-diversity and alpha count values whatever their spelling, t-closeness both ways. Where that is
    all the same, there is one head.
    """
    own = counted(column, table, requirement, persons)
    head = _head(column.name, requirement)
    t = requirement.threshold("t", column.name)
    raw = replace(made, codes=_once(made.codes, persons))
    if t is None:
        return [(head, replace(made, codes=own.codes))]
    close = np.zeros(HEAD)
    close[T], close[FORM] = t, LINE if made.line else TREE
    parts = [(close, raw)]
    if own.spelled:
        other = _respelled(column, table, made)
        parts.append((close.copy(), replace(other, codes=_once(other.codes, persons))))
    if not head.any():
        return parts
    if not own.spelled and (
        not own.missing or made.line == (requirement.missing_sensitive != "value")
    ):
        return [(head + close, raw)]
    return [(head, replace(made, codes=own.codes)), *parts]


def _head(name: str, requirement: Requirement) -> Floats:
    """Return the head of a column for l-diversity and alpha."""
    head = np.zeros(HEAD)
    least, alpha = requirement.threshold("l", name), requirement.threshold("alpha", name)
    if least is not None and requirement.l_kind == "entropy":
        head[LOG], head[LEAST] = math.log(least), 1.0  # a group without any value has none
    elif least is not None and requirement.c is not None:
        head[FROM], head[C] = least, requirement.c
    elif least is not None:
        head[LEAST] = least
    head[ALPHA] = alpha or 0.0
    return head


def _distribution(head: Floats, made: Sensitive, at: int) -> Floats:
    """Return the distribution that t-closeness compares with, which stands `at` a place.

    head IN/OUT: where it is, and what it is made of.
    """
    codes = made.codes[made.codes != TWICE]
    head[WHOLE] = codes.size
    if not head[FORM]:
        return np.zeros(0)
    head[AT] = at
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
