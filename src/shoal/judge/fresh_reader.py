"""A process that reads one file and writes it as Arrow; it imports nothing of Shoal.

`python fresh_reader.py FILE KIND TARGET`: only its exit code tells whether the target is whole.
Codes that a user declared as missing are values as others. A coded column all of whose values have
different labels is written by its labels, any other by its values. What the file holds beside its
records is told in the metadata of the schema, in words.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

LACKING, LARGE, BROKEN = 11, 12, 13  # exit codes
MORE = b"more"
RATIO, FREE, CELL, ROWS = 200, 64 * 2**20, 8, 2**31 - 2
READ = {"sav": "read_sav", "zsav": "read_sav", "por": "read_por", "dta": "read_dta",
        "xpt": "read_xport", "sas7bdat": "read_sas7bdat"}  # fmt: skip
WITHOUT_USER_MISSING = ("por", "xpt")
BESIDE = {
    "dta": ("characteristics", rb"<characteristics>(?!</characteristics>)"),
    "xpt": ("a second table", rb"(?s)HEADER RECORD\*{7}MEMB.*HEADER RECORD\*{7}MEMB"),
}  # what pyreadstat does not tell


def main(path: str, kind: str, target: str) -> int:
    """Write the table of a file as an Arrow file; return the exit code."""
    import pyarrow as pa

    try:
        table, more = statistics(path, kind) if kind in READ else arrow(path)
        told = {**(table.schema.metadata or {}), MORE: json.dumps(more).encode()}
        table = table.replace_schema_metadata(told)
        with pa.OSFile(target, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    except ImportError:
        return LACKING
    except OverflowError:
        return LARGE
    except Exception:
        return BROKEN  # whatever the file did to the library
    return 0


def most(path: str) -> int:
    """Return how many bytes a table may unpack to: more are no table of the file's size."""
    return max(FREE, RATIO * os.path.getsize(path))  # noqa: PTH202


def arrow(path: str) -> tuple[Any, list[str]]:
    """Return the table of a Feather or Arrow file, or of a stream in one, and what is beside it."""
    import pyarrow as pa

    batches, more, left = [], [], most(path)
    with pa.OSFile(path) as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        reader = pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file)
        read = (map(reader.get_batch_with_custom_metadata, range(reader.num_record_batches))
                if is_file else reader.iter_batches_with_custom_metadata())  # fmt: skip
        for batch, metadata in read:
            left -= batch.get_total_buffer_size()
            if left < 0:
                raise OverflowError
            batches.append(batch)
            more += ["metadata of batches"] if metadata else []
        more += ["metadata of the file"] if is_file and reader.metadata else []
        table = pa.Table.from_batches(batches, reader.schema).unify_dictionaries()
    for name, column in zip(table.column_names, table.columns, strict=True):
        if pa.types.is_dictionary(column.type) and column.num_chunks:
            used = pa.chunked_array([chunk.indices for chunk in column.chunks]).unique()
            if len(used.drop_null()) < len(column.chunk(0).dictionary):
                more.append(f"values in the dictionary of column {name}")
    return table, more


def statistics(path: str, kind: str) -> tuple[Any, list[str]]:
    """Return the table of an SPSS, Stata or SAS file, and what is beside it.

    Such a file need not say how many rows it has.
    """
    import pyarrow as pa
    import pyreadstat

    read = getattr(pyreadstat, READ[kind])
    options = {} if kind in WITHOUT_USER_MISSING else {"user_missing": True}
    _, facts = read(path, metadataonly=True, output_format="dict")
    rows = min(most(path) // (CELL * max(facts.number_columns, 1)), ROWS)
    values, facts = read(path, output_format="dict", row_limit=rows + 1, **options)
    if any(len(cells) > rows for cells in values.values()):
        raise OverflowError
    labels = facts.variable_value_labels
    what, pattern = BESIDE.get(kind, ("", b"(?!)"))
    found = re.search(pattern, Path(path).read_bytes())
    beside = {
        "notes": facts.notes, "a label of the file": facts.file_label,
        "labels that no column has": facts.value_labels.keys() - facts.variable_to_label.values(),
        "sets of multiple responses": facts.mr_sets, what: found,
    }  # fmt: skip
    more = [what for what, there in beside.items() if there]
    unused = [name for name, cells in values.items() if labels.get(name, {}).keys() - set(cells)]
    more += [f"labels of codes that no record has, of column {name}" for name in unused]
    return pa.table({name: column(values[name], labels.get(name) or {}) for name in values}), more


def column(cells: list[Any], labels: dict[Any, str]) -> Any:
    """Return the values of a column, or their labels; an empty text is missing."""
    import pyarrow as pa

    values = [None if cell == "" or cell != cell else cell for cell in cells]  # noqa: PLR0124
    there = {value for value in values if value is not None}
    if there and there <= labels.keys() and len(set(labels.values())) == len(labels):
        return pa.array([labels.get(value) for value in values], pa.string())
    if len({isinstance(value, str) for value in there}) > 1:  # Stata's .a to .z beside numbers
        texts = {value: f".{value}" if isinstance(value, str) else f"{value:.17g}"
                 for value in there}  # fmt: skip
        return pa.array([texts.get(value) for value in values], pa.string())
    if all(type(value) is float and value.is_integer() and abs(value) < 2**53 for value in there):
        return pa.array([None if value is None else int(value) for value in values], pa.int64())
    return pa.array(values)


class _WithoutPandas:
    """Keep pyarrow from importing pandas, which takes half of the time and is not used here."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        """Refuse pandas."""
        if name == "pandas":
            raise ModuleNotFoundError("pandas is not used here", name=name)


if __name__ == "__main__":
    sys.meta_path.insert(0, _WithoutPandas)
    sys.exit(main(*sys.argv[1:]))
