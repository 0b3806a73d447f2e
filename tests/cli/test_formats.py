"""The command line with files of statistics programs and spreadsheets, through every verb."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyreadstat
import pytest

ROLES = ["--quasi", "edu,age", "--sensitive", "ill"]


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    """A Stata file with labels."""
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {
            "edu": rng.integers(1, 4, 30).astype(float),
            "age": rng.integers(20, 70, 30).astype(float),
            "ill": rng.integers(1, 4, 30).astype(float),
        }
    )
    path = tmp_path_factory.mktemp("survey") / "s.dta"
    labels = {"edu": {1: "low", 2: "middle", 3: "high"}, "ill": {1: "a", 2: "b", 3: "c"}}
    pyreadstat.write_dta(frame, path, variable_value_labels=labels)
    return path


def test_every_verb(shoal, survey, tmp_path):
    """inspect, anonymize, verify and measure take the file and its release, which is SPSS."""
    assert "low" not in shoal("inspect", survey).out
    release = tmp_path / "r.sav"
    ran = shoal("anonymize", survey, "-k", 3, *ROLES, "--method", "mdav", "-o", release)
    assert ran.code == 0, ran.err
    assert (tmp_path / "r.report.json").is_file()
    assert (tmp_path / "r.private" / "run.toml").is_file()
    ran = shoal("verify", release, "-k", 31, "--json")
    assert ran.code == 3, ran.err
    found = json.loads(ran.out)
    assert (found["k"], found["reader"]) == (3, "pyreadstat in a fresh process")
    ran = shoal("measure", survey, release)
    assert ran.code == 0, ran.err
    assert shoal("inspect", release).code == 0


def test_other_verbs(shoal, survey, tmp_path):
    """compare takes the file, a pack is made of it, and a recipe is run again."""
    assert shoal("compare", survey, "-k", 3, *ROLES, "--methods", "hilbert").code == 0
    arguments = [
        "-k",
        3,
        *ROLES,
        "--method",
        "hilbert",
        "--pack",
        tmp_path / "p",
        "--format",
        "xlsx",
    ]
    ran = shoal("anonymize", survey, *arguments)
    assert ran.code == 0, ran.err
    assert shoal("certificate", "check", tmp_path / "p").code == 0
    again = tmp_path / "again.jsonl"
    ran = shoal("run", tmp_path / "p.private" / "run.toml", "-o", again)
    assert ran.code == 0, ran.err
    assert shoal("verify", again, "-k", 3).code == 0


def test_what_is_refused(shoal, survey, tmp_path):
    """A kind that is not written is refused with those that are; nothing stays."""
    ran = shoal("anonymize", survey, "-k", 3, *ROLES, "-o", tmp_path / "r.sas7bdat")
    assert ran.code == 2
    assert ".sav" in ran.err
    ran = shoal(
        "anonymize", survey, "-k", 3, *ROLES, "--pack", tmp_path / "p", "--format", "por"
    )  # fmt: skip
    assert ran.code == 2
    assert "format must be one of" in ran.err
    assert not list(tmp_path.iterdir())
