"""Ordinal columns: texts whose values have a declared order, such as mild < moderate < severe.

An order is said (`orders`) or comes with a dataframe. It may name
values that no record has; every value that a record has must be in it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from shoal.errors import InputError, RequestError, UnlistedError, check_known, shown
from shoal.hints import option
from shoal.table.commas import splits
from shoal.table.roles import STAR, Column, Kind, Role
from shoal.table.table import Table

Orders = Mapping[str, Sequence[str]]


class UnrankedError(UnlistedError):
    """Cells hold values that an order lacks."""


def read_orders(given: Any) -> dict[str, tuple[str, ...]]:
    """Return the given orders as tuples of texts, each checked on its own."""
    if given is not None and not isinstance(given, Mapping):
        raise RequestError("orders must be a dict: of a column's name a list of its values")
    lists = {}
    for name, values in (given or {}).items():
        if isinstance(values, str | bytes | Mapping) or not isinstance(values, Iterable):
            raise RequestError(f"the order of {shown(name)} must be a list of texts")
        every = list(values)
        if not all(isinstance(value, str) for value in every):
            raise RequestError(f"the order of {shown(name)} must be a list of texts")
        lists[str(name)] = tuple(str(value) for value in every)
        _check_order(str(name), lists[str(name)])
    return lists


def _check_order(name: str, order: Sequence[str]) -> None:
    """Refuse an order without values, with one twice, or with what a release says for anything."""
    if not order:
        raise RequestError(f"the order of {shown(name)} names no value")
    if STAR in order:
        raise RequestError(f"the order of {shown(name)} names *, which in a release is any value")
    first: dict[str, int] = {}
    for place, value in enumerate(order, 1):
        if first.setdefault(value, place) != place:
            raise RequestError(
                f"the order of {shown(name)} names one value twice, as number {first[value]} and "
                f"number {place}"
            )


def with_orders(table: Table, given: Any, compared: Container[str] = ()) -> Table:
    """Return the table with the orders of its ordinal columns.

    What is said wins over what came with a dataframe, and settles a doubt about a column. Orders
    are for quasi-identifiers, and for sensitive columns whose values are `compared` by t-closeness.
    """
    orders = read_orders(given)
    grouped = [column.name for column in table.with_role(Role.QUASI_IDENTIFIER)]
    check_known([name for name in orders if name not in compared], grouped, "an order")
    return table.mapped(
        lambda column: (
            _ordered(column, orders[column.name], table) if column.name in orders else column
        )
    )


def _ordered(column: Column, order: tuple[str, ...], table: Table) -> Column:
    where = f"{table.source.name}, column {shown(column.name)}"
    if column.kind is not Kind.TEXT:
        advice = ""
        if table.source.kind == "csv":
            advice = f"; if its cells are words, say {option('types', {column.name: 'text'})}"
        raise RequestError(f"{where}: an order is for texts, and this is {column.kind}{advice}")
    known = set(order)
    encoded = column.values.dictionary_encode()
    lacking = [i for i, v in enumerate(encoded.dictionary.to_pylist()) if v not in known]
    if lacking:
        rows = np.flatnonzero(np.isin(np.asarray(encoded.indices.fill_null(-1)), lacking))
        raise UnrankedError(
            f"{where}: {rows.size} cells hold values that its order lacks "
            f"({table.source.where(rows.tolist())})",
            [encoded.dictionary[i].as_py() for i in lacking],
        )
    return column.replace(order=order, doubt=None)


def check_ranges(name: str, texts: Sequence[str]) -> None:
    """Refuse values, in their order, of which a range [least,greatest] can be read in two ways.

    Only values with commas are such: of a < b,c and a,b < c both ranges are written [a,b,c].
    """
    rank = {text: place for place, text in enumerate(texts)}
    longer: dict[str, list[tuple[str, str]]] = {}
    for value in texts:
        for first, middle in splits(value):
            if first in rank:
                longer.setdefault(middle, []).append((value, first))
    twice = any(
        rank[value] < rank[rest] and rank[first] < rank[other]
        for other in texts
        for middle, rest in splits(other)
        if rest in rank
        for value, first in longer.get(middle, ())
    )
    inside = any(text[:1] == "[" and text[-1:] == "]" and _is_pair(text[1:-1], rank)
                 for text in texts)  # fmt: skip
    if twice or inside:
        raise InputError(
            f"column {shown(name)}: its values hold commas, so that a range of them could be read "
            f"in two ways; say {option('hierarchies', {name: 'flat'})}, or write the values "
            "without commas"
        )


def _is_pair(text: str, rank: Mapping[str, int]) -> bool:
    """Tell whether a text is two values with a comma between them, the lesser first."""
    return any(a in rank and b in rank and rank[a] < rank[b] for a, b in splits(text))
