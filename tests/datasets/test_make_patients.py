"""The invented hospital file is what its generator makes, and looks like a hospital's file."""

import csv
from collections import Counter
from collections.abc import Callable
from datetime import date
from pathlib import Path
from statistics import correlation, mean, median

import make_patients
import pytest
from make_patients import patients_csv

from shoal import datasets

COMMITTED = Path(datasets.__file__).with_name("patients.csv")
COLUMNS = [
    "name",
    "number",
    "age",
    "sex",
    "postcode",
    "admission_date",
    "length_of_stay",
    "weight",
    "income",
    "diagnosis",
    "cost",
]

Row = dict[str, str]


@pytest.fixture(scope="module")
def text() -> str:
    """Return the generated file."""
    return patients_csv()


@pytest.fixture(scope="module")
def rows(text: str) -> list[Row]:
    """Return the generated file as one dictionary per row."""
    return list(csv.DictReader(text.splitlines()))


def numbers(rows: list[Row], column: str, where: Callable[[Row], bool]) -> list[float]:
    """Return the present values of a numeric column in the rows that satisfy a condition."""
    return [float(row[column]) for row in rows if row[column] and where(row)]


def aged(low: int, high: int) -> Callable[[Row], bool]:
    """Return the condition that the age lies between two bounds, both included."""
    return lambda row: low <= int(row["age"]) <= high


def with_diagnosis(*names: str) -> Callable[[Row], bool]:
    """Return the condition that the diagnosis is one of those named."""
    return lambda row: row["diagnosis"] in names


def share(values: list[bool]) -> float:
    """Return the share of true values."""
    return sum(values) / len(values)


def test_committed_file_is_the_output(text: str) -> None:
    """The committed file equals the generator's output byte for byte."""
    assert COMMITTED.read_bytes() == text.encode("utf-8")


def test_main_writes_the_file(text: str, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    """Running the module writes exactly the file, in UTF-8, to standard output."""
    make_patients.main()
    assert capsysbinary.readouterr().out == text.encode("utf-8")


def test_file_is_small() -> None:
    """The committed file takes less than 250 kB."""
    assert COMMITTED.stat().st_size < 250_000


def test_line_ends_are_bare_line_feeds(text: str) -> None:
    """Every line, the last one included, ends in a line feed without a carriage return."""
    assert "\r" not in text
    assert text.endswith("\n")
    assert text.count("\n") == 2001


def test_shape(text: str) -> None:
    """The file has the promised eleven columns in order and 2,000 complete rows."""
    header, *lines = csv.reader(text.splitlines())
    assert header == COLUMNS
    assert len(lines) == 2000
    assert {len(line) for line in lines} == {11}


def test_no_cell_needs_quotes(text: str) -> None:
    """No cell holds a comma or a quote, so that a line splits at its commas."""
    assert '"' not in text
    assert {line.count(",") for line in text.splitlines()} == {10}


def test_rows_argument() -> None:
    """The number of rows is the one asked for, down to a header alone."""
    assert len(patients_csv(rows=7).splitlines()) == 8
    assert patients_csv(rows=0) == ",".join(COLUMNS) + "\n"


def test_same_seed_same_file(text: str) -> None:
    """A second call with the same seed returns the same file."""
    assert patients_csv(seed=20260101) == text


def test_other_seed_other_file(text: str) -> None:
    """Another seed gives another file, in nearly every row."""
    other = patients_csv(seed=1)
    assert len(set(other.splitlines()) & set(text.splitlines())) == 1  # the header


def test_numbers_are_unique_and_checked(rows: list[Row]) -> None:
    """Every hospital number occurs once and ends in the right check digit."""
    assert len({row["number"] for row in rows}) == len(rows)
    for row in rows:
        number = row["number"]
        total = sum(factor * int(digit) for factor, digit in enumerate(number[1:7], start=2))
        assert number[0] == "H"
        assert number[7:] == str(total % 11 % 10)


def test_order_says_nothing(rows: list[Row]) -> None:
    """Neither the hospital number nor the age nor the date follows the order of the rows."""
    positions = list(range(len(rows)))
    for values in (
        [int(row["number"][1:]) for row in rows],
        [int(row["age"]) for row in rows],
        [date.fromisoformat(row["admission_date"]).toordinal() for row in rows],
    ):
        assert abs(correlation(positions, values)) < 0.08
        assert abs(correlation(values[1:], values[:-1])) < 0.08


def test_names(rows: list[Row]) -> None:
    """Names are a given and a family name, mostly distinct, with a few shared by two patients."""
    names = Counter(row["name"] for row in rows)
    assert 0.9 * len(rows) <= len(names) < len(rows)
    assert all(len(name.split(" ")) == 2 for name in names)
    assert sum(not name.isascii() for name in names) > 100


@pytest.mark.parametrize(
    ("column", "low", "high"),
    [("sex", 0.008, 0.022), ("postcode", 0.015, 0.045), ("weight", 0.035, 0.065)],
)
def test_missing_shares(rows: list[Row], column: str, low: float, high: float) -> None:
    """The columns with missing cells miss about 1.5, 3 and 5 percent of them."""
    assert low < share([row[column] == "" for row in rows]) < high


def test_nothing_else_is_missing(rows: list[Row]) -> None:
    """Only sex, postcode and weight have missing cells."""
    assert {column for row in rows for column in COLUMNS if row[column] == ""} == {
        "sex",
        "postcode",
        "weight",
    }


def test_weight_is_missing_after_short_stays(rows: list[Row]) -> None:
    """Weight is missing more often when the stay was short."""
    short = [row["weight"] == "" for row in rows if int(row["length_of_stay"]) <= 2]
    long = [row["weight"] == "" for row in rows if int(row["length_of_stay"]) > 2]
    assert share(short) > 1.5 * share(long)


def test_values_are_well_formed(rows: list[Row]) -> None:
    """Every present cell is written in its column's form and lies in its column's range."""
    for row in rows:
        assert 0 <= int(row["age"]) <= 99
        assert row["sex"] in {"F", "M", ""}
        assert int(row["length_of_stay"]) >= 0
        assert int(row["income"]) > 0
        assert int(row["income"]) % 100 == 0
        assert row["weight"] == "" or row["weight"] == f"{float(row['weight']):.1f}"
        assert row["weight"] == "" or 1 < float(row["weight"]) < 250
        assert row["cost"] == f"{float(row['cost']):.2f}"
        assert float(row["cost"]) > 0


def test_dates(rows: list[Row]) -> None:
    """Admission dates are ISO dates in 2024 and 2025, and reach both ends of the range."""
    dates = [date.fromisoformat(row["admission_date"]) for row in rows]
    assert [day.isoformat() for day in dates] == [row["admission_date"] for row in rows]
    assert date(2024, 1, 1) <= min(dates) <= date(2024, 1, 7)
    assert date(2025, 12, 25) <= max(dates) <= date(2025, 12, 31)


def test_postcodes(rows: list[Row]) -> None:
    """Postcodes are about 60 five-digit codes in six unequal regions, one with leading zeros."""
    codes = [row["postcode"] for row in rows if row["postcode"]]
    assert all(len(code) == 5 and code.isdecimal() for code in codes)
    assert 55 <= len(set(codes)) <= 60
    regions = Counter(code[:3] for code in codes)
    assert len(regions) == 6
    assert max(regions.values()) > 4 * min(regions.values())
    assert share([code.startswith("0") for code in codes]) > 0.1
    assert sum(region.startswith("0") for region in regions) == 1


def test_ages(rows: list[Row]) -> None:
    """There are newborns, fewer children per year of age, and most patients are over 55."""
    ages = [int(row["age"]) for row in rows]
    assert ages.count(0) > 5 * max(ages.count(age) for age in range(3, 15))
    assert share([age <= 17 for age in ages]) < 0.2
    assert median(ages) > 55


def test_diagnoses_fit_age_and_sex(rows: list[Row]) -> None:
    """No man and nobody outside 16 to 48 gives birth, and newborn care is for age 0 alone."""
    childbirth = [row for row in rows if row["diagnosis"] == "Childbirth"]
    assert len(childbirth) > 50
    assert {row["sex"] for row in childbirth} <= {"F", ""}
    assert all(16 <= int(row["age"]) <= 48 for row in childbirth)
    newborns = [row for row in rows if row["diagnosis"] == "Newborn care"]
    assert len(newborns) > 50
    assert {row["age"] for row in newborns} == {"0"}
    assert median(numbers(rows, "age", with_diagnosis("Hip fracture"))) > 70


def test_diagnoses_are_all_frequent(rows: list[Row]) -> None:
    """There are about fourteen diagnoses, none of them rare and none a majority."""
    counts = Counter(row["diagnosis"] for row in rows)
    assert 13 <= len(counts) <= 16
    assert min(counts.values()) > 40
    assert max(counts.values()) < 400


def test_older_patients_stay_longer(rows: list[Row]) -> None:
    """The old stay longer than the young, overall and with the same diagnosis."""
    old = mean(numbers(rows, "length_of_stay", aged(70, 99)))
    assert old > 1.5 * mean(numbers(rows, "length_of_stay", aged(1, 40)))
    pneumonia = [row for row in rows if row["diagnosis"] == "Pneumonia"]
    older = mean(numbers(pneumonia, "length_of_stay", aged(70, 99)))
    assert older > 1.2 * mean(numbers(pneumonia, "length_of_stay", aged(0, 50)))


def test_stays_and_incomes_are_skewed(rows: list[Row]) -> None:
    """Lengths of stay and incomes have a long right tail."""
    for column in ("length_of_stay", "income"):
        values = numbers(rows, column, aged(0, 99))
        assert mean(values) > 1.1 * median(values)
        assert max(values) > 4 * median(values)


def test_weight_follows_age_and_sex(rows: list[Row]) -> None:
    """Newborns weigh about 3.4 kg, children less than adults, and women less than men."""
    newborns = numbers(rows, "weight", with_diagnosis("Newborn care"))
    assert 3.2 < mean(newborns) < 3.6
    assert max(newborns) < 6
    assert 10 < mean(numbers(rows, "weight", aged(1, 5))) < 22
    assert 65 < mean(numbers(rows, "weight", aged(30, 70))) < 95
    old = mean(numbers(rows, "weight", aged(85, 99)))
    assert old < mean(numbers(rows, "weight", aged(50, 70)))
    adults = [row for row in rows if int(row["age"]) >= 18]
    women = numbers(adults, "weight", lambda row: row["sex"] == "F")
    men = numbers(adults, "weight", lambda row: row["sex"] == "M")
    assert mean(women) + 5 < mean(men)


def test_respiratory_diagnoses_come_in_winter(rows: list[Row]) -> None:
    """Pneumonia and bronchitis are admitted far more often from December to February."""
    months = Counter(
        row["admission_date"][5:7]
        for row in rows
        if row["diagnosis"] in {"Pneumonia", "Acute bronchitis"}
    )
    winter = months["12"] + months["01"] + months["02"]
    assert winter > 1.8 * (months["06"] + months["07"] + months["08"])


def test_planned_operations_spare_the_weekend(rows: list[Row]) -> None:
    """Knees are hardly ever replaced on weekends, while strokes happen on every day."""
    weekend = {
        diagnosis: share(
            [
                date.fromisoformat(row["admission_date"]).weekday() >= 5
                for row in rows
                if row["diagnosis"] == diagnosis
            ]
        )
        for diagnosis in ("Knee replacement", "Stroke")
    }
    assert weekend["Knee replacement"] < 0.08
    assert weekend["Stroke"] > 0.18


def test_income_follows_region_and_age(rows: list[Row]) -> None:
    """The wealthiest region earns far more than the poorest, and workers more than pensioners."""
    rich = median(numbers(rows, "income", lambda row: row["postcode"].startswith("803")))
    poor = median(numbers(rows, "income", lambda row: row["postcode"].startswith("457")))
    assert rich > 1.4 * poor
    working = median(numbers(rows, "income", aged(40, 60)))
    assert working > 1.2 * median(numbers(rows, "income", aged(70, 99)))


def test_cost_follows_stay_and_diagnosis(rows: list[Row]) -> None:
    """Cost rises with the stay, and at the same stay an operation costs more than observation."""
    costs = numbers(rows, "cost", aged(0, 99))
    assert correlation(costs, numbers(rows, "length_of_stay", aged(0, 99))) > 0.6
    week = [row for row in rows if 5 <= int(row["length_of_stay"]) <= 9]
    knees = numbers(week, "cost", with_diagnosis("Knee replacement"))
    assert mean(knees) > 1.5 * mean(numbers(week, "cost", with_diagnosis("Depression")))
