"""Hierarchies of a column for the page: built or checked, with counts of their nodes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from shoal.web.held import held_table
from shoal.web.messages import ProgressWriter

CHILDREN, NODES, LISTED, VALUES = 60, 3_000, 5_000, 50


def tree(request: Mapping[str, Any], place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """Build or check a hierarchy of a column."""
    from shoal.table.hierarchy.view import hierarchy

    table, _ = held_table(request, place)
    built = hierarchy(table, request["column"], request["rule"])
    sizes = [len({path[level] for path in built.paths}) for level in range(built.levels)]
    cut = len(built.paths) > LISTED
    totals = np.zeros(len(built.tree) + 1, dtype=np.int64)
    for label, count in built.counts.items():
        totals[built.tree.nodes[label] + 1] += count
    return {
        "rule": built.rule,
        "csv": None if cut else built.to_csv(),
        "cut": cut,
        "levels": built.levels,
        "sizes": sizes,
        "nodes": _nodes(built.tree, np.cumsum(totals)),
        "covered": len(built.counts),
        "unused": sum(path[0] not in built.counts for path in built.paths),
        "uncovered": len(built.uncovered),
        "values": list(built.uncovered[:VALUES]),
    }


def _nodes(its: Any, before: Any) -> dict[str, Any]:
    """Return a tree from its root, up to so many nodes and children of a node."""
    left = [NODES]

    def node_json(node: int) -> dict[str, Any]:
        every = its.children(node)
        shown = every[: min(CHILDREN, max(0, left[0]))]
        left[0] -= len(shown)
        return {
            "label": its.labels[node],
            "count": int(before[its.ends[node]] - before[node]),
            "children": [node_json(child) for child in shown],
            "more": len(every) - len(shown),
        }

    return node_json(0)
