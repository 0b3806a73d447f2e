"""The plan of a request: one value, whatever is known of the table, and however large it is."""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

from shoal.errors import ShoalError
from shoal.executor import Threads
from shoal.pipeline.plan.plan import plan_table
from shoal.pipeline.regions import file_plan
from shoal.pipeline.regions.run_folder import RunFolder
from shoal.pipeline.regions.tasks import TaskRunner
from shoal.progress import Reporter
from shoal.settings import build
from shoal.table.dialects.dialect import PLAIN
from shoal.table.read import read
from shoal.table.streams import Whole, in_pieces
from thorough import spread

ROWS = 120
DECIDED = ("is_mixed", "by_hierarchies", "hierarchies", "aggregators", "unnamed", "estimate")


def people(rng):
    """A table of every kind of column, some of them with missing cells."""
    words = np.array(["low", "middle", "high"])
    age = pa.array(rng.integers(18, 90, ROWS).tolist())
    height = [None if rng.random() < 0.1 else round(float(h), 1) for h in rng.normal(170, 9, ROWS)]
    return pa.table({
        "id": [f"p{i}" for i in range(ROWS)],
        "age": age,
        "height": pa.array(height, pa.float64()),
        "flag": pa.array(rng.integers(0, 2, ROWS).tolist()),
        "town": rng.choice(["north", "south", "east"], ROWS).tolist(),
        "pain": words[rng.integers(0, 3, ROWS)].tolist(),
        "born": pa.array(rng.integers(0, 20_000, ROWS).astype("int32")).cast(pa.date32()),
        "cost": pa.array(np.round(rng.lognormal(5, 1, ROWS), 2).tolist()),
        "ill": rng.choice(["flu", "gout", "none"], ROWS).tolist(),
    })  # fmt: skip


def draw(rng):
    """Settings at random: roles, aggregators, what becomes of incomplete records, hierarchies."""
    columns = ["age", "height", "flag", "town", "pain", "born", "cost"]
    quasi = [name for name in columns if rng.random() < 0.5] or ["age"]
    rest = [name for name in columns if name not in quasi]
    tree = {
        "roles": {"identifiers": ["id"], "quasi_identifiers": quasi, "sensitive": ["ill"],
                  "keep_unique": []},
        "protect": {"k": int(rng.integers(2, 7)),
                    "incomplete": str(rng.choice(["keep", "delete"]))},
    }  # fmt: skip
    if rng.random() < 0.4:
        tree["roles"]["other"] = rest
    if rng.random() < 0.3:
        tree["roles"]["drop"] = [rest.pop()] if rest else []
        tree["roles"].pop("other", None)
    if rng.random() < 0.4:
        tree["release"] = {"aggregate": str(rng.choice(["mean", "median", "mode", "generalize"]))}
    if "cost" in rest and rng.random() < 0.7:
        tree.setdefault("release", {})["round"] = {"cost": 100}
    if "pain" in quasi and rng.random() < 0.6:
        tree["orders"] = {"pain": ["low", "middle", "high"]}
    if "age" in quasi and rng.random() < 0.3:
        tree["hierarchies"] = {"age": "widths:5,10"}
    return tree


def in_memory(path, settings):
    """The plan of a file that is read whole."""
    return plan_table(read(path), settings)[0]


def out_of_core(path, settings, folder):
    """The plan of the same file, of which only schema and profile are known."""
    report = Reporter(None)
    with RunFolder(folder / "release.csv", {"test": True}, None) as work:
        runner = TaskRunner(work, Threads(1), Threads(1), report)
        file_plan.profile_file(Whole(in_pieces(path, PLAIN, ("",), {})), settings, runner)
        return file_plan.plan_file(settings, work, None).plan


def told(make, *arguments):
    """The plan, or what is said instead."""
    try:
        return make(*arguments)
    except ShoalError as error:
        return str(error)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("seed", spread(range(25), 6))
def test_plans_are_equal_in_memory_and_out_of_core(tmp_path, kind, seed):
    """What is decided of a file is decided alike where it is read whole and where it is not."""
    rng = np.random.default_rng(seed)
    table, settings = people(rng), build(draw(rng))
    path = tmp_path / f"t.{kind}"
    (pc.write_csv if kind == "csv" else pq.write_table)(table, path)
    here = told(in_memory, path, settings)
    there = told(out_of_core, path, settings, tmp_path)
    if isinstance(there, str) and "in a file larger than memory" in there:
        assert not here.by_hierarchies
        return
    if isinstance(here, str) or isinstance(there, str):  # shares of complete records, or of all
        assert re.sub(r"[0-9.]+ %", "%", str(here)) == re.sub(r"[0-9.]+ %", "%", str(there))
        return
    for name in DECIDED:
        if name != "estimate" or settings.protect.incomplete == "keep":
            assert getattr(here, name) == getattr(there, name), name
    assert here.settings == there.settings
    assert here.schema.schema == there.schema.schema
    assert [c.order for c in here.schema.columns] == [c.order for c in there.schema.columns]
