"""Cells that are suppressed one by one, through every door."""

from __future__ import annotations

import json
import tomllib

import numpy as np
import pyarrow as pa
import pytest

import shoal as library
from naive import suppressing
from shoal.errors import RequestError

METHOD = {"method": "local-suppression", "effort": "quick"}


def people(rows=60, seed=0):
    """Texts and numbers with few values, some of them missing."""
    rng = np.random.default_rng(seed)
    age = rng.integers(30, 34, rows).tolist()
    age[7] = None
    return {"age": age, "sex": rng.choice(["f", "m"], rows).tolist(),
            "town": rng.choice(["Bonn", "Oslo", "Rome"], rows).tolist()}  # fmt: skip


@pytest.mark.filterwarnings("ignore::shoal.TypeChangeWarning")
class TestInPython:
    """Releases of a dict."""

    def test_cells_stay_or_are_suppressed(self):
        """Every cell is as it was or a star, and each combination, stars as values, is of k."""
        table = people()
        result = library.anonymize(table, 3, **METHOD)
        for name, cells in result.data.items():
            assert all(new in ("*", str(old)) for old, new in zip(table[name], cells, strict=True))
        assert suppressing.smallest_class(result.data) >= 3
        assert library.verify(pa.table(result.data), 3, quasi_identifiers=list(table)).ok
        stars = sum(cells.count("*") for cells in result.data.values()) - 1  # one was missing
        loss = result.partition.information_loss
        assert loss == pytest.approx(100 * stars / 180)
        assert result.partition.bound.information_loss <= loss + 1e-9
        assert any("reading own, the strictest" in note for note in result.report.notes)

    def test_columns_that_count_more_keep_more(self):
        """The weight of a column is what its cells cost."""
        table = people(200, 1)
        plain = library.anonymize(table, 8, **METHOD).data
        weighed = library.anonymize(table, 8, column_weights={"age": 9.0}, **METHOD).data
        assert weighed["age"].count("*") < plain["age"].count("*")

    def test_what_is_asked_beyond_k_holds(self):
        """l holds of the suppressed table, strata keep their groups, records may be left out."""
        table = {**people(), "ill": [str(i % 3) for i in range(60)]}
        roles = {"quasi_identifiers": ["age", "sex", "town"], "sensitive": ["ill"]}
        data = library.anonymize(table, 3, l=2, by=["sex"], suppress=0.05, **roles, **METHOD).data
        assert library.verify(pa.table(data), 3, l=2, **roles).ok
        assert "*" not in data["sex"]

    def test_what_contradicts_it_is_refused(self):
        """Hierarchies and means are refused in one line."""
        for more, line in (
            ({"hierarchies": {"age": "widths:5"}}, "'age' as they are or not at all"),
            ({"aggregate": "mode"}, "leave out aggregate"),
            ({"numbers": "mean"}, "leave out aggregate"),
        ):
            with pytest.raises(RequestError, match=line):
                library.anonymize(people(), 3, **METHOD, **more)


def test_the_command_line_and_its_recipe_repeat(shoal, write, tmp_path):
    """The recipe holds method, weights and flat hierarchies, and makes the same release again."""
    table = people()
    rows = zip(*(["" if cell is None else cell for cell in one] for one in table.values()),
               strict=True)  # fmt: skip
    lines = "".join(f"{age},{sex},{town}\n" for age, sex, town in rows)
    file = write("t.csv", f"age,sex,town\n{lines}")
    ran = shoal("anonymize", file, "-k", 3, "--method", "local-suppression", "--effort", "quick",
                "--column-weight", "age=2", "--keep-order", "-o", f"{tmp_path}/out/")  # fmt: skip
    assert ran.code == 0, ran.err
    recipe = tmp_path / "out.private/run.toml"
    tree = tomllib.loads(recipe.read_text())
    assert tree["hierarchies"] == dict.fromkeys(table, "flat")
    assert tree["protect"]["column_weights"] == {"age": 2.0}
    report = json.loads((tmp_path / "out.private/report.json").read_text())
    assert sum(column["suppressed"] for column in report["columns"]) > 0
    again = shoal("run", recipe, "-o", f"{tmp_path}/again/")
    assert again.code == 0, again.err
    first = (tmp_path / "out/release.csv").read_bytes()
    assert (tmp_path / "again/release.csv").read_bytes() == first
