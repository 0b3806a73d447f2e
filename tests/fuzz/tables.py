"""Random tables: kinds of Arrow and csv, odd names, missing cells, duplicates, 0 to 40 columns."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta

import numpy as np

from fuzz.cases import Column

WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
NUMBERS = (*WHOLE, *FLOATS, "decimal")
TEXTS = ("text", "large_text", "view", "category", "ordered")
MOMENTS = ("datetime_s", "datetime_ms", "datetime_us", "datetime_ns", "datetime_tz")
DATES = ("date", "date64", *MOMENTS)
STRANGE = (
    "decimal128",
    "time",
    "duration",
    "binary",
    "list",
    "struct",
    "map",
    "null",
    "interval",
    "number_texts",
)
PLAIN = ("int64", "float64", "decimal", "text", "bool", "date")  # the same from every source

NAMES = (
    "age", "sex", "zip", "income", "visits", "Diagnosis", "weight", "id", "a b", "ä", "名前",
    "=1+1", "__proto__", "<script>", "a,b", 'q"x', "x\ny", "../x", "*", "^.*$", "x" * 70, "k",
    "-k", "'", "%s", "{0}", "null", "1", "3.5", "\u202eabc", " lead", "AGE", "a;b", "\ttab",
    "column=1", "e\u0301",
)  # fmt: skip
BAD_NAMES = ("", " ", "dup", "dup", "y" * 11_000)
WORDS = (
    "red", "green", "blue", "Red", "red ", "grün", "new york", "a,b", 'say "x"', "line\nbreak",
    "=2+3", "-x", "[1,2]", "[a,b)", "*", "12**", "NA", "null", "?", "1-2", "2020", "<5", ">=5",
    "x" * 200, "2020-01", "\u200b", "ﬀ", "ß", "\U0001f41f", "'", ";", "true", "01234", "1e5",
    "inf", "{}", "%d",
)  # fmt: skip


def draw_columns(rng: random.Random) -> tuple[Column, ...]:
    """Return the columns of a random table."""
    rows = _rows(rng)
    count = rng.choice((1, 1, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 12))
    if rng.random() < 0.04:
        count = rng.choice((0, 40))
    names = _names(rng, count)
    plain = rng.random() < 0.5
    columns = []
    for name in names:
        kind = rng.choice(PLAIN) if plain or rng.random() < 0.3 else _kind(rng)
        columns.append(Column(name, kind, tuple(draw_cells(rng, kind, rows, plain))))
    if columns and rows > 3 and rng.random() < 0.2:
        return _with_doubles(rng, columns, rows)
    return tuple(columns)


def _rows(rng: random.Random) -> int:
    if rng.random() < 0.05:
        return rng.choice((0, 1, 2, 3))
    return rng.choice((4, 5, 6, 7, 9, 12, 15, 20, 20, 25, 30, 30, 40, 50, 60, 120))


def _names(rng: random.Random, count: int) -> list[str]:
    pool = list(NAMES) if rng.random() < 0.4 else [f"c{i}" for i in range(40)]
    rng.shuffle(pool)
    names = [*pool, *(f"d{i}" for i in range(40))][:count]
    if names and rng.random() < 0.02:
        names[rng.randrange(count)] = rng.choice(BAD_NAMES)
    return names


def _kind(rng: random.Random) -> str:
    spot = rng.random()
    if spot < 0.4:
        return rng.choice(NUMBERS)
    if spot < 0.7:
        return rng.choice(TEXTS)
    if spot < 0.85:
        return rng.choice(DATES)
    return "bool" if spot < 0.95 else rng.choice(STRANGE)


def _with_doubles(rng: random.Random, columns: list[Column], rows: int) -> tuple[Column, ...]:
    """Return the columns with many records that are there several times."""
    of = [rng.randrange(max(1, rows // rng.choice((2, 4, rows)))) for _ in range(rows)]
    return tuple(Column(c.name, c.kind, tuple(c.cells[i] for i in of)) for c in columns)


def draw_cells(rng: random.Random, kind: str, rows: int, plain: bool = False) -> list[str | None]:
    """Return cells of a kind: of few or many values, some missing."""
    missing = rng.choice((0, 0, 0, 0.05, 0.3, 1 if rng.random() < 0.1 else 0))
    few = rng.choice((0, 1, 2, 2, 3, 6))
    make = _maker(rng, kind, plain)
    pool = [make() for _ in range(few)] if few else None
    cells: list[str | None] = []
    for _ in range(rows):
        cell = rng.choice(pool) if pool else make()
        cells.append(None if rng.random() < missing or kind == "null" else cell)
    return cells


def _maker(rng: random.Random, kind: str, plain: bool):
    """Return a function that draws a cell."""
    spread = rng.choice((1, 5, 50, 5000))
    if kind in WHOLE:
        return _whole(rng, kind, spread, plain)
    if kind in FLOATS and rng.random() < 0.1:
        return lambda: f"{rng.randint(-spread, spread)}.0"
    if kind in FLOATS:
        return lambda: _float(rng, kind, spread, plain)
    if kind in ("decimal", "decimal128"):
        digits = rng.choice((1, 2, 4)) if plain else rng.choice((0, 1, 2, 6))
        return lambda: (
            f"{rng.randint(-spread, spread)}"
            + (f".{rng.randrange(10**digits):0{digits}d}" if digits else "")
        )
    if kind == "bool":
        return lambda: rng.choice(("true", "false"))
    if kind in DATES:
        return _moment(rng, kind, spread)
    if kind == "number_texts":
        return lambda: rng.choice(("1", "2", "03", "x", "1.5", "1,5", "inf", "nan", "1_0", "٣"))
    if kind in TEXTS:
        words = ("red", "green", "blue", "amber", "x1", "x2", "x3", "x4") if plain else WORDS
        if not plain and rng.random() < 0.3:
            return lambda: f"{rng.choice('ABC')}{rng.randrange(spread * 10)}"
        return lambda: rng.choice(words)
    return lambda: str(rng.randrange(spread))


def _whole(rng: random.Random, kind: str, spread: int, plain: bool):
    info = np.iinfo(kind)
    low, high = max(int(info.min), -spread), min(int(info.max), spread)
    if not plain and rng.random() < 0.05:
        low, high = int(info.min), int(info.max)
    if rng.random() < 0.5:
        low = 0
    return lambda: str(rng.randint(low, high))


def _float(rng: random.Random, kind: str, spread: int, plain: bool) -> str:
    value = rng.gauss(0, spread)
    if rng.random() < 0.5:
        value = round(value, rng.choice((0, 1, 2)))
    if not plain and rng.random() < 0.01:
        value = rng.choice((1e308, -1e308, 5e-324, float("inf"), float("nan"), -0.0, 2.0**53 + 2))
    if kind == "float64":
        return repr(value)
    with np.errstate(all="ignore"):
        return str(getattr(np, kind)(value))


def _moment(rng: random.Random, kind: str, spread: int):
    first = date(rng.choice((1, 1900, 1970, 2020, 9980)), 1, 1)
    grain = rng.choice((1, 60, 3600, 86_400))

    def draw() -> str:
        day = first + timedelta(days=rng.randrange(spread))
        if kind in ("date", "date64"):
            return day.isoformat()
        if kind == "datetime_ns" and not 1700 < day.year < 2200:
            day = day.replace(year=2020)
        moment = datetime.combine(day, datetime.min.time())
        moment += timedelta(seconds=grain * rng.randrange(max(1, 86_400 // grain)))
        if kind == "datetime_us":
            moment += timedelta(microseconds=rng.choice((0, 1, 250_000)))
        return moment.isoformat()

    return draw
