"""Jobs: a release with all that goes with it, in memory or by regions, and comparisons."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from shoal.hints import said
from shoal.plan.plan import once_read
from shoal.settings import RunOptions, Settings, build
from shoal.table.files.formats import check_kind
from shoal.web.charts import charts_of
from shoal.web.finished import finished
from shoal.web.messages import MADE, ProgressWriter
from shoal.web.series.ledger_tasks import handed_out
from shoal.web.tables import check_compared, check_content, check_headers, whole_table


def anonymize(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Make a release, with all that goes with it, and the charts to judge it by."""
    settings = build(request["settings"])
    path = Path(request["path"])
    check_content(path)
    kind = request.get("format", "csv")
    check_kind(kind)
    if settings.protect.memory is not None:
        return _by_regions(path, settings, place, progress, request)
    from shoal.run.anonymize import anonymize_with

    table = whole_table(path, request["settings"].get("input", {}))
    check_headers(table, settings, kind)
    result = anonymize_with(
        table, once_read(settings), progress.reporter(), on_estimate=progress.expected, kind=kind
    )
    if result.pending is not None:  # files of every job are called the same
        result = replace(result, pending=replace(result.pending, called=path.name))
    result.pack(place / MADE, format=kind)
    drawn = charts_of(result.report, table, result.table, result.settings.hierarchies)
    answer = finished(place, drawn, request, result.report.notes)
    if settings.series.ledger is not None:
        answer["files"] += handed_out(Path(settings.series.ledger), place / MADE)
    return answer


def _by_regions(
    path: Path, settings: Settings, place: Path, progress: ProgressWriter, job: Mapping[str, Any]
) -> dict[str, Any]:
    """Release a file in the memory that was given: without a pack, which takes all records."""
    from shoal.outofcore.file import file_request, release
    from shoal.save.files import Targets

    made = place / MADE
    made.mkdir(mode=0o700)
    request = file_request(str(path), f"{made}/", settings, RunOptions(work=str(place / "work")))
    targets = Targets.in_folder(made, job.get("format", "csv"))
    request = replace(request, on_estimate=progress.expected, targets=targets)
    done = release(path, settings, request, progress.reporter())
    shutil.rmtree(place / "work", ignore_errors=True)
    return finished(place, charts_of(done.report, None, None), job, done.report.notes)


def compare(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Compare methods and k; the frontier is a chart."""
    from shoal.report.comparison import comparison_csv, comparison_page
    from shoal.run.compare.grid import Grid, compare_by

    settings, wanted = build(request["settings"]), request["compare"]
    check_compared(Path(request["path"]), settings)
    table = whole_table(Path(request["path"]), request["settings"].get("input", {}))
    grid = Grid(wanted["k"], wanted.get("methods"), wanted.get("budget"))
    comparison = compare_by(table, settings, grid, callback=progress.reporter())
    figures = comparison.to_dict()
    made = place / MADE
    made.mkdir(mode=0o700)
    (made / "comparison.json").write_text(comparison.to_json(), encoding="utf-8")
    (made / "comparison.csv").write_text(comparison_csv(figures), encoding="utf-8")
    page = comparison_page(figures, comparison.plot().drawn())
    (made / "comparison.html").write_text(page, encoding="utf-8")
    spec = comparison.plot().spec
    chart = {"title": "loss and risk", "group": "frontier", "column": None, "spec": spec}
    answer = finished(place, [chart], request, ())
    del answer["report"]
    points = [{**asdict(point), "said": said(point.said)} for point in comparison.points]
    return {**answer, "comparison": {**figures, "points": points}}
