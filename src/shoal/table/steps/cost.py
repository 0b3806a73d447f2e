"""Cost: what a step changed of a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from shoal.table.roles import Column
from shoal.table.steps.numbers import KINDS, Numbers
from shoal.table.steps.texts import share_of_entropy, texts_in

if TYPE_CHECKING:
    from shoal.table.steps.step import Step
    from shoal.table.table import Table


@dataclass(frozen=True)
class ColumnCost:
    """What a step changed of a column: how many of its cells, and what that lost, in percent.

    `loss` is SSE/SST of numbers and dates that stay such; of texts that were recoded, and of what
    became texts, the share of the entropy that is gone. None is said of others.
    """

    column: str
    changed: int
    cells: int
    loss: float | None
    loss_name: str

    @property
    def text(self) -> str:
        """What it cost, in words."""
        if self.loss_name in ("new", "left out"):
            return f"{self.column} {self.loss_name}"
        loss = "" if self.loss is None else f", {self.loss:.3g} % {self.loss_name}"
        return f"{self.changed:,} of {self.cells:,} cells of {self.column} changed{loss}"


@dataclass(frozen=True, repr=False)
class Cost:
    """A step, and what it cost by column."""

    step: Step
    columns: Sequence[ColumnCost]


def cost_of(step: Step, before: Table, after: Table) -> Cost:
    """Return what a step cost that made one table of another."""
    costs = []
    for name in step.changes:
        if name not in before.names:
            costs.append(ColumnCost(name, 0, after.rows, None, "new"))
        elif name not in after.names:
            costs.append(ColumnCost(name, before.rows, before.rows, None, "left out"))
        else:
            costs.append(column_cost(before[name], after[name]))
    return Cost(step, costs)


def column_cost(before: Column, after: Column) -> ColumnCost:
    """Return how many cells differ, and what that lost."""
    cells = len(before.values)
    if before.kind in KINDS and after.kind is before.kind:
        was, now = Numbers.of(before, "cost"), Numbers.of(after, "cost")
        x, y = was.floats / was.per_one, now.floats / now.per_one
        if np.array_equal(was.gone, now.gone):
            total = float(((x - x.mean()) ** 2).sum()) if x.size else 0.0
            loss = 100.0 * float(((x - y) ** 2).sum()) / total if total > 0.0 else None
            return ColumnCost(before.name, int((x != y).sum()), cells, loss, "SSE/SST")
    old, new = texts_in(before), texts_in(after)
    texts = [np.array([*own.texts, ""], dtype=object)[own.indices] for own in (old, new)]
    changed = int((texts[0] != texts[1]).sum())
    pairs = len({*zip(old.indices.tolist(), new.indices.tolist(), strict=True)})
    is_recoding = pairs == len({*old.indices.tolist()})  # each value became one value
    loss = share_of_entropy(old, new) if is_recoding else None
    return ColumnCost(before.name, changed, cells, loss, "of its entropy")
