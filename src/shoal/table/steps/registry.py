"""The steps by kind, and steps from tables of TOML, words and Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from shoal.errors import RequestError, nearest_names, shown
from shoal.table.steps.dates import Coarsen, Derive
from shoal.table.steps.extremes import Bottom, Top
from shoal.table.steps.noise import Noise
from shoal.table.steps.pram import Pram
from shoal.table.steps.rare import Drop, Rare
from shoal.table.steps.recode import Level, Prefix, Recode
from shoal.table.steps.round import Round
from shoal.table.steps.step import Step
from shoal.table.steps.swaps import RankSwap, RecordSwap
from shoal.table.steps.words import read_words

STEPS: dict[str, type[Step]] = {
    one.kind: one
    for one in (
        Round, Top, Bottom, Recode, Level, Prefix, Coarsen, Rare, Derive, Drop,
        Noise, RankSwap, RecordSwap, Pram,
    )
}  # fmt: skip


def step_of(given: Any) -> Step:
    """Return a step from itself, a table of TOML, or a line of words."""
    if isinstance(given, Step):
        return given
    if isinstance(given, str):
        return read_words(given, _class_of)
    if not isinstance(given, Mapping):
        raise RequestError("a step must be a shoal.steps value, a table with its kind, or words")
    if "kind" not in given:
        raise RequestError(f"a step needs its kind: {', '.join(STEPS)}")
    return _class_of(given["kind"]).from_dict(dict(given))


def steps_of(given: Any) -> tuple[Step, ...]:
    """Return a list of steps, each in any form; one alone is a list of one."""
    if isinstance(given, Step | str | Mapping) or not isinstance(given, Iterable):
        given = [given]
    return tuple(map(step_of, given))


def _class_of(kind: Any) -> type[Step]:
    """Return the class of a kind of step."""
    if kind not in STEPS:
        raise RequestError(
            f"{shown(kind)} is no step{nearest_names(str(kind), list(STEPS))}; there are "
            f"{', '.join(STEPS)}"
        )
    return STEPS[kind]
