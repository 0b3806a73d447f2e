"""The attacker who subtracts: what two unions of classes of two releases do not have in common.

He has the published files, and knows everyone's quasi-identifiers and who is in which release, so
who is in which class. He takes classes of one release and classes of another, and subtracts their
sensitive values: what is left are the values of who is in the one and not in the other. Who joined
or left alone is given away by the whole files; who moved alone between two classes, by these.
"""

from __future__ import annotations

import itertools
from collections import Counter


def left_for(releases):
    """Return the values that subtracting leaves for each person.

    Releases are lists of classes, which are pairs of people and their sensitive values in any
    order. A person's value never changes.
    """
    left = {}
    for release in releases:
        for people, values in release:
            for person in people:
                left[person] = left.get(person, set(values)) & set(values)
    for one, other in itertools.permutations(releases, 2):
        for some, against in differences(one, other):
            inside, outside = members(some), members(against)
            alone, values = inside - outside, sums(some)
            values.subtract(sums(against))
            more = +values
            if more.total() < len(alone):
                continue  # a value of theirs may be that of somebody who is in the other alone
            for person in alone:
                left[person] &= set(more)
    return left


def differences(one, other):
    """Yield unions of classes: two that share people, all that are linked, and all."""
    yield one, other
    for first, second in itertools.product(one, other):
        if set(first[0]) & set(second[0]):
            yield [first], [second]
    for first in one:
        some, against = [first], []
        while True:
            wider = [c for c in other if set(c[0]) & members(some)]
            larger = [c for c in one if c in some or set(c[0]) & members(wider)]
            yield larger, wider
            if (larger, wider) == (some, against):
                break
            some, against = larger, wider


def members(classes):
    """Return who is in some classes."""
    return {person for people, _ in classes for person in people}


def sums(classes):
    """Return how often each value is in some classes."""
    return Counter(value for _, values in classes for value in values)
