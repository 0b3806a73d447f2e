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

Cells of all files are compared by their texts: those that compare as equal (`cells.comparable`)
have one number, stars have 0. Which of the others may stand for one value is told by a table of
pairs of such numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.judge import refuse
from shoal.judge.cells import comparable, is_single, overlap, spans, spelled, to_compare
from shoal.judge.engine import Engine, quoted
from shoal.judge.papers import SINGLE, Beside
from shoal.judge.source import Source
from shoal.judge.values import plain_value
from shoal.judge.verdict import Composition

WARNING = (
    "two releases of the same people tell more together than each alone; a third would tell more, "
    "and this compares two"
)
PAIRS = 20_000_000  # of classes that are compared: some minutes
A_CELL = 10  # how much longer two cells take to compare than to look up
A_ROW = 5  # how much longer two classes take to compare than to blank one
SIDES = ("this", "other")


@dataclass(frozen=True)
class CompositionRequest:
    """Roles of the two releases as requested (None: unknown), and papers beside them."""

    quasi: Sequence[str]
    sensitive: Sequence[str] | None
    k: int
    ours: Beside | None = None
    theirs: Beside | None = None
    roles: tuple[str, str] = ("", "")

    def their_quasi(self, header: Sequence[str]) -> list[str]:
        """Return the quasi-identifiers of the other release, as far as they are known."""
        known = () if self.theirs is None else self.theirs.quasi_identifiers
        return list(dict.fromkeys(name for name in (*self.quasi, *known) if name in header))


def number_cells(engine: Engine, name: str, tables: Mapping[str, Sequence[str]]) -> list[Any]:
    """Make a table of the different cells of some columns; return what each number stands for.

    `number` is equal for cells that compare as equal, `form` for all spellings of one value.
    """
    parts = [
        f"SELECT {column} AS cell FROM {table}" for table in tables for column in tables[table]
    ]
    every = " UNION ".join(["SELECT '*' AS cell", *parts])
    cells = [cell for (cell,) in engine.rows(f"{every} ORDER BY ALL") if cell is not None]
    texts = [comparable(cell) for cell in cells]
    numbers = {text: number for number, text in enumerate(dict.fromkeys([None, *texts]))}
    forms = [plain_value(cell, (), True) for cell in cells]
    alike = {form: numbers[text] for form, text in zip(forms, texts, strict=True)} | {None: 0}
    rows = [(c, numbers[t], alike[f]) for c, t, f in zip(cells, texts, forms, strict=True)]
    kinds = {"cell": "string", "number": "int32", "form": "int32"}
    engine.load_rows(name, "the different cells of what is compared; * has number 0", kinds, rows)
    return list(numbers)


def numbered(table: str, cells: str, columns: Mapping[str, tuple[str, str]], others: str) -> str:
    """Return the query that puts numbers in the place of texts.

    `columns` has the text and the kind of number (number or form) of each column that is made.
    """
    chosen = [f"coalesce({name}_cell.{kind}, 0) AS {name}" for name, (_, kind) in columns.items()]
    joins = [
        f"LEFT JOIN {cells} {name}_cell ON {name}_cell.cell = {table}.{text}"
        for name, (text, _) in columns.items()
    ]
    return "\n".join([f"SELECT {', '.join([others, *chosen])}", f"FROM {table}", *joins])


def load_pairs(
    engine: Engine, name: str, query: str, values: Sequence[Any], meet: Callable[[Any, Any], bool]
) -> bool:
    """Make a table of those pairs of numbers, told by a query, that meet; tell whether all do."""
    asked = engine.rows(query)
    found = [(one, other) for one, other in asked if meet(values[one], values[other])]
    spans.cache_clear()  # no values of records stay behind
    kinds = {"one": "int32", "other": "int32"}
    engine.load_rows(name, "cells that may stand for one value", kinds, found)
    return len(found) == len(asked)


def tells_nothing(
    engine: Engine, table: str, column: str, name: str, values: Sequence[Any], known: Beside | None
) -> bool:
    """Tell whether values of a column may be means or the like, and do not say of what.

    `name` is the column in the file, `column` the one of a table of numbers.
    """
    if known is not None and name in known.released_as:
        return known.released_as[name] in SINGLE
    cells = engine.rows(f"SELECT DISTINCT {column} FROM {table}")
    return is_single(values[number] for (number,) in cells)


def compose(
    engine: Engine, ours: Source, theirs: Source, request: CompositionRequest
) -> Composition:
    """Return the candidate sets that remain when both releases are known."""
    shared = [name for name in ours.columns if name in theirs.columns]
    columns = [name for name in request.quasi if name in theirs.columns]
    keys = request.their_quasi(list(theirs.columns))
    crossed = {name for name in shared if name in keys and name not in columns}
    hidden = [name for name in (shared if request.sensitive is None else request.sensitive)
              if name in shared and name not in keys]  # fmt: skip
    refuse((not (columns or hidden or crossed),
            f"{theirs.name}: it shares no column with this release"))  # fmt: skip
    met = {f"c{n}": name for n, name in enumerate(columns)}
    kept = {f"h{n}": name for n, name in enumerate(hidden)}
    _make_entries(engine, "this", ours, request.quasi, met | kept)
    _make_entries(engine, "other", theirs, keys, met | kept)
    values = number_cells(engine, "met_cells", {f"{s}_entries": [*met, *kept] for s in SIDES})
    numbers = {name: (name, "number") for name in met | kept}
    numbers |= {name.replace("h", "f"): (name, "form") for name in kept}  # of all spellings
    for side, known in zip(SIDES, (request.ours, request.theirs), strict=True):
        query = numbered(f"{side}_entries", "met_cells", numbers, "class, n")
        engine.make(f"CREATE TABLE {side}_numbers AS\n{query}")
        engine.make(
            f"CREATE TABLE {side}_classes AS\n"
            f"SELECT DISTINCT {', '.join(['class', *met])} FROM {side}_numbers"
        )
        crossed |= {
            name
            for column, name in met.items()
            if tells_nothing(engine, f"{side}_numbers", column, name, values, known)
        }
    _make_pairs(engine, list(met), values)
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


def _make_pairs(engine: Engine, met: list[str], values: Sequence[Any]) -> None:
    """Make a table of the pairs of classes that may hold the same person.

    Cells that are not equal may stand for one value if one is a star, or if they are ranges. To
    look classes up in spite of stars, a class is there once for every pattern of stars that the
    other release has, and its cells are blank where that has a star.
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
    exact = [c for c in met if c not in near]
    stars = ", ".join(["true AS blank", *(f"{c} = 0 AS blank_{c}" for c in exact)])
    own = " AND ".join(["own.blank", *(f"own.blank_{c} = (c.{c} = 0)" for c in exact)])
    blanked = [f"CASE WHEN their.blank_{c} THEN 0 ELSE c.{c} END AS {c}" for c in exact]
    for side in SIDES:
        engine.make(
            f"CREATE TABLE {side}_patterns AS\nSELECT row_number() OVER () AS pattern, *\n"
            f"FROM (SELECT DISTINCT {stars} FROM {side}_classes)"
        )
    for side, beside in (SIDES, SIDES[::-1]):
        patterns = f"own.pattern AS {side}_pattern", f"their.pattern AS {beside}_pattern"
        engine.make(
            f"CREATE VIEW {side}_blanked AS\n"
            f"SELECT {', '.join(['c.class', *patterns, *(f'c.{c}' for c in near), *blanked])}\n"
            f"FROM {side}_classes c JOIN {side}_patterns own ON {own}\n"
            f"CROSS JOIN {beside}_patterns their"
        )
        _check_work(engine.rows(
            f"SELECT count(*) * (SELECT count(*) FROM {beside}_patterns) FROM {side}_classes"
        )[0][0] // A_ROW)  # fmt: skip
    same = ", ".join(["this_pattern", "other_pattern", *exact])
    counts = [f"(SELECT {same}, count(*) AS n FROM {side}_blanked GROUP BY ALL)" for side in SIDES]
    _check_work(work + int(engine.rows(
        f"SELECT coalesce(sum(a.n * b.n), 0) FROM {counts[0]} a JOIN {counts[1]} b USING ({same})"
    )[0][0]))  # fmt: skip
    cells = [f"a.{c} AS this_{c}, b.{c} AS other_{c}" for c in near]
    chosen = ", ".join(["a.class AS this, b.class AS other", *cells])
    joins = [f"JOIN near_{c} n{c} ON (n{c}.one, n{c}.other) = (this_{c}, other_{c})" for c in near]
    engine.make(
        f"CREATE TABLE pairs AS\nWITH met AS MATERIALIZED (\n  SELECT {chosen}\n"
        f"  FROM this_blanked a JOIN other_blanked b USING ({same})\n)\n"
        "SELECT met.this, met.other FROM met\n" + "\n".join(joins),
        "pairs of classes that may hold the same person",
    )


def _check_work(work: int) -> None:
    """Refuse more comparisons than are done in minutes."""
    refuse((
        work > PAIRS,
        f"too many pairs of classes to compare with the other release ({work}, at most {PAIRS}); "
        "name more of the quasi-identifiers that both write without intervals",
    ))  # fmt: skip


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
