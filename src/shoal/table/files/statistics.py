"""Files of statistics programs: SPSS, Stata, SAS -> Table, by the extra `formats`.

A coded column whose values all have labels becomes a category of the labels, with an order where
the measure level says ordinal; other labels name missing values, which are missing. Whole numbers
are whole, though such files hold floats. What else a file says of a column is its `Variable`.
Texts have the encoding that the file names, unless another is said: files of old programs name
none, and other programs wrote what they did not name.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import InputError
from shoal.hints import option
from shoal.table.files.formats import FAMILIES, ending_of, extra, statistics_reader
from shoal.table.files.opening import check_file_name, read_bytes
from shoal.table.files.unpacking import GZIP_FREE, GZIP_RATIO, check_unpacked
from shoal.table.files.variable import Code, Variable
from shoal.table.source import Source
from shoal.table.table import Table

CELL = 8  # bytes of a number
EXACT = 2.0**53  # up to which floats are whole numbers
ROWS = 2**31 - 2  # that a reader can be asked for
OF_TEXTS = "(invalid byte sequence)", "unsupported character set"  # how errors of a reader end
TEXTS = "string"  # what a reader calls columns of texts; any other is one of numbers
WITHOUT_USER_MISSING = ("read_xport", "read_por")


def read_statistics(path: Path, encoding: str | None = None) -> Table:
    """Return the Table of an SPSS, Stata or SAS file; its texts may be said to have an encoding."""
    from shoal.table.dataframes.frames import check_names, from_arrow
    from shoal.table.ordinal import with_orders

    check_file_name(path.name)
    raw = read_bytes(path)
    pyreadstat = extra("pyreadstat", path.name)
    reader = statistics_reader(path.name)
    how = {} if encoding is None else {"encoding": encoding.replace("_", "-")}  # as iconv has it
    read = partial(getattr(pyreadstat, reader), **how)
    codebook = {} if reader in WITHOUT_USER_MISSING else {"user_missing": True}
    try:
        _, facts = read(str(path), metadataonly=True, output_format="dict", **codebook)
        most = max(GZIP_FREE, GZIP_RATIO * len(raw))  # a header may not say how many rows there are
        rows = min(most // (CELL * max(facts.number_columns, 1)), ROWS)
        values, _ = read(str(path), output_format="dict", row_limit=rows + 1)
        records = max((len(cells) for cells in values.values()), default=0)
        check_unpacked(CELL * records * facts.number_columns, len(raw), path.name)
    except InputError:
        raise
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError) as error:
        raise InputError(f"{path.name}: {_reason(error, encoding)}") from None
    names = list(values)
    check_names(names, path.name)
    family = FAMILIES[ending_of(path.name)]
    variables = {name: _variable(name, facts, family, values[name]) for name in names}
    arrays, orders = {}, {}
    for name, variable in variables.items():
        arrays[name] = _array(values[name], facts.readstat_variable_types.get(name) == TEXTS)
        if variable.coded:
            labels = dict(variable.labels)
            arrays[name] = pa.array([labels.get(value) for value in values[name]], pa.string())
            if variable.measure == "ordinal":
                valid = (o for o in variable.labels if not variable.means_missing(o[0]))
                orders[name] = tuple(label for _, label in valid)
    check_unpacked(sum(array.nbytes for array in arrays.values()), len(raw), path.name)
    digest = hashlib.sha256(raw).hexdigest()
    source = Source(
        path.name, "statistics", digest, path=str(path), columns=tuple(names), encoding=encoding
    )
    table = with_orders(from_arrow(pa.table(arrays), source), orders)
    return table.mapped(lambda column: column.replace(variable=variables[column.name]))


def _reason(error: Exception, encoding: str | None) -> str:
    """Return why a file could not be read."""
    if not isinstance(error, UnicodeError) and not str(error).endswith(OF_TEXTS):
        return "not a whole file of its kind, or damaged"
    own = "the encoding that the file names" if encoding is None else f"the encoding {encoding}"
    return f"its texts are not in {own}; say {option('encoding', 'cp1252')} or what they are in"


def _variable(name: str, facts: Any, family: str, values: Sequence[Any]) -> Variable:
    """Return what the file says of a column."""
    labels: Mapping[Any, str] = facts.variable_value_labels.get(name) or {}
    is_text = facts.readstat_variable_types.get(name) == TEXTS
    own = {_plain(c): label for c, label in labels.items() if isinstance(c, str) == is_text}
    own = dict(sorted(own.items()))  # without Stata's .a to .z, which are missing
    return Variable(
        family,
        label=facts.column_names_to_labels.get(name) or "",
        labels=tuple(own.items()),
        coded=_all_labelled(values, own),
        measure=facts.variable_measure.get(name) or "unknown",
        missing=tuple(
            (_plain(one["lo"]), _plain(one["hi"])) for one in facts.missing_ranges.get(name, ())
        ),
        format=facts.original_variable_types.get(name) or "",
        width=facts.variable_display_width.get(name) or 0,
    )


def _plain(code: Any) -> Code:
    """Return a code as a whole number where it is one."""
    whole = isinstance(code, float) and abs(code) < EXACT and code == int(code)
    return int(code) if whole else code


def _all_labelled(values: Sequence[Any], labels: Mapping[Any, str]) -> bool:
    """Tell whether every value that is there has a label, and no two values the same."""
    there = {value for value in values if value is not None and value != ""}
    return bool(there) and there <= set(labels) and len(set(labels.values())) == len(labels)


def _array(values: Sequence[Any], is_text: bool) -> Any:
    """Return the values of a column; floats that are whole become integers, empty texts missing."""
    first = next((value for value in values if value is not None), None)
    if first is None:
        return pa.nulls(len(values), pa.string() if is_text else pa.float64())
    if isinstance(first, str):
        return pa.array([value or None for value in values], pa.string())
    if isinstance(first, int | float):
        there = np.array([value for value in values if value is not None], dtype=np.float64)
        if np.all(there == np.rint(there)) and np.all(np.abs(there) < EXACT):
            return pa.array([None if v is None else int(v) for v in values], pa.int64())
        return pa.array(values, pa.float64())
    if isinstance(first, datetime):
        return pa.array([None if v is None else _rounded(v) for v in values], pa.timestamp("us"))
    return pa.array(values)


def _rounded(moment: datetime) -> datetime:
    """Return a time without the error of seconds that are counted as floats from 1582 on."""
    return moment + timedelta(microseconds=round(moment.microsecond, -1) - moment.microsecond)
