"""Group column: numbers of groups in the release, which tell nothing else."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import shoal
from shoal.errors import InputError, PrivacyError, RequestError
from shoal.release.claims import check_release

RNG = np.random.default_rng(0)
DATA = {
    "age": RNG.integers(18, 90, 40),
    "stay": RNG.integers(1, 20, 40),
    "ill": [f"i{one}" for one in RNG.integers(0, 4, 40)],
}
ASKED = {"k": 4, "method": "mdav", "quasi_identifiers": ["age", "stay"], "sensitive": ["ill"]}


def go(frame, **more):
    """A release with a column of group numbers."""
    return shoal.anonymize(frame, **{**ASKED, "group_column": "class", **more})


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_numbers_are_those_of_the_groups(make):
    """The last column numbers the groups from 1 on, and shuffles with its rows."""
    frame = make(DATA)
    result = go(frame)
    names = getattr(result.data, "column_names", None) or list(result.data.columns)
    assert names == [*DATA, "class"]
    numbers = np.asarray(result.data["class"])
    assert numbers.dtype == np.int64
    assert sorted(set(numbers.tolist())) == list(range(1, result.partition.groups + 1))
    assert len(set(zip(numbers, result.partition.labels, strict=True))) == result.partition.groups
    shuffled = result.shuffled(seed=3)
    order = np.random.default_rng(3).permutation(40)
    assert np.asarray(shuffled["class"]).tolist() == numbers[order].tolist()


def test_numbers_are_drawn_anew():
    """Two runs of one seed make the same groups and number them otherwise."""
    one, other = go(pd.DataFrame(DATA)), go(pd.DataFrame(DATA))
    assert one.partition.labels.tolist() == other.partition.labels.tolist()
    drawn = {tuple(go(pd.DataFrame(DATA)).data["class"]) for _ in range(3)}
    assert len({tuple(one.data["class"]), tuple(other.data["class"]), *drawn}) > 1


def test_an_existing_name_is_refused():
    """The name of a column that is there, dropped or not, cannot be that of the numbers."""
    for more in ({}, {"drop": ["ill"], "sensitive": []}):
        with pytest.raises(RequestError, match=r"group_column.*'ill'"):
            go(pd.DataFrame(DATA), group_column="ill", **more)
    with pytest.raises(InputError, match="blank"):
        go(pd.DataFrame(DATA), group_column=" ")


def test_classes_are_counted_with_their_numbers():
    """Groups that release the same values are classes of their own, for k and beyond it."""
    frame = pd.DataFrame({"age": [1] * 8, "ill": list("aabbaabb")})
    asked = {"k": 4, "method": "mdav", "quasi_identifiers": ["age"], "sensitive": ["ill"], "l": 2}
    plain = shoal.anonymize(frame, **asked).report
    report = shoal.anonymize(frame, group_column="class", **asked).report
    assert plain.verification["k"] == 8
    assert report.verification["k"] == 4
    assert report.release["group_column"] == "class"


def test_numbers_that_tell_records_apart_are_refused():
    """A release whose numbers are of fewer than k records does not pass."""
    result = go(pd.DataFrame(DATA))
    column = result.table["class"]
    alone = pa.array([99, *column.values.to_pylist()[1:]])
    table = result.table.mapped(lambda c: c.replace(values=alone) if c is column else c)
    with pytest.raises(PrivacyError, match="not safe"):
        check_release(table, result.settings)


def test_written_packed_and_checked(tmp_path):
    """The column is in the file, the dictionary and the certificate, and the pack checks."""
    result = go(pd.DataFrame(DATA), l=2)
    path = result.save(tmp_path / "out")
    assert pd.read_csv(path).columns.tolist() == [*DATA, "class"]
    assert shoal.verify(path, k=4, quasi_identifiers=["age", "stay", "class"]).ok
    pack = result.pack(tmp_path / "pack")
    assert shoal.check_pack(pack).ok
    lines = (tmp_path / "pack" / "dictionary.csv").read_text().splitlines()
    assert lines[-1].startswith('class,other,integer,"number of its group, in random order"')
    claims = json.loads((tmp_path / "pack" / "certificate.json").read_text())["claims"]
    assert claims["quasi_identifiers"] == ["age", "stay", "class"]
