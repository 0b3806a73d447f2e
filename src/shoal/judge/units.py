"""People, households and strata in the classes of a release.

No code of the release's making. Of people, every person and value of a class counts once: whoever
has three records of one class with one value counts once for it, with two values once for each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from shoal.judge.classes import Classes
from shoal.judge.engine import Engine, names
from shoal.judge.requirement import Requirement
from shoal.judge.rulings import Rulings
from shoal.judge.source import Source
from shoal.judge.values import Sensitive, read_tree
from shoal.judge.verdict import Judged


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
    columns: Sequence[Any],
    persons: Sequence[int],
    sensitive: Mapping[str, Any],
    requirement: Requirement,
    hierarchies: Mapping[str, str],
    orders: Mapping[str, Sequence[Any]],
    words: Sequence[str],
    missing: Sequence[str],
) -> list[Judged]:
    """Judge the requirement on sensitive columns, counting people.

    columns and the values of `sensitive` are Arrow arrays; the rest is as `verify` takes it.
    """
    hidden = [
        Sensitive(
            name, False, read_tree(hierarchies[name], name) if name in hierarchies else None,
            orders.get(name), name in words, tuple(missing),
        )
        for name in sensitive
        if requirement.of_column(name)
    ]  # fmt: skip
    with Engine() as engine:
        source = _release(engine, columns, persons, sensitive)
        quasi = list(source.columns)[: len(columns)]
        classes = Classes(engine, source, quasi, hidden, person="unit")
        classes.make()
        rulings = Rulings(classes, requirement, "own")
        rulings.rule()
    return rulings.judged


def _release(
    engine: Engine, columns: Sequence[Any], units: Sequence[int], more: Mapping[str, Any]
) -> Source:
    """Return columns in the engine, `unit` the last of them."""
    import pyarrow as pa

    given = {f"column {n}": values for n, values in enumerate(columns)}
    table = pa.table({**given, **more, "unit": pa.array(units, pa.int64())})
    engine.register("release", table)
    return Source("the release", "release", engine.columns("release"))
