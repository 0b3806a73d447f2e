"""Statistics files that other packages ship: read, written and read again, they are the same.

`make real-files` fetches them and names their folder in SHOAL_REAL_FILES.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import shoal
from shoal.release.write import release_bytes
from shoal.table.files.formats import STATISTICS

FOLDER = os.environ.get("SHOAL_REAL_FILES")
WRITTEN = {"sas7bdat": "xpt"}  # what is not written in its own format
DAMAGED = "corrupt.sas7bdat", "zero_variables.sas7bdat"  # made so by whoever ships them
ENCODINGS = {"stata1_encoding_118.dta": "latin-1"}  # it names UTF-8
NOT_IN_SAS = (
    "dates_null.sas7bdat", "datetime.sas7bdat", "max_sas_date.sas7bdat", "many_columns.sas7bdat",
)  # fmt: skip


def real_files():
    """Return the files that were fetched."""
    if FOLDER is None:
        return []
    return sorted(one for one in Path(FOLDER).rglob("*") if one.suffix in STATISTICS)


@pytest.fixture(scope="module", params=real_files() or [None], ids=lambda one: one and one.name)
def path(request):
    """A file, one after the other."""
    if request.param is None:
        pytest.skip("files of other packages are fetched by make real-files")
    return request.param


def test_round_trip(path, tmp_path):
    """Values, kinds, labels, measures, missing definitions and formats are as they were."""
    if path.name in DAMAGED:
        with pytest.raises(shoal.InputError, match="damaged"):
            shoal.read(path)
        return
    if path.name in ENCODINGS:
        with pytest.raises(shoal.InputError, match="not in the encoding that the file names"):
            shoal.read(path)
    table = shoal.read(path, encoding=ENCODINGS.get(path.name))
    own = path.suffix.removeprefix(".")
    kind = WRITTEN.get(own, own)
    again = tmp_path / f"again.{kind}"
    if path.name in NOT_IN_SAS:
        with pytest.raises(shoal.RequestError, match=r"finer than a millisecond|no type"):
            release_bytes(table, np.arange(table.rows), kind)
        return
    again.write_bytes(release_bytes(table, np.arange(table.rows), kind))
    other = shoal.read(again)
    assert other.names == table.names
    for one, two in zip(table.columns, other.columns, strict=True):
        assert one.kind is two.kind, one.name
        assert one.order == two.order, one.name
        assert one.values.equals(two.values), one.name
        if kind == own:
            assert one.variable == two.variable, one.name
        else:  # formats of another program, or none of texts
            assert one.variable.label == two.variable.label, one.name
