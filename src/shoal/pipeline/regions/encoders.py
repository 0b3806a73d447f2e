"""Encoders of a region: coordinates for splitting, and what is clustered.

Both see a region as they would see the whole table: by the deviations of all records, in the trees
of all values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pyarrow as pa

from shoal.errors import RequestError, shown
from shoal.executor import Executor
from shoal.hints import option
from shoal.kernels.arrays import Floats, Integers
from shoal.methods.blocks import (
    EFFORTS,
    TREE_EFFORTS,
    coordinates,
    group_coded_in_blocks,
    group_in_blocks,
)
from shoal.pipeline.regions.budget import VALUES
from shoal.pipeline.regions.profile import Moments
from shoal.pipeline.regions.run_folder import Files
from shoal.pipeline.regions.write import keep, kept
from shoal.progress import Reporter
from shoal.table.encode_nodes import Coded, code, in_trees_of
from shoal.table.roles import Column, Role
from shoal.table.source import Source
from shoal.table.table import Table, present, some_rows

DIFFERENT = 500_000  # values of a column that is seen by its tree, at most


class RegionEncoder(Protocol):
    """Encoder of the records of a region."""

    method: str

    def points(self, table: Table) -> Floats:
        """Return coordinates of records, for splitting."""
        ...

    def coded(self, table: Table) -> Coded | None:
        """Return the records as nodes of trees; None where they are numbers."""
        ...

    def group(
        self, table: Table, k: int, seed: int, run: Executor, labels: Integers | None,
        report: Reporter,
    ) -> Integers:  # fmt: skip
        """Return the groups of a region, or mend those that `labels` say."""
        ...


class ByNumbers:
    """Numbers, standardized by the moments of all records.

    In a column of `holed`, which misses cells, such a cell is the mean of the others, and k/2 from
    all of them in one more coordinate, as in `table.encode`.
    """

    method = "fast"

    def __init__(
        self, moments: Mapping[str, Moments], weights: Mapping[str, float], effort: str,
        k: int = 2, holed: Sequence[str] = (),
    ) -> None:  # fmt: skip
        self.moments, self.effort, self.holed = moments, effort, holed
        self.scales = {name: math.sqrt(weights.get(name, 1.0)) for name in moments}
        self.apart = math.sqrt(k / 2)

    def points(self, table: Table) -> Floats:
        """Return the standardized numbers; constant columns are left out."""
        columns = {c.name: c for c in table.with_role(Role.QUASI_IDENTIFIER)}

        def placed(name: str) -> Floats:
            column, own = columns[name], self.moments[name]
            if name not in self.holed:
                return own.placed(column)
            there, values = present(column), np.full(table.rows, np.nan)
            values[there] = own.placed(some_rows(column, there))
            return values

        return self._joined(list(columns), table.rows, placed)

    def sampled(self, steps: Any) -> Floats:
        """Return the points of a sample of `Moments.steps`."""

        def placed(name: str) -> Floats:
            own, plain = self.moments[name], np.asarray(steps.column(name))
            placed: Floats = (plain - own.mean) / (own.deviation or 1.0)
            return placed

        points = self._joined(list(steps.column_names), steps.num_rows, placed)
        return points[~np.isnan(points).any(axis=1)]

    def _joined(self, names: Sequence[str], rows: int, placed: Callable[[str], Floats]) -> Floats:
        """Return columns of standardized numbers, then those that tell missing cells.

        `placed` returns the numbers of a column, not-a-number where they are missing.
        """
        holed = [name for name in names if name in self.holed]
        varied = [name for name in names if self.moments[name].deviation]
        points = np.zeros((rows, max(1, len(varied) + len(holed))))
        for name in dict.fromkeys((*varied, *holed)):
            values, scale = placed(name), self.scales[name]
            if name in holed:
                gone = np.isnan(values)
                points[gone, len(varied) + holed.index(name)] = self.apart * scale
                values = np.where(gone, 0.0, values)
            if name in varied:
                points[:, varied.index(name)] = values * scale
        return points

    def coded(self, table: Table) -> Coded | None:  # noqa: ARG002 - as RegionEncoder has it
        """Return nothing: there are no trees."""
        return None

    def group(
        self, table: Table, k: int, seed: int, run: Executor, labels: Integers | None,
        report: Reporter,
    ) -> Integers:  # fmt: skip
        """Return the groups of a region, or mend those that `labels` say."""
        plan = EFFORTS[self.effort]
        return group_in_blocks(self.points(table), k, plan, seed, report, run, labels)


class ByTrees:
    """Cells as nodes of trees that hold the values of all records."""

    method = "kaim-fast"

    def __init__(self, known: Coded, weights: Mapping[str, float], effort: str) -> None:
        self.known, self.weights, self.effort = known, weights, effort

    def points(self, table: Table) -> Floats:
        """Return the positions of cells in their hierarchies."""
        return coordinates(self._coded(table))

    def _coded(self, table: Table) -> Coded:
        columns = [in_trees_of(known, table[known.name]) for known in self.known.columns]
        return Coded(tuple(columns), table.rows)

    def coded(self, table: Table) -> Coded | None:
        """Return the records as nodes of trees."""
        return self._coded(table)

    def group(
        self, table: Table, k: int, seed: int, run: Executor, labels: Integers | None,
        report: Reporter,
    ) -> Integers:  # fmt: skip
        """Return the groups of a region, or mend those that `labels` say."""
        plan, coded = TREE_EFFORTS[self.effort], self._coded(table)
        return group_coded_in_blocks(coded, k, plan, seed, report, run, self.weights, labels)


class Vocabulary:
    """The different values of the quasi-identifiers, and how many records have each."""

    def __init__(self, columns: Sequence[Column], most: int = VALUES) -> None:
        self.columns, self.most = columns, most
        self.counts: dict[str, Any] = {}

    def add(self, table: Table) -> None:
        """Take the values of some records."""
        for column in self.columns:
            often = table[column.name].values.value_counts()
            now = pa.table({"value": often.field(0), "often": often.field(1).cast(pa.int64())})
            self._take(column.name, now)

    def join(self, other: Vocabulary) -> None:
        """Take the values that were found elsewhere."""
        for name, now in other.counts.items():
            self._take(name, now)

    def _take(self, name: str, now: Any) -> None:
        before = self.counts.get(name)
        if before is not None:
            now = pa.concat_tables([before, now]).group_by("value", use_threads=False)
            now = now.aggregate([("often", "sum")]).rename_columns(["value", "often"])
        self.counts[name] = now.combine_chunks()
        if now.num_rows > DIFFERENT:
            raise RequestError(
                f"column {shown(name)} has more than {DIFFERENT:,} different values, too many for "
                "a tree in a file larger than memory; round them, take another type with "
                f"{option('types')}, or leave it out with {option('drop', [name])}"
            )

        every = sum(one.num_rows for one in self.counts.values())
        if every > self.most:
            raise RequestError(
                f"the columns have more than {self.most:,} different values, too many for trees in "
                f"the memory given; allow more with {option('memory')}, round them, or leave a "
                f"column out with {option('drop')}"
            )

    def save(self, work: Files, name: str) -> None:
        """Keep the values in the folder of the run."""
        for number, column in enumerate(self.columns):
            keep(work, f"{name}-{number}", self.counts[column.name])

    def load(self, work: Files, name: str) -> None:
        """Take the values that were kept."""
        for number, column in enumerate(self.columns):
            self.counts[column.name] = kept(work, f"{name}-{number}")

    def coded(
        self, source: Source, rules: Mapping[str, str], folder: Path | None, ranges: Iterable[str]
    ) -> Coded:
        """Return the values as nodes of their trees."""
        columns = []
        chosen = set(ranges)
        for column in self.columns:
            own = self.counts[column.name]
            values = own.column("value").combine_chunks()
            alone = Table((column.replace(values=values, cells=None),), source)
            often = np.asarray(own.column("often")).astype(np.int64)
            trees = {column.name: rules[column.name]} if column.name in rules else {}
            known = code(alone, trees, folder, chosen & {column.name}, often=often)
            columns.append(known.columns[0])
        return Coded(tuple(columns), 0)
