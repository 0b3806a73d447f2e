"""Charts for people: of a result, a report or a release, as specs, SVG and files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.backends.staging import Staging
from shoal.errors import OutputError, RequestError, nearest_names, shown
from shoal.report.charts import attacks, distribution, group_sizes, loss_by_column, loss_curve
from shoal.report.draw import draw
from shoal.report.released_charts import pair, released_column
from shoal.report.spread import shares, spread

if TYPE_CHECKING:
    from shoal.report.report import Report
    from shoal.table.table import Table

Spec = dict[str, Any]


class Chart:
    """A Vega-Lite chart of binned aggregates: `spec`, `to_svg()`, `save("F.svg")`.

    Notebooks show it as it is.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def to_svg(self) -> str:
        """Return the chart as SVG, on a white ground."""
        drawn = draw([{**self.spec, "background": "white"}])[0]
        if drawn is None:
            raise OutputError("the chart could not be drawn")
        return drawn.replace("currentColor", "#1f2933")

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the chart: an .svg file, or a .json file of its spec."""
        target = Path(path)
        if target.suffix.lower() not in (".svg", ".json"):
            raise RequestError(f"{shown(target)}: a chart is written as .svg or .json")
        with Staging(force=force) as staging:
            staging.check(target)
            is_svg = target.suffix.lower() == ".svg"
            text = self.to_svg() if is_svg else json.dumps(self.spec, indent=2)
            staging.add(target, text.encode("utf-8"))
            staging.commit()
        return target

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        return {"image/svg+xml": self.to_svg(), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return f"<Chart: {self.spec.get('title') or 'a chart'}>"


class Plots:
    """The charts of a result: `column`, `sizes`, `loss`, `losses`, `pair`, `attacks`."""

    def __init__(self, report: Report, released: Callable[[], Table]) -> None:
        self._report, self._released = report, released

    def column(self, name: str) -> Chart:
        """A quasi-identifier before and after, in bins of at least k records.

        Of one that is generalized the release: intervals spread over bins, or categories.
        """
        known = [c.name for c in self._report.columns]
        if name not in known:
            raise RequestError(
                f"{shown(name)} is no quasi-identifier of the release{nearest_names(name, known)}"
            )
        column = next(c for c in self._report.columns if c.name == name)
        if column.histogram is None:
            return Chart(released_column(shares(self._released(), name, column.kind)))
        return Chart(distribution(column))

    def sizes(self) -> Chart:
        """How many groups have how many records."""
        return Chart(group_sizes(self._report))

    def losses(self) -> Chart:
        """What every column lost."""
        return Chart(loss_by_column(self._report))

    def loss(self) -> Chart:
        """The best loss over the iterations of the search."""
        search = self._report.search
        if search is None or not search["curve"]:
            raise RequestError(f"method {self._report.method} made no search: there is no curve")
        return Chart(loss_curve(search, self._report.loss_name))

    def pair(self, x: str, y: str) -> Chart:
        """Two columns of the release: where its groups lie and how large they are."""
        kinds = {column.name: column.kind for column in self._report.columns}
        return Chart(pair(spread(self._released(), x, y, kinds)))

    def attacks(self) -> Chart:
        """What each attack finds, and 1 in k."""
        chart = attacks(self._report.measures)
        if chart is None:
            raise RequestError("the report holds no measures")
        return Chart(chart)
