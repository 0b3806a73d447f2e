"""The fuzzer in short, the same cases every time; and that it looks at everything, and can fail."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import shoal
from fuzz import checks, counting, covering, doors, options, values
from fuzz.cases import Case, Column
from fuzz.checks import Released, check_release, original_of
from fuzz.drawing import draw
from fuzz.running import run
from fuzz.shrinking import shrink
from fuzz.sources import plain_values
from thorough import spread

ORACLES = (checks, counting, covering, values)
BATCH = 20


@pytest.mark.parametrize("first", spread(range(0, 20 * BATCH, BATCH), 1))
def test_random_cases_have_no_findings(first):
    """Random tables and options are released as every oracle wants it, or refused in words."""
    found = [one for seed in range(first, first + BATCH) for one in run(draw(seed)).findings]
    assert not found, [(f.oracle, f.what, f.trace, f.case.seed) for f in found]


@pytest.mark.slow
def test_random_commands_have_no_findings():
    """The command line and the recipe it leaves do as Python does."""
    found = [one for seed in range(8) for one in run(draw(seed, "cli")).findings]
    assert not found, [(f.oracle, f.what, f.trace, f.case.seed) for f in found]


def test_oracles_import_nothing_of_ours():
    """What judges us knows nothing of us: neither the oracles nor what they import."""
    for module in ORACLES:
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            names = [node.module] if isinstance(node, ast.ImportFrom) else []
            names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
            assert not [name for name in names if (name or "").split(".")[0] == "shoal"]


def test_every_option_is_drawn():
    """No argument of `anonymize` is left out, and the command line has a word for each."""
    known = set(options.DRAWN) | options.ALWAYS | options.APART
    wanted = set(inspect.signature(shoal.anonymize).parameters) - {"data", "callback", "progress"}
    assert known == wanted
    words = doors.argv({name: {"a": 1} if name in doors.PAIRS else "1" for name in wanted})
    drawn = {word.split("=")[0] for word in words}
    assert len(drawn) == len(wanted - doors.NOT_THERE)


COLUMNS = (
    Column("age", "int64", ("1", "2", "3", "11", "12", "13")),
    Column("sex", "text", ("m", "f", "m", "f", "m", "f")),
    Column("name", "text", tuple(f"person {i} of six" for i in range(6))),
    Column("ill", "text", ("flu", "cold", "flu", "flu", "cold", "gout")),
)
ROLES = {"quasi_identifiers": ["age", "sex"], "sensitive": ["ill"], "identifiers": ["name"],
         "other": [], "drop": [], "by": []}  # fmt: skip
FINE = [[2, 2, 2, 12, 12, 12], ["*"] * 6, ["flu", "cold", "flu", "flu", "cold", "gout"]]


def broken(columns, names=("age", "sex", "ill"), labels=(0, 0, 0, 1, 1, 1), **asked):
    """The oracles that speak of a release of six records."""
    case = Case(0, COLUMNS, {"k": 3, **asked}, "arrow")
    released = Released(list(names), columns, ROLES, list(labels))
    original = original_of(case, ROLES, plain_values(case))
    return {oracle for oracle, _ in check_release(case, original, released)}


def changed(place, row, cell):
    """The fine release with one cell changed."""
    columns = [list(column) for column in FINE]
    columns[place][row] = cell
    return columns


def test_oracles_find_what_is_planted():
    """Each oracle is silent on a right release and speaks of the mistake that it is for."""
    assert broken(FINE, l=2, alpha=0.7, t=0.4) == set()
    assert "k" in broken(changed(0, 0, 12))
    assert "kept" in broken(changed(2, 0, "gout"))
    assert "labels" in broken(changed(1, 0, "m"))
    assert "covers" in broken([FINE[0], ["m"] * 6, FINE[2]])
    assert "values" in broken([[5, 5, 5, 12, 12, 12], *FINE[1:]])
    assert "l" in broken(FINE, l=3)
    assert "alpha" in broken(FINE, alpha=0.5)
    assert "t" in broken(FINE, t=0.01)
    assert "columns" in broken(FINE, names=("age", "sex", "illness"))
    assert "records" in broken([column[:5] for column in FINE], labels=(0, 0, 0, 1, 1))
    assert "identifier" in broken([FINE[0], ["person 1 of six"] * 6, FINE[2]])
    assert "k_of" in broken(FINE, k_of=[[["age"], 4]])


def test_findings_are_made_small():
    """What has nothing to do with a finding is taken away."""
    case = draw(11)
    small = shrink(case, lambda one: any(c.name == case.columns[0].name for c in one.columns))
    assert (len(small.columns), small.rows) == (1, 0)
    assert set(small.options) <= {"k", "effort", "threads"}
    assert Case.from_json(small.to_json()) == small
