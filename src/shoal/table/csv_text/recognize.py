"""Columns of plain numbers, dates and times, recognized by their bytes all at once.

Most columns of most files are of one kind. Whether all cells are can be told from how many bytes
are no digits and from where those stand, without a look at each distinct cell (`distinct.py`); the
values are Arrow's own. What is not recognized here may still be a number or a date: a slow look
tells.
"""

from __future__ import annotations

import numpy as np

from shoal.table.csv_text.plain import Plain
from shoal.table.csv_text.plain_moments import as_dates, as_moments
from shoal.table.csv_text.plain_numbers import as_exponents, as_numbers
from shoal.table.csv_text.trimmed import Trimmed
from shoal.table.dialects.notation import STRICT, Notation


def recognized(cells: Trimmed, notation: Notation = STRICT) -> Plain | None:
    """Return what the cells of a column are when each is a plain number, date or time.

    Postcondition: every present text has the one form, and the values are those it names.
    """
    if np.any((cells.lengths == 0) & cells.present) or not cells.present.any():
        return None
    first = int(np.argmax(cells.present))
    start, end = cells.starts[first : first + 2]
    text = cells.data[start:end].tobytes()
    if text.strip(b"0123456789+-eE.:TZ " + (notation.decimal + notation.date).encode()):
        return None
    if text[4:5] == b"-" or notation.date != STRICT.date:
        found = as_dates(cells, len(text), notation.date)
        if found is None and notation.date == STRICT.date:
            found = as_moments(cells, text.decode())
        if found is not None:
            return found
    return as_numbers(cells, notation.decimal) or as_exponents(cells, notation.decimal)
