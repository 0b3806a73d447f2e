"""The adult table: categories, numbers and missing cells, as the KAIM paper has them."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import shoal as library

pytestmark = pytest.mark.reference

DATA = Path(os.environ.get("SHOAL_DATA", ""))
QUASI = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex",
         "native-country"]  # fmt: skip


@pytest.mark.slow
def test_one_line(shoal, tmp_path):
    """All 48,842 records are released by one command, none deleted, each among ten by a count."""
    ran = shoal("anonymize", DATA / "adult.csv", "-k", 10, "--quasi", ",".join(QUASI),
                "--sensitive", "salary-class", "--hierarchies", DATA / "adult_hierarchies",
                "--drop", "fnlwgt,education-num,relationship,capital-gain,capital-loss",
                "--drop", "hours-per-week", "--effort", "quick", "--no-report",
                "-o", f"{tmp_path}/out/")  # fmt: skip
    assert ran.code == 0, ran.err
    with (tmp_path / "out" / "release.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48_842
    assert min(Counter(tuple(row[name] for name in QUASI) for row in rows).values()) >= 10
    report = json.loads((tmp_path / "out.private" / "report.json").read_text())
    assert (report["missing"]["cells"], report["missing"]["records"]) == (6_465, 3_620)
    assert report["method"] == "kaim+"
    assert report["information_loss_released"] < 9.95


@pytest.mark.slow
def test_kaim_loses_less_than_k_member():
    """On every tenth record kaim loses less than k-member, with incomplete records or without."""
    table = library.read(DATA / "adult.csv")
    some = table.take(np.arange(0, table.rows, 10))
    trees = {name: str(DATA / "adult_hierarchies" / f"{name}.csv") for name in QUASI}

    def lost(**options):
        found = library.anonymize(some, k=5, quasi_identifiers=QUASI, hierarchies=trees,
                                  other=[n for n in table.names if n not in (*QUASI, "fnlwgt")],
                                  drop=["fnlwgt"],
                                  **options)  # fmt: skip
        return found.report.information_loss_released

    kaim = lost(method="kaim")
    kept, deleted = lost(method="k-member"), lost(method="k-member", incomplete="delete")
    assert kaim < 0.8 * min(kept, deleted)
    assert kaim < lost(method="kaim-paper", seed=1)
