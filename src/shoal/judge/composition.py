"""Composition of two releases (Ganta, Kasiviswanathan and Smith 2008).

In plain words: somebody knows a person's quasi-identifiers, finds the person's class in this
release and a class of the other that fits, and keeps the records whose sensitive values occur in
both. So many candidates are left: over the combinations of sensitive values, the smaller of the
counts in the two classes, summed. Where the releases share no sensitive column, it is the size of
the smaller class, which is only a bound: any other column that both have could tell more.

Classes of this release are made of all its quasi-identifiers, those of the other of the ones that
it has too, and of its own, where a paper beside it names them. Two classes are compatible if in
each of the shared columns their cells may stand for one value (`cells.py`): they are equal, or one
is a star, or they are intervals, masks and parts of the calendar that overlap.

Where nobody says which columns are sensitive, all that both releases have and neither groups count:
those that agree together, and each alone. Spellings of one value are one value, too. Means,
medians, modes and medoids do not say whom they stand for: where a quasi-identifier of both is
released so (a paper says it, or it is single numbers or dates without any interval and nobody says
what they are), or one release keeps what the other groups, this cannot be judged from the releases
alone. With the original it can be judged: `people.py`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.errors import InputError
from shoal.judge.cells import overlap, spelled, to_compare
from shoal.judge.compared import (
    CompositionRequest,
    load_pairs,
    number_cells,
    numbered,
    tells_nothing,
)
from shoal.judge.engine import Engine, quoted
from shoal.judge.source import Source
from shoal.judge.verdict import Composition

__all__ = ["WARNING", "CompositionRequest", "compose"]

WARNING = (
    "two releases of the same people tell more together than each alone; a third would tell more, "
    "and this compares two"
)
PAIRS = 20_000_000  # of classes that are compared: some minutes
A_CELL = 10  # how much longer two cells take to compare than to look up
A_ROW = 5  # how much longer two classes take to compare than to blank one
SIDES = ("this", "other")


def compose(
    engine: Engine, ours: Source, theirs: Source, request: CompositionRequest
) -> Composition:
    """Return the candidate sets that remain when both releases are known."""
    shared = [name for name in ours.columns if name in theirs.columns]
    columns = [name for name in request.quasi if name in theirs.columns]
    keys = request.their_quasi(list(theirs.columns))
    crossed = {name for name in shared if name in keys and name not in columns}
    if request.sensitive is None:
        hidden = [name for name in shared if name not in (*columns, *keys)]
    else:
        hidden = [name for name in request.sensitive if name in shared and name not in keys]
    if not columns and not hidden and not crossed:
        raise InputError(f"{theirs.name}: it shares no column with this release")
    met = {f"c{n}": name for n, name in enumerate(columns)}
    kept = {f"h{n}": name for n, name in enumerate(hidden)}
    _make_entries(engine, "this", ours, request.quasi, met | kept)
    _make_entries(engine, "other", theirs, keys, met | kept)
    values = _make_numbers(engine, list(met), list(kept))
    _make_pairs(engine, list(met), values)
    for side, known in (("this", request.ours), ("other", request.theirs)):
        table = f"{side}_numbers"
        crossed |= {n for c, n in met.items() if tells_nothing(engine, table, c, n, values, known)}
    meetings = [
        _met(engine, some, [kept[name.replace("f", "h")] for name in some], request.k)
        for some in _sets(engine, list(kept), request.sensitive is None)
    ]
    return replace(
        max(meetings, key=lambda one: (one.records, one.below, one.pairs)),
        smallest=min((one.smallest for one in meetings if one.smallest), default=None),
        columns=tuple(columns),
        unjudged=tuple(name for name in shared if name in crossed),
        roles=request.roles,
    )


def _make_entries(
    engine: Engine, side: str, source: Source, quasi: Sequence[str], wanted: Mapping[str, str]
) -> None:
    """Make a table of the classes of a release and the sensitive values in them, as texts."""
    raw = {name: f"r{n}" for n, name in enumerate(dict.fromkeys([*quasi, *wanted.values()]))}
    cells = [f"{quoted(name)} AS {alias}" for name, alias in raw.items()]
    texts = [f"{spelled(raw[name], source.columns[name])} AS {c}" for c, name in wanted.items()]
    order = ", ".join(raw[name] for name in quasi) or "1"
    engine.make(
        f"CREATE TABLE {side}_entries AS\n"
        f"SELECT dense_rank() OVER (ORDER BY {order}) AS class, {', '.join([*texts, 'n'])}\n"
        f"FROM (SELECT {', '.join([*cells, 'count(*) AS n'])} FROM {source.table} GROUP BY ALL)",
        f"the classes of {side} release and the records in them",
    )


def _make_numbers(engine: Engine, met: list[str], kept: list[str]) -> list[Any]:
    """Put numbers in the place of the cells of both releases; return what each stands for.

    `met` are columns of quasi-identifiers; spellings of one value have one form (f0, f1, …).
    """
    values = number_cells(engine, "met_cells", {f"{side}_entries": met + kept for side in SIDES})
    columns = {name: (name, "number") for name in met + kept}
    columns |= {name.replace("h", "f"): (name, "form") for name in kept}
    for side in SIDES:
        query = numbered(f"{side}_entries", "met_cells", columns, "class, n")
        engine.make(f"CREATE TABLE {side}_numbers AS\n{query}")
        engine.make(
            f"CREATE TABLE {side}_classes AS\n"
            f"SELECT DISTINCT {', '.join(['class', *met])} FROM {side}_numbers"
        )
    return values


def _make_pairs(engine: Engine, met: list[str], values: Sequence[Any]) -> None:
    """Make a table of the pairs of classes that may hold the same person.

    Cells that are not equal may stand for one value if one is a star, or if they are ranges.
    """
    work, near = 0, list[str]()
    for c in met:
        sides = [engine.rows(f"SELECT DISTINCT {c} FROM {side}_classes") for side in SIDES]
        if to_compare([values[number] for side in sides for (number,) in side]):
            work += len(sides[0]) * len(sides[1]) * A_CELL
            near.append(c)
    _check_work(work)
    for c in near:
        of = [f"(SELECT DISTINCT {c} FROM {side}_classes) {side}" for side in SIDES]
        query = f"SELECT this.{c}, other.{c} FROM {', '.join(of)}"
        load_pairs(engine, f"near_{c}", query, values, overlap)
    same = _make_blanked(engine, [c for c in met if c not in near], near)
    counts = [f"(SELECT {same}, count(*) AS n FROM {side}_blanked GROUP BY ALL)" for side in SIDES]
    ((found,),) = engine.rows(
        f"SELECT coalesce(sum(a.n * b.n), 0) FROM {counts[0]} a JOIN {counts[1]} b USING ({same})"
    )
    _check_work(work + int(found))
    cells = [f"a.{c} AS this_{c}, b.{c} AS other_{c}" for c in near]
    chosen = ", ".join(["a.class AS this, b.class AS other", *cells])
    joins = [f"JOIN near_{c} n{c} ON (n{c}.one, n{c}.other) = (this_{c}, other_{c})" for c in near]
    engine.make(
        f"CREATE TABLE pairs AS\nWITH met AS MATERIALIZED (\n  SELECT {chosen}\n"
        f"  FROM this_blanked a JOIN other_blanked b USING ({same})\n)\n"
        "SELECT met.this, met.other FROM met\n" + "\n".join(joins),
        "pairs of classes that may hold the same person",
    )


def _make_blanked(engine: Engine, exact: list[str], near: list[str]) -> str:
    """Make views of the classes, to look them up in spite of stars; return by which columns.

    A class is there once for every pattern of stars that the other release has, and its cells are
    blank where that has a star.
    """
    stars = ", ".join(["true AS blank", *(f"{c} = 0 AS blank_{c}" for c in exact)])
    for side in SIDES:
        engine.make(
            f"CREATE TABLE {side}_patterns AS\nSELECT row_number() OVER () AS pattern, *\n"
            f"FROM (SELECT DISTINCT {stars} FROM {side}_classes)"
        )
    own = " AND ".join(["own.blank", *(f"own.blank_{c} = (c.{c} = 0)" for c in exact)])
    blanked = [f"CASE WHEN their.blank_{c} THEN 0 ELSE c.{c} END AS {c}" for c in exact]
    for side, beside in (SIDES, SIDES[::-1]):
        patterns = f"own.pattern AS {side}_pattern", f"their.pattern AS {beside}_pattern"
        engine.make(
            f"CREATE VIEW {side}_blanked AS\n"
            f"SELECT {', '.join(['c.class', *patterns, *(f'c.{c}' for c in near), *blanked])}\n"
            f"FROM {side}_classes c JOIN {side}_patterns own ON {own}\n"
            f"CROSS JOIN {beside}_patterns their"
        )
        ((rows,),) = engine.rows(
            f"SELECT count(*) * (SELECT count(*) FROM {beside}_patterns) FROM {side}_classes"
        )
        _check_work(rows // A_ROW)
    return ", ".join(["this_pattern", "other_pattern", *exact])


def _check_work(work: int) -> None:
    """Refuse more comparisons than are done in minutes."""
    if work > PAIRS:
        raise InputError(
            f"too many pairs of classes to compare with the other release ({work}, at most "
            f"{PAIRS}); name more of the quasi-identifiers that both write without intervals"
        )


def _sets(engine: Engine, kept: list[str], by_default: bool) -> list[list[str]]:
    """Return the sets of sensitive columns that records are compared by, as numbers and as forms.

    Columns agree where half of the records of the smaller release find their value in the other.
    By default those that agree count together, and each alone: one that was changed between the
    releases hides nothing. So do those that were named, unless all of them agree.
    """
    ((respelled,),) = engine.rows("SELECT count(*) FROM met_cells WHERE number <> form")
    forms = [name.replace("h", "f") for name in kept]
    found = []
    for every in [kept, forms] if respelled else [kept]:
        agree = [name for name in every if len(every) < 2 or _agrees(engine, name)]
        found += [every] if len(every) < 2 or not by_default else []
        if len(every) > 1 and (by_default or agree != every):
            found += [agree if by_default else agree or every, *([name] for name in every)]
    return [list(some) for some in dict.fromkeys(map(tuple, found))]


def _agrees(engine: Engine, name: str) -> bool:
    """Tell whether half of the records of the smaller release find their value in the other."""
    a, b = (f"(SELECT {name}, sum(n) AS n FROM {s}_numbers GROUP BY {name})" for s in SIDES)
    ((agrees,),) = engine.rows(
        f"SELECT 2 * coalesce(sum(least(a.n, b.n)), 0) >= (SELECT least((SELECT sum(n) FROM {a}), "
        f"(SELECT sum(n) FROM {b}))) FROM {a} a JOIN {b} b USING ({name})"
    )
    return bool(agrees)


def _met(engine: Engine, some: list[str], sensitive: list[str], k: int) -> Composition:
    """Return what is left of the pairs of classes, by the values that both have."""
    value = f"SELECT class, [{', '.join(some)}]::INTEGER[] AS value, sum(n) AS n"
    ((smallest, pairs, below, records),) = engine.ask(
        f"""WITH ours AS ({value} FROM this_numbers GROUP BY ALL),
  theirs AS ({value} FROM other_numbers GROUP BY ALL),
  first AS MATERIALIZED (SELECT this, other, value, n FROM pairs JOIN ours ON class = this),
  common AS (
    SELECT this, other, first.value, first.n, least(first.n, theirs.n) AS candidates
    FROM first JOIN theirs ON theirs.class = other AND theirs.value = first.value
  ),
  met AS (SELECT this, other, sum(candidates) AS candidates FROM common GROUP BY this, other),
  risky AS (
    SELECT DISTINCT this, common.value, n FROM common JOIN met USING (this, other)
    WHERE met.candidates < {k}
  )
SELECT min(candidates), count(*), count(*) FILTER (candidates < {k}),
  (SELECT coalesce(sum(n), 0) FROM risky)
FROM met""",
        "candidates that are left where both releases are known: fewest, pairs, too few, records",
    )
    least = None if smallest is None else int(smallest)
    return Composition(least, pairs, below, int(records), (), tuple(sensitive))
