"""Proposal of a column: role, hierarchy, order and reading, each with its reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from shoal.table.integer_codes import may_be_codes
from shoal.table.proposals.content import Content, content_of
from shoal.table.proposals.meanings import Meaning
from shoal.table.proposals.roles import PERSON, RECORDS, RoleProposal, propose_role
from shoal.table.proposals.scales import scale_of
from shoal.table.proposals.trees import TreeProposal, propose_tree
from shoal.table.roles import Column, Kind, Role

WORDS = 12  # different words that a scale has at most
CATEGORIES = (
    Meaning.SEX, Meaning.PLACE, Meaning.ORIGIN, Meaning.OCCUPATION, Meaning.UNIT, Meaning.DIAGNOSIS,
    Meaning.BELIEF,
)  # fmt: skip


@dataclass(frozen=True)
class ColumnProposal:
    """What is proposed for a column.

    `order` is a known scale that holds its words; `is_codes` tells that its whole numbers are codes
    of categories, `is_text` that it can only be read as text.
    """

    name: str
    role: RoleProposal
    different: int
    missing: int
    present: int
    tree: TreeProposal | None = None
    order: tuple[str, ...] | None = None
    is_codes: bool = False
    is_text: bool = False

    @property
    def repeats(self) -> bool:
        """Whether records share values."""
        return self.different < self.present


def propose_column(column: Column, rows: int) -> ColumnProposal:
    """Return what is proposed for a column of a table with so many records."""
    content = content_of(column, rows)
    role = propose_role(content)
    counts = content.different, rows - content.present, content.present
    if role.role != Role.QUASI_IDENTIFIER:
        return ColumnProposal(column.name, role, *counts)
    coded = content.meaning in CATEGORIES and may_be_codes(column, content.different, rows)
    tree = None if coded else propose_tree(content)
    order = _order(content)
    return ColumnProposal(column.name, role, *counts, tree, order, coded, bool(column.doubt))


def _order(content: Content) -> tuple[str, ...] | None:
    """Return the known scale that the words of a column are from."""
    if content.kind is not Kind.TEXT or content.column.is_ordinal or content.different > WORDS:
        return None
    return scale_of([one for one in content.column.values.unique().to_pylist() if one is not None])


def with_person(proposals: Sequence[ColumnProposal]) -> list[ColumnProposal]:
    """Return the proposals with one that says whose record each is, where every identifier repeats.

    A run refuses such a table unless it is said what to count.
    """
    naming = [one for one in proposals if one.role.role == Role.IDENTIFIER]
    if any(one.role.use or not one.repeats for one in naming):
        return list(proposals)
    whole = [one.name for one in naming if not one.missing]
    first = (whole or [one.name for one in naming])[:1]
    return [_as_person(one) if one.name in first else one for one in proposals]


def _as_person(one: ColumnProposal) -> ColumnProposal:
    """Return a proposal that a column says whose record each is; with gaps, records count."""
    why, use = "it repeats, and nothing else says whose record each is", PERSON
    if one.missing:
        why, use = "it repeats and is missing in places, so that records count, not people", RECORDS
    return replace(one, role=replace(one.role, reason=f"{one.role.reason}; {why}", use=use))
