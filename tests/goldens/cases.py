"""The cases: read from `cases/`, and drawn by pairs; which figures of them are held."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
DOORS = "python", "command", "desk"
# what every case holds of a report; `hold = ["all"]` holds every figure
ESSENTIAL = re.compile(
    r"public as private|(public: )?(exit|error|warns|type|cells|files|private files|file .*"
    r"|stdout|stderr|says|listed"
    r"|batches|groups( of .*)?|loss( of .*)?|bound|sse|complete|method|smallest|iterations|levels"
    r"|paths|rule"
    r"|records|kind of .*|chart .*|state|status|answer.*"
    r"|(count|smallest|largest) of groups|(ok|k|classes|found.*) of verification"
    r"|(mean before|mean after|suppressed|generalized|unchanged|released as) of [^ ]+"
    r"|(distance linkage|prosecutor|ncp|NCP)( of .*)?|count of notes"
    r"|(deleted|suppressed|filled) of missing)"
)


@dataclass(frozen=True)
class Case:
    """What is asked, through which doors, and what of the answer is held."""

    name: str
    area: str
    asks: Mapping[str, Any]

    @property
    def doors(self) -> tuple[str, ...]:
        """The doors it goes through, in order."""
        return tuple(self.asks.get("doors", ("python",)))

    @property
    def acts(self) -> list[dict[str, Any]]:
        """What is done, one thing after the other; what they share is said once."""
        apart = "acts", "doors", "needs", "in_turn"
        shared = {key: value for key, value in self.asks.items() if key not in apart}
        acts = [
            {"do": "anonymize", **({} if act.get("alone") else shared), **act}
            for act in self.asks.get("acts", ({},))
        ]
        for field, values in self.asks.get("in_turn", {}).items():
            acts = [_with(act, field.split("."), value) for value in values for act in acts]
        return [{key: value for key, value in act.items() if value != "none"} for act in acts]

    @property
    def slow(self) -> bool:
        """Whether it is left to `make test-all`."""
        return bool(self.asks.get("slow"))

    @property
    def reference(self) -> bool:
        """Whether it needs a reference table."""
        from goldens.tables import REFERENCE

        return any(act.get("table", "").split(":")[0] in REFERENCE for act in self.acts)

    def held(self, act: Mapping[str, Any], found: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is held of an answer."""
        wanted = act.get("hold", ())
        omitted = [re.compile(pattern) for pattern in act.get("omit", ())]
        return {
            name: value
            for name, value in found.items()
            if ("all" in wanted or ESSENTIAL.fullmatch(name))
            and not any(pattern.fullmatch(name) for pattern in omitted)
        }


@cache
def all_cases() -> dict[str, Case]:
    """Return every case by its name."""
    from goldens.pairs import drawn

    found: dict[str, Case] = {}
    for case in [*_listed(), *drawn()]:
        if case.name in found:
            raise ValueError(f"two cases are named {case.name}")
        found[case.name] = case
    return found


def _listed() -> Iterator[Case]:
    for path in sorted((HERE / "cases").glob("*.toml")):
        for name, asks in tomllib.loads(path.read_text("utf-8")).items():
            for each in _expanded(name, asks):
                yield Case(each[0], path.stem, each[1])


def _expanded(name: str, asks: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield a case, or one for each value of what stands in `each`: `{method = ["mdav", …]}`."""
    if "each" not in asks:
        yield name, asks
        return
    plain = {key: value for key, value in asks.items() if key != "each"}
    (field, values), *none = asks["each"].items()
    if none:
        raise ValueError(f"{name}: each names one thing")
    for number, value in enumerate(values):
        label = value if isinstance(value, str) else number + 1
        yield f"{name}-{label}", _with(plain, field.split("."), value)


def _with(tree: Mapping[str, Any], path: list[str], value: Any) -> dict[str, Any]:
    if not path:
        return value
    inner = tree.get(path[0], {}) if len(path) > 1 else {}
    return {**tree, path[0]: _with(inner, path[1:], value)}
