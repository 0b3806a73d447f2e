"""Options, and the parts of settings whose fields they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from shoal.settings.kinds import TEXT, Kind

PANELS = "Privacy", "Columns", "Method", "Reading", "Writing", "Resources"
COMMANDS = "anonymize", "refine", "compare", "run"
FUNCTIONS = "anonymize", "anonymize_file", "compare", "preview"
USUAL = "anonymize", "refine", "compare"  # commands that take most options
MAKES_GROUPS = "anonymize", "compare"  # those that are given none

Names = tuple[str, ...]
Number = int | float


class Part(BaseModel):
    """A frozen part of the settings; unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True)
class Option:
    """One entry of the table: help, and the commands and functions that take it.

    `flags` are its words on the command line, by default its name; `commands` and `functions` are
    those that take it, `needed` the commands that cannot do without it. `instead` says of a
    function that refuses it what to do. `desk` tells whether the page may ask for it, `expert`
    whether few need it. `argument` is its name where the field's is another option's.
    """

    panel: str
    help: str
    kind: Kind = TEXT
    flags: tuple[str, ...] = ()
    commands: tuple[str, ...] = USUAL
    functions: tuple[str, ...] = FUNCTIONS
    needed: tuple[str, ...] = ()
    instead: Mapping[str, str] = field(default_factory=dict)
    least: int | None = None
    desk: bool = True
    expert: bool = False
    argument: str = ""

    @property
    def takers(self) -> tuple[str, ...]:
        """The functions that take it, without those that refuse it."""
        return tuple(name for name in self.functions if name not in self.instead)
