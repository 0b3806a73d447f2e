"""What was counted in a release, as a Verification: problems and warnings in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from shoal.errors import listed
from shoal.hints import FILE, Message, option
from shoal.judge.classes import Counted
from shoal.judge.composition import WARNING
from shoal.judge.readers.source import Source
from shoal.judge.rulings import Ruling, summarized
from shoal.judge.verification import Composition, Judged, KOf, Verification


def verification_of(
    source: Source, ruling: Ruling, counted: Counted, reading: str, records: int | None,
    columns: Sequence[str] | None, met: Composition | None, manifest_problems: Sequence[str],
) -> Verification:  # fmt: skip
    """Return what was found in a release; it is verified if there are no problems.

    `records` and `columns` are what it is to have, `met` is what it tells beside another release.
    """
    every = sum(size * classes for size, classes in ruling.sizes.items())
    models = tuple(watch.judged() for watch in ruling.watches)
    subsets = ruling.k_of(counted)
    problems = [*_missing_or_extra(source.header, columns), *manifest_problems]
    if not every:
        problems.append("there are no records")
    elif ruling.classes:
        text = f"{ruling.classes} classes with {ruling.records} records are smaller than {ruling.k}"
        few = f"; it cannot be met at all, there are only {every} records"
        problems.append(text + (few if every < ruling.k else ""))
    rulings: list[Judged | KOf] = [*models, *subsets]
    for judged in rulings:
        if every and not judged.ok:
            never = "" if judged.reachable else "; it cannot be met at all, by any grouping"
            problems.append(
                f"{judged.classes} classes with {judged.records} records break "
                f"{judged.label}{never}"
            )
    if records is not None and every != records:
        problems.append(f"there are {every} records, not {records}")
    if met is not None:
        problems += _of_meeting(met, ruling.k)
    own = min(ruling.sizes, default=0)
    return Verification(
        ok=not problems,
        k=ruling.smallest,
        required=ruling.k,
        records=every,
        classes=sum(ruling.sizes.values()),
        problems=tuple(map(Message, problems)),
        reading=reading,
        readings=counted.readings(own),
        sizes=replace(summarized(ruling.matching), squares=summarized(ruling.sizes).squares),
        models=models,
        k_of=subsets,
        offending=ruling.offenders(counted),
        offending_count=ruling.broken,
        against=met,
        warnings=(
            *ruling.warnings(),
            *_warnings(source),
            *((WARNING,) if met is not None else ()),
        ),
        reader=source.reader,
    )


def _of_meeting(met: Composition, k: int) -> list[str]:
    """Return what is wrong when this release and the other are known."""
    shared, problems = met.shared, []
    if shared is not None:
        if shared.below:
            problems.append(
                f"{shared.below} of {shared.people} people share their classes in both releases "
                f"with fewer than {k - 1} others"
            )
        if shared.unknown:
            problems.append(
                f"{shared.unknown} of {shared.people} people cannot be placed in both releases; "
                f"name columns that all three files know them by ({option('key')})"
            )
        return problems
    if not met.judged:
        problems.append(
            f"two releases of {listed(met.unjudged)} cannot be judged from the releases alone: "
            "means and other single values do not say whom they stand for; say "
            f"{option('original', FILE)}"
        )
    if met.below:
        problems.append(
            f"with the other release, {met.below} pairs of classes leave fewer than {k} "
            f"candidates; {met.records} records of this file are among them"
        )
    return problems


def _warnings(source: Source) -> tuple[str, ...]:
    of_folder = () if source.manifest is None else source.manifest.warnings
    return (*of_folder, *source.warnings)


def _missing_or_extra(header: Sequence[str], columns: Sequence[str] | None) -> list[str]:
    if columns is None or list(header) == list(columns):
        return []
    extra = len(set(header) - set(columns))
    return [f"the columns are not those of the release ({extra} should not be there)"]
