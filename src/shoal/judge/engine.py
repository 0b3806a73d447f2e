"""The engine of the judge: a closed DuckDB, and the script of all that it was asked.

No extension is loaded or fetched, and only files that were admitted are opened: they are links in a
private folder (mode 700), where also everything lies that does not fit in memory. The folder is
gone after the run; one that a killed run left behind is removed when the next one starts.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from shoal.errors import InputError

if TYPE_CHECKING:
    import duckdb

PREFIX = "shoal-verify-"
LOCK = "in-use"
AGE = 10  # seconds that a folder may be without its lock, while it is made
CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "allow_community_extensions": False, "autoinstall_known_extensions": False,
    "autoload_known_extensions": False, "python_enable_replacements": False,
}  # fmt: skip
_LIMITS: ContextVar[dict[str, int]] = ContextVar("limits", default={})  # noqa: B039 - replaced


@contextlib.contextmanager
def limited(memory: int | None = None, threads: int | None = None) -> Iterator[None]:
    """Let the judge use so many bytes of memory and so many threads, while the block runs."""
    given = {"memory": memory, "threads": threads}
    token = _LIMITS.set(_LIMITS.get() | {what: n for what, n in given.items() if n is not None})
    try:
        yield
    finally:
        _LIMITS.reset(token)


def quoted(name: str) -> str:
    """Return a name as SQL writes it, whatever signs it has."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """Return a text as SQL writes it."""
    return "'" + value.replace("'", "''") + "'"


def names(columns: Iterable[str]) -> str:
    """Return names of columns with commas."""
    return ", ".join(map(quoted, columns))


class Engine:
    """A closed DuckDB that opens these files alone; use it in a with statement.

    `script` is what it was asked, in order.
    """

    def __init__(self, files: Iterable[Path] = (), scripted: bool = False) -> None:
        self.files, self.scripted, self.script = dict.fromkeys(files), scripted, list[str]()

    def __enter__(self) -> Engine:
        import duckdb

        _remove_left_over()
        self.folder, limits = Path(tempfile.mkdtemp(prefix=PREFIX)), _LIMITS.get()
        self._lock = FileLock(self.folder / LOCK)
        self._lock.acquire()
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect(":memory:", config=CLOSED)
        self._links = {file: str(self.folder / f"file-{n}") for n, file in enumerate(self.files)}
        for file, link in self._links.items():
            Path(link).symlink_to(file.resolve())
        settings = {
            "temp_directory": text(str(self.folder)),
            "allowed_directories": f"[{text(str(self.folder))}]",
            "allowed_paths": f"[{', '.join(map(text, self._links.values()))}]::VARCHAR[]",
            "memory_limit": "memory" in limits and text(f"{limits['memory']} bytes"),
            "threads": limits.get("threads"),
            "enable_external_access": "false",
            "lock_configuration": "true",
        }
        for setting, value in settings.items():
            if value:
                self.connection.execute(f"SET {setting} = {value}")
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()
        self._lock.release()
        shutil.rmtree(self.folder, ignore_errors=True)

    def link(self, file: Path) -> str:
        """Return the name by which queries open a file: no sign of its own name is a pattern."""
        return self._links.get(file, str(file))  # one of the private folder has its own

    def new_file(self) -> Path:
        """Return the path of a new file in the private folder."""
        target = self.folder / f"made-{len(list(self.folder.iterdir()))}"
        target.touch(0o600)
        return target

    def register(self, name: str, values: Any) -> None:
        """Make an Arrow table known by a name."""
        self.connection.register(name, values)

    def load(self, name: str, values: Any, heading: str) -> None:
        """Make a table of Arrow values; the script says it value by value."""
        self.connection.register(f"{name}_given", values)
        self.rows(f"CREATE TABLE {name} AS FROM {name}_given")
        self.connection.unregister(f"{name}_given")
        if not self.scripted:
            return
        columns = self.columns(name)
        every = self.rows(f"SELECT {', '.join(f'{quoted(one)}::VARCHAR' for one in columns)} "
                          f"FROM {name}")  # fmt: skip
        lines = ",\n  ".join(
            f"({', '.join('NULL' if cell is None else text(cell) for cell in row)})"
            for row in every or [(None,) * len(columns)]
        )
        typed = ", ".join(
            f"{quoted(one)}::{kind} AS {quoted(one)}" for one, kind in columns.items()
        )
        self._note(
            f"CREATE TABLE {name} AS\nSELECT {typed}\nFROM (VALUES\n  {lines}\n) "
            f"AS given({names(list(columns))})" + ("" if every else " LIMIT 0"),
            heading,
        )

    def load_rows(
        self, name: str, heading: str, kinds: Mapping[str, Any], rows: Sequence[Sequence[Any]]
    ) -> None:
        """Make a table of rows of Python values; `kinds` has the Arrow type of each column."""
        import pyarrow as pa

        columns = zip(*rows, strict=True) if rows else [()] * len(kinds)
        arrays = [
            pa.array(cells, kind) for cells, kind in zip(columns, kinds.values(), strict=True)
        ]
        self.load(name, pa.table(arrays, names=list(kinds)), heading)

    def columns(self, table: str) -> dict[str, str]:
        """Return the columns of a table or view, with their types."""
        # DESCRIBE takes 1 ms; the first look at duckdb_columns() makes its whole catalog, in 25
        return {name: kind for name, kind, *_ in self.rows(f"DESCRIBE {quoted(table)}")}

    def ask(self, query: str, heading: str = "") -> list[tuple[Any, ...]]:
        """Return the rows that answer a query, which becomes a part of the script."""
        self._note(query, heading)
        return self.rows(query)

    make = ask  # a statement that makes a view or a table

    def rows(self, query: str, parameters: Sequence[Any] | None = None) -> list[tuple[Any, ...]]:
        """Return the rows that answer a query that is no part of the script."""
        with self._in_words():
            return self.connection.execute(query, parameters).fetchall()

    def arrow(self, query: str) -> Any:
        """Return a reader of Arrow batches that answer a query."""
        with self._in_words():
            return self.connection.sql(query).to_arrow_reader(65_536)

    def _note(self, statement: str, heading: str) -> None:
        shown = statement
        for path, link in self._links.items():
            name = str(path).replace("[", "[[]").replace("*", "[*]").replace("?", "[?]")
            shown = shown.replace(text(link), text(name))
        self.script.append(f"-- {heading}\n{shown};" if heading else f"{shown};")

    @contextlib.contextmanager
    def _in_words(self) -> Iterator[None]:
        """Raise in our words what DuckDB raises in its own: these may hold values of records."""
        import duckdb

        try:
            yield
        except (duckdb.OutOfMemoryException, OSError):
            raise InputError(
                "the counts of this file do not fit in memory and the temporary folder; name a "
                "larger one with TMPDIR, or allow more memory"
            ) from None
        except duckdb.Error as error:
            raise InputError(
                f"DuckDB cannot count in this file ({type(error).__name__}); is it damaged?"
            ) from None


def _remove_left_over() -> None:
    """Remove the folders of runs that were killed: nobody holds their locks."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError, Timeout):
            if time.time() - folder.stat().st_mtime > AGE and not folder.is_symlink():
                with FileLock(folder / LOCK, timeout=0):
                    shutil.rmtree(folder, ignore_errors=True)
