"""Tables from stdin (`-`): copied in small pieces to a private file, and read as any other."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from shoal.backends.piped import PIPED
from shoal.backends.private_folder import ENDINGS
from shoal.errors import InputError, RequestError, shown

PIECE = 2**20  # bytes that are held at once


def is_stdin(value: object) -> bool:
    """Tell whether a value of the command line means stdin."""
    return value is not None and str(value) == "-"


def check_from(kind: str | None, wanted: int) -> None:
    """Raise RequestError unless --from is said where a table is `-`, once, and nowhere else."""
    if wanted == 0 and kind is not None:
        raise RequestError("--from is the format of a table on stdin; say - as its name")
    if wanted > 1:
        raise RequestError("only one table can be read from stdin; name a file for the other")
    if wanted and kind is None:
        raise RequestError(
            "a table on stdin has no name that tells its format; say --from csv or --from parquet"
        )
    if kind is not None and kind not in ENDINGS:
        raise RequestError(f"--from {shown(kind)}: it must be one of {', '.join(ENDINGS)}")


@contextmanager
def piped_table(kind: str, folder: str | None) -> Iterator[Path]:
    """Yield the file that holds what stdin has; it is removed in the end."""
    if sys.stdin is None or sys.stdin.closed:
        raise InputError("stdin is closed; there is no table in it")
    if sys.stdin.isatty():
        raise InputError("stdin is a terminal; pipe a table into it, or name a file")
    with ExitStack() as held:
        try:
            own = held.enter_context(tempfile.TemporaryDirectory(prefix=PIPED, dir=folder))
            path = Path(own) / f"stdin.{kind}"
            with path.open("xb") as file:
                shutil.copyfileobj(sys.stdin.buffer, file, PIECE)
        except OSError as error:
            where = folder or tempfile.gettempdir()
            raise InputError(
                f"stdin cannot be kept in {shown(where)}: {error.strerror}; say --work FOLDER, or "
                "set TMPDIR, to keep it elsewhere"
            ) from None
        yield path
