"""Dataclasses whose methods are made late behave as those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import importlib
import inspect
import pickle
import pkgutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import shoal
from shoal.deferred import dataclass


@dataclass(frozen=True)
class Point:
    """A point with a name."""

    x: int
    y: int = 2
    names: list[str] = dataclasses.field(default_factory=list, compare=False)


@dataclass(frozen=True)
class Place(Point):
    """A point with a height."""

    height: float = 0.0


@dataclass
class Count:
    """A number that changes."""

    number: int = 0


def test_objects_are_those_of_the_standard_library():
    """Arguments, defaults, equality, hash, repr and what is frozen are as they always are."""
    assert Point(1) == Point(1, 2, ["other"]) != Place(1)
    assert hash(Point(1)) == hash(Point(1, names=["other"]))
    assert repr(Place(1, height=3.0)).endswith("Place(x=1, y=2, names=[], height=3.0)")
    assert dataclasses.replace(Place(1), y=5).y == 5
    assert dataclasses.asdict(Point(3)) == {"x": 3, "y": 2, "names": []}
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1).x = 2  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        Point()  # type: ignore[call-arg]
    one = Count()
    one.number += 1
    assert one == Count(1)
    match Point(7, 8):
        case Point(x, y):
            assert (x, y) == (7, 8)


def made(cls: type) -> bool:
    """Tell whether a class has its methods."""
    return "__init__" in vars(cls)


def unused() -> type:
    """Return a class that nobody has used."""

    @dataclass(frozen=True)
    class Unused:
        """A class of this call alone."""

        first: int
        second: str = "two"

    return Unused


@pytest.mark.parametrize(
    "use",
    [
        lambda cls: cls(1),
        dataclasses.fields,
        inspect.signature,
        lambda cls: cls.__match_args__,
        lambda cls: cls.__new__(cls),
        lambda cls: dataclasses.dataclass(frozen=True)(type("Below", (cls,), {})),
        lambda cls: type("Below", (cls,), {})(1),
    ],
)
def test_any_use_makes_the_methods(use):
    """Objects, fields, signatures, patterns and classes below find all methods there."""
    cls = unused()
    assert not made(cls)
    use(cls)
    assert made(cls)
    assert str(inspect.signature(cls)).startswith("(first: 'int', second: 'str' = 'two') -> ")
    assert cls.__match_args__ == ("first", "second")


def test_copies_and_unpickled_objects():
    """An object that another process made has all methods, though nobody made one here."""
    one = Place(1, names=["a"])
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):  # noqa: S301
        assert other == one
        assert other.names == ["a"]
    code = (
        "import pickle, sys; one = pickle.loads(sys.stdin.buffer.read());"
        "print(hash(one) == hash(type(one)(one.iterations, one.seconds)), one == 3, repr(one))"
    )
    from shoal.methods.ils.parameters import Stop

    ran = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(Stop(seconds=1.5)), capture_output=True,
        check=True,
    )  # fmt: skip
    assert ran.stdout.decode().startswith("True False Stop(iterations=None, seconds=1.5")


def test_threads_wait_for_each_other():
    """Threads that need a class for the first time at once all get whole objects."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            for _ in range(50):
                cls = unused()
                objects: list[Any] = list(pool.map(cls, range(16)))
                assert [one.first for one in objects] == list(range(16))
    finally:
        sys.setswitchinterval(before)


def test_an_object_made_in_its_own_way_has_its_methods_at_once():
    """A class with a `__new__` of its own keeps it."""

    @dataclass
    class Number(int):
        """A number with a unit."""

        value: int

        def __new__(cls, value: int) -> Any:
            return super().__new__(cls, value)

    assert made(Number)
    assert Number(3) + 1 == 4


def test_every_definition_is_right():
    """What is found late, a wrong default or order of fields, is in no class of ours."""
    found = 0
    for module in pkgutil.walk_packages(shoal.__path__, "shoal."):
        if module.name.endswith(("__main__", "estimator")) or ".system." in module.name:
            continue
        for one in vars(importlib.import_module(module.name)).values():
            ours = isinstance(one, type) and one.__module__ == module.name
            if ours and dataclasses.is_dataclass(one):
                dataclasses.fields(one)  # raises what is wrong
                found += 1
    assert found > 250
