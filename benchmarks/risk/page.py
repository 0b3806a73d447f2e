"""The page of a table's own risk: every definition, and what was measured, of csv files alone."""

from __future__ import annotations

import platform

import shoal
from shoal.measures.disclosure.figures import DISCLOSURE
from telling import definitions, read, table, wrapped

OPENING = """
`shoal risk FILE` and `shoal.risk(data)` tell how risky a table is as it is, an original or any
release, and which columns and records are to blame. A record's risk follows from f, the records
that match it, and F, the people of the population who do: counted in a population table, or
estimated by survey weights, a sampling fraction, or a model. Missing cells match by one of the
three readings of `shoal verify`; sets of columns, SUDA scores and models take a missing cell for a
value.
"""
PUBLIC = """
Nothing of this is public but what `Risk.public()` and `--public` give: shares of unique records, by
all quasi-identifiers and by sets of them, of records below k and above the threshold, and average
risks. One record that is added or removed changes its own class alone, and with it each of these
counts by a number that is known beforehand; k of them change the share by at most one step of its
rounding. What has no such bound stays private: the highest risk, scores, models, k-map.
"""


def write(folder):
    """Write README.md."""
    parts = ["# The risk of a table as it is", wrapped(OPENING)]
    rows = read(folder, "beside_arx")
    if rows:
        parts += ["## Adult beside ARX", table(list(rows[0]), [list(r.values()) for r in rows])]
    parts += [
        wrapped(
            f"Made with Shoal {shoal.__version__}, Python {platform.python_version()}. "
            "`make risk` writes this page."
        ),
        "## What may be published",
        wrapped(PUBLIC),
        *definitions("Figures", DISCLOSURE.values()),
    ]
    (folder / "README.md").write_text("\n\n".join(parts) + "\n", encoding="utf-8")
