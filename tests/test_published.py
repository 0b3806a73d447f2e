"""The figures of the literature, on the reference tables."""

from __future__ import annotations

import csv
import hashlib
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import naive
import shoal

pytestmark = pytest.mark.reference

FOLDER = Path(__file__).parent / "published"


def figures(name):
    with (FOLDER / name).open() as file:
        return [
            pytest.param(row["table"], int(row["k"]), Decimal(row["information_loss"]))
            for row in csv.DictReader(file)
        ]


@cache
def table(name):
    return shoal.datasets.load(name)


def equal_at_printed_digits(found, printed):
    """Whether a figure lies within half a unit of the printed one's last digit."""
    half = Decimal(1).scaleb(printed.as_tuple().exponent) / 2
    return abs(Decimal(found) - printed) <= half + Decimal("1e-9")


@pytest.mark.parametrize(("name", "k", "printed"), figures("mdav.csv"))
def test_mdav(name, k, printed):
    """Classic MDAV loses what it is known to lose, to four digits."""
    found = shoal.microaggregate(table(name), k).information_loss
    assert equal_at_printed_digits(found, printed), found


@pytest.mark.parametrize(("name", "k", "printed"), figures("cbfs-nc.csv"))
def test_cbfs_nc(name, k, printed):
    """CBFS-NC loses what the 2018 paper prints."""
    found = shoal.microaggregate(table(name), k, method="cbfs-nc").information_loss
    assert equal_at_printed_digits(found, printed), found


@pytest.mark.parametrize("method", ["mdav", "cbfs-nc"])
@pytest.mark.parametrize("name", ["tarragona", "census"])
def test_labels_equal_the_twins(name, method):
    """On real tables the labels are those of the slow twin."""
    matrix = naive.standardize(np.asarray(table(name)))
    groups = naive.METHODS[method](naive.Floats(matrix), 5)
    found = shoal.microaggregate(matrix, 5, method=method, standardize=False)
    assert found.labels.tolist() == naive.labels(groups, len(matrix))


def test_labels_equal_the_twins_on_a_large_table():
    """eia, with its many equal records, too: same groups from our own standardization."""
    matrix = naive.standardize(np.asarray(table("eia")))
    groups = naive.mdav(naive.Floats(matrix), 10)
    found = shoal.microaggregate(table("eia"), 10)
    ours = naive.information_loss(matrix, [group.tolist() for group in found.members()])
    assert ours == pytest.approx(naive.information_loss(matrix, groups), abs=1e-9)
    assert found.labels.tolist() == naive.labels(groups, len(matrix))


def test_shapes():
    """The reference tables have the shapes the literature gives, and adult its missing share."""
    shapes = {name: np.asarray(table(name)).shape for name in ("tarragona", "census", "eia")}
    assert shapes == {"tarragona": (834, 13), "census": (1080, 13), "eia": (4092, 11)}
    assert np.asarray(table("eia10")).shape == (4092, 10)
    adult = table("adult")
    quasi = [column for column in adult.columns if column.role == "quasi-identifier"]
    assert (len(adult), len(quasi)) == (48842, 8)
    assert sum(column.missing for column in quasi) / (48842 * 8) == pytest.approx(0.0165, abs=5e-5)


def test_other_file_is_refused(tmp_path, monkeypatch):
    """A file of the right name and the wrong content is not taken for the reference table."""
    (tmp_path / "census.csv").write_text("a,b\n1,2\n")
    monkeypatch.setenv("SHOAL_DATA", str(tmp_path))
    digest = hashlib.sha256(b"a,b\n1,2\n").hexdigest()
    with pytest.raises(shoal.InputError, match="not the file we know") as caught:
        shoal.datasets.load("census")
    assert digest not in str(caught.value)
