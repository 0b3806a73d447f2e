"""What `Verification.to_dict` returns, with the types of what it holds."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from shoal.errors import Json


class SizesSection(TypedDict):
    """Sizes of equivalence classes: least, median, largest, and how many have each.

    The last row of the table may stand for all larger ones: its size is "and more".
    """

    least: int
    median: float
    largest: int
    squares: int
    table: list[dict[str, int | str]]


class ModelSection(TypedDict):
    """A privacy model of a sensitive column: what was asked, what the worst class has."""

    model: str
    column: str
    asked: float
    found: float | None
    ok: bool
    classes: int
    records: int
    reachable: bool
    distance: str | None
    certain: float | None
    posterior: list[float]
    readings: dict[str, dict[str, float | bool | None]]


class SubsetSection(TypedDict):
    """Some quasi-identifiers with a k of their own: what was asked, what was found."""

    columns: list[str]
    asked: int
    found: int
    ok: bool
    classes: int
    records: int
    reachable: bool


class OffendingSection(TypedDict):
    """A class that breaks something: its number, size, first record, and what it breaks."""

    number: int
    size: int
    first_record: int
    breaks: list[str]


class BesideSection(TypedDict):
    """A column that nobody asked about, and the share of records that it tells apart."""

    column: str
    alone: float


class SharedSection(TypedDict):
    """With how many others people share their classes in two releases."""

    people: int
    smallest: int | None
    below: int
    unknown: int
    how: list[str]


class MeetingSection(TypedDict):
    """This release met with another one, as `Composition` has it."""

    smallest: int | None
    pairs: int
    below: int
    records: int
    columns: list[str]
    sensitive: list[str]
    roles: list[str]
    unjudged: list[str]
    shared: SharedSection | None
    judged: bool


class VerificationSection(TypedDict):
    """What the judge found in the release, as `Verification.to_dict` has it."""

    ok: bool
    k: int
    required: int
    records: int
    classes: int
    problems: list[str]
    reading: str
    readings: dict[str, int | None]
    sizes: SizesSection
    models: list[ModelSection]
    k_of: list[SubsetSection]
    offending: list[OffendingSection]
    offending_count: int
    against: MeetingSection | None
    warnings: list[str]
    beside: NotRequired[list[BesideSection]]
    apart: NotRequired[list[str]]
    required_by: NotRequired[str]
    roles: NotRequired[str]
    roles_of_sensitive: NotRequired[str]
    reader: NotRequired[str]
    engine: NotRequired[dict[str, Json]]
