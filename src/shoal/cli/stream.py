"""The command that releases records as they come: stream."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import typer

from shoal.cli.app import AGAIN, app
from shoal.cli.display import say
from shoal.cli.options import WRITING, Tabled, takes
from shoal.cli.output import live_reporter, write_stdout
from shoal.cli.recipes import beside_recipe, completed
from shoal.cli.releasing import showing
from shoal.errors import InputError, RequestError, shown

if TYPE_CHECKING:
    from shoal.pipeline.batches import Batch
    from shoal.settings import RunOptions, Settings


@app.command(cls=Tabled, rich_help_panel=AGAIN)
@takes(command="stream")
def stream(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="A folder whose files are read by name (csv, Parquet, JSON lines and others), or "
            "- for stdin.",
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", help="The folder of the batches, DIR/.", rich_help_panel=WRITING
        ),
    ],
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            help="The format of stdin: csv or jsonl.",
            metavar="FORMAT",
            rich_help_panel="Reading",
        ),
    ] = None,
    recipe: Annotated[
        Path | None, typer.Option(help="Take what is not said here from this recipe (TOML).")
    ] = None,
    **options: Any,
) -> None:
    """Release records as they come, in verified batches: everybody once.

    A batch is made when `--batch` records wait, when one has waited as long as `--delay` says, or,
    without a delay, when the source ends. `--person` says who is who: who came before, or is in the
    ledger, is left out. Records that cannot be in a group of k wait, and are withheld after the
    delay. Standardization and hierarchies are those of the first batch.

    The records that wait and the ledger lie in DIR.private/, as confidential as the original. Run
    the same command again to go on, also after a crash: nobody is lost, or released twice. So does
    `shoal run DIR.private/run.toml`, the recipe of the stream.

    Example: `shoal stream arriving/ -k 5 --person number --quasi age,income --sensitive diagnosis
    --drop name,cost,weight,admission_date --method mdav --batch 400 -o batches/`
    """
    from shoal.settings import build, load_tree
    from shoal.settings.tree import run_of

    if (source == "-") != (from_ is not None):
        raise RequestError("say --from csv or --from jsonl for a stream on stdin, and only there")
    tree = completed({} if recipe is None else load_tree(recipe), recipe, options)
    if source == "-" and (sys.stdin is None or sys.stdin.closed):
        raise InputError("stdin is closed; there is no stream in it")
    pipe = (sys.stdin.buffer, str(from_)) if source == "-" else None
    run = run_of(options)
    with showing(run.show_values):
        _release(build(tree), source, output, run, pipe)


def run_stream(
    settings: Settings, source: str | None, output: str, run: RunOptions, recipe: Path
) -> None:
    """Go on with a stream as its recipe says, from its own folder or another."""
    from shoal.pipeline.plan.recipe import named_by
    from shoal.settings import build
    from shoal.storage.names import is_piped

    if output == "-" or (source is not None and is_piped(source)):
        raise RequestError(
            "the recipe is of a stream, which goes to a folder and, in this way, comes from one; "
            "for stdin say shoal stream - --from FORMAT --recipe FILE -o DIR"
        )
    tree = settings.model_dump()
    beside_recipe(tree, recipe.parent)
    _release(build(tree), named_by(settings, recipe, source), Path(output), run)


def _release(
    settings: Settings,
    source: str | Path,
    output: Path,
    run: RunOptions,
    pipe: tuple[BinaryIO, str] | None = None,
) -> None:
    """Release batches, and say what became of each."""
    if pipe is None and not Path(source).is_dir():  # told before what takes a second is imported
        raise InputError(f"{shown(source)}: a stream comes from a folder; this is none")
    from shoal.pipeline.stream import stream_with

    with live_reporter() as report:
        made = stream_with(source, output, settings, run, report, pipe)
        for batch in _until_interrupted(made):
            if run.as_json:
                write_stdout(json.dumps(batch.to_dict()) + "\n")
            loss = "" if batch.loss is None else f", loss {batch.loss:.2f} %"
            say(
                f"{batch.path}: {batch.records:,} records, {batch.classes:,} classes of at least "
                f"{batch.smallest}{loss}; verified"
            )
    if run.as_json:
        write_stdout(json.dumps({"counts": made.counts.to_dict()}) + "\n")
    say(f"{made.counts.summary()}\nprivate, not to be published: {made.private}/")


def _until_interrupted(made: Iterator[Batch]) -> Iterator[Batch]:
    """Yield batches; an interrupt is the end, as what waits is kept for the next run."""
    try:
        yield from made
    except KeyboardInterrupt:
        say("interrupted: what waits is kept; run the same command again to go on")
