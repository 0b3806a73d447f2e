"""People with several records: a class of k records may be of fewer people than k.

A dropped identifier that repeats tells the steward's side whose records are whose; whoever knows a
person's quasi-identifiers counts people, not rows. 103 patients have 172 records, whose
quasi-identifiers are nearly the same: methods put them into one group.
"""

from __future__ import annotations

import csv
from collections import defaultdict

import numpy as np
import pandas as pd
import polars as pl
import pytest

import shoal as library
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.release.targets import Targets
from shoal.settings import build

K = 5
QUASI = ["age", "income"]
ROLES = {"k": K, "quasi_identifiers": QUASI, "sensitive": ["illness"]}


def visits(seed=3, people=103, rows=172):
    """Patients with their visits: those of one patient are much alike, in places and in illness."""
    rng = np.random.default_rng(seed)
    more = rng.choice(12, rows - people)  # a dozen have all further visits
    who = np.concatenate([np.arange(people), more])
    age = rng.integers(18, 90, people)[who]
    income = rng.lognormal(10, 0.6, people)[who].round(-1)
    ill = rng.choice(["flu", "gout", "ague", "pox"], people, p=[0.4, 0.3, 0.2, 0.1])
    order = rng.permutation(rows)
    return pd.DataFrame({
        "patient": [f"P{i:03}" for i in who[order]],
        "card": [f"C{i * 7919 % 1000:03}" for i in who[order]],
        "age": age[order],
        "income": income[order],
        "illness": ill[who][order],
    })  # fmt: skip


def classes_of(keys, units):
    """Whose records lie in each class, record by record."""
    found = defaultdict(list)
    for key, unit in zip(keys, units, strict=True):
        found[key].append(unit)
    return list(found.values())


def released_keys(data):
    """The released quasi-identifiers of every record, in the caller's order."""
    return list(zip(*(data[name].to_list() for name in QUASI), strict=True))


def fewest(data, who):
    """The fewest people of a class."""
    return min(len(set(part)) for part in classes_of(released_keys(data), who))


def attacked(data, who, **options):
    """The fewest people of a class of a release that nobody was warned of; k where it stopped."""
    try:
        result = library.anonymize(data, **options)
    except library.RequestError as error:
        said = str(error)
        return K if "person=" in said and "count='records'" in said else 0
    return fewest(result.data, who)


@pytest.mark.parametrize("method", ["auto", "mdav", "cbfs-nn"])
@pytest.mark.parametrize("seed", [3, 4])
def test_a_dropped_identifier_that_repeats(seed, method):
    """The attacker looks for a class of fewer than k patients in a release verified as k = 5."""
    data = visits(seed)
    frame = data.drop(columns="card")
    assert attacked(frame, data.patient, identifiers=["patient"], method=method, **ROLES) >= K


def test_two_identifiers_that_both_repeat():
    """Two identifiers hide no better than one: both are the patient's, on every visit."""
    data = visits()
    found = attacked(data, data.patient, identifiers=["patient", "card"], method="mdav", **ROLES)
    assert found >= K


@pytest.mark.parametrize("share", [0.05, 0.4])
def test_identifiers_with_gaps(share):
    """Some cells of the identifier are missing: those that are there still repeat."""
    data = visits().drop(columns="card")
    rng = np.random.default_rng(1)
    who = data.patient.copy()
    data.loc[rng.random(len(data)) < share, "patient"] = None
    assert attacked(data, who, identifiers=["patient"], method="mdav", **ROLES) >= K


def test_an_identifier_beside_an_empty_one():
    """An identifier without any value is different for nobody: it is no way past the question."""
    data = visits().drop(columns="card").assign(email=pd.Series([None] * 172, dtype="string"))
    found = attacked(data, data.patient, identifiers=["patient", "email"], method="mdav", **ROLES)
    assert found >= K


def test_a_polars_frame():
    """The same from another library."""
    data = visits().drop(columns="card")
    frame = pl.from_pandas(data)
    assert attacked(frame, data.patient, identifiers=["patient"], method="mdav", **ROLES) >= K


def test_a_csv_file_on_the_command_line(tmp_path, shoal):
    """The same from a file: the command ends with an error, and writes nothing."""
    data = visits()
    data.to_csv(tmp_path / "in.csv", index=False)
    ran = shoal("anonymize", tmp_path / "in.csv", "-k", K, "--quasi", "age,income",
                "--sensitive", "illness", "--identifier", "patient,card", "--method", "mdav",
                "--keep-order", "-o", tmp_path / "out.csv")  # fmt: skip
    if ran.code == 0:
        with (tmp_path / "out.csv").open() as file:
            keys = [(row["age"], row["income"]) for row in csv.DictReader(file)]
        assert min(len(set(part)) for part in classes_of(keys, data.patient)) >= K
    else:
        assert ran.code == 2
        assert "--person" in ran.err
        assert not (tmp_path / "out.csv").exists()


def test_a_file_larger_than_memory(tmp_path):
    """The same region by region: the first look at all records finds the repeats."""
    data = visits(people=400, rows=700)
    data.to_csv(tmp_path / "in.csv", index=False)
    roles = {"quasi_identifiers": QUASI, "sensitive": ["illness"]}
    tree = {
        "roles": {**roles, "identifiers": ["patient", "card"]}, "protect": {"k": K},
        "release": {"keep_order": True},
    }  # fmt: skip
    order = FileRequest(Targets.of(str(tmp_path / "out.csv")), False, False, None, None, 1)
    try:
        release_file(tmp_path / "in.csv", build(tree), Budget(100), order)
    except library.RequestError as error:
        stopped = "person=" in str(error)
    else:
        stopped = False
    assert stopped or fewest(pd.read_csv(tmp_path / "out.csv"), data.patient) >= K


def test_many_files_by_an_engine(tmp_path):
    """The same by an engine: a patient's records may even lie in different files."""
    data = visits(people=60, rows=120)
    for part in range(2):
        (tmp_path / "in").mkdir(exist_ok=True)
        data.iloc[part::2].to_parquet(tmp_path / "in" / f"{part}.parquet", index=False)
    options = {**ROLES, "identifiers": ["patient", "card"], "engine": "threads"}
    with pytest.raises(library.RequestError, match="person="):
        library.anonymize_file(tmp_path / "in", tmp_path / "out/", **options)


def test_one_patient_dilutes_the_shares():
    """Rows of a few who come often make an illness of most people of a class look rare."""
    data = visits().drop(columns="card")
    rng = np.random.default_rng(5)
    often = data.patient.isin([f"P{i:03}" for i in range(12)])
    drawn = rng.choice(["flu", "gout", "ague"], len(data), p=[0.6, 0.25, 0.15])
    data["illness"] = np.where(often, "pox", drawn)
    asked = {"identifiers": ["patient"], "alpha": 0.5, "method": "mdav"}
    try:
        result = library.anonymize(data, **ROLES, **asked)
    except library.RequestError:
        return
    pairs = classes_of(released_keys(result.data), zip(data.patient, data.illness, strict=True))
    for part in pairs:
        values = [value for _, value in set(part)]
        assert max(values.count(value) for value in values) / len(values) <= 0.5
