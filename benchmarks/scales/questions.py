"""The questions of `verify`, and the group-by of `measure` and `risk`, as SQL in DuckDB.

`python questions.py FILE COLUMNS [SENSITIVE]` prints the classes, the smallest of them and, of a
sensitive column, the fewest values and the largest share of one.
"""

from __future__ import annotations

import json
import sys

import duckdb

CLASSES = "SELECT count(*), min(n) FROM (SELECT count(*) AS n FROM '{file}' GROUP BY {columns})"
DIVERSE = """
    SELECT count(*), min(n), min(l), max(alpha) FROM (
        SELECT sum(m) AS n, count(*) AS l, max(m) / sum(m) AS alpha FROM (
            SELECT {columns}, {sensitive}, count(*) AS m FROM '{file}' GROUP BY ALL
        ) GROUP BY {columns}
    )"""

if __name__ == "__main__":
    file, columns, *sensitive = sys.argv[1:]
    asked = DIVERSE if sensitive else CLASSES
    query = asked.format(file=file, columns=columns, sensitive="".join(sensitive))
    print(json.dumps({"answer": [float(one) for one in duckdb.execute(query).fetchone()]}))
