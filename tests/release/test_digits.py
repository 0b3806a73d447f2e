"""Bounds hold what they stand for, masks keep its length, digits that the data lack are refused."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pyarrow as pa
import pytest

import shoal
from shoal.errors import RequestError


def held(cell, original):
    """Tell whether a released text, read as numbers, holds an original."""
    if cell == "*":
        return True
    between = re.fullmatch(r"\[(.+),(.+)([\])])", cell)
    beyond = re.fullmatch(r"(<|>=)(.+)", cell)
    if between:
        low, high = float(between[1]), float(between[2])
        return low <= original <= high if between[3] == "]" else low <= original < high
    if beyond:
        return original < float(beyond[2]) if beyond[1] == "<" else original >= float(beyond[2])
    return True


@pytest.mark.parametrize("kind", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "asked",
    [
        {"method": "mdav", "aggregate": {"x": "range"}},
        {"method": "mdav", "aggregate": {"x": "generalize"}},
        {"method": "kaim"},
        {"method": "kaim", "hierarchies": {"x": "widths:0.1,0.2"}},
        {"method": "kaim", "hierarchies": {"x": "quantiles:8,4"}},
    ],
)
def test_intervals_hold_their_values(kind, asked):
    """The bounds of an interval, read as numbers, hold every original of any width of floats."""
    rng = np.random.default_rng(0)
    cells = np.concatenate([rng.normal(size=60), np.round(rng.random(60), 1)]).astype(kind)
    table = pa.table({"x": pa.array(cells), "y": rng.integers(0, 50, 120)})
    result = shoal.anonymize(table, k=4, intervals="text", **asked)
    for cell, original in zip(result.data["x"].to_pylist(), cells.astype(float), strict=True):
        assert held(cell, original), (cell, original)


@pytest.mark.parametrize("cells", [["3.5", "12.25"], ["1e-3", "2.5"]])
def test_prefixes_are_not_for_decimals(write, cells):
    """A number that can be written in several lengths has no mask: that is said in words."""
    rows = "".join(f"{cells[row % 2]},{row % 7}\n" for row in range(20))
    path = write("t.csv", f"x,y\n{rows}")
    with pytest.raises(RequestError, match=r"prefixes:1 is for texts.*'x'"):
        shoal.anonymize(path, k=3, method="kaim", hierarchies={"x": "prefixes:1"})
    masked = shoal.anonymize(path, k=3, method="kaim", hierarchies={"y": "prefixes"})
    assert masked.report.verification["ok"]


@pytest.mark.slow
@pytest.mark.parametrize("decimals", [{"x": 3}, {"y": 1}, 3, {"x": 2, "y": 2}])
def test_digits_that_the_data_lack(write, shoal, decimals, tmp_path):
    """More decimals than a column has are refused; as many, fewer and none are not."""
    rows = "".join(f"{row * 37 % 100 / 4:.2f},{row * 11 % 17}\n" for row in range(40))
    path = write("t.csv", f"x,y\n{rows}")
    import shoal as library

    with pytest.raises(RequestError, match=r"decimals: .*digits after the point"):
        library.anonymize(path, k=4, method="mdav", decimals=decimals)
    for right in (2, 1, 0, "none", {"x": 2}, {"x": 0}, {"y": 0}, {"y": "none"}):
        result = library.anonymize(path, k=4, method="mdav", decimals=right)
        assert result.report.verification["ok"]
    said = ",".join(f"{n}={d}" for n, d in decimals.items()) if isinstance(decimals, dict) else "3"
    end = shoal("anonymize", path, "--k", "4", "--method", "mdav", "--decimals", said,
                "-o", tmp_path / "o.csv")  # fmt: skip
    assert end.code == 2
    assert not (tmp_path / "o.csv").exists()


def test_long_digits_of_one_cell_do_not_garble_the_others(tmp_path):
    """Where one cell has 15 digits after the point, 28.1 is released as 28.1 and zeros."""
    path = tmp_path / "t.csv"
    path.write_text("w,x\na,-1e+308\na,-28.1\na,28.362531586487698\na,-28.1\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = shoal.anonymize(path, k=2, effort="quick", numbers="interval")
    assert any("-28.100000000000000" in cell for cell in result.table["x"].values.to_pylist())
