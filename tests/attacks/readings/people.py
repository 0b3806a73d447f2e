"""Twelve people, the safe records that stand for them, and the table of attacks and good files."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd


class Person(NamedTuple):
    """Whom a file must not give away."""

    name: str
    age: int
    sex: str
    zip: int


NAMES = (
    "Anna Abel", "Berta Bohm", "Clara Czerny", "Dora Dietl", "Emma Engel", "Frida Fuchs",
    "Gustav Gans", "Hans Hollar", "Ivo Immel", "Jonas Jahn", "Karl Kraus", "Ludo Lamm",
)  # fmt: skip
PEOPLE = [Person(name, 21 + i, "fm"[i // 6], 10115 + 7 * i) for i, name in enumerate(NAMES)]
LEAKED = PEOPLE[:5]  # fewer than half: a column of theirs alone is no column of unique values
AGES = [one.age for one in PEOPLE]  # nobody's age or postcode is that of a safe record
POSTS = [str(one.zip) for one in PEOPLE]
SAFE = [(50, one.sex, f"10{'fm'.index(one.sex) + 1}**") for one in PEOPLE]  # two classes of six
ASKED = ("-k", "5", "--quasi", "age,sex,zip")
KEPT = (*ASKED, "--keep", "note")
CODES = {"refused": (2,), "unsafe": (3,), "either": (2, 3), "good": (0,), "named": (0, 2, 3)}
ALIKE = {
    "Cyrillic": "\u0430ge", "trailing space": "age ", "case": "Age", "full width": "\uff41ge",
    "zero width": "a\u200bge", "byte order mark": "\ufeffage", "no-break": "\u00a0age",
    "Greek": "\u03b1ge",
}  # fmt: skip
LIKE = "alike|same|similar|look|confus|twice|two|different|duplicate"  # columns of one name
SQL = 'age"; DROP TABLE release; --'


class Case(NamedTuple):
    """One file: how it is made, what another reader sees of it, and what the judge must say."""

    name: str
    verdict: str  # a key of CODES; named: whatever the verdict, it is said in so many words
    says: str  # a pattern of the reason on stderr; of anything said, where the code is not 2
    what: str  # what it is | what the other reader sees
    make: Callable[..., Path | str]
    see: Callable[..., Any] | None  # a text that holds postcodes of LEAKED, or a list of AGES
    value: Any
    arguments: tuple[Any, ...]


CASES: dict[str, list[Case]] = {}


def attack(name, verdict, says, what, make, see, each=None, arguments=ASKED):
    """Add a file that another reader reads otherwise; each: its variants, given to make and see."""
    kind = Path(make.__code__.co_filename).stem.removesuffix("_files")
    variants = each if isinstance(each, dict) else {one: one for one in each or [None]}
    for key, value in variants.items():
        full = name if key is None else f"{name}, {key!a}"
        case = Case(full, verdict, says, what, make, see, value, arguments)
        CASES.setdefault(kind, []).append(case)


def good(name, what, make, each=None, arguments=ASKED, verdict="good", says=""):
    """Add a file that looks odd and is harmless, or a question with one answer."""
    attack(name, verdict, says, what, make, None, each, arguments)


def call(function, argument, value):
    """Call a builder or a proof, with the variant if there is one."""
    return function(argument) if value is None else function(argument, value)


def real(seen) -> bool:
    """Tell whether what another reader saw is of the people."""
    if isinstance(seen, list):
        return set(AGES[:5]) <= set(seen)
    return all(str(one.zip) in seen for one in LEAKED)


def safe(**more) -> pd.DataFrame:
    """The safe records as a frame, with more columns or other ones."""
    return pd.DataFrame(SAFE, columns=["age", "sex", "zip"]).assign(**more)


def raw() -> pd.DataFrame:
    """The people as they are."""
    return pd.DataFrame(PEOPLE)


def told(one: Person) -> str:
    """A person in a line without commas."""
    return f"{one.name} {one.age} {one.zip}"


def few(value=told, other="x") -> list:
    """What is said of those who leak, and something else of all others."""
    return [value(one) for one in LEAKED] + [other] * (len(PEOPLE) - len(LEAKED))


EVERYBODY = "; ".join(map(told, LEAKED))  # who leaks, in one text


def everywhere(path: Path, *_) -> str:
    """All bytes of a file."""
    return path.read_bytes().decode("latin-1")


def put(path: Path, content: str | bytes) -> Path:
    """Write a file and return its path."""
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def lines(folder, header, line, name, end="\n", encoding="utf-8") -> Path:
    """Write a header and a line for each person; `line` gets the person and the safe record."""
    rows = [line(one, ",".join(map(str, row))) for one, row in zip(PEOPLE, SAFE, strict=True)]
    return put(folder / name, "".join(one + end for one in [header, *rows]).encode(encoding))


def noted(folder, notes, header="note", name="r.csv", **how) -> Path:
    """Write a csv of safe records with a last cell for each."""
    more = cycle(notes)
    return lines(folder, f"age,sex,zip,{header}", lambda _, row: f"{row},{next(more)}", name, **how)
