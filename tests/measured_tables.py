"""Random small tables and their releases, for the tests of measures."""

from __future__ import annotations

import random
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import pyarrow as pa
import pytest

FAMILIES = ("means", "ranges", "gaps")
WORDS = ["u", "v", "w", "x", "y"]


@dataclass
class Made:
    """An original and a release, row by row, with sensitive columns and weights beside them."""

    kinds: list
    original: list
    release: list
    sensitive: list
    weights: list
    joint: bool

    @property
    def names(self):
        """The quasi-identifiers."""
        return [f"q{j}" for j in range(len(self.kinds))]

    @property
    def numbers(self):
        """Which columns are numbers."""
        return [kind != "text" for kind in self.kinds]

    @property
    def sensitive_names(self):
        """The sensitive columns."""
        return [f"s{j}" for j in range(len(self.sensitive))]

    def tables(self):
        """Both as Arrow tables: all columns."""
        return self.arrow(self.original), self.arrow(self.release)

    def plain_tables(self):
        """Both as Arrow tables of quasi-identifiers only."""
        return tuple(table.select(self.names) for table in self.tables())

    def arrow(self, rows):
        """Some rows as an Arrow table, with all that stands beside them."""
        columns = {
            name: arrow_column([row[j] for row in rows], kind)
            for j, (name, kind) in enumerate(zip(self.names, self.kinds, strict=True))
        }
        for name, values in zip(self.sensitive_names, self.sensitive, strict=True):
            columns[name] = pa.array(values, pa.string())
        columns["w"] = pa.array(self.weights, pa.float64())
        columns["id"] = pa.array(range(len(rows)))
        return pa.table(columns)


def arrow_column(cells, kind):
    """Cells as Arrow: texts where one of them is, else numbers."""
    if kind == "text" or any(isinstance(cell, str) for cell in cells):
        return pa.array([None if cell is None else as_text(cell) for cell in cells], pa.string())
    whole = all(isinstance(cell, int) for cell in cells if cell is not None)
    return pa.array(cells, pa.int64() if whole and kind == "integer" else pa.float64())


def as_text(cell):
    """A cell as a text."""
    return cell if isinstance(cell, str) else repr(cell)


def exact_mean(values):
    """The mean of what the digits say, rounded once: equal groups have equal means."""
    return float(sum(Fraction(repr(value)) for value in values) / len(values))


def random_column(rng, rows, kind, *, quarters, skewed):
    """Whole numbers with many ties, floats of two digits, or words."""
    if kind == "text":
        return [rng.choice(WORDS[: rng.randint(1, 5)]) for _ in range(rows)]
    if kind == "float":
        values = [rng.choice((rng.randint(-8, 30), rng.randint(0, 300))) for _ in range(rows)]
        return [value / 4 if quarters else value / 100 for value in values]
    low, high = rng.choice(((0, 2), (0, 6), (-5, 20), (1, 1000)))
    if skewed:
        return [rng.choice((0, 1, 2, 3, 5, 20, 100, 1000)) for _ in range(rows)]
    return [rng.randint(low, high) for _ in range(rows)]


def varies(values):
    """Whether there are two values."""
    return len({value for value in values if value is not None}) > 1


def originals(rng, rows, kinds, *, gaps, quarters, constants):
    """Columns of which those of numbers vary, save one in ten where `constants` allows it."""
    columns = []
    for j, kind in enumerate(kinds):
        skewed = rng.random() < 0.4
        while True:
            values = random_column(rng, rows, kind, quarters=quarters, skewed=skewed)
            if gaps:
                values = [None if rng.random() < 0.15 else value for value in values]
            if kind == "text" or varies(values):
                break
        if constants and j and kind == "integer" and rng.random() < 0.1:
            values = [7] * rows
        columns.append(values)
    return columns


def grouping(rng, rows):
    """A random grouping; single records are groups too."""
    labels = [rng.randrange(rng.randint(1, rows)) for _ in range(rows)]
    size = rng.choice((1, 2, 2, 3, 3, 4))
    return labels if rng.random() < 0.3 else [i // size for i in rng.sample(range(rows), rows)]


def by_group(labels, values, released):
    """What every record releases when its group's values are given to `released`."""
    groups = {}
    for label, value in zip(labels, values, strict=True):
        groups.setdefault(label, []).append(value)
    found = {label: released(own) for label, own in groups.items()}
    return [found[label] for label in labels]


def as_range(values):
    """[least,greatest], or the number itself."""
    low, high = min(values), max(values)
    return low if low == high else f"[{low},{high}]"


def release_column(rng, labels, values, kind, way):
    """A released column: groups with a missing cell say nothing."""
    if way == "same":
        return list(values)
    if way == "swap":
        order = list(range(len(values)))
        for _ in range(rng.randint(1, len(values))):
            i, j = rng.randrange(len(values)), rng.randrange(len(values))
            order[i], order[j] = order[j], order[i]
        return [values[i] for i in order]
    digits = rng.choice((0, 1, 2))
    if rng.random() < 0.1:
        digits = -1

    def released(own):
        if None in own:
            return rng.choice((None, "*"))
        if way == "common":
            return own[0] if len(set(own)) == 1 else "*"
        if way == "range":
            return as_range(own)
        if way == "mean":
            return exact_mean(own)
        rounded = round(exact_mean(own), digits) + 0.0  # no negative zero
        return int(rounded) if kind == "integer" and digits <= 0 else rounded

    return by_group(labels, values, released)


@cache
def made(family, seed):
    """A table of a family, made once: means, ranges or gaps (missing cells and stars)."""
    rng = random.Random(f"{family} {seed}")
    rows, width = rng.randint(4, 14), rng.randint(1, 4)
    kinds = [rng.choice(("integer", "integer", "float", "text")) for _ in range(width)]
    if rng.random() < 0.85:
        kinds[0] = rng.choice(("integer", "float"))
    gaps = family == "gaps"
    columns = originals(
        rng, rows, kinds, gaps=gaps, quarters=family != "means", constants=family == "means"
    )
    joint = rng.random() < 0.7
    every = [grouping(rng, rows) for _ in range(1 if joint else 2)]
    ways = {
        "means": (["mean", "mean", "rounded", "rounded", "same", "swap"], ["same", "swap"]),
        "ranges": (["range"], ["common"]),
        "gaps": (["mean", "rounded", "range", "same", "swap"], ["common", "same", "swap"]),
    }[family]
    if family == "means" and rng.random() < 0.3:
        ways = (ways[0], ["common"])
    released = [
        release_column(rng, rng.choice(every), values, kind, rng.choice(ways[kind == "text"]))
        for values, kind in zip(columns, kinds, strict=True)
    ]
    return Made(
        kinds,
        [list(row) for row in zip(*columns, strict=True)],
        [list(row) for row in zip(*released, strict=True)],
        [sensitive(rng, rows, gaps=gaps) for _ in range(rng.randint(1, 2))],
        [rng.choice((1.0, 1.0, 1.5, 2.0, 3.7, 10.0)) for _ in range(rows)],
        joint,
    )


def sensitive(rng, rows, *, gaps):
    """A sensitive column of few values."""
    values = ["a", "b", "c"][: rng.randint(1, 3)]
    return [rng.choice([*values * 3, *([None] if gaps else [])]) for _ in range(rows)]


def compare(found, key, wanted, name):
    """A line of what is wrong with a measure; nothing where it is right."""
    if wanted is None:
        return [] if key not in found else [f"{name}: {key} {found[key].value}, does not apply"]
    if key not in found:
        return [f"{name}: {key} is absent, {float(wanted)} by brute force"]
    value = found[key].value
    if value == pytest.approx(float(wanted), rel=1e-9, abs=1e-9):
        return []
    return [f"{name}: {key} {value}, {float(wanted)} by brute force"]
