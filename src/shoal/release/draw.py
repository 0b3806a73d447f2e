"""Vega-Lite specs -> SVG, in a process of its own.

The renderer (vl-convert) starts a JavaScript engine, which takes most of a second and holds the
interpreter while it does; in another process it starts while the table is still being grouped,
and if it should ever crash, the release does not.
"""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from typing import Any

Spec = dict[str, Any]

_waiting: list[subprocess.Popen[bytes]] = []

TIMEOUT = 120.0  # seconds after which charts are given up

FIRST: Spec = {
    "data": {"values": [{"x": 1, "y": "a"}]},
    "mark": "bar",
    "encoding": {
        "x": {"field": "x", "type": "quantitative"},
        "y": {"field": "y", "type": "nominal"},
    },
}


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "shoal.release.draw"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # a Ctrl-C is for the run, which then closes this one
    )


@contextlib.contextmanager
def ahead(wanted: bool = True) -> Iterator[None]:
    """Start the renderer now, for charts that will be asked for inside the block."""
    if wanted:
        _waiting.append(_start())
    try:
        yield
    finally:
        while _waiting:
            process = _waiting.pop()
            process.kill()
            process.communicate()


def draw(specs: Sequence[Spec]) -> list[str | None]:
    """Return one SVG a spec; None for one that could not be drawn."""
    process = _waiting.pop() if _waiting else _start()
    try:
        out, _ = process.communicate(json.dumps(list(specs)).encode("utf-8"), timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, _ = process.communicate()
    except BaseException:
        process.kill()
        process.communicate()
        raise
    drawn: list[str | None] = [json.loads(line) for line in out.splitlines()]
    return drawn + [None] * (len(specs) - len(drawn))


def main() -> None:
    """Warm up, then read a list of specs and write one SVG a line, as JSON."""
    import vl_convert

    vl_convert.vegalite_to_svg(FIRST)
    for spec in json.load(sys.stdin):
        svg: str | None = None
        with contextlib.suppress(ValueError):
            svg = vl_convert.vegalite_to_svg(spec)
        sys.stdout.write(json.dumps(svg) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
