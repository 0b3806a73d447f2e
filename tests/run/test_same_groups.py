"""The same seed gives the same groups of the same records, whatever they come from."""

from __future__ import annotations

import random

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from thorough import spread


def drawn(seed, rows=40):
    """A table of decimals, words and kept columns with many ties."""
    rng = random.Random(seed)
    return {
        "price": [rng.choice((1.25, 2.5, 30.75, 4.05)) for _ in range(rows)],
        "color": [rng.choice(("red", "green", "blue")) for _ in range(rows)],
        "score": [rng.choice((-10.5, -9.75, 2.25, 13.5)) for _ in range(rows)],
        "count": [rng.choice((9, 10, 100)) for _ in range(rows)],
    }


@pytest.mark.parametrize("method", spread(["auto", "kaim", "k-member", "mdav"], 3))
@pytest.mark.parametrize("seed", spread(range(4), 1))
def test_groups_do_not_depend_on_the_source(tmp_path, method, seed):
    """Decimals of a csv and floats of a dataframe are grouped alike; kept numbers break ties."""
    columns = drawn(seed)
    if method == "mdav":
        del columns["color"]
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    pq.write_table(pa.table(columns), tmp_path / "t.parquet")
    sources = (frame, pl.DataFrame(columns), pa.table(columns), tmp_path / "t.csv",
               tmp_path / "t.parquet")  # fmt: skip
    quasi = [name for name in columns if name in ("price", "color")]
    found = [
        shoal.anonymize(
            source, k=3, quasi_identifiers=quasi, sensitive=["score", "count"], method=method,
            max_iterations=50 if method == "auto" else None,
        ).partition.labels.tolist()
        for source in sources
    ]  # fmt: skip
    assert all(labels == found[0] for labels in found)


@pytest.mark.parametrize("seed", spread(range(6), 3))
def test_ties_of_decimals_are_broken_alike(tmp_path, seed):
    """Records that are equally far apart as decimals are so as floats: the groups are the same."""
    rng = random.Random(seed)
    columns = {
        "a": [rng.choice((4009.2636, -4122.6449)) for _ in range(40)],
        "b": [rng.choice((0.82, 1.77, -1.56)) for _ in range(40)],
    }
    frame = pd.DataFrame(columns)
    frame.to_csv(tmp_path / "t.csv", index=False)
    asked = {"k": 3, "method": "ilsmc+", "max_iterations": 50}
    found = [shoal.anonymize(source, **asked) for source in (frame, tmp_path / "t.csv")]
    assert found[0].partition.labels.tolist() == found[1].partition.labels.tolist()
