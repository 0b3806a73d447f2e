"""Tables of databases, and what else their files hold."""

# ruff: noqa: E501, S608 (a table)
# fmt: off

from __future__ import annotations

import sqlite3
from pathlib import Path

from attacks.readings.people import EVERYBODY, PEOPLE, SAFE, attack, everywhere, good, told

TABLE = "CREATE TABLE release (age INTEGER, sex VARCHAR, zip VARCHAR)"
FILL = f"INSERT INTO release VALUES {', '.join(map(str, SAFE))}"
RAW = f"{TABLE.replace('release', 'raw')}; INSERT INTO raw VALUES {', '.join(str(one[1:]) for one in PEOPLE)}"
KINDS = ", ".join(f"'{one}'" for one in ["f", "m", *map(told, PEOPLE)])

def put(folder, ending, *statements):
    """Run statements on a database of the safe records, and name their table."""
    import duckdb  # at the top it complains at the end of the tests

    base = (sqlite3 if ending == "sqlite" else duckdb).connect(str(folder / f"r.{ending}"))
    for one in "; ".join([TABLE, FILL, *statements]).split("; "):
        base.execute(one)
    if ending == "sqlite":
        base.commit()
    base.close()
    return f"{folder / f'r.{ending}'}#release"

def asked(query, ending="duckdb"):
    """What the database answers."""
    def see(path, *_):
        import duckdb

        base = (sqlite3 if ending == "sqlite" else duckdb).connect(path.partition("#")[0])
        found = str(base.execute(query).fetchall())
        base.close()
        return found
    return see

attack("another table", "named", r"\braw\b|(other|another|more|2) tables?", "the file holds another table, raw | SELECT * FROM raw",
       lambda to, ending: put(to, ending, RAW), lambda path, ending: asked("SELECT * FROM raw", ending)(path), ["duckdb", "sqlite"])
attack("comment of a table", "named", "comment|whatever else", "records in the comment of the table or a column | duckdb_tables(), duckdb_columns()",
       lambda to, of: put(to, "duckdb", f"COMMENT ON {of} IS '{EVERYBODY.replace(';', ',')}'"),
       asked("SELECT comment FROM duckdb_tables() UNION ALL SELECT comment FROM duckdb_columns()"), ["TABLE release", "COLUMN release.age"])
attack("default of a column", "named", "default|schema|whatever else", "records as the default of a column | duckdb_tables()",
       lambda to: put(to, "duckdb", f"ALTER TABLE release ALTER sex SET DEFAULT '{EVERYBODY.replace(';', ',')}'"), asked("SELECT sql FROM duckdb_tables()"))
attack("unused values of an enum", "refused", "enum|dictionar|categor|unused|no record", "values of an enum that no record has | enum_range",
       lambda to: put(to, "duckdb", f"CREATE TYPE kind AS ENUM ({KINDS})", "ALTER TABLE release ALTER sex TYPE kind"), asked("SELECT enum_range(NULL::kind)"))
attack("rows taken out", "named", "delet|free|page|byte|vacuum", "raw rows that were deleted are still in the file | whoever reads the bytes",
       lambda to: put(to, "sqlite", "PRAGMA secure_delete = OFF", RAW, "DELETE FROM raw", "DROP TABLE raw"), lambda path: everywhere(Path(path.partition("#")[0])))
attack("column of names", "unsafe", "note", "nobody asked about note, names of all | any reader",
       lambda to: put(to, "duckdb", "ALTER TABLE release ADD note VARCHAR", f"UPDATE release SET note = list_value({', '.join(repr(told(one)) for one in PEOPLE)})[rowid + 1]"), asked("SELECT * FROM release"))
attack("hidden by its type", "either", "type|kind|text", "numbers, texts and bytes in one column of SQLite | sqlite3: them",
       lambda to: put(to, "sqlite", *(f"UPDATE release SET age = x'{one.age:02x}' WHERE rowid = {i}" for i, one in enumerate(PEOPLE, 1))),
       lambda path: [int.from_bytes(one[0]) for one in sqlite3.connect(path.partition("#")[0]).execute("SELECT age FROM release")])
good("table alone", "a database of one table", put, ["duckdb", "sqlite"])
