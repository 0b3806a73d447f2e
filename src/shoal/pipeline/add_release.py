"""`add_release`: an earlier release, made again from its recipe, is noted in a ledger."""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from shoal.errors import InputError, RequestError, shown
from shoal.judge.csv_text import Written
from shoal.judge.engine import Engine, names
from shoal.judge.reading import files_of, kind_of, opened
from shoal.kernels.arrays import Integers
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.plan.plan import plan_table
from shoal.pipeline.plan.recipe import named_by, read_table
from shoal.pipeline.result import Result
from shoal.release.prepare import prepared
from shoal.release.write import release_bytes, written_as
from shoal.series.ledger import Ledger, locked
from shoal.series.records import History
from shoal.series.series import Series
from shoal.settings import Settings, load
from shoal.table.encode_nodes import code
from shoal.table.intervals import names_in


def add_release(
    ledger: Path,
    recipe: Path,
    person: str,
    release: Path | None = None,
    changing: Sequence[str] = (),
) -> Ledger:
    """Note an earlier release in a ledger: it is made again, and must be the one that is there.

    Parameters
    ----------
    ledger : path
        The ledger, which is begun where there is none.
    recipe : path
        The recipe of the release: the run.toml in its private folder, which names the original.
    person : str
        The column of the original that says who is who.
    release : path, optional
        The released file. Default: the one that the private folder belongs to.
    changing : sequence of str
        Columns that are not the same for a person from release to release.

    Returns
    -------
    Ledger
        The ledger with the release, written.

    Raises
    ------
    InputError
        The release that is there is not the one that the recipe makes of the original.
    RequestError
        A release was already made under the ledger: earlier ones are added before.
    """
    settings = load(recipe)
    with locked(ledger):
        own = Ledger.open(ledger)
        if any(one.made for one in own.releases):
            raise RequestError(
                f"{shown(ledger)}: a release was made under this ledger already; earlier ones are "
                "added before, to a new ledger"
            )
        source = named_by(settings, recipe, None)
        target = _released(recipe, settings) if release is None else release
        longer = _added(own, settings, source, person, target, changing)
        longer.write()
    return longer


def _released(recipe: Path, settings: Settings) -> Path:
    """Return the release that a private folder belongs to."""
    output = settings.release.output
    if output is None:
        raise RequestError("the recipe names no release; say which file it is")
    if not output.endswith("/"):
        return recipe.parent / output
    folder = recipe.parent / output
    files = sorted(folder.glob("release.*"))
    if len(files) != 1:
        raise RequestError(f"{shown(folder)}: say which file is the release")
    return files[0]


def _added(
    ledger: Ledger, settings: Settings, source: Any, person: str, target: Path,
    changing: Sequence[str],
) -> Ledger:  # fmt: skip
    """Return the ledger with a release that is made again."""
    own = settings.replace(series={"ledger": None, "changing": (), "withhold": 0.0})
    result = anonymize_with(source, own, measured=False)
    asked = settings.replace(
        roles={"person": person},
        series={"ledger": str(ledger.path), "changing": tuple(changing), "stable": False},
    )
    original, _ = read_table(source, asked)
    series = Series(asked, ledger=ledger, history=History.of(ledger), person=person, made=False)
    plan, _ = plan_table(original, series.settings)
    table = plan.prepared(original)
    if table.rows != result.table.rows:
        raise RequestError(
            "a release that leaves out records cannot be added: nobody can tell whose they were"
        )
    classes, quasi = _classes(result, target)
    coded = code(table, plan.hierarchies, None, plan.ranges) if plan.needs_codes else None
    series = series.meet(table, plan.settings).fit(table, plan, coded, None)
    series = replace(series, dealt=[()] * table.rows if series.rule else ())
    digest = hashlib.sha256(target.read_bytes()).hexdigest()
    return ledger.with_entry(series.entry(target.name, digest, quasi, classes.tolist()))


def _classes(result: Result[Any], target: Path) -> tuple[Integers, list[str]]:
    """Return the class of each record in the released file, and the columns that make classes.

    Classes are numbered as they first appear in the file.
    """
    kind = kind_of(target.name)
    release = prepared(result, kind)
    quasi = names_in(release.table.names, release.settings.class_columns)
    how = written_as(release.table)
    content = release_bytes(release.table, np.arange(release.table.rows), kind)
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        again = Path(folder) / f"release.{kind}"
        again.write_bytes(content)
        with Engine([*files_of(again, kind), *files_of(target, kind)]) as engine:
            every = release.table.names
            for path, name in ((again, "again"), (target, "release")):
                opened(engine, path, kind, Written(**how), name).check(every, every)
            cells = names(every)
            other = engine.rows(
                f"SELECT count(*) FROM ((SELECT {cells} FROM again EXCEPT ALL "
                f"SELECT {cells} FROM release) UNION ALL (SELECT {cells} FROM release EXCEPT ALL "
                f"SELECT {cells} FROM again))"
            )
            if other[0][0]:
                raise InputError(
                    f"{shown(target)}: this is not what the recipe makes of the original; nothing "
                    "was noted"
                )
            both = " AND ".join(
                f"again.{names([name])} IS NOT DISTINCT FROM classes.{names([name])}"
                for name in quasi
            )
            numbers = engine.rows(
                "SELECT number "
                "FROM (SELECT *, row_number() OVER () AS record FROM again) AS again "
                f"JOIN (SELECT {names(quasi)}, row_number() OVER (ORDER BY min(record)) - 1 "
                "AS number FROM (SELECT *, row_number() OVER () AS record FROM release) "
                f"GROUP BY {names(quasi)}) AS classes ON {both} ORDER BY again.record"
            )
    return np.array([number for (number,) in numbers], dtype=np.int64), quasi
