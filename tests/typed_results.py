"""Static types of results, which mypy checks with the sources: the caller's type comes back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, assert_type

import shoal

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl


class OwnFrame:
    """A dataframe of a library without types of its own, such as pandas or pyarrow."""


def check_types(
    polars: pl.DataFrame, own: OwnFrame, table: shoal.Table, matrix: npt.NDArray[np.float64]
) -> None:
    """Say what every kind of input gives; nobody calls it."""
    result = shoal.anonymize(polars, k=3, group_column="class")
    assert_type(result, shoal.Result["pl.DataFrame"])
    assert_type(result.data, "pl.DataFrame")
    assert_type(result.shuffled(seed=1), "pl.DataFrame")
    assert_type(shoal.anonymize(own, k=3).data, OwnFrame)
    assert_type(shoal.anonymize(polars, 3, progress=True).data, "pl.DataFrame")
    rows = [[1, 2], [3, 4], [5, 6]]
    assert_type(shoal.anonymize(rows, 3).data, list[list[int]])
    assert_type(shoal.anonymize("t.csv", k=3).data, shoal.Table)
    assert_type(shoal.anonymize(Path("t.csv"), k=3).data, shoal.Table)
    assert_type(shoal.anonymize(matrix, k=3).data, shoal.Table)
    assert_type(shoal.anonymize(table, k=3).data, object)
    assert_type(shoal.anonymize(polars, preset="ema").data, "pl.DataFrame")
    shoal.anonymize(polars, k="three")  # type: ignore[call-overload]
    result.data.no_such_method()  # type: ignore[attr-defined]
