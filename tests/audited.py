"""Our methods as the auditor takes them, and the toy tables on which they are audited."""

from __future__ import annotations

import csv

import pyarrow as pa

import shoal

SEARCHES = {"ilsmc+": {"max_iterations": 20}, "kaim+": {"max_iterations": 20},
            "auto": {"effort": "quick"}}  # fmt: skip
ONE_COLUMN = ("optimal-1d",)
METHODS = ("mdav", "v-mdav", "hilbert", "optimal-1d", "ilsmc+", "kaim", "kaim+", "auto")

# quasi-identifiers of six people: pairs that are far apart, a row without gaps, pairs of equal
# people, a number that is far from all others, and texts of which one is missing
PEOPLE = {
    "pairs": [(20, 1), (22, 2), (40, 5), (42, 6), (70, 3), (72, 4)],
    "a row": [(20, 1), (30, 2), (40, 3), (50, 4), (60, 5), (70, 6)],
    "twins": [(20, 1), (20, 1), (40, 5), (40, 5), (70, 3), (70, 3)],
    "far away": [(20, 1), (21, 1), (22, 2), (23, 2), (24, 3), (90, 9)],
    "texts": [("p", 1), ("p", 2), ("q", 5), ("q", 6), (None, 3), ("r", 4)],
}
# how many are ill, where that is known
SENSITIVE = {
    "any number ill": (("ill", "well"), None),
    "3 of 6 ill": (("ill", "well"), (3, 3)),
    "2 of 6 ill": (("ill", "well"), (2, 4)),
}

ASKED = {
    "k = 2": {},
    "k = 2, l = 2": {"l": 2},
    "k = 2, l = 2, by merging": {"l": 2, "enforce": "merge"},
}

LEAVES = {"a1": "A", "a2": "A", "b1": "B", "b2": "B"}
TREE = [(leaf, parent, "*") for leaf, parent in LEAVES.items()]
RECORDS = [(leaf, sign) for leaf in LEAVES for sign in "uv"]
NUMBERS = [(number,) for number in (1, 2, 3, 4, 5)]
GENERALIZING = {
    "kaim": {"method": "kaim"},
    "kaim+": {"method": "kaim+", "max_iterations": 20},
    "k-member": {"method": "k-member"},
    "mdav": {"method": "mdav", "aggregate": "generalize"},
}
RANGES = {name: {**options, "aggregate": "range"} for name, options in GENERALIZING.items()}


def usable(method, people):
    """Tell whether a method takes such people: texts and gaps are for any but some."""
    return method not in ONE_COLUMN or all(isinstance(person[0], int) for person in people)


def releasing(method, k=2, **options):
    """Return a method of ours as a function of rows; the last cell of a row is sensitive."""

    def release(rows):
        width = 1 if method in ONE_COLUMN else len(rows[0]) - 1
        names = [f"q{i}" for i in range(width)]
        cells = {name: [row[i] for row in rows] for i, name in enumerate(names)}
        table = pa.table({**cells, "s": [row[-1] for row in rows]})
        asked = {**SEARCHES.get(method, {}), **options}
        try:
            found = shoal.anonymize(
                table, k=k, quasi_identifiers=names, sensitive=["s"], method=method,
                intervals="text", **asked,
            )  # fmt: skip
        except shoal.ShoalError:
            return None
        return rows_of(found.data)

    return release


def generalizing(tree=None, k=2, **options):
    """Return a method of ours as a function of rows without sensitive cells.

    `tree` is the file of the first column's hierarchy.
    """

    def release(rows):
        table = pa.table({f"q{i}": list(cells) for i, cells in enumerate(zip(*rows, strict=True))})
        rules = {} if tree is None else {"q0": str(tree)}
        try:
            found = shoal.anonymize(
                table, k=k, quasi_identifiers=table.column_names, hierarchies=rules,
                intervals="text", **options,
            )  # fmt: skip
        except shoal.ShoalError:
            return None
        return rows_of(found.data)

    return release


def rows_of(table):
    """Return a table's rows as tuples."""
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def write_tree(path):
    """Write the toy hierarchy to a file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=";").writerows(TREE)
    return path


def below(column, cell):
    """Return what a released cell of the toy tables stands for."""
    if column == 1:
        return {"u", "v"} if cell == "*" else {cell}
    return {leaf for leaf, parent in LEAVES.items() if cell in (leaf, parent, "*")}


def within(_column, cell):
    """Return the same of the toy numbers; a cell is one of them or a range."""
    low, _, high = str(cell).strip("[]").partition(",")
    return set(range(int(low), int(high or low) + 1))
