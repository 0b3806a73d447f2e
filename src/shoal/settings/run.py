"""Options of a run that are no settings: they change nothing of what is released."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated

from shoal.settings.kinds import FLAG, PLACE, UNLESS, WHOLE
from shoal.settings.option import COMMANDS, Option

_writing = partial(Option, "Writing")
_resource = partial(Option, "Resources")


@dataclass(frozen=True)
class RunOptions:
    """Threads, folders, files and messages of a run; no recipe notes them."""

    threads: Annotated[
        int | None,
        _resource(
            "How many threads at most; never changes the groups.", WHOLE, commands=COMMANDS,
            least=1, desk=False,
        ),
    ] = None  # fmt: skip
    work: Annotated[
        str | None,
        _resource(
            "Where temporary files of a large run are made: a folder, with an engine also a URL. "
            "Default: beside the output.",
            PLACE, commands=("anonymize", "run"), functions=("anonymize_file",), desk=False,
            expert=True,
        ),
    ] = None  # fmt: skip
    scheduler: Annotated[
        str | None,
        _resource(
            "Where the engine's cluster is: tcp://host:8786 of dask, spark://host:7077 of spark. "
            "Default: one is started on this machine.",
            commands=("anonymize", "run"), functions=("anonymize_file",), desk=False, expert=True,
        ),
    ] = None  # fmt: skip
    report: Annotated[
        bool,
        _writing(
            "Do not write the HTML report.", UNLESS, ("--no-report",),
            commands=("anonymize", "refine", "run"), functions=("anonymize_file",), desk=False,
        ),
    ] = True  # fmt: skip
    force: Annotated[
        bool,
        _writing(
            "Replace files that exist.", FLAG, ("--force",), commands=COMMANDS,
            functions=("anonymize_file",), desk=False,
        ),
    ] = False  # fmt: skip
    show_values: Annotated[
        bool,
        _writing(
            "Let an error list values that it is about.", FLAG, ("--show-values",),
            commands=("anonymize", "refine", "run"), functions=(), desk=False,
        ),
    ] = False  # fmt: skip
    as_json: Annotated[
        bool,
        _writing(
            "Print JSON on stdout, errors too.", FLAG, ("--json",), commands=COMMANDS, functions=(),
            desk=False,
        ),
    ] = False  # fmt: skip
    follow: Annotated[
        bool,
        _resource(
            "Go on for what comes into the folder of a stream, until interrupted.", FLAG,
            ("--follow",), commands=("stream",), functions=("stream",), desk=False,
        ),
    ] = False  # fmt: skip
