"""Bonds: who of earlier releases is in company with whom, and who needs a signature from now on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from shoal.errors import in_shape
from shoal.methods.series.deal import Signature


@dataclass(frozen=True)
class Known:
    """A person of earlier releases: her company, her value, her signature, which may be empty."""

    __repr__ = in_shape

    company: int
    value: int
    signature: Signature


@dataclass(frozen=True)
class Bonds:
    """The signatures that people have from now on, and who must be withheld.

    `signed` has only those who get a signature now, also people who are not in this release.
    """

    __repr__ = in_shape

    signed: Mapping[str, Signature]
    withheld: frozenset[str]


def bind(known: Mapping[str, Known], present: frozenset[str], least: int) -> Bonds:
    """Return what keeps l values for everybody in company with people who are gone.

    Those who are gone need `least` different values between them, or get a signature with as many
    of their company as it takes: one of each value of theirs, and one of each of the others'. Those
    who stay need as many values, or are withheld, and so belong to who is gone.
    """
    companies: dict[int, list[str]] = defaultdict(list)
    for person in sorted(known):
        if not known[person].signature:
            companies[known[person].company].append(person)
    signed: dict[str, Signature] = {}
    withheld: set[str] = set()
    for people in companies.values():
        stays = [one for one in people if one in present]
        gone = [one for one in people if one not in present]
        if not stays:
            continue
        if gone and len(_by_value(known, gone)) < least:
            chosen = _chosen(known, stays, gone, least)
            if not chosen:
                withheld.update(stays)
                continue
            signature = tuple(sorted(known[one].value for one in chosen))
            signed |= dict.fromkeys(chosen, signature)
            stays = [one for one in stays if one not in signed]
        if stays and len(_by_value(known, stays)) < least:
            withheld.update(stays)
    return Bonds(signed, frozenset(withheld))


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
