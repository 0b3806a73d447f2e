"""Codes of one length, such as postcodes: texts of capitals and digits that prefixes generalize."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping

import numpy as np

from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table

CODE = r"^[A-Z0-9][A-Z0-9 ./-]*$"
DIGITS = r"[0-9].*[0-9]"  # words and abbreviations have none or one
BAND = r"^([0-9]{1,2}[-/][0-9]{1,2}|[0-9]{3}-[0-9]{3}|[0-9]{4}[-/][0-9]{4})$"  # 20-29 is a range
SHORTEST, LONGEST = 3, 12  # signs
MOSTLY = 0.95  # of the cells are such codes, of one length
LISTED = 8  # signs up to which every length is spelled out


def count_codes(column: Column) -> Counter[int]:
    """Return how many cells of a text column are codes, by their length."""
    import pyarrow.compute as pc

    lengths: Counter[int] = Counter()
    if column.kind is not Kind.TEXT or column.is_ordinal or column.doubt:
        return lengths
    counted = column.values.value_counts()
    texts, often = counted.field("values"), np.asarray(counted.field("counts"))
    flags = [pc.match_substring_regex(texts, pattern) for pattern in (CODE, DIGITS)]
    banded = pc.invert(pc.match_substring_regex(texts, BAND))
    coded = np.asarray(pc.fill_null(pc.and_(pc.and_(*flags), banded), False))
    signs = np.asarray(pc.fill_null(pc.utf8_length(texts), 0))
    for length in np.unique(signs[coded]).tolist():
        if SHORTEST <= length <= LONGEST:
            lengths[int(length)] = int(often[coded & (signs == length)].sum())
    return lengths


def code_length(lengths: Mapping[int, int], present: int) -> int | None:
    """Return the length that nearly all of so many cells have as codes; None if there is none."""
    if not lengths or not present:
        return None
    length, often = max(lengths.items(), key=lambda one: one[1])
    return length if often >= MOSTLY * present else None


def prefixes_of(length: int) -> str:
    """Return the hierarchy of codes of a length: one sign less in every level."""
    if length > LISTED:
        return "prefixes"
    return f"prefixes:{','.join(str(kept) for kept in range(length - 1, 0, -1))}"


def proposed_rules(table: Table, given: Container[str] = ()) -> dict[str, str]:
    """Return the hierarchies that a run takes by itself, where none is `given`."""
    rules = {}
    for column in table.with_role(Role.QUASI_IDENTIFIER):
        length = code_length(count_codes(column), table.rows - column.missing)
        if length is not None and column.name not in given:
            rules[column.name] = prefixes_of(length)
    return rules
