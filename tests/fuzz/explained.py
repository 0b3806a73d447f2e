"""Findings that are no mistakes, each with its reason. The page docs/fuzz tells of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

EXPLAINED: list[tuple[Callable[[dict[str, Any]], bool], str]] = []


def explanation(finding: dict[str, Any]) -> str | None:
    """Return why a finding is no mistake; None if nobody has explained it."""
    return next((why for is_it, why in EXPLAINED if is_it(finding)), None)
