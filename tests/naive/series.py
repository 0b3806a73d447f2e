"""The attacker of a series, by plain search: which values could each person have?

He has all releases and knows who is in which class of each; a person's value never changes. A value
is possible if some assignment of values to all people gives every class of every release what it
has.
"""

from __future__ import annotations

from collections import Counter


def possible(classes):
    """Return the possible values of every person; classes are pairs of people and their values."""
    rooms = [(tuple(people), Counter(values)) for people, values in classes]
    of = {}
    for number, (people, _) in enumerate(rooms):
        for person in people:
            of.setdefault(person, []).append(number)
    left = {person: set() for person in of}
    for person in sorted(of):
        common = set.intersection(*(set(rooms[n][1]) for n in of[person]))
        for value in sorted(common - left[person]):
            world = _world({person: value}, rooms, of)
            for other, own in (world or {}).items():
                left[other].add(own)
    return left


def _world(fixed, rooms, of):
    """Return an assignment that makes all classes, with values fixed; None if there is none."""
    counts = [Counter(values) for _, values in rooms]
    world = {}

    def give(person, value):
        for number in of[person]:
            counts[number][value] -= 1
        world[person] = value

    def take(person):
        value = world.pop(person)
        for number in of[person]:
            counts[number][value] += 1

    def choices(person):
        first, *more = of[person]
        return [
            value
            for value, times in counts[first].items()
            if times > 0 and all(counts[n][value] > 0 for n in more)
        ]

    def search():
        open_ones = [person for person in of if person not in world]
        if not open_ones:
            return True
        person = min(open_ones, key=lambda one: (len(choices(one)), one))
        for value in choices(person):
            give(person, value)
            if search():
                return True
            take(person)
        return False

    for person, value in fixed.items():
        if value not in choices(person):
            return None
        give(person, value)
    return dict(world) if search() else None


def candidates(classes):
    """Return how many records of her last class kept values leave for each person of several.

    `classes` are those of one person, in order, as lists of records' kept values; a record is left
    if its value was in all classes before. 0: the column joins nothing.
    """
    *before, last = classes
    common = set.intersection(*(set(one) for one in before)) if before else set(last)
    return sum(1 for value in last if value in common)
