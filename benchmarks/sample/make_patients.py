"""Generate ``patients.csv``, an invented file of hospital stays.

Run ``python benchmarks/sample/make_patients.py > src/shoal/datasets/patients.csv`` to write the
file again. Every value is drawn from the tables below with a seeded generator; none describes a
real person.

Each row is one stay of one patient, drawn independently of every other row, so the order of
the rows says nothing. Within a row the columns depend on each other in this way:

- ``number`` depends on nothing; its last digit is a check digit over the others.
- ``age`` comes first: newborns, few children, many elderly.
- ``sex`` depends on age.
- ``name`` depends on sex and on the generation that the age belongs to.
- ``postcode`` depends on nothing; regions and the places within them differ in size.
- ``diagnosis`` depends on age and sex.
- ``admission_date`` depends on the diagnosis: season (respiratory in winter) and weekday.
- ``length_of_stay`` depends on diagnosis and age, with a long right tail.
- ``weight`` depends on age, sex and diagnosis.
- ``income`` of the household depends on age, region and place, with a long right tail.
- ``cost`` depends on diagnosis and length of stay.

Last, some cells are emptied: ``sex`` at random, ``postcode`` more often for young adults,
``weight`` more often for short stays. Curves are ``(age, value)`` points, and values between
two points lie on the straight line that joins them.
"""

import csv
import io
import math
import sys
from datetime import date, timedelta
from functools import cache
from itertools import pairwise
from random import Random
from typing import NamedTuple, TypeAlias

Curve: TypeAlias = tuple[tuple[float, float], ...]


class Diagnosis(NamedTuple):
    """One diagnosis: who gets it, when, for how long, and at what price."""

    name: str
    women: float  # how frequent it is among women, and below among men, times its age curve
    men: float
    stay: float  # median days at age 55
    spread: float  # standard deviation of the logarithm of the stay
    base_price: float
    day_price: float
    winter: float  # how far admissions rise in January and fall in July
    weekend: float  # admissions on a Saturday or Sunday relative to a weekday
    heaviness: float  # body weight relative to others of the same age and sex


class Place(NamedTuple):
    """One postcode."""

    postcode: str
    size: float
    wealth: float


COLUMNS = (
    "name", "number", "age", "sex", "postcode", "admission_date",
    "length_of_stay", "weight", "income", "diagnosis", "cost",
)  # fmt: skip

# Three generations for each sex: patients under 30, under 60, and older.
GIVEN_NAMES = {
    "F": (
        "Mia Emma Lea Zoë Aylin Chloé Lina Amélie Noor Sofia Nele Jana Maja Elif Thảo Inês",
        "Sandra Claudia Katarzyna Fatma Nicole Silvia Renée Andrea Paula Åsa Joanna Heike Lucía",
        """Ursula Helga Gisela Ingrid Hildegard Käthe Maria Rosemarie Edith Irena Margit Teresa
        Brigitte Odette Halina Hannelore Erika Waltraud Božena Dorothea Elfriede Lieselotte
        Carmela Monika Agnieszka Yvonne Gudrun Anneliese Roswitha Antonia""",
    ),
    "M": (
        "Noah Leon Emil Finn Théo Jonas Emre Matteo Oskar Jakub Mats Karim Hugo Søren Ilyas Raúl",
        "Thomas Łukasz Stefan Mehmet Marco Andreas Sven Piotr Óscar Tomáš Marek Dirk Björn Minh",
        """Jürgen Günter Heinz Horst Werner Klaus Manfred Helmut Dieter Stanisław Giuseppe
        Mustafa Walter René Karl-Heinz Gerhard Siegfried Ernst Władysław Bernard Josef Otto
        Rudolf Ferenc Lothar Wilhelm Eberhard Kazimierz Antonio Reinhold""",
    ),
}
FAMILY_NAMES = """
    Acar Adamczyk Albrecht Almeida Andersen Arnold Arslan Bach Balogh Barański Barbosa Bauer
    Baumann Beck Benali Berger Bergström Bianchi Böhm Borowski Brandt Braun Bruno Busch Castillo
    Çelik Černý Chevalier Costa Danielsen Demir Dietrich Doğan Dubois Dvořák Ebert Eriksen
    Esposito Faure Ferreira Fiedler Fischer Fontaine Franke Friedrich Fuchs García Gerlach Girard
    Graf Gruber Günther Haas Haddad Hahn Hartmann Heinrich Hernández Herrmann Hoffmann Horák
    Horváth Huber Ivanova Jankowski Janssen Jensen Jiménez Kaczmarek Kaiser Kamiński Karlsson
    Kaya Keller Khalil Kirchner Koç König Kovács Kowalczyk Krause Kröger Krüger Kühn Lambert Lang
    Larsen Lehmann Lemaire Lewandowska Lindqvist Lombardi Lorenz Ludwig Maier Mancini Marchand
    Martens Mazur Mercier Moreau Moretti Müller Nagy Navarro Neumann Nguyễn Nielsen Novák Nowicki
    Nyström Oliveira Ostrowski Öztürk Papadakis Pereira Petersen Pfeiffer Pham Pohl Popescu Ramos
    Reuter Ricci Richter Rossi Roth Rousseau Ruiz Şahin Sánchez Schäfer Schreiber Schubert Schulz
    Seidel Silva Simon Sommer Szabó Tóth Vogel Wagner Weiß Wiśniewska Wójcik Yavuz Zieliński
    Zielke Zimmermann
"""

# How the postcodes begin, how many there are, how large the largest is, and how wealthy they are.
REGIONS = (
    ("104", 17, 3.00, 1.00),
    ("010", 13, 2.40, 0.86),
    ("224", 11, 2.00, 1.22),
    ("457", 9, 1.70, 0.78),
    ("803", 6, 1.60, 1.38),
    ("992", 4, 1.10, 0.82),
)

AGES: Curve = (
    (0, 5.6), (1, 0.7), (4, 0.4), (11, 0.3), (17, 0.55), (24, 0.85), (32, 1.0), (41, 0.8),
    (55, 1.3), (72, 1.9), (81, 2.1), (88, 1.3), (95, 0.3), (99, 0.06),
)  # fmt: skip
WOMEN: Curve = ((0, 0.48), (14, 0.47), (20, 0.58), (30, 0.64), (45, 0.5), (65, 0.45), (95, 0.68))

DIAGNOSES = (
    Diagnosis("Acute bronchitis", 1.0, 1.1, 3.4, 0.50, 900, 390, 0.65, 0.90, 1.00),
    Diagnosis("Alcohol dependence", 0.5, 1.4, 6.5, 0.70, 700, 310, 0.05, 0.70, 0.95),
    Diagnosis("Appendicitis", 0.95, 1.05, 3.6, 0.40, 2300, 360, -0.08, 0.95, 1.00),
    Diagnosis("Childbirth", 1.0, 0.0, 3.1, 0.40, 1700, 350, -0.06, 0.85, 1.14),
    Diagnosis("Concussion", 0.85, 1.15, 1.2, 0.60, 480, 330, -0.20, 1.25, 1.00),
    Diagnosis("Depression", 1.3, 0.8, 15.0, 0.70, 600, 290, 0.10, 0.40, 1.02),
    Diagnosis("Gallstones", 1.3, 0.8, 4.2, 0.45, 2500, 360, 0.00, 0.45, 1.09),
    Diagnosis("Heart attack", 0.6, 1.4, 5.8, 0.55, 4300, 520, 0.12, 0.92, 1.04),
    Diagnosis("Heart failure", 0.95, 1.1, 8.0, 0.55, 1600, 400, 0.20, 0.75, 1.06),
    Diagnosis("Hip fracture", 1.25, 0.75, 11.0, 0.45, 5400, 390, 0.10, 0.95, 0.92),
    Diagnosis("Knee replacement", 1.15, 0.9, 7.0, 0.30, 6100, 340, 0.05, 0.06, 1.12),
    Diagnosis("Newborn care", 1.0, 1.0, 3.4, 0.45, 650, 290, -0.06, 0.90, 1.00),
    Diagnosis("Pneumonia", 0.9, 1.2, 7.0, 0.55, 1500, 420, 0.60, 0.90, 0.97),
    Diagnosis("Stroke", 0.95, 1.1, 9.5, 0.65, 3100, 510, 0.05, 0.95, 1.02),
    Diagnosis("Type 2 diabetes", 0.85, 1.15, 6.5, 0.50, 1100, 350, 0.00, 0.45, 1.17),
)

FREQUENCY: dict[str, Curve] = {
    "Acute bronchitis": ((0, 16), (2, 40), (6, 18), (14, 4), (40, 3), (70, 4), (90, 6)),
    "Alcohol dependence": ((15, 0), (18, 4), (30, 7), (50, 9), (65, 3), (80, 0.5), (85, 0)),
    "Appendicitis": ((2, 0), (6, 14), (14, 24), (25, 14), (40, 7), (60, 3), (90, 0.5)),
    "Childbirth": ((15, 0), (16, 1), (20, 15), (30, 70), (36, 50), (43, 6), (48, 0.3), (49, 0)),
    "Concussion": ((0, 3), (3, 18), (14, 18), (24, 8), (40, 3), (65, 1.5), (90, 3)),
    "Depression": ((11, 0), (15, 8), (25, 13), (50, 13), (65, 6), (90, 2)),
    "Gallstones": ((15, 0), (25, 4), (45, 9), (70, 6), (95, 2)),
    "Heart attack": ((29, 0), (45, 6), (65, 11), (85, 9)),
    "Heart failure": ((35, 0), (55, 6), (70, 18), (90, 34)),
    "Hip fracture": ((20, 0), (40, 0.4), (60, 2), (75, 8), (90, 24)),
    "Knee replacement": ((39, 0), (50, 3), (68, 14), (80, 8), (90, 0.5)),
    "Newborn care": ((0, 110), (1, 0)),
    "Pneumonia": ((0, 6), (2, 12), (10, 4), (35, 3), (60, 7), (90, 18)),
    "Stroke": ((25, 0), (45, 2), (65, 9), (90, 15)),
    "Type 2 diabetes": ((20, 0), (40, 4), (60, 9), (75, 8), (95, 4)),
}

STAY_BY_AGE: Curve = ((0, 0.9), (10, 0.75), (30, 0.85), (55, 1.0), (75, 1.2), (92, 1.4))

# Kilograms; the ages between 0 and 1 matter because infants grow so fast.
TYPICAL_WEIGHT: dict[str, Curve] = {
    "F": (
        (0, 3.3), (0.25, 5.8), (0.5, 7.3), (1, 9.1), (2, 12), (5, 18), (9, 29), (13, 47),
        (17, 58), (25, 64), (50, 72), (68, 72), (82, 65), (99, 55),
    ),
    "M": (
        (0, 3.5), (0.25, 6.3), (0.5, 7.9), (1, 9.8), (2, 12.5), (5, 18.5), (9, 29), (13, 47),
        (17, 67), (25, 78), (50, 87), (68, 85), (82, 77), (99, 67),
    ),
}  # fmt: skip
WEIGHT_SPREAD: Curve = ((0, 0.13), (10, 0.16), (30, 0.18), (65, 0.18), (95, 0.15))

INCOME: Curve = (
    (0, 43_000), (12, 49_000), (17, 50_000), (20, 24_000), (28, 37_000), (50, 53_000),
    (61, 48_000), (68, 34_000), (95, 25_000),
)  # fmt: skip
INCOME_SPREAD = 0.45

DAYS = [date(2024, 1, 1) + timedelta(days=day) for day in range(366 + 365)]
COLDEST_DAY = 25
WORKDAYS = (1.14, 1.06, 1.0, 1.0, 0.9)


def patients_csv(rows: int = 2000, seed: int = 20260101) -> str:
    """Return the whole file as text, the same for the same arguments on every Python."""
    generator = Random(seed)
    places = _places(generator)
    numbers = generator.sample(range(1_000_000), rows)
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(COLUMNS)
    for number in numbers:
        stay = _stay(generator, places)
        stay["number"] = _with_check_digit(number)
        writer.writerow([stay[column] for column in COLUMNS])
    return file.getvalue()


def _stay(generator: Random, places: list[Place]) -> dict[str, str]:
    age = generator.choices(range(100), [_at(AGES, age) for age in range(100)])[0]
    sex = "F" if generator.random() < _at(WOMEN, age) else "M"
    diagnosis = _diagnosis(generator, age, sex)
    place = generator.choices(places, [place.size for place in places])[0]
    days = round(_skewed(generator, diagnosis.stay * _at(STAY_BY_AGE, age), diagnosis.spread))
    admission = generator.choices(DAYS, _admissions(diagnosis))[0]
    income = _skewed(generator, _at(INCOME, age) * place.wealth, INCOME_SPREAD)
    cost = _skewed(generator, diagnosis.base_price + diagnosis.day_price * days, 0.12)
    stay = {
        "name": _name(generator, age, sex),
        "age": str(age),
        "sex": sex,
        "postcode": place.postcode,
        "admission_date": admission.isoformat(),
        "length_of_stay": str(days),
        "weight": f"{_weight(generator, age, sex, diagnosis):.1f}",
        "income": str(round(income / 100) * 100),
        "diagnosis": diagnosis.name,
        "cost": f"{cost:.2f}",
    }
    _empty_some(generator, stay, age, days)
    return stay


def _empty_some(generator: Random, stay: dict[str, str], age: int, days: int) -> None:
    chances = {
        "sex": 0.015,
        "postcode": 0.055 if 18 <= age < 30 else 0.027,
        "weight": 0.13 if days <= 2 else 0.041,
    }
    for column, chance in chances.items():
        if generator.random() < chance:
            stay[column] = ""


def _diagnosis(generator: Random, age: int, sex: str) -> Diagnosis:
    weights = [
        (diagnosis.women if sex == "F" else diagnosis.men) * _at(FREQUENCY[diagnosis.name], age)
        for diagnosis in DIAGNOSES
    ]
    return generator.choices(DIAGNOSES, weights)[0]


@cache
def _admissions(diagnosis: Diagnosis) -> list[float]:
    """Return how likely an admission with the diagnosis is on each of DAYS."""
    weekdays = (*WORKDAYS, diagnosis.weekend, diagnosis.weekend)
    weights = []
    for day in DAYS:
        turn = 2 * math.pi * (day.timetuple().tm_yday - COLDEST_DAY) / 365.25
        weights.append(weekdays[day.weekday()] * (1 + diagnosis.winter * math.cos(turn)))
    return weights


def _weight(generator: Random, age: int, sex: str, diagnosis: Diagnosis) -> float:
    exact_age = 0.0 if diagnosis.name == "Newborn care" else age + generator.random()
    typical = _at(TYPICAL_WEIGHT[sex], exact_age) * diagnosis.heaviness
    return _skewed(generator, typical, _at(WEIGHT_SPREAD, exact_age))


def _name(generator: Random, age: int, sex: str) -> str:
    # Some are named out of fashion, so that the name does not give the generation away.
    generation = generator.randrange(3) if generator.random() < 0.35 else min(age // 30, 2)
    given = generator.choices(GIVEN_NAMES[sex][generation].split())[0]
    parts = 2 if generator.random() < 0.12 else 1
    return f"{given} {'-'.join(generator.sample(FAMILY_NAMES.split(), parts))}"


def _with_check_digit(number: int) -> str:
    digits = f"{number:06d}"
    check = sum(place * int(digit) for place, digit in enumerate(digits, start=2)) % 11 % 10
    return f"H{digits}{check}"


def _places(generator: Random) -> list[Place]:
    places = []
    for prefix, count, largest, typical_wealth in REGIONS:
        for rank, ending in enumerate(generator.sample(range(100), count), start=1):
            wealth = _skewed(generator, typical_wealth, 0.07)
            places.append(Place(f"{prefix}{ending:02d}", largest / rank**0.6, wealth))
    return places


def _skewed(generator: Random, median: float, spread: float) -> float:
    return median * math.exp(generator.gauss(0.0, spread))


def _at(curve: Curve, age: float) -> float:
    if age <= curve[0][0]:
        return curve[0][1]
    for (left, start), (right, end) in pairwise(curve):
        if age <= right:
            return start + (end - start) * (age - left) / (right - left)
    return curve[-1][1]


def main() -> None:
    """Write the file to standard output, in UTF-8 and with bare line feeds everywhere."""
    sys.stdout.buffer.write(patients_csv().encode("utf-8"))


if __name__ == "__main__":
    main()
