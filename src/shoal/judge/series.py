"""A series of releases, judged with its ledger: every person, over all releases that she is in.

The attacker has all releases, and knows in which class of each a person is. What he cannot rule out
is judged twice. First by the proof that the ledger holds: people have signatures, the same in all
releases; where each class holds, for every signature, each of its values as often as its people
divided by its values, permuting the values of all people of a signature changes no release, and
none of them can be ruled out (Xiao and Tao 2007, lemma 2). Then by counting: the values
that all classes of a person have in common, and the records that kept columns leave for her.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError, listed, shown
from shoal.judge.declared import beside
from shoal.judge.readers.reading import opened
from shoal.judge.readers.source import Source
from shoal.judge.readers.written import Written
from shoal.judge.series_ledger import Kept, value_number
from shoal.judge.series_verdict import SeriesVerification
from shoal.judge.spelling import plain_value

Tree = Mapping[str, Any]
TOGETHER = " + "  # between the names of kept columns that are joined by together


@dataclass(frozen=True)
class Seen:
    """A release as its file shows it: the values and kept values of every class, by number."""

    values: list[Counter[str]]
    records: dict[str, list[list[tuple[str, str]]]]  # kept column, class: kept value, value

    @property
    def sizes(self) -> list[int]:
        """The records of every class."""
        return [sum(one.values()) for one in self.values]


def verify_series(files: Sequence[Any], ledger: Any) -> SeriesVerification:
    """Judge releases together, exactly for the people in their ledger.

    Parameters
    ----------
    files : sequence of paths
        The releases, in any order; each must be in the ledger.
    ledger : path
        The ledger; its key lies beside it.

    Returns
    -------
    SeriesVerification
        `ok`, how many values and candidates are left for the person with the fewest, and problems.

    Raises
    ------
    InputError
        The ledger, its key or a release cannot be read, or the ledger was changed.
    RequestError
        No release is given.

    References
    ----------
    X. Xiao and Y. Tao, m-Invariance: towards privacy preserving re-publication of dynamic datasets,
    SIGMOD 2007.
    """
    if not files:
        raise RequestError("name at least one release of the series")
    book = Kept.read(Path(ledger))
    problems: list[str] = []
    seen: dict[int, Seen] = {}
    for file in files:
        path = Path(file)
        entry = book.of_hash(_sha256(path))
        if entry is None:
            problems.append(f"{path.name}: no release of the ledger has this content")
            continue
        if entry["number"] in seen:
            problems.append(f"{path.name}: release {entry['number']} is given twice")
            continue
        own = see(path, None, entry, book.secret)
        problems += of_entry(own, entry)
        seen[entry["number"]] = own
    problems += of_signatures([one for one in book.releases if one["made"]])
    judged = [one for one in book.releases if one["number"] in seen]
    left = _people(judged, seen)
    absent = [one["number"] for one in book.releases if one["number"] not in seen]
    problems += left.problems()
    return SeriesVerification(
        not problems, len(judged), left.people, left.repeated, left.fewest, left.smallest,
        tuple(problems), tuple(absent), len(book.releases),
    )  # fmt: skip


def see(
    path: Path, kind: str | None, entry: Tree, secret: bytes, written: Written | None = None
) -> Seen:
    """Read a release as its entry says: classes in the order in which they first appear.

    How a csv file is written is `written`, or what a report beside it says.
    """
    promise = entry["promise"]
    quasi, kept, hidden = promise["quasi_identifiers"], promise["kept"], promise["sensitive"]
    if written is None:
        papers = beside(path)
        written = Written() if papers is None else Written(**papers.text)
    joined = [[name] for name in kept] + ([list(kept)] if len(kept) > 1 else [])
    classes: dict[Any, int] = {}
    values: list[Counter[str]] = []
    records: dict[str, list[list[tuple[str, str]]]] = {TOGETHER.join(one): [] for one in joined}
    with opened(path, kind, written) as source:
        wanted = [*quasi, *kept, *([hidden] if hidden else [])]
        _check_columns(source, wanted)
        for row in source.keys(wanted):
            number = classes.setdefault(row[: len(quasi)], len(classes))
            if number == len(values):
                values.append(Counter())
                for every in records.values():
                    every.append([])
            cells = dict(zip(wanted, row, strict=True))
            value = ""
            if hidden:
                value = value_number(secret, hidden, _plain(cells[hidden], source.as_bytes))
            values[number][value] += 1
            for names in joined:
                own = "\0".join(_plain(cells[name], source.as_bytes) for name in names)
                records[TOGETHER.join(names)][number].append((own, value))
    return Seen(values, records)


def of_entry(seen: Seen, entry: Tree) -> list[str]:
    """Return what is wrong with one release and its entry: sizes, k, and balanced classes."""
    promise, roll, what = entry["promise"], entry["roll"], f"release {entry['number']}"
    people = Counter(roll["classes"])
    if [people[number] for number in range(len(seen.values))] != seen.sizes:
        return [f"{what}: the classes of the file are not those of the ledger"]
    problems = []
    small = sum(1 for size in seen.sizes if size < promise["k"])
    if small:
        problems.append(f"{what}: {small} classes have fewer than k = {promise['k']} records")
    if promise["l"] is None or not entry["made"]:
        return problems
    short = sum(1 for one in roll["signatures"] if len(set(one)) < promise["l"])
    if short:
        problems.append(f"{what}: {short} signatures have fewer than l = {promise['l']} values")
    uneven = _uneven(seen, roll)
    if uneven:
        problems.append(f"{what}: {uneven} classes do not hold their signatures equally often")
    return problems


def _uneven(seen: Seen, roll: Tree) -> int:
    """Return how many classes have other values than their signatures account for."""
    counts: dict[int, Counter[int]] = defaultdict(Counter)
    for number, signature in zip(roll["classes"], roll["signature"], strict=True):
        counts[number][signature] += 1
    uneven = 0
    for number, values in enumerate(seen.values):
        meant: Counter[str] = Counter()
        even = True
        for signature, times in counts[number].items():
            every = roll["signatures"][signature]
            even = even and times % len(every) == 0
            for value in every:
                meant[value] += times // len(every)
        uneven += not even or meant != values
    return uneven


def of_signatures(entries: Sequence[Tree]) -> list[str]:
    """Return a problem where people do not keep their signatures from release to release."""
    known: dict[str, frozenset[str]] = {}
    changed = set()
    for entry in entries:
        roll = entry["roll"]
        for person, place in zip(roll["people"], roll["signature"], strict=bool(roll["signature"])):
            signature = frozenset(roll["signatures"][place])
            if known.setdefault(person, signature) != signature:
                changed.add(person)
    if not changed:
        return []
    return [f"{len(changed)} people do not keep their signature from release to release"]


@dataclass(frozen=True)
class _Left:
    """What is left for people over their releases: values, and records that kept columns join."""

    people: int
    repeated: int  # people who are in several releases
    fewest: int | None
    smallest: int | None
    below_l: int
    below_k: int

    def problems(self) -> list[str]:
        """Return what is wrong, in counts."""
        found = []
        if self.below_l:
            found.append(f"for {self.below_l} people fewer than l values are left")
        if self.below_k:
            found.append(
                f"kept columns leave {self.below_k} people fewer than k records or l values"
            )
        return found


def _people(entries: Sequence[Tree], seen: Mapping[int, Seen]) -> _Left:
    """Follow every person through her releases."""
    classes: dict[str, list[tuple[int, int]]] = defaultdict(list)
    promises = {entry["number"]: entry["promise"] for entry in entries}
    for entry in entries:
        roll = entry["roll"]
        for person, number in zip(roll["people"], roll["classes"], strict=True):
            if number < len(seen[entry["number"]].values):
                classes[person].append((entry["number"], number))
    fewest, smallest, below_l, below_k = [], [], 0, 0
    several = [places for places in classes.values() if len(places) > 1]
    for places in classes.values():
        asked = [promises[release]["l"] for release, _ in places if promises[release]["l"]]
        if not asked:
            continue
        sets = [set(seen[release].values[number]) for release, number in places]
        left = len(set.intersection(*sets))
        fewest.append(left)
        below_l += left < max(asked)
    for places in several:
        joined = _joined(places, seen, promises)
        if joined is not None:
            smallest.append(joined[0])
            below_k += joined[1]
    return _Left(
        len(classes), len(several), min(fewest, default=None), min(smallest, default=None),
        below_l, below_k,
    )  # fmt: skip


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


def _plain(cell: Any, as_bytes: bool) -> str:
    """Return a cell as one text for all its spellings."""
    if as_bytes and isinstance(cell, str):
        cell = cell.encode("latin-1").decode("utf-8", "surrogateescape")
    plain = plain_value(cell, ())
    if plain is None:
        return ""
    return f"{plain.normalize():f}" if isinstance(plain, Decimal) else str(plain)


def _check_columns(source: Source, wanted: Sequence[str]) -> None:
    lacking = [name for name in wanted if name not in source.header]
    if lacking:
        raise InputError(f"{source.name}: it lacks {listed(lacking)}, which the ledger names")


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise InputError(f"{shown(path)}: cannot be read: {error.strerror}") from None
