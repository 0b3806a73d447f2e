"""Rulings: every privacy model, asked of every class at once.

All rules hold for the union of classes that keep them. So the whole file as one class is the best
that any grouping could do, and a rule that even it breaks cannot be met at all.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from shoal.errors import InputError, shown
from shoal.judge.classes import Classes, same
from shoal.judge.closeness import Closeness, closeness
from shoal.judge.engine import Engine
from shoal.judge.models import RULED_OUT, Model, diversity, exact, models_of
from shoal.judge.requirement import MISSING, Requirement
from shoal.judge.values import Coded
from shoal.judge.verdict import Judged, KOf, Offending, Read


@dataclass(frozen=True)
class Subject:
    """What models are asked of: a sensitive column or some together, as codes of `coded`.

    `code` tells the form of a record's value and `gone` that it is missing; `name` is its name in
    the names of tables.
    """

    title: str
    name: str
    code: str
    gone: str
    models: Sequence[Model]
    excluded: int = 0
    coded: Coded | None = None
    t: float | None = None
    t_place: int = 0  # of t-closeness among the models, as they are listed


def question(subject: Subject, reading: str, alone: bool = False) -> str:
    """Return the query that asks the models of each class, a row a class.

    `alone` asks them of the whole release as one class.
    """
    some = "" if reading == "value" else "WHERE NOT gone"
    whole = f"whole_{subject.name}"
    asked = [f"{model.figure} AS figure_{i}, {model.kept} AS kept_{i}"
             for i, model in enumerate(subject.models)]  # fmt: skip
    asked += [
        f"max(n) / (sum(n) - coalesce(sum(n) FILTER (rank BETWEEN 2 AND {1 + out}), 0)) "
        f"AS sure_{out}"
        for out in range(subject.excluded)
    ]
    text = " ".join(asked)
    every = f"(SELECT code, n AS whole, sum(n) OVER () AS every FROM {whole} {some})"
    columns = {  # what rows have beside code and n, where a model speaks of it
        "known": "sum(n) OVER (PARTITION BY class) AS known",
        "rank": "row_number() OVER (PARTITION BY class ORDER BY n DESC) AS rank",
    }
    joins = {
        "every": f"\n  JOIN {every} USING (code)",
        "amount": f"\n  LEFT JOIN amounts_{subject.name} USING (code)",
    }
    cells = ", ".join(["*", *(column for word, column in columns.items() if word in text)])
    joined = "".join(join for word, join in joins.items() if word in text)
    kinds = f", (SELECT count(*) FROM {whole} {some}) AS kinds" if "kinds" in text else ""
    counted = f"(SELECT 1 AS class, * FROM {whole})" if alone else f"counted_{subject.name}"
    one = f"(SELECT 1 AS class, sum(n) AS size FROM {whole})"
    return (
        f"SELECT class, any_value(size) AS size, {', '.join(asked)}\n"
        f"FROM (SELECT class, size{kinds} FROM {one if alone else 'classes'}) LEFT JOIN (\n"
        f"  SELECT {cells}\n  FROM {counted}{joined}\n  {some}\n"
        ") USING (class)\nGROUP BY class"
    )


def as_one_class(
    engine: Engine, models: Sequence[Model], counts: Mapping[int, int],
    amounts: Mapping[int, Decimal] | None = None,
) -> list[tuple[float, bool]]:  # fmt: skip
    """Return what values that occur so often have of models, all in one class, and if it is enough.

    `amounts` are the numbers that values are, where (k,e)-anonymity is asked.
    """
    import pyarrow as pa

    columns = {"code": list(counts), "gone": [False] * len(counts), "n": list(counts.values())}
    engine.register("whole_1", pa.table(columns))
    if amounts:
        engine.register("amounts_1", _amounts(amounts, ""))
    subject = Subject("", "1", "", "", models)
    row = engine.rows(question(subject, "value", alone=True))[0][2:]
    return [
        (float(figure or 0), bool(kept)) for figure, kept in zip(row[::2], row[1::2], strict=True)
    ]


def _amounts(amounts: Mapping[int, Decimal], title: str) -> Any:
    """Return the table of the numbers that values are, exactly as they are written."""
    import pyarrow as pa

    try:
        digits = max((-int(one.as_tuple().exponent) for one in amounts.values()), default=0)
        cells = pa.array(list(amounts.values()), pa.decimal128(38, max(0, digits)))
    except (pa.ArrowException, ValueError):
        raise InputError(
            f"{shown(title)} holds numbers of too many digits for (k,e)-anonymity"
        ) from None
    return pa.table({"code": pa.array(list(amounts), pa.int64()), "amount": cells})


@dataclass
class Rulings:
    """The rulings on the classes of a release, in the order in which they are listed.

    `broken` has, for each ruling, the query for the classes that break it.
    """

    classes: Classes
    requirement: Requirement
    reading: str
    judged: list[Judged] = field(default_factory=list)
    k_of: list[KOf] = field(default_factory=list)
    broken: list[tuple[str, str]] = field(default_factory=list)
    small: bool = False  # whether a class is smaller than k

    @property
    def engine(self) -> Engine:
        """The engine of the classes."""
        return self.classes.engine

    def rule(self) -> None:
        """Ask all models of all classes."""
        for subject in self._subjects():
            self.classes.count(subject.name, subject.code, subject.gone, shown(subject.title))
            rulings = self._of_models(subject) if subject.models else []
            if subject.t is not None:
                rulings.insert(subject.t_place, self._of_closeness(subject, subject.t))
            self.judged += rulings
        labels = ["k", *(judged.label for judged in self.judged)]
        self.broken.sort(key=lambda one: labels.index(one[0]))
        for number, (columns, k) in enumerate(self.requirement.k_of.items(), 1):
            self._narrow(number, columns, k)

    def _subjects(self) -> Iterator[Subject]:
        """Yield the sensitive columns, then what is asked of some of them together."""
        asked = self.requirement
        for n, coded in enumerate(self.classes.coded, 1):
            name = coded.column.name
            models = list(models_of(asked, name))
            least = asked.threshold("l", name)
            excluded = 0 if least is None else min(RULED_OUT, max(0, math.ceil(least) - 1))
            yield Subject(
                name, str(n), f"f{n}", f"f{n} = 0", models, excluded, coded,
                asked.threshold("t", name), int(least is not None),
            )  # fmt: skip
        places = {coded.column.name: n for n, coded in enumerate(self.classes.coded, 1)}
        for number, (columns, least) in enumerate(asked.l_of.items(), 1):
            forms = [f"f{places[column]}" for column in columns]
            line = io.StringIO()
            csv.writer(line, lineterminator="").writerow(columns)
            model = diversity(least, asked.l_kind, asked.c)
            yield Subject(
                line.getvalue(), f"of_{number}", f"concat_ws(' ', {', '.join(forms)})",
                " OR ".join(f"{form} = 0" for form in forms),
                [replace(model, name=f"{model.name} of combinations")],
            )  # fmt: skip

    def _of_models(self, subject: Subject) -> list[Judged]:
        """Ask all models but t-closeness of a column."""
        own = self.requirement.missing_sensitive
        self._amounts(subject)
        counted = f"counted_{subject.name}"
        any_gone = self.engine.rows(f"SELECT bool_or(gone) FROM {counted}")[0][0]
        tables = {own: f"judged_{subject.name}"}
        for reading in MISSING:
            tables.setdefault(
                reading, f"judged_{subject.name}_{reading}" if any_gone else tables[own]
            )
        for reading, table in tables.items():
            if any_gone or reading == own:
                rows = question(subject, reading)
                self.engine.make(
                    f"CREATE TABLE {table} AS\n{rows}",
                    f"What each class has of {shown(subject.title)}, missing values {reading}",
                )
        return self._summarized(subject, tables)

    def _amounts(self, subject: Subject) -> None:
        """Keep the numbers that values are, where (k,e)-anonymity is asked."""
        if not any("amount" in model.figure for model in subject.models) or not subject.coded:
            return
        self.engine.load(
            f"amounts_{subject.name}", _amounts(subject.coded.numbers(), subject.title),
            "The numbers that values are",
        )  # fmt: skip

    def _summarized(self, subject: Subject, tables: dict[str, str]) -> list[Judged]:
        """Return what the worst class has of each model, and which classes break it."""
        own = self.requirement.missing_sensitive
        found: dict[str, tuple[Any, ...]] = {}
        for reading, table in tables.items():
            each = ", ".join(
                f"{'max' if model.most else 'min'}(figure_{i}), count(*) FILTER (NOT kept_{i}), "
                f"coalesce(sum(size) FILTER (NOT kept_{i}), 0)"
                for i, model in enumerate(subject.models)
            )
            found[reading] = self.engine.ask(
                f"SELECT {each}\nFROM {table}",
                f"{shown(subject.title)}, missing values {reading}: the worst class, the classes "
                "that break a model, and their records",
            )[0]  # fmt: skip
        certain, posterior = self._surest(subject, tables[own])
        judged = []
        for i, model in enumerate(subject.models):
            worst, broken, records = found[own][3 * i : 3 * i + 3]
            judged.append(Judged(
                model.name, subject.title, model.asked, worst or 0, not broken, broken,
                int(records), not broken or self._reachable(subject, i), None,
                certain if model.is_diversity else None,
                posterior if model.is_diversity else (),
                {reading: Read(found[reading][3 * i] or 0, not found[reading][3 * i + 1])
                 for reading in (MISSING if model.of_missing else ())},
            ))  # fmt: skip
            self.broken.append(
                (judged[-1].label, f"SELECT class FROM {tables[own]} WHERE NOT kept_{i}")
            )
        return judged

    def _surest(self, subject: Subject, table: str) -> tuple[float, tuple[float, ...]]:
        """Return the share of records whose value is certain, and how sure anybody can be."""
        if not any(model.is_diversity for model in subject.models):
            return 0.0, ()
        certain = self.engine.rows(
            "SELECT coalesce(sum(least(known, size)) / (SELECT sum(size) FROM classes), 0) "
            f"FROM (SELECT class, sum(n) AS known FROM counted_{subject.name} WHERE NOT gone "
            "GROUP BY class HAVING count(*) = 1) JOIN classes USING (class)"
        )[0][0]
        outs = [f"coalesce(max(sure_{out}), 0)" for out in range(subject.excluded)]
        sure = self.engine.rows(f"SELECT {', '.join(outs)} FROM {table}")[0] if outs else ()
        return float(certain), tuple(map(float, sure))

    def _reachable(self, subject: Subject, number: int) -> bool:
        """Tell whether the whole release as one class keeps a model."""
        rows = question(subject, self.requirement.missing_sensitive, alone=True)
        return bool(self.engine.rows(f"SELECT kept_{number} FROM ({rows})")[0][0])

    def _of_closeness(self, subject: Subject, t: float) -> Judged:
        """Ask t-closeness of a column: of its values, and of their forms where these differ."""
        assert subject.coded is not None
        n = subject.name
        units = [n]
        if subject.coded.respelled:
            units.append(f"{n}_values")
            self.classes.count(
                units[1], f"v{n}", f"v{n} = 0", f"{shown(subject.title)}, as spelled"
            )
        queries: list[str] = []
        apart = Closeness("", "")
        for unit in units:
            apart = closeness(self.engine, subject.coded, f"line_{unit}", unit == n)
            queries += apart.queries(f"counted_{unit}", f"whole_{unit}")
        every = "\nUNION ALL\n".join(f"FROM ({query.strip()})" for query in queries)
        self.engine.make(
            f"CREATE TABLE close_{n} AS\n{every}",
            f"How far the values of {shown(subject.title)} are from those of all",
        )
        asked, most = exact(t).as_integer_ratio()
        broken = f"part * {most}::HUGEINT > base * {asked}"
        worst, classes, records = self.engine.ask(
            f"SELECT max(part / base), count(DISTINCT class) FILTER ({broken}),\n"
            f"       coalesce((SELECT sum(size) FROM classes WHERE class IN "
            f"(SELECT class FROM close_{n} WHERE {broken})), 0)\nFROM close_{n} WHERE base > 0"
        )[0]
        label = Judged(
            f"t-closeness ({apart.distance} distance)", subject.title, t, float(worst or 0),
            not classes, classes, int(records), True, apart.distance,
        )  # fmt: skip
        self.broken.append((label.label, f"SELECT class FROM close_{n} WHERE {broken}"))
        return label

    def _narrow(self, number: int, columns: tuple[str, ...], k: int) -> None:
        """Ask an own k of some of the quasi-identifiers."""
        quasi = list(self.classes.quasi)
        kinds = {f"q{quasi.index(name) + 1}": self.classes.source.columns[name] for name in columns}
        table, own = f"narrow_{number}", ", ".join(kinds)
        self.engine.make(
            f"CREATE TABLE {table} AS\nSELECT row_number() OVER () AS class, {own}, "
            f"sum(size)::BIGINT AS size\nFROM classes GROUP BY {own}",
            "Classes by some of the quasi-identifiers",
        )
        if self.classes.match(table, kinds, self.reading):
            sizes = self.classes.matched_sizes(table)
        else:
            sizes = f"(SELECT class, size AS candidates, size FROM {table})"
        least, rare, records = self.engine.ask(
            f"SELECT min(candidates), count(*) FILTER (candidates < {k}), "
            f"coalesce(sum(size) FILTER (candidates < {k}), 0) FROM {sizes}"
        )[0]
        every = self.engine.rows("SELECT coalesce(sum(size), 0) FROM classes")[0][0]
        ruling = KOf(columns, k, int(least or 0), not rare, rare, int(records), every >= k)
        self.k_of.append(ruling)
        self.broken.append((
            ruling.label,
            f"SELECT classes.class FROM classes "
            f"JOIN {table} ON {same(list(kinds), 'classes', table)} "
            f"WHERE {table}.class IN (SELECT class FROM {sizes} WHERE candidates < {k})",
        ))  # fmt: skip

    def offending(self) -> tuple[Offending, ...]:
        """Return the classes that break something, by their number in the file."""
        rulings: list[Judged | KOf] = [*self.judged, *self.k_of]
        if all(one.ok for one in rulings) and not self.small:
            return ()
        broken = "\nUNION ALL ".join(
            f"SELECT class, {number} AS rule FROM ({query})"
            for number, (_, query) in enumerate(self.broken)
        )
        cells = ", ".join(
            f'"{name.replace(chr(34), 2 * chr(34))}" AS q{n}'
            for n, name in enumerate(self.classes.quasi, 1)
        )
        own = ", ".join(self.classes.kinds)
        rows = self.engine.ask(
            f"SELECT number, any_value(size), any_value(first), list(DISTINCT rule ORDER BY rule)\n"
            f"FROM (SELECT {own}, min(record) AS first, "
            "row_number() OVER (ORDER BY min(record)) AS number\n"
            f"      FROM (SELECT {cells}, row_number() OVER () AS record\n"
            f"            FROM {self.classes.source.table}) GROUP BY {own}) AS file\n"
            f"JOIN classes ON {same(list(self.classes.kinds), 'file', 'classes')}\n"
            f"JOIN ({broken}) USING (class)\nGROUP BY number ORDER BY number",
            "Classes that break something: their number in the file, size and first record",
        )
        labels = [label for label, _ in self.broken]
        return tuple(
            Offending(number, size, first, tuple(labels[rule] for rule in rules))
            for number, size, first, rules in rows
        )
