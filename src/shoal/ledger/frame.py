"""Frame: how a release looked at its quasi-identifiers, kept for those that shall be comparable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import in_shape


@dataclass(frozen=True)
class Scale:
    """Mean, standard deviation and width (greatest less least, and a step) of a column."""

    __repr__ = in_shape

    mean: float
    deviation: float
    width: float


@dataclass(frozen=True)
class Tree:
    """A hierarchy as it was asked for and as it was used, and the hash of its file.

    Both are empty where a column had none. Intervals by quantiles are used as their cuts.
    """

    __repr__ = in_shape

    asked: str = ""
    used: str = ""
    sha256: str = ""


@dataclass(frozen=True)
class Frame:
    """The scales of numbers and dates, and the hierarchies of all quasi-identifiers.

    `means` are those that the public report tells, and the steps of their rounding, by column.
    """

    __repr__ = in_shape

    scales: Mapping[str, Scale] = field(default_factory=dict)
    trees: Mapping[str, Tree] = field(default_factory=dict)
    means: Mapping[str, tuple[float, float]] = field(default_factory=dict)

    @classmethod
    def from_tree(cls, tree: Mapping[str, Any]) -> Frame:
        """Return the frame that JSON holds."""
        scales = {name: Scale(**own) for name, own in tree["scales"].items()}
        trees = {name: Tree(**own) for name, own in tree["trees"].items()}
        means = {name: (own[0], own[1]) for name, own in tree.get("means", {}).items()}
        return cls(scales, trees, means)
