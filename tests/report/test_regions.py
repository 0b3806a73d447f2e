"""A file released region by region: its report is that of the same release, read back whole."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.measures.compared import classes_of
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.release.targets import Targets
from shoal.report.chunk import Chunk
from shoal.report.figures import figures_of
from shoal.settings import build
from shoal.table.assign import with_roles
from shoal.table.read import read
from shoal.table.roles import Role

ROWS = 1500
K = 5


def write(path):
    """Write numbers, decimals, dates and a column of two values."""
    rng = np.random.default_rng(7)
    days = np.datetime64("1950-01-01") + rng.integers(0, 20_000, ROWS)
    lines = zip(rng.integers(18, 95, ROWS), np.round(rng.lognormal(10, 1, ROWS), 2), days,
                rng.integers(0, 2, ROWS), rng.normal(size=ROWS), strict=True)  # fmt: skip
    text = "".join(f"{a},{b:.2f},{c},{d},{e:.4f}\n" for a, b, c, d, e in lines)
    path.write_text("age,income,born,flag,score\n" + text)
    return path


def test_regions_say_what_the_whole_says(tmp_path):
    """Losses, means, variances, histograms, correlations and counts are those of one chunk."""
    source = write(tmp_path / "in.csv")
    quasi = ["age", "income", "born", "flag", "score"]
    settings = build(
        {
            "protect": {"k": K},
            "roles": {"quasi_identifiers": quasi},
            "release": {"keep_order": True},
        }
    )
    order = FileRequest(Targets.of(str(tmp_path / "out.csv")), with_page=False, shuffle_seed=1)
    made = release_file(source, settings, Budget(400), order).report
    assert "regions" in " ".join(made.notes)
    roles = dict.fromkeys(quasi, Role.QUASI_IDENTIFIER)
    before, after = (with_roles(read(p), roles) for p in (source, tmp_path / "out.csv"))
    how = {column.name: column.released_as for column in made.columns}
    labels = classes_of([after[name] for name in quasi], after.rows)
    found = figures_of([Chunk(before, after, labels, how)], K, 0, None)
    assert found["classes"]["groups"]["sizes"] == made.groups["sizes"]
    assert found["cells"]["missing"] == made.missing
    assert found["losses"]["all"] == pytest.approx(made.information_loss_released, rel=1e-11)
    assert found["losses"]["all_rounding"] == pytest.approx(made.rounding_loss, rel=1e-9)
    assert found["constants"] == {"constant": made.constant, "made_constant": made.made_constant}
    for side in ("before", "after"):
        ours = np.array(made.correlations[side])
        assert np.array(found["correlations"][side]) == pytest.approx(ours, abs=1e-12)
    for column in made.columns:
        name = column.name
        assert found["cells"]["columns"][name]["unchanged"] == column.unchanged
        assert found["histograms"][name] == column.histogram
        assert found["losses"]["columns"][name] == pytest.approx(column.information_loss, rel=1e-11)
        for key, value in found["numbers"][name].items():
            own = getattr(column, key)
            assert value == (own if isinstance(own, str) else pytest.approx(own, rel=1e-12))
