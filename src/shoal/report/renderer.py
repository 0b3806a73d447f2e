"""The renderer: a process that draws Vega-Lite specs as SVG.

vl-convert starts a JavaScript engine, which takes most of a second and holds the interpreter while
it does; and if it should ever crash, the release does not. A renderer that has drawn waits for more
charts, which then take hundredths of a second. It ends with the process that started it, and after
IDLE seconds without work.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

from shoal.storage import processes

Spec = dict[str, Any]

COMMAND = (sys.executable, "-P", "-m", "shoal.report.renderer")
TIMEOUT = 120.0  # seconds after which charts are given up
IDLE = 30.0  # seconds after which a renderer without work ends itself

FIRST: Spec = {
    "data": {"values": [{"x": 1, "y": "a"}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "y", "type": "nominal"},
    },
}


class Renderer:
    """A process that draws: a line of specs in, a line an SVG out, given up after `timeout`."""

    def __init__(self, command: Sequence[str] = COMMAND, timeout: float = TIMEOUT) -> None:
        self.timeout = timeout
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            **processes.apart(),  # a Ctrl-C is for the run, which then closes this one
        )
        self.owner = os.getpid()
        self.has_drawn = False
        self.begun: list[str] = []
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        """Pass on every line that was drawn, and an empty one at the end."""
        assert self.process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for line in self.process.stdout:
                self._lines.put(line)
        self._lines.put(b"")

    @property
    def is_usable(self) -> bool:
        """Whether it can be asked for more: alive, of this process, and nothing is under way."""
        return self.owner == os.getpid() and self.process.poll() is None and not self.begun

    def begin(self, specs: Sequence[Spec]) -> None:
        """Let it draw some charts that will be asked for, beside those that it draws already."""
        texts = dict.fromkeys(json.dumps(spec) for spec in specs)
        more = [text for text in texts if text not in self.begun]
        if more:
            self.begun += more
            self._send(more)

    def _send(self, texts: Sequence[str]) -> None:
        """Write a line of specs beside what goes on: the renderer may not read yet."""
        words = _line(texts), self._writer
        self._writer = threading.Thread(target=self._write, args=words, daemon=True)
        self._writer.start()

    def _write(self, line: bytes, before: threading.Thread | None) -> None:
        if before is not None:
            before.join()
        with contextlib.suppress(OSError, ValueError):
            assert self.process.stdin is not None
            self.process.stdin.write(line)
            self.process.stdin.flush()

    def draw(self, specs: Sequence[Spec]) -> list[str | None]:
        """Return one SVG a spec; None for one that could not be drawn."""
        texts = [json.dumps(spec) for spec in specs]
        try:
            self.begin(specs)
            drawn = dict(zip(self.begun, self._drawn(len(self.begun)), strict=False))
        except BaseException:
            self.close()
            raise
        if len(drawn) < len(self.begun):
            self.close()
        self.begun, self._writer, self.has_drawn = [], None, True
        return [drawn.get(text) for text in texts]

    def _drawn(self, count: int) -> Iterator[str | None]:
        """Yield what was drawn of so many charts, as far as it comes in time."""
        end = time.monotonic() + self.timeout
        if self._writer is not None:
            self._writer.join(self.timeout)
            if self._writer.is_alive():  # it does not even read
                return
        for _ in range(count):
            try:
                line = self._lines.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                return
            if not line.endswith(b"\n"):
                return
            yield json.loads(line)

    def close(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        for thread in (self._writer, self._reader):
            if thread is not None:
                thread.join()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError, ValueError):
                if pipe is not None:
                    pipe.close()
        self.process.wait()


def _line(texts: Sequence[str]) -> bytes:
    return f"[{','.join(texts)}]\n".encode()


def _idle_timer(seconds: float) -> threading.Timer:
    """Start to wait for work; end the process if none comes."""
    timer = threading.Timer(seconds, os._exit, (0,))
    timer.daemon = True
    timer.start()
    return timer


def main(seconds: float = IDLE) -> None:
    """Warm up, then read lists of specs, a line each, and write one SVG a line, as JSON.

    It ends after so many seconds without work.
    """
    import vl_convert

    vl_convert.vegalite_to_svg(FIRST)
    idle: threading.Timer | None = None  # none before the first charts: grouping may take long
    for line in sys.stdin:
        if idle is not None:
            idle.cancel()
        for spec in json.loads(line):
            svg: str | None = None
            with contextlib.suppress(ValueError):
                svg = vl_convert.vegalite_to_svg(spec)
            sys.stdout.write(json.dumps(svg) + "\n")
            sys.stdout.flush()
        idle = _idle_timer(seconds)


if __name__ == "__main__":
    main()
