"""Choice of the encoder of a file: by numbers, or by hierarchies of all values."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from shoal.backends.executor import ahead
from shoal.outofcore.arrow import Form
from shoal.outofcore.budget import VALUES
from shoal.outofcore.encoders import ByNumbers, ByTrees, RegionEncoder, Vocabulary
from shoal.outofcore.file_plan import FilePlan
from shoal.outofcore.memory import freed
from shoal.outofcore.shuffle import keep, kept
from shoal.outofcore.tasks import TaskRunner
from shoal.table.encode_nodes import Coded
from shoal.table.roles import Role
from shoal.table.sampling import Sample, sample_size, share_of
from shoal.table.streams import Reading


def choose_encoder(
    file_plan: FilePlan,
    reading: Reading | None,
    sample: Sample | None,
    runner: TaskRunner,
    most: int = VALUES,
) -> tuple[RegionEncoder, Coded | None, Any]:
    """Return the encoder, the hierarchies of values, and the coordinates of a sample."""
    plan = file_plan.plan
    protect, quasi = plan.settings.protect, plan.schema.with_role(Role.QUASI_IDENTIFIER)
    weights = protect.column_weights
    if not plan.by_hierarchies:
        columns = file_plan.profile.columns
        moments = {c.name: own for c in quasi if (own := columns[c.name].moments) is not None}
        encoder = ByNumbers(moments, weights, protect.effort, plan.k, file_plan.holed)
        return encoder, None, None if sample is None else encoder.sampled(sample.rows)
    words = Vocabulary(quasi, most)
    form = Form.of(file_plan.kept().only(_is_quasi), whole=False)
    drawn = None
    if reading is None:
        words.load(runner.work, "values")
    else:
        step = Collect(reading, file_plan, form, runner, most)
        tasks = range(reading.tasks)
        for name in runner.reading(reading).each("collecting values", step, tasks):
            vocabulary = Vocabulary(quasi)
            vocabulary.load(runner.work, name)
            words.join(vocabulary)
            some = Sample(protect.seed, sample_size(len(quasi)))
            some.take(kept(runner.work, f"{name}-sample"))
            if drawn is None:
                drawn = some
            else:
                drawn.join(some)
        words.save(runner.work, "values")
    known = words.coded(plan.schema.source, plan.hierarchies, plan.folder, plan.ranges)
    by_trees = ByTrees(known, weights, protect.effort)
    points = None if drawn is None else by_trees.points(form.unpack(drawn.rows))
    return by_trees, known, points


def _is_quasi(column: Any) -> bool:
    return bool(column.role is Role.QUASI_IDENTIFIER)


@dataclass(frozen=True)
class Collect:
    """The values of the quasi-identifiers of a chunk, and a sample of its records."""

    reading: Reading
    file_plan: FilePlan
    form: Form
    runner: TaskRunner
    most: int

    def __call__(self, chunk: int) -> str:
        """Store the values of a chunk, and return its name."""
        name = f"values-of-{chunk}"
        if self.runner.work.read(name) is None:
            words, drawn = self._collected(chunk)
            words.save(self.runner.work, name)
            drawn.keep(partial(keep, self.runner.work, f"{name}-sample"))
            self.runner.work.note(name, True)
        return name

    def _collected(self, chunk: int) -> tuple[Vocabulary, Sample]:
        words = Vocabulary(self.file_plan.plan.schema.with_role(Role.QUASI_IDENTIFIER), self.most)
        size = sample_size(len(words.columns))
        share = share_of(size, self.reading.rows)
        start = self.reading.start(chunk)
        drawn = Sample(self.file_plan.plan.settings.protect.seed, size, start, share)
        done = 0
        pieces = map(self.file_plan.prepared, self.reading.again(chunk))
        for piece in freed(ahead(pieces, self.runner.threads)):
            words.add(piece)
            drawn.add(self.form.pack(piece.only(_is_quasi)))
            done += piece.rows
            if not self.reading.is_shared:
                self.runner.report("collecting values", done, self.file_plan.profile.rows)
        return words, drawn
