"""Report: what was done, its loss, and what the guarantee covers. It has no record value."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass

from shoal.errors import Json
from shoal.hints import said
from shoal.report.contents import contents
from shoal.report.fields import ColumnReport, ReportFields, plain, short, verdict_text
from shoal.report.html.document import page
from shoal.report.html.document import short as short_form
from shoal.report.plots import Chart, named_charts
from shoal.report.public.keys import only_public
from shoal.report.public.report import public_fields
from shoal.report.remaining_risks import remaining_risks
from shoal.report.steps import risk_line, step_lines
from shoal.settings.hints import stored

SCHEMA = "shoal-report/1"
PRIVATELY = "private: figures of the original are exact here; do not publish them"


@dataclass(frozen=True)
class Report(ReportFields):
    """The whole record of a run, as text and as JSON of a stated version.

    It is for the steward: exact, `audience` private. `published()` is what may stand beside the
    release: figures of the original that no k people change by more than a step of their rounding
    (see `shoal.report.public`); `public` holds these, `public_notes` what may be said with them.

    `asked` is what was asked beyond k, as a recipe says it; `measures` what it cost and which
    risks are left, as `shoal.Measures` says it; `totals` are those of columns that release means,
    by survey weights where there are some, and by how much rounding moved them, and those of kept
    columns that rounding or released weights changed; `survey` names the
    columns of weight, strata and household; `rounded` says to multiples of what kept columns were
    rounded; `enforced` is how the groups came to keep what is asked beyond k: none (as the method
    made them), swap, slices or merge. `rounding_loss` is how much of the loss is due to rounding;
    `constant` names the quasi-identifiers with one value in the whole release, `made_constant`
    those of them that had several before. `steps` are those beside grouping, in their order, with
    what each cost, and `steps_risk` how often the columns that they change link a person to a
    record, before and after. `series` is what is promised over a series of releases, and how its
    means drift. `verdict` is safe, "safe, but" or not safe
    (`fields.py`).
    """

    def published(
        self, commitment: str | None = None, hierarchies: Mapping[str, str] | None = None
    ) -> Report:
        """Return the report that may stand beside the release.

        `commitment` is what its input is known by, `hierarchies` the same of files of hierarchies,
        by column.
        """
        return (
            self if self.is_public else Report(**public_fields(self, commitment, hierarchies or {}))
        )

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON; a public report holds public keys alone."""
        tree = asdict(self)
        tree |= {key: [stored(note) for note in tree[key]] for key in ("notes", "public_notes")}
        return only_public(tree) if self.is_public else tree

    def to_json(self) -> str:
        """Return the report as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def to_html(self) -> str:
        """Return the report as one page that needs nothing else: no script, no request."""
        return page(self)

    def charts(self) -> dict[str, Chart]:
        """Return the charts by name: columns by theirs, "group sizes", "loss by column" and more.

        Each has `to_svg`, `to_png`, `to_altair` and `save`: `charts()["age"].to_png("age.png")`.
        Columns that release no numbers have none here; `Result.plot.column` draws them.
        """
        return named_charts(self)

    def summary(self) -> str:
        """Return a summary in a few lines."""
        lines = [
            f"{self.release['records']:,} records in {self.groups['count']:,} groups of "
            f"{self.group_span()} (k = {self.k}, {self.made_by()})",
            f"information loss {self.loss_text()}{self.compared_loss()}",
            *self.constant_notes(),
            *([] if self.bound is None else [f"the grouping is {self.bound['told']}"]),
            verdict_text(self.verdict, self.measures),
            self._verdict(),
            *(f"  {plain(line, 500)}" for line in self.beyond_k()),
            *(f"at worst: {plain(line, 500)}" for line in self.worst()),
            *(f"risk: {plain(line, 500)}" for line in remaining_risks(self.measures, self.k)[:3]),
        ]
        width = max(16, *(len(plain(column.name)) for column in self.columns))
        lines.append("")
        numeric = all(column.mean_before is not None for column in self.columns)
        what = "mean before → after" if numeric else "what became of it"
        lines.append(f"  {'quasi-identifier':<{width}}  loss %  {what}")
        lines.extend(
            f"  {plain(c.name):<{width}}  {self.column_loss(c):>6}  {_change_text(c, numeric)}"
            for c in self.columns
        )
        lines.append("")
        if self.missing.get("text") and (self.missing["cells"] or self.missing["deleted"]):
            lines.append(f"  missing: {self.missing['text']}")
        lines += [f"  {what}: {', '.join(map(plain, names))}" for what, names in contents(self)]
        for number, (text, cost) in enumerate(step_lines(self), 1):
            lines.append(f"  step {number}: {plain(text, 500)}" + (f" ({cost})" if cost else ""))
        if self.steps_risk:
            lines.append(f"  steps: {plain(risk_line(self.steps_risk), 500)}")
        lines.extend(f"  note: {plain(said(note), 500)}" for note in self.notes)
        if not self.is_public:
            lines.append(f"  {PRIVATELY}")
        return "\n".join(lines)

    def _verdict(self) -> str:
        if not self.verification["ok"]:
            return "NOT verified"
        if self.survey.get("person"):
            return (
                "verified: every combination of quasi-identifiers is shared by at least "
                f"{self.k} people"
            )
        return (
            f"verified: every combination of quasi-identifiers is shared by at least "
            f"{self.verification['k']} records"
        )

    def __repr__(self) -> str:
        return f"<Report: {self.summary().splitlines()[0]}>"

    def _repr_html_(self) -> str:
        return short_form(self)

    def __str__(self) -> str:
        covers = [f"  + {line}" for line in self.guarantee["covers"]]
        not_covered = [f"  - {line}" for line in self.guarantee["does_not_cover"]]
        return "\n".join([self.summary(), "", "What the guarantee covers:", *covers,
                          "What it does not cover:", *not_covered])  # fmt: skip


def _change_text(column: ColumnReport, numeric: bool) -> str:
    """Return what happened to a column: its means, or how many cells were generalized."""
    star = f", {column.suppressed:,} suppressed" if column.suppressed else ""
    if column.mean_before is not None:
        word = "" if numeric else "mean "
        return f"{word}{short(column.mean_before)} → {short(column.mean_after)}{star}"
    what = "generalized" if column.released_as in ("generalize", "range") else "changed"
    if column.unchanged is None:
        return column.released_as
    return f"{column.unchanged:,} cells kept, {column.generalized:,} {what}{star}"
