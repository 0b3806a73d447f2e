"""Charts of a table's own risk: shares of records, never records."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.measures.disclosure.figures import ColumnRisk
from shoal.report.charts import AFTER, BEFORE, ROOM, Spec, name_of, spec_of

WHAT = ("as it is", "one level coarser", "left out")
COLORS = [AFTER, "#c9a227", BEFORE]


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
