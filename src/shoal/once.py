"""A property that is computed at its first use.

`functools.cached_property` does so from Python 3.12 on. In 3.11 it holds one lock for all objects
while it computes: threads that ask two columns for one property wait for each other, and threads
whose properties need each other may wait forever.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    once = cached_property
else:

    class once(cached_property):  # noqa: N801 - a decorator
        """Keep what a method without arguments returns; where two threads ask, both compute."""

        def __get__(self, instance: Any, owner: type | None = None) -> Any:
            if instance is None:
                return self
            value = instance.__dict__[self.attrname] = self.func(instance)
            return value
