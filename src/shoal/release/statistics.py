"""Files of SPSS, Stata or SAS, by the extra `formats`: how each column is held, and their bytes.

A column of codes with value labels is written as its codes, and what generalization made of them
(ranges, nodes, `*`) as further codes after the largest, with labels of their own. Of a column whose
values are those of groups, only labels of released values are written, as labels that some program
made of the data would tell which values there were. A number without labels that became an interval
is a string.

Labels, measure levels, missing definitions, formats and widths of the input's codebook are written
with the columns that they are of. The time of writing is not said.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from shoal.errors import OutputError, RequestError, listed
from shoal.kernels.arrays import Integers
from shoal.release.plain_values import (
    IN_PARQUET,
    as_moments,
    as_numbers,
    as_texts,
    largest,
    refused,
)
from shoal.table.files.formats import extra
from shoal.table.files.variable import Code, Variable
from shoal.table.roles import Column, Kind
from shoal.table.table import Table

FRAMES = "polars"  # whose dataframes pyreadstat writes; it takes no Arrow tables
STATA = 14  # the version of Stata whose files every later one reads
TIMES = {
    "dta": (re.compile(rb"(?<=<timestamp>\x11)[^<]{17}"), b"01 Jan 1980 00:00"),
    "sav": (re.compile(rb"(?s)(?<=^.{92}).{17}"), b"01 Jan 8000:00:00"),
    "xpt": (re.compile(rb"\d\d[A-Z]{3}\d\d(?::\d\d){3}"), b"01JAN80:00:00:00"),
}  # where files say when they were written, in their first bytes
HEADER = 1_000
TEXTS = re.compile(r"(A|AHEX)\d+|%-?\d*s|\$.*", re.IGNORECASE)  # formats of texts
SPSS_WORDS = re.compile("ALL|AND|BY|EQ|GE|GT|LE|LT|NE|NOT|OR|TO|WITH", re.IGNORECASE)
STATA_WORDS = re.compile(
    "_all|_b|byte|_coef|_cons|double|float|if|in|int|long|_n|_N|_pi|_pred|_rc|_skip|strL|using|with"
    r"|str\d+"
)
SAS_WORDS = re.compile("_N_|_ERROR_|_NUMERIC_|_CHARACTER_|_ALL_", re.IGNORECASE)


@dataclass(frozen=True)
class Target:
    """Limits of a kind of file.

    `names` is what a column's name must match, said in `rule`; `bytes_of_name` is how long it may
    be, and `reserved` are words of the program that it must not be. `text` is bytes of a text,
    `value_label` bytes of a value label, `label` signs and bytes of a variable's label.
    """

    what: str
    family: str
    names: re.Pattern[str]
    rule: str
    bytes_of_name: int
    reserved: re.Pattern[str]
    text: int
    value_label: int
    label: tuple[int, int]
    largest: float = 1.7e308
    least: float = 0.0
    has_codes: bool = True
    keeps_spaces: bool = False

    def cut(self, label: str) -> str:
        """Return the label of a variable, cut to what the file can hold."""
        signs, most = self.label
        return label[:signs].encode("utf-8")[:most].decode("utf-8", "ignore")

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse names that columns of such a file cannot have."""
        bad = [name for name in names if not self._takes(name)]
        if bad:
            raise RequestError(
                f"{self.what} cannot have columns named {listed(bad)}: {self.rule}, and no word of "
                f"{self.family} itself; rename them in the input, or write csv or Parquet"
            )
        seen: dict[str, str] = {}
        for name in names:
            other = seen.setdefault(name.casefold(), name)
            if other != name and self.family != "Stata":
                raise RequestError(
                    f"{self.what} takes the names {listed([other, name])} for one; rename one in "
                    "the input, or write csv or Parquet"
                )

    def _takes(self, name: str) -> bool:
        if self.names.fullmatch(name) is None or self.reserved.fullmatch(name) is not None:
            return False
        return len(name.encode()) <= self.bytes_of_name


SPSS = Target(
    "an SPSS file", "SPSS", re.compile(r"[^\W\d_][\w.$#@]*(?<!\.)"),
    "a letter, then letters, digits and . _ $ # @, in all 64 bytes", 64, SPSS_WORDS, 32_767, 120,
    (256, 252),
)  # fmt: skip
TARGETS = {
    "sav": SPSS,
    "zsav": SPSS,
    "dta": Target(
        "a Stata file", "Stata", re.compile(r"[^\W\d]\w{0,31}"),
        "letters, digits and _, in all 32 signs, no digit first", 128, STATA_WORDS, 2_000_000,
        32_000, (80, 320), largest=8.9e307, keeps_spaces=True,
    ),
    "xpt": Target(
        "a SAS transport file", "SAS", re.compile(r"[A-Za-z_][A-Za-z0-9_]*"),
        "plain letters, digits and _, in all 32 signs, no digit first", 32, SAS_WORDS, 32_767, 0,
        (256, 256), largest=7e75, least=6e-79, has_codes=False,
    ),
}  # fmt: skip
INT32 = 2_147_483_620  # the largest whole number that Stata does not take for a missing one
EXACT = 2**53
FLAGS: dict[Code, str] = {0: "false", 1: "true"}
NUMBERS, STRINGS, DATES = "numbers", "strings", "dates"
CODES, LABELS = "codes with value labels", "strings: the labels of its codes"
MORE = "codes with value labels; {0} that the release made follow the largest code"


@dataclass(frozen=True)
class Held:
    """The values of a column as they are written, their labels, and `words` for both.

    `missing` are the ranges of codes that mean missing, `label` is the variable's, cut to what the
    file can hold.
    """

    values: Any
    words: str
    labels: Mapping[Code, str] = field(default_factory=dict)
    missing: tuple[tuple[Code, Code], ...] = ()
    label: str = ""


def held(column: Column, kind: str) -> Held:
    """Return how a file of this kind holds a column."""
    target = TARGETS[kind]
    made = _held(column, target)
    variable = column.variable
    if variable is None:
        return made
    label, missing, words = target.cut(variable.label), _missing(variable, made), made.words
    if label != variable.label:
        words += "; its label was cut"
    if variable.missing and not missing and not words.startswith((STRINGS, DATES)):
        words += "; without its missing definitions, which released values would fall under"
    return Held(made.values, words, made.labels, missing, label)


def _missing(variable: Variable, made: Held) -> tuple[tuple[Code, Code], ...]:
    """Return the missing definitions that hold for what is written.

    Where a released value would be taken for a missing one, none do.
    """
    if made.words == DATES:
        return ()
    is_text = pa.types.is_string(made.values.type)
    missing = tuple(one for one in variable.missing if isinstance(one[0], str) == is_text)
    own = replace(variable, missing=missing)
    return () if any(map(own.means_missing, _distinct(made.values))) else missing


def _held(column: Column, target: Target) -> Held:
    variable, kind = column.variable, column.kind
    if not kind.is_grouped:
        raise refused(column, f"{target.what} has no type for its cells", IN_PARQUET)
    if kind is Kind.BOOLEAN:
        numbers = column.values.cast(pa.int32())
        return Held(numbers, CODES, FLAGS) if target.has_codes else Held(numbers, NUMBERS)
    if kind is Kind.DATE:
        return Held(column.values.cast(pa.date32()), DATES)
    if kind is Kind.DATETIME:
        return Held(as_moments(column), DATES)
    if kind is Kind.TEXT:
        return _text(column, variable, target)
    return _number(column, variable, target)


def _number(column: Column, variable: Variable | None, target: Target) -> Held:
    """Return numbers, with the labels of single ones where the codebook has some."""
    values = column.values if column.kind is Kind.INTEGER else as_numbers(column)
    most = largest(values)
    if column.kind is Kind.INTEGER:
        if most > EXACT:
            raise refused(column, "its whole numbers have more digits than such a file holds")
        values = values.cast(pa.int32() if most <= INT32 else pa.float64())
    least = pc.min(pc.abs(pc.if_else(pc.equal(values, 0), None, values))).as_py()
    if most > target.largest or (least is not None and least < target.least):
        raise refused(column, f"{target.what} cannot hold numbers so large or small")
    labels = dict(variable.labels) if variable is not None and target.has_codes else {}
    if not labels or variable is None:
        return Held(values, NUMBERS)
    there = set(_distinct(values))
    if column.protected:
        labels = {c: t for c, t in labels.items() if c in there or variable.means_missing(c)}
    # of such a file whoever reads it would take the numbers for categories
    if there <= set(labels) and len(set(labels.values())) == len(labels):
        return Held(values, f"{NUMBERS}; without value labels, which all of them would have")
    if values.type == pa.int32() and not all(type(code) is int for code in labels):
        values = values.cast(pa.float64())
    return Held(values, NUMBERS, labels)


def _text(column: Column, variable: Variable | None, target: Target) -> Held:
    """Return codes where the codebook has some, else texts."""
    texts = as_texts(column.values)
    if variable is None or not variable.coded or not target.has_codes:
        _check_texts(column, texts, target)
        return Held(texts, LABELS if variable is not None and variable.coded else STRINGS)
    codes, there = dict(variable.codes), sorted(_distinct(texts))
    new = [text for text in there if text not in codes]
    codes |= _new_codes(column, new, codes)
    wanted = {*there, *(label for code, label in variable.labels if variable.means_missing(code))}
    labels = {code: text for text, code in codes.items() if text in wanted or not column.protected}
    if any(len(label.encode()) > target.value_label for label in labels.values()):
        raise refused(
            column, f"a value label has more than {target.value_label} bytes, which is the limit"
        )
    kind = pa.float64()
    if all(isinstance(code, str) for code in codes.values()):
        kind = pa.string()
    elif all(type(code) is int and abs(code) <= INT32 for code in codes.values()):
        kind = pa.int32()
    values = pa.array([codes[text] for text in there], kind).take(
        pc.index_in(texts, pa.array(there, pa.string()))
    )
    if kind == pa.string():
        _check_texts(column, values, target)
    return Held(values, MORE.format(len(new)) if new else CODES, labels)


def _new_codes(column: Column, new: list[str], known: Mapping[str, Code]) -> dict[str, Code]:
    """Return codes for texts that have none: numbers after the largest, or the texts themselves."""
    numbers = [code for code in known.values() if not isinstance(code, str)]
    if len(numbers) == len(known):
        largest_code = int(max(numbers)) if numbers else 0
        return {text: largest_code + place for place, text in enumerate(new, 1)}
    if set(new) & set(known.values()):
        raise refused(column, "a released value is spelled as one of its codes")
    return {text: text for text in new}


def _check_texts(column: Column, texts: Any, target: Target) -> None:
    """Refuse texts that would not come back as they are."""
    if (pc.max(pc.binary_length(texts)).as_py() or 0) > target.text:
        raise refused(column, f"its texts are longer than {target.text:,} bytes")
    if pc.any(pc.match_substring(texts, "\0")).as_py():
        raise refused(column, f"{target.what} cannot hold texts with NUL")
    if not target.keeps_spaces and pc.any(pc.ends_with(texts, " ")).as_py():
        raise refused(column, f"its texts end in spaces, which {target.what} does not keep")


def _distinct(values: Any) -> list[Any]:
    return [value for value in values.unique().to_pylist() if value is not None]


def held_as(table: Table, kind: str) -> dict[str, str]:
    """Return in words how a statistics file holds each column."""
    return {column.name: held(column, kind).words for column in table.columns}


def statistics_bytes(table: Table, order: Integers, kind: str) -> bytes:
    """Return a sav, zsav, dta or xpt file, the rows in an order."""
    name = f"release.{kind}"
    pyreadstat, polars = extra("pyreadstat", name), extra(FRAMES, name)
    TARGETS[kind].check_names(table.names)
    columns = {column.name: held(column, kind) for column in table.columns}
    index = pa.array(order)
    arrays = {name: one.values.take(index) for name, one in columns.items()}
    frame = polars.from_arrow(pa.table(arrays))
    options = _options(table, columns, kind)
    with tempfile.TemporaryDirectory(prefix="shoal-") as folder:
        path = Path(folder) / name
        try:
            if kind == "dta":
                pyreadstat.write_dta(frame, str(path), version=STATA, **options)
            elif kind == "xpt":
                pyreadstat.write_xport(frame, str(path), table_name="RELEASE", **options)
            else:
                pyreadstat.write_sav(frame, str(path), compress=kind == "zsav", **options)
        except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError):
            raise OutputError(
                f"the release cannot be written as {TARGETS[kind].what}; write csv or Parquet"
            ) from None
        return _without_time(path.read_bytes(), kind)


def _options(table: Table, columns: Mapping[str, Held], kind: str) -> dict[str, Any]:
    """Return what the file says of its columns beside their values."""
    options: dict[str, Any] = {
        "column_labels": {name: one.label for name, one in columns.items() if one.label},
        "variable_format": {
            column.name: column.variable.format
            for column in table.columns
            if column.variable is not None
            and _keeps_format(column, columns[column.name].words, kind)
        },
    }
    if TARGETS[kind].has_codes:
        options["variable_value_labels"] = {n: _used_labels(one) for n, one in columns.items()}
    variables = {c.name: c.variable for c in table.columns if c.variable is not None}
    if kind in ("sav", "zsav"):
        options["missing_ranges"] = {
            name: [{"lo": low, "hi": high} for low, high in one.missing]
            for name, one in columns.items()
            if one.missing
        }
        options["variable_measure"] = {name: one.measure for name, one in variables.items()} | {
            column.name: "ordinal" for column in table.columns if column.is_ordinal
        }
        options["variable_display_width"] = {
            name: one.width for name, one in variables.items() if one.width > 0
        }
    return options


def _used_labels(column: Held) -> dict[Any, str]:
    """Return the labels of codes that records have: others would tell of the original."""
    there = set(column.values.unique().to_pylist())
    return {code: label for code, label in dict(column.labels).items() if code in there}


def _keeps_format(column: Column, words: str, kind: str) -> bool:
    """Tell whether a column is shown as it was in the program that it comes from."""
    variable = column.variable
    if variable is None or not variable.format or variable.family != TARGETS[kind].family:
        return False
    if TEXTS.fullmatch(variable.format) is None:
        return words.startswith((NUMBERS, DATES, CODES))
    # the widths of SPSS and SAS are sizes of cells; Stata's may tell the longest original text
    return kind == "dta" and not column.protected and words.startswith(STRINGS)


def _without_time(content: bytes, kind: str) -> bytes:
    """Return a file that does not say when it was written."""
    pattern, instead = TIMES["sav" if kind == "zsav" else kind]
    return pattern.sub(instead, content[:HEADER]) + content[HEADER:]
