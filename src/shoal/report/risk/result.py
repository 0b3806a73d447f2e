"""Risk: figures of a table's own risk, what each column does, and the records' own risks."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field

from shoal.errors import Json, in_html, shown
from shoal.hints import said
from shoal.measures.disclosure.figures import ColumnRisk, Figure, SetRisk
from shoal.report.charts import AFTER, BEFORE, ROOM, Spec, name_of, spec_of
from shoal.report.plots import Chart
from shoal.report.public.rounding import Stable
from shoal.table.source import Source
from shoal.table.table import Table

PRIVATE = "private: figures of the original are exact here; do not publish them"
SHOWN = 3  # sets of each size
SIZES = 3  # up to which sets are shown
WHAT = ("as it is", "one level coarser", "left out")
COLORS = [AFTER, "#c9a227", BEFORE]
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


def uniqueness_by_column(columns: Sequence[ColumnRisk], rows: int, whole: int) -> Spec:
    """How many records are unique if a column is left as it is, made coarser, or left out.

    `whole` is how many are unique by all columns as they are.
    """
    values = []
    for column in columns:
        coarser = None if column.coarser is None else column.coarser.unique
        for what, count in zip(WHAT, (whole, coarser, column.unique_without), strict=True):
            if count is not None:
                share = round(100.0 * count / rows, 4)
                values.append({"column": name_of(column.name), "what": what, "unique": share})
    encoding = {
        "y": {"field": "column", "type": "nominal", "sort": None, "title": None},
        "yOffset": {"field": "what", "sort": list(WHAT)},
        "x": {"field": "unique", "type": "quantitative", "title": "unique records, percent"},
        "color": {"field": "what", "type": "nominal", "title": None,
                  "scale": {"domain": list(WHAT), "range": COLORS}},
    }  # fmt: skip
    height = {"step": 12}
    return spec_of(values, padding=ROOM, height=height, mark={"type": "bar"}, encoding=encoding)


def percent(part: float, whole: float) -> str:
    """Return a share as people write it."""
    share = 100.0 * part / whole if whole else 0.0
    return f"{share:.2f} %" if share < 10 else f"{share:.1f} %"


def figure_lines(figures: Mapping[str, Figure]) -> list[str]:
    """Return a line for every figure."""
    width = max(len(one.title) for one in figures.values())
    return [
        f"  {one.title:<{width}}  {one.text:>9}" + (f"  ({one.rest})" if one.rest else "")
        for one in figures.values()
    ]


def column_lines(columns: Sequence[ColumnRisk], rows: int, k: int) -> list[str]:
    """Return a table of columns: uniqueness by each, without it, and with a coarser one."""
    head = ("column", "values", "separation", "alone", "without", f"below {k}", "SUDA", "coarser",
            "values")  # fmt: skip
    body = [
        (
            shown(one.name, 24)[1:-1],
            f"{one.distinct:,}",
            f"{one.separation:.4f}",
            percent(one.unique, rows),
            percent(one.unique_without, rows),
            percent(one.below_without, rows),
            "" if one.share is None else f"{100 * one.share:.0f} %",
            "" if one.coarser is None else percent(one.coarser.unique, rows),
            "" if one.coarser is None else f"{one.coarser.distinct:,}",
        )
        for one in columns
    ]
    key = (
        "  alone: unique by this column alone; without: unique by all others, and in classes below "
        f"{k};\n  SUDA: its share of the scores of unique records; coarser: unique if it were one "
        "level up\n  its hierarchy, which leaves so many values"
    )
    return [*aligned([head, *body]), key]


def set_lines(sets: Sequence[SetRisk], rows: int, sampled: int | None) -> list[str]:
    """Return the sets of columns that make most records unique, of each size."""
    several = [one for one in sets if 1 < len(one.columns) <= SIZES]
    if not several:
        return []
    title = "Which sets of columns make most people unique"
    if sampled is not None:
        title += f" (counted in a sample of {sampled:,} records: fewer are in the file)"
    lines = ["", title]
    body = [("columns", "unique", "distinction", "separation")]
    for size in range(2, SIZES + 1):
        best = [one for one in several if len(one.columns) == size][:SHOWN]
        body += [
            (
                ", ".join(shown(name, 24)[1:-1] for name in one.columns),
                percent(one.unique, rows),
                f"{one.distinction:.4f}",
                f"{one.separation:.4f}",
            )
            for one in best
        ]
    return [*lines, *aligned(body)]


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return cells as lines, the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  " + "  ".join(
            f"{cell:<{width}}" if at == 0 else f"{cell:>{width}}"
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]  # fmt: skip
