"""A corpus of files by other programs' writers: each is read, written again, and read the same."""

from __future__ import annotations

import csv
import datetime as dt
import io

import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyreadstat
import xlsxwriter
from pyarrow import feather, ipc
from pyarrow import parquet as pq

import shoal
from shoal.release.write import release_bytes
from shoal.table.files.formats import WRITTEN
from shoal.table.roles import Kind

ROWS = 20
NAMES = [["Jörg", "Zoë", None, "Ana, María", 'the "best"'][i % 5] for i in range(ROWS)]
AGES = [None if i % 7 == 3 else 20 + 3 * i for i in range(ROWS)]
PAYS = [None if i % 6 == 5 else 1000.25 + i / 4 for i in range(ROWS)]
BORN = [None if i % 9 == 4 else dt.date(1950 + i, 1 + i % 12, 1 + i) for i in range(ROWS)]
EDU = [[1, 2, 3, None][i % 4] for i in range(ROWS)]
LEVELS = {1: "gering", 2: "mittel", 3: "höher"}
WORDS = [None if code is None else LEVELS[code] for code in EDU]
TABLE = pa.table(
    {
        "name": NAMES,
        "age": pa.array(AGES, pa.int64()),
        "pay": PAYS,
        "born": pa.array(BORN, pa.date32()),
        "edu": WORDS,
    }
)
MEANT = {name: TABLE[name].to_pylist() for name in TABLE.column_names}
CODED = pa.table({**{n: TABLE[n] for n in TABLE.column_names}, "edu": pa.array(EDU, pa.int32())})
LABELS = {"variable_value_labels": {"edu": LEVELS}, "column_labels": {"edu": "Schulbildung"}}
FLOATS = CODED.set_column(1, "age", pa.array(AGES, pa.float64())).to_pandas(date_as_object=False)
FLOATING = {"pandas-floats.csv": Kind.DECIMAL}  # whole numbers beside missing ones are 20.0


def frame():
    """Return a pandas frame of the table, in which whole numbers beside missing ones are floats."""
    return TABLE.to_pandas()


def texts(table=TABLE, missing="", decimal=".", day="%Y-%m-%d", quoted=lambda kind: kind is str):
    """Yield lines of cells as a program writes them, which quotes some of them itself."""
    yield [f'"{name}"' if quoted(str) else name for name in table.column_names]
    for row in table.to_pylist():
        cells = []
        for value in row.values():
            if value is None:
                cells.append(missing)
            elif isinstance(value, str):
                inside = value.replace('"', '""')
                cells.append(f'"{inside}"' if quoted(str) or set(value) & set(',;"') else value)
            elif isinstance(value, dt.date):
                word = value.strftime(day)
                cells.append(f'"{word}"' if quoted(dt.date) else word)
            else:
                cells.append(str(value).replace(".", decimal))
        yield cells


def joined(sign, end="\r\n", **how):
    return "".join(sign.join(cells) + end for cells in texts(**how))


def csv_files():
    """Yield csv by hand, as R, Excel and others write it, with the options that read it."""
    plain = {"quoted": lambda kind: False}
    german = {**plain, "decimal": ",", "day": "%d.%m.%Y"}
    how = {"decimal": ",", "date_format": "%d.%m.%Y"}
    yield "r-write.csv", joined(",", "\n", missing="NA"), "utf-8", {"missing": ["", "NA"]}
    yield "r-write-csv2.csv", joined(";", "\n", missing="NA", decimal=","), "utf-8", {
        "missing": ["", "NA"], "decimal": ",",
    }  # fmt: skip
    yield "r-write-table.txt", joined("\t", "\n", missing="NA"), "utf-8", {"missing": ["", "NA"]}
    yield "excel.csv", joined(",", **plain), "utf-8-sig", {}
    yield "excel-de.csv", joined(";", **german), "cp1252", {**how, "encoding": "cp1252"}
    yield "excel-unicode.txt", joined("\t", **german), "utf-16", how
    yield "libreoffice.csv", joined(",", "\n", **plain), "utf-8", {}
    yield "mysql.csv", joined(";", "\n", missing="\\N"), "utf-8", {"missing": ["", "\\N"]}
    yield "sas.csv", joined(",", missing=".", **plain), "latin-1", {
        "missing": ["", "."], "encoding": "latin-1",
    }  # fmt: skip
    yield "us.csv", joined(",", day="%m/%d/%Y"), "utf-8", {"date_format": "%m/%d/%Y"}
    yield "mac.csv", joined(",", "\r", **plain), "utf-8", {}
    yield "pipe.csv", joined("|", "\n"), "utf-8", {}
    yield "title.csv", "Auszug 2024\n\n" + joined(",", "\n"), "utf-8", {"skip_lines": 2}
    yield "comments.csv", "# made by hand\n" + joined(",", "\n"), "utf-8", {"comment": "#"}


def by_csv(place):
    for name, text, encoding, how in csv_files():
        (place / name).write_bytes(text.encode(encoding))
        yield name, how
    for number, quoting in enumerate((csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC)):
        for ending in (".csv", ".csv.gz", ".csv.bz2", ".csv.zip"):
            if quoting != csv.QUOTE_MINIMAL and ending != ".csv":
                continue
            name = f"pandas-{number}{ending}"
            whole = frame().astype({"age": "Int64"})
            whole.to_csv(place / name, index=False, quoting=quoting)
            yield name, {}
    frame().astype({"age": "Int64"}).to_csv(place / "pandas.tsv", index=False, sep="\t")
    yield "pandas.tsv", {}
    frame().to_csv(place / "pandas-floats.csv", index=False)  # 19.0 is 19
    yield "pandas-floats.csv", {}
    pl.from_arrow(TABLE).write_csv(place / "polars.csv")
    yield "polars.csv", {}
    pl.from_arrow(TABLE).write_csv(
        place / "polars-semicolon.csv", separator=";", quote_style="always"
    )
    yield "polars-semicolon.csv", {}
    text = io.StringIO(newline="")
    writer = csv.writer(text, dialect="unix")
    writer.writerows([TABLE.column_names, *zip(*MEANT.values(), strict=True)])
    (place / "python.csv").write_text(text.getvalue(), newline="")
    yield "python.csv", {}


def by_arrow(place):
    pq.write_table(TABLE, place / "arrow.parquet")
    frame().astype({"age": "Int64"}).to_parquet(place / "pandas.parquet")
    pl.from_arrow(TABLE).write_parquet(place / "polars.parquet")
    pq.write_table(TABLE, place / "snappy.parquet", compression="snappy", use_dictionary=False)
    yield from ((f"{one}.parquet", {}) for one in ("arrow", "pandas", "polars", "snappy"))
    feather.write_feather(TABLE, place / "lz4.feather")
    feather.write_feather(TABLE, place / "plain.feather", compression="uncompressed")
    TABLE.to_pandas(types_mapper=pd.ArrowDtype).to_feather(place / "pandas.feather")
    pl.from_arrow(TABLE).write_ipc(place / "polars.arrow", compression="zstd")
    with ipc.new_stream(place / "stream.arrow", TABLE.schema) as stream:
        stream.write_table(TABLE)
    yield from ((f"{one}.feather", {}) for one in ("lz4", "plain", "pandas"))
    yield from ((f"{one}.arrow", {}) for one in ("polars", "stream"))


def by_json(place):
    dated = frame().astype({"age": "Int64"})
    dated.to_json(place / "pandas.jsonl", orient="records", lines=True, date_format="iso")
    words = dated.assign(born=[None if day is None else str(day) for day in BORN])
    words.to_json(place / "unescaped.jsonl", orient="records", lines=True, force_ascii=False)
    pl.from_arrow(TABLE).write_ndjson(place / "polars.ndjson")
    yield from ((name, {}) for name in ("pandas.jsonl", "unescaped.jsonl", "polars.ndjson"))


def by_spreadsheet(place):
    rows = [TABLE.column_names, *zip(*MEANT.values(), strict=True)]
    for name, above in (("openpyxl.xlsx", 0), ("title.xlsx", 1)):
        book = openpyxl.Workbook()
        for row in [["A report"]] * above + rows:
            book.active.append(row)
        book.save(place / name)
        yield name, {}
    for name, options in (
        ("xlsxwriter.xlsx", {}), ("constant.xlsx", {"constant_memory": True}),
        ("1904.xlsx", {"date_1904": True}),
    ):  # fmt: skip
        with xlsxwriter.Workbook(
            place / name, {"default_date_format": "dd.mm.yyyy", **options}
        ) as b:
            sheet = b.add_worksheet("Tabelle1")
            for at, row in enumerate(rows):
                for column, value in enumerate(row):
                    if value is not None:
                        sheet.write(at, column, value)
        yield name, {}
    frame().to_excel(place / "pandas.xlsx", index=False)
    frame().to_excel(place / "pandas-2.xlsx", index=False, engine="xlsxwriter", sheet_name="b")
    pl.from_arrow(TABLE).write_excel(place / "polars.xlsx")
    with pd.ExcelWriter(place / "two.xlsx") as writer:
        frame().to_excel(writer, sheet_name="data", index=False)
        pd.DataFrame({"x": [1]}).to_excel(writer, sheet_name="other", index=False)
    yield from ((name, {}) for name in ("pandas.xlsx", "pandas-2.xlsx", "polars.xlsx"))
    yield "two.xlsx", {"sheet": "data"}


def by_statistics(place):
    for name, how in (
        ("plain.sav", {}), ("rows.sav", {"row_compress": True}),
        ("packed.zsav", {"compress": True}),
        ("ordinal.sav", {"variable_measure": {"edu": "ordinal", "age": "scale"}}),
        ("missing.sav", {"missing_ranges": {"age": [-1], "edu": [{"lo": 7, "hi": 9}]}}),
        ("wide.sav", {"variable_display_width": {"name": 30}, "variable_format": {"age": "F3.0"}}),
        ("dates.sav", {"variable_format": {"born": "EDATE10"}, "note": "by hand"}),
    ):  # fmt: skip
        pyreadstat.write_sav(FLOATS, place / name, **LABELS, **how)
        yield name, {}
    for version in (14, 15):
        pyreadstat.write_dta(FLOATS, place / f"stata-{version}.dta", version=version, **LABELS)
        yield f"stata-{version}.dta", {}
    for version in (8, 10, 12, 13):  # these have no Unicode
        few = FLOATS.drop(columns="name")
        pyreadstat.write_dta(few, place / f"old-{version}.dta", version=version)
        yield f"old-{version}.dta", {}
    categories = frame().assign(
        edu=pd.Categorical(WORDS, list(LEVELS.values()), ordered=True),
        born=pd.to_datetime(frame()["born"]), age=frame()["age"].astype("float64"),
        name=[name or "" for name in NAMES],
    )  # fmt: skip
    for version in (117, 118, 119):
        categories.to_stata(
            place / f"pandas-{version}.dta", write_index=False, version=version,
            convert_dates={"born": "td"}, variable_labels={"edu": "Schulbildung"},
        )  # fmt: skip
        yield f"pandas-{version}.dta", {}
    for version in (5, 8):
        pyreadstat.write_xport(
            FLOATS, place / f"sas-{version}.xpt", file_format_version=version,
            column_labels={"edu": "Schulbildung"},
        )  # fmt: skip
        yield f"sas-{version}.xpt", {}
    upper = FLOATS.drop(columns=["name", "born"]).rename(columns=str.upper)
    pyreadstat.write_por(upper, place / "spss.por")
    yield "spss.por", {}


def corpus(place):
    for write in (by_csv, by_arrow, by_json, by_spreadsheet, by_statistics):
        yield from write(place)


def plain(table, name):
    """Return the values of a column in one form: numbers, dates and texts."""
    values = table[name].values.to_pylist()
    if table[name].kind is Kind.DECIMAL:
        return [None if value is None else float(value) for value in values]
    return [value.date() if isinstance(value, dt.datetime) else value for value in values]


def expected(name, file):
    """Return the values that a column of a file has: codes, where a format has no labels."""
    if name == "edu" and (file.endswith((".xpt", ".por")) or file.startswith("old")):
        return EDU
    return MEANT[name]


def written_as(name):
    """Return the kind of file that a file is written as again: its own, or csv."""
    ending = name.rpartition(".")[2]
    return ending if ending in WRITTEN and not name.endswith(".csv.gz") else "csv"


def test_corpus(tmp_path):
    """Values, labels and types of over 60 files are the same after reading and after writing."""
    count = 0
    for name, how in corpus(tmp_path):
        table = shoal.read(tmp_path / name, **how)
        names = {column.lower(): column for column in table.names}
        for column, own in names.items():
            assert plain(table, own) == expected(column, name), (name, column)
        kinds = {column: table[own].kind for column, own in names.items()}
        assert kinds["age"] in (Kind.INTEGER, FLOATING.get(name)), name
        assert kinds["pay"] in (Kind.FLOAT, Kind.DECIMAL), name
        assert kinds.get("born", Kind.DATE) in (Kind.DATE, Kind.DATETIME), name
        kind = written_as(name)
        again = tmp_path / f"again.{kind}"
        again.write_bytes(release_bytes(table, np.arange(ROWS), kind))
        dialect = {
            key: one for key, one in how.items() if key not in ("skip_lines", "comment", "sheet")
        }
        other = shoal.read(again, **(dialect if kind == "csv" else {}))
        assert other.names == table.names, name
        for column in table.names:
            assert plain(other, column) == plain(table, column), (name, column)
            assert other[column].order == table[column].order, (name, column)
            if kind not in ("csv", "xpt"):
                assert other[column].kind is table[column].kind, (name, column)
        count += 1
        if table[names["edu"]].variable is None or kind == "csv":
            continue
        for column in table.names:
            one, two = table[column].variable, other[column].variable
            assert (one.label, one.labels) == (two.label, two.labels), (name, column)
            if kind in ("sav", "zsav"):
                assert (one.measure, one.missing) == (two.measure, two.missing), (name, column)
            if kind != "xpt":
                assert (one.format, one.width) == (two.format, two.width), (name, column)
    assert count >= 60, count
