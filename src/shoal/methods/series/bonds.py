"""Bonds: who of earlier releases is in company with whom, and who needs a signature from now on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.kernels.arrays import Integers
from shoal.methods.enforce.rules import NEW, Kinds
from shoal.partition import rows_of_groups

Signature = tuple[int, ...]


def deal(kinds: Kinds, labels: Integers) -> list[Signature]:
    """Return the signature of each record of groups that keep the rule; empty where it has none."""
    dealt: list[Signature] = [()] * labels.size
    for row in np.flatnonzero(kinds.bond != NEW):
        dealt[row] = tuple(kinds.bonds[kinds.bond[row]])
    for rows in rows_of_groups(labels):
        new = defaultdict(list)
        for row in rows[kinds.bond[rows] == NEW].tolist():
            new[int(kinds.own[row])].append(row)
        for signature, value in holes(kinds, rows):
            dealt[new[value].pop()] = signature
    return dealt


def holes(kinds: Kinds, rows: Integers) -> Iterator[tuple[Signature, int]]:
    """Yield the signature and the value of each person that some records lack to be balanced."""
    counts: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows[kinds.signed[rows] > 0].tolist():
        counts[int(kinds.bond[row])][int(kinds.own[row])] += 1
    for number in sorted(counts):
        signature = tuple(kinds.bonds[number])
        most = max(counts[number].values())
        for value in signature:
            for _ in range(most - counts[number][value]):
                yield signature, value


@dataclass(frozen=True, repr=False)
class Known:
    """A person of earlier releases: her company, her value, her signature, which may be empty."""

    company: int
    value: int
    signature: Signature


@dataclass(frozen=True, repr=False)
class Bonds:
    """The signatures that people have from now on, and who must be withheld.

    `signed` has only those who get a signature now, also people who are not in this release.
    """

    signed: Mapping[str, Signature]
    withheld: frozenset[str]


def bind(
    known: Mapping[str, Known], present: frozenset[str], least: int, fill: bool = False
) -> Bonds:
    """Return what keeps l values for everybody in company with people who are gone.

    Of a company, those who stay without a signature need `least` different values, or are withheld
    with those who are gone. These need as many between them, or one with a signature who is gone
    too: whatever she can have, they can have. Where there is none, some get a signature: one of
    each value of who is gone, and as many who stay as it takes. Where counterfeits may `fill` the
    places of who is gone, those who stay with too few values get a signature with them.
    """
    companies: dict[int, list[str]] = defaultdict(list)
    for person in sorted(known):
        companies[known[person].company].append(person)
    signed: dict[str, Signature] = {}
    withheld: set[str] = set()
    for people in companies.values():
        free = [one for one in people if not known[one].signature]
        stays = [one for one in free if one in present]
        gone = [one for one in free if one not in present]
        if len(_by_value(known, stays)) < least:
            own = _with_gone(known, stays, gone, least) if fill else {}
            signed |= own
            withheld.update(one for one in stays if one not in own)
            if own:
                continue
            stays, gone = [], [*gone, *stays]
        if not gone or len(_by_value(known, gone)) >= least:
            continue
        anchors = [one for one in people if known[one].signature]
        if any(one not in present for one in anchors):
            continue
        chosen = _chosen(known, stays, gone, least)
        if chosen:
            signed |= dict.fromkeys(chosen, tuple(sorted(known[one].value for one in chosen)))
            stays = [one for one in stays if one not in signed]
            if len(_by_value(known, stays)) < least:
                withheld.update(stays)
        elif anchors:
            withheld.add(anchors[0])
    return Bonds(signed, frozenset(withheld))


def _with_gone(
    known: Mapping[str, Known], stays: Sequence[str], gone: Sequence[str], least: int
) -> dict[str, Signature]:
    """Return signatures of people who stay, each with people of their company who are gone.

    One of each value that stays, and as many others who are gone as it takes, until there are none:
    who is left is signed with nobody. Whatever they can have, the others of the company can have.
    """
    here, lost = _by_value(known, stays), _by_value(known, gone)
    signed: dict[str, Signature] = {}
    while here:
        others = sorted(
            (value for value in lost if value not in here), key=lambda v: (-len(lost[v]), v)
        )
        wanted = least - len(here)
        if len(others) < wanted:
            break
        chosen = [some.pop() for some in here.values()]
        chosen += [lost[value].pop() for value in others[:wanted]]
        signed |= dict.fromkeys(chosen, tuple(sorted(known[one].value for one in chosen)))
        here = {value: some for value, some in here.items() if some}
        lost = {value: some for value, some in lost.items() if some}
    return signed


def _chosen(
    known: Mapping[str, Known], stays: Sequence[str], gone: Sequence[str], least: int
) -> list[str]:
    """Return one of each value of who is gone, and others who stay, of other values; none if none.

    Of those who stay the most frequent values give one away.
    """
    lost = _by_value(known, gone)
    others = {value: some for value, some in _by_value(known, stays).items() if value not in lost}
    wanted = least - len(lost)
    if len(others) < wanted:
        return []
    often = sorted(others, key=lambda value: (-len(others[value]), value))
    return [some[0] for some in lost.values()] + [others[value][0] for value in often[:wanted]]


def _by_value(known: Mapping[str, Known], people: Sequence[str]) -> dict[int, list[str]]:
    """Return people by their values."""
    values: dict[int, list[str]] = defaultdict(list)
    for person in people:
        values[known[person].value].append(person)
    return values
