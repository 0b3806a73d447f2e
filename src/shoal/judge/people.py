"""Composition with the original: how many people share both classes of each person.

The pair of a person's classes, one in each release, is what somebody learns who has both. A record
of the original is placed in a release by columns that name it (`key`), by its row where the rows
are in one order, or by evidence: the cells of the columns that were kept as they were, and those of
generalized ones that cover the original's. Evidence counts where it leaves one class alone; who is
left with several is unknown, and never taken for safe. A mean covers nothing and is no evidence.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shoal.errors import listed
from shoal.judge import refuse
from shoal.judge.cells import may_cover, spelled
from shoal.judge.composition import (
    CompositionRequest,
    compose,
    load_pairs,
    number_cells,
    numbered,
    tells_nothing,
)
from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine, quoted
from shoal.judge.papers import Beside
from shoal.judge.reading import opened
from shoal.judge.source import Source
from shoal.judge.verdict import Composition, Shared

WORK = 20_000_000  # people times classes that are compared one by one
UNKNOWN, ABSENT = -1, -2  # in the place of a class


def meet(
    engine: Engine, ours: Source, request: CompositionRequest, data: Sequence[Any],
    key: Sequence[str],
) -> Composition:  # fmt: skip
    """Return what this release tells beside another one; `data` are both and the original."""
    _, against, original = data
    theirs = request.theirs
    other = opened(engine, against, None, Written(**(theirs.text if theirs else {})), "other")
    met = compose(engine, ours, other, request)
    if original is None:
        return met
    whole = opened(engine, original, None, Written(), "original", published=False)
    frames = [not isinstance(one, str | os.PathLike) for one in data]
    in_order = [
        (is_frame and frames[2]) or (paper is not None and paper.in_order)
        for is_frame, paper in zip(frames, (request.ours, theirs), strict=False)
    ]
    shared = place_people(engine, ours, other, whole, request, key, (in_order[0], in_order[1]))
    return replace(met, shared=shared)


def place_people(
    engine: Engine, ours: Source, theirs: Source, original: Source, request: CompositionRequest,
    key: Sequence[str], in_order: tuple[bool, bool],
) -> Shared:  # fmt: skip
    """Return with how many others each person of the original shares both classes."""
    columns = {name: f"c{n}" for n, name in enumerate(original.columns)}
    tables, there = {"mine": ours, "theirs": theirs, "people": original}, dict[str, list[str]]()
    for table, source in tables.items():
        both = {columns[name]: name for name in source.columns if name in columns}
        there[f"{table}_cells"] = list(both)
        cells = [f"{spelled(name, source.columns[name])} AS {c}" for c, name in both.items()]
        engine.make(
            f"CREATE TABLE {table}_cells AS\n"
            f"SELECT {', '.join(['row_number() OVER () AS person', *cells])} FROM {source.table}"
        )
    values = number_cells(engine, "placed_cells", there)
    for table in tables:
        own = {column: (column, "number") for column in there[f"{table}_cells"]}
        query = numbered(f"{table}_cells", "placed_cells", own, "person")
        engine.make(f"CREATE TABLE {table} AS\n{query}")
    first = _Side(engine, "mine", ours, columns, values, request.ours)
    other = _Side(engine, "theirs", theirs, columns, values, request.theirs)
    quasi = request.their_quasi(list(theirs.columns))
    if request.theirs is None:  # roles are unknown: all columns that it changed
        quasi = [name for name in theirs.columns if name in {*quasi, *other.changed}]
    how = (first.place(request.quasi, key, in_order[0]), other.place(quasi, key, in_order[1]))
    ((people, unknown, smallest, below),) = engine.ask(
        f"""WITH present AS (
    SELECT a.class AS mine, b.class AS theirs FROM mine_places a JOIN theirs_places b USING (person)
    WHERE least(a.class, b.class) > {ABSENT}
  ),
  placed AS (
    SELECT count(*) AS n FROM present WHERE least(mine, theirs) > {UNKNOWN} GROUP BY mine, theirs
  )
SELECT (SELECT count(*) FROM present),
  (SELECT count(*) FROM present WHERE least(mine, theirs) = {UNKNOWN}),
  min(n), coalesce(sum(n) FILTER (n < {request.k}), 0)
FROM placed""",
        "people in both releases, those who are not placed, the fewest who share both classes, "
        "and those who share them with too few",
    )
    return Shared(people, smallest, int(below), unknown, how)


class _Side:
    """A release, to place people in: its table of numbers, and the columns that the original has.

    `columns` are the names in tables of all columns of the original; those are `changed` of which
    the release has some cells more often than the original.
    """

    def __init__(
        self, engine: Engine, table: str, source: Source, columns: Mapping[str, str],
        values: Sequence[Any], known: Beside | None,
    ) -> None:  # fmt: skip
        self.engine, self.table, self.source, self.columns = engine, table, source, columns
        self.values, self.known = values, known
        self.both = [name for name in source.columns if name in columns]
        changes = (
            f"(SELECT count(*) FROM (SELECT {c}, count(*) AS n FROM {table} GROUP BY {c}) a "
            f"LEFT JOIN (SELECT {c}, count(*) AS n FROM people GROUP BY {c}) b USING ({c}) "
            "WHERE a.n > coalesce(b.n, 0))"
            for c in map(columns.__getitem__, self.both)
        )
        (found,) = engine.rows(f"SELECT {', '.join(['0', *changes])}")
        self.changed = [name for name, more in zip(self.both, found[1:], strict=True) if more]

    def place(self, quasi: Sequence[str], key: Sequence[str], in_order: bool) -> str:
        """Make a table of the class of every person; return how it is known."""
        cells = [f"{quoted(name)} AS r{n}" for n, name in enumerate(quasi)]
        order = ", ".join(f"r{n}" for n, _ in enumerate(quasi)) or "1"
        self.engine.make(
            f"CREATE TABLE {self.table}_classes AS\n"
            f"SELECT person, dense_rank() OVER (ORDER BY {order}) AS class\n"
            f"FROM (SELECT {', '.join(['row_number() OVER () AS person', *cells])} "
            f"FROM {self.source.table})"
        )
        if key:
            self._check_key(key)
            self._place_by([self.columns[name] for name in key], {})
            return f"by {listed(key)}"
        kept = [name for name in self.both if name not in {*self.changed, *quasi}]
        same = [self.columns[name] for name in kept]
        exact = {}  # columns whose cells must cover, and whether single numbers are values
        for name in (name for name in self.both if name in quasi):
            column = self.columns[name]
            exact[column] = not tells_nothing(
                self.engine, self.table, column, name, self.values, self.known
            )
        if in_order and self._is_in_order(same, exact):
            self._place_by(["person"], {})
            return "by the order of the rows"
        self._place_by(same, exact)
        return f"by {listed(kept)} and what covers them" if kept else "by what covers them"

    def _check_key(self, key: Sequence[str]) -> None:
        """Refuse columns that do not name people in both files."""
        own = ", ".join(self.columns.get(name, "") for name in key)
        files = {
            "the original": ("people", self.columns),
            self.source.name: (self.table, self.both),
        }
        refuse(*(
            (name not in there, f"{file}: there is no column {name[:60]!r} to know people by")
            for file, (_, there) in files.items() for name in key
        ))  # fmt: skip
        for file, (table, _) in files.items():
            double, lacking = self.engine.rows(
                f"SELECT count(*) - count(DISTINCT [{own}]), count(*) FILTER (0 IN ({own})) "
                f"FROM {table}"
            )[0]
            refuse(
                (
                    double or lacking,
                    f"{file}: {listed(key)} does not name people: some share or lack it",
                )
            )
        others = f"SELECT 1 FROM {self.table} ANTI JOIN people USING ({own}) LIMIT 1"
        refuse(
            (
                self.engine.rows(others),
                f"{self.source.name}: some of its {listed(key)} are not in the original",
            )
        )

    def _is_in_order(self, same: Sequence[str], exact: Mapping[str, bool]) -> bool:
        """Tell whether each row of the release may be that of the same person."""
        match = " AND ".join(["r.person = p.person", *(f"r.{c} = p.{c}" for c in same)])
        ((others,),) = self.engine.rows(
            f"SELECT count(*) FILTER (({match}) IS NOT TRUE) "
            f"FROM {self.table} r FULL JOIN people p ON r.person = p.person"
        )
        rows = f"{self.table} r JOIN people p USING (person)"
        return not others and all(self._covers("row", c, rows, exact[c]) for c in exact)

    def _covers(self, what: str, column: str, rows: str, exact: bool) -> bool:
        """Make a table of the cells of a column that cover cells of the original; tell if all."""
        return load_pairs(
            self.engine, f"{self.table}_{what}_{column}",
            f"SELECT DISTINCT r.{column}, p.{column} FROM {rows}", self.values,
            lambda cell, own: may_cover(cell, own, exact),
        )  # fmt: skip

    def _place_by(self, same: Sequence[str], exact: Mapping[str, bool]) -> None:
        """Place people by kept columns, and by the cells of their class that must cover theirs.

        A mark is what the kept columns of some people hold. Where the release has as many records
        with it, these people are in the classes of these records; if there are records without a
        person, a kept column was changed, and nobody is placed.
        """
        make, own, mark = self.engine.make, self.table, f"[{', '.join(same)}]::BIGINT[] AS mark"
        make(
            f"CREATE TABLE {own}_records AS\nSELECT {mark}, class, count(*) AS n\n"
            f"FROM {own} JOIN {own}_classes USING (person) GROUP BY ALL",
            "records of a mark in each class",
        )
        make(
            f"""CREATE TABLE {own}_marks AS
SELECT mark, p.n AS people, coalesce(r.n, 0) AS records, classes, class,
  sum(people * classes) FILTER (classes > 1) OVER (ORDER BY mark) AS work,
  count(*) FILTER (p.n IS NULL OR r.n > p.n) OVER () > 0 AS wrong,
  sum(p.n) FILTER (r.n IS NULL) OVER () = sum(p.n - coalesce(r.n, 0)) OVER () AS complete
FROM (SELECT {mark}, count(*) AS n FROM people GROUP BY mark) p
FULL JOIN (
  SELECT mark, sum(n) AS n, count(*) AS classes, min(class) AS class
  FROM {own}_records GROUP BY mark
) r USING (mark)"""
        )
        make(
            f"""CREATE TABLE {own}_may_be AS
SELECT mark, person, r.class
FROM (SELECT {mark}, person FROM people) p JOIN {own}_records r USING (mark)
JOIN {own}_marks m USING (mark)
WHERE classes > 1 AND records = people AND NOT wrong AND work <= {WORK}"""
        )
        for column, is_exact in exact.items():  # the class's cell must cover that of the person
            rows = (
                f"(SELECT class, any_value({column}) AS {column} FROM {own} "
                f"JOIN {own}_classes USING (person) GROUP BY class) r "
                f"JOIN {own}_may_be USING (class) JOIN people p USING (person)"
            )
            self._covers("class", column, rows, is_exact)
            near = f"near.one = r.{column} AND near.other = p.{column}"
            make(
                f"CREATE OR REPLACE TABLE {own}_may_be AS\nSELECT mark, person, class FROM {rows}\n"
                f"JOIN {own}_class_{column} near ON {near}"
            )
        self._eliminate()
        make(
            f"""CREATE TABLE {own}_places AS
SELECT p.person, CASE
    WHEN wrong THEN {UNKNOWN}
    WHEN records = 0 AND complete THEN {ABSENT}
    WHEN classes = 1 AND records = people THEN m.class
    ELSE coalesce(s.class, {UNKNOWN}) END AS class
FROM (SELECT {mark}, person FROM people) p
JOIN {own}_marks m USING (mark) LEFT JOIN {own}_sure s USING (person)""",
            f"the class of each person; {UNKNOWN} is unknown, {ABSENT} absent",
        )

    def _eliminate(self) -> None:
        """Make a table of the people with a single possible class, when full classes are left out.

        Of a mark nobody is sure if a class has more of them than records, or somebody has no class:
        the evidence is wrong then.
        """
        own, before, rows = self.table, -1, 0
        sure = (
            f"SELECT mark, person, min(class) AS class FROM {own}_may_be "
            "GROUP BY mark, person HAVING count(*) = 1"
        )
        full = (
            f"SELECT mark, class, any_value(r.n) - count(*) AS free FROM ({sure}) "
            f"JOIN {own}_records r USING (mark, class) GROUP BY mark, class HAVING free <= 0"
        )
        while before != rows:
            before = rows
            self.engine.make(
                f"CREATE OR REPLACE TABLE {own}_may_be AS\nSELECT b.* FROM {own}_may_be b\n"
                f"LEFT JOIN ({full}) f USING (mark, class)\n"
                f"LEFT JOIN ({sure}) s USING (mark, person)\n"
                "WHERE f.class IS NULL OR s.class IS NOT NULL"
            )
            rows = self.engine.rows(f"SELECT count(*) FROM {own}_may_be")[0][0]
        self.engine.make(
            f"""CREATE TABLE {own}_sure AS
SELECT s.* FROM ({sure}) s
JOIN (SELECT mark, count(DISTINCT person) AS people FROM {own}_may_be GROUP BY mark) b USING (mark)
JOIN {own}_marks m USING (mark)
WHERE b.people = m.people AND mark NOT IN (SELECT mark FROM ({full}) WHERE free < 0)""",
            "people with a single possible class",
        )
