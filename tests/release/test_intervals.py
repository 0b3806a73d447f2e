"""Intervals of numbers and dates: texts in csv, structs in frames and Parquet, or two columns."""

from __future__ import annotations

import datetime as dt
import json

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

import shoal
from thorough import spread

ROWS = 30
ENDS = ["age_low", "age_high", "pay_low", "pay_high", "born_low", "born_high"]


def people():
    """Numbers, dates and a text; an age is missing."""
    rng = np.random.default_rng(0)
    born = [dt.date(1950, 1, 1) + dt.timedelta(int(day)) for day in rng.integers(0, 20_000, ROWS)]
    ages = pa.array(rng.integers(18, 90, ROWS), mask=np.arange(ROWS) == 7)
    pay = rng.normal(3000, 500, ROWS).round(2)
    return pa.table({"age": ages, "pay": pay, "born": born, "sex": rng.choice(["m", "f"], ROWS)})


FRAMES = {"arrow": lambda t: t, "pandas": lambda t: t.to_pandas(), "polars": pl.from_arrow}


def made(frame, how=None):
    """A release of intervals."""
    return shoal.anonymize(frame, k=3, method="kaim", intervals=how)


def as_arrow(frame):
    """A dataframe of any library as an Arrow table."""
    if isinstance(frame, pa.Table):
        return frame
    if isinstance(frame, pl.DataFrame):
        return frame.to_arrow()
    return pa.Table.from_pandas(frame, preserve_index=False)


@pytest.mark.parametrize("library", FRAMES)
def test_frames(library):
    """Structs, texts and columns of a dataframe tell the same ends, in the column's own type."""
    frame = FRAMES[library](people())
    structs, texts, split = (as_arrow(made(frame, how).data) for how in (None, "text", "columns"))
    assert structs.column_names == ["age", "pay", "born", "sex"]
    assert split.column_names == [*ENDS, "sex"]
    for name in ("pay", "born"):
        assert pa.types.is_struct(structs.schema.field(name).type)
        cells = zip(*(structs[name].to_pylist(), texts[name].to_pylist(),
                      split[f"{name}_low"].to_pylist(), split[f"{name}_high"].to_pylist()),
                    strict=True)  # fmt: skip
        for struct, text, low, high in cells:
            assert (struct["low"], struct["high"]) == (low, high)
            assert text == (f"[{low},{high}]" if low != high else f"{low}")
    gone = [cell for cell in structs["age"].to_pylist() if cell is None]
    assert len(gone) == texts["age"].to_pylist().count("*") == split["age_low"].null_count > 0
    assert structs.schema.field("pay").type.field("low").type == pa.float64()
    assert structs.schema.field("born").type.field("low").type == pa.date32()


@pytest.mark.parametrize("how", spread([None, "text", "struct", "columns"], 1))
def test_files(tmp_path, how):
    """Every form is written, verified, measured and packed, and means the same."""
    table = people()
    found, kinds = made(table, how), ("parquet", "feather", "csv", "jsonl")
    losses = set()
    for kind in kinds[:2] if how == "struct" else kinds:
        path = found.save(tmp_path / kind, format=kind)
        assert shoal.verify(path, k=3).ok
        told = json.loads((tmp_path / kind / "report.json").read_text())["roles"]
        assert ("age_low" in told["quasi-identifier"]) == (how == "columns")
        losses.add(round(shoal.measure(table, path)["iloss"].value, 9))
    assert len(losses) == 1
    kind = "parquet" if how == "struct" else "csv"
    assert shoal.check_pack(found.pack(tmp_path / "pack", format=kind)).ok
    written = pq.read_table(tmp_path / "parquet" / "release.parquet")
    assert pa.types.is_struct(written.schema.field(0).type) == (how in (None, "struct"))


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.slow
def test_times_of_any_unit(tmp_path, unit):
    """Intervals of times are written whatever their unit: Parquet has no seconds, and says ms."""
    rng = np.random.default_rng(1)
    steps = {"s": 1, "ms": 1_000, "us": 10**6, "ns": 10**9}[unit]
    fraction = rng.integers(0, 10, ROWS) * (steps // 10)
    at = pa.array(1_600_000_000 * steps + rng.integers(0, 9_000, ROWS) * steps + fraction)
    table = pa.table({"at": at.cast(pa.timestamp(unit)), "sex": people()["sex"]})
    result = made(table)
    told = pc.struct_field(result.data["at"], "low")
    for kind in ("parquet", "feather"):
        result.save(tmp_path / kind, format=kind)
        report = shoal.verify(tmp_path / kind / f"release.{kind}", k=3, quasi_identifiers=["at"])
        assert report.ok
    written = pc.struct_field(pq.read_table(tmp_path / "parquet/release.parquet")["at"], "low")
    wanted = told.cast(pa.timestamp("ns")).to_pylist()
    assert sorted(written.cast(pa.timestamp("ns")).to_pylist()) == sorted(wanted)


def test_dialect(tmp_path):
    """Ends of intervals in columns of their own are written as the input writes numbers."""
    lines = [f"{10 + i},5;{1 + i:02}.02.2020" for i in range(9)]
    (tmp_path / "t.csv").write_text("\n".join(["x;d", *lines]) + "\n")
    found = shoal.anonymize(
        tmp_path / "t.csv", k=3, method="kaim", intervals="columns", decimal=",",
        date_format="%d.%m.%Y",
    )  # fmt: skip
    path = found.save(tmp_path / "out", keep_order=True)
    header, first, *_ = path.read_text().splitlines()
    assert header == "x_low;x_high;d_low;d_high"
    assert first == "10,5;12,5;01.02.2020;03.02.2020"
    assert shoal.verify(path, k=3).ok


def test_warned():
    """Columns that became structs or two columns are named, with the option that keeps them."""
    for how, said in ((None, "now struct"), ("columns", "now two columns")):
        with pytest.warns(shoal.TypeChangeWarning, match=said) as told:
            made(people(), how)
        assert "aggregate='mean' keeps 'age', 'pay', 'born'" in str(told[0].message)


def test_wrong_forms(tmp_path):
    """Structs are refused where no file holds them, and ends whose names are taken."""
    with pytest.raises(shoal.RequestError, match="intervals='text' or intervals='columns'"):
        made(people(), "struct").save(tmp_path / "o", format="csv")
    taken = people().append_column("age_low", pa.array(["x"] * ROWS))
    with pytest.raises(shoal.RequestError, match="'age_low', which there is already"):
        shoal.anonymize(
            taken, k=3, method="kaim", intervals="columns", quasi_identifiers=["age"],
            other=["age_low"], drop=["pay", "born", "sex"],
        )  # fmt: skip


def test_larger_than_memory(tmp_path):
    """Parquet files of any size hold structs; in two columns they take memory."""
    from shoal.pipeline.regions.budget import Budget
    from shoal.pipeline.regions.request import FileRequest
    from shoal.pipeline.regions.run import release_file
    from shoal.release.targets import Targets
    from shoal.settings import build

    pq.write_table(people(), tmp_path / "t.parquet")

    def run(how):
        release = {"numbers": "interval", **({} if how is None else {"intervals": how})}
        tree = {"protect": {"k": 3}, "release": release}
        name = f"{how}.parquet"
        asked = FileRequest(Targets.of(str(tmp_path / name)), with_page=False, shuffle_seed=1)
        release_file(tmp_path / "t.parquet", build(tree), Budget(20), asked, None)
        return pq.read_table(tmp_path / name)

    structs, texts = run(None), run("text")
    assert pa.types.is_struct(structs.schema.field("pay").type)
    cells = [
        f"[{one['low']},{one['high']}]" if one["low"] != one["high"] else f"{one['low']}"
        for one in structs["pay"].to_pylist()
    ]
    assert cells == texts["pay"].to_pylist()
    with pytest.raises(shoal.RequestError, match="intervals in two columns"):
        run("columns")
