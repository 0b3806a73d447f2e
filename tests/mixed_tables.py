"""Random tables of categories, numbers and missing cells, as Shoal and as the twins see them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pyarrow as pa


@dataclass
class Mixed:
    """A table with one tree a column: `trees` are the twins', `rules` are Shoal's.

    `values` are the labels of a tree that are values.
    """

    table: pa.Table
    records: list[tuple]
    trees: list
    rules: dict[str, str] = field(default_factory=dict)
    values: list[set] = field(default_factory=list)


def random_tree(rng, prefix):
    """A tree of one to three levels below its root: parents by label, and paths of one length."""
    levels = int(rng.integers(1, 4))
    parents, paths = {"*": None}, [["*"]]
    for level in range(levels):
        grown = []
        for path in paths:
            children = int(rng.integers(1, 4)) if level else int(rng.integers(2, 4))
            for child in range(children):
                label = f"{path[0] if level else prefix}{child}"
                parents[label] = path[0]
                grown.append([label, *path])
        paths = grown
    return parents, paths


def with_inner_values(rng, paths):
    """The paths, and those of some nodes above the leaves, which are values too."""
    inner = {path[1]: path[1:] for path in paths if len(path) > 2}
    return [*paths, *([path[0], *path] for path in inner.values() if rng.random() < 0.5)]


def random_table(rng, folder, *, ranges=False, rows=None, inner=False):
    """A table of one to three columns; some are numbers if `ranges`; a fifth of it is missing.

    If `inner`, some values of trees are nodes above others.
    """
    rows = int(rng.integers(4, 26)) if rows is None else rows
    names = [f"c{j}" for j in range(int(rng.integers(1, 4)))]
    columns, trees, values_of, rules = {}, [], [], {}
    gaps = float(rng.choice([0.0, 0.2]))
    for name in names:
        if ranges and rng.random() < 0.5:
            values = [int(v) for v in rng.integers(0, 9, rows)]
            kind = pa.int64()
        else:
            parents, paths = random_tree(rng, name)
            paths = with_inner_values(rng, paths) if inner else paths
            (folder / f"{name}.csv").write_text("".join(";".join(p) + "\n" for p in paths))
            rules[name] = str(folder / f"{name}.csv")
            values = [paths[i][0] for i in rng.integers(0, len(paths), rows)]
            kind = pa.string()
        cells = [None if rng.random() < gaps else value for value in values]
        if all(cell is None for cell in cells):
            cells[0] = values[0]
        columns[name] = pa.array(cells, type=kind)
        present = [cell for cell in cells if cell is not None]
        trees.append(parents if name in rules else ("range", min(present), max(present)))
        values_of.append({path[0] for path in paths} if name in rules else set())
    records = list(zip(*(column.to_pylist() for column in columns.values()), strict=True))
    return Mixed(pa.table(columns), records, trees, rules, values_of)
