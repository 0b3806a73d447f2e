"""Plain prototypes of jobs, file to file: `python plain.py WHAT FROM TO K` prints its CPU seconds.

Each reads a table, groups it, writes what it releases, reads that again and counts its classes,
with NumPy and Arrow and no more code than it takes. Numbers are grouped by the mdav.py of a folder
`baseline` beside the one that SHOAL_DATA names, else by the plain one below. What compiling takes
is left out.
"""

from __future__ import annotations

import csv
import importlib
import json
import os
import resource
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

BLOCK = 2_000  # records that are grouped at a time, as mdav takes n²
BASELINE = Path(os.environ.get("SHOAL_DATA", "")).parent / "baseline"


def baseline(name):
    """Return a prototype of the folder `baseline`, None where there is no such file."""
    if not os.environ.get("SHOAL_DATA") or not (BASELINE / f"{name}.py").is_file():
        return None
    sys.path.append(str(BASELINE))
    return importlib.import_module(name)


def plain_mdav(matrix, k):
    """Return one label a row: classic MDAV as most software has it, in whole-array steps."""
    rest = np.arange(len(matrix))
    labels = np.empty(len(matrix), dtype=np.int64)
    group = 0

    def take(rest, center):
        nonlocal group
        distances = ((matrix[rest] - center) ** 2).sum(axis=1)
        nearest = np.argpartition(distances, k - 1)[:k]
        labels[rest[nearest]] = group
        group += 1
        return np.delete(rest, nearest)

    def farthest(rest, center):
        return matrix[rest[((matrix[rest] - center) ** 2).sum(axis=1).argmax()]]

    while len(rest) >= 3 * k:
        first = farthest(rest, matrix[rest].mean(axis=0))
        second = farthest(rest, first)
        rest = take(rest, first)
        rest = take(rest, second)
    if len(rest) >= 2 * k:
        rest = take(rest, farthest(rest, matrix[rest].mean(axis=0)))
    labels[rest] = group
    return labels, group + 1


def halves(matrix, rows, most):
    """Yield rows in parts of at most so many, cut at the median of their widest column."""
    if len(rows) <= most:
        yield rows
        return
    widest = np.ptp(matrix[rows], axis=0).argmax()
    order = rows[np.argsort(matrix[rows, widest], kind="stable")]
    for half in np.array_split(order, 2):
        yield from halves(matrix, half, most)


def in_blocks(mdav, matrix, k, most=BLOCK):
    """Return one label a row: mdav within blocks."""
    labels, groups = np.empty(len(matrix), dtype=np.int64), 0
    for rows in halves(matrix, np.arange(len(matrix)), most):
        found, many = mdav(np.ascontiguousarray(matrix[rows]), k)
        labels[rows] = found + groups
        groups += many
    return labels


def read(path):
    """Return a table of a file by its ending."""
    if path.endswith("parquet"):
        return pq.read_table(path)
    return pc.read_csv(path, convert_options=pc.ConvertOptions(strings_can_be_null=True))


def release(table, path, k):
    """Write rows in another order, read them again, and count the classes."""
    table = table.take(np.random.default_rng().permutation(len(table)))
    (pq.write_table if path.endswith("parquet") else pc.write_csv)(table, path)
    names = [name for name in table.column_names if name != "s"]
    sizes = read(path).group_by(names).aggregate([([], "count_all")])["count_all"]
    assert pa.compute.min(sizes).as_py() >= k


def standardized(table):
    """Return the names of the columns of numbers and their standardized values."""
    names = [name for name in table.column_names if name != "s"]
    matrix = np.column_stack([table[name].to_numpy() for name in names])
    return names, (matrix - matrix.mean(axis=0)) / matrix.std(axis=0)


def with_means(table, names, labels):
    """Return a table with the means of groups in some columns."""
    sizes = np.bincount(labels)
    for name in names:
        means = np.bincount(labels, table[name].to_numpy()) / sizes
        table = table.set_column(
            table.column_names.index(name), name, pa.array(means.round(2)[labels])
        )
    return table


def numbers(source, target, k, most=BLOCK):
    """Means of groups of mdav in blocks."""
    mdav, compiling = compiled()
    table = read(source)
    names, matrix = standardized(table)
    release(with_means(table, names, in_blocks(mdav, matrix, k, int(most))), target, k)
    return compiling


def compiled():
    """Return an mdav, and the seconds of processors that compiling it took."""
    found = baseline("mdav")
    mdav = found.mdav if found else plain_mdav
    if found:
        mdav.enable_caching()
    before = cpu()
    mdav(np.random.default_rng(0).normal(size=(200, 3)), 3)
    return mdav, cpu() - before


def diverse(source, target, k, least=3):
    """Means of groups with three different sensitive values: what has fewer joins the nearest."""
    mdav, compiling = compiled()
    table = read(source)
    names, matrix = standardized(table)
    labels = in_blocks(mdav, matrix, k)
    secret = table["s"].combine_chunks().dictionary_encode().indices.to_numpy()
    while True:
        pairs = np.unique(np.column_stack([labels, secret]), axis=0)[:, 0]
        groups, different = np.unique(pairs, return_counts=True)
        poor = groups[different < int(least)]
        if not len(poor):
            break
        labels = joined(matrix, labels, poor[0])
    release(with_means(table, names, np.unique(labels, return_inverse=True)[1]), target, k)
    return compiling


def joined(matrix, labels, group):
    """Return labels in which a group has become part of the group nearest to it."""
    own = labels == group
    groups, places = np.unique(labels, return_inverse=True)
    sizes = np.bincount(places)
    means = np.column_stack([np.bincount(places, column) / sizes for column in matrix.T])
    distances = ((means - matrix[own].mean(axis=0)) ** 2).sum(axis=1)
    distances[groups == group] = np.inf
    return np.where(own, groups[distances.argmin()], labels)


def search(source, target, k, iterations):
    """Means of groups of the ilsmc.py of the folder `baseline`, after so many iterations."""
    found = baseline("ilsmc")
    if not found:
        return None
    table = read(source)
    names, matrix = standardized(table)
    matrix = np.ascontiguousarray(matrix)
    start, groups = found.randpart(len(matrix), k, np.random.default_rng(0))
    found.ilsmc.enable_caching()
    before = cpu()
    found.ilsmc(matrix, k, start, groups, 1, 0, 1, 0, 1e-5, 0.8)
    compiling = cpu() - before
    labels, *_ = found.ilsmc(matrix, k, start, groups, int(iterations), 0, 1, 0, 1e-5, 0.8)
    release(with_means(table, names, labels), target, k)
    return compiling


def mixed(source, target, k, *trees):
    """Numbers as means, texts as the lowest node of a tree that has all: cut at medians."""
    table = read(source)
    asked = dict(one.split("=") for one in trees)
    made, codes = {}, []
    for name in table.column_names[:-1]:
        cells = table[name].to_pylist()
        if pa.types.is_string(table[name].type):
            made[name] = ways(cells, asked.get(name, ""))
            order = {way: i for i, way in enumerate(sorted(set(made[name]), key=lambda w: w[::-1]))}
            codes.append(np.array([order[way] / len(order) for way in made[name]]))
        else:
            made[name] = np.array(cells, dtype=float)
            codes.append(np.nan_to_num(made[name] / np.nanmax(made[name]), nan=-1.0))
    matrix = np.column_stack(codes)
    for rows in halves(matrix, np.arange(len(matrix)), 2 * k - 1):
        for cells in made.values():
            share(cells, rows, k)
    columns = {name: [one if isinstance(one, float) else one[0] for one in cells]
               for name, cells in made.items()}  # fmt: skip
    release(pa.table({**columns, "s": table["s"]}), target, k)
    return 0.0


def ways(cells, tree):
    """Return the way of every text up its tree: a file, lengths of prefixes, or none."""
    if tree.startswith("prefixes:"):
        lengths = [int(length) for length in tree.removeprefix("prefixes:").split(",")]
        return [(c, *(c[:n] for n in lengths), "*") if c else ("*",) for c in cells]
    if not tree:
        return [(c, "*") if c else ("*",) for c in cells]
    with Path(tree).open(encoding="utf-8") as file:
        up = {way[0]: tuple(way) for way in csv.reader(file)}
    return [up[c] if c else ("*",) for c in cells]


def share(cells, rows, k):
    """Give some rows the mean of their numbers, or the lowest node that is on all their ways."""
    if isinstance(cells, np.ndarray):
        known = cells[rows][~np.isnan(cells[rows])]
        cells[rows] = known.mean().round(1) if len(known) >= k else np.nan
        return
    every = set.intersection(*(set(cells[row]) for row in rows))
    node = next(node for node in cells[rows[0]] if node in every)
    for row in rows:
        cells[row] = (node,)


def cells(source, target, k):
    """Cells suppressed, in records of classes that are too small, from the rarest value on."""
    table = read(source)
    names = [name for name in table.column_names if name != "s"]
    columns = {name: np.array(table[name].to_pylist(), dtype=object) for name in names}
    while True:
        _, place, sizes = np.unique(
            np.column_stack([c.astype(str) for c in columns.values()]), axis=0,
            return_inverse=True, return_counts=True,
        )  # fmt: skip
        small = np.flatnonzero(sizes[place] < k)
        if not len(small):
            break
        rarity = []
        for column in columns.values():
            _, which, many = np.unique(column.astype(str), return_inverse=True, return_counts=True)
            rarity.append(np.where(column[small] == "*", len(table) + 1, many[which][small]))
        if np.min(rarity) > len(table):  # nothing is left to suppress
            break
        rarest = np.argmin(rarity, axis=0)
        for j, column in enumerate(columns.values()):
            column[small[rarest == j]] = "*"
    release(pa.table({**columns, "s": table["s"]}), target, 1)
    return 0.0


def cpu():
    """Return the seconds of all processors that this process took so far."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


PARTS = {part.__name__: part for part in (numbers, diverse, search, mixed, cells)}

if __name__ == "__main__":
    what, source, target, k, *more = sys.argv[1:]
    compiling = PARTS[what](source, target, int(k), *more)
    print(json.dumps({"plain": None if compiling is None else cpu() - compiling}))
