"""Whole numbers that may be codes are pointed out, with an option that makes them categories."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest

import shoal as library
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.release.targets import Targets
from shoal.settings import build

ROWS = 240


def people():
    """Ages, incomes, and occupations by number."""
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, ROWS),
            "income": rng.integers(0, 9999, ROWS),
            "occupation": rng.integers(1, 7, ROWS),
            "sex": rng.integers(1, 3, ROWS),
        }
    )


def written(folder, ending):
    """The table as a file."""
    path = folder / f"t.{ending}"
    frame = people()
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    return path


def option(text):
    """The option that a text tells to say."""
    return shlex.split(re.search(r"say (--\w+ \S+)", text)[1])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_what_is_printed_makes_them_categories(tmp_path, shoal, ending):
    """`inspect` and a run point at codes, and what they print to say works as it stands."""
    path = written(tmp_path, ending)
    looked = shoal("inspect", path)
    assert looked.out.count("if they are codes") == 1
    assert "occupation: only 6 different whole numbers" in looked.out
    seen = json.loads(shoal("inspect", path, "--json").out)["columns"]
    assert [column["codes"] is not None for column in seen] == [False, False, True, False]
    base = ["anonymize", path, "--k", "4", "--method", "mdav", "--force"]
    end = shoal(*base, "-o", tmp_path / "out.csv")
    assert end.code == 0, end.err
    line = next(line for line in (end.out + end.err).splitlines() if "if they are codes" in line)
    assert "'occupation' holds 6 different whole numbers" in line
    assert option(line) == option(looked.out)
    end = shoal(*base, "-o", tmp_path / "again.csv", *option(line))
    assert end.code == 0, end.err
    assert "if they are codes" not in end.out + end.err
    released = set(pd.read_csv(tmp_path / "again.csv").occupation.astype(str))
    assert released <= {"1", "2", "3", "4", "5", "6", "*"}
    report = json.loads((tmp_path / "again.private" / "report.json").read_text())
    ways = {column["name"]: column["released_as"] for column in report["columns"]}
    assert ways["occupation"] in ("generalize", "mode")


def test_who_asked_for_means_is_not_asked():
    """Means that somebody asked for, ages, and numbers that are generalized get no note."""
    for asked in ({"aggregate": "mean"}, {"aggregate": {"occupation": "mean"}},
                  {"method": "kaim"}, {"drop": ["occupation"]}):  # fmt: skip
        result = library.anonymize(people(), k=4, **{"method": "mdav", **asked})
        assert not [note for note in result.report.notes if "codes" in note]
    result = library.anonymize(people(), k=4, method="mdav")
    note = next(note for note in result.report.notes if "codes" in note)
    assert note.endswith("say aggregate={'occupation': 'mode'}")
    assert not [note for note in result.report.published().notes if "codes" in note]


def test_larger_than_memory(tmp_path):
    """A run out of core has the same note."""
    order = FileRequest(Targets.of(str(tmp_path / "out.csv")), with_page=False, shuffle_seed=1)
    settings = build({"protect": {"k": 4}})
    made = release_file(written(tmp_path, "csv"), settings, Budget(100), order, None)
    note = next(note for note in made.report.notes if "codes" in note)
    assert note.endswith("say types={'occupation': 'text'}")
