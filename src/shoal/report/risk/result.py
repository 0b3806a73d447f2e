"""Risk: figures of a table's own risk, what each column does, and the records' own risks."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field

from shoal.errors import Json, in_html, shown
from shoal.hints import said
from shoal.measures.disclosure.figures import ColumnRisk, Figure, SetRisk
from shoal.report.plots import Chart
from shoal.report.public.rounding import Stable
from shoal.report.risk.charts import uniqueness_by_column
from shoal.report.risk.lines import PRIVATE, column_lines, figure_lines, set_lines
from shoal.table.source import Source
from shoal.table.table import Table

SCHEMA = "shoal-risk/1"


@dataclass(frozen=True)
class Models:
    """Estimates of models: population uniqueness by each, and the steps of the log-linear one.

    A step is the pairs of columns with two-way effects, the bias of the risk and its z.
    """

    population_uniques: dict[str, float | None] = field(default_factory=dict)
    chosen: str = ""
    steps: tuple[tuple[tuple[str, ...], float, float], ...] = ()
    step: int | None = None
    fits: bool | None = None


@dataclass(frozen=True, eq=False)
class Risk:
    """How risky a table is as it is. All of it is private but what `public()` returns.

    `figures` by key, each with a sentence, a formula and a source; `columns` and `sets`, what each
    quasi-identifier and each set of them does to uniqueness; `records`, the risk of every record in
    the type of the caller's table; `notes`, what was decided or left out. `unique` is how many
    records are alone by all quasi-identifiers, missing cells being values.
    """

    figures: dict[str, Figure]
    columns: tuple[ColumnRisk, ...]
    sets: tuple[SetRisk, ...]
    models: Models
    table: Table
    source: Source
    stable: dict[str, Stable]
    rows: int
    unique: int
    k: int
    threshold: float
    missing_as: str
    sampled: int | None
    notes: tuple[str, ...]
    seconds: float

    def __getitem__(self, key: str) -> Figure:
        return self.figures[key]

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The quasi-identifiers, in order."""
        return tuple(column.name for column in self.columns)

    @property
    def records(self) -> object:
        """The risks of the records, in the order of the table and the caller's type.

        `class_size` records match it, `population` people do, `risk` is the chance of a right link,
        `household_risk` that of anybody of the household, `model_risk` that of a unique record by
        the log-linear model; `suda` and `dis_suda` are its scores, `special_unique` whether some
        columns alone make it unique, `smallest_set` how many. Private: a line a person.
        """
        from shoal.table.dataframes.alike import alike

        return alike(self.table, self.source)

    def chart(self) -> Chart:
        """Return the chart of what each column does to uniqueness."""
        return Chart(uniqueness_by_column(self.columns, self.rows, self.unique))

    def public(self) -> dict[str, Json]:
        """Return what may be published: figures that k people change by at most one step."""
        figures = {key: one.to_dict() for key, one in self.stable.items()}
        return {
            "schema": SCHEMA,
            "audience": "public",
            "quasi_identifiers": list(self.quasi_identifiers),
            "k": self.k,
            "figures": {key: one for key, one in figures.items() if one["value"] is not None},
        }

    def to_dict(self) -> dict[str, Json]:
        """Return plain values for JSON; no record is in them."""
        return {
            "schema": SCHEMA,
            "audience": "private",
            "records": self.rows,
            "quasi_identifiers": list(self.quasi_identifiers),
            "k": self.k,
            "threshold": self.threshold,
            "missing_as": self.missing_as,
            "figures": {key: dict(one.to_dict()) for key, one in self.figures.items()},
            "columns": [asdict(column) for column in self.columns],
            "sets": [{**asdict(one), "columns": list(one.columns)} for one in self.sets],
            "sets_sampled": self.sampled,
            "models": json.loads(json.dumps(asdict(self.models))),
            "notes": [said(note) for note in self.notes],
            "seconds": round(self.seconds, 3),
        }

    def to_json(self) -> str:
        """Return the risk as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"

    def summary(self) -> str:
        """Return figures, columns and sets as lines of text."""
        names = ", ".join(shown(name)[1:-1] for name in self.quasi_identifiers)
        lines = [f"{self.rows:,} records by {names}", "", "How risky the file is as it is"]
        lines += figure_lines(self.figures)
        lines += ["", "Which columns make people unique"]
        lines += column_lines(self.columns, self.rows, self.k)
        lines += set_lines(self.sets, self.sampled or self.rows, self.sampled)
        lines += [""] if self.notes else []
        lines += [f"  note: {said(note)}" for note in self.notes]
        return "\n".join([*lines, "", PRIVATE])

    def __str__(self) -> str:
        sentences = [f"  {one.sentence}" for one in self.figures.values()]
        return "\n".join([self.summary(), "", "In words:", *sentences])

    def __repr__(self) -> str:
        names = ", ".join(map(shown, self.quasi_identifiers))
        unique = self.figures["sample_uniques"].text
        return f"<Risk of {names}: {self.rows} records, {unique} unique>"

    def _repr_html_(self) -> str:
        rows: list[tuple[str, ...]] = [("risk", "value", "what it means")]
        rows += [(one.title, one.text, one.sentence) for one in self.figures.values()]
        notes = [said(note) for note in self.notes]
        return in_html(self.summary().splitlines()[0], [*notes, PRIVATE], rows)
