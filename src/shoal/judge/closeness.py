"""t-closeness (Li, Li and Venkatasubramanian 2007), by the earth mover's distance.

In plain words: the sensitive values of a class are distributed as those of all records are, up to
t: so much of the values must be moved so far, at most, to make one distribution the other. How far
it is from one value to another is stated:

- *equal*: 1 between any two, for categories;
- *ordered*: (j - i) / (m - 1) between the i-th and the j-th of m different values, for numbers,
  dates and values with an order. Values that are missing are apart: their share may differ by t at
  most, and those that are there are compared among themselves; the greater distance counts;
- *hierarchical*: the height of the lowest common ancestor over the height of the tree. A missing
  value is a branch of its own.

Each query gives the distance of every class as a quotient of whole numbers, `part` over `base`: no
t is missed by rounding. Where values have several spellings, distances are those of values and
those of forms, and the greater one counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from shoal.judge.engine import Engine
from shoal.judge.values import Coded

EQUAL, ORDERED, HIERARCHICAL = "equal", "ordered", "hierarchical"

BY_EQUAL = """
SELECT class, sum(greatest(n * every - whole * size, 0)) AS part, any_value(size * every) AS base
FROM (SELECT *, sum(n) OVER (PARTITION BY class) AS size FROM {counted})
JOIN (SELECT code, n AS whole, sum(n) OVER () AS every FROM {whole}) USING (code)
GROUP BY class
"""

# Of a class with few of many values, only the places are looked at where its share P changes.
# Between two of them P stays, and the share Q of the release grows: it is below P up to one place
# (found by ASOF) and above from there on, so that |P - Q| is a difference of two sums (`area`).
BY_ORDER = """
WITH line AS (  -- the values in order, and how many records of the release lie up to each
    SELECT place, sum(n) AS n, sum(sum(n)) OVER (ORDER BY place)::HUGEINT AS upto
    FROM {whole} JOIN {places} USING (code) GROUP BY place
), area AS (    -- the sum of `upto` over all places below
    SELECT place, upto, sum(upto) OVER (ORDER BY place) - upto AS below FROM line
), step AS (    -- where the share of a class changes, and from where to where it stays
    SELECT class, place AS begin, size,
           sum(n) OVER (PARTITION BY class ORDER BY place)::HUGEINT AS own,
           lead(place, 1, (SELECT max(place) FROM line)) OVER (PARTITION BY class ORDER BY place)
           AS until
    FROM (SELECT class, place, sum(n) AS n, sum(sum(n)) OVER (PARTITION BY class) AS size
          FROM {counted} JOIN {places} USING (code) GROUP BY class, place)
    UNION ALL
    SELECT class, 0, sum(n), 0, min(place)
    FROM {counted} JOIN {places} USING (code) GROUP BY class
), piece AS (
    SELECT class, begin, until, size, own * (SELECT max(upto) FROM line) AS level FROM step
), turn AS (
    SELECT piece.*, greatest(begin, least(until, coalesce(line.place + 1, 0))) AS middle
    FROM piece ASOF LEFT JOIN line ON piece.level // piece.size >= line.upto
)
SELECT class,
       sum(level * (2 * middle - begin - until)
           + size * (one.below + three.below - 2 * two.below))::HUGEINT AS part,
       any_value(size * (SELECT max(upto) * greatest(max(place), 1) FROM line))::HUGEINT AS base
FROM turn
JOIN area AS one ON one.place = begin
JOIN area AS two ON two.place = middle
JOIN area AS three ON three.place = until
GROUP BY class
"""

BY_MISSING = """
SELECT class, abs(coalesce(sum(n) FILTER (gone), 0) * whole - missing * sum(n))::HUGEINT AS part,
       (sum(n) * whole)::HUGEINT AS base
FROM {counted}
CROSS JOIN (SELECT sum(n) AS whole, coalesce(sum(n) FILTER (gone), 0) AS missing FROM {whole})
GROUP BY class, whole, missing
"""

# Over all edges of the tree: how long one is, times how much the shares below it differ; half of
# it, as what leaves one branch comes to another. Edges that a class has no value below are summed
# for the whole release (`total`), and taken out again where it has some.
BY_TREE = """
WITH below AS (
    SELECT level, word, any_value(length) AS length, sum(n) AS whole
    FROM {whole} JOIN {paths} USING (code) GROUP BY level, word
), total AS (
    SELECT sum(length * whole) AS length, (SELECT sum(n) FROM {whole}) AS every FROM below
), own AS (
    SELECT class, level, word, sum(n) AS n FROM {counted} JOIN {paths} USING (code)
    GROUP BY class, level, word
), sizes AS (
    SELECT class, sum(n) AS size FROM {counted} GROUP BY class
)
SELECT class,
       (any_value(total.length) * any_value(size)
        + sum(below.length * (abs(n * every - whole * size) - whole * size)))::HUGEINT AS part,
       any_value(2 * {height} * size * every)::HUGEINT AS base
FROM own JOIN below USING (level, word) JOIN sizes USING (class) CROSS JOIN total
GROUP BY class
"""


@dataclass(frozen=True)
class Closeness:
    """How far values of a column are apart, by their numbers or by those of their forms."""

    distance: str
    codes: str
    height: int = 1

    def queries(self, counted: str, whole: str) -> Iterator[str]:
        """Yield the queries for the distances of classes, of which the greatest counts.

        `counted` is a table of how often a class has each code, `whole` one of the release.
        """
        given = {"counted": counted, "whole": whole, "height": self.height}
        if self.distance == EQUAL:
            yield BY_EQUAL.format(**given)
        elif self.distance == HIERARCHICAL:
            yield BY_TREE.format(paths=self.codes, **given)
        else:
            yield BY_ORDER.format(places=self.codes, **given)
            yield BY_MISSING.format(**given)


def closeness(engine: Engine, coded: Coded, name: str, by_form: bool) -> Closeness:
    """Return how values of a column are apart, with what must be known of them in the engine."""
    import pyarrow as pa

    if coded.column.tree is not None:
        paths = coded.paths()
        if by_form:
            paths = _of_forms(coded, paths)
        columns = dict(zip(("code", "level", "word", "length"), zip(*paths, strict=True),
                           strict=True))  # fmt: skip
        engine.load(name, pa.table({what: list(cells) for what, cells in columns.items()}),
                    "The nodes above each value, and how long the edges to them are")  # fmt: skip
        return Closeness(HIERARCHICAL, name, max(1, coded.column.tree.height))
    ranks = coded.places()
    if ranks is None:
        return Closeness(EQUAL, "")
    if by_form:
        least: dict[int, object] = {}
        for code, rank in ranks.items():
            form = coded.forms[code]
            if form and (form not in least or rank < least[form]):
                least[form] = rank
        ranks = least
    order = {rank: place for place, rank in enumerate(sorted(set(ranks.values())))}
    places = pa.table({
        "code": pa.array(list(ranks), pa.int64()),
        "place": pa.array([order[rank] for rank in ranks.values()], pa.int64()),
    })  # fmt: skip
    engine.load(name, places, "The place of each value in the order of values")
    return Closeness(ORDERED, name)


def _of_forms(
    coded: Coded, paths: list[tuple[int, int, str, int]]
) -> list[tuple[int, int, str, int]]:
    """Return the paths of forms: that of the first text that is spelled so."""
    texts = [str(value) for value in coded.values]
    first = dict[int, int]()
    for code, form in enumerate(coded.forms):
        if form not in first or texts[code] < texts[first[form]]:
            first[form] = code
    of_code = {code: form for form, code in first.items() if form and code}
    of_code[0] = 0
    return [
        (of_code[code], level, str(of_code[code]) if level == 0 else word, length)
        for code, level, word, length in paths
        if code in of_code
    ]
