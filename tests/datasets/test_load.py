"""The sample and the reference tables' loader."""

from __future__ import annotations

import pytest

import shoal
from shoal.settings import load as load_recipe


def test_patients():
    """The sample is a table with roles, and its recipe names the same ones."""
    table = shoal.datasets.load_patients()
    assert len(table) == 2000
    recipe = load_recipe(shoal.datasets.patients_recipe())
    roles = recipe.roles
    named = [*roles.identifiers, *roles.quasi_identifiers, *roles.sensitive, *roles.other]
    assert sorted([*named, *roles.drop]) == sorted(table.names)
    missing = {column.name for column in table.columns if column.missing}
    assert missing == {"sex", "postcode", "weight"}
    assert missing <= set(roles.quasi_identifiers)
    assert str(table).startswith("Table patients.csv: 2000 records × 11 columns")


def test_missing_reference_table(monkeypatch, tmp_path):
    """Where a reference table is not at hand the error says what it is and how to get it."""
    for setting in (None, str(tmp_path)):
        if setting is None:
            monkeypatch.delenv("SHOAL_DATA", raising=False)
        else:
            monkeypatch.setenv("SHOAL_DATA", setting)
        with pytest.raises(shoal.InputError, match=r"CASC project.*sdcMicro.*SHOAL_DATA"):
            shoal.datasets.load("tarragona")
        with pytest.raises(shoal.InputError, match="UCI Machine Learning Repository"):
            shoal.datasets.load("adult")


def test_unknown_reference_table():
    """A wrong name is answered with the nearest ones."""
    with pytest.raises(shoal.RequestError, match="did you mean 'census'"):
        shoal.datasets.load("censsus")
