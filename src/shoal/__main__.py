"""Entry point of the command line, with orderly handling of interrupts."""

from __future__ import annotations

import contextlib
import errno
import gc
import os
import signal
import sys
from functools import partial
from types import FrameType

from shoal.progress import INTERRUPT, StopToken


def _interrupted(stop: StopToken, number: int, _frame: object) -> None:
    if stop.anytime and not stop.finish and number == signal.SIGINT:
        stop.finish = True
        os.write(2, _finishing())
        return
    stop.canceled = True
    sys.unraisablehook = _ignored  # what an interrupt leaves half done has nothing to say
    raise KeyboardInterrupt


def _finishing() -> bytes:
    """Return what is said when a search is asked to finish, as the command shows its progress."""
    from shoal.cli.display import as_shown

    text = "finishing with the best so far; once more stops without a result"
    shown = as_shown("message", {"message": text}, f"\nshoal: {text}")
    return f"{shown}\n".encode()


def _ignored(_what: object) -> None:
    pass


class _WithoutPandas:
    """Keep pyarrow from importing pandas.

    It does so at its first array or scalar, wherever pandas is installed, to know its objects: half
    a second for nothing, as the command line has none. Others may import it.
    """

    def find_spec(self, name: str, *_: object) -> None:
        """Refuse pandas to this library, which never imports it: only pyarrow does, unseen.

        Compiled code is no frame: whoever called it seems to ask, `pyarrow.compute` too.
        """
        if name != "pandas":
            return
        frame: FrameType | None = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__") == "importlib._bootstrap":
            frame = frame.f_back
        asking = "" if frame is None else str(frame.f_globals.get("__name__"))
        if asking.startswith(("shoal.", "pyarrow.compute")):
            raise ModuleNotFoundError("pandas is not used here", name=name)


def main() -> None:
    """Run `shoal`; a polite kill cleans up as Ctrl-C does."""
    gc.set_threshold(100_000, 50, 1000)  # a process of seconds: looking for garbage took a tenth
    sys.meta_path.insert(0, _WithoutPandas())
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123 - for the life of the process
    code: object = 0
    INTERRUPT.written = False  # in a process that wrote others before, too
    try:
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, partial(_interrupted, INTERRUPT))
        from shoal.cli import app

        app(obj=INTERRUPT)
    except KeyboardInterrupt:
        code = 0 if INTERRUPT.written else 130
        if code:
            sys.stderr.write("shoal: interrupted, nothing was written\n")
    except SystemExit as ended:
        read_enough = isinstance(ended.__context__, BrokenPipeError)  # of a help text, say
        code = 0 if read_enough else ended.code
    except OSError as error:  # a help text that finds no room; commands tell of their own
        if error.errno not in (errno.ENOSPC, errno.EPIPE, errno.EIO, errno.EFBIG):
            raise
        if error.errno != errno.EPIPE:
            sys.stderr.write(f"shoal: stdout cannot be written: {error.strerror}\n")
            code = 2
    _leave(code)


def _leave(code: object) -> None:
    """End the process with a code, without taking the interpreter apart.

    That takes near half a second, and everything is cleaned up here. And Python would end by the
    signal itself, not with the promised code, if an interrupt once passed through code made from
    text, handled or not.
    """
    watched = sys.gettrace() is not None or sys.getprofile() is not None
    if watched or not (code is None or isinstance(code, int)):
        sys.exit(code)  # type: ignore[arg-type]
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    os._exit(code or 0)


if __name__ == "__main__":
    main()
