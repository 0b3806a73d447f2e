"""Proof that values cannot be ruled out over a series: other assignments make the same releases.

Two rules make such assignments of the true one. People who were in the same class whenever one of
them was in any, a company, may swap values. And where the people of one signature, a set of values,
show each of its values equally often in every class of every release, all of them may permute their
values at once (Xiao and Tao 2007, lemma 2). Whatever one of a company can have by the second rule,
the others can have by the first. So the values that are left for a person are at least those of her
company, and those of the signatures in it that are balanced everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from shoal.judge.engine import Engine

Tree = Mapping[str, Any]


@dataclass(frozen=True)
class Proof:
    """How many values are proven to be left for the person with the fewest.

    `common` is how many the classes of a person have in common, at least; `below` people have fewer
    than was promised, of the one or the other. `changed` people have another value, or another
    signature, in one release than in another.
    """

    fewest: int | None
    below: int
    changed: int
    common: int | None = None

    def problems(self) -> list[str]:
        """Return what is wrong, in counts."""
        found = [
            (self.below, f"for {self.below} people it cannot be shown that l values are left"),
            (self.changed, f"{self.changed} people change their value or signature"),
        ]
        return [problem for many, problem in found if many]


def of_promise(entries: Sequence[Tree]) -> Proof:
    """Return what is left for everybody, and who has less than was promised, by worlds or sets."""
    with Engine() as engine:
        load_roll(engine, entries)
        proof = prove(engine)
        if promised(entries) == "worlds":
            return proof
        common = shared(engine)
        return replace(common, fewest=proof.fewest, common=common.fewest)


def promised(entries: Sequence[Tree]) -> str:
    """Return what l means over a series: worlds where every release that promises it says so.

    Releases that were added later promised nothing over the series.
    """
    own = [entry for entry in entries if entry["promise"]["l"] is not None]
    made = [entry for entry in own if entry["made"]] or own
    every = {entry["promise"]["over_series"] for entry in made}
    return "worlds" if every == {"worlds"} else "sets"


def load_roll(engine: Engine, entries: Sequence[Tree]) -> None:
    """Make the table of who is in which class of which release, as the ledger has it.

    People who are not in a release but have a signature since have no class there. The records of
    nobody have a table by the values of kept columns, and so has what files will show, empty.
    """
    import pyarrow as pa

    text, whole = pa.string(), pa.int64()
    kinds = {
        "release": whole, "k": whole, "l": whole, "people": pa.list_(text),
        "classes": pa.list_(whole), "values": pa.list_(text), "signature": pa.list_(whole),
        "signatures": pa.list_(pa.list_(text)), "counterfeits": pa.list_(text),
        "bound": pa.map_(text, whole), "joined": pa.map_(text, pa.list_(text)),
    }  # fmt: skip
    rows = []
    for entry in entries:
        maps = {name: list(entry["roll"][name].items()) for name in ("bound", "joined")}
        rows.append(entry["promise"] | entry["roll"] | maps | {"release": entry["number"]})
    engine.load("ledger", pa.Table.from_pylist(rows, pa.schema(kinds)), "what the ledger says")
    engine.make("CREATE TABLE nobody AS SELECT release, unnest(counterfeits) AS person FROM ledger")
    engine.make(
        """CREATE TABLE roll AS
WITH there AS (
    SELECT release, unnest(people) AS person, unnest(classes) AS class,
      unnest("values") AS value, unnest(signature) AS place
    FROM ledger
  ),
  bound AS (
    SELECT release, entry.key AS person, entry.value AS place
    FROM (SELECT release, unnest(map_entries(bound)) AS entry FROM ledger)
  ),
  signed AS (
    SELECT release, generate_subscripts(signatures, 1) - 1 AS place,
      list_sort(list_distinct(unnest(signatures))) AS signature
    FROM ledger
  )
SELECT release, k, l, person, class, value, signed.signature,
  (release, person) IN (SELECT release, person FROM nobody) AS counterfeit
FROM there FULL JOIN bound USING (release, person) JOIN ledger USING (release)
LEFT JOIN signed ON signed.release = ledger.release
  AND signed.place = coalesce(bound.place, there.place)""",
        "who is in which class of which release",
    )
    engine.make(
        """CREATE TABLE counterfeits AS
SELECT release, class, value, name, own
FROM (
  SELECT release, entry.key AS name, unnest(people) AS person, unnest(classes) AS class,
    unnest("values") AS value, unnest(entry.value) AS own
  FROM (SELECT *, unnest(map_entries(joined)) AS entry FROM ledger)
) SEMI JOIN nobody USING (release, person)""",
        "the records of nobody, by the values of kept columns",
    )
    engine.make("CREATE TABLE seen (release BIGINT, class BIGINT, value VARCHAR, n BIGINT)")
    engine.make("CREATE TABLE kept AS SELECT *, 0::BIGINT AS n FROM counterfeits LIMIT 0")


def shared(engine: Engine, values: str = "roll", people: str = "l IS NOT NULL") -> Proof:
    """Return how many values the classes of each person have in common.

    `values` is the table of the values of classes, `people` which of the roll are judged.
    """
    ((fewest, below),) = engine.ask(
        f"""WITH found AS (SELECT DISTINCT release, class, value FROM {values}),
  held AS (
    SELECT DISTINCT person, release, class, l FROM roll
    WHERE {people} AND (release, class) IN (SELECT release, class FROM found)
  ),
  many AS (SELECT person, count(*) AS n, max(l) AS l FROM held GROUP BY person),
  common AS (
    SELECT person, value FROM held JOIN found USING (release, class) JOIN many USING (person)
    GROUP BY person, value HAVING count(*) = any_value(many.n)
  )
SELECT min(common), count(*) FILTER (common < l) FROM (
  SELECT many.person, many.l, count(value) AS common
  FROM many LEFT JOIN common USING (person) WHERE many.l IS NOT NULL GROUP BY ALL
)""",
        "values that all classes of a person have in common: fewest, people with too few",
    )
    return Proof(fewest, below, 0)


def prove(engine: Engine) -> Proof:
    """Return what is left for everybody in the releases that promise l."""
    ((fewest, below, changed),) = engine.ask(
        """WITH known AS (SELECT * FROM roll WHERE l IS NOT NULL),
  held AS (SELECT * FROM known WHERE class IS NOT NULL),
  people AS (
    SELECT person, max(l) AS l, arg_min(value, release) AS value,
      list([release, class] ORDER BY release, class) AS company
    FROM held GROUP BY person
  ),
  signed AS (
    SELECT person, arg_min(signature, release) AS signature
    FROM known WHERE signature IS NOT NULL GROUP BY person
  ),
  counts AS (
    SELECT signed.signature, release, class, people.value, count(*) AS n
    FROM held JOIN people USING (person) JOIN signed USING (person) GROUP BY ALL
  ),
  unbalanced AS (
    SELECT DISTINCT signature FROM (
      SELECT signature FROM counts GROUP BY signature, release, class
      HAVING list_sort(list(value)) <> signature OR min(n) < max(n)
    )
  ),
  possible AS (
    SELECT company, value FROM people
    UNION SELECT company, unnest(signature) FROM people JOIN signed USING (person)
      WHERE signature NOT IN (SELECT signature FROM unbalanced)
  ),
  numbers AS (SELECT company, count(*) AS n FROM possible GROUP BY company),
  changed AS (
    SELECT person FROM held GROUP BY person HAVING count(DISTINCT value) > 1
    UNION SELECT person FROM known GROUP BY person HAVING count(DISTINCT signature) > 1
  )
SELECT min(n), count(*) FILTER (n < l), (SELECT count(*) FROM changed)
FROM people JOIN numbers USING (company)""",
        "values that other assignments leave: fewest, people with too few, people who changed",
    )
    return Proof(fewest, below, changed)
