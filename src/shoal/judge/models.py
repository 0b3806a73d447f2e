"""Privacy models beyond k: each is its name, its question in SQL, and what it says in words.

A question is asked of one class at a time (`GROUP BY class`), over rows that say how often each
sensitive value occurs in it:

    n        how often the value occurs in the class
    known    the values of the class, all together
    rank     1 for the most frequent value of the class, 2 for the next, …
    whole    how often the value occurs in the whole release
    every    the values of the whole release, all together
    kinds    how many different values the whole release has
    amount   the number that the value is, where (k,e)-anonymity is asked

`figure` is what the class has, and `kept` whether that is enough, decided on whole numbers: a
threshold of 0.3 is the fraction 3/10. A class of nothing but missing values has no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import e as EULER  # noqa: N812 - no class

from shoal.judge.engine import Engine
from shoal.judge.requirement import Requirement
from shoal.judge.values import Coded

EQUAL, ORDERED, HIERARCHICAL = "equal", "ordered", "hierarchical"
RULED_OUT = 20  # values, at most, that an attacker rules out


@dataclass(frozen=True)
class Model:
    """A privacy model with its threshold; `most` tells that less is better.

    `of_missing` tells that it says what it would be if missing values were counted otherwise. Of
    t-closeness, `distance` is how far values are apart.
    """

    name: str
    asked: float
    figure: str
    kept: str
    sentence: str
    most: bool = True
    of_missing: bool = True
    distance: str | None = None


def exact(number: float) -> Fraction:
    """Return a threshold as the fraction that its digits are."""
    return Fraction(str(number))


def diversity(wanted: float, kind: str, c: float | None) -> Model:
    """Return l-diversity (Machanavajjhala, Gehrke, Kifer and Venkitasubramaniam 2006) of a kind."""
    if kind == "entropy":
        # n ln n is summed as whole numbers of 10**-15, so that the order of the rows is no matter.
        # Equal values come out below by less than the rounding, 10**-15 of the sum, and count.
        content = "sum((n * ln(n) * 1e15)::HUGEINT)::DOUBLE / 1e15"
        return Model(
            "entropy l-diversity", wanted,
            f"coalesce(exp(ln(sum(n)) - {content} / sum(n)), 0)",
            f"coalesce(sum(n) * (ln(sum(n)) - ln({wanted!r}::DOUBLE)) - {content} >= "
            "-1e-15 * sum(n) * ln(sum(n) + 1), false)",
            "the entropy of the values of a class is at least log l: they are as good as l equally "
            "frequent ones",
            most=False,
        )  # fmt: skip
    least = int(wanted)
    if kind == "recursive" and c is not None:
        ratio, rest = exact(c), f"sum(n) FILTER (rank >= {least})"
        return Model(
            f"recursive (c,{least})-diversity", c,
            f"coalesce(max(n) / {rest}, 'inf'::DOUBLE)",
            f"coalesce(max(n) * {ratio.denominator}::HUGEINT < {ratio.numerator} * {rest}, false)",
            "the most frequent value of a class occurs less than c times as often as all from the "
            "l-th on",
        )  # fmt: skip
    return Model(
        "distinct l-diversity", least, "count(n)", f"count(n) >= {least}",
        "a class has at least l different values", most=False,
    )  # fmt: skip


def share(alpha: float) -> Model:
    """Return (α,k)-anonymity (Wong, Li, Fu and Wang 2006)."""
    asked = exact(alpha)
    return Model(
        "(α,k)-anonymity", alpha, "coalesce(max(n) / sum(n), 0)",
        f"coalesce(max(n) * {asked.denominator}::HUGEINT <= {asked.numerator} * sum(n), true)",
        "no value has more than the share α of a class",
    )  # fmt: skip


def likeness(beta: float, kind: str) -> Model:
    """Return β-likeness (Cao and Karras 2012, definitions 2 and 3), basic or enhanced."""
    asked = exact(beta)
    gained = "(n * every - whole * known)"  # times whole * known: of a share p the gain q - p by p
    gain = f"{gained} / (whole * known)"
    kept = f"{gained} * {asked.denominator}::HUGEINT <= {asked.numerator} * (whole * known)"
    most = f"max(greatest({gain}, 0))"
    if kind == "enhanced":
        bound = f"{gain} <= -ln(whole / every)"
        kept = f"{gained} <= 0 OR ({kept} AND {bound})"
        most = f"CASE WHEN bool_or({gained} > 0 AND NOT {bound}) THEN 'inf' ELSE {most} END"
    return Model(
        f"{kind} β-likeness", beta, f"coalesce({most}, 0)", f"coalesce(bool_and({kept}), true)",
        "the share of a value in a class is above that in the release by at most β times, "
        "and by less for frequent values if enhanced",
    )  # fmt: skip


def disclosure(delta: float) -> Model:
    """Return δ-disclosure privacy (Brickell and Shmatikov 2008, definition 4)."""
    # e to the power of δ is no fraction: no share is that, and 18 digits tell on which side it is.
    bound = int(Decimal(str(delta)).exp() * 10**18)
    ratio = "(n * every)", "(whole * known)"
    inside = " AND ".join(
        f"{one}::HUGEINT * 1000000000000000000 < {other}::HUGEINT * {bound}"
        for one, other in (ratio, ratio[::-1])
    )
    if delta > EULER**3:  # beyond any ratio that whole numbers of 128 bits hold
        inside = f"abs(ln({ratio[0]} / {ratio[1]})) < {delta!r}"
    return Model(
        "δ-disclosure privacy", delta,
        "CASE WHEN count(n) < any_value(kinds) THEN 'inf' "
        f"ELSE coalesce(max(abs(ln({ratio[0]} / {ratio[1]}))), 0) END",
        f"count(n) = any_value(kinds) AND coalesce(bool_and({inside}), true)",
        "every value of the release is in every class, and its share there differs from that in "
        "the release by less than δ, in natural logarithms",
    )  # fmt: skip


def spread(k: int, e: float) -> list[Model]:
    """Return both parts of (k,e)-anonymity of numbers (Zhang and others 2007, definition 1)."""
    return [
        Model(
            "(k,e)-anonymity, different numbers", k, "count(amount)",
            f"count(amount) >= {k}", "a class has at least k different numbers",
            most=False, of_missing=False,
        ),
        Model(
            "(k,e)-anonymity, range", e, "coalesce(max(amount) - min(amount), 0)::DOUBLE",
            f"coalesce(max(amount) - min(amount) >= {Decimal(str(e)):f}, false)",
            "from the least to the greatest number of a class it is at least e",
            most=False, of_missing=False,
        ),
    ]  # fmt: skip


def nearness(t: float, distance: str) -> Model:
    """Return t-closeness (Li, Li and Venkatasubramanian 2007), once distances are counted."""
    return Model(
        f"t-closeness ({distance} distance)", t, "any_value(apart)",
        "coalesce(any_value(near), true)",
        "the sensitive values of a class are distributed as those of all records are, up to t",
        of_missing=False, distance=distance,
    )  # fmt: skip


def models_of(requirement: Requirement, column: str, near: Sequence[Model] = ()) -> Iterator[Model]:
    """Yield the models that a sensitive column must keep; t-closeness where `near` has it."""
    makers: dict[str, Callable[[float], Sequence[Model]]] = {
        "l": lambda least: [diversity(least, requirement.l_kind, requirement.c)],
        "t": lambda _: near,
        "alpha": lambda alpha: [share(alpha)],
        "beta": lambda beta: [likeness(beta, requirement.beta_kind)],
        "delta": lambda delta: [disclosure(delta)],
        "e": lambda e: spread(requirement.k, e),
    }
    for what, make in makers.items():
        asked = requirement.threshold(what, column)
        yield from () if asked is None else make(asked)


# --- t-closeness, by the earth mover's distance
#
# In plain words: so much of the values must be moved so far, at most, to make the distribution of a
# class that of all records. How far it is from one value to another is stated:
#
# - equal: 1 between any two, for categories;
# - ordered: (j - i) / (m - 1) between the i-th and the j-th of m different values, for numbers,
#   dates and values with an order. Values that are missing are apart: their share may differ by t
#   at most, and those that are there are compared among themselves; the greater distance counts;
# - hierarchical: the height of the lowest common ancestor over the height of the tree. A missing
#   value is a branch of its own.
#
# Each query gives the distance of every class as a quotient of whole numbers, `part` over `base`:
# no t is missed by rounding. Where values have several spellings, distances are those of values and
# those of forms, and the greater one counts.

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


def distances(engine: Engine, coded: Coded, name: str, unit: str, by_form: bool) -> tuple[str, str]:
    """Return how values of a column are apart, and the query for the distances of classes.

    The tables counted_UNIT and whole_UNIT have how often a class and the release has each code;
    `name` is that of a table of what must be known of the codes.
    """
    height, tree = 1, coded.column.tree
    order = coded.places(by_form) if tree is None else None
    if tree is not None:
        distance, queries, height = HIERARCHICAL, [BY_TREE], max(1, tree.height)
        kinds = {"code": "int64", "level": "int64", "word": "string", "length": "int64"}
        engine.load_rows(
            name, "The nodes above each value, and how long the edges to them are", kinds,
            coded.paths(by_form),
        )  # fmt: skip
    elif order is not None:
        distance, queries = ORDERED, [BY_ORDER, BY_MISSING]
        engine.load_rows(
            name, "The place of each value in the order of values",
            {"code": "int64", "place": "int64"}, list(order.items()),
        )  # fmt: skip
    else:
        distance, queries = EQUAL, [BY_EQUAL]
    every = (query.format(counted=f"counted_{unit}", whole=f"whole_{unit}", places=name, paths=name,
                          height=height) for query in queries)  # fmt: skip
    return distance, "\nUNION ALL\n".join(f"FROM ({query.strip()})" for query in every)
