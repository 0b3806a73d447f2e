"""Search options: whether a method takes them, and whether they make sense."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.errors import RequestError, shown
from shoal.extras import check_extra
from shoal.methods.ils.hierarchies.search import check as check_trees
from shoal.methods.kmember.cluster import STARTS
from shoal.methods.problem import Info, Nodes
from shoal.methods.registry import METHODS, find

RANDOM = "random"
_OUTSIDE = {"iterations": "max_iterations", "seconds": "time_limit"}


def check_options(info: Info, start: Any, options: Mapping[str, Any]) -> None:
    """Raise RequestError if search options are given to a method that is no search, or are invalid.

    `start` and `options` are as in `Problem`. A method whose extra is missing is refused, too.
    """
    check_installed(info)
    if info.on_nodes and not info.recodes and isinstance(start, str):
        _check_start(info, start)
        start = None
    if info.search is None:
        _refuse(info, start, options)
    elif info.on_nodes:
        check_trees(info.search.replace(Nodes.search_options(options)))
    else:
        info.search.replace(options)
        if isinstance(start, str) and start != RANDOM:
            first = find(start).info
            if first.is_search:
                raise RequestError(
                    f"start: {shown(start)} is a search itself; give its groups instead"
                )
            check_installed(first)


def check_installed(info: Info) -> None:
    """Raise RequestError if a method needs an extra that is not installed."""
    if info.extra is not None:
        check_extra(info.extra, f"{info.name} needs the HiGHS solver")


def _refuse(info: Info, start: Any, options: Mapping[str, Any]) -> None:
    """Raise RequestError for the first option that only a search takes, if there is any."""
    given = ["start"] if start is not None and not info.refines else []
    stop = options.get("stop", {})
    named = isinstance(stop, Mapping)
    given += [_OUTSIDE.get(name, name) for name in stop] if named else ["stop"]
    given += [name for name in options if name != "stop"]
    if given:
        raise RequestError(f"{given[0]} is for methods that search; {info.name} does not")


def _check_start(info: Info, start: str) -> None:
    """Raise RequestError for a start that a method on nodes does not know.

    It is a rule for the first record of a group or, for a search, the method that makes the groups.
    """
    if start in STARTS:
        return
    if not info.is_search:
        raise RequestError(f"start of {info.name} must be one of {', '.join(STARTS)}")
    able = [
        name
        for name, one in METHODS.items()
        if one.info.on_nodes and not (one.info.is_search or one.info.recodes)
    ]
    if find(start).info.name not in able:
        raise RequestError(
            f"start of {info.name} must be one of {', '.join([*STARTS, *able])}, or labels"
        )
