"""Parquet, and folders of it, whose schema, footer or odd types tell people."""

# ruff: noqa: E501, I001 (a table)
# fmt: off

from __future__ import annotations

import datetime
import decimal
import io
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from attacks.readings import people
from attacks.readings.people import AGES, ALIKE, EVERYBODY, LIKE, PEOPLE, POSTS, SAFE, SQL, attack, everywhere, few, good, raw, safe, told

META = "metadata|schema|attribute|index|key"
HIDDEN = "byte|belong|no column|hidden|gap|between|footer|creat|writ|metadata|statistic"

def put(folder, table, name="r.parquet", **how):
    pq.write_table(table, folder / name, **how)
    return folder / name

def plain(**more):
    """The safe records in Arrow, without metadata of pandas; columns may be added or replaced."""
    columns = {**dict(zip(("age", "sex", "zip"), map(list, zip(*SAFE, strict=True)), strict=True)), **more}
    return pa.table(columns)

def marked(key, field=None):
    """The safe records with records in the metadata of the schema or of a field."""
    table = plain()
    if field is None:
        return table.replace_schema_metadata({key: EVERYBODY})
    said = table.schema.field(field).with_metadata({key: EVERYBODY})
    return table.cast(table.schema.set(0, said))

def of_pandas(folder, change, name="r.parquet"):
    """A file of pandas; `change` gets the frame and returns what is written of it."""
    frame = change(safe())
    (frame.to_parquet if name.endswith("t") else frame.to_feather)(folder / name)
    return folder / name

def with_attributes(frame):
    frame.attrs["made of"] = raw().to_dict("list")
    return frame

def inside_pandas(folder, key):
    """Records in a field of the schema that pandas writes."""
    table = pa.Table.from_pandas(safe())
    said = json.loads(table.schema.metadata[b"pandas"])
    at = said["columns"][0] if key == "metadata" else said
    at[key] = {"version": EVERYBODY}
    return put(folder, table.replace_schema_metadata({"pandas": json.dumps(said)}))

def footer(content, tail=8):
    """Where the footer of a file begins."""
    return len(content) - tail - int.from_bytes(content[-tail:][:4], "little")

def with_statistics(folder):
    path = put(folder, plain(note=["#" * len(EVERYBODY)] * 12), use_dictionary=False, compression="none", store_schema=False)
    content = path.read_bytes()
    said = content[footer(content):].replace(b"#" * len(EVERYBODY), EVERYBODY.encode())
    return people.put(path, content[: footer(content)] + said)

def with_maker(folder):
    path = put(folder, plain())
    maker = pq.ParquetFile(path).metadata.created_by
    return people.put(path, path.read_bytes().replace(maker.encode(), " ".join(POSTS[:5]).ljust(len(maker)).encode()))

def file_in_the_file(folder):
    path, other = put(folder, plain()), io.BytesIO()
    raw().to_parquet(other)
    content = path.read_bytes()
    assert pq.read_table(people.put(path, content[: footer(content)] + other.getvalue() + content[footer(content):])).num_rows == 12
    return path

def cut_out(path):
    """The file within the file."""
    content = path.read_bytes()
    end = content.index(b"PAR1", content.index(b"PAR1", 4) + 4) + 4
    return pd.read_parquet(io.BytesIO(content[content.index(b"PAR1", 4) : end]))["zip"].to_string()

def ages(values, **how):
    """A builder of a file with these ages."""
    return lambda to, *variant: put(to, plain(age=values(*variant)), **how)

def column(name, value):
    """What an ordinary reader sees in a column, one value for each record."""
    return lambda path, *variant: [value(one, *variant) for one in pq.read_table(path)[name].to_pylist()]

def text(path, *_):
    return pd.read_parquet(path).to_string(max_colwidth=None)

INTERVAL = pa.struct([("low", pa.int64()), ("high", pa.int64())])
OTHER = {"low": "high", "high": "low"}
X = "x," * 40
attack("key-value metadata", "refused", META, "records in key-value metadata, under usual names, too | pyarrow: schema.metadata",
       lambda to, key: put(to, marked(key)), lambda path, _: str(pq.read_schema(path).metadata),
       ["people", "ARROW:people", "org.apache.spark.sql.parquet.row.metadata", "shoal", "geo"])
attack("metadata of a field", "refused", META, "records in the metadata of a field | pyarrow: field.metadata",
       lambda to, key: put(to, marked(key, "age")), lambda path, _: str(pq.read_schema(path).field("age").metadata), ["was", "ARROW:extension:metadata"])
attack("attributes of pandas", "refused", META, "records in frame.attrs, which pandas stores | pandas: frame.attrs",
       lambda to: of_pandas(to, with_attributes), lambda path: str(pd.read_parquet(path).attrs))
attack("index of pandas", "either", META, "names as the index of the frame | pandas: the index",
       lambda to: of_pandas(to, lambda frame: frame.set_index(pd.Index(map(told, PEOPLE)))), text)
attack("name of an axis", "refused", META, "records as the name of an axis | pandas: index.name, columns.name",
       lambda to, axis: of_pandas(to, lambda frame: frame.rename_axis(**{axis: EVERYBODY})),
       lambda path, axis: str(getattr(pd.read_parquet(path), axis).name), ["index", "columns"])
attack("inside the schema of pandas", "refused", META, "records in a field of the schema that pandas writes | whoever reads the schema",
       inside_pandas, lambda path, _: str(pq.read_schema(path).metadata), ["metadata", "creator", "pandas_version", "people"])
attack("unused categories", "refused", "dictionar|categor|unused|no record", "categories that no record has | the dictionary page",
       lambda to: put(to, plain(note=pa.DictionaryArray.from_arrays(pa.array([0] * 12, "i4"), ["x", *map(told, PEOPLE)])), compression="none"), everywhere)
attack("statistics that lie", "refused", HIDDEN, "the greatest value that the footer states | pyarrow: statistics.max",
       with_statistics, lambda path: pq.ParquetFile(path).metadata.row_group(0).column(3).statistics.max)
attack("maker of the file", "refused", HIDDEN, "postcodes as created_by | pyarrow: metadata.created_by", with_maker, lambda path: pq.ParquetFile(path).metadata.created_by)
attack("file in the file", "refused", HIDDEN, "a raw Parquet file in front of the footer | whoever cuts it out", file_in_the_file, cut_out)
attack("half an interval", "either", "null|interval|half|missing|struct", "intervals with one end missing | pandas: the other end, the age",
       ages(lambda end: pa.array([{end: None, OTHER[end]: one} for one in AGES], INTERVAL)), column("age", lambda one, end: one[OTHER[end]]), ["low", "high"])
attack("structs of one text", "either", "struct|nested|list", 'structs split elsewhere, ("1", "2,3") and ("1,2", "3") | pandas: the parts',
       ages(lambda: [{"a": X[: 2 * age - 1], "b": X[2 * age :]} for age in AGES]), column("age", lambda one: one["a"].count("x")))
attack("nested", "refused", "list|map|struct|nested|type", "lists, maps or structs tell five people | pandas: them",
       lambda to, kind: put(to, plain(note=pa.array(*kind))), text,
       {"list": (few(lambda one: [told(one)], None),), "map": (few(lambda one: [(one.name, one.zip)], None), pa.map_(pa.string(), pa.int64())),
        "struct": (few(people.Person._asdict, None),)})
attack("two columns alike", "refused", LIKE, "a second age that looks like the first holds postcodes | pandas: it",
       lambda to, name: put(to, plain(**{name: few(lambda one: str(one.zip))})), text, ALIKE)
attack("bits of NaN", "either", "NaN|number|finite", "every age is NaN, its unused bits are the age | numpy: the bits",
       ages(lambda: pa.array(np.array([0x7FF8000000000000 + age for age in AGES], "u8").view("f8")), use_dictionary=False),
       lambda path: (pq.read_table(path)["age"].to_numpy().view("u8") & 0xFF).tolist())
attack("neighbours of a number", "either", "smallest", "ages differ in the last bits of a double | any reader: them",
       ages(lambda: 50 + np.array(AGES) * np.spacing(50.0)), column("age", lambda one: round((one - 50) / np.spacing(50.0))))
attack("digits beyond", "either", "precision|decimal|digit|type", "ages in digits that a narrower type drops | pyarrow: them",
       lambda to, kind: put(to, plain(age=pa.array([kind[0](age) for age in AGES], kind[1]))),
       lambda path, kind: [kind[2](one) for one in pq.read_table(path)["age"]],
       {"nanoseconds": (lambda age: 10**18 + age, pa.timestamp("ns"), lambda one: one.value - 10**18),
        "70 digits": (lambda age: decimal.Decimal(10**60 + age), pa.decimal256(70), lambda one: int(one.as_py()) - 10**60),
        "64 bits": (lambda age: 2**64 - age, pa.uint64(), lambda one: 2**64 - one.as_py()),
        "bytes": (lambda age: b"50\0" + bytes([age]), pa.binary(), lambda one: one.as_py()[-1])})
attack("signs unseen", "either", "sign|NUL", "texts differ by signs that cannot be seen | any reader: as many as years",
       lambda to, sign: put(to, plain(sex=["f" + sign * age for age in AGES])), column("sex", lambda one, sign: one.count(sign)),
       ["\0", "\u200d", " ", "\u0301"])
attack("column of names", "unsafe", "note", "nobody asked about note, names of all | pandas: them", lambda to: put(to, plain(note=list(map(told, PEOPLE)))), text)

def in_folder(folder, name):
    """A folder of one safe part, and raw records in it."""
    home = folder / "release"
    home.mkdir()
    put(home, plain(), "0.parquet")
    people.put(home / name, raw().to_parquet() if name.endswith("t") else raw().to_csv())
    return home

def with_manifest(folder, name):
    """The same, with a manifest that lists the raw file."""
    home = in_folder(folder, name)
    parts = [{"file": one, "records": 12} for one in ("0.parquet", name)]
    people.put(home / "manifest.json", json.dumps({"schema": "shoal-manifest/1", "k": 5, "records": 12, "parts": parts}))
    return home

def raw_in(home, name):
    return pd.read_parquet(home / name).to_string() if name.endswith("t") else (home / name).read_text()

attack("foreign in a folder", "refused", "raw|foreign|other|belong|beside|name=|no Parquet|not one of", "raw records in a folder of safe parts | pyarrow.dataset, a file manager",
       in_folder, raw_in, [".raw.parquet", "raw.csv", "name=x/0.parquet", "_raw.parquet", "README.md", "manifest.json"])
attack("manifest of others", "refused", "manifest|raw", "the manifest lists a raw file | whoever follows it", with_manifest, raw_in, ["../raw.parquet", "1.parquet"])
# harmless
good("usual writers", "what pyarrow writes of a frame, with the metadata of pandas",
     lambda to, how: put(to, pa.Table.from_pandas(safe(note=few(lambda _: "é"))), **how),
     {"as it is": {}, "groups of rows": {"row_group_size": 5}, "brotli": {"compression": "brotli"}, "old": {"version": "1.0"}, "page index": {"write_page_index": True}})
good("pandas and polars", "what they write", lambda to, write: write(to / "r.parquet") or to / "r.parquet",
     {"pandas": lambda path: safe().to_parquet(path), "fastest": lambda path: safe().to_parquet(path, index=False),
      "polars": lambda path: pl.DataFrame(safe().to_dict("list")).write_parquet(path)})
good("used categories", "categories that records have, in whatever order",
     lambda to: of_pandas(to, lambda frame: frame.assign(sex=pd.Categorical(frame["sex"], ["m", "f"]))))
FIELDS = [{"name": one, "type": "string", "nullable": True, "metadata": {}} for one in ("age", "sex", "zip")]
good("schema of Spark", "the schema that Spark writes beside", lambda to: put(to, plain(age=["50"] * 12).replace_schema_metadata(
     {"org.apache.spark.version": "4.0.0", "org.apache.spark.sql.parquet.row.metadata": json.dumps({"type": "struct", "fields": FIELDS})})))
good("whole intervals", "intervals with both ends, and a missing one for a class", ages(lambda: pa.array([{"low": 20, "high": 50}] * 6 + [None] * 6, INTERVAL)))
good("usual types", "dates, decimals and others", ages(lambda value: [value] * 12),
     {"date": datetime.date(2020, 1, 1), "decimal": decimal.Decimal("50.00"), "float": 50.5, "boolean": True, "long text": "x" * 1000})
good("SQL beside", "a column's name is SQL", lambda to: put(to, plain(**{SQL: ["x"] * 12})))
good("folder of parts", "safe parts alone, in a folder whose name is a pattern", lambda to: in_folder(to, "0.parquet") and [
     (to / "r [1]*").mkdir(), put(to / "r [1]*", plain(), "0.parquet"), put(to / "r [1]*", plain(), "1.parquet")] and to / "r [1]*")
good("kept by word", "unique values that the command says are kept", lambda to: put(to, plain(note=list(range(12)))), arguments=people.KEPT)
