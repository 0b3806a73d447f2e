"""Releases that are spoiled: the verifier must say of each what a recount says."""

from __future__ import annotations

import csv
import random
import tempfile
from pathlib import Path
from typing import Any

from fuzz import counting
from fuzz.cases import Case, Finding
from fuzz.checks import Released


def spoiled(case: Case, released: Released) -> list[Finding]:
    """Spoil a release in several ways; return where `verify` and the recount differ."""
    rng = random.Random(case.seed)
    rows = [[_text(column[row]) for column in released.columns] for row in range(released.rows)]
    found = []
    for way in (_nothing, _one_cell, _fewer, _stranger, _swapped):
        spoiled_rows = way(rng, [list(row) for row in rows], released)
        if spoiled_rows:
            found += _judged(case, released, spoiled_rows, way.__name__)
    return found


def _text(cell: Any) -> str:
    return "" if cell is None or cell != cell else str(cell)


def _nothing(_rng: random.Random, rows: list[list[str]], _released: Released) -> list[list[str]]:
    return rows


def _one_cell(rng: random.Random, rows: list[list[str]], released: Released) -> list[list[str]]:
    place = released.names.index(rng.choice(released.roles["quasi_identifiers"]))
    rng.choice(rows)[place] = rng.choice(("zz", "", "*", "17"))
    return rows


def _fewer(rng: random.Random, rows: list[list[str]], _released: Released) -> list[list[str]]:
    return rng.sample(rows, max(1, len(rows) - rng.randint(1, 3)))


def _stranger(rng: random.Random, rows: list[list[str]], _released: Released) -> list[list[str]]:
    return [*rows, [rng.choice(("q", "1", "*")) for _ in rows[0]]]


def _swapped(rng: random.Random, rows: list[list[str]], released: Released) -> list[list[str]]:
    """Give the records of a class one sensitive value."""
    if not released.roles["sensitive"]:
        return []
    place = released.names.index(rng.choice(released.roles["sensitive"]))
    value = rng.choice(rows)[place]
    for row in rng.sample(rows, max(1, len(rows) // 2)):
        row[place] = value
    return rows


def _judged(case: Case, released: Released, rows: list[list[str]], way: str) -> list[Finding]:
    import shoal

    k, kind = int(case.options["k"]), case.options.get("l_kind") or "distinct"
    wanted = {
        name: value for name in ("l", "alpha") if (value := case.options.get(name)) is not None
    }
    counts = case.options.get("missing_sensitive") == "value"
    with tempfile.TemporaryDirectory(prefix="fuzz-") as place:
        path = Path(place) / "release.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([released.names, *rows])
        try:
            told = shoal.verify(
                path, k=k, quasi_identifiers=released.roles["quasi_identifiers"],
                sensitive=released.roles["sensitive"] or None, l_kind=kind,
                c=case.options.get("c"), missing_sensitive="value" if counts else "ignored",
                delimiter=",",
                **wanted,
            )  # fmt: skip
        except shoal.ShoalError as error:
            if _may_refuse(released, rows, str(error)):
                return []
            return [Finding("verify", f"{way}: refused: {error}", case)]
        except Exception as error:
            return [
                Finding("crash", f"verify: {type(error).__name__}", case, f"verify {error!r}"[:80])
            ]
    least, fine = _recount(case, released, rows, wanted, kind, counts)
    if told.k != least:
        return [Finding("verify", f"{way}: verify counts {told.k}, the recount {least}", case)]
    if told.ok != (fine and least >= k):
        return [Finding("verify", f"{way}: verify says {told.ok}, the recount {fine}", case)]
    return []


def _may_refuse(released: Released, rows: list[list[str]], said: str) -> bool:
    """Whether a table cannot be judged: a csv of one column has blank lines for empty cells."""
    blank = len(released.names) == 1 and any(row == [""] for row in rows)
    return blank or "delimiter" in said or "no value" in said


def _recount(
    case: Case, released: Released, rows: list[list[str]], wanted: dict[str, Any], kind: str,
    counts: bool,
) -> tuple[int, bool]:  # fmt: skip
    places = [released.names.index(name) for name in released.roles["quasi_identifiers"]]
    groups = counting.classes([[row[place] for row in rows] for place in places], len(rows))
    fine = True
    for name in released.roles["sensitive"]:
        values = [row[released.names.index(name)] for row in rows]
        l, alpha = (  # noqa: E741 - its name in the literature
            said.get(name) if isinstance(said := wanted.get(one), dict) else said
            for one in ("l", "alpha")
        )
        for members in groups:
            forms = counting.sensitive([values[row] for row in members], counts)
            broken = l is not None and counting.breaks_l(forms, l, kind, case.options.get("c"))
            fine &= not broken and not (alpha is not None and counting.breaks_alpha(forms, alpha))
    return min(map(len, groups)), fine
