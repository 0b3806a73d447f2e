"""Presets: the k they say, what contradicts them, and where each is from."""

from __future__ import annotations

import pytest

import shoal as library
from shoal.measures.definitions import DEFINITIONS
from shoal.settings import build, load

TABLE = {"x": [float(i) for i in range(40)], "y": [float(i % 7) for i in range(40)]}


def test_each_has_a_source_and_measures_that_there_are():
    """Every preset names its source with a year, and measures that shoal has."""
    every = library.presets()
    assert {"ema", "health-canada", "threshold-3", "threshold-5", "threshold-10"} <= set(every)
    for name, one in every.items():
        assert one.name == name
        assert any(year in one.source for year in ("2005", "2010", "2018", "2019"))
        assert set(one.measures) <= set(DEFINITIONS)
        assert one.verdict(one.k).endswith("not legal advice")


def test_it_says_k(tmp_path):
    """A preset says k; the recipe holds both, and the report reads by it, in public too."""
    result = library.anonymize(TABLE, preset="ema", method="mdav")
    assert result.report.k == 11
    (note,) = [note for note in result.report.notes if "preset ema is kept" in note]
    assert "1 in 11, 0.0909" in note
    assert "EMA/90915/2016" in note
    assert note in result.report.public_notes
    (tmp_path / "r.toml").write_text(result.settings.to_toml())
    assert load(tmp_path / "r.toml").protect.preset == "ema"


def test_a_larger_k_wins_and_a_smaller_one_is_an_error():
    """What is stricter than a preset is kept; what is weaker contradicts it."""
    assert build({"protect": {"preset": "threshold-5", "k": 7}}).protect.k == 7
    with pytest.raises(library.RequestError, match="asks for k = 5 at least, and k is 4"):
        build({"protect": {"preset": "threshold-5", "k": 4}})


def test_the_p_of_the_rule_is_not_guessed():
    """The p % rule takes a p that the user says: offices publish the rule, not their p."""
    with pytest.raises(library.RequestError, match="keep to themselves: say dominance=10"):
        build({"protect": {"preset": "p-percent"}})
    assert build({"protect": {"preset": "p-percent", "dominance": 10}}).protect.k == 3


def test_names_that_are_none():
    """Another name is refused, with the nearest one; neither k nor preset is refused too."""
    with pytest.raises(library.RequestError, match="no preset 'emma'; did you mean 'ema'"):
        library.anonymize(TABLE, preset="emma")
    with pytest.raises(library.RequestError, match="k is needed and not given; say k, or a preset"):
        library.anonymize(TABLE)
