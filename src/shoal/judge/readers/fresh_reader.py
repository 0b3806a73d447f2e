"""A process that reads one file and answers with Arrow batches; it imports nothing of Shoal.

`python fresh_reader.py FILE KIND` writes an Arrow stream to its standard output; only its exit code
tells whether the stream is whole. A coded column all
of whose values have different labels is answered by its labels, any other by its values.
"""

from __future__ import annotations

import os
import sys
from typing import Any

BROKEN, LARGE, LACKING = 11, 12, 13  # exit codes
RATIO, FREE, CELL, ROWS = 200, 64 * 2**20, 8, 2**31 - 2
READ = {"sav": "read_sav", "zsav": "read_sav", "por": "read_por", "dta": "read_dta",
        "xpt": "read_xport", "sas7bdat": "read_sas7bdat"}  # fmt: skip


def main(path: str, kind: str) -> int:
    """Answer with the table of a file; return the exit code."""
    import pyarrow as pa

    try:
        if kind not in READ:
            arrow(path, sys.stdout.buffer)
            return 0
        table = statistics(path, READ[kind])
    except ImportError:
        return LACKING
    except OverflowError:
        return LARGE
    except Exception:
        return BROKEN  # whatever the file did to the library
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as writer:
        writer.write_table(table)
    return 0


def most(path: str) -> int:
    """Return how many bytes a table may unpack to: more are no table of the file's size."""
    return max(FREE, RATIO * os.path.getsize(path))  # noqa: PTH202


def arrow(path: str, answer: Any) -> None:
    """Answer with the batches of a Feather or Arrow file, or of a stream in one, as they come."""
    import pyarrow as pa

    with pa.OSFile(path) as file:
        is_file = file.read(6) == b"ARROW1"
        file.seek(0)
        left = most(path)
        with pa.ipc.open_file(file) if is_file else pa.ipc.open_stream(file) as reader:
            many = reader
            if is_file:
                many = (reader.get_batch(one) for one in range(reader.num_record_batches))
            schema = reader.schema.remove_metadata()
            options = pa.ipc.IpcWriteOptions(emit_dictionary_deltas=True)
            with pa.ipc.new_stream(answer, schema, options=options) as writer:
                for batch in many:
                    left -= batch.get_total_buffer_size()
                    if left < 0:
                        raise OverflowError
                    writer.write_batch(batch.replace_schema_metadata(None))


def statistics(path: str, read: str) -> Any:
    """Return the table of an SPSS, Stata or SAS file, which need not say how many rows it has."""
    import pyarrow as pa
    import pyreadstat

    _, facts = getattr(pyreadstat, read)(path, metadataonly=True, output_format="dict")
    rows = min(most(path) // (CELL * max(facts.number_columns, 1)), ROWS)
    values, facts = getattr(pyreadstat, read)(path, output_format="dict", row_limit=rows + 1)
    if any(len(cells) > rows for cells in values.values()):
        raise OverflowError
    labels = facts.variable_value_labels
    return pa.table({name: column(values[name], labels.get(name) or {}) for name in values})


def column(cells: list[Any], labels: dict[Any, str]) -> Any:
    """Return the values of a column, or their labels; an empty text is missing."""
    import pyarrow as pa

    values = [None if cell == "" else cell for cell in cells]
    there = {value for value in values if value is not None}
    if there and there <= set(labels) and len(set(labels.values())) == len(labels):
        return pa.array([labels.get(value) for value in values], pa.string())
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
