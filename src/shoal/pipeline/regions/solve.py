"""Grouping of regions: split, solve, improve borders. Each step leaves a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.executor import ahead
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.measures.loss import group_means
from shoal.methods import cutting
from shoal.partition import canonical_labels
from shoal.pipeline.regions.arrow import GROUP, ROW, Form
from shoal.pipeline.regions.budget import FILE
from shoal.pipeline.regions.encoders import RegionEncoder
from shoal.pipeline.regions.file_plan import FilePlan
from shoal.pipeline.regions.run_folder import Files
from shoal.pipeline.regions.tasks import TaskRunner, freed
from shoal.pipeline.regions.write import gather, load, part, save
from shoal.table.sampling import Hashes, drawn, mixed, sample_size
from shoal.table.streams import Reading


@dataclass(frozen=True)
class Stage:
    """Assignment of records to regions: their files, and the places of each region.

    `number` counts how often groups have moved.
    """

    number: int
    files: Sequence[str]
    regions: Sequence[Sequence[int]]

    def grouped(self, region: int) -> str:
        """Return the name of the file that holds the groups of a region."""
        return f"groups-{self.number}-{region}"

    def centers(self, region: int) -> str:
        """Return the name of the file that holds the centers of some groups of a region."""
        return f"centers-{self.number}-{region}"

    def packed(self, work: Files, region: int) -> Any:
        """Return the records of a region, as they were packed."""
        parts = [gather(work, self.files, place) for place in self.regions[region]]
        return parts[0] if len(parts) == 1 else pa.concat_tables(parts).combine_chunks()


@dataclass(frozen=True)
class Once:
    """A step whose results are kept under a name a task: a run that goes on has them."""

    work: Files
    name: str
    step: Callable[[int], Any]

    def __call__(self, task: int) -> Any:
        """Return what the step returned of a task."""
        return self.work.once(self.name.format(task), partial(self.step, task))


@dataclass(frozen=True)
class Solver:
    """Solver of regions: runner, encoder, k and seed.

    `file` is how many bytes of records are parted together; steps that use one core work on so many
    regions `at_once`.
    """

    runner: TaskRunner
    form: Form
    encoder: RegionEncoder
    k: int
    seed: int
    file: int = FILE
    at_once: int = 1

    @property
    def work(self) -> Files:
        """The files of the run."""
        return self.runner.work

    def beside(self) -> Solver:
        """Return the solver whose steps use one core each."""
        return replace(self, runner=self.runner.beside(self.at_once))

    def once(self, name: str, step: Callable[[int], Any]) -> Once:
        """Return a step whose results are kept under a name a task."""
        return Once(self.work, name, step)

    def part(
        self, reading: Reading, file_plan: FilePlan, cuts: Cuts, keep_order: bool
    ) -> tuple[Stage, int]:
        """Assign all records to the regions of a first cut; return the stage and the count."""
        step = self.once("chunk-{}", partial(self._sent, reading, file_plan, cuts, keep_order))
        every = self.runner.reading(reading).all("parting", step, range(reading.tasks))
        counts = np.sum([sent["counts"] for sent in every], axis=0)
        files = [file for sent in every for file in sent["files"]]
        regions = joined(counts, 2 * self.k)
        return Stage(0, files, regions), sum(sent["rows"] for sent in every)

    def _sent(
        self, reading: Reading, file_plan: FilePlan, cuts: Cuts, keep_order: bool, chunk: int
    ) -> dict[str, Any]:
        """Write the records of a chunk to their regions."""
        files: list[str] = []
        counts, rows = np.zeros(cuts.places, dtype=np.int64), 0
        loads = self._loads(reading, file_plan, cuts, keep_order, chunk)
        for every, places in freed(ahead(loads, self.runner.threads)):
            files.append(f"piece-{chunk}-{len(files)}")
            counts += np.array(part(self.work, files[-1], every, places, cuts.places))
            rows += places.size
            if not reading.is_shared:
                self.runner.report("parting", rows, file_plan.profile.rows)
            del every, places
        return {"files": files, "counts": counts.tolist(), "rows": rows}

    def _loads(
        self, reading: Reading, file_plan: FilePlan, cuts: Cuts, keep_order: bool, chunk: int
    ) -> Iterator[tuple[Any, Integers]]:
        """Yield the records of a chunk, as many as go into one file, and the places they go to."""
        start = reading.start(chunk)
        held: list[Any] = []
        places: list[Integers] = []
        for piece in freed(map(file_plan.prepared, reading.again(chunk))):
            own = drawn(self.seed, start, piece.rows)
            places.append(cuts.send(self.encoder.points(piece), own))
            more = {ROW: np.arange(start, start + piece.rows)} if keep_order else {}
            held.append(self.form.pack(piece, more))
            start += piece.rows
            if sum(one.nbytes for one in held) > self.file:
                yield _emptied(held, places)
        if held:
            yield _emptied(held, places)

    def group(self, stage: Stage) -> None:
        """Group every region, or mend the groups that its records came with."""
        what = f"mending groups, round {stage.number}" if stage.number else "grouping regions"
        step = self.once(f"grouped-{stage.number}-{{}}", partial(self._grouped, stage))
        self.runner.all(what, step, range(len(stage.regions)))

    def _grouped(self, stage: Stage, region: int) -> int:
        """Group a region and store its labels; return the number of groups."""
        packed = stage.packed(self.work, region)
        given = None
        if GROUP in packed.column_names:
            given = canonical_labels(np.asarray(packed.column(GROUP)))
        table = self.form.unpack(packed)
        seed = self.seed + 1000 * stage.number + region
        labels = self.encoder.group(
            table, self.k, seed, self.runner.run, given, self.runner.report.quiet()
        )
        centers = group_means(self.encoder.points(table), labels)
        most = max(1, sample_size(centers.shape[1]) // len(stage.regions))
        some = np.argsort(drawn(self.seed, 0, centers.shape[0]), kind="stable")[:most]
        save(self.work, stage.grouped(region), labels)
        save(self.work, stage.centers(region), centers[np.sort(some)])
        return int(centers.shape[0])

    def labels(self, stage: Stage, region: int) -> Integers:
        """Return the groups of a region."""
        return load(self.work, stage.grouped(region)).astype(np.int64)

    def move(self, stage: Stage) -> Stage:
        """Send whole groups to regions that are cut across other directions."""
        number = stage.number + 1
        seed = self.seed + number
        cuts = Cuts.from_dict(
            self.work.once(f"cuts-{number}", lambda: self._cut(stage, seed).to_dict())
        )
        step = self.once(f"moved-{number}-{{}}", partial(self._moved, stage, cuts, seed))
        count = len(stage.regions)
        runner = self.beside().runner
        counts = runner.all(f"moving groups, round {number}", step, range(count))
        files = [f"moved-{number}-{region}" for region in range(count)]
        return Stage(number, files, joined(np.sum(counts, axis=0), 2 * self.k))

    def _moved(self, stage: Stage, cuts: Cuts, seed: int, region: int) -> list[int]:
        """Send the groups of a region to others; return how many records go to each place."""
        packed = stage.packed(self.work, region)
        labels = self.labels(stage, region)
        centers = group_means(self.encoder.points(self.form.unpack(packed)), labels)
        own = drawn(seed + region, 0, centers.shape[0])
        points = cutting.turned(centers, np.random.default_rng(seed))
        places = cuts.send(points, own)[labels]
        held = _with_groups(packed, labels + np.int64(region << 32))
        return part(self.work, f"moved-{stage.number + 1}-{region}", held, places, cuts.places)

    def _cut(self, stage: Stage, seed: int) -> Cuts:
        regions = range(len(stage.regions))
        every = [load(self.work, stage.centers(region)) for region in regions]
        points = cutting.turned(np.concatenate(every), np.random.default_rng(seed))
        return cut_sample(points, len(stage.regions))


def _emptied(held: list[Any], places: list[Integers]) -> tuple[Any, Integers]:
    """Return what lists hold, as one; they are empty then."""
    every = pa.concat_tables(held).combine_chunks(), np.concatenate(places)
    held.clear()
    places.clear()
    return every


def _with_groups(packed: Any, groups: Integers) -> Any:
    """Return records with the groups they are in, in the place of those they came with."""
    if GROUP in packed.column_names:
        packed = packed.drop_columns([GROUP])
    return packed.append_column(GROUP, [groups])


# Regions: cuts from a sample, and the assignment of all records to them.
#
# A cut is a point of the sample; what lies before it, column by column in the order of their
# spread, goes to the one side. Records that equal it in all columns are dealt out to both, as the
# sample was, so that no region is too large however many records are equal.


@dataclass(frozen=True, repr=False)
class Cut:
    """A point, its columns in the order in which they count, and the share of equals before it.

    `below` and `above` are numbers of cuts, or places: -1 - place.
    """

    point: list[float]
    columns: list[int]
    share: float
    below: int
    above: int

    def before(self, points: Floats, draws: Hashes) -> Flags:
        """Return which points lie before the cut; `draws` deal out those that equal it."""
        before = np.zeros(points.shape[0], dtype=bool)
        tied = np.arange(points.shape[0])
        for column in self.columns:
            values = points[tied, column]
            before[tied[values < self.point[column]]] = True
            tied = tied[values == self.point[column]]
            if not tied.size:
                return before
        before[tied[draws[tied] / 2.0**64 < self.share]] = True
        return before


@dataclass(frozen=True)
class Cuts:
    """The cuts of a table into so many places."""

    cuts: list[Cut]
    places: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Any) -> Cuts:
        """Return what plain values say."""
        return cls([Cut(**one) for one in values["cuts"]], values["places"])

    def send(self, points: Floats, draws: Hashes) -> Integers:
        """Return the place of every point."""
        places = np.zeros(points.shape[0], dtype=np.int64)
        open_ = [(0, np.arange(points.shape[0]))] if self.cuts else []
        while open_:
            number, rows = open_.pop()
            cut = self.cuts[number]
            before = cut.before(points[rows], dealt(draws[rows], number))
            for to, some in ((cut.below, rows[before]), (cut.above, rows[~before])):
                if to < 0:
                    places[some] = -1 - to
                elif some.size:
                    open_.append((to, some))
        return places


def dealt(draws: Hashes, number: int) -> Hashes:
    """Return the draws of a cut: those of another are no help in guessing them."""
    return mixed(draws ^ np.uint64(number))


def cut_sample(points: Floats, places: int) -> Cuts:
    """Cut a sample into places of about as many points each."""
    cuts: list[Cut] = []

    def cut(rows: Integers, first: int, count: int) -> int:
        if count == 1 or not rows.size:
            return -1 - first
        some = points[rows]
        columns = np.argsort(-some.var(axis=0), kind="stable")
        left = count // 2
        middle = min(rows.size * left // count, rows.size - 1)
        order = np.lexsort([some[:, j] for j in columns[::-1]])
        point = some[order[middle]]
        equal = np.flatnonzero((some[order] == point).all(axis=1))
        share = float(np.count_nonzero(equal < middle)) / equal.size
        number = len(cuts)
        cuts.append(Cut(point.tolist(), columns.tolist(), share, 0, 0))
        below = cut(rows[order[:middle]], first, left)
        above = cut(rows[order[middle:]], first + left, count - left)
        cuts[number] = Cut(point.tolist(), columns.tolist(), share, below, above)
        return number

    cut(np.arange(points.shape[0]), 0, places)
    return Cuts(cuts, places)


def joined(counts: Integers, least: int) -> list[list[int]]:
    """Return regions of at least so many records: a place each, neighbors where one has fewer."""
    regions: list[list[int]] = []
    have = least
    for place, count in enumerate(counts.tolist()):
        if have >= least:
            regions.append([])
            have = 0
        regions[-1].append(place)
        have += count
    if have < least and len(regions) > 1:
        rest = regions.pop()
        regions[-1] += rest
    return regions
