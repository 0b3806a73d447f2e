"""Table -> Coded: every cell as a node of its column's tree, for methods that generalize."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np

from shoal.errors import InputError, RequestError, UnlistedError, check_known, shown
from shoal.hints import option
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.table.hierarchy.listed import FAR, Span, interval
from shoal.table.hierarchy.specify import Flat, rules_for
from shoal.table.hierarchy.tree import Balanced, Tree, from_paths
from shoal.table.hierarchy.values import Distinct, Rule, distinct_values
from shoal.table.ordinal import check_ranges
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table, check_readable


@dataclass(frozen=True, eq=False, repr=False)
class CodedColumn:
    """One quasi-identifier: its tree, and for every record the node of its cell.

    A missing cell is the root, node 0. `nodes` are the nodes of the distinct values; `losses` is
    what it costs to release each node (KAIM's ILoss, from 0 to 1); `places` says where the
    distinct values lie between the least (0) and the greatest (1), None where they have no order;
    `unit` is the share of one step of the column in what ILoss divides by. Where one `level` is
    released for all records, `lifted` has the node of every record there.
    """

    name: str
    kind: Kind
    rule: Rule
    tree: Tree
    values: Distinct
    nodes: Integers
    codes: Integers
    losses: Floats
    places: Floats | None
    unit: float
    ranged: bool = False
    level: int | None = None
    lifted: Integers | None = None

    @property
    def absent(self) -> Flags:
        """Which cells are missing."""
        flags: Flags = self.values.indices < 0
        return flags

    @property
    def by_range(self) -> bool:
        """Whether a group's numbers are released as [least,greatest].

        Where nobody gave a hierarchy, or somebody asked for it; not at a level of all records.
        """
        ranged = self.ranged or not self.rule.given
        return self.places is not None and self.lifted is None and ranged


@dataclass(frozen=True, eq=False, repr=False)
class Coded:
    """The quasi-identifiers of a table as nodes."""

    columns: tuple[CodedColumn, ...]
    rows: int

    @property
    def names(self) -> tuple[str, ...]:
        """The columns' names."""
        return tuple(column.name for column in self.columns)

    def take(self, rows: Integers) -> Coded:
        """Return the records of some rows, in their order; the trees are those of all."""
        columns = [
            replace(
                column,
                codes=column.codes[rows],
                values=column.values.take(rows),
                lifted=None if column.lifted is None else column.lifted[rows],
            )
            for column in self.columns
        ]
        return Coded(tuple(columns), rows.size)


def in_trees_of(known: CodedColumn, column: Column) -> CodedColumn:
    """Return a column of other records in the tree of a known one, which holds all their values."""
    own = distinct_values(column)
    number = {text: index for index, text in enumerate(known.values.texts)}
    to = np.array([*(number[text] for text in own.texts), -1], dtype=np.int64)
    indices = to[own.indices]
    counts = np.bincount(indices[indices >= 0], minlength=len(known.values.texts))
    values = replace(known.values, indices=indices, counts=counts)
    return replace(known, values=values, codes=np.concatenate((known.nodes, [0]))[indices])


def needs_trees(table: Table, missing: Callable[[Column], int] | None = None) -> bool:
    """Tell whether a quasi-identifier misses cells or holds texts without an order.

    `missing` counts the missing cells of a column, where the table is a schema without them.
    """
    return any(
        not column.has_places or (column.missing if missing is None else missing(column))
        for column in table.with_role(Role.QUASI_IDENTIFIER)
    )


def code(
    table: Table,
    texts: Mapping[str, str] | None = None,
    folder: Path | None = None,
    ranges: Container[str] = (),
    on_column: Callable[[int, int], None] | None = None,
    often: Integers | None = None,
) -> Coded:
    """Return the quasi-identifiers as nodes of hierarchies.

    `texts` names the hierarchies of columns; the others get automatic ones. The numbers of `ranges`
    are released as [least,greatest] in any case. `on_column` is called with the numbers of columns
    done and of all; `often` says how many records each row stands for.
    """
    columns = table.with_role(Role.QUASI_IDENTIFIER)
    if not columns:
        raise RequestError(f"{table.source.name}: no column is a quasi-identifier")
    names = [column.name for column in columns]
    check_known(texts or {}, names, "a hierarchy")
    for column in columns:
        check_readable(column, table)
    rules = rules_for(columns, texts or {}, folder)
    coded: list[CodedColumn] = []
    for column, rule in zip(columns, rules, strict=True):
        if on_column is not None:
            on_column(len(coded), len(columns))
        ranged = column.name in ranges
        if isinstance(rule, Flat) and not ranged:
            column = column.replace(order=None)  # noqa: PLW2901 - a flat tree has no order
        made = replace(_code(column, rule, table, often), ranged=ranged)
        if ranged and column.is_ordinal:
            check_ranges(column.name, made.values.texts)
        coded.append(made)
    return Coded(tuple(coded), table.rows)


def _code(column: Column, rule: Rule, table: Table, often: Integers | None) -> CodedColumn:
    values = distinct_values(column, often)
    where = f"{table.source.name}, column {shown(column.name)}"
    if isinstance(rule, Balanced) and values.texts and values.order is None:
        tree = rule.tree(values)  # whose paths take long to make of many numbers
        nodes = np.flatnonzero(tree.is_value)
    else:
        tree = _listed_tree(rule, values, table, where, often)
        nodes = np.array([tree.nodes[text] for text in values.texts], dtype=np.int64)
    codes = np.concatenate((nodes, [0]))[values.indices]
    places = _places(values)
    losses = tree.values_below / max(int(tree.values_below[0]), 1)
    if rule.given and places is not None and values.values:
        losses = _spans(tree, values)
    return CodedColumn(
        column.name, column.kind, rule, tree, values, nodes, codes, losses.astype(float), places,
        _unit(values) if places is not None else 0.0,
    )  # fmt: skip


def _listed_tree(
    rule: Rule, values: Distinct, table: Table, where: str, often: Integers | None
) -> Tree:
    """Return the tree of the paths of a rule, which must have one for every value."""
    paths, uncovered = rule.paths(values) if values.texts else ([["*"]], [])
    if uncovered:
        rows = np.flatnonzero(np.isin(values.indices, uncovered))
        cells, place = rows.size, f" ({table.source.where(rows.tolist())})"
        if often is not None:  # the rows are values, not records
            cells, place = int(often[rows].sum()), ""
        raise UncoveredError(
            f"{where}: the hierarchy {rule} lacks {len(uncovered)} of its values, in {cells} "
            f"cells{place}",
            [values.texts[i] for i in uncovered],
        )
    return from_paths(paths, f"{where}, hierarchy {rule}")


class UncoveredError(UnlistedError):
    """A hierarchy lacks values of its column."""

    where = option("hierarchy check", python="`values` of this error")


def _places(values: Distinct) -> Floats | None:
    """Return where the values lie between the least and the greatest of them, from 0 to 1."""
    if not values.on_a_line:
        return None
    if not values.values:
        return np.zeros(0)
    if all(_is_short(value) for value in values.values):
        floats = np.array(values.values, dtype=np.float64)
        wide = float(floats[-1] - floats[0])
        return (floats - floats[0]) / wide if wide else np.zeros(floats.size)
    numbers = [values.axis.number(value) for value in values.values]
    width = numbers[-1] - numbers[0]
    if not width:
        return np.zeros(len(numbers))
    return np.array([float((number - numbers[0]) / width) for number in numbers])


def _is_short(value: object) -> bool:
    """Tell whether a value is a number that a float holds well."""
    return isinstance(value, float | int | Decimal) and abs(float(value)) < 2**52


def step(values: Distinct) -> Fraction:
    """Return the smallest difference that the column can write: what ILoss adds to every width.

    Floats are written with the digits that tell them apart: a file of the same numbers with a fixed
    point has the same step.
    """
    if values.order is not None or values.kind in (Kind.INTEGER, Kind.DATE):
        return Fraction(1)
    if values.kind is Kind.DECIMAL:
        return Fraction(1, 10 ** max((len(t.partition(".")[2]) for t in values.texts), default=0))
    if values.kind is Kind.FLOAT:
        return Fraction(1, 10 ** max(map(_decimals, values.values), default=0))
    return Fraction(0)


def _decimals(value: float) -> int:
    """Return how many digits after the point a float is written with, in the shortest form."""
    if value.is_integer():
        return 0
    digits, _, power = repr(value).partition("e")
    return max(len(digits.partition(".")[2]) - int(power or 0), 0)


def _unit(values: Distinct) -> float:
    if not values.values:
        return 0.0
    axis = values.axis
    whole = axis.number(values.values[-1]) - axis.number(values.values[0]) + step(values)
    return float(step(values) / whole) if whole else 0.0


def _spans(tree: Tree, values: Distinct) -> Floats:
    """Return the width of every node of numbers as a share of the column's: KAIM's ILoss.

    The bounds are those a label prints; of a label without bounds, those of the values below.
    """
    axis = values.axis
    below = _below(tree, values)
    least, most = axis.number(values.values[0]), axis.number(values.values[-1])
    unit = step(values)
    whole = most - least + unit
    spans = np.ones(len(tree))
    for node, label in enumerate(tree.labels):
        span = interval(label, axis) or below[node]
        if node == 0 or span is None:
            continue
        low, high = span
        if abs(low) >= FAR or abs(high) >= FAR:
            low, high = max(low, least - unit), min(high, most + unit)
        spans[node] = min(1.0, float((high - low + unit) / whole)) if whole else 1.0
    for node in range(len(tree) - 1, 0, -1):  # what covers more never loses less
        above = int(tree.parents[node])
        spans[above] = max(spans[above], spans[node])
    return spans


def _below(tree: Tree, values: Distinct) -> list[Span | None]:
    """Return the least and greatest number below every node; None where no value is a number."""
    spans: list[Span | None] = [None] * len(tree)
    known: dict[str, object] = dict(zip(values.texts, values.values, strict=True))
    known |= {text: rank for rank, text in enumerate(values.order or ())}
    for node in range(len(tree) - 1, -1, -1):
        if tree.is_value[node]:
            number = _number(known.get(tree.labels[node], tree.labels[node]), values)
            if number is not None:
                spans[node] = _joined(spans[node], (number, number))
        if node:
            above = int(tree.parents[node])
            spans[above] = _joined(spans[above], spans[node])
    return spans


def _joined(one: Span | None, other: Span | None) -> Span | None:
    """Return the span that holds two others, of which either may be none."""
    if one is None or other is None:
        return one or other
    return min(one[0], other[0]), max(one[1], other[1])


def _number(value: object, values: Distinct) -> Fraction | None:
    """Return a value's number; None for a word of a hierarchy that the column could not hold."""
    try:
        if isinstance(value, str):
            return values.axis.read(value, "")
        return values.axis.number(value)
    except InputError:
        return None
