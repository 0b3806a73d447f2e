"""Sensitive values as codes: ranks or leaves for distances, forms for counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from shoal.errors import RequestError, shown
from shoal.hints import option
from shoal.judge.requirement import Requirement
from shoal.kernels.arrays import Floats, Integers
from shoal.kernels.rules import AT, BASE, CODES, FORM, GONE, HEAD, SETS, TWICE
from shoal.table.encode_nodes import UncoveredError
from shoal.table.hierarchy.listed import Listed, interval
from shoal.table.hierarchy.specify import is_file, specify
from shoal.table.hierarchy.values import Distinct, distinct_values
from shoal.table.roles import STAR, Column, Kind
from shoal.table.spelling import forms_of, spelled
from shoal.table.table import Table

MOST = 52  # values whose sets a float holds as bits, exactly
PREFIXED = (Kind.TEXT, Kind.INTEGER, Kind.DATE)  # kinds that have prefixes
SILENT = ("", STAR)  # texts that say nothing, as missing cells


@dataclass(frozen=True, repr=False)
class Sensitive:
    """A sensitive column as codes; `order` sorts its records so that like values stand together.

    In a `line` codes are ranks and -1 is missing; else they are leaves of a tree, given by the
    parents of its nodes (-1: the root), what the edges above them climb, and its height.
    """

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


@dataclass(frozen=True, repr=False)
class Counted:
    """What all but t-closeness count of a column: codes of values, alike for spellings of one.

    A missing value is -1, or has a code of its own, as is asked; of the records of one person with
    one value all but the first are TWICE. `every` has the codes of all records. `spelled` tells
    that some value has several spellings, `missing` that there are missing values.
    """

    codes: Integers
    every: Integers
    spelled: bool
    missing: bool


def code_counts(codes: Integers) -> dict[int, int]:
    """Return how often each value counts in all."""
    every, often = np.unique(codes[codes >= 0], return_counts=True)
    return dict(zip(every.tolist(), often.tolist(), strict=True))


def counted(
    column: Column, table: Table, requirement: Requirement, persons: Integers | None = None
) -> Counted:
    """Return what all but t-closeness count of a column."""
    values = distinct_values(column)
    forms = forms_of(column, values, table.source.missing)
    codes = _by_record(forms, values)
    missing = bool((codes == GONE).any())
    if requirement.missing_sensitive == "value":
        codes = np.where(codes == GONE, forms.max(initial=0) + 1, codes)
    return Counted(once(codes, persons), codes, spelled(values.texts, forms), missing)


def combined(columns: Sequence[Counted], persons: Integers | None = None) -> Integers:
    """Return codes of combinations of values; one is missing where any of its values is."""
    every = np.stack([one.every for one in columns])
    codes = np.unique(every, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return once(np.where((every == GONE).any(axis=0), GONE, codes), persons)


def numbers(column: Column, table: Table) -> tuple[Integers, list[Fraction]]:
    """Return the ranks of sensitive numbers, -1 where one is missing, and what each rank is."""
    if not column.kind.is_number or column.order is not None:
        raise RequestError(
            f"(k,e)-anonymity is asked of numbers; {shown(column.name)} holds none; name the "
            f"columns that {option('e')} is asked of"
        )
    values = distinct_values(column)
    forms = forms_of(column, values, table.source.missing)
    texts = [text for text, form in zip(values.texts, forms, strict=True) if form >= 0]
    return _by_record(forms, values), [Fraction(text) for text in texts]


def _by_record(numbers: Integers, values: Distinct) -> Integers:
    """Return the number of every record's value; a missing cell is gone."""
    codes: Integers = np.append(numbers, GONE)[values.indices]
    return codes


def once(codes: Integers, persons: Integers | None) -> Integers:
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


def respelled(column: Column, table: Table, made: Sensitive) -> Sensitive:
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


@dataclass(frozen=True, eq=False, repr=False)
class ValueSets:
    """The values (n), from 0, of records, and the sets (n) that are left for them, as bits.

    Groups must have at least l values of the set of each of their records.
    """

    own: Integers
    sets: Integers
    l: int  # noqa: E741 - its name in the literature

    def __post_init__(self) -> None:
        if self.own.max(initial=0) >= MOST:
            raise RequestError(
                f"a sensitive column of a series has at most {MOST} values; this one has more"
            )

    @property
    def values(self) -> int:
        """The room that the rule needs."""
        return 0

    @property
    def codes(self) -> Integers:
        """The kind of each record: its place among the different ones."""
        return self._kinds()[1]

    def table(self) -> Floats:
        """Return the value and the set of each kind."""
        return self._kinds()[0].astype(np.float64).ravel()

    def head(self, at: int) -> Floats:
        """Return the head of the rule, whose table stands `at` a place."""
        head = np.zeros(HEAD)
        head[[FORM, AT, BASE]] = SETS, at, self.l
        head[CODES] = at + self.table().size
        return head

    def take(self, rows: Integers) -> ValueSets:
        """Return the same for some records, or for all in another order."""
        return ValueSets(self.own[rows], self.sets[rows], self.l)

    def _kinds(self) -> tuple[Integers, Integers]:
        pairs = np.stack([self.own, self.sets], axis=1)
        kinds, codes = np.unique(pairs, axis=0, return_inverse=True)
        return kinds, codes.reshape(-1).astype(np.int64)
