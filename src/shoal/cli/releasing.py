"""Common part of commands that make a release: run, write, print a summary."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.cli.display import detail, say, warn
from shoal.cli.output import check_stdout, live_reporter, logging_to_stderr, write_stdout
from shoal.errors import InputError, RequestError, UnlistedError, listed

if TYPE_CHECKING:
    from shoal.settings import RunOptions, Settings


@contextlib.contextmanager
def showing(values: bool) -> Iterator[None]:
    """Add the values that an error is about to its message, on request."""
    try:
        yield
    except UnlistedError as error:
        if not values:
            raise
        raise InputError(f"{error.marked}: {error.listed()}") from None


def make(
    settings: Settings,
    source: str | None,
    output: str,
    run: RunOptions,
    recipe: Path | None = None,
    kind: str = "csv",
) -> None:
    """Anonymize with a progress bar, write the release, print a summary."""
    if output == "-" and run.as_json:
        raise RequestError("--json and -o - both write to stdout; choose one")
    if output == "-":
        check_stdout(kind)
    check_early(settings, source, None if output == "-" else output, run)
    from shoal.report.draw import ahead

    with (
        ahead(run.report and output != "-"),
        live_reporter() as report,
        logging_to_stderr(),
    ):
        from shoal.pipeline.anonymize import anonymize_with
        from shoal.pipeline.plan.recipe import named_by, source_of
        from shoal.pipeline.regions.file import check_screen, file_request, release, wants_engine
        from shoal.release.save import stdout_bytes

        folder = None if recipe is None else recipe.parent
        named = source if recipe is None else named_by(settings, recipe, source)
        request = None
        if output != "-" or wants_engine(named, settings):
            request = file_request(named, output, settings, run, folder)
        data = source_of(settings, recipe, source) if recipe is not None else source
        assert data is not None
        result: Any
        if request is None:
            check_screen(Path(data), settings)
            result = anonymize_with(
                Path(data), settings, report, run.threads, folder, echo_estimate, kind="csv"
            )
            write_stdout(stdout_bytes(result, kind))
        else:
            request = replace(request, on_estimate=echo_estimate)
            result = release(data, settings, request, report)
    with contextlib.suppress(KeyboardInterrupt):  # the release is there: nothing to take back
        _echo_result(result, request, run.as_json, run.report)


def check_early(
    settings: Settings, source: str | None, output: str | None, run: RunOptions
) -> None:
    """Refuse an input or output by its name or place, before what takes a second is imported.

    What several files or an engine are is looked at later.
    """
    from shoal.release.targets import Targets
    from shoal.table.files.many_files import is_many
    from shoal.table.files.opening import check_file_name, check_ordinary, is_database

    if settings.protect.engine is not None or (source is not None and is_many(source)):
        return
    if output is not None:
        targets = Targets.of(output)
        targets.check(targets.staging(run.force), [Path(source)] if source else [], run.report)
    if source is not None and not is_database(source):
        check_file_name(Path(source).name)
        check_ordinary(Path(source))


def echo_estimate(likely: Any) -> None:
    """Print the estimate of a long run."""
    from shoal.pipeline.plan.estimate import LONG

    tell = say if likely.seconds >= LONG else detail
    tell(f"expected: {likely.describe()}")


def make_preview(settings: Settings, source: str, sample: int, run: RunOptions) -> None:
    """Run on a sample, and print the estimated loss, time and memory."""
    with live_reporter() as report:
        from shoal.pipeline.preview import preview_of

        preview = preview_of(Path(source), settings, sample, run.threads, report)
    write_stdout(
        json.dumps(preview.to_dict(), indent=2) + "\n" if run.as_json else f"{preview.summary()}\n"
    )


def make_pack(
    settings: Settings,
    source: str,
    folder: Path,
    kind: str,
    run: RunOptions,
    sign: Path | None = None,
) -> None:
    """Anonymize with a progress bar, write a release pack, print a summary."""
    from shoal.release.pack.place import check_pack_place

    targets = check_pack_place(
        folder, kind, run.force, settings.replace(input={"path": source}), sign
    )
    check_early(settings, source, None, run)
    from shoal.report.draw import ahead

    with ahead(True), live_reporter() as report:
        from shoal.pipeline.anonymize import anonymize_with
        from shoal.pipeline.regions.file import check_whole

        check_whole(source, settings)
        result = anonymize_with(
            Path(source), settings, report, run.threads, None, echo_estimate, kind=kind
        )
        result.pack(folder, force=run.force, format=kind, sign=sign)
    with contextlib.suppress(KeyboardInterrupt):
        _echo_result(result, None, run.as_json, True)
        names = ", ".join(sorted(path.name for path in folder.iterdir()))
        say(f"\nwrote {folder}/: {names}")
        _echo_private(str(targets.private), True)
        _warn_of_others(targets, result)


def _echo_result(result: Any, request: Any, as_json: bool, with_page: bool) -> None:
    """Print the summary of a run."""
    if as_json:
        exact = {"private": True, **result.report.to_dict()}
        write_stdout(json.dumps(exact, indent=2, ensure_ascii=False, allow_nan=False) + "\n")
    say(result.report.summary())
    if result.settings.release.keep_order:
        warn("the rows keep the input's order, which links them to it")
    if request is None:
        return
    targets = request.targets
    written = [targets.release, targets.report, *([targets.page] if with_page else [])]
    if request.output_folder is not None:
        names = ", ".join(path.name for path in written)
        say(f"\nwrote {request.output_folder.place}/: Parquet parts, {names}")
        _echo_private(request.output_folder.private, with_page)
        if not request.output_folder.is_url:
            _warn_of_others(targets, result)
        return
    say(f"\nwrote {', '.join(map(str, written))}")
    _echo_private(str(targets.private), with_page)
    _warn_of_others(targets, result)


def _echo_private(folder: str, with_page: bool) -> None:
    """Print the files of the private folder."""
    from shoal.storage.private_folder import FILES, PAGE

    names = ", ".join(name for name in FILES if with_page or name != PAGE)
    say(f"private, not to be published: {folder}/: {names}")


def _warn_of_others(targets: Any, result: Any) -> None:
    from shoal.release.save import earlier_releases

    others = earlier_releases(targets.private, result.report.input["sha256"])
    if others:
        warn(
            f"another release of the same input lies beside it: {listed(others)}; "
            "whoever has both may find fewer than k candidates, see shoal verify --against"
        )
