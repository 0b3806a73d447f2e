"""SPSS and Stata: codes that are missing to some, labels, notes."""

# ruff: noqa: E501, I001 (a table)
# fmt: off

from __future__ import annotations

import struct

import pandas as pd
import pyreadstat

from attacks.readings import people
from attacks.readings.people import AGES, EVERYBODY, LEAKED, PEOPLE, POSTS, attack, everywhere, few, good, raw, safe, told

RULED = "missing"
BOTH = ["r.sav", "r.dta"]

def put(folder, name="r.sav", frame=None, **how):
    write = pyreadstat.write_dta if name.endswith("dta") else pyreadstat.write_sav
    write(safe() if frame is None else frame, folder / name, **how)
    return folder / name

def read(path, **how):
    """The values and what is said of them."""
    return (pyreadstat.read_dta if path.suffix == ".dta" else pyreadstat.read_sav)(path, **how)

def ages(path, *_, **how):
    return [int(one) for one in read(path, **how)[0]["age"]]

def said(what):
    """What the file says beside the values."""
    return lambda path, *_: str(getattr(read(path)[1], what))

def three(path, column, values):
    """All ages, if the column shows who the one, the two and the three are, else none."""
    return AGES if list(read(path, user_missing=True)[0][column][:6]) == [values[i] for i in (0, 0, 0, 1, 1, 2)] else []

def records_behind_the_count(folder):
    path = put(folder, frame=pd.concat([safe(), safe(age=AGES, zip=POSTS)]))
    content = bytearray(path.read_bytes())
    struct.pack_into("<i", content, 80, 12)  # of 24
    assert len(read(people.put(path, bytes(content)))[0]) == 12
    return path

def notes_of_stata(folder):
    """Characteristics, where notes of Stata are, with the offsets of the map moved."""
    safe().to_stata(folder / "r.dta", version=118, write_index=False)
    content = (folder / "r.dta").read_bytes()
    body = b"_dta".ljust(129, b"\0") + b"note1".ljust(129, b"\0") + EVERYBODY.encode() + b"\0"
    note = b"<ch>" + struct.pack("<I", len(body)) + body + b"</ch>"
    at = content.index(b"<characteristics>") + len(b"<characteristics>")
    start = content.index(b"<map>") + 5
    moved = [one + len(note) if one >= at else one for one in struct.unpack_from("<14Q", content, start)]
    path = people.put(folder / "r.dta", content[:start] + struct.pack("<14Q", *moved) + content[start + 112 : at] + note + content[at:])
    assert len(pd.read_stata(path)) == 12
    return path

LETTERS = [chr(97 + i) for i in range(12)]
attack("range of missing codes", "either", RULED, "every age lies in the range that is said to be missing | pyreadstat with user_missing",
       lambda to, how: put(to, frame=safe(age=AGES), missing_ranges={"age": [{"lo": 0, "hi": 120}]}, **how), lambda path, _: ages(path, user_missing=True),
       {"sav": {}, "zsav": {"name": "r.zsav", "compress": True}})
attack("codes of missing", "either", RULED, "97, 98, 99 of three, two and one person are no class of six | pyreadstat with user_missing",
       lambda to: put(to, frame=safe(age=[97] * 3 + [98] * 2 + [99] + [50] * 6), missing_ranges={"age": [97, 98, 99]}), lambda path: three(path, "age", [97, 98, 99]))
attack("missing texts", "either", RULED, "three postcodes of three, two and one person are said to be missing | pyreadstat with user_missing",
       lambda to: put(to, frame=safe(zip=[POSTS[i] for i in (0, 0, 0, 1, 1, 2)] + ["102**"] * 6), missing_ranges={"zip": POSTS[:3]}), lambda path: three(path, "zip", POSTS))
attack("letters of missing", "either", RULED, "twelve kinds of missing in Stata, .a to .l | pyreadstat with user_missing",
       lambda to: put(to, "r.dta", safe(age=pd.Series(LETTERS, dtype=object)), missing_user_values={"age": LETTERS}),
       lambda path: [AGES[LETTERS.index(one)] for one in read(path, user_missing=True)[0]["age"]])
attack("one label for all codes", "either", "label", "twelve ages with one label | any reader of values",
       lambda to, name: put(to, name, safe(age=AGES), variable_value_labels={"age": dict.fromkeys(AGES, "20-39")}), ages, BOTH)
attack("labels without records", "refused", "label", "labels of codes that no record has | pyreadstat: variable_value_labels",
       lambda to, name: put(to, name, variable_value_labels={"age": {50: "50", **dict(enumerate(map(told, PEOPLE)))}}), said("variable_value_labels"), BOTH)
attack("labels of names", "either", "label|note", "a code for everybody, with the name as its label | SPSS",
       lambda to, name: put(to, name, safe(note=range(12)), variable_value_labels={"note": dict(enumerate(map(told, PEOPLE)))}), said("variable_value_labels"), BOTH)
attack("labels of columns", "named", "label", "records in the labels of columns | pyreadstat: column_labels",
       lambda to, name: put(to, name, column_labels=["Age", *("; ".join(map(told, some)) for some in (LEAKED[:3], LEAKED[3:]))]), said("column_labels"), BOTH)
attack("label of the file", "named", "label", "postcodes in the label of the file | pyreadstat: file_label",
       lambda to, name: put(to, name, file_label="Survey of " + " ".join(POSTS[:5])), said("file_label"), BOTH)
attack("documents", "refused", "note|document", "records in the notes of SPSS | pyreadstat: notes", lambda to: put(to, note=list(map(told, PEOPLE))), said("notes"))
attack("notes of Stata", "refused", "note|character", "records in the characteristics of Stata | Stata: notes", notes_of_stata, everywhere)
attack("records behind the count", "either", "record|count|case|number|byte|more", "the header counts twelve cases, twelve raw ones follow | whoever reads to the end", records_behind_the_count, everywhere)
attack("bytes behind the data", "either", "byte|behind|after|end", "raw bytes behind the end | whoever reads the bytes",
       lambda to, name: people.put(path := put(to, name), path.read_bytes() + raw().to_csv().encode()), everywhere, BOTH)
attack("digits behind the format", "either", "format|decimal", "a format without decimals shows 50 for all | any reader of values",
       lambda to: put(to, frame=safe(age=[50 + age / 1000 for age in AGES]), variable_format={"age": "F8.0"}), lambda path: [round((one - 50) * 1000) for one in read(path)[0]["age"]])
attack("column of names", "unsafe", "note", "nobody asked about note, names of all | any reader", lambda to, name: put(to, name, safe(note=list(map(told, PEOPLE)))), lambda path, _: read(path)[0].to_string(), BOTH)
# harmless
VALUES = {"variable_value_labels": {"age": {50: "fifty", 99: "no answer"}}}
good("usual SPSS", "labels of values that occur, missing codes of a whole class, labels of columns",
     lambda to, how: put(to, frame=safe(age=[50] * 6 + [99] * 6, note=few(lambda _: "ö")), **how),
     {"plain": {}, "labels": VALUES, "missing": {**VALUES, "missing_ranges": {"age": [99]}}, "zsav": {"compress": True, "name": "r.zsav"},
      "columns": {"column_labels": ["Age in years", "Sex", "Postcode", None]}, "file": {"file_label": "Survey 2024"}})
good("usual Stata", "labels of values that occur, missing values of a class", lambda to, how: put(to, "r.dta", **how),
     {"plain": {}, "labels": {"variable_value_labels": {"age": {50: "fifty"}}}, "missing": {"frame": safe(age=[50.0] * 6 + [None] * 6)}})
good("Stata of pandas", "what pandas writes", lambda to: safe().to_stata(to / "r.dta", write_index=False) or to / "r.dta")
