"""Equivalence classes, who else a record could be, and what is counted of sensitive columns.

Tables of the engine: `counts` (each combination of cells, how often), `classes` (class, q1, q2, …,
size), `coded` (class, the value v1 and form f1 of the first sensitive column, …, how often) and, if
missing cells match others, `matches` (class, another class whose records the person could be).

A person whose quasi-identifiers are those of a released record r could be any record s that matches
r. Equal cells match. A star (`*`, an empty or a missing cell) matches

- `own`: only itself: it is a category of its own (the default, and the strictest);
- `root`: as the root of its hierarchy it covers any value: s matches r where s has a star, but not
  where r alone has one (Ciglic, Eder and Koncilia 2016 call the readings apart);
- `wildcard`: anything, on either side.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from shoal.errors import RequestError
from shoal.judge import in_words, refuse
from shoal.judge.engine import Engine, quoted, text
from shoal.judge.source import Source
from shoal.judge.values import Coded, Sensitive

READINGS = ("own", "root", "wildcard")
PATTERNS = 8  # of stars, whose classes are joined pattern by pattern; more meet class by class
PAIRS = 4_000_000_000  # of classes that are compared one by one
FREE = 4_000_000  # of classes that are compared to tell a reading that nobody asked for
NESTED = ("STRUCT", "MAP", "UNION")


def star(column: str, kind: str) -> str:
    """Return the condition that a cell says nothing."""
    more = {
        "VARCHAR": " OR {0} IN ('', '*')",
        "DOUBLE": " OR isnan({0})",
        "FLOAT": " OR isnan({0})",
    }
    return f"({{0}} IS NULL{more.get(kind, '')})".format(column)


def same(columns: Iterable[str], one: str, other: str) -> str:
    """Return the condition that cells of two tables are the same, missing ones too."""
    pairs = [f"{one}.{name} IS NOT DISTINCT FROM {other}.{name}" for name in columns]
    return " AND ".join(pairs) or "true"


class Classes:
    """The classes of a release in the engine: `quasi` and `sensitive` are columns of `source`.

    `person` is a column that says whose record each is, where people are counted, not records.
    `kinds` are the columns of `classes` and their types, `coded` the values of the sensitive ones.
    """

    def __init__(
        self, engine: Engine, source: Source, quasi: Sequence[str],
        sensitive: Sequence[Sensitive] = (), person: str | None = None,
    ) -> None:  # fmt: skip
        self.engine, self.source, self.quasi = engine, source, quasi
        self.kinds = {f"q{n}": source.columns[name] for n, name in enumerate(quasi, 1)}
        self.many = "count(DISTINCT person)" if person else "sum(n)::BIGINT"
        self.person, self.are_matched, self.coded = ", person" * bool(person), False, list[Coded]()
        self.are_counted = len(sensitive) == 1 and not person  # each value once in a class
        cells = {f"q{n}": quoted(name) for n, name in enumerate(quasi, 1)}
        for n, column in enumerate(sensitive, 1):
            cast = "::VARCHAR" if source.columns[column.name].startswith(NESTED) else ""
            cells[f"s{n}"] = quoted(column.name) + cast
        cells |= {"person": quoted(person)} if person else {}
        named = ", ".join(f"{cell} AS {name}" for name, cell in cells.items())
        engine.make(
            f"CREATE TABLE counts AS\nSELECT {named}, count(*) AS n\nFROM {source.table}\n"
            "GROUP BY ALL",
            "How often each combination of cells occurs",
        )
        own = ", ".join(self.kinds)
        engine.make(
            f"CREATE TABLE classes AS\nSELECT row_number() OVER () AS class, {own}, "
            f"{self.many} AS size\nFROM counts\nGROUP BY {own}",
            "Equivalence classes: records that have the same quasi-identifiers",
        )
        if sensitive:
            self._code(sensitive)

    def _code(self, sensitive: Sequence[Sensitive]) -> None:
        """Give every sensitive cell the numbers of its value and its form."""
        import numpy as np
        import pyarrow as pa

        joins, codes = [], []
        for n, column in enumerate(sensitive, 1):
            distinct = self.engine.arrow(f"SELECT DISTINCT s{n} AS cell FROM counts").read_all()
            coded = column.coded(python_values(distinct["cell"]))
            self.coded.append(coded)
            numbers = np.array(coded.codes, np.int64)
            codes_of = {"value": numbers, "form": np.array(coded.forms, np.int64)[numbers]}
            for name, cells in codes_of.items():  # pa.array would import pandas: 0.4 seconds
                array = pa.Array.from_buffers(pa.int64(), len(cells), [None, pa.py_buffer(cells)])
                distinct = distinct.append_column(name, array)
            self.engine.load(
                f"values_{n}", distinct, "The number of each value, and of the form of its spelling"
            )
            self.are_counted &= len(set(codes_of["form"])) == len(numbers)
            joins.append(f"JOIN values_{n} ON counts.s{n} IS NOT DISTINCT FROM values_{n}.cell")
            codes.append(f"values_{n}.value AS v{n}, values_{n}.form AS f{n}")
        self.engine.make(
            f"CREATE VIEW coded AS\nSELECT class, {', '.join(codes)}{self.person}, n\n"
            f"FROM counts\nJOIN classes ON {same(self.kinds, 'counts', 'classes')}\n"
            + "\n".join(joins),
            "Which values the records of a class have, by numbers",
        )

    def sizes(self, table: str, columns: Mapping[str, str], reading: str) -> str:
        """Return a table of classes and of how many records could be the person behind each."""
        if not self.match(table, columns, reading):
            return f"(SELECT class, size AS candidates, size FROM {table})"
        return (
            "(SELECT own.class, sum(other.size)::BIGINT AS candidates, "
            "any_value(own.size) AS size "
            f"FROM {table}_matches AS matches JOIN {table} AS own USING (class) "
            f"JOIN {table} AS other ON other.class = matches.other GROUP BY own.class)"
        )

    def match(
        self, table: str, columns: Mapping[str, str], reading: str, most: int = PAIRS
    ) -> bool:
        """Make the table of which classes match which; tell whether any matches another."""
        if reading == "own":
            return False
        stars = (f"CASE WHEN {star(name, kind)} THEN '*' ELSE '.' END"
                 for name, kind in columns.items())  # fmt: skip
        self.engine.make(
            f"CREATE OR REPLACE VIEW {table}_stars AS\n"
            f"SELECT *, concat({', '.join(stars)}) AS stars\nFROM {table}",
            "Which cells of a class are missing or *",
        )
        patterns = dict(self.engine.rows(
            f"SELECT stars, count(*) FROM {table}_stars GROUP BY stars ORDER BY stars"
        ))  # fmt: skip
        if not any("*" in one for one in patterns):
            return False
        many, are_few = sum(patterns.values()), len(patterns) <= PATTERNS
        refuse((
            many**2 > most and not are_few,
            f"missing_as {reading}: {len(patterns)} patterns of missing cells in {many} classes "
            "are too many to compare; verify with missing_as own, which is stricter",
        ), error=RequestError)  # fmt: skip
        query = _by_pattern(table, columns, list(patterns), reading) if are_few else _by_class(
            table, columns, reading
        )  # fmt: skip
        self.engine.make(
            f"CREATE OR REPLACE TABLE {table}_matches AS\n{query}",
            f"Classes whose records could be those of a person, missing cells read as {reading}",
        )
        self.are_matched |= table == "classes"
        return True

    def smallest(self, reading: str, own: int) -> int | None:
        """Return the smallest set of candidates in a reading that was not asked for.

        None where that takes too many comparisons.
        """
        try:
            if reading == "own" or not self.match("classes", self.kinds, reading, FREE):
                return own
        except RequestError:
            return None
        return int(self.engine.rows(
            "SELECT min(n) FROM (SELECT sum(size) AS n FROM classes_matches AS matches "
            "JOIN classes ON classes.class = matches.other GROUP BY matches.class)"
        )[0][0])  # fmt: skip

    def count(self, name: str, code: str, gone: str, title: str) -> None:
        """Make counted_NAME and whole_NAME: how often codes occur in a class, and in the release.

        `code` is an expression over `coded`, and `gone` tells that it stands for a missing value. A
        class has the codes of all records that its person could be.
        """
        each = f"{code} AS code, bool_or({gone}) AS gone, {self.many} AS n\nFROM coded"
        counted = f"SELECT class, {each}\nGROUP BY class, code"
        if self.are_counted:  # another GROUP BY would take a sixth of the time of all
            counted = f"SELECT class, {code} AS code, {gone} AS gone, n\nFROM coded"
        if self.are_matched:
            counted = (
                "SELECT matches.class, code, bool_or(gone) AS gone, sum(n)::BIGINT AS n\n"
                f"FROM classes_matches AS matches JOIN ({counted}) AS counted\n"
                "ON counted.class = matches.other\nGROUP BY matches.class, code"
            )
        self.engine.make(f"CREATE TABLE counted_{name} AS\n{counted}",
                         f"How often each value of {title} occurs in each class")  # fmt: skip
        self.engine.make(f"CREATE VIEW whole_{name} AS\nSELECT {each}\nGROUP BY code")


def _by_pattern(
    table: str, columns: Mapping[str, str], patterns: Sequence[str], reading: str
) -> str:
    """Return the query for matching classes, by which of their cells are stars."""
    every = []
    for theirs, mine in product(patterns, patterns):
        both = list(zip(columns, mine, theirs, strict=True))
        if reading == "root" and any((own, other) == ("*", ".") for _, own, other in both):
            continue
        equal = [f"own.{name} = other.{name}" for name, *pair in both if pair == [".", "."]]
        every.append(
            f"SELECT own.class, other.class AS other\n"
            f"FROM {table}_stars AS own JOIN {table}_stars AS other\n"
            f"ON {' AND '.join(equal) or 'true'}\n"
            f"WHERE own.stars = {text(mine)} AND other.stars = {text(theirs)}"
        )
    return "\nUNION ALL\n".join(every)


def _by_class(table: str, columns: Mapping[str, str], reading: str) -> str:
    """Return the query for matching classes, by the definition of the reading."""
    sides = ("other", "own") if reading == "wildcard" else ("other",)
    each = [
        " OR ".join([f"(own.{name} = other.{name}", *(star(f"{side}.{name}", kind)
                                                      for side in sides)]) + ")"
        for name, kind in columns.items()
    ]  # fmt: skip
    return (
        f"SELECT own.class, other.class AS other\nFROM {table} AS own\n"
        f"JOIN {table} AS other ON {' AND '.join(each)}"
    )


def python_values(column: Any) -> list[Any]:
    """Return the cells of an Arrow column as Python's values; moments are their ticks."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type) or str(column.type) in ("time64[ns]", "duration[ns]"):
        column = column.cast("int64")
    with in_words("a date is beyond the calendar", ValueError, OverflowError):
        return list(column.to_pylist())
