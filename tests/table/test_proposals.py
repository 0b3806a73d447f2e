"""Proposals of roles, hierarchies and orders: by names, by what cells look like, by counts."""

from __future__ import annotations

import random
from datetime import date, timedelta

import numpy as np
import pyarrow as pa
import pytest

import shoal

ROWS = 400
LETTERS = "abcdefghijklmnop"


def seen(**columns):
    """Return the inspection of a table of some columns, each by its name."""
    return shoal.inspect(pa.table(columns))


def view(name, cells):
    """Return what is said of one column, beside one that can be grouped."""
    return seen(**{name: cells, "age of beside": np.arange(len(cells)) % 50}).columns[0]


def drawn(make, rows=ROWS, seed=0):
    """Return cells that a function makes of a generator of random numbers."""
    rng = random.Random(seed)
    return [make(rng) for _ in range(rows)]


def word(rng, size=6):
    """Return a word of random letters."""
    return "".join(rng.choices(LETTERS, k=size))


NAMING = {
    "e-mail": lambda rng: f"{word(rng, 3)}@{word(rng, 4)}.org",
    "phone": lambda rng: f"+49 30 {rng.randrange(10**3)} {rng.randrange(10**4, 10**5)}",
    "person": lambda rng: f"{word(rng, 2).title()}a {word(rng, 2).title()}b",
    "link": lambda rng: f"https://{word(rng, 2)}.net/",
    "address": lambda rng: f"{rng.randrange(99)}.{rng.randrange(9)}.{rng.randrange(9)}.1",
    "account": lambda rng: f"DE{rng.randrange(10, 99)}{rng.randrange(50):018d}",
}


@pytest.mark.parametrize("what", NAMING)
@pytest.mark.parametrize("name", ["x7", "diagnosis", "city"])
def test_what_names_people_is_never_kept(what, name):
    """Cells that name or reach people make an identifier, whatever the column is called."""
    cells = drawn(NAMING[what])
    assert view(name, cells).suspected == "identifier"


@pytest.mark.parametrize("name", ["Vorname", "phone", "courriel", "BSN", "calle", "patient name"])
def test_named_identifiers_are_never_kept(name):
    """A column that is named for people is an identifier, however few values it has."""
    assert view(name, drawn(lambda rng: rng.choice("abc"))).suspected == "identifier"


def test_free_text_is_left_out():
    """Cells of many words are left out: they may name people."""
    cells = drawn(lambda rng: " ".join(word(rng) for _ in range(9)))
    assert view("x", cells).suspected == "drop"


def test_people_with_several_records_are_counted():
    """A person's number that repeats is said as person, and the proposed run counts people."""
    ages = drawn(lambda rng: rng.randrange(20, 80))
    inspection = seen(patient_id=[f"p{i // 3}" for i in range(ROWS)], age=ages)
    assert inspection.columns[0].use == "person"
    assert inspection.options["person"] == "patient_id"
    result = shoal.anonymize(
        pa.table({"patient_id": [f"p{i // 3}" for i in range(ROWS)], "age": ages}), k=3,
        method="mdav", **inspection.options,
    )  # fmt: skip
    assert any("counts people" in note for note in result.report.notes)


def test_where_every_identifier_repeats_one_says_whose_records_are():
    """Names that repeat, and no number, say whose record each is; with gaps, records count."""
    names = [f"Ada B{word(random.Random(i // 2), 4)}" for i in range(ROWS)]
    ages = drawn(lambda rng: rng.randrange(20, 80))
    assert seen(name=names, age=ages).options["person"] == "name"
    options = seen(name=[None, *names[1:]], age=ages).options
    assert options["count"] == "records"
    assert "person" not in options


def test_survey_weights_and_weights_of_bodies():
    """Weights are of a survey by their name, or where no body weighs as much; else of bodies."""
    bodies = drawn(lambda rng: round(rng.gauss(75, 12), 1))
    sampled = drawn(lambda rng: round(rng.uniform(300, 4000), 1))
    assert view("Hochrechnungsfaktor", drawn(lambda rng: rng.uniform(1, 3))).use == "weight"
    assert view("Gewicht", sampled).use == "weight"
    body = view("Gewicht", bodies)
    assert (body.use, body.suspected) == (None, "quasi-identifier")
    assert view("pweight", [None, *sampled[1:]]).use is None


def test_health_is_sensitive_unless_it_singles_people_out():
    """Diagnoses are sensitive by name or as ICD-10 codes; where most are unique, grouped."""
    codes = drawn(lambda rng: f"{rng.choice('EIJK')}{rng.randrange(10, 40)}.{rng.randrange(2)}")
    coded = view("x3", codes)
    assert coded.suspected == "sensitive"
    assert "ICD-10" in coded.reason
    assert view("maladie", drawn(lambda rng: rng.choice(LETTERS))).suspected == "sensitive"
    alone = [f"{chr(65 + i // 40)}{i % 40 + 10}.{i % 3}" for i in range(ROWS)]
    assert view("diagnosis", alone).suspected == "quasi-identifier"


def test_amounts_are_grouped_and_classes_of_income_sensitive():
    """Amounts that single out records are grouped; a few classes of them are sensitive."""
    assert view("Kosten", drawn(lambda rng: rng.uniform(9, 9e4))).suspected == "quasi-identifier"
    assert view("salary-class", drawn(lambda rng: rng.choice("ab"))).suspected == "sensitive"


def test_every_reason_differs_by_what_the_column_is():
    """Of the sample every reason is its own, and none says nothing but that it may be known."""
    inspection = shoal.inspect(shoal.datasets.load_patients())
    reasons = [column.reason for column in inspection.columns]
    assert len(set(reasons)) == len(reasons)
    assert not [reason for reason in reasons if reason.startswith("perhaps")]


@pytest.mark.parametrize(
    ("name", "cells", "rule"),
    [
        ("x", drawn(lambda rng: f"{rng.randrange(9):02d}{rng.randrange(20):03d}"),
         "prefixes:4,3,2,1"),
        ("postcode", drawn(lambda rng: f"{rng.randrange(1000, 9999)} AB"),
         "prefixes:6,5,4,3,2,1"),
        ("zip", drawn(lambda rng: rng.randrange(10_000, 99_999)), "prefixes:4,3,2,1"),
        ("amount", drawn(lambda rng: rng.randrange(10_000, 99_999)),
         "widths:5000,10000,20000"),
        ("eta", drawn(lambda rng: rng.randrange(18, 99)), "widths:5,10,20,40"),
        ("d", drawn(lambda rng: date(2024, 1, 1) + timedelta(rng.randrange(700))),
         "dates:month,quarter,year"),
        ("geboortedatum", drawn(lambda rng: date(1930, 1, 1) + timedelta(rng.randrange(25_000))),
         "dates:quarter,year"),
        ("share", drawn(lambda rng: round(rng.random(), 3)), "widths:0.05,0.1,0.2"),
        ("band", drawn(lambda rng: rng.choice(["20-29", "30-39", "40-49", "50-59"])), None),
        ("country", drawn(lambda rng: rng.choice(["DEU", "FRA", "ITA", "NLD"])), None),
        ("flag", drawn(lambda rng: rng.randrange(2)), None),
    ],
)  # fmt: skip
def test_hierarchies_that_fit(name, cells, rule):
    """Codes of one length get prefixes, dates the calendar, numbers round widths, words nothing."""
    own = view(name, cells)
    assert own.suspected == "quasi-identifier"
    assert own.hierarchy == rule
    assert (own.hierarchy_reason is None) == (rule is None)
    if rule is not None:
        tree = shoal.hierarchy(pa.table({name: cells}), name, rule)
        assert tree.levels > 2
        assert not tree.uncovered


@pytest.mark.parametrize(
    ("words", "first", "last"),
    [
        ("Mild Severe Moderate", "None", "Very severe"),
        ("nie oft selten immer", "nie", "immer"),
        ("JAMAIS SOUVENT PARFOIS", "JAMAIS", "TOUJOURS"),
        ("bajo medio alto", "muy bajo", "muy alto"),
        ("laag midden hoog", "laag", "hoog"),
        ("basso medio alto", "molto basso", "molto alto"),
    ],
)
def test_ordinal_words(words, first, last):
    """Words of a known scale get its order, spelled as they are; a run takes it."""
    cells = drawn(lambda rng: rng.choice(words.split()))
    inspection = seen(pain=cells, age=drawn(lambda rng: rng.randrange(20, 80)))
    order = inspection.options["orders"]["pain"]
    assert (order[0], order[-1]) == (first, last)
    assert set(words.split()) <= set(order)
    table = pa.table({"pain": cells, "age": drawn(lambda rng: rng.randrange(20, 80))})
    assert shoal.anonymize(table, k=3, method="mdav", **inspection.options).report.k >= 3


def test_other_words_have_no_order():
    """Words that are of no scale, or one of another, are categories."""
    assert view("x", drawn(lambda rng: rng.choice(["mild", "severe", "nie"]))).order is None
    assert view("x", drawn(lambda rng: rng.choice(["red", "green", "blue"]))).order is None


def test_nothing_to_group_proposes_no_run():
    """Where no column is left to group there are no options, and nothing is guessed."""
    assert seen(email=drawn(NAMING["e-mail"])).options == {}


def test_no_cell_is_shown():
    """Neither text nor HTML nor JSON of an inspection holds a value of a record."""
    cells = [f"CANARY {word(random.Random(i))}" for i in range(ROWS)]
    inspection = seen(x=cells, y=[f"CANARY{i % 5}" for i in range(ROWS)], age=list(range(ROWS)))
    texts = (str(inspection), inspection._repr_html_(), repr(inspection), str(inspection.to_dict()))
    assert not [text for text in texts if "CANARY" in text]


def test_large_tables_are_sampled_and_say_so():
    """Of large tables cells are looked at in a sample, which is said; counts are of all."""
    rows = 60_000
    numbers = np.random.default_rng(0).integers(0, 10_000, rows)
    inspection = shoal.inspect(pa.table({"mail": [f"u{i}@x.org" for i in numbers], "age": numbers}))
    assert inspection.looked_at == 20_000
    assert "looked at in 20,000 of the records" in inspection.summary()
    assert inspection.columns[0].suspected == "identifier"
    assert inspection.columns[1].distinct == len(set(numbers.tolist()))


def test_words_are_no_measures():
    """A name for dates or amounts says nothing of a column of words: unique ones are dropped."""
    assert view("data", drawn(word)).suspected == "identifier"
    assert view("amount", drawn(lambda rng: rng.choice("abc"))).suspected == "sensitive"
