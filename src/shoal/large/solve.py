"""Regions, one after the other: grouped, moved to others, mended, released. Each leaves a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from shoal.engines.executor import Executor
from shoal.large.form import GROUP, ROW, Form
from shoal.large.lens import Lens
from shoal.large.regions import Cuts, cut_sample, joined, turned
from shoal.large.shuffle import gather, part
from shoal.large.work import Work
from shoal.measures.loss import group_means
from shoal.partition import by_first_row
from shoal.progress import Reporter
from shoal.table.drawing import drawn, sample_size
from shoal.table.table import Table

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

QUIET = Reporter(None)
FILE = 100 * 2**20  # bytes of records that are parted into one file


@dataclass(frozen=True)
class Stage:
    """Records parted into regions: the files they are in, and the places that are each region's.

    `number` counts how often groups have moved.
    """

    number: int
    files: Sequence[str]
    regions: Sequence[Sequence[int]]

    def grouped(self, region: int) -> str:
        """Return the name of the file that holds the groups of a region."""
        return f"groups-{self.number}-{region}.npz"

    def packed(self, work: Work, region: int) -> Any:
        """Return the records of a region, as they were packed."""
        parts = [gather(work, self.files, place) for place in self.regions[region]]
        return parts[0] if len(parts) == 1 else pa.concat_tables(parts).combine_chunks()


@dataclass(frozen=True)
class Solver:
    """What is needed to group regions."""

    work: Work
    form: Form
    lens: Lens
    k: int
    seed: int
    run: Executor
    report: Reporter

    def part(
        self, pieces: Iterable[Table], cuts: Cuts, rows: int, keep_order: bool
    ) -> tuple[Stage, int]:
        """Send all records to the regions of a first cut; return them, and how many came."""
        files: list[str] = []
        counts = np.zeros(cuts.places, dtype=np.int64)
        start = 0
        held: list[Any] = []
        places: list[Integers] = []

        def write() -> None:
            files.append(f"piece-{len(files)}")
            every = pa.concat_tables(held).combine_chunks()
            found = part(self.work, files[-1], every, np.concatenate(places), cuts.places)
            counts[:] += np.array(found)
            held.clear()
            places.clear()

        for piece in pieces:
            own = drawn(self.seed, start, piece.rows)
            places.append(cuts.send(self.lens.points(piece), own))
            more = {ROW: np.arange(start, start + piece.rows)} if keep_order else {}
            held.append(self.form.pack(piece, more))
            start += piece.rows
            if sum(one.nbytes for one in held) > FILE:
                write()
            self.report("parting", start, rows)
        if held:
            write()
        return Stage(0, files, joined(counts, 2 * self.k)), start

    def group(self, stage: Stage) -> None:
        """Group every region, or mend the groups that its records came with."""
        what = f"mending groups, round {stage.number}" if stage.number else "grouping regions"
        count = len(stage.regions)
        for region in range(count):
            self.report(what, region, count)
            if not self.work.has(stage.grouped(region)):
                self._group(stage, region)
        self.report(what, count, count)

    def _group(self, stage: Stage, region: int) -> None:
        packed = stage.packed(self.work, region)
        given = None
        if GROUP in packed.column_names:
            given = by_first_row(np.asarray(packed.column(GROUP)))
        table = self.form.unpack(packed)
        seed = self.seed + 1000 * stage.number + region
        labels = self.lens.group(table, self.k, seed, self.run, given, QUIET)
        centers = group_means(self.lens.points(table), labels)
        most = max(1, sample_size(centers.shape[1]) // len(stage.regions))
        some = np.argsort(drawn(self.seed, 0, centers.shape[0]), kind="stable")[:most]
        with self.work.writing(stage.grouped(region)) as file:
            np.savez(file, labels=labels, centers=centers[np.sort(some)])

    def labels(self, stage: Stage, region: int) -> Integers:
        """Return the groups of a region."""
        with np.load(self.work.path(stage.grouped(region))) as kept:
            return np.asarray(kept["labels"]).astype(np.int64)

    def move(self, stage: Stage) -> Stage:
        """Send whole groups to regions that are cut across other directions."""
        count, number = len(stage.regions), stage.number + 1
        seed = self.seed + number
        cuts = Cuts.from_dict(
            self.work.once(f"cuts-{number}", lambda: self._cut(stage, seed).to_dict())
        )
        files, counts = [], np.zeros(cuts.places, dtype=np.int64)
        for region in range(count):
            self.report(f"moving groups, round {number}", region, count)
            name = f"moved-{number}-{region}"
            found = self.work.read(name)
            if found is None:
                packed = stage.packed(self.work, region)
                labels = self.labels(stage, region)
                centers = group_means(self.lens.points(self.form.unpack(packed)), labels)
                own = drawn(seed + region, 0, centers.shape[0])
                places = cuts.send(turned(centers, seed), own)[labels]
                held = _with_groups(packed, labels + np.int64(region << 32))
                found = part(self.work, name, held, places, cuts.places)
                self.work.note(name, found)
            files.append(name)
            counts += np.array(found)
        self.report(f"moving groups, round {number}", count, count)
        return Stage(number, files, joined(counts, 2 * self.k))

    def _cut(self, stage: Stage, seed: int) -> Cuts:
        every = []
        for region in range(len(stage.regions)):
            with np.load(self.work.path(stage.grouped(region))) as kept:
                every.append(kept["centers"])
        return cut_sample(turned(np.concatenate(every), seed), len(stage.regions))


def _with_groups(packed: Any, groups: Integers) -> Any:
    """Return records with the groups they are in, in the place of those they came with."""
    if GROUP in packed.column_names:
        packed = packed.drop_columns([GROUP])
    return packed.append_column(GROUP, [groups])
