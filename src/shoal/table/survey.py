"""Survey design: weights, strata, households and persons of records.

A weight says how many persons of the population a record stands for. Groups are made within
strata, and of whole households; where there are none, of whole persons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.errors import InputError, RequestError, UnlistedError, listed, shown
from shoal.hints import option
from shoal.kernels.arrays import Flags, Floats, Integers
from shoal.table.roles import Column, Kind, Role, Written, family
from shoal.table.table import Table, as_floats, missing_cells

UNEVEN = 1e9  # times the smallest weight: beyond it sums forget the small ones
JOINT = " + "  # between the names of strata that became one


@dataclass(frozen=True, eq=False, repr=False)
class Survey:
    """Weights (n) above 0; strata, households, persons (n) numbered from 0; None: none are."""

    weights: Floats | None = None
    strata: Integers | None = None
    households: Integers | None = None
    persons: Integers | None = None

    def take(self, rows: Integers) -> Survey:
        """Return the same for some rows, or for all in another order."""
        return Survey(
            None if self.weights is None else self.weights[rows],
            None if self.strata is None else self.strata[rows],
            None if self.households is None else self.households[rows],
            None if self.persons is None else self.persons[rows],
        )

    @property
    def plain(self) -> bool:
        """Whether every record counts alike, on its own."""
        return self.weights is None and self.strata is None and self.together is None

    @property
    def together(self) -> Integers | None:
        """Which records stay in one group, by number: those of a household, or of a person."""
        return self.persons if self.households is None else self.households

    @property
    def unit_name(self) -> str:
        """The units of groups: households, people or records."""
        if self.households is not None:
            return "households"
        return "records" if self.persons is None else "people"

    def units(self, rows: Integers) -> int:
        """Return the number of units (households, people or records) among some rows."""
        whole = self.together
        return int(rows.size if whole is None else np.unique(whole[rows]).size)


def read_survey(
    table: Table,
    weight: str | None,
    by: Sequence[str],
    household: str | None,
    person: str | None = None,
) -> Survey:
    """Return the survey design that four kinds of columns give."""
    weights = None if weight is None else weights_of(table[weight], table)
    strata = strata_of(table, by) if by else None
    households = _units_of(table, household, "household")
    persons = _units_of(table, person, "person")
    _check_inside(table, persons, households, "people", "household")
    _check_inside(table, households, strata, "households", "stratum")
    _check_inside(table, persons, strata, "people", "stratum")
    return Survey(weights, strata, households, persons)


def _units_of(table: Table, name: str | None, what: str) -> Integers | None:
    """Return the unit (person or household) of each record; none may be missing."""
    if name is None:
        return None
    column, where = table[name], f"{table.source.name}, {what} {shown(name)}"
    absent = np.flatnonzero(missing_cells(column)).tolist()
    if absent:
        raise InputError(
            f"{where}: {len(absent)} missing cells "
            f"({table.source.where(absent)}); every record needs one"
        )
    _check_ranked(column, where)
    return _numbered([column])


def _check_ranked(column: Column, where: str) -> None:
    """Refuse cells that cannot be sorted: lists, structs and the like."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        pc.rank(column.values.slice(0, 1), tiebreaker="dense")
    except pa.ArrowNotImplementedError:
        raise InputError(
            f"{where}: cells of type {family(column.values.type)} are not supported; give a column "
            "of texts or numbers"
        ) from None


def _check_inside(
    table: Table, inner: Integers | None, outer: Integers | None, inner_name: str, where: str
) -> None:
    """Raise InputError for households or people that lie in several strata or households."""
    if inner is None or outer is None:
        return
    pairs = np.unique(np.stack([inner, outer]), axis=1)
    several = pairs.shape[1] - int(inner.max()) - 1
    if several > 0:
        raise InputError(
            f"{table.source.name}: {inner_name} lie in more than one {where} ({several} too many)"
        )


def weights_of(column: Column, table: Table) -> Floats:
    """Return survey weights as floats; raise InputError for rows without one."""
    where = f"{table.source.name}, weight {shown(column.name)}"
    if not column.kind.is_number:
        raise InputError(f"{where}: {column.kind}; survey weights must be numbers")
    absent = column.missing_rows()
    if absent:
        raise InputError(
            f"{where}: {len(absent)} missing cells ({table.source.where(absent)}); every record "
            "needs one"
        )
    return check_weights(as_floats(column), where, table.source.where)


def check_weights(weights: Floats, where: str, place: Callable[[list[int]], str]) -> Floats:
    """Return survey weights if all are above 0 and none too large; `place` tells where rows are."""
    bad = np.flatnonzero(~(np.isfinite(weights) & (weights > 0.0))).tolist()
    if bad:
        raise InputError(f"{where}: survey weights must be numbers above 0 ({place(bad)})")
    if weights.size and weights.max() > UNEVEN * weights.min():
        raise InputError(
            f"{where}: the largest weight is more than {UNEVEN:g} times the smallest; nothing "
            "can be computed with both"
        )
    return weights


def strata_of(table: Table, by: Sequence[str]) -> Integers:
    """Return the stratum of every record: a combination of values, missing ones included."""
    columns = [table[name] for name in by]
    for column in columns:
        _check_ranked(column, f"{table.source.name}, stratum {shown(column.name)}")
    return _numbered(columns)


def _numbered(columns: Sequence[Column]) -> Integers:
    """Return numbers from 0 for the combinations of values, in the order of the values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = np.zeros(len(columns[0].values), dtype=np.int64)
    for column in columns:
        values = column.values
        if column.kind is Kind.FLOAT:
            values = pc.if_else(pa.array(missing_cells(column)), None, values)
        ranks = np.asarray(pc.rank(values, tiebreaker="dense")).astype(np.int64)
        codes = np.unique(codes * (int(ranks.max(initial=0)) + 1) + ranks, return_inverse=True)[1]
    return codes.astype(np.int64)


def named_strata(table: Table, by: Sequence[str], strata: Integers) -> list[str]:
    """Return the names of the strata, as a person reads them."""
    _, first = np.unique(strata, return_index=True)
    texts = [_texts(table[name], first) for name in by]
    return _distinct([" / ".join(parts) for parts in zip(*texts, strict=True)])


def _distinct(names: Sequence[str]) -> list[str]:
    """Return names of which no two are the same: later ones are numbered."""
    listed_names: list[str] = []
    for name in names:
        number, own = 2, name
        while own in listed_names:
            own, number = f"{name} ({number})", number + 1
        listed_names.append(own)
    return listed_names


def _texts(column: Column, rows: Integers) -> list[str]:
    """Return some cells as texts; one that is missing as such."""
    import pyarrow as pa

    source = column.values if column.cells is None else column.cells
    cells = source.take(pa.array(rows)).to_pylist()
    gone = missing_cells(column)[rows]
    return ["missing" if g else str(cell) for cell, g in zip(cells, gone.tolist(), strict=True)]


def check_strata(table: Table, by: Sequence[str], survey: Survey, k: int) -> None:
    """Refuse strata in which no group of k can be made; their names are values of records."""
    small = small_strata(survey, k)
    if not small:
        return
    assert survey.strata is not None
    names = named_strata(table, by, survey.strata)
    raise SmallStrataError(
        f"{table.source.name}: {len(small)} of {len(names)} strata by {listed(by)} have fewer "
        f"than k = {k} {survey.unit_name}; leave them out, take a smaller k, or say "
        f"{option('small_strata', 'merge')} to join each to the one most like it",
        [names[number] for number in small],
    )


class SmallStrataError(UnlistedError):
    """Strata hold fewer than k; `values` are their names, the smallest stratum first."""


def small_strata(survey: Survey, k: int) -> list[int]:
    """Return the numbers of the strata that hold fewer than k, the smallest first."""
    if survey.strata is None:
        return []
    sizes = [
        survey.units(np.flatnonzero(survey.strata == number))
        for number in range(int(survey.strata.max()) + 1)
    ]
    few = [number for number, size in enumerate(sizes) if size < k]
    return sorted(few, key=lambda number: (sizes[number], number))


def merge_strata(
    table: Table, by: Sequence[str], survey: Survey, k: int, matrix: Floats
) -> tuple[Table, list[str]]:
    """Return the table with every small stratum merged, and the names of merged strata.

    Again and again the smallest is joined to the one whose records are most like its own on
    average (matrix (n, d): coordinates of the records). Cells of `by` become the names of all.
    """
    assert survey.strata is not None
    strata = survey.strata.copy()
    weights = np.ones(strata.size) if survey.weights is None else survey.weights
    while True:
        numbers = np.unique(strata, return_inverse=True)[1].astype(np.int64)
        small = small_strata(Survey(None, numbers, survey.households, survey.persons), k)
        if not small or numbers.max() == 0:
            break
        masses = np.bincount(numbers, weights)
        sums = np.stack([np.bincount(numbers, weights * column) for column in matrix.T], axis=1)
        means = sums / masses[:, None]
        apart = ((means - means[small[0]]) ** 2).sum(axis=1)
        apart[small[0]] = np.inf
        strata = np.where(numbers == small[0], int(apart.argmin()), numbers)
    changed = [
        number for number in np.unique(strata).tolist()
        if np.unique(survey.strata[strata == number]).size > 1
    ]  # fmt: skip
    joined = {name: _joined(table[name], [strata == number for number in changed]) for name in by}
    made = table.mapped(lambda column: joined.get(column.name, column))
    names = []
    for number in changed:
        rows = np.flatnonzero(strata == number)[:1]
        names.append(" / ".join(_texts(made[name], rows)[0] for name in by))
    return made, names


def _joined(column: Column, parts: Sequence[Flags]) -> Column:
    """Return a column in which the cells of each part are the names of all its values."""
    import pyarrow as pa

    numbers = _numbered([column])  # cells of one value may be written in several ways
    _, first = np.unique(numbers, return_index=True)
    texts = np.array(_texts(column, first), dtype=object)[numbers]
    texts[missing_cells(column)] = None
    for part in parts:
        names = sorted({text for text in texts[part].tolist() if text is not None})
        texts[part] = JOINT.join([*names, *(["missing"] if None in texts[part] else [])])
    return column.replace(
        kind=Kind.TEXT, values=pa.array(texts.tolist(), type=pa.string()), cells=None, quoted=None,
        written=Written(), order=None, doubt=None,
    )  # fmt: skip


def survey_roles(
    table: Table,
    weight: str | None,
    by: Sequence[str],
    household: str | None,
    person: str | None = None,
) -> dict[str, Role]:
    """Return the roles that these columns have."""
    named = dict.fromkeys(by, Role.QUASI_IDENTIFIER)
    if weight is not None:
        named[weight] = Role.OTHER
    whole = [name for name in (household, person) if name is not None]
    for name in whole:
        named[name] = Role.IDENTIFIER
    for name in named:
        _ = table[name]
    if len(named) < len(by) + (weight is not None) + len(whole):
        raise RequestError("weight, strata, household and person must be different columns")
    return named
