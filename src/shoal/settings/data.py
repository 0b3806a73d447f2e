"""Options of the data: how it is read, and which column plays which role."""

from __future__ import annotations

from functools import partial
from typing import Annotated

from shoal.settings.kinds import FOLDER, NAMES, SEVERAL, SOME_NAMES, WORDS_OF
from shoal.settings.option import COMMANDS, MAKES_GROUPS, Names, Option, Part

_column = partial(Option, "Columns")
_reading = partial(Option, "Reading")
MAKES_ITS_OWN = {"compare": "it makes groups itself; see shoal.refine for groups that are given"}


class InputSettings(Part):
    """Where the data is and how it is written; `hierarchies` is a folder of files COLUMN.csv.

    `commitment` stands for the input where its path and hash are not told, in a pack.
    """

    path: str | None = None
    sha256: str | None = None
    commitment: str | None = None
    delimiter: Annotated[
        str | None, _reading("What separates csv columns; found from the header if not given.")
    ] = None
    missing: Annotated[
        Names,
        _reading(
            "A cell text that means missing; may be repeated. Default: the empty cell.",
            SEVERAL, commands=COMMANDS,
        ),
    ] = ("",)  # fmt: skip
    types: Annotated[
        dict[str, str],
        _reading(
            "COLUMN=number, text, date or boolean, where csv leaves a doubt; repeatable.",
            WORDS_OF, ("--type",),
        ),
    ] = {}  # fmt: skip
    hierarchies: Annotated[
        str | None,
        _reading(
            "A folder with hierarchies named COLUMN.csv.", FOLDER, ("--hierarchies",),
            functions=(), desk=False, argument="hierarchy_folder",
        ),
    ] = None  # fmt: skip
    hierarchies_sha256: dict[str, str] = {}


class RoleSettings(Part):
    """Which column plays which role; `drop` lists columns that are left out of the release.

    `weight`, `by`, `household` and `person` are other columns, quasi-identifiers and identifiers.
    """

    identifiers: Annotated[
        Names, _column("Columns that name a person; dropped.", NAMES, ("--identifier",))
    ] = ()
    quasi_identifiers: Annotated[
        Names, _column("Quasi-identifiers: a,b,c; may be repeated.", SOME_NAMES, ("--quasi",))
    ] = ()
    sensitive: Annotated[
        Names, _column("Columns not to be learned about a person; kept.", NAMES)
    ] = ()
    other: Annotated[Names, _column("Columns released as they are.", NAMES)] = ()
    drop: Annotated[Names, _column("Columns to leave out.", NAMES)] = ()
    group: Annotated[
        str | None,
        _column(
            "The column that says which group a record is in; left out.", commands=("refine",),
            needed=("refine",), instead=MAKES_ITS_OWN, desk=False,
        ),
    ] = None  # fmt: skip
    weight: Annotated[
        str | None, _column("The column of survey weights: how many a record stands for.")
    ] = None
    by: Annotated[
        Names,
        _column("Strata: groups are made within the combinations of these columns: a,b.", NAMES),
    ] = ()
    household: Annotated[
        str | None,
        _column(
            "The column that says whose records stay together: k counts households.",
            commands=MAKES_GROUPS,
        ),
    ] = None
    person: Annotated[
        str | None,
        _column(
            "The identifier that says whose record each is: every class holds at least k people, "
            "and --l, --t, --alpha count people.",
            commands=MAKES_GROUPS,
        ),
    ] = None
    keep_unique: Annotated[
        Names,
        _column(
            "Other columns to release though most records are unique in them: a,b; repeatable.",
            NAMES, ("--keep-unique", "--keep"),
        ),
    ] = ()  # fmt: skip

    @property
    def any_given(self) -> bool:
        """Whether any column has been given a role."""
        return bool(self.identifiers or self.quasi_identifiers or self.sensitive or self.other)
