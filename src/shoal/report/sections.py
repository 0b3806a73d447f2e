"""Sections of a report, with the types of what each holds.

What a public report leaves out is missing there, or None.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict


class InputSection(TypedDict):
    """The table that was read: kind of file or dataframe, hash or commitment, size."""

    kind: str
    sha256: NotRequired[str | None]
    commitment: NotRequired[str | None]
    records: NotRequired[int]
    columns: int


class ReleaseSection(TypedDict):
    """The released table: columns and records; of a file its name, hash and how it is written."""

    columns: list[str]
    records: int
    group_column: NotRequired[str]
    kind: NotRequired[str]
    file: NotRequired[str]
    sha256: NotRequired[str]
    order: NotRequired[str]
    read_back_by: NotRequired[str]
    recipe: NotRequired[str]
    text: NotRequired[dict[str, str | dict[str, str]]]
    held_as: NotRequired[dict[str, str]]


class GroupsSection(TypedDict):
    """The groups: how many, of which sizes, and how many hold equal records alone."""

    count: int
    smallest: int
    largest: int
    without_spread: NotRequired[int]
    sizes: dict[str, int]


class CorrelationsSection(TypedDict):
    """Correlations of the quasi-identifiers of numbers, before and after."""

    columns: list[str]
    before: NotRequired[list[list[float | None]] | None]
    after: list[list[float | None]]


class GuaranteeSection(TypedDict):
    """What the guarantee covers, and what it does not, in sentences."""

    covers: list[str]
    does_not_cover: list[str]


class SearchSection(TypedDict):
    """How a search went, as `SearchLog` has it."""

    iterations: int
    runs: int
    schedule: int
    stopped_by: str
    seconds: float
    loss_start: float
    loss_first_optimum: float
    loss_end: float
    curve: list[tuple[int, float]]
    gains: dict[str, dict[str, float]]
    pairs_examined: int
    pairs_by_pass: list[float]
    complete: bool
    looks: int | None


class BoundSection(TypedDict):
    """What no grouping loses less than, and how far the groups are from it at most."""

    information_loss: float
    complete: bool
    at_most_above_percent: float | None
    told: str


class MissingSection(TypedDict, total=False):
    """Missing cells of quasi-identifiers, and what became of them."""

    cells: int | None
    records: int | None
    deleted: int | None
    filled: int | None
    suppressed: int | None
    suppressed_beside_missing: int
    suppressed_everywhere: int
    reading: str
    text: str


class SuppressedSection(TypedDict, total=False):
    """Records that were left out within a budget: how many, of which strata, and their cells.

    `budget` is the share that was allowed; `cells` counts by column those that were not missing.
    """

    budget: float
    records: int | None
    strata: dict[str, int | None]
    cells: dict[str, int | None]


class CostsSection(TypedDict, total=False):
    """What generalization cost, by the measures that people quote."""

    iloss_rate: float
    ncp: float
    non_uniform_entropy: float
    discernibility: int
    average_class_size: float
    deleted: int | None


class DominanceSection(TypedDict):
    """The p % rule of a column: what was asked, and what was found."""

    model: str
    column: str
    asked: float
    found: float | None
    ok: bool


class TotalSection(TypedDict):
    """The total of a column before and after, and by how much it drifted."""

    column: str
    before: NotRequired[float]
    after: float
    drift_percent: NotRequired[float]
    kept: NotRequired[bool]


class SurveySection(TypedDict, total=False):
    """The columns of the survey design."""

    weight: str
    weights_as: str
    by: list[str]
    household: str
    person: str


class StepCostSection(TypedDict):
    """What a step changed of a column, and what that lost."""

    column: str
    changed: int
    cells: int
    loss: float | None
    loss_name: str


class StepSection(TypedDict):
    """A step beside grouping: what it does to which columns, when, and what it cost of each."""

    kind: str
    text: str
    when: str
    columns: list[str]
    costs: NotRequired[list[StepCostSection]]


class StepsRiskSection(TypedDict, total=False):
    """How often kept columns that steps change link a person to a record, before and after."""

    columns: list[str]
    before: float
    after: float


class DriftSection(TypedDict):
    """The published means of a column over the releases of a stable series; dates are in days.

    Each mean lies between the number and that plus its step.
    """

    column: str
    kind: str
    releases: list[int]
    means: list[float]
    steps: list[float]


class SeriesSection(TypedDict, total=False):
    """A release of a series: its number in the ledger, what is promised over all of them.

    `withheld` people were left out, `counterfeits` are records that are nobody's; `drift` is that
    of a stable series.
    """

    release: int
    promises: list[str]
    withheld: int
    counterfeits: int
    drift: list[DriftSection]


class RoundedFigure(TypedDict):
    """A figure that may be published, and the step of its rounding; None where it may not be."""

    value: float | None
    step: float | None


class LossSection(TypedDict, total=False):
    """The loss that a public report tells: at most so many percent; empty in a private one."""

    value: float | None
    step: float


class AskedSection(TypedDict, total=False):
    """What was asked beyond k, for all columns or by name."""

    l: float | dict[str, float]  # noqa: E741 - its name in the literature
    l_kind: str
    c: float
    t: float | dict[str, float]
    alpha: float | dict[str, float]
    beta: float | dict[str, float]
    beta_kind: str
    delta: float | dict[str, float]
    e: float | dict[str, float]
    l_of: dict[str, int]
    dominance: float | dict[str, float]
    k_of: dict[str, int]
    missing_sensitive: str


class PublicSection(TypedDict, total=False):
    """Figures of the original that may be published, each with the step of its rounding."""

    loss: RoundedFigure
    columns: dict[str, dict[str, RoundedFigure | dict[str, RoundedFigure]]]
    missing: dict[str, RoundedFigure]
    suppressed: dict[str, RoundedFigure | dict[str, RoundedFigure]]
    gaps: dict[str, RoundedFigure]
    linked: dict[str, RoundedFigure]
