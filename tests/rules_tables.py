"""Random tables with sensitive columns and what may be asked of them; by brute force, who keeps it.

The oracle is `naive.judging`: exact fractions, and nothing of shoal.
"""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pyarrow as pa

from naive import judging, spelling
from shoal.judge.requirement import Requirement
from shoal.methods.enforce.rules import make_rules
from shoal.settings import RoleSettings
from shoal.table.assign import assign
from shoal.table.ordinal import with_orders
from shoal.table.read import read

LINES = [
    ("a1", "A", "X", "*"), ("a2", "A", "X", "*"), ("b1", "B", "X", "*"), ("b2", "B", "X", "*"),
    ("c1", "C", "Y", "*"), ("c2", "C", "Y", "*"),
]  # fmt: skip
ORDER = ("none", "mild", "fair", "much", "most")
KINDS = ("category", "number", "ordinal", "tree", "spelled")
MODELS = ("distinct", "entropy", "recursive", "t", "alpha")


def as_decimal(number):
    """The fraction that a person means who writes a number."""
    return Fraction(str(number))


def at_most(distance, t):
    """Whether a distance, rounded once, is no more than t."""
    return float(distance) <= t


def values_of(kind, rng, rows, gaps=0.0):
    """Sensitive values of a kind, some missing (None), some values more frequent than others."""
    words = {
        "category": ["flu", "gout", "ague", "pox", "mumps"],
        "number": [3, 5, 8, 13, 21, 34, 55],
        "ordinal": list(ORDER),
        "tree": [line[0] for line in LINES],
        "spelled": ["flu", "FLU ", "gout", "fl\u200bu", "Gout", "1", "\u00a0", "1.0", "\uff11"],
    }[kind]
    words = words[: int(rng.integers(2, len(words) + 1))]
    weights = rng.random(len(words)) + 0.1
    drawn = rng.choice(len(words), rows, p=weights / weights.sum())
    return [None if rng.random() < gaps else words[i] for i in drawn]


def distance(kind, part, whole):
    """How far some values are from all, by the definition of their kind."""
    if kind == "number":
        return judging.ordered_distance(part, whole)
    if kind == "ordinal":
        ranks = [[None if v is None else ORDER.index(v) for v in some] for some in (part, whole)]
        return judging.ordered_distance(*ranks)
    if kind == "tree":
        return judging.hierarchical_distance(part, whole, LINES)
    if kind == "spelled":
        forms = [[spelling.form(v) for v in some] for some in (part, whole)]
        return max(judging.equal_distance(part, whole), judging.equal_distance(*forms))
    return judging.equal_distance(part, whole)


def keeps(kind, asked, part, whole):
    """Whether some values keep all that is asked: a dict of l, l_kind, c, t and alpha."""
    least, sort = asked.get("l"), asked.get("l_kind", "distinct")
    there = spelling.known(part)
    if asked.get("missing_sensitive") == "value":
        there = [spelling.form(value) for value in part]
    if least is not None and not there:
        return False
    if least is not None and sort == "distinct" and len(set(there)) < least:
        return False
    wanted = None if least is None or sort != "entropy" else as_decimal(least)
    if wanted is not None and not judging.has_entropy(there, wanted):
        return False
    if least is not None and sort == "recursive":
        found = judging.recursive(there, int(least))
        if found == math.inf or found >= as_decimal(asked["c"]):
            return False
    if asked.get("alpha") is not None and there:
        most = max(judging.share(there, v) for v in set(there))
        if float(most) > asked["alpha"]:
            return False
    t = asked.get("t")
    return t is None or at_most(distance(kind, part, whole), t)


def dominated(values, p):
    """Whether the second largest can tell the largest too well: missing values are 0."""
    sizes = sorted((abs(Fraction(v or 0)) for v in values), reverse=True)
    return sum(sizes[2:]) * 100 < as_decimal(p) * sizes[0]


def draw_asked(rng, model, kind, values):
    """Numbers for a model, most often such that a table can have them."""
    if rng.random() < 0.3 and model != "t":
        own = [None if spelling.form(value) is None else value for value in values]
        return {**draw_known(rng, model, own), "missing_sensitive": "value"}
    return draw_known(rng, model, spelling.known(values) or ["-"])


def draw_known(rng, model, values):
    """Numbers for a model of values that count."""
    values = [spelling.form(value) for value in values]
    different = len(set(values))
    if model == "distinct":
        return {"l": int(rng.integers(1, different + 1))}
    if model == "entropy":
        top = max(1.0, judging.entropy(values))
        return {"l": round(float(rng.uniform(1.0, top)), 2), "l_kind": "entropy"}
    if model == "recursive":
        least = int(rng.integers(1, min(3, different) + 1))
        found = float(judging.recursive(values, least))
        c = round(found * float(rng.choice([1.2, 1.5, 2.0, 3.0])) + 0.01, 2)
        c = 0.5 if rng.random() < 0.1 else c
        return {"l": least, "l_kind": "recursive", "c": c}
    if model == "alpha":
        top = max(values.count(v) for v in set(values)) / len(values)
        return {"alpha": round(float(rng.uniform(max(0.05, top - 0.05), 1.0)), 2) or 0.05}
    return {"t": round(float(rng.choice([0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5])), 2)}


def write_tree(folder):
    """The file of the tree of `tree` columns."""
    path = folder / "tree.csv"
    path.write_text("".join(";".join(line) + "\n" for line in LINES))
    return str(path)


def arrow(kind, values):
    """A column of Arrow."""
    return pa.array(values, pa.int64() if kind == "number" else pa.string())


def random_release(seed, folder, mixed=False, kinds=None):
    """A table with quasi-identifiers and one or two sensitive columns, and all about it."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(8, 41))
    columns = {
        "x": pa.array(rng.integers(0, 60, rows)),
        "y": pa.array(rng.normal(size=rows).round(2)),
    }
    if mixed:
        gaps = rng.random(rows) < 0.15
        columns["y"] = pa.array(
            [None if gone else v for gone, v in zip(gaps, columns["y"].to_pylist(), strict=True)]
        )
        columns["w"] = pa.array(rng.choice(["p", "q", "r"], rows))
    if kinds is None:
        kinds = [str(kind) for kind in rng.choice(KINDS, int(rng.integers(1, 3)))]
    sensitive = {}
    for j, kind in enumerate(kinds):
        values = values_of(kind, rng, rows, float(rng.choice([0.0, 0.2])))
        if all(value is None for value in values):
            values[0] = values_of(kind, rng, 1)[0]
        sensitive[f"s{j}"] = (kind, values)
        columns[f"s{j}"] = arrow(kind, values)
    names = [name for name in columns if name not in sensitive]
    return SimpleNamespace(
        rng=rng,
        rows=rows,
        table=pa.table(columns),
        quasi=names,
        sensitive=sensitive,
        roles={"quasi_identifiers": names, "sensitive": list(sensitive)},
        hierarchies={n: write_tree(folder) for n, (kind, _) in sensitive.items() if kind == "tree"},
        orders={n: list(ORDER) for n, (kind, _) in sensitive.items() if kind == "ordinal"},
    )


def asked_of(asked, name):
    """What is asked of one column, of what may be said by columns."""
    found = dict(asked)
    for what in ("l", "t", "alpha"):
        if isinstance(found.get(what), dict):
            found[what] = found[what].get(name)
    return found


def all_keep(made, asked, groups):
    """Whether all groups of rows keep what is asked of all sensitive columns."""
    for name, (kind, values) in made.sensitive.items():
        own = asked_of(asked, name)
        for rows in groups:
            if not keeps(kind, own, [values[i] for i in rows], values):
                return False
    return True


def options_for(made, asked):
    """Roles, and the trees and orders of columns that t-closeness is asked of, for `anonymize`."""
    asks = [name for name in made.sensitive if asked_of(asked, name).get("t") is not None]
    trees = {name: said for name, said in made.hierarchies.items() if name in asks}
    orders = {
        name: order
        for name, order in made.orders.items()
        if name in asks or name not in made.sensitive
    }
    return {**made.roles, "hierarchies": trees, "orders": orders, **asked}


def rules_of(columns, asked, folder, numbers=None):
    """The rules of sensitive columns {name: (kind, values)}, and of numbers that are averaged."""
    rows = len(next(iter(columns.values()))[1]) if columns else len(numbers)
    table = pa.table({
        "q": pa.array(numbers if numbers is not None else [0.0] * rows),
        **{name: arrow(kind, values) for name, (kind, values) in columns.items()},
    })  # fmt: skip
    roles = RoleSettings(quasi_identifiers=("q",), sensitive=tuple(columns))
    orders = {name: ORDER for name, (kind, _) in columns.items() if kind == "ordinal"}
    made = with_orders(assign(read(table), roles).table, orders, columns)
    tree = write_tree(folder)
    trees = {name: tree for name, (kind, _) in columns.items() if kind == "tree"}
    averaged = ["q"] if numbers is not None else []
    return make_rules(made, Requirement(k=2, **asked), trees, None, averaged)[0]
