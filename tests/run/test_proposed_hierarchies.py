"""Hierarchies that a run takes by itself: prefixes of codes, said in report and recipe."""

from __future__ import annotations

import random

import pyarrow as pa
import pyarrow.csv
import pytest

import shoal
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.regions.budget import Budget
from shoal.pipeline.regions.request import FileRequest
from shoal.pipeline.regions.run import release_file
from shoal.release.targets import Targets
from shoal.settings import build

RULE = "prefixes:4,3,2,1"


def table(rows=120, seed=0):
    """Ages and postcodes of four towns; one of the codes is missing."""
    rng = random.Random(seed)
    codes = [f"{rng.choice(('01', '10', '22', '80'))}{rng.randrange(40):03d}" for _ in range(rows)]
    ages = [rng.randrange(20, 70) for _ in range(rows)]
    return pa.table({"age": ages, "zip": [None, *codes[1:]]})


def run(data=None, **options):
    """Return a quick release of the table."""
    return shoal.anonymize(
        table() if data is None else data, k=3, method="kaim",
        quasi_identifiers=["age", "zip"], **options,
    )  # fmt: skip


def test_codes_are_generalized_by_prefixes_and_it_is_said():
    """Without a word on hierarchies codes of one length lose signs; report and recipe say so."""
    result = run()
    released = set(result.data["zip"].to_pylist())
    assert any(text.endswith("**") for text in released)
    assert [note for note in result.report.notes if "'zip'" in note and RULE in note]
    assert result.settings.hierarchies == {"zip": RULE}
    assert run(hierarchies={"zip": RULE}).data["zip"].to_pylist() == result.data["zip"].to_pylist()


def test_what_is_given_is_taken():
    """A hierarchy that is given stays; none is added, and no note says one was."""
    result = run(hierarchies={"zip": "flat"})
    assert result.settings.hierarchies == {"zip": "flat"}
    assert not [note for note in result.report.notes if "nobody gave it" in note]
    kept = [text for text in result.data["zip"].to_pylist() if text != "*"]
    assert not [text for text in kept if "*" in text]


def test_the_recipe_of_an_earlier_run_stays_as_it_was():
    """A recipe that a run wrote has every hierarchy spelled out: none is added to it."""
    tree = run(hierarchies={"zip": "flat"}).settings.model_dump() | {"hierarchies": {}}
    before = anonymize_with(table(), build(tree), measured=False)
    assert before.settings.hierarchies == {}
    assert not [text for text in before.data["zip"].to_pylist() if text.endswith("**")]


@pytest.mark.parametrize(
    "codes",
    [
        ["north", "south", "east", "west"],
        ["DEU", "FRA", "ITA", "ESP"],
        ["20-29", "30-39", "40-49", "50-59"],
        ["1a", "2b", "3c", "4d"],
    ],
)
def test_words_stay_flat(codes):
    """Texts that are no codes of one length get no hierarchy by themselves."""
    rng = random.Random(1)
    data = pa.table({"age": table()["age"], "zip": [rng.choice(codes) for _ in range(120)]})
    assert run(data).settings.hierarchies == {}


def test_means_of_postcodes_are_pointed_out():
    """Whole numbers that are named like postcodes stay numbers, and a note says what to do."""
    data = pa.table({"age": table()["age"], "PLZ": [10_000 + i for i in range(120)]})
    result = shoal.anonymize(data, k=3, method="mdav", quasi_identifiers=["age", "PLZ"])
    (note,) = [note for note in result.report.notes if "postcode" in note]
    assert "hierarchies={'PLZ': 'prefixes'}" in note
    assert result.settings.hierarchies == {}


def test_modes_need_no_hierarchy():
    """A column that releases a word of its group gets none."""
    assert run(aggregate={"zip": "mode"}).settings.hierarchies == {}


def test_a_file_in_pieces_takes_the_same(tmp_path):
    """Out of core the same hierarchy is taken, from what the first pass counted, and said."""
    data = table(900)
    source = tmp_path / "t.csv"
    pyarrow.csv.write_csv(data, source)
    settings = build(
        {"roles": {"quasi_identifiers": ["age", "zip"]}, "protect": {"k": 3, "effort": "quick"}}
    )
    order = FileRequest(Targets.of(str(tmp_path / "out.csv")), with_page=False, shuffle_seed=1)
    made = release_file(source, settings, Budget(300), order, None)
    assert [note for note in made.report.notes if RULE in note]
    assert made.settings.hierarchies == {"zip": RULE}


@pytest.mark.slow
def test_the_sample_by_what_is_proposed():
    """The sample's postcodes lose at most 40 % by the proposed options, far more in a flat tree."""
    data = shoal.datasets.load_patients()
    options = shoal.inspect(data).options
    losses = {}
    for rule in ("prefixes:4,3,2,1", "flat"):
        result = shoal.anonymize(
            data, k=5, method="top-down", numbers="mean",
            **{**options, "hierarchies": {"postcode": rule}},
        )  # fmt: skip
        own = next(column for column in result.report.columns if column.name == "postcode")
        losses[rule] = own.information_loss
    assert options["hierarchies"] == {"postcode": "prefixes:4,3,2,1"}
    assert losses["prefixes:4,3,2,1"] <= 40.0
    assert losses["flat"] > 60.0
