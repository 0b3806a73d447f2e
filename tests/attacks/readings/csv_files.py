"""csv that one reader reads as safe records and another as people."""

# ruff: noqa: E501, I001 (a table)
# fmt: off

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import zipfile
import zlib

import pandas as pd

from attacks.readings import people
from attacks.readings.people import ASKED, EVERYBODY, LIKE, PEOPLE, attack, everywhere, few, good, lines, noted, told

HEADER = "age,sex,zip"
SPLIT = "delimiter|separat|split|quote"
QUOTES = "quot|strict"
ENDS = "line end|new-line|line break|carriage|control|line feed|separat"
PACKED = "gzip|zip|pack|trail|behind|after|damage|comment|name|header|member|file"

def put(folder, line, header=HEADER, name="r.csv", **how):
    return lines(folder, header, line, name, **how)

def cells(path, **how):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, **how))

def seen(**how):
    """What pandas prints."""
    return lambda path, *_: pd.read_csv(path, **how).to_string()

def count(sign, column=0, less=0):
    """How often a sign stands in a cell of each record."""
    return lambda path, *_: [one[column].count(sign) - less for one in cells(path)[1:]]

def paper(path, sha=None, **conventions):
    """Lay a certificate beside that names conventions and the file, and a hash if one is given."""
    named = {"file": path.name, "kind": "csv", "records": 12, "columns": HEADER.split(","), **conventions}
    claims = {"k": 5, "quasi_identifiers": HEADER.split(","), "sensitive": []}
    files = {path.name: {"sha256": sha, "bytes": path.stat().st_size}} if sha else {}
    text = {"schema": "shoal-certificate/1", "release": named, "claims": claims, "files": files}
    people.put(path.with_name("certificate.json"), json.dumps(text))
    return path

def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()

def reported(path, quasi=("age", "sex", "zip"), other=(), name=None, k=5):
    """Lay a report beside the file, with its hash or another."""
    roles = {"identifier": [], "quasi-identifier": quasi, "sensitive": [], "other": other, "dropped": []}
    release = {"columns": [*quasi, *other], "records": 12, "kind": "csv", "file": path.name, "sha256": name or sha(path)}
    text = {"schema": "shoal-report/1", "release": release, "roles": roles, "verification": {"required": k}}
    people.put(path.with_name(f"{path.stem}.report.json"), json.dumps(text))
    return path

def raw_line(one, *_):
    return f"{one.age},{one.sex},{one.zip}"

def safe_line(_, row):
    return row

# what separates the cells
attack("paper names delimiter", "refused", SPLIT,
       "a certificate, with a hash or without, says `;`; split by commas the columns are raw | pandas: them",
       lambda to, hashed: paper(path := put(to, lambda one, row: f"{raw_line(one)},x;{row.replace(',', ';')}", f"{HEADER},note;age;sex;zip"), hashed(path), delimiter=";"),
       seen(), {"no hash": lambda _: None, "another's": lambda _: "0" * 64, "its own": sha})
attack("paper names quote", "either", SPLIT, "a certificate without the file's hash says that `'` quotes | readers with the usual quote: names, ages",
       lambda to: paper(put(to, lambda one, row: f"'{one.name},{one.age},{one.zip}',{row}",
                            "'name,old,post',age,sex,zip"), quote="'", delimiter=","), seen())
attack("quoted header", "refused", SPLIT, "a quoted header hides commas, records split by both | pandas: postcode and name as its index",
       lambda to, mark: put(to, lambda one, row: f"{one.zip},{one.name},x{mark}{row.replace(',', mark)}",
                            mark.join(['"id,name,note"', "age", "sex", "zip"])), seen(), [";", "|", "\t"])
attack("records split twice", "refused", SPLIT,
       "header and records split into as many cells by another delimiter than the one said | its raw columns",
       lambda to, mark: put(to, lambda one, row: mark.join([one.name, str(one.age), str(one.zip), f"x,{row}"]),
                            mark.join(["name", "old", "post", "x,age,sex,zip"])), lambda path, mark: pd.read_csv(path, sep=mark)["post"].to_string(),
       [";", "|", "\t"], (*ASKED, "--delimiter", ","))
attack("only records split twice", "either", SPLIT, "records split by `;` too, the header does not | sep=';': raw",
       lambda to: noted(to, [f"x;{one.name};{one.age};{one.zip}" for one in PEOPLE]), seen(sep=";"))
attack("tabs by the name", "refused", SPLIT, "a .tsv splits by commas into equally many cells | a reader of commas: raw",
       lambda to: put(to, lambda one, row: f"{one.name},{one.age},{one.zip},x\t" + row.replace(",", "\t"),
                      "name,old,post,x\tage\tsex\tzip", "r.tsv"), seen())
attack("header one cell short", "either", "cell|column|field", "records have a cell more than the header | pandas: names as index",
       lambda to: put(to, lambda one, row: f"{told(one)},{row}"), seen())
attack("short lines", "refused", "cell|column|field", "lines of one cell between the records | pandas pads them",
       lambda to: put(to, lambda one, row: f"{row}\n{told(one)}"), seen())
# quotes
attack("spaces before a quote", "either", QUOTES, "a quote behind spaces, which DuckDB strips | csv.reader: as many spaces as years",
       lambda to: put(to, lambda one, row: f'{" " * one.age}"50"{row[2:]}'), count(" "))
attack("spaces after a quote", "refused", QUOTES, "a quote closes before spaces | csv.reader: as many spaces as years",
       lambda to: put(to, lambda one, row: f'"50"{" " * one.age}{row[2:]}'), count(" "))
attack("text after a quote", "refused", QUOTES, "a quote closes before text | csv.reader appends it, others refuse",
       lambda to: noted(to, few(lambda one: f'"x"{told(one)}')), lambda path: str(cells(path)))
attack("quote within a cell", "refused", QUOTES, "quotes within a cell that opened without | csv.reader: its text, strict readers refuse",
       lambda to: noted(to, few(lambda one: f'{told(one)} "x" y')), lambda path: str(cells(path)))
ESCAPED = few(lambda one: f'"\\",50,f,101**,",{one.age},f,{one.zip},x"')
attack("backslash before a quote", "refused", f"{QUOTES}|escape|backslash",
       "five records have other cells, as many, where a backslash escapes (Spark, MySQL, R) | raw age and zip",
       lambda to: put(to, lambda one, row: ESCAPED[PEOPLE.index(one)] if one in people.LEAKED else f"x,{row},x", "note,age,sex,zip,rest"),
       lambda path: str([one[3] for one in cells(path, escapechar="\\", doublequote=False) if len(one) == len(cells(path)[1]) == 5]))
# lines
BREAKS = {"LF": "\n", "CRLF": "\r\n", "CR": "\r", "VT": "\v", "FF": "\f", "FS": "\x1c", "NEL": "\x85", "LS": "\u2028", "PS": "\u2029"}
attack("line end within quotes", "refused", ENDS, "a quoted cell holds line ends and records between | readers of lines (Spark, awk): them",
       lambda to, end: noted(to, few(lambda one: f'"x{end}{raw_line(one)},{one.name}{end}y"')), lambda path, _: str(path.read_text("utf-8").splitlines()), BREAKS)
attack("line end within header", "refused", ENDS, "a header cell holds line ends and records between | readers of lines",
       lambda to: noted(to, "x", "\"note\n" + "".join(f"{raw_line(one)},{one.name}\n" for one in people.LEAKED) + '"'), everywhere)
attack("lone carriage return", "refused", ENDS, "a carriage return within a cell | pandas: a record of its own",
       lambda to: noted(to, few(lambda one: f"x\r{told(one)}")), lambda path: pd.read_csv(path)["age"].to_string())
attack("after control Z", "either", "control|1A|end of file", "raw records behind 1A, the old end of file | pandas: them",
       lambda to: put(to, lambda one, row: f"{row}\n\x1a{raw_line(one)}"), seen())
attack("comment lines", "either", "#|comment", "raw records behind a #, which DuckDB drops | pandas: them",
       lambda to: put(to, lambda one, row: f"{row}\n#{raw_line(one)}"), seen())
attack("comments at line ends", "either", "#|comment", "raw data behind a # at the end of lines | pandas: it",
       lambda to: put(to, lambda one, row: f"{row}#{one.zip}"), seen())
# signs
attack("NUL", "refused", "NUL|null byte|zero byte|control", "postcodes behind a NUL, where C ends | csv.reader: them",
       lambda to: put(to, lambda one, row: f"{row}\0{one.zip}"), lambda path: str(cells(path)))
attack("bad UTF-8", "refused", "UTF-8|encod|byte", "bytes that are no UTF-8, dropped by some | Latin-1: as many as years",
       lambda to, bad: people.put(path := noted(to, few(lambda one: "@" * one.age)), path.read_bytes().replace(b"@", bad)),
       lambda path, bad: [one.count(bad) for one in path.read_bytes().split(b"\n")],
       {"stray": b"\xff", "overlong NUL": b"\xc0\x80", "surrogate": b"\xed\xa0\x80"})
attack("paper names ISO-2022-JP", "either", "encod|UTF-8|escape|control",
       "escapes that change nothing in an encoding that an unhashed paper names | UTF-8: as many as years",
       lambda to: paper(put(to, lambda one, row: row + "\x1b(B" * one.age), encoding="iso2022_jp"), count("\x1b", 2))
attack("states of an encoding", "either", "encod|UTF-8|escape|control", "the same, named by the command | UTF-8: as many as years",
       lambda to: put(to, lambda one, row: row + "\x1b(B" * one.age), count("\x1b", 2), None, (*ASKED, "--encoding", "iso2022_jp"))
attack("paper names UTF-7", "either", "encod|UTF-7|UTF-8", "an unhashed paper says UTF-7, where +ADU- is 5 | UTF-8: as many + as years",
       lambda to: paper(put(to, lambda one, row: "+AC0-" * (one.age - 1) + "+AC0" + row[2:]), encoding="utf-7"), count("+"))
attack("byte order marks within", "either", "byte order|BOM|mark", "byte order marks in mid-file, dropped by some | others: as many as years",
       lambda to: put(to, lambda one, row: "\ufeff" * one.age + row), count("\ufeff"))
attack("spellings of a number", "either", "smallest|spell", "one number in twelve spellings | readers of text: zeros, spaces, joiners",
       lambda to, mark: put(to, lambda one, row: (f"50.{mark * one.age}" if mark == "0" else mark * one.age + "50") + row[2:]),
       lambda path, mark: count(mark, 0, int(mark == "0"))(path), ["0", " ", "\u200d"])
attack("overlong cell", "refused", "long|limit|131|character", "raw data behind 131,072 characters of a cell | csv with a higher limit",
       lambda to: noted(to, ["x" * 131_073 + EVERYBODY, *["x"] * 11]), lambda path: pd.read_csv(path)["note"][0][131_072:])
attack("overlong header", "refused", "long|limit|name|header|delimiter", "a column's name holds records, 10 kB | any reader",
       lambda to: noted(to, "x", EVERYBODY * 80), lambda path: pd.read_csv(path).columns[3])
# columns and papers
attack("two columns alike", "refused", LIKE, "a second age that looks like the first holds postcodes | any reader",
       lambda to, name: noted(to, few(lambda one: one.zip), name), lambda path, _: str([one[3] for one in cells(path)]), people.ALIKE)
attack("one name twice", "refused", LIKE, "two columns have one name | pandas: age.1",
       lambda to: noted(to, few(lambda one: one.zip), "age"), lambda path: pd.read_csv(path)["age.1"].to_string())
attack("index of names", "unsafe", "note", "nobody asked about note, names of all | any reader", lambda to: noted(to, map(told, PEOPLE)), seen())
attack("a few names", "named", "note", "nobody asked about note, five names | any reader", lambda to: noted(to, few()), seen())
attack("paper of another file", "either", "age|report|hash", "a report with another file's hash names sex only | any reader: raw",
       lambda to: reported(put(to, raw_line), ["sex"], ["age", "zip"], "0" * 64), everywhere, None, ("-k", "5"))
attack("paper keeps what it should not", "either", "note|report|hash", "an unhashed report says that note is kept | any reader: names",
       lambda to: reported(noted(to, map(told, PEOPLE)), other=["note"], name="0" * 64), seen())
RAW = "\n".join(map(raw_line, PEOPLE)).encode()
WELL = "\n".join([HEADER, *(",".join(map(str, row)) for row in people.SAFE), ""]).encode()
attack("second member", "either", PACKED, "a gzip file of two members, the second raw | gzip",
       lambda to: people.put(to / "r.csv.gz", gzip.compress(WELL) + gzip.compress(RAW)), lambda path: gzip.decompress(path.read_bytes()).decode())
attack("bytes after gzip", "refused", PACKED, "raw bytes behind the gzip member | zlib: unused_data",
       lambda to: people.put(to / "r.csv.gz", gzip.compress(WELL) + b"\0\0" + RAW), everywhere)
attack("comment of gzip", "refused", PACKED, "the gzip header has a comment | file, gzip -lv",
       lambda to: people.put(to / "r.csv.gz", (made := gzip.compress(WELL))[:3] + b"\x10" + made[4:10] + RAW + b"\0" + made[10:]),
       lambda path: gzip.decompress(path.read_bytes()) == WELL and zlib.decompressobj(31) and everywhere(path))

def around_a_zip(folder, where):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as file:
        entry = zipfile.ZipInfo("r.csv")
        entry.comment = RAW if where == "comment of a member" else b""
        if "member" in where.split():
            file.writestr("raw.txt", RAW)
        file.writestr(entry, WELL)
        file.comment = RAW if where == "comment" else b""
        if where == "member unlisted":
            del file.filelist[0]
    return people.put(folder / "r.csv.zip", (RAW if where == "bytes before" else b"") + made.getvalue())

attack("around a zip", "refused", PACKED, "people in a zip's comments, other members, bytes around | zipfile",
       around_a_zip, everywhere, ["comment", "comment of a member", "member", "bytes before", "member unlisted"])
good("number signs as data", "every line begins with #", lambda to: put(to, lambda one, row: f"#{row}"))
good("signs in cells", "delimiters, quotes, apostrophes in some cells split nothing consistently", lambda to, note: noted(to, few(lambda _: note)),
     ['"a; b"', '"a, b"', "O'Brien", '"say ""yes"""', "a | b", "C:\\dir", "naïve", "* ? [x]"])
good("other delimiter", "another delimiter, and commas in some cells",
     lambda to, mark: people.put(path := noted(to, few(lambda _: "1~5", "2")), path.read_text().replace(",", mark).replace("~", ",")), [";", "\t", "|"])
good("line ends", "LF or CRLF, a quoted header, no line end at the end",
     lambda to, end: people.put(path := put(to, safe_line, '"age","sex","zip"', end=end), path.read_bytes().removesuffix(end.encode())), ["\n", "\r\n"])
good("byte order mark", "it is at the beginning", lambda to: put(to, safe_line, encoding="utf-8-sig"))
good("encoding of the command", "cp1252, and the command says so", lambda to: noted(to, few(lambda _: "Göß"), encoding="cp1252"),
     arguments=(*ASKED, "--encoding", "cp1252"))
good("odd file names", "patterns and quotes in a name, raw files beside that it would match",
     lambda to, name: [put(to, raw_line, name=one) for one in ("raw.csv", "rx.csv", "ra.csv")] and put(to, safe_line, name=name),
     ["r*.csv", "r?.csv", "[r]aw.csv", "r';--.csv", 'r".csv', "r;.csv", "ä {r}.csv", "r%20.csv"])
good("SQL as a quasi-identifier", "its name is SQL", lambda to: put(to, safe_line, '"age\'); SELECT 1; --",sex,zip'),
     arguments=("-k", "5", "--quasi", "age'); SELECT 1; --,sex,zip"))
good("SQL beside", "another column's name is SQL", lambda to, name: noted(to, few(lambda _: "y"), '"' + name.replace('"', '""') + '"'),
     [people.SQL, "columns(*)", "count(*)", "_row", "rowid", "x::int", "$1", "?", "select", "a.b"])
good("packed once", "a csv in gzip", lambda to: people.put(to / "r.csv.gz", gzip.compress(WELL)))
good("kept by word", "unique values that the command says are kept", lambda to: noted(to, range(12)), arguments=people.KEPT)
good("asked of fewer", "a coarse column that nobody asked about is named", lambda to: put(to, safe_line), arguments=("-k", "5", "--quasi", "age,sex"), says=r"\bzip\b")
good("report says k", "no -k: the report beside says 5", lambda to: reported(put(to, safe_line)), arguments=(), says="5")
good("report says more", "no -k: the report beside says 7", lambda to: reported(put(to, safe_line), k=7), arguments=(), says="7", verdict="unsafe")
good("no file", "a file that is not there is that before anything else", lambda to: to / "nofile.csv", arguments=("-k", "5"), verdict="refused",
     says="no such file|does not exist|not found|there is no")
