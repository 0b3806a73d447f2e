"""Excel whose cells hold one thing and show, or hide, another."""

# ruff: noqa: E501, I001 (a table)
# fmt: off

from __future__ import annotations

import re
import warnings
import zipfile

import openpyxl
import pandas as pd
import xlsxwriter

from attacks.readings import people
from attacks.readings.people import AGES, EVERYBODY, PEOPLE, POSTS, SAFE, attack, everywhere, few, good, raw, safe, told

SHEET = "xl/worksheets/sheet1.xml"

def put(folder, edit=lambda book, sheet: None, rows=SAFE):
    """Write the safe records, and let `edit` add to the book and its sheet."""
    with xlsxwriter.Workbook(folder / "r.xlsx") as book:
        sheet = book.add_worksheet("release")
        for i, row in enumerate([("age", "sex", "zip"), *rows]):
            sheet.write_row(i, 0, row)
        edit(book, sheet)
    return folder / "r.xlsx"

def aged(folder, write):
    """Let `write` write the ages anew."""
    return put(folder, lambda book, sheet: [write(book, sheet, i, age) for i, age in enumerate(AGES, 1)])

def parts(path, *_):
    """All names and texts within the file."""
    with zipfile.ZipFile(path) as file:
        return "\n".join(one.filename + file.read(one).decode("latin-1") for one in file.infolist())

def packed(path, change=lambda name, content: content, more=()):
    """Change the members of the file, and add others, also of the same name."""
    with zipfile.ZipFile(path) as file:
        found = [(one, change(one, file.read(one))) for one in file.namelist()]
    with zipfile.ZipFile(path, "w") as file, warnings.catch_warnings(action="ignore"):  # one name twice
        for name, content in [*found, *more]:
            file.writestr(name, content)
    return path

def changed(folder, name, old, new):
    return packed(put(folder), lambda one, content: re.sub(old, new, content) if one == name else content)

def sheet_twice(folder, raw_is_last):
    sheets = []
    for rows in (SAFE, [one[1:] for one in PEOPLE]):
        with zipfile.ZipFile(put(folder, rows=rows)) as file:
            sheets.append(file.read(SHEET))
    path = put(folder)
    first, last = sheets if raw_is_last else sheets[::-1]
    return packed(path, lambda one, content: first if one == SHEET else content, [(SHEET, last)])

def around(folder, where):
    path = put(folder)
    if where == "bytes":
        return people.put(path, raw().to_csv().encode() + path.read_bytes())
    with zipfile.ZipFile(path, "a") as file:
        file.comment = EVERYBODY.encode()
    return path

def formatted(path, _):
    cells = openpyxl.load_workbook(path)["release"]["A"][1:]
    return [int("".join(re.findall(r"\d", one.number_format.replace("=50", "")))) for one in cells]

def frame(path, *_):
    return pd.read_excel(path).to_string()

def other_sheet(hide):
    def edit(book, sheet):
        other = book.add_worksheet("other")
        other.write_column(0, 0, map(told, PEOPLE))
        getattr(other, hide, lambda: None)()
    return edit

def hidden_rows(book, sheet):
    for i, one in enumerate(PEOPLE, start=13):
        sheet.write_row(i, 0, [one.age, one.sex, str(one.zip)])
        sheet.set_row(i, None, None, {"hidden": True})

def noted(notes, style=None, edit=lambda sheet: None):
    """Add a column note."""
    return lambda book, sheet: (sheet.write_column(0, 3, ["note", *notes], style and book.add_format(style)), edit(sheet))

def chart(book, sheet):
    made = book.add_chart({"type": "line"})
    made.add_series({"values": "=release!$A$2:$A$13", "name": EVERYBODY})
    sheet.insert_chart("H2", made)

BESIDE = {
    "comment": lambda book, sheet: sheet.write_comment(1, 0, EVERYBODY), "text box": lambda book, sheet: sheet.insert_textbox(1, 5, EVERYBODY),
    "alternative text": lambda book, sheet: sheet.insert_textbox(1, 5, "x", {"description": EVERYBODY}), "chart": chart,
    "second sheet": other_sheet("visible"), "hidden sheet": other_sheet("hide"), "very hidden sheet": other_sheet("very_hidden"),
    "defined name": lambda book, sheet: book.define_name("people", f'="{EVERYBODY}"'),
    "custom property": lambda book, sheet: book.set_custom_property("people", EVERYBODY), "properties": lambda book, sheet: book.set_properties({"comments": EVERYBODY}),
    "choices": lambda book, sheet: sheet.data_validation("A2:A13", {"validate": "list", "source": POSTS}),
    "conditional format": lambda book, sheet: sheet.conditional_format("A2:A13", {"type": "formula", "criteria": f'=A2="{EVERYBODY}"', "format": book.add_format()}),
    "page header": lambda book, sheet: sheet.set_header(f"&C{EVERYBODY}"), "link": lambda book, sheet: sheet.write_url("C2", f"https://a.org/#{'-'.join(POSTS)}", string="101**"),
}
PARTS = ["xl/threadedComments/threadedComment1.xml", "xl/media/image1.png", "xl/pivotCache/pivotCacheRecords1.xml", "customXml/item1.xml", "raw.csv", "xl/vbaProject.bin"]
attack("formulas", "refused", "formula", "formulas of ages, with the safe value as the last result | Excel, openpyxl: the formula",
       lambda to: aged(to, lambda book, sheet, i, age: sheet.write_formula(i, 0, f"={age}", None, 50)),
       lambda path: [int(one.value[1:]) for one in openpyxl.load_workbook(path)["release"]["A"][1:]])
attack("number formats", "refused", "format", "number formats show another number than the cell holds | Excel",
       lambda to, how: aged(to, lambda book, sheet, i, age: sheet.write(i, 0, 50, book.add_format({"num_format": how(str(age))}))), formatted,
       {"literal": lambda age: f'"{age}"', "of texts": lambda age: f';;;@"{age}"', "condition": lambda age: f'[=50]"{age}";General', "escaped": lambda age: f"\\{age[0]}\\{age[1]}"})
attack("format that shows nothing", "refused", "format", "raw cells with the format `;;;` | any reader but Excel's window", lambda to: put(to, noted(few(), {"num_format": ";;;"})), frame)
attack("beside the cells", "refused", "comment|draw|box|shape|chart|sheet|name|propert|hidden|part|validation|list|choice|condition|format|header|page|print|link",
       "records beside the cells | Excel, or whoever unpacks it", put, parts, BESIDE)
attack("more parts", "refused", "comment|draw|picture|media|pivot|macro|part|file|member|hold", "a part of the file that no cell needs | whoever unpacks it",
       lambda to, name: packed(put(to), more=[(name, EVERYBODY)]), parts, PARTS)
attack("sheet twice", "either", "twice|two|member|part|file", "the zip holds the sheet twice | the other entry", sheet_twice, parts, {"raw last": True, "raw first": False})
attack("around the zip", "refused", "zip|comment|byte|file|behind", "records in the zip's comment, or in front | whoever reads the bytes", around, everywhere, ["comment", "bytes"])
attack("texts that no cell has", "refused", "text|string|unused|part|phonetic", "shared strings that no cell shows | openpyxl, whoever unpacks it",
       lambda to, more: changed(to, "xl/sharedStrings.xml", b"</sst>", more.encode() + b"</sst>"), parts,
       {"unused": f"<si><t>{EVERYBODY}</t></si>", "phonetic": f'<si><t>q</t><rPh sb="0" eb="1"><t>{EVERYBODY}</t></rPh></si>'})
attack("digits beyond a double", "either", "digit|double|precis|number", "ages in digits that a double does not hold | whoever reads the XML",
       lambda to: changed(to, SHEET, rb'(<c r="A(\d+)"[^>]*>)<v>50</v>', lambda one: one[1] + b"<v>50.00000000000000000000%d</v>" % (int(one[2]) + 19)),
       lambda path: [int(one) for one in re.findall(r"<v>50\.0+(\d\d)</v>", parts(path))])
attack("hidden", "either", "hid|note", "hidden raw rows or columns | any reader but Excel's window", put, frame,
       {"rows": hidden_rows, "column": noted(few(), edit=lambda sheet: sheet.set_column(3, 3, None, None, {"hidden": True})), "narrow": noted(few(), edit=lambda sheet: sheet.set_column(3, 3, 0))})
attack("beneath merged cells", "either", "merge|note", "cells beneath one merged cell | pandas: them",
       lambda to: put(to, lambda book, sheet: (sheet.merge_range("D2:D13", "x"), sheet.write_column(0, 3, ["note", "x", *POSTS[:11]]))), frame)
attack("far from the table", "refused", "column|header|name|beside|cell", "cells far to the right, below no name | openpyxl",
       lambda to: put(to, lambda book, sheet: sheet.write_column(3, 40, map(told, PEOPLE))), parts)
attack("column of names", "unsafe", "note", "nobody asked about note, names of all | any reader", lambda to: put(to, noted(map(told, PEOPLE))), frame)
# harmless
good("usual books", "a bold header, usual formats, a filter, text that begins with =", put,
     {"plain": lambda book, sheet: None, "numbers": lambda book, sheet: sheet.write_column(1, 0, [50] * 12, book.add_format({"num_format": "#,##0.00"})),
      "bold": lambda book, sheet: (sheet.write_row(0, 0, ["age", "sex", "zip"], book.add_format({"bold": True})), sheet.freeze_panes(1, 0)),
      "widths": lambda book, sheet: sheet.set_column(0, 2, 20), "text": noted(few(lambda _: "'=1+1"))})
good("usual writers", "what pandas writes by openpyxl and xlsxwriter", lambda to, engine: safe().to_excel(to / "r.xlsx", index=False, engine=engine) or to / "r.xlsx", ["openpyxl", "xlsxwriter"])
good("kept by word", "unique values that the command says are kept", lambda to: put(to, noted(range(12))), arguments=people.KEPT)
