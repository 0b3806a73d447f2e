"""Files of statistics programs: SPSS, Stata, SAS -> Table, by the extra `formats`.

A coded column whose values all have labels becomes a category of the labels, with an order where
the measure level says ordinal; other labels name missing values, which are missing. Whole numbers
are whole, though such files hold floats.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from shoal.errors import InputError
from shoal.table.formats import extra, statistics_reader
from shoal.table.opening import check_file_name, read_bytes
from shoal.table.source import Source
from shoal.table.table import Table
from shoal.table.unpacking import check_unpacked

CELL = 8  # bytes of a number
EXACT = 2.0**53  # up to which floats are whole numbers


def read_statistics(path: Path) -> Table:
    """Return the Table of an SPSS, Stata or SAS file."""
    from shoal.table.frames import check_names, from_arrow
    from shoal.table.ordinal import with_orders

    check_file_name(path.name)
    raw = read_bytes(path)
    pyreadstat = extra("pyreadstat", path.name)
    read = getattr(pyreadstat, statistics_reader(path.name))
    try:
        _, facts = read(str(path), metadataonly=True)
        cells = (facts.number_rows or 0) * facts.number_columns
        check_unpacked(CELL * cells, len(raw), path.name)
        values, facts = read(str(path), output_format="dict")
    except InputError:
        raise
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, OSError, ValueError):
        raise InputError(f"{path.name}: not a whole file of its kind, or damaged") from None
    names = list(values)
    check_names(names, path.name)
    labels = facts.variable_value_labels
    arrays, orders = {}, {}
    for name in names:
        own = labels.get(name)
        arrays[name] = _array(values[name])
        if own and _all_labelled(values[name], own):
            arrays[name] = pa.array([own.get(value) for value in values[name]], pa.string())
            if facts.variable_measure.get(name) == "ordinal":
                orders[name] = _ordered(own)
    check_unpacked(sum(array.nbytes for array in arrays.values()), len(raw), path.name)
    digest = hashlib.sha256(raw).hexdigest()
    source = Source(path.name, "statistics", digest, path=str(path), columns=tuple(names))
    return with_orders(from_arrow(pa.table(arrays), source), orders)


def _all_labelled(values: Sequence[Any], labels: Mapping[Any, str]) -> bool:
    """Tell whether every value that is there has a label, and no two values the same."""
    there = {value for value in values if value is not None}
    return bool(there) and there <= set(labels) and len(set(labels.values())) == len(labels)


def _ordered(labels: Mapping[Any, str]) -> tuple[str, ...]:
    return tuple(labels[code] for code in sorted(labels))


def _array(values: Sequence[Any]) -> Any:
    """Return the values of a column; floats that are whole become integers, empty texts missing."""
    first = next((value for value in values if value is not None), None)
    if isinstance(first, str):
        return pa.array([value or None for value in values], pa.string())
    if isinstance(first, int | float):
        there = np.array([value for value in values if value is not None], dtype=np.float64)
        if np.all(there == np.rint(there)) and np.all(np.abs(there) < EXACT):
            return pa.array([None if v is None else int(v) for v in values], pa.int64())
        return pa.array(values, pa.float64())
    return pa.array(values)
