"""Drift of a stable series: published means of a column, release by release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from shoal.report.charts import AFTER, COLUMNS_SHOWN, Spec, moment, name_of, report_charts, spec_of
from shoal.report.sections import DriftSection

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields

DAYS = ("date", "datetime")


def drift_chart(drift: DriftSection) -> Spec:
    """Return the means of a column over the releases, each as far as its rounding leaves it."""
    is_day = drift["kind"] in DAYS
    every = zip(drift["releases"], drift["means"], drift["steps"], strict=True)
    values = [
        {
            "release": number,
            "from": moment(mean) if is_day else mean,
            "to": moment(mean + step) if is_day else mean + step,
        }
        for number, mean, step in every
    ]
    y = {"type": "temporal" if is_day else "quantitative", "scale": {"zero": False}}
    encoding = {
        "x": {"field": "release", "type": "ordinal", "title": "release",
              "axis": {"labelAngle": 0, "labelOverlap": True}},
        "y": {"field": "from", "title": "mean, within its rounding", **y},
        "y2": {"field": "to"},
    }  # fmt: skip
    mark = {"type": "bar", "color": AFTER, "width": 12, "stroke": AFTER}
    return spec_of(values, title=name_of(drift["column"]), mark=mark, encoding=encoding)


def drift_charts(report: ReportFields) -> dict[str, Spec]:
    """Return the charts of a stable series by name; none of a release that is no later one."""
    every = report.series.get("drift", [])[:COLUMNS_SHOWN]
    return {f"drift {one['column']}": drift_chart(one) for one in every}


def every_chart(report: ReportFields) -> dict[str, Spec]:
    """Return every chart of a report, with those of its series."""
    return {**report_charts(report), **drift_charts(report)}
