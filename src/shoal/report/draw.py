"""Charts as SVG: one renderer (`renderer.py`) is kept for all charts of this process.

It starts ahead, while the table is still being grouped, and draws what is known while the rest is
measured.
"""

from __future__ import annotations

import atexit
import contextlib
import os
from collections.abc import Callable, Iterator, Sequence

from shoal.errors import pip_install
from shoal.extras import has
from shoal.report.renderer import Renderer, Spec

OFF = "SHOAL_CHARTS", "off"  # a variable of the environment: pages say that charts are not drawn

_waiting: list[Renderer] = []  # started ahead of time, by `ahead`
_idle: list[Renderer] = []  # has drawn, and may draw again


def _renderer() -> Renderer:
    """Return a renderer that has drawn before, or a new one."""
    while _idle:
        renderer = _idle.pop()
        if renderer.is_usable:
            return renderer
        if renderer.owner == os.getpid():
            renderer.close()
    return Renderer()


def _put_back(renderer: Renderer) -> None:
    """Keep one renderer that has drawn for the next charts."""
    if renderer.has_drawn and renderer.is_usable and not _idle:
        _idle.append(renderer)
    else:
        renderer.close()


@atexit.register
def _close_idle() -> None:
    while _idle:
        renderer = _idle.pop()
        if renderer.owner == os.getpid():
            renderer.close()


def is_off() -> bool:
    """Whether this machine is not to draw: where no JavaScript engine may run, or for speed."""
    name, value = OFF
    return os.environ.get(name) == value


def why_none() -> str | None:
    """Return how charts come, where nothing that draws is installed; None where it is."""
    return None if has("charts") else f"Charts are drawn after {pip_install('charts')}."


@contextlib.contextmanager
def ahead(wanted: bool = True) -> Iterator[None]:
    """Start the renderer now, for charts that will be asked for inside the block."""
    if wanted and not is_off() and has("charts"):
        _waiting.append(_renderer())
    try:
        yield
    finally:
        while _waiting:
            _put_back(_waiting.pop())


def begin(specs: Callable[[], Sequence[Spec]]) -> None:
    """Let a renderer that waits draw some charts already; where none does, none are made."""
    if _waiting:
        _waiting[-1].begin(specs())


def draw(specs: Sequence[Spec]) -> list[str | None]:
    """Return one SVG a spec; None for one that could not be drawn."""
    if is_off() or not has("charts"):
        return [None] * len(specs)
    renderer = _waiting.pop() if _waiting else _renderer()
    may_have_ended = renderer.has_drawn
    drawn = renderer.draw(specs)
    if may_have_ended and not renderer.is_usable:  # it went idle before it was asked
        renderer = Renderer()
        drawn = renderer.draw(specs)
    _put_back(renderer)
    return drawn
