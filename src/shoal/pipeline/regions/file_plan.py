"""Plan of a file, from a first pass over it: kinds, roles, profile.

A run that goes on finds what was seen in its notes, and does not read the file again.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from shoal.errors import RequestError, check_known, check_weights
from shoal.executor import ahead
from shoal.hints import option
from shoal.methods.problem import check_size
from shoal.pipeline.plan.plan import Plan, make_plan
from shoal.pipeline.plan.steps import with_steps
from shoal.pipeline.regions.arrow import Form
from shoal.pipeline.regions.profile import FileProfile, ProfileBuilder
from shoal.pipeline.regions.run_folder import Files
from shoal.pipeline.regions.tasks import TaskRunner, freed
from shoal.pipeline.regions.write import keep, kept
from shoal.settings import Settings
from shoal.table.files.opening import read_bytes
from shoal.table.hierarchy.specify import is_file
from shoal.table.ordinal import with_orders
from shoal.table.roles import Column, Kind, Role
from shoal.table.rounding import round_column, rounded
from shoal.table.sampling import Sample, sample_size, share_of
from shoal.table.streams import Reading
from shoal.table.table import Table


@dataclass(frozen=True)
class FilePlan:
    """The plan of a file, its profile, and the files of hierarchies.

    Where the files are on another machine, `trees` holds what is in them.
    """

    plan: Plan
    profile: FileProfile
    trees: Mapping[str, bytes] = field(default_factory=dict)

    @contextmanager
    def here(self) -> Iterator[Plan]:
        """Yield the plan with the files of its hierarchies on this machine."""
        if not self.trees:
            yield self.plan
            return
        rules = dict(self.plan.settings.hierarchies)
        with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
            for number, (name, content) in enumerate(self.trees.items()):
                file = Path(folder) / f"{number}.csv"
                file.write_bytes(content)
                rules[name] = str(file)
            own = self.plan.settings.model_copy(update={"hierarchies": rules})
            yield replace(self.plan, settings=own, folder=None)

    def carried(self) -> FilePlan:
        """Return the plan with the content of its files, for other machines."""
        rules, folder = self.plan.settings.hierarchies.items(), self.plan.folder or Path()
        files = {name: folder / one for name, one in rules if is_file(one)}
        return replace(self, trees={name: read_bytes(file) for name, file in files.items()})

    @property
    def holed(self) -> list[str]:
        """The quasi-identifiers that some of the records that are grouped miss."""
        if self.plan.settings.protect.incomplete == "delete":
            return []
        quasi = self.plan.schema.with_role(Role.QUASI_IDENTIFIER)
        return [c.name for c in quasi if 0 < self.profile.missing(c) < self.profile.rows]

    def kept(self) -> Table:
        """Return the columns that the run keeps: no identifier is ever written anywhere."""
        return _without_identifiers(self.plan.schema)

    def prepared(self, piece: Table) -> Table:
        """Return a piece as it is grouped: with roles and orders, without identifiers."""
        return _without_identifiers(self.plan.prepared(piece))


def _without_identifiers(table: Table) -> Table:
    return table.only(lambda column: column.role is not Role.IDENTIFIER)


@dataclass(frozen=True)
class ProfileStep:
    """First pass over a chunk: builds its profile."""

    reading: Reading
    settings: Settings
    runner: TaskRunner
    folder: Path | None = None

    def __call__(self, chunk: int) -> str:
        """Store the profile of a chunk, and return its name.

        A file that only this process reads is looked at again: it is known after that alone.
        """
        name, shared = f"look-{chunk}", self.reading.is_shared
        if shared and self.runner.work.read(name) is not None:
            return name
        builder = None
        for piece in freed(ahead(self._pieces(chunk), self.runner.threads)):
            if builder is None:
                builder = self.builder(piece, chunk)
            builder.add(_ranked(_rounded(piece, self.settings), self.settings.orders))
            if not shared:
                self.runner.report("looking", builder.rows, builder.rows + 1)
        assert builder is not None
        builder.keep(self.runner.work, name)
        return name

    def _pieces(self, chunk: int) -> Iterator[Table]:
        """Yield the pieces of a chunk after the steps before grouping.

        Steps need the kinds of a csv file's columns, which are known after a pass over all of it.
        """
        if not self.settings.steps:
            return self.reading.first(chunk)
        for _ in self.reading.first(chunk):
            pass
        return map(self._stepped, self.reading.again(chunk))

    def _stepped(self, piece: Table) -> Table:
        return with_steps(piece, self.settings, self.folder)

    def empty(self) -> Table:
        """Return the table after the steps, without its records."""
        if not self.settings.steps:
            return self.reading.empty()
        head = self._stepped(next(self.reading.again(0))).take(np.zeros(0, dtype=np.int64))
        return replace(head, source=self.reading.source)

    def builder(self, head: Table, chunk: int = 0) -> ProfileBuilder:
        """Return the builder of the profile of a chunk of a table with such columns."""
        roles, reading = self.settings.roles, self.reading
        left_out = {*roles.identifiers, *roles.drop}
        quasi = roles.quasi_identifiers if roles.any_given else head.names
        for name in (*quasi, *left_out):
            _ = head[name]  # or an error that names the nearest
        size = sample_size(len(head.columns))
        share = share_of(size, reading.rows)
        sample = Sample(self.settings.protect.seed, size, reading.start(chunk), share)
        used = [name for name in quasi if name not in left_out]
        deletes = self.settings.protect.incomplete == "delete"
        return ProfileBuilder(used, set(roles.drop), sample, deletes, self.runner.threads)


def profile_file(
    reading: Reading, settings: Settings, runner: TaskRunner, folder: Path | None = None
) -> Sample:
    """Profile all records in one pass, store the profile; return a sample."""
    every: ProfileBuilder | None = None
    step = ProfileStep(reading, settings, runner, folder)
    for name in runner.reading(reading).each("looking", step, range(reading.tasks)):
        builder = step.builder(empty := step.empty())
        builder.take(runner.work, name)
        if every is None:
            every = builder
        else:
            every.join(builder)
    assert every is not None
    profile = every.profile()
    check_size(profile.rows, settings.protect.k, reading.source.name)
    form = Form.of(empty, whole=False)
    keep(runner.work, "empty", form.pack(empty))
    runner.work.note("seen", {"form": form.to_dict(), "survey": profile.to_dict()})
    return every.sample


def _rounded(piece: Table, settings: Settings) -> Table:
    """Return a piece with its columns rounded, as far as its own cells can be.

    A step that does not suit a column of the whole file is refused when all is known.
    """
    steps = settings.release.round

    def own(column: Column) -> Column:
        with contextlib.suppress(RequestError):
            return round_column(column, steps[column.name])
        return column

    return piece.mapped(lambda c: own(c) if c.name in steps else c) if steps else piece


def _ranked(piece: Table, orders: Mapping[str, Sequence[str]]) -> Table:
    """Return a piece with the orders of its texts, also where all of those in it look like numbers.

    An order of what is no text in the whole file is refused when all is known.
    """
    piece = piece.mapped(lambda column: _as_words(column, orders.get(column.name, ())))
    texts = [column.name for column in piece.columns if column.kind is Kind.TEXT]
    return with_orders(piece, {name: orders[name] for name in texts if name in orders})


def _as_words(column: Column, order: Sequence[str]) -> Column:
    """Return a column as texts if all its cells are in an order."""
    if not order or column.kind is Kind.TEXT or column.cells is None:
        return column
    import pyarrow.compute as pc

    words = pc.if_else(column.values.is_null(), pa.scalar(None, pa.string()), column.cells)
    if not {None, *order}.issuperset(words.unique().to_pylist()):
        return column
    return column.replace(kind=Kind.TEXT, values=words)


def plan_file(settings: Settings, work: Files, folder: Path | None) -> FilePlan:
    """Return the plan of a profiled file."""
    noted = work.read("seen")
    profile = FileProfile.from_dict(noted["survey"])
    schema = Form.from_dict(noted["form"]).unpack(kept(work, "empty"))
    schema = rounded(replace(schema, roles_given=False), settings.release.round)
    plan = make_plan(settings, schema, profile, folder)
    quasi = plan.schema.with_role(Role.QUASI_IDENTIFIER)
    names = [column.name for column in quasi]
    check_known(plan.hierarchies, names, "a hierarchy")
    check_weights(plan.settings.protect.column_weights, names)
    if not plan.by_hierarchies and plan.needs_codes:
        raise RequestError(
            "in a file larger than memory, texts and what is released generalized are grouped by "
            f"trees; say {option('method', 'auto')} or {option('method', 'kaim-fast')}, and no "
            f"{option('aggregate')} that needs centers of them"
        )
    for column in quasi if not plan.by_hierarchies else ():
        own = profile.columns[column.name].moments
        assert own is not None
        own.check(column.name, plan.schema.source.name)
    return FilePlan(plan, profile)
