"""Rules that do no more than needed, so that whoever knows them can undo what they do."""

from __future__ import annotations

from collections import Counter

SIX = [("a",), ("a",), ("b",), ("b",), ("b",), ("b",)]


def naive_minimal(table):
    """Generalize only where more than half of a class are ill: it takes in as many of the next."""
    ill = Counter(row[0] for row in table if row[1] == "ill")
    size = Counter(row[0] for row in table)
    if all(2 * ill[name] <= size[name] for name in size):
        return list(table)
    if 2 * ill["a"] <= size["a"]:
        return [("*", row[1]) for row in table]
    taken = [i for i, row in enumerate(table) if row == ("b", "well")][: ill["a"]]
    mixed = [("*", s) if q == "a" or i in taken else (q, s) for i, (q, s) in enumerate(table)]
    classes = {name: [s for q, s in mixed if q == name] for name, _ in mixed}
    safe = all(2 * members.count("ill") <= len(members) for members in classes.values())
    return mixed if safe else [("*", row[1]) for row in table]


PAIRS = [("a1",), ("a2",), ("b1",), ("b2",)]


def lowest(table, k):
    """Give every record the lowest node of its tree that has k of the records below it."""
    above = {"a1": "A", "a2": "A", "b1": "B", "b2": "B"}
    values = Counter(row[0] for row in table)
    nodes = Counter(above[row[0]] for row in table)
    return [(v if values[v] >= k else above[v] if nodes[above[v]] >= k else "*",) for (v,) in table]
