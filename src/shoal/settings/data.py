"""Options of the data: how it is read, and which column plays which role."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from shoal.hints import option
from shoal.settings.kinds import (
    CHOICES,
    COUNTS,
    FOLDER,
    NAMES,
    SEVERAL,
    SOME_NAMES,
    WHOLE,
    WORDS_OF,
)
from shoal.settings.option import COMMANDS, MAKES_GROUPS, Names, Option, Part

if TYPE_CHECKING:
    from shoal.table.dialects.dialect import Dialect, How

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
    encoding: Annotated[
        str | None,
        _reading(
            "The encoding of csv: cp1252, latin-1, utf-16. Default: byte order mark, or UTF-8. "
            "Also of an SPSS, Stata or SAS file, in place of the one that it names."
        ),
    ] = None
    decimal: Annotated[
        str, _reading("The decimal separator of numbers in csv. Default: a point.")
    ] = "."
    thousands: Annotated[
        str, _reading("The thousands separator of numbers in csv: . in 1.234,5. Default: none.")
    ] = ""
    date_format: Annotated[
        str | dict[str, str] | None,
        _reading(
            "How csv writes dates: %d.%m.%Y, or COLUMN=FORMAT; repeatable. Default: %Y-%m-%d.",
            CHOICES,
        ),
    ] = None
    skip_lines: Annotated[
        int, _reading("How many lines to skip above the header of a csv file.", WHOLE, least=0)
    ] = 0
    comment: Annotated[str | None, _reading("What comment lines of a csv file begin with: #.")] = (
        None
    )
    quote: Annotated[str, _reading("The quote character of csv. Default: a double quote.")] = '"'
    widths: Annotated[
        tuple[int, ...],
        _reading("The width of each column in characters, for fixed-width text: 5,2,8.", COUNTS),
    ] = ()
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
    sheet: Annotated[
        str | None, _reading("The sheet of a spreadsheet, where several hold something.")
    ] = None
    hierarchies: Annotated[
        str | None,
        _reading(
            "A folder with hierarchies named COLUMN.csv.", FOLDER, ("--hierarchies",),
            functions=(), desk=False, argument="hierarchy_folder",
        ),
    ] = None  # fmt: skip
    hierarchies_sha256: dict[str, str] = {}

    @property
    def dialect(self) -> Dialect:
        """How the text of a csv file is written."""
        from shoal.table.dialects.dialect import dialect_of

        return dialect_of(self.delimiter, **self.how)

    @property
    def how(self) -> How:
        """How the text of a csv file is written, as arguments, without the delimiter."""
        from shoal.table.dialects.dialect import HOW

        every: Any = {name: getattr(self, name) for name in HOW}
        return every  # type: ignore[no-any-return]

    @property
    def is_plain(self) -> bool:
        """Whether nothing is said of how the input is read."""
        from shoal.table.dialects.dialect import PLAIN

        return self.dialect == PLAIN and not self.types and self.missing == ("",)


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
            f"and {option('l')}, {option('t')}, {option('alpha')} count people.",
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
