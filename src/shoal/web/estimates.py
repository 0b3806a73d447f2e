"""Running estimates of a file, one a browser tab."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from shoal.web.bodies import Refused

TABS = 20  # questions of tabs that wait for an answer about one file
NAME = 100  # signs of a tab's name


def read_tab(given: Any) -> str:
    """Return the name that a page gave itself; pages without one share a name."""
    if given is None:
        return ""
    if not isinstance(given, str) or len(given) > NAME:
        raise Refused(400, "a tab is a short text")
    return given


class Estimates:
    """Estimates by the name of the tab that asked; a new question of a tab ends its last one."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[dict[str, Any]]] = {}

    def every(self) -> list[asyncio.Task[dict[str, Any]]]:
        """Return those under way."""
        return list(self._tasks.values())

    async def ask(
        self, tab: str, start: Callable[[], asyncio.Task[dict[str, Any]]]
    ) -> dict[str, Any]:
        """Return a tab's estimate; a Refused where the tab has asked again since."""
        last = self._tasks.pop(tab, None)
        if last is not None:
            last.cancel()
        if len(self._tasks) >= TABS:
            raise Refused(429, f"{TABS} questions about this file wait; try again later")
        task = self._tasks[tab] = start()
        try:
            return await task
        except asyncio.CancelledError:
            raise Refused(409, "another estimate was asked for") from None
        finally:
            if self._tasks.get(tab) is task:
                del self._tasks[tab]
