"""Assessment -> figures with their words, and what each column and each set of them does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from shoal.errors import listed
from shoal.kernels.arrays import Integers
from shoal.measures.compared import joined
from shoal.measures.definition import Definition
from shoal.measures.disclosure.assess import Assessment, Estimates
from shoal.measures.disclosure.columns import classes_of_others, counted
from shoal.measures.disclosure.definitions import DISCLOSURE
from shoal.measures.disclosure.key import Key
from shoal.measures.disclosure.matching import OUTSIDE, Covers, matches
from shoal.measures.disclosure.sets import SetCount
from shoal.measures.disclosure.suda import FRACTION
from shoal.measures.result import Measure

MODELS = {
    "zayatz": "Zayatz's model", "pitman": "Pitman's model", "snb": "the slide negative binomial",
    "none": "no record is unique",
}  # fmt: skip


@dataclass(frozen=True)
class Figure(Measure):
    """One figure of a table's own risk."""

    @property
    def words(self) -> Definition:
        """Its definition."""
        return DISCLOSURE[self.key]


@dataclass(frozen=True)
class Coarser:
    """A column one level up its hierarchy: the records that are then unique, or below k."""

    hierarchy: str
    distinct: int
    unique: int
    below: int


@dataclass(frozen=True)
class ColumnRisk:
    """What a quasi-identifier does: alone, left out, and one level coarser.

    `unique` records are alone by this column alone, `unique_without` by all others; `share` is that
    of the scores of minimal sample uniques with it in all (None where there are none).
    """

    name: str
    distinct: int
    distinction: float
    separation: float
    unique: int
    unique_without: int
    below_without: int
    share: float | None
    coarser: Coarser | None


@dataclass(frozen=True)
class SetRisk:
    """What a set of quasi-identifiers does: counts of records, of all or of a sample."""

    columns: tuple[str, ...]
    distinct: int
    unique: int
    below: int
    distinction: float
    separation: float


def figures_of(one: Assessment, estimates: Estimates | None = None) -> dict[str, Figure]:
    """Return every figure that can be said."""
    every = (*_figures(one), *_of_models(one.key, estimates or Estimates()))
    return {figure.key: figure for figure in every}


def _figures(one: Assessment) -> Iterator[Figure]:
    """Yield the figures: of the file alone, of its population, of sets of columns, of models."""
    f, asked = one.members, one.asked
    yield Figure("sample_uniques", 100.0 * float((f == 1).mean()))
    yield Figure("below_k", 100.0 * float((f < asked.k).mean()), rest=f"k = {asked.k}")
    yield Figure("prosecutor", 100.0 / float(f.min()))
    yield Figure("average", 100.0 * float((1.0 / f).mean()))
    if one.people is not None:
        yield Figure("journalist", 100.0 * float(one.risks.max()))
        yield Figure("marketer", 100.0 * float(one.risks.mean()))
    yield Figure("expected", float(one.risks.sum()))
    above = 100.0 * float((one.risks > asked.threshold).mean())
    yield Figure("above", above, rest=f"{100 * asked.threshold:g} %")
    if one.households is not None:
        yield Figure("household", 100.0 * float(one.households.mean()))
    if one.suda is not None:
        yield from _of_sets(one)
    yield from _of_population(one)


def _of_sets(one: Assessment) -> Iterator[Figure]:
    """Yield what minimal sample uniques say."""
    assert one.suda is not None
    most, fraction = one.asked.size_of(len(one.key.names)), one.fraction
    special = 100.0 * float(one.suda.special.mean())
    yield Figure("special_uniques", special, rest=f"sets of up to {most} columns")
    known = f"sampling fraction {fraction or FRACTION:.4g}"
    rest = known if fraction else f"{known}, as none is given"
    yield Figure("dis", 100.0 * one.suda.file_risk, rest=rest)


def _of_population(one: Assessment) -> Iterator[Figure]:
    """Yield what a table of the population says."""
    population = one.known.population
    if population is None:
        return
    assert one.people is not None
    alone = 100.0 * float((np.bincount(population.classes()) == 1).sum()) / population.rows
    yield Figure("population_uniques", alone, rest="counted in the population table")
    yield Figure("k_map", float(one.people.min()))
    sizes = np.bincount(one.classes)[one.classes]
    shares = sizes / np.maximum(one.people, sizes)
    covers = OUTSIDE[one.asked.missing_as]
    met = matches(population, one.key, Covers(covers.other, covers.own))
    least = 0.0 if (met == 0).any() else 100.0 * float(shares.min())
    yield Figure("delta_presence", 100.0 * float(shares.max()), rest=f"at least {least:.3g} %")


def _of_models(key: Key, estimates: Estimates) -> Iterator[Figure]:
    """Yield what models of the population say."""
    uniques, model = estimates.uniques, estimates.model
    if uniques is not None:
        yield Figure("population_uniques", 100.0 * uniques.share, rest=MODELS[uniques.chosen])
    if model is not None:
        step = model.steps[model.chosen]
        names = [" × ".join(key.names[j] for j in pair) for pair in step.pairs]
        rest = f"main effects and {listed(names)}" if names else "main effects only"
        if not model.accepted:
            rest += f"; the model does not fit well, z = {step.z:.1f}"
        yield Figure("model_alone", model.alone, rest=rest)
        yield Figure("model_right", model.right)


def columns_of(
    one: Assessment, levels: Mapping[str, tuple[str, Integers]]
) -> tuple[ColumnRisk, ...]:
    """Return what each column does.

    `levels` has the name of a hierarchy, and the node of every record one level up in it.
    """
    found = []
    for j, others in enumerate(classes_of_others(one.key.codes)):
        name, alone = one.key.names[j], counted(one.key.codes[j], one.asked.k)
        without = counted(others, one.asked.k)
        coarser = None
        if name in levels:
            rule, nodes = levels[name]
            up = counted(joined(others, nodes), one.asked.k)
            coarser = Coarser(rule, int(np.unique(nodes).size), up.unique, up.below)
        sizes = np.bincount(one.key.codes[j])
        sizes = sizes[sizes > 0]
        own = SetCount(
            1 << j, one.key.rows, sizes.size, alone.unique, alone.below,
            int((sizes * (sizes - 1) // 2).sum()),
        )  # fmt: skip
        share = None if one.suda is None else float(one.suda.columns[j])
        found.append(
            ColumnRisk(
                name, own.distinct, own.distinction, own.separation, own.unique, without.unique,
                without.below, share, coarser,
            )
        )  # fmt: skip
    return tuple(found)


def sets_of(one: Assessment) -> tuple[SetRisk, ...]:
    """Return what each set does: by size, the one that makes most records unique first."""
    counts = sorted(
        one.walk.counts.values(), key=lambda c: (len(c.columns), -c.unique, -c.distinct, c.mask)
    )
    return tuple(
        SetRisk(tuple(one.key.names[j] for j in c.columns), c.distinct, c.unique, c.below,
                c.distinction, c.separation)
        for c in counts
    )  # fmt: skip
