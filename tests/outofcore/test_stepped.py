"""Steps of files larger than memory: row by row, or refused by name."""

from __future__ import annotations

import numpy as np
import pyarrow.csv as pc
import pytest

from shoal.errors import RequestError
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.release.targets import Targets
from shoal.settings import build

STEPS = ["derive age born 2026-01-01", "round pay -2", "top pay 9000 becomes=limit", "drop name"]


@pytest.fixture
def source(tmp_path):
    """Write 400 people; the first names look like numbers."""
    rng = np.random.default_rng(1)
    days = np.datetime64("1950-01-01") + rng.integers(0, 20_000, 400)
    pay = rng.lognormal(8, 1, 400)
    lines = "".join(
        f"{i if i < 200 else f'p{i}'},{day},{one:.2f}\n"
        for i, (day, one) in enumerate(zip(days, pay, strict=True))
    )
    path = tmp_path / "in.csv"
    path.write_text("name,born,pay\n" + lines)
    return path


def release(source, steps, tmp_path):
    """Release a file by regions."""
    tree = {"protect": {"k": 3}, "steps": steps, "roles": {"quasi_identifiers": ["age"],
            "other": ["pay"]}, "release": {"keep_order": True}}  # fmt: skip
    order = FileRequest(Targets.of(str(tmp_path / "out.csv")), with_page=False, shuffle_seed=1)
    return release_file(source, build(tree), Budget(100), order)


def test_row_wise_steps_by_regions(source, tmp_path):
    """Kept columns are those of a run in memory; recipe and report have the steps."""
    made = release(source, STEPS, tmp_path)
    whole = anonymize_with(source, made.settings.replace(protect={"method": "mdav"}))
    written = pc.read_csv(tmp_path / "out.csv")
    assert written.column_names == ["age", "pay"]
    assert sorted(written["pay"].to_pylist()) == sorted(
        float(value) for value in whole.table["pay"].values.to_pylist()
    )
    assert max(written["pay"].to_pylist()) == 9_000
    assert [step["kind"] for step in made.report.steps] == ["derive", "round", "top", "drop"]
    assert len(made.settings.steps) == 4
    assert made.settings.roles.drop == ()


@pytest.mark.parametrize("step", ["top pay share=5%", "rare name", "noise pay", "pram name"])
def test_other_steps_are_refused_by_name(source, tmp_path, step):
    """A step that takes all records at once is refused in one line that names it."""
    with pytest.raises(RequestError, match=rf"steps '{step.split()[0]}' take all"):
        release(source, [*STEPS[:1], step], tmp_path)
