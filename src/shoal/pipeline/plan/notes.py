"""Notes on a plan, without any value."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from shoal.errors import listed, shown
from shoal.hints import option
from shoal.judge.requirement import Requirement
from shoal.methods.enforce.values import counted
from shoal.partition import Partition, Suppression
from shoal.pipeline.plan.aggregators import is_mean_requested
from shoal.pipeline.plan.columns import repeating_identifiers, suppression_notes, verb_of
from shoal.pipeline.plan.plan import Plan
from shoal.progress import StopToken
from shoal.settings import Settings
from shoal.settings.presets import find_preset
from shoal.table.dialects.writing_notes import writing_notes
from shoal.table.hierarchy.listed import Listed
from shoal.table.hierarchy.values import Rule
from shoal.table.integer_codes import integer_code_notes
from shoal.table.proposals.content import Meaning, meaning_of
from shoal.table.roles import Kind, Role
from shoal.table.similar_names import similar_name_notes
from shoal.table.table import Profile, Table


def column_notes(plan: Plan, profile: Profile, rules: Sequence[Rule] = ()) -> Iterator[str]:
    """Yield notes on the columns of a plan; `rules` are those of its hierarchies."""
    schema, settings = plan.grouped, plan.settings
    quasi = schema.with_role(Role.QUASI_IDENTIFIER)
    yield from unnamed_notes(plan.untouched)
    yield from similar_name_notes([*schema.names, *settings.roles.drop])
    yield from (rule.repeated for rule in rules if isinstance(rule, Listed) and rule.repeated)
    for name, rule in plan.proposed.items():
        yield (
            f"{shown(name)} holds codes of one length, and nobody gave it a hierarchy: generalized "
            f"by {option('hierarchies', {name: rule})}"
        )
    yield from suppression_notes(settings)
    unique = [column.name for column in quasi if profile.reason(column)]
    if unique:
        named = ", ".join(unique)
        yield f"(nearly) every record has its own value in {named}; is it an identifier?"
    own = [c.name for c in quasi if c.is_ordinal and c.name not in settings.orders]
    if own:
        yield (
            f"the order of the values of {', '.join(own)} came with the data; the recipe does not "
            "hold it"
        )
    if plan.by_hierarchies and not {"mean", "median"}.isdisjoint(plan.aggregators.values()):
        yield (
            "the groups are made to be generalized as little as possible (ILoss); numbers are "
            f"released as their means ({option('numbers', 'interval')} releases intervals)"
        )
    yield from writing_notes(quasi)
    names = [name for name, aggregator in plan.aggregators.items() if aggregator == "mean"]
    unasked = [name for name in names if not is_mean_requested(schema[name], settings)]
    for name in unasked:
        if schema[name].kind is Kind.INTEGER and meaning_of(name) is Meaning.POSTCODE:
            yield (
                f"{shown(name)} is named like a postcode, and means of it are released; say "
                f"{option('hierarchies', {name: 'prefixes'})} to keep first digits"
            )
    yield from integer_code_notes(schema, unasked, profile.rows, profile.different)


def unnamed_notes(unnamed: Sequence[str]) -> Iterator[str]:
    """Yield a note on columns without a given role."""
    if unnamed:
        yield f"no role was given to {', '.join(unnamed)}: released as they are"


def preset_notes(settings: Settings) -> Iterator[str]:
    """Yield the verdict of a preset that was named, and its source."""
    if settings.protect.preset is not None:
        preset = find_preset(settings.protect.preset)
        yield f"{preset.verdict(settings.protect.k)}. Source: {preset.source}"


def kept_notes(settings: Settings) -> Iterator[str]:
    """Yield notes on rounded columns, and kept ones that single records out."""
    release = settings.release
    for name, step in release.round.items():
        yield f"{shown(name)} is rounded to multiples of {step:g}"
    if release.group_column is not None:
        yield (
            f"{shown(release.group_column)} holds the number of each record's group, in an order "
            "drawn at random"
        )
    weight = settings.roles.weight if release.weights[0] == "drop" else None
    allowed = [name for name in settings.roles.keep_unique if name != weight]
    if allowed:
        yield (
            f"{listed(allowed)}: released, however many records are unique in it "
            f"({option('keep_unique')})"
        )


def type_notes(before: Table, after: Table, hierarchies: Collection[str]) -> Iterator[str]:
    """Yield a note on numbers and dates that are generalized unasked, and what keeps them."""
    changed = [
        own.name
        for own in before.with_role(Role.QUASI_IDENTIFIER)
        if own.kind.is_numeric and after[own.name].kind is Kind.TEXT and own.name not in hierarchies
    ]
    if changed:
        yield (
            f"numbers, dates or truth values of {listed(changed)} are generalized; "
            f"{option('aggregate', 'mean')} releases means"
        )


def people_notes(table: Table, settings: Settings, profile: Profile) -> Iterator[str]:
    """Yield a note that every identifier repeats where records are counted all the same."""
    if settings.roles.person or settings.roles.household:
        return
    again, alone = repeating_identifiers(table, profile)
    if again and not alone:
        yield (
            f"counts records, not people: {listed(again)} {verb_of(again)}; "
            "where records of one value are one person's, a class may be of fewer than k people "
            f"({option('person', again[0])} counts them)"
        )


def value_notes(table: Table, requirement: Requirement) -> Iterator[str]:
    """Yield the sensitive columns in which spellings and missing cells made a difference."""
    wanted = {
        column.name: counted(column, table, requirement)
        for column in table.with_role(Role.SENSITIVE)
        if requirement.of_column(column.name)
    }
    respelled = [name for name, own in wanted.items() if own.spelled]
    if respelled:
        yield (
            f"values of {listed(respelled)} that differ in case, spaces or signs that cannot be "
            "seen alone count as one value"
        )
    gone = [name for name, own in wanted.items() if own.missing and _is_counted(requirement, name)]
    if gone and requirement.missing_sensitive == "ignored":
        yield (
            f"missing cells of {listed(gone)} add no diversity and no share; "
            f"{option('missing_sensitive', 'value')} counts them as a value of their own"
        )


def _is_counted(requirement: Requirement, name: str) -> bool:
    """Tell whether values of a column are counted, where missing ones may be left out."""
    asked = ("l", "alpha", "beta", "delta")
    return any(requirement.threshold(what, name) is not None for what in asked) or any(
        name in columns for columns in requirement.l_of
    )


def group_notes(partition: Partition, stop: StopToken) -> list[str]:
    """Return notes on the choice of the method, and on the end of its search."""
    return [*_group_notes(partition), *ended_early(stop, partition.search is None)]


def _group_notes(partition: Partition) -> Iterator[str]:
    if partition.reason:
        yield f"auto chose {partition.method}: {partition.reason}"
    if partition.recoding is not None:
        yield partition.recoding.summary()
        gone = partition.recoding.suppressed.size
        if gone:
            yield f"{gone:,} records in classes of fewer than {partition.k} are left out"
    if partition.suppression is not None:
        yield _suppression_note(partition.suppression, partition)
    if partition.enforced:
        yield partition.enforced
    if partition.search is not None:
        yield partition.search.summary()


def _suppression_note(own: Suppression, partition: Partition) -> str:
    """Say how many records are left out, and what the others lose."""
    gone = own.suppressed.size
    if not gone:
        return "no record is left out: the others would not lose less without any"
    before = "" if own.before is None else f"; quick groups of all lost {own.before:.4f} %"
    return (
        f"{gone:,} of {gone + partition.labels.size:,} records are left out: the others lose "
        f"{own.others:.4f} % of what all hold, {partition.information_loss:.4f} % with those "
        f"counted as wholly lost{before}. The loss of the release and of its columns is of what "
        "the records hold that are released: compare runs by the figures of this note"
    )


def ended_early(stop: StopToken, blocks: bool = True) -> Iterator[str]:
    """Yield a note where an interrupt ended the searches of blocks, which keep no log."""
    if blocks and stop.finish:
        yield "an interrupt ended the searches early: another run finds other groups"
