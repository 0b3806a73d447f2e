"""Roles: explicit, checked, never guessed."""

from __future__ import annotations

import pytest

import shoal
from shoal.settings import RoleSettings
from shoal.table.assign import assign
from shoal.table.roles import Role

TEXT = "name,age,city,id,note\n" + "".join(f"p{i},{i % 3},c{i % 2},{i},same\n" for i in range(8))


@pytest.fixture
def table(write):
    return shoal.read(write("t.csv", TEXT))


def roles_of(assigned):
    return {column.name: column.role for column in assigned.table.columns}


def test_unnamed_columns_are_other_and_listed(table):
    """With any role given, what nobody named is `other`, and the caller hears about it."""
    roles = RoleSettings(quasi_identifiers=("age",), identifiers=("name", "id"))
    assigned = assign(table, roles)
    assert assigned.unnamed == ("city", "note")
    assert roles_of(assigned)["city"] is Role.OTHER


@pytest.mark.parametrize("unnamed", ["name", "id"])
def test_unnamed_unique_column_stops(table, unnamed):
    """A unique column that nobody named stops the run, unless it is named by `other`."""
    identifiers = {"name", "id"} - {unnamed}
    given = RoleSettings(quasi_identifiers=("age",), identifiers=tuple(identifiers))
    with pytest.raises(shoal.RequestError, match=f"column '{unnamed}': no two records share"):
        assign(table, given)
    named = given.model_copy(update={"other": (unnamed,)})
    assert roles_of(assign(table, named))[unnamed] is Role.OTHER


def test_no_roles_all_quasi_identifiers(write):
    """With no role given every column is a quasi-identifier."""
    table = shoal.read(write("t.csv", "a,b\n1,x\n2,x\n3,y\n3,y\n"))
    assert set(roles_of(assign(table, RoleSettings())).values()) == {Role.QUASI_IDENTIFIER}


def test_no_roles_identifier_stops(table):
    """With no role given a text column that looks like an identifier stops the run by name."""
    with pytest.raises(
        shoal.RequestError, match=r"'name' may identify people.*identifiers=\['name'\]"
    ):
        assign(table, RoleSettings())


def test_nearly_unique_text_stops(write):
    """A text column in which more than nine of ten values differ looks like an identifier."""
    rows = "".join(f"{i % 2},p{i if i != 5 else 4}\n" for i in range(20))
    table = shoal.read(write("t.csv", "a,b\n" + rows))
    with pytest.raises(shoal.RequestError, match="'b' may identify"):
        assign(table, RoleSettings())


@pytest.mark.parametrize(
    ("roles", "message"),
    [
        ({"quasi_identifiers": ("agee",)}, "no column 'agee'; did you mean 'age'"),
        ({"quasi_identifiers": ("age", "age")}, "'age' is named twice as quasi-identifier"),
        ({"quasi_identifiers": ("age",), "sensitive": ("age",)}, "as quasi-identifier and sensi"),
        ({"quasi_identifiers": ("age",), "drop": ("age",)}, "as quasi-identifier and drop"),
        ({"sensitive": ("age",)}, "roles are given but no quasi-identifier"),
        ({"drop": ("name", "age", "city", "id", "note")}, "every column is dropped"),
    ],
)
def test_contradictions(table, roles, message):
    """Unknown, repeated and contradicting names are errors."""
    with pytest.raises(shoal.RequestError, match=message):
        assign(table, RoleSettings(**roles))


def test_drop_alone_gives_no_role(write):
    """Leaving a column out is not giving a role."""
    table = shoal.read(write("t.csv", TEXT))
    assigned = assign(table, RoleSettings(drop=("name", "id")))
    assert set(roles_of(assigned).values()) == {Role.QUASI_IDENTIFIER}
    assert list(roles_of(assigned)) == ["age", "city", "note"]


def test_a_table_keeps_its_own_roles():
    """A table that came with roles keeps them when none are given."""
    patients = shoal.datasets.load_patients()
    assert assign(patients, RoleSettings()).table.schema == patients.schema
