"""The fields of a report and its figures in words, for all that renders it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import listed, shown
from shoal.hints import Message
from shoal.judge.requirement import OF_COLUMNS
from shoal.judge.sections import VerificationSection
from shoal.judge.verdict import STRICT, digits_beside
from shoal.measures.histogram import Histogram
from shoal.measures.result import figure_text
from shoal.measures.sections import MeasuresSection
from shoal.report.sections import (
    AskedSection,
    BoundSection,
    CorrelationsSection,
    CostsSection,
    DominanceSection,
    GroupsSection,
    GuaranteeSection,
    InputSection,
    LossSection,
    MissingSection,
    PublicSection,
    ReleaseSection,
    SearchSection,
    SeriesSection,
    StepSection,
    StepsRiskSection,
    SuppressedSection,
    SurveySection,
    TotalSection,
)
from shoal.report.worst import worst_utility

SAFE, BUT, NOT_SAFE = "safe", "safe, but", "not safe"
MOST = 5.0  # percent of the records that kept columns may single out within their class
PRIVATE, PUBLIC = "private", "public"
BEYOND = (*OF_COLUMNS, "l_of", "dominance")
ENFORCED = {
    "none": "in its own groups",
    "swap": "by swapping records of its groups",
    "merge": "by merging its groups",
    "slices": "by slices in place of its groups",
    "levels": "by the levels of its columns",
}


@dataclass(frozen=True)
class ColumnReport:
    """One quasi-identifier before and after; means of dates are dates, variances in days².

    `information_loss` is SSE/SST in percent for a column of numbers that stayed one and, on ranks,
    for medians of an ordinal one, ILoss in percent for what is generalized; only numbers have
    means, variances and a histogram. `rounding_loss` is how much of SSE/SST is due to rounding
    means to the precision of the data, or to one of two values. `loss` is what may be published of
    it, with the step of its rounding; `steps` are those of other figures. `released_as` is what a
    group's value is; unchanged, generalized and suppressed (`*`) count the cells that were there,
    `missing` those that were not, `filled` those of them that are released as their group's
    value; `hierarchy` says where the tree is from, `levels` how many there
    are, and `level` which one all records are released at, 0 as they were, where it is one. None is
    what a public report does not tell.
    """

    name: str
    kind: str
    information_loss: float | None
    released_as: str
    unchanged: int | None
    generalized: int | None
    suppressed: int | None
    missing: int | None
    hierarchy: str | None = None
    levels: int | None = None
    level: int | None = None
    mean_before: float | str | None = None
    mean_after: float | str | None = None
    variance_before: float | None = None
    variance_after: float | None = None
    histogram: Histogram | None = None
    rounding_loss: float | None = None
    filled: int | None = 0
    loss: LossSection = field(default_factory=LossSection)
    steps: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class ReportFields:
    """The fields of a Report, and its figures in words; `Report` documents them."""

    schema: str
    versions: dict[str, str]
    method: str
    k: int
    seed: int | None
    aggregate: str
    input: InputSection
    release: ReleaseSection
    roles: dict[str, list[str]]
    groups: GroupsSection
    verification: VerificationSection
    information_loss: float | None
    information_loss_released: float | None
    loss_name: str
    columns: list[ColumnReport]
    correlations: CorrelationsSection
    guarantee: GuaranteeSection
    notes: list[str]
    seconds: float | None
    search: SearchSection | None = None
    bound: BoundSection | None = None
    missing: MissingSection = field(default_factory=MissingSection)
    costs: CostsSection | None = None
    dominance: list[DominanceSection] = field(default_factory=list)
    asked: AskedSection = field(default_factory=AskedSection)
    measures: MeasuresSection | None = None
    totals: list[TotalSection] = field(default_factory=list)
    survey: SurveySection = field(default_factory=SurveySection)
    audience: str = PRIVATE
    loss: LossSection = field(default_factory=LossSection)
    public: PublicSection = field(default_factory=PublicSection)
    public_notes: list[str] = field(default_factory=list)
    rounded: dict[str, float] = field(default_factory=dict)
    enforced: str = ""
    rounding_loss: float | None = None
    constant: list[str] = field(default_factory=list)
    made_constant: list[str] = field(default_factory=list)
    steps: list[StepSection] = field(default_factory=list)
    steps_risk: StepsRiskSection = field(default_factory=StepsRiskSection)
    verdict: str = ""
    suppressed: SuppressedSection = field(default_factory=SuppressedSection)
    series: SeriesSection = field(default_factory=SeriesSection)

    def __post_init__(self) -> None:
        """Decide the verdict, and take notes for what they are: messages that name options."""
        for name in ("notes", "public_notes"):
            object.__setattr__(self, name, [Message(note) for note in getattr(self, name)])
        object.__setattr__(self, "verdict", verdict_of(self.verification, self.measures))

    @property
    def is_public(self) -> bool:
        """Whether it may be published."""
        return self.audience == PUBLIC

    @property
    def exact_loss(self) -> float:
        """What the release lost, in percent; a public report does not hold it."""
        if self.information_loss_released is None:
            raise ValueError("a public report does not hold the exact loss")
        return self.information_loss_released

    def loss_text(self) -> str:
        """Return how much was lost, of what."""
        if not self.is_public:
            rounding = f"{self.rounding_loss or 0.0:.2f}"
            more = "" if rounding == "0.00" else f", {rounding} points of it by rounding"
            return f"{self.exact_loss:.2f} % of {self.loss_of()}{more}"
        if self.loss.get("value") is None:
            return "is not told: of so few records it would tell too much"
        return f"at most {self.loss['value']:g} % of {self.loss_of()}"

    def compared_loss(self) -> str:
        """Return the loss by which methods of any kind can be compared: NCP, beside their own.

        Methods minimize SSE/SST or ILoss, which say nothing of each other: a mean has no ILoss, a
        category no SSE. NCP is how much of a column's range the group of a cell leaves open,
        whatever the group releases. A public report does not hold it.
        """
        ncp = None if self.measures is None else self.measures["utility"].get("ncp")
        if self.is_public or ncp is None:
            return ""
        return f"; NCP {figure_text(ncp['value'], 'percent')}, to compare methods by"

    def worst(self) -> list[str]:
        """Return the worst figures of utility with their columns, a line each.

        Of a public report these are the rounded ones: the loss of a column, the gap of a
        distribution.
        """
        lines = worst_utility(self.measures, self.is_public)
        each = ((column.name, column.loss.get("value")) for column in self.columns)
        losses = {name: loss for name, loss in each if loss is not None}
        if self.is_public and losses:
            name = max(losses, key=lambda name: losses[name])
            lines.insert(0, f"loss of {shown(name)}: at most {losses[name]:g} %")
        return lines

    def constant_notes(self) -> list[str]:
        """Return a note on columns that are constant in the release."""
        names = self.constant if self.is_public else self.made_constant
        if not names:
            return []
        if self.is_public:
            return [f"{listed(names)}: one value in the whole release"]
        verb = "has" if len(names) == 1 else "have"
        return [f"{listed(names)} {verb} become constant: one value in the whole release"]

    def column_loss(self, column: ColumnReport) -> str:
        """Return the loss of a column in percent; a dash where it is not public."""
        if not self.is_public:
            return _percent(column.information_loss)
        value = column.loss.get("value")
        return "–" if value is None else f"≤ {value:g}"

    def loss_of(self) -> str:
        """Return what the loss is a share of."""
        if self.is_public:
            numeric = ("mean", "median", "majority", "stratum")
            numbers = all(c.released_as in numeric for c in self.columns)
            return (
                "what a cell could say, on average"
                if not numbers
                else ("the released range of its column, a cell on average")
            )
        if self.costs is None:
            return "the variation (SSE/SST)"
        words = all(column.released_as in ("generalize", "range") for column in self.columns)
        return f"what the cells said ({'ILoss' if words else 'mean of the columns'})"

    def beyond_k(self) -> list[str]:
        """Return the requirements beyond k and their figures, a line each."""
        lines = [
            f"{one['model']} of {shown(one['column'])}: {found_text(one)}, asked: "
            f"{bound(one)} {short(one['asked'])}"
            for one in [*self.verification.get("models", ()), *self.dominance]
        ]
        return lines + [
            f"own k of {listed(one['columns'])}: {one['found']}, asked: at least {one['asked']}"
            for one in self.verification.get("k_of", ())
        ]

    def made_by(self) -> str:
        """Return the method, and how requirements beyond k were enforced."""
        asked: Mapping[str, Any] = self.asked
        models = [_wanted(key, asked[key]) for key in BEYOND if key in asked]
        if not self.enforced or not models:
            return f"method {self.method}"
        enforcements = [ENFORCED.get(one, one) for one in self.enforced.split(" and ")]
        return f"method {self.method}, {', '.join(models)} {' and '.join(enforcements)}"

    def group_span(self) -> str:
        """Return the sizes of the groups in words: "5" or "5 to 9"."""
        low, high = self.groups["smallest"], self.groups["largest"]
        return f"{low}" if low == high else f"{low} to {high}"


def _wanted(key: str, value: Any) -> str:
    """Return a requirement beyond k in words, with its threshold where it is for all columns."""
    return key if isinstance(value, Mapping) else f"{key} = {short(value)}"


def bound(judged: Mapping[str, Any]) -> str:
    """Return whether a model asks for at least or at most its number."""
    if judged["model"].startswith(("distinct", "entropy", "(k,e)", "p % rule")):
        return "at least"
    return "below" if judged["model"].startswith(STRICT) else "at most"


def found_text(judged: Mapping[str, Any], digits: int = 6) -> str:
    """Return the figure of the worst class; a dash where it is not public."""
    worst = judged["found"]
    return "–" if worst is None else digits_beside(worst, judged["asked"], digits)


def plain(name: str, limit: int = 60) -> str:
    """Return a name on one line, without control signs."""
    return shown(name, limit)[1:-1]


def short(value: float | str | None) -> str:
    """Return a figure in six digits; a dash where there is none."""
    return value if isinstance(value, str) else "–" if value is None else f"{value:.6g}"


def _percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def verdict_of(verification: Mapping[str, Any], measures: Mapping[str, Any] | None) -> str:
    """Return the verdict: what was asked must be verified, and kept columns count beside it."""
    if not verification.get("ok"):
        return NOT_SAFE
    return BUT if singled_out(measures) > MOST else SAFE


def singled_out(measures: Mapping[str, Any] | None) -> float:
    """Return the share of records that kept columns single out within their class, in percent."""
    linkage = (measures or {}).get("risk", {}).get("kept_linkage")
    return 0.0 if linkage is None else float(linkage["value"])


def verdict_text(verdict: str, measures: Mapping[str, Any] | None) -> str:
    """Return the verdict in words."""
    if verdict == BUT:
        share = figure_text(singled_out(measures), "percent")
        return f"safe as asked, but kept columns single out {share} of the records"
    return "safe as asked" if verdict == SAFE else "not safe"
