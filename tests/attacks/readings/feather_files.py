"""Feather (Arrow files) with what no record shows."""

# ruff: noqa: E501, I001 (a table)
# fmt: off

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from pyarrow import feather

from attacks.readings import people
from attacks.readings.parquet_files import META, footer, marked, of_pandas, plain, with_attributes
from attacks.readings.people import AGES, PEOPLE, attack, good, raw, safe, told

def put(folder, table, compression="uncompressed"):
    feather.write_feather(table, folder / "r.feather", compression)
    return folder / "r.feather"

def categories(folder, kinds):
    return of_pandas(folder, lambda frame: frame.assign(sex=pd.Categorical(frame["sex"], kinds)), "r.feather")

def beneath_nulls():
    """Twelve missing numbers, whose places in memory hold the ages."""
    return pa.Array.from_buffers(pa.int64(), 12, [pa.py_buffer(bytes(2)), pa.py_buffer(np.array(AGES, "i8").tobytes())])

def file_in_the_file(folder):
    path, other = put(folder, plain()), io.BytesIO()
    feather.write_feather(pa.Table.from_pandas(raw()), other)
    content = path.read_bytes()
    at = footer(content, 10)
    assert feather.read_table(people.put(path, content[:at] + other.getvalue() + content[at:])).num_rows == 12
    return path

def cut_out(path):
    content = path.read_bytes()
    start = content.index(b"ARROW1", 6)
    return pd.read_feather(io.BytesIO(content[start : content.index(b"ARROW1", start + 6) + 6]))["zip"].to_string()

attack("key-value metadata", "refused", META, "records in the metadata of the schema | pyarrow: schema.metadata",
       lambda to: put(to, marked("people")), lambda path: str(feather.read_table(path).schema.metadata))
attack("metadata of a field", "refused", META, "records in the metadata of a field | pyarrow: field.metadata",
       lambda to: put(to, marked("was", "age")), lambda path: str(feather.read_table(path).schema.field("age").metadata))
attack("attributes of pandas", "refused", META, "records in frame.attrs, which pandas stores | pandas: frame.attrs",
       lambda to: of_pandas(to, with_attributes, "r.feather"), lambda path: str(pd.read_feather(path).attrs))
attack("unused categories", "refused", "dictionar|categor|unused|no record", "categories that no record has | pandas: cat.categories",
       lambda to: categories(to, ["f", "m", *map(told, PEOPLE)]), lambda path: str(list(pd.read_feather(path)["sex"].cat.categories)))
attack("values beneath nulls", "either", "null|missing|beneath|behind|hidden", "every age is missing, its place in memory holds it | numpy: the buffer",
       lambda to: put(to, plain(age=beneath_nulls())), lambda path: np.frombuffer(feather.read_table(path)["age"].chunk(0).buffers()[1], "i8").tolist())
attack("file in the file", "refused", "byte|belong|hidden|gap|between|footer", "a raw Arrow file in front of the footer | whoever cuts it out", file_in_the_file, cut_out)
# harmless
good("usual writers", "what pandas, polars and pyarrow write", lambda to, write: write(to / "r.feather") or to / "r.feather",
     {"pandas": lambda path: safe().to_feather(path), "polars": lambda path: pl.DataFrame(safe().to_dict("list")).write_ipc(path),
      "pyarrow": lambda path: feather.write_feather(plain(), path), "packed": lambda path: feather.write_feather(plain(), path, "zstd")})
good("used categories", "categories that records have", lambda to: categories(to, ["m", "f"]))
good("missing for a class", "missing ages for a whole class", lambda to: put(to, plain(age=[50] * 6 + [None] * 6)))
