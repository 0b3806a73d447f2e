"""Dataclasses whose methods are made when they are first needed.

The standard library compiles each method by itself, about 1.5 ms a class. With 300 classes that was
nearly half of what importing Shoal took, and a command makes objects of few of them.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from threading import RLock
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]

LATE = "__dataclass_fields__", "__dataclass_params__", "__match_args__"
_LOCK = RLock()


class _Late:
    """An attribute of a class that is there when the methods are made."""

    def __init__(self, name: str, make: Callable[[], None]) -> None:
        self.name = name
        self.make = make

    def __get__(self, instance: object, owner: type) -> Any:
        self.make()
        return getattr(owner, self.name)


class _Signature:
    """The signature of a class: that of `__init__`, and not that of `__new__`, which takes all."""

    def __get__(self, instance: object, owner: type) -> inspect.Signature:
        if instance is not None:
            raise AttributeError("__signature__")
        dataclasses.fields(owner)
        signature = inspect.signature(owner.__init__)  # type: ignore[misc]
        return signature.replace(parameters=[*signature.parameters.values()][1:])


def _new(kind: type, /, *_: Any, **__: Any) -> Any:
    """Return an object without its fields: once replaced, `object.__new__` refuses arguments."""
    return object.__new__(kind)


def _deferred(cls: type, options: dict[str, Any]) -> type:
    """Make the methods of a dataclass with its first object, or when somebody asks for its fields.

    Every object, an unpickled one too, begins with `__new__`: there is none without them.
    """
    own: Any = cls.__new__
    if own is not object.__new__ and own.__module__ != __name__:
        return dataclasses.dataclass(**options)(cls)  # it makes its objects in a way of its own
    waiting = True

    def make() -> None:
        nonlocal waiting
        with _LOCK:
            if not waiting:
                return
            for name in LATE:
                if isinstance(vars(cls).get(name), _Late):
                    delattr(cls, name)
            dataclasses.dataclass(**options)(cls)
            cls.__new__ = _new  # type: ignore[method-assign]
            waiting = False

    def new(kind: type, /, *_: Any, **__: Any) -> Any:
        make()
        return object.__new__(kind)

    cls.__new__ = new  # type: ignore[method-assign]
    for name in LATE:
        if name not in vars(cls):
            setattr(cls, name, _Late(name, make))
    cls.__signature__ = _Signature()  # type: ignore[attr-defined]
    return cls


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(cls: type | None = None, /, **options: Any) -> Any:
        """As `dataclasses.dataclass`; a mistake in a definition is found with its first use."""
        if cls is None:
            return lambda decorated: _deferred(decorated, options)
        return _deferred(cls, options)
