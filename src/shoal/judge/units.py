"""People, households and strata in the classes of a release.

No code of the release's making. Of people, every person and value of a class counts once: whoever
has three records of one class with one value counts once for it, with two values once for each.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.judge.hierarchies import read_tree
from shoal.judge.models.requirement import Requirement
from shoal.judge.readers.cells import plain
from shoal.judge.rulings import combined_watch, watches
from shoal.judge.sensitive import Combination, Sensitive, Tally
from shoal.judge.verification import Judged

Key = tuple[Any, ...]


def units_a_class(columns: Sequence[Any], units: Sequence[int]) -> tuple[int, int]:
    """Return the fewest and the most different units that share a combination of values.

    columns are Arrow arrays, one value a record; units (n) say whose record each is.
    """
    seen: dict[Key, set[int]] = defaultdict(set)
    for key, unit in zip(_keys(columns), units, strict=True):
        seen[key].add(unit)
    counts = [len(every) for every in seen.values()]
    return min(counts, default=0), max(counts, default=0)


def judge_people(
    columns: Sequence[Any],
    persons: Sequence[int],
    sensitive: Mapping[str, Any],
    requirement: Requirement,
    hierarchies: Mapping[str, str],
    orders: Mapping[str, Sequence[Any]],
    words: Sequence[str],
    missing: Sequence[str],
) -> list[Judged]:
    """Judge the requirement on sensitive columns, counting people.

    columns and the values of `sensitive` are Arrow arrays; the rest is as `verify` takes it.
    """
    keys = _keys(columns)
    judged: list[Judged] = []
    every: list[tuple[Sensitive, Sequence[int]]] = []
    for name, values in sensitive.items():
        tree = read_tree(hierarchies[name], name) if name in hierarchies else None
        column = Sensitive(name, False, tree, orders.get(name), name in words, missing)
        codes = [column.code(cell) for cell in plain(values)]
        classes: dict[Key, tuple[set[Any], set[Any]]] = defaultdict(lambda: (set(), set()))
        people: dict[Key, set[int]] = defaultdict(set)
        for key, person, code in zip(keys, persons, codes, strict=True):
            classes[key][0].add((person, code))
            classes[key][1].add((person, column.forms[code]))
            people[key].add(person)
        tallies = {key: Tally(_counted(pairs), _counted(forms))
                   for key, (pairs, forms) in classes.items()}  # fmt: skip
        whole = Tally(
            _counted({(person, code) for person, code in zip(persons, codes, strict=True)}),
            _counted({(p, column.forms[code]) for p, code in zip(persons, codes, strict=True)}),
        )
        for watch in watches(requirement, column, 0, whole):
            for key, tally in tallies.items():
                watch.see(tally, len(people[key]))
            judged.append(watch.judged(whole))
        every.append((column, codes))
    for names in requirement.l_of:
        judged.append(_judge_combination(names, requirement, keys, persons, every))
    return judged


def _judge_combination(
    names: tuple[str, ...],
    requirement: Requirement,
    keys: Sequence[Key],
    persons: Sequence[int],
    every: Sequence[tuple[Sensitive, Sequence[int]]],
) -> Judged:
    """Judge a combination of sensitive columns, counting people; `every` has all their codes."""
    one = Combination(names, [column for column, _ in every])
    watch = combined_watch(requirement, one, 0)
    classes: dict[Key, set[tuple[int, int]]] = defaultdict(set)
    for key, person, *codes in zip(keys, persons, *(own for _, own in every), strict=True):
        classes[key].add((person, one.code(codes)))
    for pairs in classes.values():
        watch.see(one.tally(_counted(pairs)), len({person for person, _ in pairs}))
    return watch.judged()


def _counted(pairs: set[Any]) -> dict[int, int]:
    """Return how many people have each code."""
    return dict(Counter(code for _, code in pairs))


def _keys(columns: Sequence[Any]) -> list[Key]:
    """Return the combination of values of every record."""
    texts = ([str(value) for value in column.to_pylist()] for column in columns)
    return list(zip(*texts, strict=True))
