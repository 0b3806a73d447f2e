"""Libraries that few tests use: imported by the process that runs those, not by every one."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """A module that is imported when something of it is asked for."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # by which pytest looks for fixtures
            raise AttributeError(name)
        return getattr(import_module(self._module), name)
