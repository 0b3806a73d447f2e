"""The judge's door: `verify` says what a released file or dataframe keeps, from it alone.

Everything it uses is in `judge/`, which shares no code with the reader, the methods or the writer:
a mistake there cannot approve itself here.
"""

from __future__ import annotations

import operator
import os
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, nullcontext
from typing import Any

from shoal.errors import InputError, RequestError, shown
from shoal.models.matching import READINGS
from shoal.models.requirement import Asked, Requirement
from shoal.release.judge.against import WARNING, compose
from shoal.release.judge.classes import Counted, Subset
from shoal.release.judge.counting import count
from shoal.release.judge.reading import opened
from shoal.release.judge.ruling import Ruling, summarized
from shoal.release.judge.sensitive import Sensitive
from shoal.release.judge.source import Key, Source
from shoal.release.judge.spill import Spill
from shoal.release.judge.trees import read_tree
from shoal.release.judge.verification import Composition, Judged, KOf, Verification

__all__ = ["Verification", "class_counts", "verify"]

Trees = Mapping[str, str | os.PathLike[str]]


def verify(
    data: Any,
    *,
    k: int,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    l: Asked = None,  # noqa: E741 - its name in the literature
    l_kind: str = "distinct",
    c: float | None = None,
    t: Asked = None,
    alpha: Asked = None,
    k_of: Mapping[tuple[str, ...], int] | None = None,
    hierarchies: Trees | None = None,
    orders: Mapping[str, Sequence[Any]] | None = None,
    words: Sequence[str] = (),
    missing: Sequence[str] = ("",),
    missing_as: str = "own",
    missing_sensitive: str = "ignored",
    by_people: bool = False,
    against: Any = None,
    delimiter: str | None = None,
    kind: str | None = None,
    records: int | None = None,
    columns: Sequence[str] | None = None,
) -> Verification:
    """Check that a file or dataframe keeps what is asked, first of all that it is k-anonymous.

    csv cells are compared as bytes, values of Parquet and dataframes as values; a missing value
    is a value of its own. `missing_as` counts by another reading of missing cells and `*`: "root"
    (a star covers any value) or "wildcard" (it matches anything), both weaker.

    `sensitive` columns may be asked for l-diversity (`l`, `l_kind`, `c`), t-closeness (`t`) and
    (α,k)-anonymity (`alpha`), by one number or a number a column. t-closeness compares values by
    their tree in `hierarchies` (a FILE.csv or "prefixes:3,2"), by their order in `orders`, numbers
    and dates by theirs, others as equally far apart; `words` names sensitive columns whose numbers
    are codes, equally far apart, and `missing` how cells of theirs are written that are missing,
    beside empty ones and `*`. `k_of` is an own k for some of the
    quasi-identifiers. l and alpha take values that differ in case, spaces or signs that cannot be
    seen for one, and t-closeness takes the larger of both distances; a missing sensitive cell adds
    nothing to l and alpha, or is a value of its own with `missing_sensitive="value"`. `by_people`
    says that t, alpha, entropy and recursive l were promised of people, who are not in the file:
    only what it shows all the same is judged. `against` is another release of the same people: what
    is left of every class when both are known counts as well, see `shoal.release.judge.against`.

    `records` and `columns` say what the release should hold, where known; `kind` ("csv", "csv.gz"
    or "parquet") overrides the file's name.
    """
    quasi = _names(quasi_identifiers, "quasi-identifier")
    hidden = _names(sensitive, "sensitive column")
    requirement = Requirement(
        k=_whole(k), l=l, l_kind=l_kind, c=c, t=t, alpha=alpha, k_of=_tuples(k_of or {}),
        missing_sensitive=missing_sensitive,
    )  # fmt: skip
    requirement.check(hidden, quasi)
    if by_people:
        requirement = requirement.shown_by_records()
    named = [*(hierarchies or {}), *(orders or {}), *words]
    _check(quasi, hidden, missing_as, delimiter, named)
    trees = {n: read_tree(said, n) for n, said in (hierarchies or {}).items() if n in hidden}
    subsets = [
        Subset(names, tuple(quasi.index(name) for name in names), own)
        for names, own in requirement.k_of.items()
    ]
    with ExitStack() as after:
        with opened(data, kind, delimiter) as source:
            ours = [
                Sensitive(
                    name,
                    source.as_bytes,
                    trees.get(name),
                    (orders or {}).get(name),
                    is_words=name in words,
                    missing=missing,
                )
                for name in hidden
            ]
            counted = count(
                source, quasi, ours, subsets, missing_as, lambda: after.enter_context(Spill())
            )
        ruling = Ruling(requirement, ours, subsets)
        ruling.see(counted)
        met = None
        if against is not None:
            is_file = isinstance(data, str | os.PathLike)
            again = opened(data, kind, delimiter) if is_file else nullcontext(source)
            met = compose(again, opened(against, None, None), quasi, hidden, requirement.k)
        return _verification(source, ruling, counted, missing_as, records, columns, met)


def _verification(
    source: Source, ruling: Ruling, counted: Counted, reading: str, records: int | None,
    columns: Sequence[str] | None, met: Composition | None,
) -> Verification:  # fmt: skip
    every = sum(size * classes for size, classes in ruling.sizes.items())
    models = tuple(watch.judged() for watch in ruling.watches)
    subsets = ruling.k_of(counted)
    problems = _missing_or_extra(source.header, columns)
    if not every:
        problems.append("there are no records")
    elif ruling.classes:
        text = f"{ruling.classes} classes with {ruling.records} records are smaller than {ruling.k}"
        few = f"; it cannot be met at all, there are only {every} records"
        problems.append(text + (few if every < ruling.k else ""))
    rulings: list[Judged | KOf] = [*models, *subsets]
    for found in rulings:
        if every and not found.ok:
            never = "" if found.reachable else "; it cannot be met at all, by any grouping"
            problems.append(
                f"{found.classes} classes with {found.records} records break {found.label}{never}"
            )
    if records is not None and every != records:
        problems.append(f"there are {every} records, not {records}")
    if met is not None and met.below:
        problems.append(
            f"with the other release, {met.below} pairs of classes leave fewer than {ruling.k} "
            f"candidates; {met.records} records of this file are among them"
        )
    own = min(ruling.sizes, default=0)
    return Verification(
        ok=not problems,
        k=ruling.smallest,
        required=ruling.k,
        records=every,
        classes=sum(ruling.sizes.values()),
        problems=tuple(problems),
        reading=reading,
        readings=counted.readings(own),
        sizes=summarized(ruling.sizes),
        models=models,
        k_of=subsets,
        offending=ruling.offenders(counted),
        offending_count=ruling.broken,
        against=met,
        warnings=(*ruling.warnings(), *((WARNING,) if met is not None else ())),
    )


def class_counts(
    data: Any, wanted: Sequence[str], *, delimiter: str | None = None, kind: str | None = None
) -> tuple[list[str], Counter[Key]]:
    """Return the header, and how many records share each combination of the wanted columns."""
    with opened(data, kind, delimiter) as source:
        try:
            return source.header, Counter(source.keys(wanted))
        except TypeError:
            raise InputError(f"{source.name}: a column holds lists, not values") from None


def _names(said: Sequence[str], role: str) -> list[str]:
    wanted = [said] if isinstance(said, str) else list(said)
    if not wanted and role == "quasi-identifier":
        raise RequestError(f"name at least one {role} to verify")
    if len(set(wanted)) < len(wanted):
        raise RequestError(f"a {role} is named twice")
    return wanted


def _tuples(said: Mapping[Any, int]) -> dict[tuple[str, ...], int]:
    return {(names,) if isinstance(names, str) else tuple(names): k for names, k in said.items()}


def _check(
    quasi: list[str], sensitive: list[str], reading: str, delimiter: str | None, named: list[str]
) -> None:
    if reading not in READINGS:
        raise RequestError(f"missing_as must be one of {', '.join(READINGS)}")
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise RequestError("the delimiter must be one character, such as ',' or ';'")
    for name in sensitive:
        if name in quasi:
            raise RequestError(f"{shown(name)} is named as quasi-identifier and as sensitive")
    for name in named:
        if name not in quasi and name not in sensitive:
            raise RequestError(
                f"a hierarchy, an order or words are given for {shown(name)}, which is neither a "
                "sensitive column nor a quasi-identifier"
            )


def _whole(k: Any) -> int:
    try:
        number = 0 if isinstance(k, bool) else operator.index(k)
    except TypeError:
        number = 0
    if number < 1:
        raise RequestError("k must be a whole number of at least 1")
    return number


def _missing_or_extra(header: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    if columns is None or list(header) == list(columns):
        return []
    extra = len(set(header) - set(columns))
    return [f"the columns are not those of the release ({extra} should not be there)"]
