"""Vega-Lite specs -> SVG, in a process of its own.

The renderer (vl-convert) starts a JavaScript engine, which takes most of a second and holds the
interpreter while it does; in another process it starts while the table is still being grouped,
draws what is known while the rest is measured, and if it should ever crash, the release does not.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

Spec = dict[str, Any]

_waiting: list[Renderer] = []

TIMEOUT = 120.0  # seconds after which charts are given up

FIRST: Spec = {
    "data": {"values": [{"x": 1, "y": "a"}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "y", "type": "nominal"},
    },
}


class Renderer:
    """A process that draws: a line of specs in, a line an SVG out."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "shoal.report.draw"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is for the run, which then closes this one
        )
        self.begun: list[str] = []
        self._writer: threading.Thread | None = None

    def begin(self, specs: Sequence[Spec]) -> None:
        """Let it draw some charts that will be asked for."""
        if self._writer is None:
            self.begun = [json.dumps(spec) for spec in specs]
            self._writer = threading.Thread(target=self._write, daemon=True)
            self._writer.start()

    def _write(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            assert self.process.stdin is not None
            self.process.stdin.write(_line(self.begun))
            self.process.stdin.flush()

    def draw(self, specs: Sequence[Spec]) -> list[str | None]:
        """Return one SVG a spec; None for one that could not be drawn."""
        texts = [json.dumps(spec) for spec in specs]
        known = set(self.begun)
        more = [text for text in dict.fromkeys(texts) if text not in known]
        drawn = dict(zip([*self.begun, *more], self._drawn(more), strict=False))
        return [drawn.get(text) for text in texts]

    def _drawn(self, more: Sequence[str]) -> list[str | None]:
        """Return what was drawn of what was begun and of more, as far as it came."""
        begin = time.monotonic()
        try:
            if self._writer is not None:
                self._writer.join(TIMEOUT)
                if self._writer.is_alive():  # it does not even read
                    self.close()
                    return []
            left = max(0.0, TIMEOUT - (time.monotonic() - begin))
            out, _ = self.process.communicate(_line(more), timeout=left)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, _ = self.process.communicate()
        except OSError:  # it is gone, and what was written to it is left in a buffer
            self.close()
            return []
        except BaseException:
            self.close()
            raise
        lines = out.splitlines(keepends=True)
        return [json.loads(line) for line in lines if line.endswith(b"\n")]

    def close(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        if self._writer is not None:
            self._writer.join()
        with contextlib.suppress(OSError, ValueError):
            self.process.communicate()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if pipe is not None:
                    pipe.close()
        self.process.wait()


def _line(texts: Sequence[str]) -> bytes:
    return f"[{','.join(texts)}]\n".encode()


@contextlib.contextmanager
def ahead(wanted: bool = True) -> Iterator[None]:
    """Start the renderer now, for charts that will be asked for inside the block."""
    if wanted:
        _waiting.append(Renderer())
    try:
        yield
    finally:
        while _waiting:
            _waiting.pop().close()


def begin(specs: Callable[[], Sequence[Spec]]) -> None:
    """Let a renderer that waits draw some charts already; where none does, none are made."""
    if _waiting:
        _waiting[-1].begin(specs())


def draw(specs: Sequence[Spec]) -> list[str | None]:
    """Return one SVG a spec; None for one that could not be drawn."""
    return (_waiting.pop() if _waiting else Renderer()).draw(specs)


def main() -> None:
    """Warm up, then read lists of specs, a line each, and write one SVG a line, as JSON."""
    import vl_convert

    vl_convert.vegalite_to_svg(FIRST)
    for line in sys.stdin:
        for spec in json.loads(line):
            svg: str | None = None
            with contextlib.suppress(ValueError):
                svg = vl_convert.vegalite_to_svg(spec)
            sys.stdout.write(json.dumps(svg) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
