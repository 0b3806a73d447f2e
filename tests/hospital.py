"""A csv file as a hospital's export writes it, made by chance and by no code of the library.

Latin-1, semicolons, decimal commas, points between thousands, dd.mm.yyyy, two words for missing
cells, three lines above the header, Windows line ends.
"""

from __future__ import annotations

import random
from datetime import date, timedelta

WARDS = ["Innere", "Chirurgie", "Gynäkologie", "Pädiatrie", "HNO, Augen"]
MEASURED = [f"Wert {i:02d}" for i in range(19)]
NAMES = [
    "Fallnummer", "Alter", "Geschlecht", "PLZ", "Aufnahme", "Entlassung", "Kosten", "Größe",
    "Gewicht", "Station", "Diagnose", *MEASURED,
]  # fmt: skip
ABOVE = ["Klinikum Süd", "Stand: 01.02.2024; vertraulich", ""]


def german(number, digits):
    """Write a number with a decimal comma and points between thousands."""
    return f"{number:,.{digits}f}".translate(str.maketrans(",.", ".,"))


def records(rows, seed=0):
    """Return records of plain values; None is missing."""
    rng = random.Random(seed)
    made = []
    for number in range(rows):
        begin = date(2023, 1, 1) + timedelta(days=rng.randrange(365))
        made.append([
            100_000 + number, rng.randrange(95), rng.choice("mw"),
            f"{rng.randrange(1067, 9999):05d}", begin, begin + timedelta(days=rng.randrange(1, 30)),
            round(rng.gammavariate(2, 2500), 2),
            None if rng.random() < 0.05 else round(rng.gauss(170, 10), 1),
            None if rng.random() < 0.05 else round(50 + rng.gammavariate(4, 8), 1),
            rng.choice(WARDS), f"K{rng.randrange(10, 99)}.{rng.randrange(9)}",
            *(round(rng.gauss(10 * i, 5), 1) for i in range(len(MEASURED))),
        ])  # fmt: skip
    return made


def text_of(value, name):
    """Write a value as the export does."""
    if value is None:
        return "k.A." if name == "Gewicht" else "-9999"
    if isinstance(value, float):
        return german(value, 2 if name == "Kosten" else 1)
    return f"{value:%d.%m.%Y}" if isinstance(value, date) else str(value)


def export(path, rows=1500, seed=0):
    """Write the file; return its records."""
    every = records(rows, seed)
    lines = [
        ";".join(text_of(value, name) for name, value in zip(NAMES, record, strict=True))
        for record in every
    ]
    text = "\r\n".join([*ABOVE, ";".join(NAMES), *lines, ""])
    path.write_bytes(text.encode("latin-1"))
    return every
