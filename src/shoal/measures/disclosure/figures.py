"""Assessment -> figures with their words, and what each column and each set of them does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from shoal.errors import listed
from shoal.kernels.arrays import Integers
from shoal.measures.compared import joined
from shoal.measures.definition import Definition
from shoal.measures.disclosure.assess import Assessment, Estimates
from shoal.measures.disclosure.key import OUTSIDE, Covers, Key, matches
from shoal.measures.disclosure.sets import FRACTION, SetCount
from shoal.measures.result import Measure

_NEGATIVE = "Benedetti and Franconi 1998, NTTS; Hundepool and others 2012, section 3.3"
_DANKAR = "Dankar, El Emam, Neisa and Roffey 2012, BMC Med. Inform. Decis. Mak. 12:66"
_EACH = (
    Definition(
        "sample_uniques", "records alone with their combination", "risk", "percent", "lower",
        "{value} of the records are the only ones with their combination of quasi-identifiers: "
        "whoever knows it finds the record.",
        "Share of records that no other record matches (f = 1).",
        "Skinner and Elliot 2002, J. R. Statist. Soc. B 64(4)",
    ),
    Definition(
        "below_k", "records in classes of fewer than k", "risk", "percent", "lower",
        "{value} of the records share their combination with so few that they are fewer than k "
        "together ({rest}).",
        "Share of records with f < k.",
        "Samarati and Sweeney 1998",
    ),
    Definition(
        "prosecutor", "highest risk (prosecutor)", "risk", "percent", "lower",
        "Whoever knows that a person is in the file, and all quasi-identifiers, picks the right "
        "record with a chance of at most {value}.",
        "100 / the smallest f.",
        "El Emam and Dankar 2008, J. Am. Med. Inform. Assoc. 15(5)",
    ),
    Definition(
        "average", "average risk (prosecutor)", "risk", "percent", "lower",
        "Whoever looks for everybody who is in the file picks the right record in {value} of the "
        "cases.",
        "100 · mean of 1/f over the records.",
        "El Emam and Dankar 2008",
    ),
    Definition(
        "journalist", "highest risk in the population (journalist)", "risk", "percent", "lower",
        "Whoever looks for anybody in the population behind the file picks the right record with a "
        "chance of at most {value}.",
        "100 · the largest r: 1/F where a population is given, else E[1/F | f], F − f negative "
        "binomial with p = f/F̂, F̂ the weights of the matching records, or f / sampling fraction.",
        f"{_NEGATIVE}; El Emam and Dankar 2008",
    ),
    Definition(
        "marketer", "average risk in the population (marketer)", "risk", "percent", "lower",
        "Whoever links all people of the population to the file is right in {value} of the "
        "records on average.",
        "100 · mean of r over the records, r as for the journalist.",
        "Dankar and El Emam 2010, PAIS",
    ),
    Definition(
        "expected", "expected right links", "risk", "count", "lower",
        "Whoever links all records is expected to link {value} of them rightly.",
        "Sum of r over the records: 1/f where nothing is known of the population.",
        _NEGATIVE,
    ),
    Definition(
        "above", "records above the threshold", "risk", "percent", "lower",
        "{value} of the records have a risk above {rest}.",
        "Share of records with r above the threshold.",
        "European Medicines Agency 2018, guidance on policy 0070 (0.09); Hundepool and others 2012",
    ),
    Definition(
        "household", "average risk of a record with its household", "risk", "percent", "lower",
        "Of an average record somebody of its household is linked rightly with a chance of "
        "{value}, which gives away the others.",
        "100 · mean over the records of 1 − Π (1 − r) over the members of the household.",
        "Hundepool and others 2012, section 3.3.3",
    ),
    Definition(
        "special_uniques", "special uniques", "risk", "percent", "lower",
        "{value} of the records are unique by some of the quasi-identifiers alone, whatever the "
        "others hold ({rest}).",
        "Share of records with a minimal sample unique of fewer columns than all; sets up to the "
        "size that is looked for.",
        "Elliot, Manning and Ford 2002, Int. J. Uncertainty Fuzziness Knowl.-Based Syst. 10(5)",
    ),
    Definition(
        "dis", "unique matches that are right (DIS)", "risk", "percent", "lower",
        "Of the links of somebody in the population to a record that alone matches, {value} are "
        "right ({rest}).",
        "100 · π U / (π U + (1 − π) P): U unique records, P in pairs, π the sampling fraction.",
        "Skinner and Elliot 2002, J. R. Statist. Soc. B 64(4)",
    ),
    Definition(
        "population_uniques", "people unique in the population", "risk", "percent", "lower",
        "An estimated {value} of the people of the population are the only ones with their "
        "combination ({rest}).",
        "Pitman's model for sampling fractions up to 0.1 (Zayatz's where it has no answer), else "
        "the smaller one of Zayatz's and of the slide negative binomial.",
        _DANKAR,
    ),
    Definition(
        "model_alone", "sample uniques that are population uniques (log-linear)", "risk", "count",
        "lower",
        "Of the unique records an estimated {value} are unique in the population, too ({rest}).",
        "Σ over f = 1 of exp(−(1 − π) λ), λ by a Poisson log-linear model of the cells.",
        "Skinner and Holmes 1998, J. Off. Stat. 14(4); Skinner and Shlomo 2008",
    ),
    Definition(
        "model_right", "unique records linked rightly (log-linear)", "risk", "count", "lower",
        "Of the unique records an estimated {value} are linked rightly by whoever picks one of "
        "those in the population that match.",
        "Σ over f = 1 of (1 − exp(−(1 − π) λ)) / ((1 − π) λ).",
        "Elamir and Skinner 2006, J. Off. Stat. 22(3)",
    ),
    Definition(
        "k_map", "smallest class in the population (k-map)", "risk", "count", "higher",
        "Every record matches at least {value} people of the population table.",
        "The smallest F over the records: how many of the population table match.",
        "Sweeney 2001, Computational Disclosure Control; El Emam and Dankar 2008",
    ),
    Definition(
        "delta_presence", "being in the file, at most (δ-presence)", "risk", "percent", "lower",
        "Whoever knows a person's quasi-identifiers from the population table is at most {value} "
        "sure that the person is in the file ({rest}).",
        "100 · the largest f/F over the classes of the population table, and the smallest.",
        "Nergiz, Atzori and Clifton 2007, SIGMOD",
    ),
)  # fmt: skip
DISCLOSURE = {definition.key: definition for definition in _EACH}
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


class Classes(NamedTuple):
    """How many records are alone in their class, and how many in classes of fewer than k."""

    unique: int
    below: int


def counted(labels: Integers, k: int) -> Classes:
    """Return the counts of a grouping."""
    sizes = np.bincount(labels)
    return Classes(int((sizes == 1).sum()), int(sizes[sizes < k].sum()))


def classes_of_others(codes: Sequence[Integers]) -> Iterator[Integers]:
    """Yield of every column the classes by all others; those to both sides of it are joined."""
    rows = codes[0].size
    after = [np.zeros(rows, dtype=np.int64)]
    for one in reversed(codes[1:]):
        after.append(joined(after[-1], one))
    before = np.zeros(rows, dtype=np.int64)
    for one in codes:
        yield joined(before, after.pop())
        before = joined(before, one)
