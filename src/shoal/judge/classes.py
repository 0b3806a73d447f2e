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

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shoal.errors import InputError, RequestError
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
    if kind == "VARCHAR":
        return f"({column} IS NULL OR {column} IN ('', '*'))"
    return f"({column} IS NULL OR isnan({column}))" if is_float(kind) else f"({column} IS NULL)"


def is_float(kind: str) -> bool:
    """Tell whether cells may be not-a-number."""
    return kind in ("DOUBLE", "FLOAT")


def same(columns: Sequence[str], one: str, other: str) -> str:
    """Return the condition that cells of two tables are the same, missing ones too."""
    pairs = [f"{one}.{name} IS NOT DISTINCT FROM {other}.{name}" for name in columns]
    return " AND ".join(pairs) or "true"


@dataclass
class Classes:
    """The classes of a release in the engine: `quasi` and `sensitive` are columns of `source`.

    `person` is a column that says whose record each is, where people are counted, not records.
    """

    engine: Engine
    source: Source
    quasi: Sequence[str]
    sensitive: Sequence[Sensitive] = ()
    person: str | None = None
    coded: list[Coded] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)  # of what matches what

    def __post_init__(self) -> None:
        self.kinds = {f"q{n}": self.source.columns[name] for n, name in enumerate(self.quasi, 1)}
        self.many = "sum(n)::BIGINT" if self.person is None else "count(DISTINCT person)"

    def make(self) -> None:
        """Make the tables of classes and of what is counted in them."""
        cells = [f"{quoted(name)} AS q{n}" for n, name in enumerate(self.quasi, 1)]
        for n, column in enumerate(self.sensitive, 1):
            kind = self.source.columns[column.name]
            cast = "::VARCHAR" if kind.startswith(NESTED) else ""
            cells.append(f"{quoted(column.name)}{cast} AS s{n}")
        if self.person is not None:
            cells.append(f"{quoted(self.person)} AS person")
        own = ", ".join(self.kinds)
        self.engine.make(
            f"CREATE TABLE counts AS\nSELECT {', '.join(cells)}, count(*) AS n\n"
            f"FROM {self.source.table}\nGROUP BY ALL",
            "How often each combination of cells occurs",
        )
        self.engine.make(
            f"CREATE TABLE classes AS\nSELECT row_number() OVER () AS class, {own}, "
            f"{self.many} AS size\nFROM counts\nGROUP BY {own}",
            "Equivalence classes: records that have the same quasi-identifiers",
        )
        if self.sensitive:
            self._code()

    def _code(self) -> None:
        """Give every sensitive cell the numbers of its value and its form."""
        joins, codes = [], []
        for n, column in enumerate(self.sensitive, 1):
            distinct = self.engine.arrow(f"SELECT DISTINCT s{n} AS cell FROM counts").read_all()
            coded = column.coded(python_values(distinct["cell"]))
            self.coded.append(coded)
            self._keep(f"values_{n}", distinct, coded)
            joins.append(f"JOIN values_{n} ON counts.s{n} IS NOT DISTINCT FROM values_{n}.cell")
            codes.append(f"values_{n}.value AS v{n}, values_{n}.form AS f{n}")
        more = ", person" if self.person else ""
        self.engine.make(
            f"CREATE VIEW coded AS\nSELECT class, {', '.join(codes)}{more}, n\nFROM counts\n"
            f"JOIN classes ON {same(list(self.kinds), 'counts', 'classes')}\n" + "\n".join(joins),
            "Which values the records of a class have, by numbers",
        )

    def _keep(self, name: str, distinct: Any, coded: Coded) -> None:
        """Make the table of the numbers of cells; the script says it cell by cell."""
        import pyarrow as pa

        numbers = pa.array(coded.codes, pa.int64())
        forms = pa.array([coded.forms[code] for code in coded.codes], pa.int64())
        given = distinct.append_column("value", numbers).append_column("form", forms)
        self.engine.load(name, given, "The number of each value, and of the form of its spelling")

    def sizes(self, reading: str) -> str:
        """Return a table of classes and of how many records could be the person behind each."""
        if not self.match("classes", self.kinds, reading):
            return "(SELECT class, size AS candidates, size FROM classes)"
        return self.matched_sizes("classes")

    @staticmethod
    def matched_sizes(table: str) -> str:
        """Return a table of classes, of what matches them, and of their own records."""
        return (
            f"(SELECT own.class, sum(other.size)::BIGINT AS candidates, "
            "any_value(own.size) AS size "
            f"FROM {table}_matches AS matches JOIN {table} AS own USING (class) "
            f"JOIN {table} AS other ON other.class = matches.other GROUP BY own.class)"
        )

    def match(
        self, table: str, columns: Mapping[str, str], reading: str, most: int = PAIRS
    ) -> bool:
        """Make the table of which classes match which; tell whether any matches another."""
        stars = [f"CASE WHEN {star(name, kind)} THEN '*' ELSE '.' END"
                 for name, kind in columns.items()]  # fmt: skip
        if reading == "own":
            return False
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
        if sum(patterns.values()) ** 2 > most and len(patterns) > PATTERNS:
            raise RequestError(
                f"missing_as {reading}: {len(patterns)} patterns of missing cells in "
                f"{sum(patterns.values())} classes are too many to compare; verify with missing_as "
                "own, which is stricter"
            )
        pairs = (
            _by_pattern(table, list(columns), list(patterns), reading)
            if len(patterns) <= PATTERNS
            else _by_class(table, columns, reading)
        )
        self.tables.add(f"{table}_matches")
        self.engine.make(
            f"CREATE OR REPLACE TABLE {table}_matches AS\n{pairs}",
            f"Classes whose records could be those of a person, missing cells read as {reading}",
        )
        return True

    def smallest(self, reading: str, own: int) -> int | None:
        """Return the smallest set of candidates in a reading that was not asked for.

        None where that takes too many comparisons.
        """
        try:
            if not self.match("classes", self.kinds, reading, FREE):
                return own
        except RequestError:
            return None
        rows = self.engine.rows(f"SELECT min(candidates) FROM {self.matched_sizes('classes')}")
        return int(rows[0][0])

    def count(self, name: str, code: str, gone: str, title: str) -> None:
        """Make counted_NAME and whole_NAME: how often codes occur in a class, and in the release.

        `code` is an expression over `coded`, and `gone` tells that it stands for a missing value. A
        class has the codes of all records that its person could be.
        """
        each = f"{code} AS code, bool_or({gone}) AS gone, {self.many} AS n\nFROM coded"
        counted = f"SELECT class, {each}\nGROUP BY class, code"
        if "classes_matches" in self.tables:
            counted = (
                "SELECT matches.class, code, bool_or(gone) AS gone, sum(n)::BIGINT AS n\n"
                f"FROM classes_matches AS matches JOIN ({counted}) AS counted\n"
                "ON counted.class = matches.other\nGROUP BY matches.class, code"
            )
        self.engine.make(f"CREATE TABLE counted_{name} AS\n{counted}",
                         f"How often each value of {title} occurs in each class")  # fmt: skip
        self.engine.make(f"CREATE VIEW whole_{name} AS\nSELECT {each}\nGROUP BY code")


def _by_pattern(table: str, columns: Sequence[str], patterns: Sequence[str], reading: str) -> str:
    """Return the query for matching classes, by which of their cells are stars."""
    every = []
    for theirs in patterns:
        for mine in patterns:
            both = list(zip(mine, theirs, strict=True))
            if reading == "root" and ("*", ".") in both:
                continue
            equal = [f"own.{name} = other.{name}" for name, pair in zip(columns, both, strict=True)
                     if pair == (".", ".")]  # fmt: skip
            every.append(
                f"SELECT own.class, other.class AS other\n"
                f"FROM {table}_stars AS own JOIN {table}_stars AS other\n"
                f"ON {' AND '.join(equal) or 'true'}\n"
                f"WHERE own.stars = {text(mine)} AND other.stars = {text(theirs)}"
            )
    return "\nUNION ALL\n".join(every)


def _by_class(table: str, columns: Mapping[str, str], reading: str) -> str:
    """Return the query for matching classes, by the definition of the reading."""
    each = []
    for name, kind in columns.items():
        stars = [star(f"other.{name}", kind)]
        stars += [star(f"own.{name}", kind)] if reading == "wildcard" else []
        each.append(f"(own.{name} = other.{name} OR {' OR '.join(stars)})")
    return (
        f"SELECT own.class, other.class AS other\nFROM {table} AS own\n"
        f"JOIN {table} AS other ON {' AND '.join(each)}"
    )


def python_values(column: Any) -> list[Any]:
    """Return the cells of an Arrow column as Python's values; moments are their ticks."""
    import pyarrow as pa

    if pa.types.is_timestamp(column.type) or str(column.type) in ("time64[ns]", "duration[ns]"):
        column = column.cast("int64")
    try:
        return list(column.to_pylist())
    except (ValueError, OverflowError):
        raise InputError("a date is beyond the calendar") from None
