"""`inspect`: what each column of a table seems to be, and what to say to a run."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack, cast

from shoal.errors import RequestError, shown
from shoal.settings.toml import toml_of, tupled
from shoal.settings.tree import tree_of, values_of
from shoal.storage.names import is_url
from shoal.table.dialects.dialect import How
from shoal.table.dialects.propose import Proposal, propose
from shoal.table.files.formats import is_text
from shoal.table.inspect import Inspection
from shoal.table.inspect import inspect as inspect_table
from shoal.table.ordinal import with_orders
from shoal.table.proposals.proposal import Proposed, Reading
from shoal.table.read import read
from shoal.table.table import Table


def inspect(
    data: Any,
    *,
    orders: Mapping[str, Sequence[str]] | None = None,
    delimiter: str | None = None,
    missing: Sequence[str] | None = None,
    types: Mapping[str, str] | None = None,
    **how: Unpack[How],
) -> Inspection:
    """Return what each column of a table seems to be, and options that fit. Nothing is run.

    Parameters
    ----------
    data : path, dataframe, array, list, dict or Table
        The table, as in `shoal.read`. A text file that is not plain csv is read as it seems to be
        written; `findings` say what speaks for that, `reading` has the options.
    orders : mapping of str to sequence of str, optional
        The orders of text columns, the least value first.
    delimiter, missing, types
        As in `shoal.read`.
    **how
        How a csv file is written, as in `shoal.read`.

    Returns
    -------
    Inspection
        Counts of every column with a proposed role, hierarchy and reason, and `options` for
        `shoal.anonymize`. It holds no cell.

    Notes
    -----
    Roles are proposed by names in English, German, French, Spanish, Dutch and Italian, by what
    cells look like (of 20,000 records of large tables), and by counts. What names people is
    proposed to be dropped, and what is not known to be grouped. Texts that are codes of one length,
    such as postcodes, get prefixes as hierarchy; `shoal.anonymize` takes the same where none is
    given, and says so.

    Examples
    --------
    >>> import shoal
    >>> seen = shoal.inspect(shoal.datasets.load_patients())
    >>> seen.options["identifiers"], seen.options["hierarchies"]
    (['name', 'number'], {'postcode': 'prefixes:4,3,2,1'})
    """
    given: dict[str, Any] = {"delimiter": delimiter, "missing": missing, "types": types, **how}
    said = {name: value for name, value in given.items() if value is not None}
    return look_at(data, {**said, "orders": orders} if orders else said)[1]


def look_at(data: Any, given: Mapping[str, Any]) -> tuple[Table, Inspection]:
    """Return the table of data as it seems to be written, and its inspection.

    `given` are options of reading, and orders, by name; what they say is not proposed.
    """
    options = dict(given)
    orders = options.pop("orders", None)
    found = Proposal()
    if isinstance(data, str | os.PathLike) and is_text(data):
        found = propose(Path(data))
    more = {name: value for name, value in found.options.items() if name not in options}
    reading = cast(Reading, {**options, **more})
    table = with_orders(read(data, **reading), orders)
    seen = inspect_table(table)
    return table, replace(
        seen, options=_joined(seen.options, reading, orders), reading=reading,
        proposed_reading=tuple(more), findings=tuple(found.findings),
    )  # fmt: skip


def _joined(proposed: Proposed, reading: Reading, orders: Any) -> Proposed:
    """Return proposed options with those of reading and orders; none where none is proposed."""
    if not proposed:
        return {}
    joined: Proposed = {**reading, **proposed}
    if "types" in reading:
        joined["types"] = {**proposed.get("types", {}), **reading["types"]}
    if orders:
        joined["orders"] = {**proposed.get("orders", {}), **orders}
    return joined


def recipe_of(inspection: Inspection, path: Path | None, k: int) -> str:
    """Return a recipe that does what is proposed, with a line on every column.

    Without a `path` it names no input.
    """
    if not inspection.options:
        raise RequestError("no recipe is proposed: no column is left to group")
    tree = tree_of(values_of({"k": k, **inspection.options}))
    if path is not None:
        place = str(path) if is_url(str(path)) else str(path.absolute())
        tree["input"] = {"path": place, **tree.get("input", {})}
    lines = [
        "# Proposed by shoal inspect: look at every role before it is run.",
        *(f"#   {shown(c.name)}: {c.suspected}: {c.reason}" for c in inspection.columns),
    ]
    order = ("input", "roles", "protect")
    first = {part: tree[part] for part in order if part in tree}
    return "\n".join([*lines, "", toml_of(tupled({**first, **tree}))])
