"""Cases of which some run always, and all of them by `make test-all`."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest


def spread(cases: Iterable[Any], few: int) -> list[Any]:
    """Return cases for `parametrize`: the same drawn few run always, and the rest is slow."""
    cases = list(cases)
    always = set(random.Random(len(cases)).sample(range(len(cases)), min(few, len(cases))))
    return [
        case if place in always else pytest.param(*_values(case), marks=pytest.mark.slow)
        for place, case in enumerate(cases)
    ]


def _values(case: Any) -> tuple[Any, ...]:
    return case if isinstance(case, tuple) else (case,)
