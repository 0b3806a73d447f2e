"""A process that reads one file and writes it as Arrow; it imports nothing of Shoal.

`python fresh_reader.py FILE KIND TARGET`: only its exit code tells whether the target is whole.
Codes that a user declared as missing are values as others. A coded column all of whose values have
different labels is written by its labels, any other by its values. What the file holds beside its
records is told in the metadata of the schema, in words.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

LACKING, LARGE, BROKEN = 11, 12, 13  # exit codes
CODES = {ImportError: LACKING, OverflowError: LARGE}
BESIDE, SAID = b"beside", b"said"
RATIO, FREE, CELL, ROWS = 200, 64 * 2**20, 8, 2**31 - 2
END = 16  # bytes of SPSS without which its last record is not whole
READ = {"sav": "read_sav", "zsav": "read_sav", "por": "read_por", "dta": "read_dta",
        "xpt": "read_xport", "sas7bdat": "read_sas7bdat"}  # fmt: skip
WITHOUT_USER_MISSING = ("por", "xpt")
HOLDS = {  # what pyreadstat does not tell
    "dta": {"bytes after its end": rb"(?s)</stata_dta>.",
            "characteristics": rb"<characteristics>(?!</characteristics>)"},
    "xpt": {"a second table": rb"(?s)HEADER RECORD\*{7}MEMB.*HEADER RECORD\*{7}MEMB"},
}  # fmt: skip


def main(path: str, kind: str, target: str) -> int:
    """Write the table of a file as an Arrow file; return the exit code."""
    try:
        most = max(FREE, RATIO * Path(path).stat().st_size)  # more are no table of its size
        table, *told = statistics(path, kind, target, most) if kind in READ else arrow(path, most)
        table = table.replace_schema_metadata({
            **(table.schema.metadata or {}), BESIDE: json.dumps(told[0]), SAID: json.dumps(told[1])
        })  # fmt: skip
        with pa.OSFile(target, "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    except Exception as error:  # whatever the file did to the library
        return next((code for kind, code in CODES.items() if isinstance(error, kind)), BROKEN)
    return 0


def arrow(path: str, left: int) -> tuple[Any, list[str], list[str]]:
    """Return the table of a Feather or Arrow file, or of a stream in one, and what is beside it."""
    batches, more = [], []
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
            more += [f"values beneath the missing ones of column {name}"
                     for name, values in zip(batch.schema.names, batch.columns, strict=True)
                     if hides(values)]  # fmt: skip
        more += ["metadata of the file"] * bool(is_file and reader.metadata)
        more += ["bytes that belong to no batch"] * has_gap(file, is_file)
        return pa.Table.from_batches(batches, reader.schema).unify_dictionaries(), more, []


def has_gap(file: Any, is_file: bool) -> bool:
    """Tell whether there are bytes between the schema, the batches and the footer of a file."""
    size, footer, start = file.size(), 0, 0
    if is_file:  # polars writes a schema in front that Arrow does not read: a part of the footer
        file.seek(size - 10)
        footer = int.from_bytes(file.read(4), "little") + 10
        file.seek(8)
        start = file.read(footer + 4).find(b"\xff" * 4)
    file.seek(start + 8 if is_file else 0)
    for _ in pa.ipc.MessageReader.open_stream(file):
        pass
    return start < 0 or bool(file.tell() != size - footer)


def hides(values: Any) -> bool:
    """Tell whether several values lie in memory where an array says that they are missing."""
    if pa.types.is_struct(values.type):
        return any(map(hides, values.flatten()))
    values = getattr(values, "indices", values)
    values = getattr(values, "storage", values)
    kind = values.type
    if not values.null_count or pa.types.is_nested(kind) or pa.types.is_null(kind):
        return False
    buffers = [None, *values.buffers()[1:]]
    raw = pa.Array.from_buffers(kind, len(values), buffers, 0, values.offset)
    raw = raw.cast("large_binary") if str(kind).endswith("_view") else raw
    raw = raw.view("int16") if pa.types.is_float16(kind) else raw
    return len(raw.filter(values.is_null()).unique()) > 1


def statistics(path: str, kind: str, target: str, most: int) -> tuple[Any, list[str], list[str]]:
    """Return the table of an SPSS, Stata or SAS file, and what is beside it.

    Such a file need not say how many rows it has.
    """
    import pyreadstat

    read = getattr(pyreadstat, READ[kind])
    options = {} if kind in WITHOUT_USER_MISSING else {"user_missing": True}
    _, facts = read(path, metadataonly=True, output_format="dict")
    rows = min(most // (CELL * max(facts.number_columns, 1)), ROWS)
    values, facts = read(path, output_format="dict", row_limit=rows + 1, **options)
    if any(len(cells) > rows for cells in values.values()):
        raise OverflowError
    labels, content = facts.variable_value_labels, Path(path).read_bytes()
    beside = {
        "notes": facts.notes, "sets of multiple responses": facts.mr_sets,
        "labels that no column has": facts.value_labels.keys() - facts.variable_to_label.values(),
        "bytes or records after its end": kind in ("sav", "zsav") and any(
            is_longer(read, content, target, name, len(cells))
            for name, cells in list(values.items())[:1] if cells
        ),
    }  # fmt: skip
    more = [what for what, there in beside.items() if there]
    more += [what for what, pattern in HOLDS.get(kind, {}).items() if re.search(pattern, content)]
    more += [
        f"labels of codes that no record has, of column {name}"
        for name, cells in values.items() if labels.get(name, {}).keys() - set(cells)
    ]  # fmt: skip
    columns = {name: column(cells, labels.get(name) or {}) for name, cells in values.items()}
    return pa.table(columns), more, [*filter(None, (facts.file_label, *facts.column_labels))]


def is_longer(read: Any, content: bytes, target: str, name: str, rows: int) -> bool:
    """Tell whether an SPSS file has as many rows without its last bytes."""
    Path(target).write_bytes(content[:-END])
    try:
        values, _ = read(target, output_format="dict", usecols=[name])
    except Exception:  # whatever the library calls it
        return False
    return bool(len(values[name]) == rows)


def column(cells: list[Any], labels: dict[Any, str]) -> Any:
    """Return the values of a column, or their labels; an empty text is missing."""
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
