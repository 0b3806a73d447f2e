"""People of a series: what is left for each of them over all releases that she is in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.judge.series_seen import Seen, Tree


@dataclass(frozen=True)
class Left:
    """What is left for people over their releases: values, and records that kept columns join."""

    people: int
    repeated: int  # people who are in several releases
    smallest: int | None
    below_l: int
    below_k: int

    def problems(self) -> list[str]:
        """Return what is wrong, in counts."""
        found = []
        if self.below_l:
            found.append(f"the classes of {self.below_l} people share fewer than l values")
        if self.below_k:
            found.append(
                f"kept columns leave {self.below_k} people fewer than k records or l values"
            )
        return found


def follow(entries: Sequence[Tree], seen: Mapping[int, Seen]) -> Left:
    """Follow every person through her releases."""
    classes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    promises = {entry["number"]: entry["promise"] for entry in entries}
    for entry in entries:
        roll = entry["roll"]
        nobody = set(roll.get("counterfeits", ()))
        for person, number in zip(roll["people"], roll["classes"], strict=True):
            if person not in nobody and number < len(seen[entry["number"]].values):
                classes[person].append((entry["number"], number))
    smallest, below_l, below_k = [], 0, 0
    several = [places for places in classes.values() if len(places) > 1]
    for places in classes.values():
        asked = [promises[release]["l"] for release, _ in places if promises[release]["l"]]
        if not asked:
            continue
        sets = [set(seen[release].values[number]) for release, number in places]
        below_l += len(set.intersection(*sets)) < max(asked)
    for places in several:
        joined = _joined(places, seen, promises)
        if joined is not None:
            smallest.append(joined[0])
            below_k += joined[1]
    return Left(len(classes), len(several), min(smallest, default=None), below_l, below_k)


def _joined(
    places: Sequence[tuple[int, int]], seen: Mapping[int, Seen], promises: Mapping[int, Tree]
) -> tuple[int, bool] | None:
    """Return the fewest records of her last class that kept columns leave, and if they are too few.

    None where no kept column joins anything: a column that changed does not.
    """
    release, number = places[-1]
    k, least = promises[release]["k"], promises[release]["l"] or 0
    fewest, below = None, False
    for name, classes in seen[release].records.items():
        earlier = [
            {own for own, _ in seen[before].records[name][place]}
            for before, place in places[:-1]
            if name in seen[before].records
        ]
        if not earlier:
            continue
        common = set.intersection(*earlier)
        left = [value for own, value in classes[number] if own in common]
        if left:
            fewest = len(left) if fewest is None else min(fewest, len(left))
            below = below or len(left) < k or len(set(left)) < least
    return None if fewest is None else (fewest, below)
