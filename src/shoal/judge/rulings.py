"""Rulings: every privacy model, asked of every class at once.

All rules hold for the union of classes that keep them. So the whole file as one class is the best
that any grouping could do, and a rule that even it breaks cannot be met at all.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

from shoal.errors import shown
from shoal.judge import in_words
from shoal.judge.classes import Classes, same
from shoal.judge.engine import Engine, names, quoted
from shoal.judge.models import RULED_OUT, Model, distances, diversity, exact, models_of, nearness
from shoal.judge.requirement import MISSING, Requirement
from shoal.judge.source import Source
from shoal.judge.values import Coded, Sensitive, read_tree
from shoal.judge.verdict import Judged, KOf, Offending, Read


def question(
    name: str, models: Sequence[Model], reading: str, excluded: int = 0, alone: bool = False
) -> str:
    """Return the query that asks the models of each class, a row a class.

    `name` is that of a sensitive column, or some together, in the names of tables; `excluded`
    values are ruled out, at most. `alone` asks of the whole release as one class.
    """
    some = "" if reading == "value" else "WHERE NOT gone"
    whole = f"whole_{name}"
    asked = [f"{model.figure} AS figure_{i}, {model.kept} AS kept_{i}"
             for i, model in enumerate(models)]  # fmt: skip
    asked += [
        f"max(n) / (sum(n) - coalesce(sum(n) FILTER (rank BETWEEN 2 AND {1 + out}), 0)) "
        f"AS sure_{out}"
        for out in range(excluded)
    ]
    text = " ".join(asked)
    every = f"(SELECT code, n AS whole, sum(n) OVER () AS every FROM {whole} {some})"
    columns = {  # what rows have beside code and n, where a model speaks of it
        "known": "sum(n) OVER (PARTITION BY class) AS known",
        "rank": "row_number() OVER (PARTITION BY class ORDER BY n DESC) AS rank",
    }
    joins = {
        "every": f"\n  JOIN {every} USING (code)",
        "amount": f"\n  LEFT JOIN amounts_{name} USING (code)",
    }
    cells = ", ".join(["*", *(column for word, column in columns.items() if word in text)])
    joined = "".join(join for word, join in joins.items() if word in text)
    kinds = f", (SELECT count(*) FROM {whole} {some}) AS kinds" if "kinds" in text else ""
    counted = f"(SELECT 1 AS class, * FROM {whole})" if alone else f"counted_{name}"
    one = f"(SELECT 1 AS class, sum(n) AS size FROM {whole})"
    close = "(SELECT 1 AS class, 0.0 AS apart, true AS near)" if alone else f"close_{name}"
    near = f" LEFT JOIN {close} USING (class)" if "apart" in text else ""
    return (
        f"SELECT class, any_value(size) AS size, {', '.join(asked)}\n"
        f"FROM (SELECT class, size{kinds} FROM {one if alone else 'classes'}) LEFT JOIN (\n"
        f"  SELECT {cells}\n  FROM {counted}{joined}\n  {some}\n"
        f") USING (class){near}\nGROUP BY class"
    )


def as_one_class(
    engine: Engine, models: Sequence[Model], counts: Mapping[int, int],
    amounts: Mapping[int, Decimal] | None = None,
) -> list[tuple[float, bool]]:  # fmt: skip
    """Return what values that occur so often have of models, all in one class, and if it is enough.

    `amounts` are the numbers that values are, where (k,e)-anonymity is asked.
    """
    kinds = {"code": "int64", "gone": "bool", "n": "int64"}
    engine.load_rows("whole_1", "", kinds, [(code, False, n) for code, n in counts.items()])
    if amounts:
        _load_amounts(engine, "1", amounts, "")
    row = engine.rows(question("1", models, "value", alone=True))[0][2:]
    return [
        (float(figure or 0), bool(kept)) for figure, kept in zip(row[::2], row[1::2], strict=True)
    ]


def _load_amounts(engine: Engine, name: str, amounts: Mapping[int, Decimal], title: str) -> None:
    """Make the table of the numbers that values are, exactly as they are written."""
    import pyarrow as pa

    digits = max((-int(one.as_tuple().exponent) for one in amounts.values()), default=0)
    with in_words(f"{shown(title)} holds numbers of too many digits for (k,e)-anonymity",
                  pa.ArrowException, ValueError):  # fmt: skip
        kinds = {"code": pa.int64(), "amount": pa.decimal128(38, max(0, digits))}
        rows = list(amounts.items())
        engine.load_rows(f"amounts_{name}", "The numbers that values are", kinds, rows)


class Rulings:
    """The rulings on the classes of a release, in the order in which they are listed.

    `broken` has, for each ruling, the query for the classes that break it.
    """

    def __init__(self, classes: Classes, requirement: Requirement, reading: str) -> None:
        self.classes, self.requirement, self.reading = classes, requirement, reading
        self.engine, self.judged, self.k_of = classes.engine, list[Judged](), list[KOf]()
        self.broken: list[tuple[str, str]] = []

    def rule(self) -> None:
        """Ask all models of all classes."""
        asked = self.requirement
        for n, coded in enumerate(self.classes.coded, 1):
            name, title = str(n), coded.column.name
            self.classes.count(name, f"f{n}", f"f{n} = 0", shown(title))
            t, least = (asked.threshold(what, title) for what in ("t", "l"))
            near = [] if t is None else [self._closeness(name, coded, t)]
            models = list(models_of(asked, title, near))
            if any("amount" in model.figure for model in models):
                _load_amounts(self.engine, name, coded.numbers(), title)
            excluded = 0 if least is None else min(RULED_OUT, max(0, math.ceil(least) - 1))
            self._judge(title, name, models, excluded)
        places = {coded.column.name: n for n, coded in enumerate(self.classes.coded, 1)}
        for number, (columns, least) in enumerate(asked.l_of.items(), 1):
            forms, line = [f"f{places[column]}" for column in columns], io.StringIO()
            csv.writer(line, lineterminator="").writerow(columns)
            gone = " OR ".join(f"{form} = 0" for form in forms)
            codes = f"concat_ws(' ', {', '.join(forms)})"
            self.classes.count(f"of_{number}", codes, gone, shown(line.getvalue()))
            model = diversity(least, asked.l_kind, asked.c)
            together = replace(model, name=f"{model.name} of combinations")
            self._judge(line.getvalue(), f"of_{number}", [together])
        for number, (columns, k) in enumerate(asked.k_of.items(), 1):
            self._narrow(number, columns, k)

    def _judge(
        self, title: str, n: str, models: Sequence[Model], excluded: int = 0
    ) -> None:  # fmt: skip
        """Note what the worst class has of each model, and which classes break it."""
        if not models:
            return
        own = self.requirement.missing_sensitive
        other = next(reading for reading in MISSING if reading != own)
        any_gone = bool(self.engine.rows(f"SELECT bool_or(gone) FROM counted_{n}")[0][0])
        tables = {own: f"judged_{n}", other: f"judged_{n}_{other}" if any_gone else f"judged_{n}"}
        each = ", ".join(
            f"{'max' if model.most else 'min'}(figure_{i}), count(*) FILTER (NOT kept_{i}), "
            f"coalesce(sum(size) FILTER (NOT kept_{i}), 0)"
            for i, model in enumerate(models)
        )
        said = "".join(f"\n-- {model.name}: {model.sentence}" for model in models)
        found: dict[str, tuple[Any, ...]] = {}
        for reading, table in tables.items():
            what = f"{shown(title)}, missing values {reading}"
            if reading == own or any_gone:
                query = question(n, models, reading, excluded)
                self.engine.make(f"CREATE TABLE {table} AS\n{query}",
                                 f"What each class has of {what}{said}")  # fmt: skip
            found[reading] = self.engine.ask(
                f"SELECT {each}\nFROM {table}",
                f"{what}: the worst class, the classes that break a model, and their records",
            )[0]  # fmt: skip
        certain, *sure = self.engine.rows(
            "SELECT coalesce(sum(least(known, size)) / (SELECT sum(size) FROM classes), 0) "
            + "".join(f", (SELECT coalesce(max(sure_{out}), 0) FROM {tables[own]})"
                      for out in range(excluded))
            + f" FROM (SELECT class, sum(n) AS known FROM counted_{n} WHERE NOT gone "
            "GROUP BY class HAVING count(*) = 1) JOIN classes USING (class)"
        )[0]  # fmt: skip
        for i, model in enumerate(models):
            worst, broken, records = found[own][3 * i : 3 * i + 3]
            whole = question(n, models, own, alone=True)
            can_be = not broken or self.engine.rows(f"SELECT kept_{i} FROM ({whole})")[0][0]
            is_l, nothing = "diversity" in model.name, 0.0 if model.distance else 0
            self.judged.append(Judged(
                model.name, title, model.asked, worst or nothing, not broken, broken,
                int(records), bool(can_be), model.distance, float(certain) if is_l else None,
                tuple(map(float, sure)) if is_l else (),
                {reading: Read(found[reading][3 * i] or 0, not found[reading][3 * i + 1])
                 for reading in (MISSING if model.of_missing else ())},
            ))  # fmt: skip
            query = f"SELECT class FROM {tables[own]} WHERE NOT kept_{i}"
            self.broken.append((self.judged[-1].label, query))

    def _closeness(self, n: str, coded: Coded, t: float) -> Model:
        """Count how far classes are from the release: by values, and by forms where they differ."""
        units = {n: True, f"{n}_values": False} if coded.respelled else {n: True}
        title, queries, distance = shown(coded.column.name), [], ""
        for unit, by_form in units.items():
            if not by_form:
                self.classes.count(unit, f"v{n}", f"v{n} = 0", f"{title}, as spelled")
            distance, query = distances(self.engine, coded, f"line_{unit}", unit, by_form)
            queries.append(query)
        asked, most = exact(t).as_integer_ratio()
        self.engine.make(
            f"CREATE TABLE close_{n} AS\nSELECT class, max(part / base) AS apart,\n"
            f"       bool_and(part * {most}::HUGEINT <= base * {asked}) AS near\nFROM (\n"
            + "\nUNION ALL\n".join(queries) + "\n)\nWHERE base > 0 GROUP BY class",
            f"How far the values of {title} are from those of all",
        )  # fmt: skip
        return nearness(t, distance)

    def _narrow(self, number: int, columns: tuple[str, ...], k: int) -> None:
        """Ask an own k of some of the quasi-identifiers."""
        places = (f"q{list(self.classes.quasi).index(name) + 1}" for name in columns)
        kinds = {place: self.classes.kinds[place] for place in places}
        table, own = f"narrow_{number}", ", ".join(kinds)
        self.engine.make(
            f"CREATE TABLE {table} AS\nSELECT row_number() OVER () AS class, {own}, "
            f"sum(size)::BIGINT AS size\nFROM classes GROUP BY {own}",
            "Classes by some of the quasi-identifiers",
        )
        sizes = self.classes.sizes(table, kinds, self.reading)
        least, rare, records, every = self.engine.ask(
            f"SELECT min(candidates), count(*) FILTER (candidates < {k}), "
            f"coalesce(sum(size) FILTER (candidates < {k}), 0), coalesce(sum(size), 0) FROM {sizes}"
        )[0]
        self.k_of.append(KOf(columns, k, int(least or 0), not rare, rare, int(records), every >= k))
        self.broken.append((
            self.k_of[-1].label,
            f"SELECT classes.class FROM classes JOIN {table} ON {same(kinds, 'classes', table)} "
            f"WHERE {table}.class IN (SELECT class FROM {sizes} WHERE candidates < {k})",
        ))  # fmt: skip

    def offending(self) -> tuple[Offending, ...]:
        """Return the classes that break something, by their number in the file."""
        broken = "\nUNION ALL ".join(
            f"SELECT class, {number} AS rule FROM ({query})"
            for number, (_, query) in enumerate(self.broken)
        )
        quasi = enumerate(self.classes.quasi, 1)
        cells, own = ", ".join(f"{quoted(name)} AS q{n}" for n, name in quasi), self.classes.kinds
        rows = self.engine.ask(
            f"SELECT number, any_value(size), any_value(first), list(DISTINCT rule ORDER BY rule)\n"
            f"FROM (SELECT {', '.join(own)}, min(record) AS first, "
            "row_number() OVER (ORDER BY min(record)) AS number\n"
            f"      FROM (SELECT {cells}, row_number() OVER () AS record\n"
            f"            FROM {self.classes.source.table}) GROUP BY {', '.join(own)}) AS file\n"
            f"JOIN classes ON {same(own, 'file', 'classes')}\n"
            f"JOIN ({broken}) USING (class)\nGROUP BY number ORDER BY number",
            "Classes that break something: their number in the file, size and first record",
        )
        return tuple(
            Offending(number, size, first, tuple(self.broken[rule][0] for rule in rules))
            for number, size, first, rules in rows
        )


# --- people, households and strata in the classes of a release


def units_a_class(columns: Sequence[Any], units: Sequence[int]) -> tuple[int, int]:
    """Return the fewest and the most different units that share a combination of values.

    columns are Arrow arrays, one value a record; units (n) say whose record each is.
    """
    with Engine() as engine:
        own = list(_release(engine, columns, units, {}).columns)[:-1]
        least, most = engine.rows(
            "SELECT coalesce(min(units), 0), coalesce(max(units), 0) FROM ("
            f"SELECT count(DISTINCT unit) AS units FROM release GROUP BY {names(own)})"
        )[0]
    return int(least), int(most)


def judge_people(
    columns: Sequence[Any], persons: Sequence[int], sensitive: Mapping[str, Any],
    requirement: Requirement, hierarchies: Mapping[str, str], orders: Mapping[str, Sequence[Any]],
    words: Sequence[str], missing: Sequence[str],
) -> list[Judged]:  # fmt: skip
    """Judge the requirement on sensitive columns, counting people.

    columns and the values of `sensitive` are Arrow arrays; the rest is as `verify` takes it. Every
    person and value of a class counts once: whoever has three records of one class with one value
    counts once for it, with two values once for each.
    """
    hidden = [
        Sensitive(name, False, read_tree(hierarchies[name], name) if name in hierarchies else None,
                  orders.get(name), name in words, tuple(missing))
        for name in sensitive if requirement.of_column(name)
    ]  # fmt: skip
    with Engine() as engine:
        source = _release(engine, columns, persons, sensitive)
        quasi = list(source.columns)[: len(columns)]
        rulings = Rulings(Classes(engine, source, quasi, hidden, "unit"), requirement, "own")
        rulings.rule()
    return rulings.judged


def _release(
    engine: Engine, columns: Sequence[Any], units: Sequence[int], more: Mapping[str, Any]
) -> Source:
    """Return columns in the engine, `unit` the last of them."""
    import pyarrow as pa

    given = {f"column {n}": values for n, values in enumerate(columns)}
    engine.register("release", pa.table({**given, **more, "unit": pa.array(units, pa.int64())}))
    return Source("the release", "release", engine.columns("release"))
