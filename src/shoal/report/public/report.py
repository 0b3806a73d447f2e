"""The public report: figures of the release, and stable figures of the original."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from shoal.measures.definitions import DEFINITIONS
from shoal.measures.histogram import Histogram
from shoal.report.chunk import days_text, left_out_text, missing_text
from shoal.report.fields import ColumnReport, ReportFields
from shoal.report.public.keys import MEASURES, RELEASE, only_public

NONE: dict[str, Any] = {"value": None, "step": None}
WEIGHED = ("marketer", "stratum_marketer", "journalist", "population_uniques")
ORDERED = "the rows are in the input's order, which may link them to it"


def public_fields(
    report: ReportFields, commitment: str | None, hierarchies: Mapping[str, str]
) -> dict[str, Any]:
    """Return the fields of the report that may stand beside the release."""
    figures = report.public
    columns = [_column(column, report, hierarchies) for column in report.columns]
    totals = [{"column": one["column"], "after": one["after"]} for one in report.totals]
    if report.survey.get("weight"):  # these are by exact weights, which the release does not tell
        columns = [replace(one, mean_after=None, variance_after=None) for one in columns]
        totals = []
    notes = list(report.public_notes)
    if report.release.get("order") == "as in the input":
        notes.append(ORDERED)
    changes: dict[str, Any] = {
        "audience": "public",
        "seed": None,
        "input": {"kind": report.input["kind"], "commitment": commitment,
               "columns": report.input["columns"]},
        "groups": _classes(report.verification),
        "information_loss": None,
        "information_loss_released": None,
        "loss": figures.get("loss", NONE),
        "columns": columns,
        "correlations": {key: report.correlations[key] for key in ("columns", "after")},
        "notes": notes,
        "public_notes": notes,
        "seconds": None,
        "search": None,
        "bound": None,
        "missing": _missing(columns, report),
        "suppressed": _suppressed(report),
        "costs": None if report.costs is None else _costs(report),
        "dominance": [{**one, "found": None} for one in report.dominance],
        "measures": None if report.measures is None else _measures(report),
        "totals": totals,
        "public": {},
    }  # fmt: skip
    return restored_fields(only_public(asdict(replace(report, **changes))))


def restored_fields(tree: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the public report in a JSON tree; what is missing there is None."""
    columns = [
        ColumnReport(**{**UNTOLD_COLUMN, **one, "histogram": _restored_bars(one.get("histogram"))})
        for one in tree["columns"]
    ]
    whole = {**UNTOLD, **tree, "columns": columns, "notes": list(tree.get("public_notes", ()))}
    for key in ("missing", "correlations"):
        whole[key] = {**UNTOLD[key], **tree.get(key, {})}
    whole["dominance"] = [{**one, "found": None} for one in tree.get("dominance", ())]
    return whole


def _restored_bars(bars: Mapping[str, Any] | None) -> Histogram | None:
    return None if bars is None else Histogram(**{"hidden": 0, **bars})


UNTOLD_COLUMN: dict[str, Any] = dict.fromkeys(
    ("information_loss", "unchanged", "generalized", "suppressed", "missing")
)
UNTOLD: dict[str, Any] = {
    "seed": None,
    "information_loss": None,
    "information_loss_released": None,
    "loss_name": "",
    "correlations": {"columns": [], "after": []},
    "seconds": None,
    "missing": dict.fromkeys(
        ("cells", "records", "deleted", "filled", "suppressed", "suppressed_everywhere", "reading")
    )
    | {"text": ""},
}


def _classes(verification: Mapping[str, Any]) -> dict[str, Any]:
    """Return how many classes the release has, of which sizes."""
    sizes = verification["sizes"]
    return {
        "count": verification["classes"],
        "smallest": sizes["least"],
        "largest": sizes["largest"],
        "sizes": {str(row["size"]): row["classes"] for row in sizes["table"]},
    }


def _column(
    column: ColumnReport, report: ReportFields, hierarchies: Mapping[str, str]
) -> ColumnReport:
    public: Mapping[str, Any] = report.public
    own = public.get("columns", {}).get(column.name, {})
    unchanged, missing, filled, mean = (
        own.get(key, NONE) for key in ("unchanged", "missing", "filled", "mean")
    )
    stars = _count(column.suppressed) + _count(column.missing) - _count(column.filled)
    rows = report.release["records"] - report.series.get("counterfeits", 0)
    kept = rows - stars - int(filled["value"] or 0)
    steps = {"cells": unchanged["step"], "mean_before": mean["step"]}
    return replace(
        column,
        information_loss=None,
        loss=own.get("loss", NONE),
        hierarchy=_file(hierarchies.get(column.name)) or column.hierarchy,
        levels=None,
        level=None,
        unchanged=_whole(unchanged["value"]),
        generalized=_rest(kept, unchanged["value"]),
        missing=_sum(missing["value"], filled["value"]),
        filled=_whole(filled["value"]),
        suppressed=_rest(stars, missing["value"]),
        mean_before=_moment(mean["value"], column.kind),
        variance_before=None,
        histogram=_histogram(column, own.get("bars", {})),
        steps={key: step for key, step in steps.items() if step is not None},
    )


def _file(commitment: str | None) -> str | None:
    return None if commitment is None else f"a file, commitment {commitment}"


def _count(value: int | None) -> int:
    return 0 if value is None else value


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _sum(one: float | None, other: float | None) -> int | None:
    return None if one is None or other is None else int(one + other)


def _rest(every: int, part: float | None) -> int | None:
    """Return what is left of a number that the release tells, beside one that is rounded down."""
    return None if part is None else every - int(part)


def _moment(value: float | None, kind: str) -> float | str | None:
    """Return a mean in the column's words; those of dates and times come in days."""
    return value if value is None else days_text(value, kind)


def _histogram(column: ColumnReport, bars: Mapping[str, Any]) -> Histogram | None:
    if column.histogram is None or not bars:
        return None
    every = [bars[str(bar)] for bar in range(len(bars))]
    if any(bar["value"] is None for bar in every):
        return None
    return Histogram(
        column.histogram.edges,
        [int(bar["value"]) for bar in every],
        column.histogram.after,
        0,
        every[0]["step"],
    )


def _missing(columns: list[ColumnReport], report: ReportFields) -> dict[str, Any]:
    """Return the public text on missing cells."""
    public: Mapping[str, Any] = report.public
    figures = public.get("missing", {})
    records, deleted = (figures.get(key, NONE)["value"] for key in ("records", "deleted"))
    cells = [column.missing for column in columns]
    if records is None or any(count is None for count in cells):
        return {"cells": None, "records": None, "deleted": None, "filled": None, "suppressed": None,
                "suppressed_everywhere": report.missing.get("suppressed_everywhere"),
                "reading": report.missing.get("reading"), "text": ""}  # fmt: skip
    return missing_text(
        cells=sum(_count(count) for count in cells),
        records=int(records),
        filled=sum(_count(column.filled) for column in columns),
        suppressed=sum(_count(column.suppressed) for column in columns),
        starred=None,
        nothing=report.missing.get("suppressed_everywhere", 0),
        left_out=left_out_text(
            int(deleted), None if report.suppressed else 0,
            recoded=any(column.level is not None for column in report.columns),
        ),
        deleted=int(deleted),
        recoded=any(column.level is not None for column in report.columns),
    )  # fmt: skip


def _suppressed(report: ReportFields) -> dict[str, Any]:
    """Return the counts of records that were left out, each rounded."""
    figures: Mapping[str, Any] = report.public.get("suppressed", {})
    public: dict[str, Any] = dict(report.suppressed)
    for key in public.keys() - {"budget"}:
        own = figures.get(key, {})
        if isinstance(public[key], Mapping):
            public[key] = {name: _whole(own.get(name, NONE)["value"]) for name in public[key]}
        else:
            public[key] = _whole((own or NONE)["value"])
    return public


def _costs(report: ReportFields) -> dict[str, Any]:
    verification = report.verification
    return {
        "discernibility": verification["sizes"]["squares"],
        "average_class_size": verification["records"] / verification["classes"] / report.k,
        "deleted": report.public.get("missing", {}).get("deleted", NONE)["value"],
    }


def _measures(report: ReportFields) -> dict[str, Any]:
    """Return the measures that the release alone gives, and the stable ones of the original."""
    measures: Mapping[str, Any] = report.measures or {}
    figures = report.public
    rounded: dict[str, dict[str, Any]] = {}
    gaps = figures.get("gaps", {})
    values = {name: gap["value"] for name, gap in gaps.items() if gap["value"] is not None}
    if values and len(values) == len(gaps):
        rounded["distributions"] = {
            **_figure("distributions", max(values.values()), ""),
            "step": max(gap["step"] or 0.0 for gap in gaps.values()),
            "by": values,
        }
    sizes = report.verification
    if "discernibility" in measures["utility"]:
        squares = sizes["sizes"]["squares"]
        others = f"{squares / sizes['records'] - 1.0:,.1f}"
        words = DEFINITIONS["discernibility"]
        sentence = words.sentence.format(value=f"{squares:,}", rest=others)
        rounded["discernibility"] = {"value": squares, "unit": words.unit, "sentence": sentence}
    for key, linked in figures.get("linked", {}).items():
        if linked["value"] is not None:
            rounded[key] = {**_figure(key, linked["value"], "at most "), "step": linked["step"]}
    weight = report.survey.get("weight")
    hidden = weight is not None and weight not in report.release["columns"]
    known = ("schema", "k", "records", "quasi_identifiers", "sensitive")
    kept: dict[str, Any] = {key: measures[key] for key in known if key in measures}
    for side in ("utility", "risk"):
        kept[side] = {}
        for key, one in measures[side].items():
            kind = MEASURES.get(key)
            if key in rounded:
                kept[side][key] = rounded[key]
            elif kind == RELEASE and not (hidden and key in WEIGHED):
                kept[side][key] = one
    return kept


def _figure(key: str, value: float, before: str) -> dict[str, Any]:
    words = DEFINITIONS[key]
    text = f"{value:g} %" if words.unit == "percent" else f"{value:g}"
    sentence = words.sentence.format(value=f"{before}{text}", rest="")
    return {"value": value, "unit": words.unit, "sentence": sentence}
