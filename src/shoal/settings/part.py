"""A part of the settings, and the types of its values."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

Names = tuple[str, ...]
Number = int | float


class Part(BaseModel):
    """A frozen part: what is not known is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
