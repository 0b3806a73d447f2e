"""The tables of the scales, made from a seed: `python tables.py FILE`, as numbers-300000.csv."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

NUMBERS = [f"x{j}" for j in range(8)]
TOWNS, JOBS, CLASS = 40, 24, 12


def numbers(rows):
    """Clustered records of eight numbers with two decimals, and a text that is sensitive."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(50, 8)) * 4
    values = centers[rng.integers(0, 50, rows)] + rng.normal(size=(rows, 8))
    columns = {name: values[:, j].round(2) for j, name in enumerate(NUMBERS)}
    return pa.table({**columns, "s": _words("d", rng.integers(0, 20, rows))})


def mixed(rows):
    """Two numbers and four texts, of which every twentieth cell is missing, and a sensitive one."""
    rng = np.random.default_rng(0)
    near = rng.integers(0, TOWNS, rows)

    def holed(values):
        return pa.array(values, mask=rng.random(rows) < 0.05)

    return pa.table({
        "age": holed(18 + near + rng.integers(0, 12, rows)),
        "income": holed(np.round(rng.lognormal(10, 0.6, rows) + 500 * near).astype(np.int64)),
        "town": holed(_words("t", near)),
        "job": holed(_words("j", (near // 3 + rng.integers(0, 4, rows)) % JOBS)),
        "sex": holed(rng.choice(["f", "m"], rows)),
        "zip": holed((10_000 + 97 * (near * 7 + rng.integers(0, 5, rows))).astype(str)),
        "s": _words("d", rng.integers(0, 20, rows)),
    })  # fmt: skip


def wide(rows):
    """A hundred numbers that hang together."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(rows, 10)) @ rng.normal(size=(10, 100))
    return pa.table({f"x{j}": column.round(3) for j, column in enumerate(values.T)})


def words(rows):
    """Five texts, some of them rare, and a sensitive one."""
    rng = np.random.default_rng(0)
    columns = {
        f"w{j}": _words("w", np.minimum(rng.geometric(0.35, rows), many))
        for j, many in enumerate((3, 4, 6, 8, 12))
    }
    return pa.table({**columns, "s": _words("d", rng.integers(0, 20, rows))})


def released(rows):
    """`numbers` in classes of twelve that share the means of the class."""
    table = numbers(rows)
    matrix = np.column_stack([table[name] for name in NUMBERS])
    order = np.lexsort((matrix[:, 1], np.round(matrix[:, 0] * 3)))
    group = np.empty(rows, dtype=np.int64)
    group[order] = np.minimum(np.arange(rows) // CLASS, rows // CLASS - 1)
    sizes = np.bincount(group)
    means = {
        name: np.round(np.bincount(group, column) / sizes, 3)[group]
        for name, column in zip(NUMBERS, matrix.T, strict=True)
    }
    return pa.table({**means, "s": table["s"]})


def town_tree(_):
    """Towns, regions of five towns, and the whole."""
    return _tree("t", TOWNS, 5)


def job_tree(_):
    """Jobs, fields of four jobs, and the whole."""
    return _tree("j", JOBS, 4)


def _tree(letter, many, of):
    places = np.arange(many)
    return pa.table({
        "0": _words(letter, places), "1": _words(f"{letter}s", places // of), "2": ["*"] * many,
    })  # fmt: skip


def _words(letter, places):
    return np.char.add(letter, places.astype(str))


MADE = {
    each.__name__: each for each in (numbers, mixed, wide, words, released, town_tree, job_tree)
}


def make(path):
    """Write the table that a file is named after: NAME-ROWS.csv or NAME-ROWS.parquet."""
    name, _, rows = path.stem.partition("-")
    table = MADE[name](int(rows or 0))
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        head = not name.endswith("_tree")
        options = pa.csv.WriteOptions(include_header=head, quoting_style="none")
        pa.csv.write_csv(table, path, options)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
