"""Charts for people: of a result, a report or a release, as specs, SVG and files."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.errors import OutputError, RequestError, nearest_names, shown
from shoal.extras import check_extra
from shoal.report.charts import (
    attacks,
    distribution,
    group_sizes,
    loss_by_column,
    loss_curve,
)
from shoal.report.draw import draw, why_none
from shoal.report.drift import every_chart
from shoal.report.released_charts import pair, released_column
from shoal.report.spread import shares, spread
from shoal.storage.staging import Staging

if TYPE_CHECKING:
    from shoal.report.fields import ReportFields
    from shoal.table.table import Table

Spec = dict[str, Any]
INK, PAPER = "#1f2933", "white"  # of a chart that stands alone
NOTEBOOK = "application/vnd.vegalite.v5+json"  # as notebooks call the version of `spec_of`
KINDS = (".svg", ".png", ".json")  # of files
DRAWING = "a chart is drawn by vl-convert"


class Chart:
    """A Vega-Lite chart of binned aggregates: `spec`, `to_svg()`, `to_png()`, `save("F.svg")`.

    Notebooks show it as it is; `to_altair()` is the chart for those who want to change it.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def on_paper(self) -> Spec:
        """Return the spec with colors of its own, on a white ground."""
        spec: Spec = json.loads(json.dumps(self.spec).replace("currentColor", INK))
        return {**spec, "config": {**spec.get("config", {}), "background": PAPER}}

    def to_svg(self, path: str | Path | None = None, *, force: bool = False) -> str:
        """Return the chart as SVG, on a white ground; with a path, write it there, too.

        It needs `shoal[charts]`.
        """
        check_extra("charts", DRAWING)
        with _place(path, ".svg", force) as place:
            svg = self.drawn()
            if svg is None:
                raise OutputError("the chart could not be drawn")
            place(svg.encode("utf-8"))
        return svg

    def drawn(self) -> str | None:
        """Return the chart as SVG; None where charts are not drawn."""
        drawn = draw([{**self.spec, "background": PAPER}])[0]
        return None if drawn is None else drawn.replace("currentColor", INK)

    def to_png(
        self, path: str | Path | None = None, *, scale: float = 2.0, force: bool = False
    ) -> bytes:
        """Return the chart as PNG, on a white ground; with a path, write it there, too.

        `scale` is how many pixels one of the chart's own has in each direction.
        """
        if not 0 < scale <= 10:
            raise RequestError("scale must be a number above 0, at most 10")
        with _place(path, ".png", force) as place:
            svg, convert = self.to_svg(), importlib.import_module("vl_convert")
            png = bytes(convert.svg_to_png(svg, scale=float(scale)))
            place(png)
        return png

    def to_altair(self) -> Any:
        """Return the chart as one of Altair (`pip install altair`), to change or combine it."""
        return _optional("altair", "to_altair()", "altair").Chart.from_dict(self.on_paper())

    def save(self, path: str | Path, *, force: bool = False) -> Path:
        """Write the chart: an .svg or .png file, or a .json file of its spec."""
        target = Path(path)
        kind = check_chart_file(target)
        if kind == ".json":
            with _place(target, kind, force) as place:
                place(json.dumps(self.spec, indent=2).encode("utf-8"))
        elif kind == ".svg":
            self.to_svg(target, force=force)
        else:
            self.to_png(target, force=force)
        return target

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        bundle = {NOTEBOOK: self.on_paper(), "text/plain": repr(self)}
        if why_none() is not None:
            return bundle
        try:
            return {**bundle, "image/svg+xml": self.to_svg()}
        except OutputError:  # the notebook draws the spec
            return bundle

    def __repr__(self) -> str:
        return f"<Chart: {self.spec.get('title') or 'a chart'}>"


def _optional(module: str, what: str, package: str) -> Any:
    """Return a module that Shoal does without; what lacks it says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise RequestError(f"{what} needs another package: pip install {package}") from None


@contextmanager
def _place(path: str | Path | None, kind: str, force: bool) -> Iterator[Callable[[bytes], object]]:
    """Yield what writes a file, whole or not at all; nothing without a path. It is checked before.

    Its name ends as what it holds.
    """
    if path is None:
        yield lambda _: None
        return
    target = Path(path)
    if target.suffix.lower() != kind:
        raise RequestError(f"{shown(target)}: the name must end in {kind}")
    with Staging(force=force) as staging:
        staging.check(target)
        yield lambda content: staging.add(target, content)
        staging.commit()


def named_charts(report: ReportFields) -> dict[str, Chart]:
    """Return every chart that a report alone has, quasi-identifiers of numbers by their names."""
    own = {c.name: distribution(c) for c in report.columns if c.histogram is not None}
    for name, spec in every_chart(report).items():
        if not name.startswith("distribution "):
            own.setdefault(name, spec)
    return {name: Chart(spec) for name, spec in own.items()}


def check_chart_file(path: Path) -> str:
    """Return the kind of a chart's file; raise RequestError for one that cannot be written."""
    kind = path.suffix.lower()
    if kind not in KINDS:
        raise RequestError(f"{shown(path)}: a chart is written as {', '.join(KINDS)}")
    if kind != ".json":
        check_extra("charts", f"{DRAWING}, its .json is written without")
    return kind


class Plots:
    """The charts of a result: `column`, `sizes`, `loss`, `losses`, `pair`, `attacks`."""

    def __init__(self, report: ReportFields, released: Callable[[], Table]) -> None:
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
