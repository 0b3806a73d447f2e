"""Cases of which some run always, and all of them by `make test-all`."""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import pytest
from hypothesis import settings

F = TypeVar("F", bound=Callable[..., Any])
STARTS, GROWTHS = ("cbfs", "gsms", "mdav", "tfrp"), ("nn", "nc")
LEFT_OUT: list[str] = []  # the mark of tests that nobody asks for, as `conftest.py` found out
REFINEMENTS = ("", "2", "3", "2+", "3+")
COMPOSED = re.compile(r"(cbfs|gsms|mdav|tfrp)-(nn|nc)([23]?\+?)")


def is_thorough() -> bool:
    """Whether the slow tests run too, as `conftest.py` found out."""
    return settings.default is settings.get_profile("thorough")


def examples(number: int) -> settings:
    """Return hypothesis' settings for so many examples, and for a fifth of them in `make test`."""
    return settings(max_examples=number if is_thorough() else max(5, number // 5))


def spread(cases: Iterable[Any], few: int, *, several: bool = False) -> list[Any]:
    """Return cases for `parametrize`: the same drawn few run always, and the rest is slow.

    `several` says that a case has a value for each of several names. Where nobody asks for slow
    tests, the rest is not even made: each process would make and drop thousands.
    """
    cases = [case if several else (case,) for case in cases]
    always = set(random.Random(len(cases)).sample(range(len(cases)), min(few, len(cases))))
    return [
        pytest.param(*case, marks=[] if place in always else pytest.mark.slow)
        for place, case in enumerate(cases)
        if place in always or not LEFT_OUT
    ]


def composed_once(methods: Iterable[str]) -> list[str]:
    """Return the methods without those composed of parts that others have; all in `make test-all`.

    Every start with every growth stays, with one refinement; every refinement stays somewhere.
    """
    return [name for name in methods if is_thorough() or _is_first(name)]


def _is_first(name: str) -> bool:
    found = COMPOSED.fullmatch(name)
    if found is None:
        return True
    start, growth = STARTS.index(found[1]), GROWTHS.index(found[2])
    return found[3] == REFINEMENTS[(start + 2 * growth) % len(REFINEMENTS)]


def each(name: str, values: Iterable[Any]) -> Callable[[F], F]:
    """Run a test for each of many equal cases, as one test: thousands of items take minutes."""
    cases = list(values)

    def decorated(test: F) -> F:
        signature = inspect.signature(test)
        others = [one for one in signature.parameters.values() if one.name != name]

        @wraps(test)
        def looped(**fixtures: Any) -> None:
            for case in cases:
                try:
                    test(**fixtures, **{name: case})
                except BaseException as error:
                    error.add_note(f"{name} = {case!r}")
                    raise

        looped.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return looped  # type: ignore[return-value]

    return decorated
