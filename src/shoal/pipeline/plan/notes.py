"""Notes on a plan, without any value."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from shoal.errors import listed, shown
from shoal.hints import option
from shoal.judge.requirement import Requirement
from shoal.methods.enforce.values import counted
from shoal.partition import Partition, Recoding, Suppression
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
from shoal.table.roles import Column, Kind, Role
from shoal.table.similar_names import similar_name_notes
from shoal.table.table import Profile, Table


def column_notes(plan: Plan, profile: Profile, rules: Sequence[Rule] = ()) -> list[str]:
    """Return notes on the columns of a plan; `rules` are those of its hierarchies."""
    schema, settings = plan.grouped, plan.settings
    quasi = schema.with_role(Role.QUASI_IDENTIFIER)
    notes = unnamed_notes(plan.untouched) + similar_name_notes(
        [*schema.names, *settings.roles.drop]
    )
    notes += [rule.repeated for rule in rules if isinstance(rule, Listed) and rule.repeated]
    notes += [
        f"{shown(name)} holds codes of one length, and nobody gave it a hierarchy: generalized by "
        f"{option('hierarchies', {name: rule})}"
        for name, rule in plan.proposed.items()
    ]
    notes += suppression_notes(settings)
    unique = [column.name for column in quasi if profile.reason(column)]
    if unique:
        notes.append(
            f"(nearly) every record has its own value in {', '.join(unique)}; is it an identifier?"
        )
    own = [c.name for c in quasi if c.is_ordinal and c.name not in settings.orders]
    if own:
        notes.append(
            f"the order of the values of {', '.join(own)} came with the data; the recipe does not "
            "hold it"
        )
    if plan.by_hierarchies and not {"mean", "median"}.isdisjoint(plan.aggregators.values()):
        notes.append(
            "the groups are made to be generalized as little as possible (ILoss); numbers are "
            f"released as their means ({option('numbers', 'interval')} releases intervals)"
        )
    notes += writing_notes(quasi)
    names = [name for name, one in plan.aggregators.items() if one == "mean"]
    unasked = [name for name in names if not is_mean_requested(schema[name], settings)]
    notes += _postcode_notes([schema[name] for name in unasked])
    return notes + integer_code_notes(schema, unasked, profile.rows, profile.different)


def _postcode_notes(averaged: Sequence[Column]) -> list[str]:
    """Return notes on whole numbers that are named like postcodes, of which means say nothing."""
    return [
        f"{shown(column.name)} is named like a postcode, and means of it are released; say "
        f"{option('hierarchies', {column.name: 'prefixes'})} to keep first digits"
        for column in averaged
        if column.kind is Kind.INTEGER and meaning_of(column.name) is Meaning.POSTCODE
    ]


def unnamed_notes(unnamed: Sequence[str]) -> list[str]:
    """Return notes on columns without a given role."""
    return [f"no role was given to {', '.join(unnamed)}: released as they are"] if unnamed else []


def preset_notes(settings: Settings) -> list[str]:
    """Return the verdict of a preset that was named, and its source."""
    if settings.protect.preset is None:
        return []
    preset = find_preset(settings.protect.preset)
    return [f"{preset.verdict(settings.protect.k)}. Source: {preset.source}"]


def kept_notes(settings: Settings) -> list[str]:
    """Return notes on rounded columns, and kept ones that single records out."""
    notes = [
        f"{shown(name)} is rounded to multiples of {step:g}"
        for name, step in settings.release.round.items()
    ]
    allowed = [name for name in settings.roles.keep_unique if settings.release.weights[0] != "drop"
               or name != settings.roles.weight]  # fmt: skip
    if settings.release.group_column is not None:
        notes.append(
            f"{shown(settings.release.group_column)} holds the number of each record's group, in "
            "an order drawn at random"
        )
    if allowed:
        notes.append(
            f"{listed(allowed)}: released, however many records are unique in it "
            f"({option('keep_unique')})"
        )
    return notes


def type_notes(before: Table, after: Table, hierarchies: Collection[str]) -> list[str]:
    """Return a note on numbers and dates that are generalized unasked, and what keeps them."""
    changed = [
        one.name
        for one in before.with_role(Role.QUASI_IDENTIFIER)
        if one.kind.is_numeric and after[one.name].kind is Kind.TEXT and one.name not in hierarchies
    ]
    if not changed:
        return []
    return [f"numbers, dates or truth values of {listed(changed)} are generalized; "
            f"{option('aggregate', 'mean')} releases means"]  # fmt: skip


def people_notes(table: Table, settings: Settings, profile: Profile) -> list[str]:
    """Return a note that every identifier repeats where records are counted all the same."""
    roles = settings.roles
    if roles.person or roles.household:
        return []
    again, alone = repeating_identifiers(table, profile)
    if alone or not again:
        return []
    return [
        f"counts records, not people: {listed(again)} {verb_of(again)}; "
        "where records of one value are one person's, a class may be of fewer than k people "
        f"({option('person', again[0])} counts them)"
    ]


def value_notes(table: Table, requirement: Requirement) -> list[str]:
    """Name the sensitive columns in which spellings and missing cells made a difference."""
    wanted = {
        column.name: counted(column, table, requirement)
        for column in table.with_role(Role.SENSITIVE)
        if requirement.of_column(column.name)
    }
    notes = []
    respelled = [name for name, own in wanted.items() if own.spelled]
    if respelled:
        notes.append(
            f"values of {listed(respelled)} that differ in case, spaces or signs that cannot be "
            "seen alone count as one value"
        )
    gone = [name for name, own in wanted.items() if own.missing and _is_counted(requirement, name)]
    if gone and requirement.missing_sensitive == "ignored":
        notes.append(
            f"missing cells of {listed(gone)} add no diversity and no share; "
            f"{option('missing_sensitive', 'value')} counts them as a value of their own"
        )
    return notes


def _is_counted(requirement: Requirement, name: str) -> bool:
    """Tell whether values of a column are counted, where missing ones may be left out."""
    asked = ("l", "alpha", "beta", "delta")
    return any(requirement.threshold(what, name) is not None for what in asked) or any(
        name in columns for columns in requirement.l_of
    )


def group_notes(partition: Partition, stop: StopToken) -> list[str]:
    """Return notes on the choice of the method, and on the end of its search."""
    notes = []
    if partition.reason:
        notes.append(f"auto chose {partition.method}: {partition.reason}")
    if partition.recoding is not None:
        notes += _recoding_notes(partition.recoding, partition.k)
    if partition.suppression is not None:
        notes.append(_suppression_note(partition.suppression, partition))
    if partition.enforced:
        notes.append(partition.enforced)
    if partition.search is not None:
        notes.append(partition.search.summary())
    return [*notes, *ended_early(stop, partition.search is None)]


def _recoding_notes(recoding: Recoding, k: int) -> list[str]:
    """Name the level of every column, and count the records that are left out."""
    gone = recoding.suppressed.size
    left = [f"{gone:,} records in classes of fewer than {k} are left out"] if gone else []
    return [recoding.summary(), *left]


def _suppression_note(own: Suppression, partition: Partition) -> str:
    """Say how many records are left out, and what the others lose."""
    gone = own.suppressed.size
    if not gone:
        return "no record is left out: the others would not lose less without any"
    words = (
        f"{gone:,} of {gone + partition.labels.size:,} records are left out: the others lose "
        f"{own.others:.4f} % of what all hold, {partition.information_loss:.4f} % with those "
        "counted as wholly lost"
    )
    before = "" if own.before is None else f"; quick groups of all lost {own.before:.4f} %"
    return (
        f"{words}{before}. The loss of the release and of its columns is of what the records hold "
        "that are released: compare runs by the figures of this note"
    )


def ended_early(stop: StopToken, blocks: bool = True) -> list[str]:
    """Return a note where an interrupt ended the searches of blocks, which keep no log."""
    if blocks and stop.finish:
        return ["an interrupt ended the searches early: another run finds other groups"]
    return []
