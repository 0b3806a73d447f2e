"""Stable figures that compare two whole tables, or whole groups of them: they do not add up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from shoal.measures.compared import classes_of
from shoal.measures.task import BRIEF
from shoal.measures.utility.distributions import largest_gap
from shoal.release.public.cells import numbers
from shoal.release.public.linkage import linkages
from shoal.release.public.rounding import Stable
from shoal.report.figures.stable import Key
from shoal.table.code import CodedColumn
from shoal.table.roles import Column, Role
from shoal.table.table import Table


def compared(
    table: Table, released: Table, trees: Mapping[str, CodedColumn], k: int
) -> dict[Key, Stable]:
    """Return the figures that compare the two tables; row i of both is the same record."""
    before = table.having(Role.QUASI_IDENTIFIER)
    pairs = [(column, released[column.name]) for column in before]
    gaps = {b.name: gap for b, a in pairs if (gap := gap_of(b, a, k)) is not None}
    found: dict[Key, Stable] = {("gaps", name): gap for name, gap in gaps.items()}
    classes = classes_of([after for _, after in pairs], released.rows)
    each = max(1, (int(classes.max(initial=0)) + 1) * len(pairs))
    most = max(BRIEF.attackers, int(BRIEF.distances // each))
    given = {name: tree for name, tree in trees.items() if tree.rule.given}
    for key, linked in linkages(pairs, given, classes, k, most).items():
        found["linked", key] = linked
    return found


def gap_of(before: Column, after: Column, k: int) -> Stable | None:
    """Return the largest gap between the distributions of originals and of released numbers.

    sup |F - F'| (Kolmogorov and Smirnov), over the m cells of which the release says something. k
    records replaced move F by at most k/m everywhere; k added or removed move F and F' each by at
    most k/m, and so does the gap move by at most 2k/m.
    """
    both = numbers(before, after)
    if both is None:
        return None
    kept = ~np.isnan(both[0]) & ~np.isnan(both[1])
    if not kept.any():
        return None
    gap = largest_gap(both[0][kept], both[1][kept])
    return Stable(gap, 2.0 * k / int(kept.sum()), 1.0, True)


def nested(figures: Mapping[Key, Stable]) -> dict[str, Any]:
    """Return the figures as they may be published, as a tree of their keys."""
    tree: dict[str, Any] = {}
    for key, figure in figures.items():
        place = tree
        for part in key[:-1]:
            place = place.setdefault(part, {})
        place[key[-1]] = figure.to_dict()
    return tree
