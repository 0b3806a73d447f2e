"""The walk of a file that does not fit in memory, on one screen."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any

from shoal.engines.executor import Threads
from shoal.errors import OutputError
from shoal.large.form import Form
from shoal.large.lens import ByNumbers, ByTrees, Lens, Vocabulary
from shoal.large.opening import Asked, ask, check_possible, look
from shoal.large.order import Order, Released
from shoal.large.plan import Plan
from shoal.large.regions import cut_sample
from shoal.large.release import Releasing
from shoal.large.report import report_of
from shoal.large.solve import Solver, Stage
from shoal.large.work import Work
from shoal.progress import Callback, Reporter
from shoal.release.pack import add_papers, verify_written
from shoal.release.staging import Staging
from shoal.request import digests, trees_of
from shoal.settings import Settings
from shoal.solving import check_size
from shoal.table.code import Coded
from shoal.table.drawing import Sample, sample_size
from shoal.table.read import check_ordinary, digest_of
from shoal.table.roles import Role
from shoal.table.streams import Pieces, in_pieces
from shoal.table.table import Table


def release_file(
    source: Path, settings: Settings, plan: Plan, order: Order, callback: Callback | None = None
) -> Released:
    """Release a file region by region, verified, or nothing; go on where a killed run was."""
    begin = time.perf_counter()
    report = Reporter(callback)
    targets, k, seed = order.targets, settings.protect.k, settings.protect.seed
    check_possible(settings)
    request = _request(source, settings, plan, order)
    with Staging(force=order.force) as staging:
        targets.check(staging, [source], order.with_page)
        with Work(targets.release, request, order.parent) as work:
            asked, pieces, sample = _looked(source, settings, work, order.folder, report)
            lens, known, points = _seen(asked, pieces, sample, work, report)
            form = Form.of(asked.kept(), whole=targets.kind != "parquet")
            solver = Solver(work, form, lens, k, seed, Threads(order.threads), report)
            first, rows = _parted(solver, asked, pieces, points, plan)
            last = _grouped(solver, first, plan.rounds)

            releasing = Releasing(solver, last, asked, known, plan, rows, order.shuffle_seed)
            made = releasing.release()
            with staging.writing(targets.release) as (temporary, file):
                buckets = releasing.buckets(made)
                digest = buckets.write(file, targets.kind, report)
            buckets.check(temporary, targets.kind, report)
            report("verifying", 0, 1)
            verification = verify_written(
                temporary, made.settings, made.released, rows, targets.kind
            )
            if digest_of(temporary) != digest:
                raise OutputError("the file on disk is not what was written; nothing was kept")
            seconds = time.perf_counter() - begin
            told = report_of(releasing, made, verification.to_dict(), seconds)
            keep = settings.release.keep_order
            add_papers(staging, targets, made.settings, told, digest, keep, order.with_page)
            staging.commit(last=targets.release)
    targets.leave_no_page(order.force, order.with_page)
    return Released(targets.release, told, made.settings)


def _request(source: Path, settings: Settings, plan: Plan, order: Order) -> Any:
    """Return all that a run depends on, as plain values."""
    found = check_ordinary(source)
    return {
        "shoal": metadata.version("shoal"),
        "input": [str(source.resolve()), found.st_size, found.st_mtime_ns],
        "settings": settings.to_toml(),
        "hierarchies": _trees(settings, order.folder),
        "records": plan.records,
        "kind": order.targets.kind,
    }


def _trees(settings: Settings, folder: Path | None) -> list[Any]:
    """Return what tells the files of hierarchies from others: named one by one, or in a folder."""
    place, quasi = settings.input.hierarchies, settings.roles.quasi_identifiers
    files = sorted(((folder or Path()) / place).glob("*.csv")) if place else []
    used = [file for file in files if file.is_file() and (not quasi or file.stem in quasi)]
    stamps = [(file.stat().st_size, file.stat().st_mtime_ns) for file in used]
    return [
        digests(settings.hierarchies, folder),
        [[str(file.resolve()), *stamp] for file, stamp in zip(used, stamps, strict=True)],
    ]


def _looked(
    source: Path, settings: Settings, work: Work, folder: Path | None, report: Reporter
) -> tuple[Asked, Pieces | None, Sample | None]:
    """Look at all records, unless an earlier run has parted them already."""
    if work.read("parted") is not None:
        return ask(settings, work, folder), None, None
    asked = settings.input
    pieces = in_pieces(source, asked.delimiter, asked.missing, asked.types)
    sample = look(pieces, settings, work, report)
    return ask(settings, work, folder), pieces, sample


def _seen(
    asked: Asked, pieces: Pieces | None, sample: Sample | None, work: Work, report: Reporter
) -> tuple[Lens, Coded | None, Any]:
    """Return how records are seen, the trees of their values, and where a sample of them lies."""
    protect, quasi = asked.settings.protect, asked.table.having(Role.QUASI_IDENTIFIER)
    weights = protect.column_weights
    if not asked.by_trees:
        seen = asked.survey.columns
        moments = {c.name: own for c in quasi if (own := seen[c.name].moments) is not None}
        lens = ByNumbers(moments, weights, protect.effort)
        return lens, None, None if sample is None else lens.sampled(sample.rows)
    words = Vocabulary(quasi)
    drawn = Sample(protect.seed, sample_size(len(quasi)))
    kept = Form.of(asked.kept().only(lambda c: c.role is Role.QUASI_IDENTIFIER), whole=False)
    if pieces is None:
        words.load(work)
    else:
        done = 0
        for piece in _prepared(asked, pieces):
            words.add(piece)
            drawn.add(kept.pack(piece.only(lambda c: c.role is Role.QUASI_IDENTIFIER)))
            done += piece.rows
            report("collecting values", done, asked.survey.rows)
        words.save(work)
    ranges = [name for name, way in asked.how.items() if way == "range"]
    known = words.coded(
        asked.table.source, trees_of(asked.table, asked.settings), asked.folder, ranges
    )
    by_trees = ByTrees(known, weights, protect.effort)
    points = None if pieces is None else by_trees.points(kept.unpack(drawn.rows))
    return by_trees, known, points


def _prepared(asked: Asked, pieces: Pieces) -> Iterator[Table]:
    return (asked.prepared(piece) for piece in pieces.again())


def _parted(
    solver: Solver, asked: Asked, pieces: Pieces | None, points: Any, plan: Plan
) -> tuple[Stage, int]:
    """Part all records into regions, unless it is done; return them and how many there are."""
    if pieces is not None:
        cuts = cut_sample(points, plan.places(asked.survey.rows))
        keep = asked.settings.release.keep_order
        made, rows = solver.part(_prepared(asked, pieces), cuts, asked.survey.rows, keep)
        check_size(rows, solver.k, f"{asked.table.source.name} without incomplete records")
        note = {"files": made.files, "regions": made.regions, "rows": rows}
        solver.work.note("parted", note)
    found = solver.work.read("parted")
    return Stage(0, found["files"], found["regions"]), found["rows"]


def _grouped(solver: Solver, stage: Stage, rounds: int) -> Stage:
    """Group the regions, then mend their borders in others; return where the groups are."""
    solver.group(stage)
    for _ in range(rounds if len(stage.regions) > 1 else 0):
        moved = solver.move(stage)
        solver.work.drop(*stage.files)
        solver.group(moved)
        stage = moved
    return stage
