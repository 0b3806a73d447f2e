"""A series of releases, judged with its ledger: every person, over all releases that she is in.

The attacker has all releases, and knows in which class of each a person is. He can rule out a value
only if no other assignment of values to people makes the same releases. The judge proves that there
are others (`series_proof.py`), from what the ledger says of people after it has compared this with
the files. Then it counts: the values that all classes of a person have in common, and the records
that kept columns leave for her.

Tables of the engine: `roll` (who is in which class of which release, as the ledger has it), `seen`
(the values in each class, as the file has them) and `kept` (the same with the values of each kept
column, and of all kept columns together; without counterfeits, which are nobody's). Values are
numbers: keyed hashes of their plain spelling.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, cast

from shoal.errors import Json, RequestError, listed, shown
from shoal.judge import in_words, refuse
from shoal.judge.cells import spelled
from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine, quoted, text
from shoal.judge.papers import beside, digest_of
from shoal.judge.reading import files_of, opened, system_in_words
from shoal.judge.series_proof import Tree, load_roll, of_promise, promised, shared
from shoal.judge.source import Source
from shoal.judge.values import plain_value

DIGITS = 16  # of the number of a value
TOGETHER = " + "  # between the names of kept columns that are joined by together
AGAINST = "against whoever knows all releases and who is in which, whatever is computed"
NOT_AGAINST = "against who follows one person, not against who knows that one person joined or left"


@dataclass(frozen=True)
class SeriesVerification:
    """Whether a series keeps its promises, and what is left for the person with the least.

    `fewest` is the least number of sensitive values that are proven to be left for a person against
    whoever knows who is in which release, so that one person joined or left. `over_series` is what
    was promised of l: worlds, which is that, or sets, that all classes of a person have l values in
    `common`, which does not stand against him. `smallest` is the least number of records that kept
    columns leave for a person. Each is None where nothing is promised, or joined. `absent` are
    releases of the ledger that were not given. `counterfeits` of the records that were read are
    nobody's.
    """

    ok: bool
    releases: int
    people: int
    repeated: int
    fewest: int | None
    smallest: int | None
    problems: tuple[str, ...]
    absent: tuple[int, ...]
    known: int
    over_series: str
    counterfeits: int = 0
    common: int | None = None

    def to_dict(self) -> dict[str, Json]:
        """Return it as JSON holds it."""
        return cast(dict[str, Json], asdict(self))

    def summary(self) -> str:
        """Return what a person reads."""
        verdict = "the series keeps its promises" if self.ok else "the series is NOT safe"
        numbers = ", ".join(map(str, self.absent))
        told = [
            (True, f"{verdict}: {self.releases} of {self.known} releases of the ledger, "
                   f"{self.people:,} people, {self.repeated:,} of them in several"),
            (self.fewest is not None,
             f"  fewest sensitive values proven to be left for anybody: {self.fewest}\n"
             f"  {AGAINST}"),
            (self.common is not None,
             f"  fewest that all classes of a person have in common: {self.common}, as promised\n"
             f"  {NOT_AGAINST}"),
            (self.smallest is not None,
             f"  fewest records that kept columns leave for anybody: {self.smallest}"),
            (self.counterfeits,
             f"  {self.counterfeits:,} records are counterfeits, and nobody's"),
            (self.absent, f"  not given, and so not counted: release {numbers}"),
            *((True, f"  problem: {problem}") for problem in self.problems),
        ]  # fmt: skip
        return "\n".join(line for there, line in told if there)

    def __str__(self) -> str:
        return self.summary()


def verify_series(files: Sequence[Any], ledger: Any) -> SeriesVerification:
    """Judge releases together, exactly for the people in their ledger.

    Parameters
    ----------
    files : sequence of paths
        The releases, in any order; each must be in the ledger.
    ledger : path
        The ledger; its key lies beside it.

    Returns
    -------
    SeriesVerification
        `ok`, how many values and candidates are left for the person with the fewest, and problems.

    Raises
    ------
    InputError
        The ledger, its key or a release cannot be read, or the ledger was changed.
    RequestError
        No release is given.

    References
    ----------
    X. Xiao and Y. Tao, m-Invariance: towards privacy preserving re-publication of dynamic datasets,
    SIGMOD 2007.
    """
    refuse((not files, "name at least one release of the series"), error=RequestError)
    releases, secret = read_ledger(Path(ledger))
    known, given = {one["sha256"]: one for one in reversed(releases)}, []
    for path in map(Path, files):
        with system_in_words(shown(path)):
            given.append((path, known.get(digest_of(path)[0])))
    problems, judged = list[str](), dict[int, Tree]()
    with Engine([file for path, entry in given if entry for file in files_of(path)]) as engine:
        load_roll(engine, releases)
        for path, entry in given:
            if entry is None:
                problems.append(f"{path.name}: no release of the ledger has this content")
            elif entry["number"] in judged:
                problems.append(f"{path.name}: release {entry['number']} is given twice")
            else:
                judged[entry["number"]] = entry
                problems += _of_file(engine, path, None, entry, secret)
        people, repeated, smallest, found = _follow(engine)
    proof = of_promise(releases)
    problems += [*proof.problems(), *found]
    model = promised(releases)
    return SeriesVerification(
        not problems, len(judged), people, repeated, proof.fewest, smallest, tuple(problems),
        tuple(one["number"] for one in releases if one["number"] not in judged), len(releases),
        model,
        sum(len(one["roll"].get("counterfeits", ())) for one in judged.values()),
        proof.common if model == "sets" else None,
    )  # fmt: skip


def check_entry(
    path: Path, kind: str | None, entry: Tree, secret: bytes, written: Written | None = None
) -> list[str]:
    """Return what is wrong with one release and its entry: classes, their values, and k.

    How a csv file is written is `written`, or what a report beside it says.
    """
    with Engine(files_of(path, kind)) as engine:
        load_roll(engine, [entry])
        return _of_file(engine, path, kind, entry, secret, written)


def _of_file(
    engine: Engine, path: Path, kind: str | None, entry: Tree, secret: bytes,
    written: Written | None = None,
) -> list[str]:  # fmt: skip
    """Read a release as its entry says, and return what is wrong with it."""
    papers = beside(path) if written is None else None
    written = written or Written(**(papers.text if papers else {}))
    _see(engine, opened(engine, path, kind, written, f"release_{entry['number']}"), entry, secret)
    return _of_entry(engine, entry)


def _see(engine: Engine, source: Source, entry: Tree, secret: bytes) -> None:
    """Note what a release shows; its classes are numbered as they first appear."""
    promise, release = entry["promise"], int(entry["number"])
    quasi, kept, hidden = promise["quasi_identifiers"], promise["kept"], promise["sensitive"]
    groups = [[name] for name in kept] + ([list(kept)] if len(kept) > 1 else [])
    wanted = [*kept, *([hidden] if hidden else [])]
    lacking = listed(name for name in (*quasi, *wanted) if name not in source.columns)
    refuse((lacking, f"{source.name}: it lacks {lacking}, which the ledger names"))
    cells = {name: f"c{n}" for n, name in enumerate(dict.fromkeys([*quasi, *wanted]))}
    raw = [f"{quoted(name)} AS {cell}" for name, cell in cells.items()]
    texts = [f"coalesce({spelled(cells[n], source.columns[n])}, '') AS {cells[n]}" for n in wanted]
    of = ", ".join(cells[name] for name in quasi)
    engine.make(
        f"CREATE TABLE records_{release} AS\n"
        f"SELECT dense_rank() OVER (ORDER BY first) - 1 AS class, {', '.join([*texts, 'n'])}\n"
        f"FROM (SELECT *, min(place) OVER (PARTITION BY {of}) AS first\n"
        f"  FROM (SELECT {', '.join(cells.values())}, min(place) AS place, count(*) AS n\n"
        f"    FROM (SELECT row_number() OVER () AS place, {', '.join(raw)} FROM {source.table})\n"
        "    GROUP BY ALL)\n)",
        f"the records of release {release}",
    )
    values = {"": "''"}
    for names in [[name] for name in wanted] + groups[len(kept) :]:
        table, column = f"numbers_{release}_{len(values)}", TOGETHER.join(names)
        own = {f"t{n}": cells[name] for n, name in enumerate(names)}
        found = engine.rows(f"SELECT DISTINCT {', '.join(own.values())} FROM records_{release}")
        rows = [(*t, value_number(secret, column, "\0".join(map(_plain, t)))) for t in found]
        kinds = dict.fromkeys([*own, "number"], "string")
        engine.load_rows(table, "numbers of values", kinds, rows)
        same = " AND ".join(f"{text} = {cell}" for text, cell in own.items())
        values[column] = f"(SELECT number FROM {table} WHERE {same})"
    engine.make(
        f"INSERT INTO seen SELECT {release}, class, {values[hidden or '']}, sum(n)::BIGINT\n"
        f"FROM records_{release} GROUP BY ALL"
    )
    for name in map(TOGETHER.join, groups):
        engine.make(
            f"""INSERT INTO kept
SELECT release, class, value, name, own, r.n - coalesce(f.n, 0)
FROM (
  SELECT {release} AS release, class, {values[hidden or ""]} AS value, {text(name)} AS name,
    {values[name]} AS own, sum(n)::BIGINT AS n
  FROM records_{release} GROUP BY ALL
) r LEFT JOIN (
  SELECT release, class, value, name, own, count(*) AS n FROM counterfeits GROUP BY ALL
) f USING (release, class, value, name, own)
WHERE r.n > coalesce(f.n, 0)"""
        )


def _of_entry(engine: Engine, entry: Tree) -> list[str]:
    """Return what is wrong with a release that was read, and its entry."""
    promise, roll, release = entry["promise"], entry["roll"], int(entry["number"])
    nobody = set(roll.get("counterfeits", ()))
    meant = f"FROM roll WHERE release = {release} AND class IS NOT NULL GROUP BY ALL"
    differ = (
        "SELECT count(DISTINCT class) FROM (SELECT class, {0} AS value, count(*) AS n {1}) a "
        f"FULL JOIN (SELECT class, {{0}} AS value, sum(n) AS n FROM seen WHERE release = {release} "
        "GROUP BY ALL) b USING (class, value) WHERE a.n IS DISTINCT FROM b.n"
    )
    if engine.ask(differ.format("''", meant))[0][0]:
        return [f"release {release}: the classes of the file are not those of the ledger"]
    ((small, real),) = engine.ask(
        f"SELECT count(*) FILTER (n < {int(promise['k'])}), coalesce(sum(n), 0) FROM (\n"
        f"  SELECT class, count(*) FILTER (NOT counterfeit) AS n {meant}\n)"
    )
    ((other,),) = engine.ask(differ.format("value", meant))
    found = [
        (small, f"{small} classes have fewer than k = {promise['k']} people"),
        (len(roll["people"]) - int(real) != len(nobody),
         "the counterfeits are not those of the ledger"),
        (promise["l"] is not None and other,
         f"{other} classes have other values than the ledger has"),
    ]  # fmt: skip
    return [f"release {release}: {problem}" for there, problem in found if there]


def _follow(engine: Engine) -> tuple[int, int, int | None, list[str]]:
    """Follow every person through the releases that were read.

    Return how many people there are, how many in several releases, the fewest records that kept
    columns leave for one, and what is wrong.
    """
    ((people, repeated),) = engine.ask(
        """SELECT count(*), count(*) FILTER (n > 1) FROM (
  SELECT person, count(*) AS n FROM roll SEMI JOIN seen USING (release, class)
  WHERE NOT counterfeit GROUP BY person
)"""
    )
    below = shared(engine, "seen", "NOT counterfeit").below
    ((smallest, few),) = engine.ask(
        """WITH held AS (
    SELECT DISTINCT person, release, class, k, coalesce(l, 0) AS l,
      max(release) OVER (PARTITION BY person) AS last
    FROM roll SEMI JOIN seen USING (release, class) WHERE NOT counterfeit
  ),
  earlier AS (SELECT person, release, class FROM held WHERE release < last),
  named AS (SELECT DISTINCT release, name FROM kept),
  many AS (SELECT person, name, count(*) AS n FROM earlier JOIN named USING (release) GROUP BY ALL),
  owns AS (SELECT DISTINCT release, class, name, own FROM kept),
  common AS (
    SELECT person, name, own FROM earlier JOIN owns USING (release, class)
    JOIN many USING (person, name) GROUP BY ALL HAVING count(*) = any_value(many.n)
  ),
  joined AS (
    SELECT person, name, sum(n) AS n, count(DISTINCT value) AS values, any_value(k) AS k,
      any_value(l) AS l
    FROM (SELECT * FROM held WHERE release = last) JOIN kept USING (release, class)
    JOIN common USING (person, name, own) GROUP BY person, name
  )
SELECT min(n), count(DISTINCT person) FILTER (n < k OR values < l) FROM joined""",
        "records that kept columns leave for people in several releases: fewest, too few",
    )
    found = [
        (below, f"the classes of {below} people share fewer than l values"),
        (few, f"kept columns leave {few} people fewer than k records or l values"),
    ]
    least = None if smallest is None else int(smallest)
    return people, repeated, least, [problem for many, problem in found if many]


def _plain(cell: str) -> str:
    """Return a cell as one text for all its spellings."""
    plain = plain_value(cell, ())
    return f"{plain.normalize():f}" if isinstance(plain, Decimal) else str(plain or "")


def read_ledger(path: Path) -> tuple[list[Tree], bytes]:
    """Return the releases of a ledger that were not withdrawn, and the secret of its key."""
    key, before, trees = path.with_name(f"{path.name}.key"), "", []
    with (
        in_words(f"{shown(key)}: this is no key of a ledger", OSError, ValueError),
        in_words(f"{shown(key)}: the key of the ledger is not there", FileNotFoundError),
    ):
        secret = bytes.fromhex(key.read_text("ascii").rpartition(":")[2].strip())
    with in_words(f"{shown(path)}: the ledger cannot be read", OSError, UnicodeDecodeError):
        lines = path.read_text("utf-8").splitlines()
    for number, line in enumerate(lines, 1):
        body, _, code = line.rpartition(" ")
        own = _mac(secret, f"line\0{before}\0{body}")
        refuse((
            not hmac.compare_digest(own.encode(), code.encode()),
            f"{shown(path)}, line {number}: its message code is wrong; the ledger was changed, or "
            "the key is another's",
        ))  # fmt: skip
        before = code
        trees.append(json.loads(body))
    gone = {tree["release"] for tree in trees if tree.get("kind") == "withdrawal"}
    every = [tree for tree in trees if tree.get("kind") == "release"]
    return [one for one in every if one["number"] not in gone], secret


def value_number(secret: bytes, column: str, value: str) -> str:
    """Return the number of a value in the ledger."""
    return _mac(secret, f"value\0{column}\0{value}")[:DIGITS]


def _mac(secret: bytes, message: str) -> str:
    whole = message.encode("utf-8", "surrogateescape")
    return hmac.new(secret, whole, hashlib.sha256).hexdigest()
