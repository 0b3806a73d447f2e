"""Out-of-core run, step by step."""

from __future__ import annotations

import secrets
import time
from functools import partial
from pathlib import Path
from typing import Any

from shoal.errors import OutputError, RequestError
from shoal.executor import Threads, ahead
from shoal.judge.engine import limited
from shoal.methods.problem import check_size
from shoal.pipeline.regions.arrow import Form
from shoal.pipeline.regions.budget import VALUES, Budget
from shoal.pipeline.regions.encoders import ByNumbers, ByTrees, RegionEncoder, Vocabulary
from shoal.pipeline.regions.file_plan import FilePlan, plan_file, profile_file
from shoal.pipeline.regions.release import ReleasedRegions, Releasing, report_of
from shoal.pipeline.regions.request import FileRequest, Released
from shoal.pipeline.regions.run_folder import RunFolder
from shoal.pipeline.regions.solve import Cuts, Once, Solver, Stage, cut_sample
from shoal.pipeline.regions.tasks import TaskRunner, freed, give_back
from shoal.pipeline.regions.write import JSON_LINES, PIECEMEAL, keep, kept
from shoal.pipeline.stages import check_possible
from shoal.progress import Callback, Reporter
from shoal.release.prepare import with_text
from shoal.release.save import papers_of, verify_written
from shoal.release.write import json_values
from shoal.settings import Settings
from shoal.table.encode_nodes import Coded
from shoal.table.files.formats import is_csv
from shoal.table.files.opening import check_ordinary, digest_of
from shoal.table.hierarchy.specify import digests
from shoal.table.roles import Role
from shoal.table.sampling import Sample, sample_size, share_of
from shoal.table.streams import Pieces, Reading, Whole, in_pieces
from shoal.version import __version__


def release_file(
    source: Path,
    settings: Settings,
    budget: Budget,
    request: FileRequest,
    callback: Callback | Reporter | None = None,
    pieces: Pieces | None = None,
) -> Released:
    """Release a file by regions, verified, or nothing; resume a killed run.

    `pieces` are its records where it stands for something else than itself.
    """
    begin = time.perf_counter()
    report = Reporter.of(callback)
    targets = request.targets
    if targets.kind not in PIECEMEAL:
        raise RequestError(
            "a file that does not fit in the memory given is released as csv, JSON lines, Parquet, "
            f"Feather or Arrow, not .{targets.kind}"
        )
    check_possible(settings)
    fingerprint = run_fingerprint(
        stamps_of(source), settings, budget.records, request, targets.kind
    )
    with targets.staging(request.force) as staging:
        targets.check(staging, [source], request.with_page)
        with RunFolder(targets.release, fingerprint, request.parent) as work:
            options = settings.input
            said = options.dialect, options.missing, options.types
            reading = Whole(pieces or in_pieces(source, *said, budget.piece, budget.batch))
            runner = TaskRunner(work, Threads(1), Threads(request.threads), report)
            releasing, made = release_regions(reading, settings, budget, request, runner)
            with staging.writing(targets.release) as (temporary, file):
                buckets = releasing.buckets(made)
                buckets.write(file, targets.kind, report)
            digest = buckets.check(temporary, targets.kind, report)
            report("verifying", 0, 1)
            give_back()
            written = buckets.written(made.released)
            with limited(memory=budget.judge, threads=request.threads):
                verification = verify_written(
                    temporary, made.settings, written, made.rows, targets.kind
                )
            give_back()
            if digest_of(temporary) != digest:
                raise OutputError("the file on disk is not what was written; nothing was kept")
            seconds = time.perf_counter() - begin
            final_report = report_of(releasing, made, verification.to_dict(), seconds)
            final_report = with_text(final_report, written, targets.kind)
            papers = papers_of(
                targets, made.settings, final_report, digest, settings.release.keep_order,
                request.with_page,
            )  # fmt: skip
            papers.add_to(staging)
            staging.commit(last=targets.release, release=True)
    targets.leave_no_page(request.force, request.with_page)
    return Released(targets.release, final_report, made.settings)


def release_regions(
    reading: Reading,
    settings: Settings,
    budget: Budget,
    request: FileRequest,
    runner: TaskRunner,
    shared: bool = False,
) -> tuple[Releasing, ReleasedRegions]:
    """Group all records and release every region; return what is to be written.

    Where work is `shared` with other machines, regions are so small that there are several.
    """
    work, seed = runner.work, request.shuffle_seed
    fresh = reading if work.read("parted") is None else None  # else an earlier run did so much
    sample = None if fresh is None else profile_file(fresh, settings, runner, request.folder)
    file_plan = plan_file(settings, work, request.folder)
    encoder, known, points = choose_encoder(file_plan, fresh, sample, runner, budget.values)
    if shared:
        budget = budget.shared(file_plan.profile.rows, request.share)
        file_plan = file_plan.carried()
    kept, kind = file_plan.kept(), request.targets.kind
    if kind == JSON_LINES:
        for column in kept.columns:
            if column.role is not Role.QUASI_IDENTIFIER:
                json_values(column)  # which refuses what JSON cannot hold
    form = Form.of(kept, whole=not shared and is_csv(kind))
    solver = Solver(
        runner, form, encoder, settings.protect.k, settings.protect.seed, budget.file, budget.beside
    )
    first, rows = _parted(solver, file_plan, fresh, points, budget)
    last = _grouped(solver, first, budget.rounds)
    secret = work.once("secret", partial(secrets.token_hex, 32))
    secret = secret if seed is None else f"test {seed}"
    releasing = Releasing(solver, last, file_plan, known, budget, rows, secret)
    return releasing, releasing.release()


def stamps_of(source: Path) -> list[Any]:
    """Identity of a file: path, size, mtime."""
    status = check_ordinary(source)
    return [[str(source.resolve()), status.st_size, status.st_mtime_ns]]


def run_fingerprint(
    stamps: list[Any], settings: Settings, records: int, request: FileRequest, kind: str
) -> Any:
    """Return all that a run depends on, as plain values, to decide whether it can be resumed."""
    settings = settings.replace(protect={"engine": None})
    return {
        "shoal": __version__,
        "input": stamps,
        "settings": settings.to_toml(),
        "hierarchies": _trees(settings, request.folder),
        "records": records,
        "kind": kind,
    }


def _trees(settings: Settings, folder: Path | None) -> list[Any]:
    """Return the identities of the files of hierarchies."""
    place, quasi = settings.input.hierarchies, settings.roles.quasi_identifiers
    files = sorted(((folder or Path()) / place).glob("*.csv")) if place else []
    used = [file for file in files if file.is_file() and (not quasi or file.stem in quasi)]
    stamps = [(file.stat().st_size, file.stat().st_mtime_ns) for file in used]
    return [
        digests(settings.hierarchies, folder),
        [[str(file.resolve()), *stamp] for file, stamp in zip(used, stamps, strict=True)],
    ]


def _parted(
    solver: Solver, file_plan: FilePlan, reading: Reading | None, points: Any, budget: Budget
) -> tuple[Stage, int]:
    """Assign all records to regions, unless that is done; return the stage and the count."""
    if reading is not None:
        cuts = solver.work.once(
            "cuts-0", lambda: cut_sample(points, budget.places(file_plan.profile.rows)).to_dict()
        )
        keep_order = file_plan.plan.settings.release.keep_order
        made, rows = solver.part(reading, file_plan, Cuts.from_dict(cuts), keep_order)
        check_size(
            rows, solver.k, f"{file_plan.plan.schema.source.name} without incomplete records"
        )
        note = {"files": made.files, "regions": made.regions, "rows": rows}
        solver.work.note("parted", note)
    parted = solver.work.read("parted")
    return Stage(0, parted["files"], parted["regions"]), parted["rows"]


def _grouped(solver: Solver, stage: Stage, rounds: int) -> Stage:
    """Group the regions, then improve their borders in others; return the last stage."""
    solver.group(stage)
    for _ in range(rounds if len(stage.regions) > 1 else 0):
        moved = solver.move(stage)
        solver.work.drop(*stage.files)
        solver.group(moved)
        stage = moved
    return stage


def choose_encoder(
    file_plan: FilePlan,
    reading: Reading | None,
    sample: Sample | None,
    runner: TaskRunner,
    most: int = VALUES,
) -> tuple[RegionEncoder, Coded | None, Any]:
    """Return the encoder, the hierarchies of values, and the coordinates of a sample."""
    plan = file_plan.plan
    protect, quasi = plan.settings.protect, plan.schema.with_role(Role.QUASI_IDENTIFIER)
    weights = protect.column_weights
    if not plan.by_hierarchies:
        columns = file_plan.profile.columns
        moments = {c.name: own for c in quasi if (own := columns[c.name].moments) is not None}
        encoder = ByNumbers(moments, weights, protect.effort, plan.k, file_plan.holed)
        return encoder, None, None if sample is None else encoder.sampled(sample.rows)
    words = Vocabulary(quasi, most)
    form = Form.of(file_plan.kept().only(_is_quasi), whole=False)
    drawn = None
    if reading is None:
        words.load(runner.work, "values")
    else:
        collected = partial(collect, reading, file_plan, form, runner, most)
        step = Once(runner.work, "collected-{}", collected)
        tasks = range(reading.tasks)
        for name in runner.reading(reading).each("collecting values", step, tasks):
            vocabulary = Vocabulary(quasi)
            vocabulary.load(runner.work, name)
            words.join(vocabulary)
            some = Sample(protect.seed, sample_size(len(quasi)))
            some.take(kept(runner.work, f"{name}-sample"))
            if drawn is None:
                drawn = some
            else:
                drawn.join(some)
        words.save(runner.work, "values")
    known = words.coded(plan.schema.source, plan.hierarchies, plan.folder, plan.ranges)
    by_trees = ByTrees(known, weights, protect.effort)
    points = None if drawn is None else by_trees.points(form.unpack(drawn.rows))
    return by_trees, known, points


def _is_quasi(column: Any) -> bool:
    return bool(column.role is Role.QUASI_IDENTIFIER)


def collect(
    reading: Reading, file_plan: FilePlan, form: Form, runner: TaskRunner, most: int, chunk: int
) -> str:
    """Store the values of the quasi-identifiers of a chunk, and a sample of its records."""
    name, plan = f"values-of-{chunk}", file_plan.plan
    words = Vocabulary(plan.schema.with_role(Role.QUASI_IDENTIFIER), most)
    size = sample_size(len(words.columns))
    drawn = Sample(
        plan.settings.protect.seed, size, reading.start(chunk), share_of(size, reading.rows)
    )
    done = 0
    pieces = map(file_plan.prepared, reading.again(chunk))
    for piece in freed(ahead(pieces, runner.threads)):
        words.add(piece)
        drawn.add(form.pack(piece.only(_is_quasi)))
        done += piece.rows
        if not reading.is_shared:
            runner.report("collecting values", done, file_plan.profile.rows)
    words.save(runner.work, name)
    drawn.keep(partial(keep, runner.work, f"{name}-sample"))
    return name
