"""Cases of which some run always, and all of them by `make test-all`."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any, TypeVar

import pytest
from hypothesis import settings

F = TypeVar("F", bound=Callable[..., Any])


def is_thorough() -> bool:
    """Whether the slow tests run too, as `conftest.py` found out."""
    return settings.default is settings.get_profile("thorough")


def examples(number: int) -> settings:
    """Return hypothesis' settings for so many examples, and for a fifth of them in `make test`."""
    return settings(max_examples=number if is_thorough() else max(5, number // 5))


def spread(cases: Iterable[Any], few: int, *, several: bool = False) -> list[Any]:
    """Return cases for `parametrize`: the same drawn few run always, and the rest is slow.

    `several` says that a case has a value for each of several names.
    """
    cases = [case if several else (case,) for case in cases]
    always = set(random.Random(len(cases)).sample(range(len(cases)), min(few, len(cases))))
    return [
        pytest.param(*case, marks=[] if place in always else pytest.mark.slow)
        for place, case in enumerate(cases)
    ]


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
