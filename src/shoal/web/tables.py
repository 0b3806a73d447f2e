"""Tables for a page's questions: whole where they fit, else the head of the file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from shoal.errors import InputError, RequestError, listed
from shoal.pipeline.plan.estimate import machine_memory
from shoal.pipeline.regions.file import check_room
from shoal.release.prepare import formulas_in
from shoal.settings import Settings
from shoal.table.csv_text.split import last_end
from shoal.table.dataframes.frames import from_arrow
from shoal.table.dialects.dialect import HOW
from shoal.table.files.databases import Database, with_doubts
from shoal.table.files.formats import is_csv, is_parquet, is_text
from shoal.table.files.opening import TEXTS, file_of, first_bytes, is_database, packing, parted
from shoal.table.files.sqlite_tables import has_journal
from shoal.table.files.unpacking import check_unpacks
from shoal.table.memory import is_packed, needed, read_memory, shape, typed_size
from shoal.table.read import read
from shoal.table.table import Table
from shoal.web.uploads import COLUMNS, ROWS

SHARE = 0.5  # of the machine's memory that a question may take
HEAD = 64 << 20  # bytes of text that are looked at of a larger file
PLAUSIBLE = 200  # cells that a byte of Parquet may hold
FEW_CELLS = 100_000_000
NAME = 1_000  # signs of a column's name
SOME = 10_000  # records that are read at once
STORE = "the desk opens no views; make a table of one with CREATE TABLE … AS SELECT * FROM …"
JOURNAL = (
    "the database keeps its latest changes in a second file (-wal) until its program is closed; if "
    "the program was open when this file was copied or uploaded, they are missing here"
)


def whole_table(path: Path, given: Mapping[str, Any]) -> Table:
    """Read a file with the given input options."""
    more = {key: given[key] for key in ("delimiter", *HOW, "missing", "types") if given.get(key)}
    return read(path, **more)


def some_table(
    path: Path,
    given: Mapping[str, Any],
    place: Path,
    most: int = HEAD,
    memory: Callable[[], float | None] = machine_memory,
) -> tuple[Table, int]:
    """Return a file's table and how many records the file has; of a large file the first part.

    The part, of at most so many bytes, lies in the folder of the job, under the file's own name;
    large is what takes too much of the machine's memory, in MB.
    """
    check_content(path)
    available = memory()
    has_head = is_text(path) or is_parquet(path) or is_database(path)
    if not has_head:  # read as a whole
        check_room(path)
        available = None
    if available is None or needed(path) <= SHARE * available * 1e6:
        table = whole_table(path, given)
        records = table.rows
    elif is_database(path):
        table, records = database_head(path, most)
    else:
        table = whole_table(head_of(path, place, most), given)
        records = max(table.rows, _about(path))
    check_shape(table)
    return table, records


def _about(path: Path) -> int:
    """Return about how many records a file has; gzip is taken to have packed it to a quarter."""
    if is_parquet(path):
        return typed_size(path)[0]
    size = path.stat().st_size * (4 if is_packed(path) else 1)
    return int(size / max(shape(path)[1], 1.0))


def head_of(path: Path, place: Path, most: int = HEAD) -> Path:
    """Write the first part of a file, in whole records, to a folder; return where."""
    folder = place / "head"
    folder.mkdir(mode=0o700)
    if is_parquet(path):
        import pyarrow as pa
        import pyarrow.parquet as pq

        batches, size = [], 0
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(50_000):
                batches.append(batch)
                size += batch.nbytes
                if size > most:
                    break
        pq.write_table(pa.Table.from_batches(batches), folder / path.name)
        return folder / path.name
    name = path.name[: len(path.name) - len(packing(path.name))]
    name += "" if name.lower().endswith(TEXTS) else TEXTS[0]
    text = first_bytes(path, most)
    if len(text) >= most:
        text = text[: last_end(text)]
    (folder / name).write_bytes(text)
    return folder / name


def database_head(path: Path, most: int = HEAD) -> tuple[Table, int]:
    """Return the first records of a database's table, in about so many bytes, and how many it has.

    Kinds of columns are those of the whole table.
    """
    import pyarrow as pa

    database, batches, size = Database(path), [], 0
    with database.opened(in_pieces=True) as (name, table):
        for batch in table.batches(SOME):
            batches.append(batch)
            size += batch.nbytes
            if size > most:
                break
        source = database.source(name, table, "")
        head = from_arrow(pa.Table.from_batches(batches, table.schema), source)
        return with_doubts(head, table.doubts), database.rows


def stored_tables(path: Path) -> list[str]:
    """Return the tables of a database file; of any other file none.

    A view is a query that whoever made the file wrote, and a virtual table runs code of a library:
    the desk takes files of strangers and opens neither.
    """
    if not is_database(path):
        return []
    database = Database(path)
    stored = database.stored()
    if not stored:
        raise InputError(f"{database.file.name}: there is no table in this database; {STORE}")
    return stored


def journal_findings(path: Path) -> list[str]:
    """Return what may be missing of an uploaded database, in words: the file of its changes."""
    return [JOURNAL] if is_database(path) and has_journal(file_of(path)) else []


def check_table(path: Path) -> None:
    """Refuse what is no stored table of a database."""
    both = parted(path)
    if both is not None and both[1] not in stored_tables(path):
        raise InputError(f"{both[0].name}: there is no such table in it; {STORE}")


def check_content(path: Path) -> None:
    """Refuse what the desk does not open: views of databases, and Parquet that is no table."""
    check_table(path)
    check_parquet(path)


def check_parquet(path: Path) -> None:
    """Refuse a Parquet file that would unpack to far more than a table of its size."""
    if not is_parquet(path):
        return
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_metadata(path)
    except (pa.ArrowException, OSError, ValueError):
        raise InputError(f"{path.name}: is no Parquet file, or a broken one") from None
    cells = metadata.num_rows * metadata.num_columns
    most = max(FEW_CELLS, PLAUSIBLE * path.stat().st_size)
    if metadata.num_columns > COLUMNS or metadata.num_rows > ROWS or cells > most:
        raise InputError(f"{path.name}: has more rows or columns than this desk takes")
    check_unpacks(path, path.stat().st_size, path.name)


def check_compared(path: Path, settings: Settings) -> None:
    """Refuse to compare what does not fit in the memory given, or in the machine's."""
    check_content(path)
    check_room(path)
    limit = settings.protect.memory
    if limit is not None and needed(path) > read_memory(limit):
        raise RequestError(
            f"{path.name}: does not fit in the memory given, and every run of a comparison takes "
            "all records at once; allow more, or compare a sample of the file"
        )


def check_shape(table: Table) -> None:
    """Refuse more columns, or longer names of them, than a page could show."""
    if len(table.names) > COLUMNS:
        raise InputError(f"{table.source.name}: has more than {COLUMNS:,} columns")
    if any(len(name) > NAME for name in table.names):
        raise InputError(f"{table.source.name}: a column's name is longer than {NAME:,} signs")


def check_headers(table: Table, settings: Settings, form: str) -> None:
    """Refuse names that a spreadsheet would run before a run, not after."""
    roles = settings.roles
    whole = {name for name in (roles.household, roles.person) if name}
    gone = {*roles.identifiers, *roles.drop, *whole}
    risky = formulas_in(name for name in table.names if name not in gone)
    if risky and settings.release.spreadsheet_safe and is_csv(form):
        raise RequestError(
            f"a spreadsheet would run the header of {listed(risky)} as a formula; leave such a "
            "column out, release another format, or say that the csv need not be safe for "
            "spreadsheets"
        )
