"""The command line's first lines: an interrupt is an orderly end from the start."""

from __future__ import annotations

import os
import signal
import sys


def _terminated(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run `shoal`; a polite kill cleans up as Ctrl-C does."""
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - for the life of the process
    try:
        signal.signal(signal.SIGTERM, _terminated)
        from shoal.cli import app

        app()
    except KeyboardInterrupt:
        sys.stderr.write("shoal: interrupted, nothing was written\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
