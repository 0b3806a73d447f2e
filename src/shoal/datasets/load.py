"""The embedded sample, and the reference tables of the literature from the folder SHOAL_DATA."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, replace
from pathlib import Path

from shoal.errors import InputError, RequestError, nearest_names, shown
from shoal.table.assign import with_roles
from shoal.table.read import read
from shoal.table.roles import Role
from shoal.table.table import Table

HERE = Path(__file__).parent


def patients_recipe() -> Path:
    """Return the path of the sample's recipe, which names its roles."""
    return HERE / "patients.toml"


def load_patients() -> Table:
    """Return 2,000 invented hospital stays, with their roles.

    Some cells of postcode, sex and weight are missing. `benchmarks/sample/make_patients.py` made
    them.
    """
    roles = {
        "name": Role.IDENTIFIER,
        "number": Role.IDENTIFIER,
        "diagnosis": Role.SENSITIVE,
        "cost": Role.OTHER,
    }
    table = read(HERE / "patients.csv")
    return with_roles(table, {name: roles.get(name, Role.QUASI_IDENTIFIER) for name in table.names})


@dataclass(frozen=True)
class Reference:
    """A reference table: its file, the file's hash, what it is, and which columns are used."""

    file: str
    sha256: str
    about: str
    columns: tuple[str, ...] = ()
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ()


_EIA10 = (
    "RESREVENUE", "RESSALES", "COMREVENUE", "COMSALES", "INDREVENUE", "INDSALES",
    "OTHREVENUE", "OTHRSALES", "TOTREVENUE", "TOTSALES",
)  # fmt: skip
_CASC = "one of the CASC project's reference tables, shipped with the R package sdcMicro"
_EIA_SHA = "4df54e21b3451e3c0b6081fa1c9ef5dbd8f09d484925ed2ade759b78b4869d1b"

REFERENCES = {
    "census": Reference(
        "census.csv",
        "40fb91564d4379274610e941161fd38729adb471bddb9c71d7c01ef142fd0f5b",
        f"1,080 records × 13 of the U.S. Census Bureau, 1995: {_CASC} (CASCrefmicrodata)",
    ),
    "tarragona": Reference(
        "tarragona.csv",
        "d5f719a134a3476b2157d9675d1a2b211dbc06ad6109685ad1e4b7847cfa45a4",
        f"834 companies × 13 of Tarragona, 1995: {_CASC} (Tarragona)",
    ),
    "eia": Reference(
        "eia.csv",
        _EIA_SHA,
        f"4,092 records × 11 of the U.S. Energy Information Authority, 1996: {_CASC} (EIA)",
        columns=("UTILITYID", *_EIA10),
    ),
    "eia10": Reference(
        "eia.csv",
        _EIA_SHA,
        f"4,092 records × 10 of the U.S. Energy Information Authority, 1996: {_CASC} (EIA)",
        columns=_EIA10,
    ),
    "adult": Reference(
        "adult.csv",
        "a5285dcbb21f02ae7024f608e16238a8601d638c5e5b8e17fd691b9359776461",
        "48,842 records of the UCI Machine Learning Repository's Adult, training and test part "
        "together, with an empty cell for a missing one",
        quasi_identifiers=(
            "age", "workclass", "education", "marital-status", "occupation", "race", "sex",
            "native-country",
        ),
        sensitive=("salary-class",),
    ),
}  # fmt: skip


def load(name: str) -> Table:
    """Return a reference table from the folder that the environment variable SHOAL_DATA names."""
    if name not in REFERENCES:
        raise RequestError(
            f"there is no reference table {shown(name)}{nearest_names(str(name), REFERENCES)}"
        )
    reference = REFERENCES[name]
    folder = os.environ.get("SHOAL_DATA")
    path = Path(folder) / reference.file if folder else None
    if path is None or not path.is_file():
        raise InputError(
            f"{reference.file} is not here. It holds {reference.about}. Export it as csv with a "
            "header, put it in a folder, and name the folder in the environment variable SHOAL_DATA"
        )
    if hashlib.sha256(path.read_bytes()).hexdigest() != reference.sha256:
        raise InputError(
            f"{reference.file} is not the file we know (its sha256 should be {reference.sha256}); "
            f"it should hold {reference.about}"
        )
    table = read(path)
    if reference.columns:
        return replace(table, columns=tuple(table[column] for column in reference.columns))
    if reference.quasi_identifiers:
        named = dict.fromkeys(reference.quasi_identifiers, Role.QUASI_IDENTIFIER)
        named |= dict.fromkeys(reference.sensitive, Role.SENSITIVE)
        return with_roles(table, named)
    return table
