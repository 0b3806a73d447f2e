"""JSON lines in which a parser loses what another one keeps."""

# ruff: noqa: E501, I001 (a table)
# fmt: off

from __future__ import annotations

import json
from decimal import Decimal
from itertools import cycle

from attacks.readings import people
from attacks.readings.people import ASKED, LEAKED, LIKE, PEOPLE, SAFE, Person, attack, few, good, told

DIGITS = "digit|precis|double|number|exact"

def put(folder, line):
    """Write a line for each person; `line` gets the person and the safe values as JSON."""
    made = [line(one, *map(json.dumps, row)) for one, row in zip(PEOPLE, SAFE, strict=True)]
    return people.put(folder / "r.jsonl", "\n".join([*made, ""]))

def plain(age, sex, post, more=""):
    return f'{{"age": {age}, "sex": {sex}, "zip": {post}{more}}}'

def more(folder, texts):
    """Safe records, each with a text behind."""
    texts = cycle(texts)
    return put(folder, lambda one, *row: plain(*row, next(texts)))

def aged(folder, form):
    """Safe records with ages in other forms."""
    return put(folder, lambda one, age, *row: plain(form(one.age), *row))

def parsed(path, **how):
    return [json.loads(line, **how) for line in path.read_text("utf-8").splitlines()]

def digits(path):
    return [Decimal(one["age"]).as_tuple().digits for one in parsed(path, parse_float=Decimal)]

def plainly(path, *_):
    return str(parsed(path))

def late(folder):
    """A key that only the last lines have; DuckDB looks at the first 20,480."""
    path = more(folder, [""])
    return people.put(path, path.read_text() * 2500 + "".join(
        plain(50, '"f"', '"101**"', f', "name": "{told(one)}"') + "\n" for one in LEAKED))

attack("beyond a double", "either", DIGITS, "ages in digits that a double does not hold | Decimal: them",
       lambda to, form: aged(to, form.format), lambda path, _: [10 * one[-2] + one[-1] for one in digits(path)],
       {"digits": f"50.{'0' * 20}{{}}", "exponent": "{}e400", "integer": f"1{'0' * 400}{{}}", "fraction": f"5{'0' * 40}{{}}e-41", "tiny": "{}e-400"})
attack("zeros of a number", "either", DIGITS, "one number in twelve spellings, of more digits than a double | Decimal, jq: as many zeros as years",
       lambda to, form: aged(to, lambda age: form.format("0" * age, age)), lambda path, _: [len(one) - 2 for one in digits(path)], ["50.{}", "50{}e-{:d}"])
attack("integers beyond 53 bits", "either", DIGITS, "whole numbers that JavaScript rounds | Python: them",
       lambda to: aged(to, lambda age: 2**60 + age), lambda path: [one["age"] - 2**60 for one in parsed(path)])
attack("key twice", "refused", LIKE, "a key stands twice in a line, once raw | the first, or the last",
       lambda to, form: put(to, lambda one, age, sex, post: f'{{"age": {age}, "sex": {sex}, {form.format(raw=one.zip, safe=post)}}}'),
       lambda path, _: str(parsed(path, object_pairs_hook=list)),
       {"raw first": '"zip": {raw}, "zip": {safe}', "raw last": '"zip": {safe}, "zip": {raw}', "escaped": '"\\u007aip": {raw}, "zip": {safe}'})
attack("keys alike", "refused", LIKE, "a second key looks like the first | any reader: it",
       lambda to, key: more(to, few(lambda one: f', "{key}": {one.zip}', f', "{key}": 0')), plainly, ["Zip", "zip ", "z\u0456p"])
attack("nested", "refused", "nested|object|list|array|struct", "an object or array in five records | any reader: it", more, plainly,
       {"object": few(lambda one: f', "note": {json.dumps(one._asdict())}', ', "note": "x"'), "array": few(lambda one: f', "note": {json.dumps(one)}', ', "note": "x"'),
        "late": few(lambda one: f', "note": {json.dumps(Person._asdict(one))}', ', "note": "x"')[::-1]})
attack("key of some lines", "named", "name", "five lines have a key more | any reader: it", lambda to: more(to, few(lambda one: f', "name": "{told(one)}"', "")), plainly)
attack("key of late lines", "named", "name", "the last five of 30,005 lines have a key more | whoever reads to the end", late, lambda path: str(parsed(path)[-5:]))
attack("no number", "either", "NaN|number|infin|JSON", "a word that is no JSON | Python: it, and all ages beside",
       lambda to, word: put(to, lambda one, age, *row: plain(word, *row, f', "was": {one.age}')), lambda path, _: [one["was"] for one in parsed(path)], ["NaN", "Infinity"])
attack("behind the object", "refused", "object|line|JSON|behind|after|more", "something follows an object on its line | a streaming parser, jq",
       lambda to, form: put(to, lambda one, *row: plain(*row) + form.format(plain(one.age, '"f"', one.zip))), people.everywhere, ["{0}", " // {0}"])
attack("NUL in a text", "either", "NUL|control|sign", "a postcode behind a NUL | any reader but those of C",
       lambda to: put(to, lambda one, age, sex, post: plain(age, sex, f'"101**\\u0000{one.zip}"')), plainly)
attack("separators in a text", "named", "note", "U+2028 in a text, and records behind | str.splitlines(): lines of their own",
       lambda to: more(to, few(lambda one: f', "note": "x\u2028{told(one)}\u2028"', "")), lambda path: str([one for one in path.read_text("utf-8").splitlines() if one[0] not in '{"']))
attack("index of names", "unsafe", "note", "nobody asked about note, names of all | any reader", lambda to: more(to, (f', "note": "{told(one)}"' for one in PEOPLE)), plainly)
# harmless
good("plain lines", "lines of flat objects", lambda to, text: more(to, [text]), ["", ', "note": "naïve \\u00e9"', ', "note": null', ', "note": 0.1'])
good("keys in another order", "with spaces, and no line end at the end", lambda to: people.put(
     path := put(to, lambda one, age, sex, post: f'{{ "zip":{post} ,"sex":{sex}, "age" : {age}}}'), path.read_text().rstrip("\n")))
good("usual digits", "numbers with all digits that a double has", lambda to: more(to, (f', "cost": {one!r}' for one in [0.1 + 0.2, 1 / 3] * 6)),
     arguments=(*ASKED, "--sensitive", "cost", "--l", "2"))
