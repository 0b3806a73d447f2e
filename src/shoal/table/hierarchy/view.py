"""Hierarchy: a hierarchy as csv, as a drawing, in numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import InputError, RequestError, in_html, in_shape, listed, shown
from shoal.hints import marked
from shoal.table.hierarchy.listed import Listed
from shoal.table.hierarchy.specify import automatic, specify
from shoal.table.hierarchy.tree import ROOT, Tree, from_paths
from shoal.table.hierarchy.values import distinct_values
from shoal.table.proposals.codes import proposed_rules
from shoal.table.roles import Kind, family

SHOWN = 12  # children of a node that a drawing shows


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """The tree of one column: `rule` says where it is from, `paths` are value to root.

    `counts` are records by value, where it was made for data; `uncovered` are values of the data
    that have no place in it, `repeated` says which lines of a file are there twice.
    """

    __repr__ = in_shape

    rule: str
    paths: tuple[tuple[str, ...], ...]
    tree: Tree
    counts: dict[str, int]
    uncovered: tuple[str, ...] = ()
    repeated: str = ""

    @property
    def levels(self) -> int:
        """The number of levels, values and root included."""
        return len(self.paths[0])

    def to_csv(self) -> str:
        """Return the hierarchy as a file: one line a value, `value;parent;…;*`."""
        return "".join(";".join(map(_quoted, path)) + "\n" for path in self.paths)

    def summary(self) -> str:
        """Return the hierarchy in numbers."""
        sizes = [len({path[level] for path in self.paths}) for level in range(self.levels)]
        text = f"{sizes[0]:,} values in {self.levels} levels ({' → '.join(map(str, sizes))})"
        lines = [f"{self.rule}: {text}"]
        if self.counts:
            empty = sum(1 for path in self.paths if path[0] not in self.counts)
            lines.append(f"  {len(self.counts):,} of the data's values have a place")
            if empty:
                lines.append(f"  {empty:,} values do not occur in the data")
        if self.repeated:
            lines.append(f"  {self.repeated}")
        if self.uncovered:
            some = listed(self.uncovered, 20)
            lines.append(f"  {len(self.uncovered):,} values have no place: {some}")
        return "\n".join(lines)

    def draw(self, depth: int | None = None) -> str:
        """Return the tree as text, the root first; long lists of children are cut."""
        totals = np.zeros(len(self.tree), dtype=np.int64)
        for label, count in self.counts.items():
            totals[self.tree.nodes[label]] += count
        before = np.concatenate(([0], np.cumsum(totals)))
        lines: list[str] = []

        open_ = [(0, "", "", 0)]
        while open_:
            node, lead, branch, level = open_.pop()
            if node < 0:
                lines.append(f"{lead}└─ … {-node:,} more")
                continue
            count = int(before[self.tree.ends[node]] - before[node])
            number = f"  {count:,}" if self.counts else ""
            lines.append(f"{lead}{branch}{shown(self.tree.labels[node])[1:-1]}{number}")
            children = self.tree.children(node)
            if not children or (depth is not None and level >= depth):
                continue
            inner = lead + ("   " if branch.startswith("└") else "│  " if branch else "")
            last = len(children) - 1
            below = [
                (child, inner, "└─ " if i == last else "├─ ", level + 1)
                for i, child in enumerate(children[:SHOWN])
            ]
            if last >= SHOWN:
                below.append((SHOWN - 1 - last, inner, "", level + 1))
            open_.extend(reversed(below))
        return "\n".join(lines)

    def __str__(self) -> str:
        return f"{self.summary()}\n\n{self.draw()}"

    def _repr_html_(self) -> str:
        rows: list[tuple[object, ...]] = [("level", "nodes")]
        rows += [(level, len({path[level] for path in self.paths})) for level in range(self.levels)]
        lines = [f"{len(self.counts):,} of the data's values have a place"] if self.counts else []
        if self.uncovered:
            lines.append(f"{len(self.uncovered):,} values have no place: `uncovered` lists them")
        lines.append("print() draws the tree")
        return in_html(self.rule, lines, rows, "bad" if self.uncovered else "")


def _quoted(label: str) -> str:
    """Return a label as a cell."""
    if not label:
        raise InputError("an empty text has no place in a file of a hierarchy")
    if any(sign in label for sign in ';"\r\n'):
        return '"' + label.replace('"', '""') + '"'
    return label


def hierarchy(data: Any, column: str | None = None, rule: str | None = None) -> Hierarchy:
    """Return a hierarchy: of a file alone, or of a column of data by a rule.

    Parameters
    ----------
    data : path, dataframe or Table
        A hierarchy file (one line a value, `value;parent;…;*`), or with a `column` the table.
    column : str, optional
        The column whose values the hierarchy is for.
    rule : str, optional
        What `hierarchies` of `shoal.anonymize` takes: "ages.csv", "cuts:18,65", "widths:5,10",
        "quantiles:20,5", "prefixes:3,2", "dates", "balanced" or "flat". By default balanced
        intervals for numbers, dates and ordered categories, prefixes for texts that are codes of
        one length, and a flat tree for other texts.

    Returns
    -------
    Hierarchy
        The tree; `uncovered` lists values of the data that have no place in it.

    Raises
    ------
    InputError
        The file is no tree; the message names the line.
    """
    if column is None:
        if rule is not None or not isinstance(data, str | Path):
            raise RequestError("name the column that the hierarchy is for")
        spec = specify(str(data))
        if not isinstance(spec, Listed):
            raise RequestError("name a csv file, or data and a column")
        return Hierarchy(str(spec), spec.rows, spec.tree(), {}, repeated=spec.repeated)
    from shoal.table.read import read

    table = read(data)
    its = table[column]
    if its.doubt:
        raise InputError(f"{table.source.name}, column {shown(column)}: {marked(its.doubt)}")
    if its.kind is Kind.UNKNOWN:
        raise InputError(
            f"{table.source.name}, column {shown(column)}: cells of type "
            f"{family(its.values.type)} are not supported"
        )
    values = distinct_values(its)
    if rule is None:
        rule = proposed_rules(table.only(lambda one: one.name == column)).get(column)
    made = automatic(its) if rule is None else specify(rule)
    if isinstance(made, Listed):
        made.tree()
    if not values.texts:
        raise InputError(f"{table.source.name}, column {shown(column)}: every cell is missing")
    paths, missing = made.paths(values)
    gone = set(missing)
    counts = {
        text: int(count)
        for i, (text, count) in enumerate(zip(values.texts, values.counts, strict=True))
        if i not in gone
    }
    tree = from_paths(paths, str(made)) if paths else from_paths([[ROOT]], str(made))
    return Hierarchy(
        str(made), tuple(map(tuple, paths)) or ((ROOT,),), tree, counts,
        tuple(values.texts[i] for i in missing), made.repeated if isinstance(made, Listed) else "",
    )  # fmt: skip
