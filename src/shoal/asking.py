"""What is asked beyond k, from arguments to settings."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from shoal.errors import RequestError
from shoal.settings import joined_key, names, whole


def more_than_k(
    least: Any,
    kind: str,
    c: Any,
    t: Any,
    alpha: Any,
    dominance: Any,
    k_of: Any,
    missing_sensitive: str = "ignored",
) -> dict[str, Any]:
    """Return what is asked beyond k as settings say it."""
    asked = {"l": least, "t": t, "alpha": alpha, "dominance": dominance}
    by_name = {
        key: {name: _plain(x) for name, x in v.items()} if isinstance(v, Mapping) else _plain(v)
        for key, v in asked.items()
    }
    if not isinstance(k_of or {}, Mapping):
        raise RequestError('k_of must be like {("age", "zip"): 10}')
    own = {
        joined_key(names(columns, "k_of")): whole(k, "k_of") for columns, k in (k_of or {}).items()
    }
    said = {"l_kind": kind, "missing_sensitive": missing_sensitive}
    return {**by_name, **said, "c": _plain(c), "k_of": own}


def _plain(number: Any) -> Any:
    """Return a number of any type as Python's own, anything else as it is."""
    if isinstance(number, bool) or not isinstance(number, Real):
        return number
    return int(number) if isinstance(number, Integral) else float(number)
