"""Records that are left out, through every door."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

import shoal as library
from shoal.errors import RequestError


def numbers(rows=60, seed=0):
    """A few records far from all others, in two strata."""
    rng = np.random.default_rng(seed)
    cells = rng.normal(50, 5, size=(rows, 2)).round(2)
    cells[:3] *= 9
    return {"a": cells[:, 0].tolist(), "b": cells[:, 1].tolist(),
            "s": ["x" if i % 2 else "y" for i in range(rows)],
            "ill": [str(i % 4) for i in range(rows)]}  # fmt: skip


ASKED = {"quasi_identifiers": ["a", "b"], "sensitive": ["ill"], "drop": ["s"]}


def test_the_farthest_records_are_left_out_and_counted():
    """Outliers go within the budget; the loss and the report count each as wholly lost."""
    table = numbers()
    before = library.anonymize(table, 3, method="mdav", **ASKED)
    found = library.anonymize(table, 3, method="mdav", suppress="5%", **ASKED)
    assert found.partition.suppressed.tolist() == [0, 1, 2]
    assert len(found.data["a"]) == 57
    own = found.partition.suppression
    assert own.others < before.partition.information_loss / 2
    assert found.partition.information_loss == pytest.approx(own.others + 100 * 3 / 60)
    assert found.report.exact_loss > 100 * 3 / 60
    assert found.report.input["records"] == 60
    cells = {"a": 3, "b": 3}
    assert found.report.suppressed == {"budget": 0.05, "records": 3, "cells": cells}
    assert "3 records were suppressed" in found.report.missing["text"]
    notes = " ".join(found.report.notes)
    assert "3 of 60 records are left out" in notes
    assert "is of what the records hold that are released" in notes


def test_strata_and_requirements_hold_after():
    """Groups stay within strata, and l and t hold of the records that are left."""
    table = numbers(80)
    asked = {**ASKED, "drop": [], "by": ["s"]}
    found = library.anonymize(table, 3, method="mdav", suppress=0.05, **asked)
    assert found.report.suppressed["strata"] == {"x": 2, "y": 2}
    more = library.anonymize(table, 3, method="mdav", suppress=0.05, l=2, t=0.4, **ASKED)
    asked = {"quasi_identifiers": ["a", "b"], "sensitive": ["ill"]}
    checked = library.verify(pa.table(more.data), 3, l=2, t=0.4, **asked)
    assert checked.ok
    assert len(more.data["a"]) < 80


def test_records_of_trees_are_left_out_too():
    """Texts are generalized less without the odd ones, whose values no label names."""
    table = {"city": ["Bonn"] * 10 + ["Oslo"] * 9 + ["Rome"], "age": [30] * 10 + [40] * 9 + [97]}
    found = library.anonymize(table, 3, suppress=0.05, effort="quick")
    assert found.partition.suppressed.tolist() == [19]
    assert found.partition.suppression.others == 0.0
    assert set(found.data["city"]) == {"Bonn", "Oslo"}


def test_what_cannot_be_left_out_is_refused():
    """Groups that are given and people with several records are refused by name, in one line."""
    table = {**numbers(), "p": [f"p{i // 2}" for i in range(60)]}
    for more, line in (
        ({"person": "p"}, "suppress: it leaves out single records, not all of a person"),
        ({"household": "p"}, "suppress: it leaves out single records, not all of a household"),
    ):
        with pytest.raises(RequestError, match=line):
            library.anonymize(table, 3, suppress=0.05, **ASKED, **more)


def test_the_command_line_and_its_recipe_repeat(shoal, write, tmp_path):
    """Its recipe has the share and repeats the release bit by bit; public counts are rounded."""
    table = numbers(200)
    lines = "".join(f"{a},{b},{i}\n" for a, b, i in zip(table["a"], table["b"], table["ill"],
                                                        strict=True))  # fmt: skip
    file = write("t.csv", f"a,b,ill\n{lines}")
    ran = shoal("anonymize", file, "-k", 3, "--quasi", "a,b", "--sensitive", "ill", "--method",
                "mdav", "--suppress", "2%", "--keep-order", "-o", f"{tmp_path}/out/")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "records are left out" in ran.err
    assert "suppress = 0.02" in (tmp_path / "out.private/run.toml").read_text()
    public = json.loads((tmp_path / "out/report.json").read_text())
    counts = {"records": 0, "cells": {"a": 0, "b": 0}}
    assert public["suppressed"] == {"budget": 0.02, **counts}
    private = json.loads(next((tmp_path / "out.private").glob("report*.json")).read_text())
    assert 0 < private["suppressed"]["records"] <= 4
    again = shoal("run", tmp_path / "out.private/run.toml", "-o", f"{tmp_path}/again/")
    assert again.code == 0, again.err
    first = (tmp_path / "out/release.csv").read_bytes()
    assert (tmp_path / "again/release.csv").read_bytes() == first
