"""Tasks of a worker, by the kinds of requests."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.extras import has
from shoal.hints import said
from shoal.pipeline.plan.plan import Plan, once_read, plan_table
from shoal.report.reload import load_report
from shoal.settings import RunOptions, Settings, build, load
from shoal.settings.hints import stored
from shoal.storage.private_folder import RECIPE, REPORT, private_folder
from shoal.table.files.formats import check_kind
from shoal.table.files.opening import file_of, table_of
from shoal.table.roles import Role
from shoal.web.charts import charts_of, look
from shoal.web.held import held_sample, held_table
from shoal.web.jobs import CHARTS, MADE, PACKED, PRIVATE, ProgressWriter, write_json
from shoal.web.risk_now import risk
from shoal.web.series.ledger_tasks import handed_out, ledger
from shoal.web.series.streams import stream
from shoal.web.tables import check_compared, check_content, check_headers, whole_table
from shoal.web.trial import PATIENCE, SAMPLE, improve, trial

SAYS = {
    "release": "the table that may be released",
    PRIVATE: "exact report, recipe, key of the commitments: do not publish",
    "report.html": "the report, for people",
    "report.json": "the report, for programs",
    "run.toml": "the recipe, without what only you may know",
    "certificate.json": "what was verified, with the hashes of all files",
    "certificate.schema.json": "the schema of the certificate",
    "dictionary.csv": "the columns of the release, explained",
    "README.md": "what is in this pack",
    "comparison.csv": "all runs",
    "comparison.json": "all runs, for programs",
    "comparison.html": "all runs as a page",
}


def anonymize(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Make a release, with all that goes with it, and the charts to judge it by."""
    settings = build(request["settings"])
    path = Path(request["path"])
    check_content(path)
    kind = request.get("format", "csv")
    check_kind(kind)
    if settings.protect.memory is not None:
        return _by_regions(path, settings, place, progress, request)
    from shoal.pipeline.anonymize import anonymize_with

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
    from shoal.pipeline.regions.file import file_request, release
    from shoal.release.targets import Targets

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
    from shoal.pipeline.compare import Grid, compare_by
    from shoal.report.comparison import comparison_csv, comparison_page

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


def preview(request: Mapping[str, Any], place: Path, progress: ProgressWriter) -> dict[str, Any]:
    """Estimate what a run loses and takes, from a sample on which searches are short."""
    from shoal.methods.registry import find
    from shoal.pipeline.plan.estimate import Estimate
    from shoal.pipeline.preview import preview_of

    settings = once_read(build(request["settings"]))
    table, records = held_sample(request, place, settings)
    check_headers(table, settings, "csv")
    method = settings.protect.method
    quick = settings
    if method == "auto" or find(method).info.is_search:
        limit = min(PATIENCE, settings.protect.time_limit or PATIENCE)
        quick = settings.replace(protect={"time_limit": limit, "max_iterations": None})
    largest = max([settings.protect.k, *settings.protect.k_of.values()])
    estimated = preview_of(
        table, quick, min(table.rows, max(SAMPLE, 40 * largest)), callback=progress.reporter(),
        measured=False, records=records,
    )  # fmt: skip
    plan, _ = plan_table(table, settings)
    likely = plan.expected(records)
    if likely is None and estimated.seconds is not None and estimated.megabytes is not None:
        likely = Estimate(estimated.seconds, estimated.megabytes)
    return {
        "records": records,
        "sample": estimated.sample,
        **_chosen(plan, estimated.method, records),
        "loss_name": estimated.loss_name,
        "loss": estimated.loss,
        "seconds": None if likely is None else likely.seconds,
        "megabytes": None if likely is None else likely.megabytes,
        "told": None if likely is None else likely.describe(),
    }


def _chosen(plan: Plan, sampled: str, rows: int) -> dict[str, str]:
    """Return the method that will run, and why `auto` takes it, or what it does.

    `sampled` is what ran on a sample: of the whole table, `auto` may take another.
    """
    from shoal.methods.registry import find
    from shoal.pipeline.plan.estimate import chosen

    settings = plan.settings
    if settings.protect.method != "auto":
        return {"method": sampled, "why": find(settings.protect.method).info.summary}
    columns = len(plan.grouped.with_role(Role.QUASI_IDENTIFIER))
    columns = 1 if find(sampled).info.columns == 1 else columns  # of several, one varies
    choice = chosen(settings, rows, columns, plan.by_hierarchies)
    return {"method": choice.method, "why": f"{choice.method}: {choice.reason}"}


CHILDREN, NODES, LISTED, VALUES = 60, 3_000, 5_000, 50


def tree(request: Mapping[str, Any], place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """Build or check a hierarchy of a column."""
    from shoal.table.hierarchy.view import hierarchy

    table, _ = held_table(request, place)
    built = hierarchy(table, request["column"], request["rule"])
    sizes = [len({path[level] for path in built.paths}) for level in range(built.levels)]
    cut = len(built.paths) > LISTED
    totals = np.zeros(len(built.tree) + 1, dtype=np.int64)
    for label, count in built.counts.items():
        totals[built.tree.nodes[label] + 1] += count
    return {
        "rule": built.rule,
        "csv": None if cut else built.to_csv(),
        "cut": cut,
        "levels": built.levels,
        "sizes": sizes,
        "nodes": _nodes(built.tree, np.cumsum(totals)),
        "covered": len(built.counts),
        "unused": sum(path[0] not in built.counts for path in built.paths),
        "uncovered": len(built.uncovered),
        "values": list(built.uncovered[:VALUES]),
    }


def _nodes(its: Any, before: Any) -> dict[str, Any]:
    """Return a tree from its root, up to so many nodes and children of a node."""
    left = [NODES]

    def node_json(node: int) -> dict[str, Any]:
        every = its.children(node)
        shown = every[: min(CHILDREN, max(0, left[0]))]
        left[0] -= len(shown)
        return {
            "label": its.labels[node],
            "count": int(before[its.ends[node]] - before[node]),
            "children": [node_json(child) for child in shown],
            "more": len(every) - len(shown),
        }

    return node_json(0)


def about(request: Mapping[str, Any], _place: Path, _progress: ProgressWriter) -> dict[str, Any]:
    """List the methods, and make the library of charts where it is not there yet.

    Without the extra `charts` there is none.
    """
    from shoal.methods.registry import methods
    from shoal.web.bundle import bundle

    return {
        "vega": str(bundle(Path(request["room"]))) if has("charts") else None,
        "methods": [
            {
                "name": one.name, "kind": one.kind, "summary": one.summary, "cost": one.cost,
                "citation": one.citation, "columns": one.columns, "mixed": one.on_nodes,
            }
            for one in methods()
        ],
    }  # fmt: skip


KINDS: dict[str, Callable[[Mapping[str, Any], Path, ProgressWriter], dict[str, Any]]] = {
    "look": look,
    "tree": tree,
    "preview": preview,
    "risk": risk,
    "trial": trial,
    "improve": improve,
    "anonymize": anonymize,
    "compare": compare,
    "about": about,
    "ledger": ledger,
    "stream": stream,
}


def finished(
    place: Path, drawn: list[dict[str, Any]], request: Mapping[str, Any], notes: Sequence[str]
) -> dict[str, Any]:
    """Write the charts and an archive of the results; return the list of downloads.

    Hierarchies lie beside: their lines may hold values that the release does not show. Notes that
    the report's file has as a recipe says them are shown in the words of the page.
    """
    made = place / MADE
    (place / CHARTS).mkdir(mode=0o700)
    for number, chart in enumerate(drawn):
        write_json(place / CHARTS / f"{number}.json", chart.pop("spec"))
        chart["id"] = number
    names = sorted(str(path.relative_to(made)) for path in made.rglob("*") if path.is_file())
    _zipped(place / PACKED, made, names)
    files = [_file(place / PACKED, PACKED, "all of these that may be handed over")]
    files += [_file(made / name, name, SAYS.get(name, SAYS["release"])) for name in names]
    report, own = None, private_folder(made)
    if own.is_dir():
        _carried(own, request)
        report = json.loads((own / REPORT).read_bytes())
        whole = load_report(own / REPORT)[0]
        shown = {stored(note): said(note) for note in notes}
        report["notes"] = [shown.get(note, note) for note in report["notes"]]
        report |= {"made_by": whole.made_by(), "said_of_constant": whole.constant_notes()}
        _zipped(place / PRIVATE, own, sorted(path.name for path in own.iterdir()))
        files.append(_file(place / PRIVATE, PRIVATE, SAYS[PRIVATE]))
    for rule, name in request["trees"].items():
        (made / name).parent.mkdir(mode=0o700, exist_ok=True)
        shutil.copyfile(rule, made / name)
        files.append(_file(made / name, name, "a hierarchy that was used; not to be published"))
    return {"report": report, "files": files, "charts": drawn}


def _carried(own: Path, request: Mapping[str, Any]) -> None:
    """Rewrite the recipe in a private folder with the download names of files."""
    names = {str(Path(rule).resolve()): name for rule, name in request["trees"].items()}
    recipe = load(own / RECIPE)
    trees = {
        column: names.get(str((own / rule).resolve()), rule)
        for column, rule in recipe.hierarchies.items()
    }
    path = Path(request["path"])
    table = table_of(path)
    name = f"{file_of(path).name}#{table}" if table else path.name
    noted = {} if recipe.series.ledger is None else {"ledger": Path(recipe.series.ledger).name}
    published = recipe.replace(input={"path": name}, release={"output": None}, series=noted)
    published = published.model_copy(update={"hierarchies": trees})
    (own / RECIPE).write_text(published.to_toml(), encoding="utf-8")


def _zipped(path: Path, folder: Path, names: list[str]) -> None:
    """Write an archive: a tenth larger than it could be, in a seventh of the time."""
    with zipfile.ZipFile(path, "x", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in names:
            archive.write(folder / name, name)


def _file(path: Path, name: str, says: str) -> dict[str, Any]:
    return {"name": name, "bytes": path.stat().st_size, "says": says}
