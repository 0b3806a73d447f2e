"""Possible worlds of toy tables: what a release tells to someone who knows the method.

A method is any function of a table to its release, both lists of tuples, the release's rows in the
table's order; None is a refusal. This file imports nothing of Shoal, and can audit anything.

`minimality` (Wong, Fu, Wang and Pei, VLDB 2007): a table of people whose quasi-identifiers everyone
knows; the last cell of a row is sensitive, and known to nobody. Every table that there could be is
released. Of two tables with the same release nobody can tell which it was; so a person's value is
known as far as those tables agree on it.

`downcoding` (Cohen, USENIX Security 2022): all cells are quasi-identifiers, and nobody knows any.
Every table over a small domain is released, and a released cell is as good as undone where all
tables with that release have the same original behind it.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product
from math import factorial, prod
from typing import NamedTuple


class Minimality(NamedTuple):
    """The surest that anyone can be of anybody's value, over all releases that there could be.

    `before`: without any release. `by_classes`: by the classes of the release alone, by one who is
    told who is in which. `by_method`: by the release and the method. `by_both`: by the release, the
    method, and who is in which class. `gain` is the most that knowing the method adds to what
    classes say of one value of one person. Worlds that the method refuses are counted apart.
    """

    before: Fraction
    by_classes: Fraction
    by_method: Fraction
    by_both: Fraction
    gain: Fraction
    worlds: int
    refused: int


class Downcoding(NamedTuple):
    """What becomes of generalized cells, those that stand for more than one original.

    `one`: the share that only one original is consistent with. `known`: the share in classes whose
    originals are known, but for who of the class has which. `posterior`: how sure one can be of the
    true original, on average, and `alone`: how sure one would be by the cell alone.
    """

    one: Fraction
    known: Fraction
    posterior: Fraction
    alone: Fraction
    cells: int
    tables: int
    refused: int


def worlds(size, values, counts=None):
    """Return every assignment of values to so many people; `counts` are known totals, or None."""
    if counts is None:
        return list(product(values, repeat=size))
    every = [value for value, count in zip(values, counts, strict=True) for _ in range(count)]
    return sorted(set(permutations(every)))


def minimality(method, people, values, counts=None, secrets=None):
    """Release every possible world, and say how sure anyone can be of any value of anyone.

    `secrets` are the values that matter, where not all do.
    """
    secrets = values if secrets is None else secrets
    released, refused = [], 0
    every = worlds(len(people), values, counts)
    for world in every:
        release = method([(*person, value) for person, value in zip(people, world, strict=True)])
        if release is None:
            refused += 1
            continue
        assert [row[-1] for row in release] == list(world), "a sensitive value was changed"
        keys = tuple(row[:-1] for row in release)
        released.append((world, keys, tuple(sorted(release, key=repr))))
    by_release, by_both = defaultdict(list), defaultdict(list)
    for world, keys, release in released:
        by_release[release].append(world)
        by_both[release, keys].append(world)
    found = {name: Fraction(0) for name in ("by_classes", "by_method", "by_both", "gain")}
    for world, keys, release in released:
        for person, key in enumerate(keys):
            members = [world[i] for i, other in enumerate(keys) if other == key]
            for value in secrets:
                share = Fraction(members.count(value), len(members))
                by_method = _posterior(by_release[release], person, value)
                by_all = _posterior(by_both[release, keys], person, value)
                sure = {"by_classes": share, "by_method": by_method, "by_both": by_all,
                        "gain": max(by_method, by_all) - share}  # fmt: skip
                for name, number in sure.items():
                    found[name] = max(found[name], number)
    before = max(
        _posterior(every, person, value) for person in range(len(people)) for value in secrets
    )
    return Minimality(before, **found, worlds=len(every), refused=refused)


def _posterior(consistent, person, value):
    """Return the share of worlds, all equally likely, in which a person has a value."""
    return Fraction(sum(world[person] == value for world in consistent), len(consistent))


def tables(records, size, sample=None, seed=0):
    """Return every table of so many of the records, up to the order of its rows, or a sample."""
    every = list(combinations_with_replacement(records, size))
    return every if sample is None else random.Random(seed).sample(every, min(sample, len(every)))


def downcoding(method, inputs, below):
    """Release every table, and say how far releases tell what was behind generalized cells.

    Each table counts as often as its rows have orders. `below` returns the originals, all that the
    domain has, that a column's released cell can stand for.
    """
    outputs = defaultdict(list)
    refused = 0
    for table in inputs:
        release = method(list(table))
        if release is None:
            refused += 1
            continue
        orders = factorial(len(table)) // prod(map(factorial, Counter(table).values()))
        outputs[tuple(sorted(release, key=repr))].append((orders, table, release))
    weight = one = known = cells = 0
    posterior = alone = Fraction(0)
    for release, consistent in outputs.items():
        total = sum(orders for orders, _, _ in consistent)
        for row, size in Counter(release).items():
            for column, cell in enumerate(row):
                originals = below(column, cell)
                if len(originals) == 1:
                    continue
                behind, sets = Counter(), set()
                for orders, table, rows in consistent:
                    own = [t[column] for t, r in zip(table, rows, strict=True) if r == row]
                    assert originals.issuperset(own), "a released cell does not cover its original"
                    sets.add(tuple(sorted(own, key=repr)))
                    for value in own:
                        behind[value] += orders
                here = size * total
                cells += size * len(consistent)
                weight += here
                one += here if len(behind) == 1 else 0
                known += here if len(sets) == 1 else 0
                posterior += sum(Fraction(count * count, here) for count in behind.values())
                alone += Fraction(here, len(originals))
    every = max(1, weight)
    return Downcoding(Fraction(one, every), Fraction(known, every), posterior / every,
                      alone / every, cells, len(inputs), refused)  # fmt: skip
