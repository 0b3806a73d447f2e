"""Charts of a release for the page: specs of counts, with titles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import shown
from shoal.hints import Message
from shoal.measures.histogram import counted as in_bins
from shoal.measures.histogram import edges_of, evenly, is_whole, shown_histogram
from shoal.measures.reading import both_sides
from shoal.measures.sides import Numbers
from shoal.report.charts import (
    AFTER,
    attacks,
    cells_by_column,
    correlations,
    distribution,
    frequencies,
    group_sizes,
    loss_by_column,
    loss_curve,
    moment,
)
from shoal.report.fields import ColumnReport
from shoal.report.places import REST
from shoal.report.report import Report
from shoal.table.dialects.notation import STRICT, Notation
from shoal.table.dialects.propose import Proposal, propose
from shoal.table.encode_nodes import CodedColumn, code
from shoal.table.files.formats import SPREADSHEETS, is_text
from shoal.table.files.opening import file_of, table_of
from shoal.table.files.spreadsheets import sheets_of
from shoal.table.inspect import inspect
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table, as_floats, missing_cells, some_rows
from shoal.table.texts import texts_of
from shoal.web.held import held_table
from shoal.web.jobs import ProgressWriter
from shoal.web.tables import journal_findings, stored_tables

MOST = 200  # columns that have a chart
LABELS, FEW = 12, 8  # values of a column on both sides; few where the sides differ
SPANS = 60  # intervals of a column that are drawn
CELL = 200  # signs of a value that are shown


def charts_of(
    report: Report,
    before: Table | None,
    after: Table | None,
    hierarchies: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """Return every chart: of columns before and after, of groups, of losses, of attacks.

    `hierarchies` are those of columns, which say what numbers a released word covers.
    """
    charts = []
    for column in report.columns[:MOST]:
        spec = None
        if column.histogram is not None:
            spec = distribution(column)
        elif before is not None and after is not None:
            pair = before[column.name], after[column.name]
            tree = _tree_of(before, pair[1], hierarchies or {})
            spec = _spread_out(column, report.k, *pair, tree) or _side_by_side(report.k, *pair)
        if spec is not None:
            charts.append(_chart(f"{shown(column.name)[1:-1]}", "columns", spec, column.name))
    if before is not None and after is not None:
        kept = [column for column in after.columns if not column.protected]
        for one in kept[: max(0, MOST - len(charts))]:
            spec = _side_by_side(report.k, before[one.name], one)
            if spec is not None:
                title = f"{shown(one.name)[1:-1]} (kept as it is)"
                charts.append(_chart(title, "columns", spec, one.name))
    charts.append(_chart("group sizes", "groups", group_sizes(report)))
    charts.append(_chart("what every column lost", "loss", loss_by_column(report)))
    if any(column.released_as in ("generalize", "range") for column in report.columns):
        charts.append(_chart("how cells were released", "loss", cells_by_column(report)))
    if len(report.correlations["columns"]) > 1:
        charts.append(_chart("correlations before and after", "loss", correlations(report)))
    if report.search is not None and report.search["curve"]:
        curve = loss_curve(report.search, report.loss_name)
        charts.append(_chart("how the search went", "loss", curve))
    risks = attacks(report.measures)
    if risks is not None:
        charts.append(_chart("what attacks find, percent", "attacks", risks))
    return charts


def _chart(
    title: str, group: str, spec: dict[str, Any], column: str | None = None
) -> dict[str, Any]:
    return {"title": title, "group": group, "column": column, "spec": spec}


def _side_by_side(k: int, before: Column, after: Column) -> dict[str, Any] | None:
    """Return the most frequent values before beside those after; rarer ones than k as one."""
    if Kind.UNKNOWN in (before.kind, after.kind):
        return None
    for most in (LABELS, FEW):
        sides = [counted_values(column, most, k, REST) for column in (before, after)]
        if len({*sides[0]["labels"], *sides[1]["labels"]}) <= LABELS + 4:
            break
    return frequencies(before.name, sides[0], sides[1])


def _tree_of(table: Table, after: Column, rules: Mapping[str, str]) -> CodedColumn | None:
    """Return the hierarchy of numbers that were released as its words; None where there is none."""
    before = table[after.name]
    if after.name not in rules or not before.has_places or after.kind is not Kind.TEXT:
        return None
    own = before.replace(role=Role.QUASI_IDENTIFIER)
    return code(replace(table, columns=(own,)), {own.name: rules[own.name]}).columns[0]


def _spread_out(
    column: ColumnReport, k: int, before: Column, after: Column, tree: CodedColumn | None = None
) -> dict[str, Any] | None:
    """Return numbers before and the intervals after, each spread evenly over the bins it spans."""
    if before.kind is Kind.UNKNOWN or not before.has_places or before.is_ordinal:
        return None
    side = both_sides(before, after, tree, None)
    if not isinstance(side, Numbers):
        return None
    there, released = ~np.isnan(side.before), ~np.isnan(side.low)
    if not there.any() or not released.any():
        return None
    numbers = side.before[there]
    edges = edges_of(float(numbers.min()), float(numbers.max()), is_whole(numbers))
    ends = np.stack([side.low[released], side.high[released]], axis=1)
    spans, counts = np.unique(ends, axis=0, return_counts=True)
    share = np.round(evenly(spans, edges) @ counts).astype(np.int64)
    histogram = shown_histogram(edges, in_bins(numbers, edges), share, k)
    own = [side.own(edge) for edge in histogram.edges]
    spec = distribution(replace(column, histogram=replace(histogram, edges=own)))
    most = np.argsort(-counts, kind="stable")[:SPANS]
    listed = [
        (float(side.own(spans[at, 0])), float(side.own(spans[at, 1])), int(counts[at]))
        for at in sorted(most)
    ]
    return _with_spans(spec, listed, in_time=column.kind in ("date", "datetime"))


def _with_spans(
    spec: dict[str, Any], spans: list[tuple[float, float, int]], in_time: bool
) -> dict[str, Any]:
    """Return a distribution with released intervals as lines, as high as they hold records."""
    place = moment if in_time else float
    values = [
        {"from": place(low), "to": place(high), "records": count, "when": "interval"}
        for low, high, count in spans
        if low < high
    ]
    lines = {
        "transform": [{"filter": "datum.when === 'interval'"}],
        "mark": {"type": "rule", "strokeWidth": 2, "opacity": 0.8},
        "encoding": {"color": {"value": AFTER}, "y2": None},
    }
    data = {"values": [*spec["data"]["values"], *values]}
    return {**spec, "data": data, "layer": [*spec["layer"], lines]}


def counted_values(column: Column, most: int, least: int, rest: str) -> dict[str, Any]:
    """Return the most frequent values of a column and how often they occur, the rest as one."""
    encoded = column.values.dictionary_encode()
    texts = texts_of(column, encoded.dictionary)
    indices = encoded.indices.drop_null().to_numpy()
    counts = np.bincount(indices, minlength=len(texts))
    order = np.argsort(-counts, kind="stable")
    shown_ = [int(i) for i in order[:most] if counts[i] >= least]
    labels, numbers = [str(texts[i])[:CELL] for i in shown_], [int(counts[i]) for i in shown_]
    left = int(counts.sum()) - sum(numbers)
    if left:
        labels, numbers = [*labels, rest], [*numbers, left]
    return {"labels": labels, "counts": numbers}


def cells(column: Column, notation: Notation = STRICT) -> list[str | None]:
    """Return the cells of a column as a file in a notation has them; None where one is missing."""
    import pyarrow as pa

    gone = missing_cells(column)
    there = pa.array(~gone)
    if column.cells is not None:
        texts = iter(column.cells.filter(there).to_pylist())
    else:
        texts = map(notation.written, texts_of(column, column.values.filter(there)))
    return [None if missing else str(next(texts))[:CELL] for missing in gone]


ROWS = 20  # of a table that are shown
BINS, WORDS = 24, 8
SEVERAL = "{count} sheets hold something; the first of them is read, and any other can be chosen"


def look(request: Mapping[str, Any], place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """Inspect a file: its columns in counts, its first rows, and how it was read.

    Where nothing is said of a text file it is read as it seems to be written.
    """
    path, given = Path(request["path"]), request["input"]
    tables, wanted = stored_tables(path), None
    if tables:
        wanted = table_of(path) or (tables[0] if len(tables) == 1 else None)
        if wanted is None:
            return {"tables": tables, "table": None}
        path = Path(f"{file_of(path)}#{wanted}")
    found = Proposal()
    if not given and is_text(path):
        found = propose(path)
    sheets = sheets_of(path) if path.name.lower().endswith(SPREADSHEETS) else []
    if not given and len(sheets) > 1:
        found = Proposal({"sheet": sheets[0]}, [Message(SEVERAL.format(count=len(sheets)))])
    if request.get("uploaded"):
        found.findings += map(Message, journal_findings(path))
    read = {**request, "path": str(path), "input": given or _plain(found.options)}
    table, records = held_table(read, place)
    inspection = inspect(table)
    columns = [
        {
            **asdict(seen),
            "numeric": column.kind.is_numeric,
            "bins": bins(column),
            "label": column.variable.label if column.variable else "",
        }
        for seen, column in zip(inspection.columns, table.columns, strict=True)
    ]
    some = table.take(np.arange(min(ROWS, table.rows)))
    first = [_first(column) for column in some.columns]
    return {
        "tables": tables,
        "table": wanted,
        "records": records,
        "seen": table.rows,
        "delimiter": table.source.delimiter if is_text(path) else None,
        "sheets": sheets,
        "reading": _plain(found.options),
        "findings": found.findings,
        "columns": columns,
        "rows": [list(row) for row in zip(*first, strict=True)],
    }


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    return {key: list(one) if isinstance(one, tuple) else one for key, one in options.items()}


def _first(column: Column) -> list[str | None]:
    """Return the cells of the first rows as texts."""
    if column.kind is Kind.UNKNOWN:
        return ["(cannot be shown)"] * len(column.values)
    return cells(column)


def bins(column: Column) -> dict[str, Any]:
    """Return a column in counts: bins of numbers and dates, or the most frequent texts."""
    if column.kind is Kind.UNKNOWN:
        return {"labels": [], "counts": []}
    there = ~missing_cells(column)
    if not there.any():
        return {"labels": [], "counts": []}
    if column.kind.is_numeric and column.kind is not Kind.BOOLEAN:
        numbers = as_floats(some_rows(column, there))
        edges = edges_of(float(numbers.min()), float(numbers.max()), is_whole(numbers), BINS)
        counts = in_bins(numbers, edges)
        half = 0.5 if is_whole(numbers) and edges[0] + 0.5 == numbers.min() else 0.0
        labels = [_label(edge + half, column) for edge in edges[:-1]]
        return {"labels": labels, "counts": counts.tolist()}
    return counted_values(column, WORDS, 1, "…")


def _label(number: float, column: Column) -> str:
    if column.kind in (Kind.DATE, Kind.DATETIME):
        from shoal.report.charts import day_of

        return day_of(number).strftime("%Y-%m-%d")
    return f"{number:.6g}"
