"""Names of methods that changed: older recipes repeat their runs, and notes say so."""

from __future__ import annotations

import numpy as np
import pytest

import shoal
from shoal.methods.registry import METHODS, REFINEMENTS, find
from shoal.settings import load
from shoal.settings.renamed import ALIASES, CHANGED, FORM, READ_ANEW

OLD = (
    'shoal = "0.1.0"\n[input]\npath = "in.csv"\n[roles]\nquasi_identifiers = ["age", "cost"]\n'
    '[protect]\nk = 3\ncount = "records"\nmethod = "{}"\n'
)


@pytest.fixture
def table(tmp_path):
    """A table of sixty records, and the folder it is in."""
    rows = "".join(f"{20 + i * i % 37},{i * 71 % 101}\n" for i in range(60))
    (tmp_path / "in.csv").write_text(f"age,cost\n{rows}")
    return tmp_path


def test_every_name_leads_to_a_method():
    """What a changed name meant is there under its new name, and so is what an alias stands for."""
    assert set(CHANGED) | set(CHANGED.values()) <= {*METHODS, *REFINEMENTS}
    assert not set(ALIASES) & set(METHODS)
    for old, new in ALIASES.items():
        assert find(old).info.name == new
    assert set(READ_ANEW) <= {*METHODS, *ALIASES}


def test_older_recipe_repeats_its_run(table, shoal):
    """A recipe without a form means what names meant: ours, which ends in + now; a note says so."""
    (table / "old.toml").write_text(OLD.format("mdav-nn2"))
    assert load(table / "old.toml").protect.method == "mdav-nn2+"
    ran = shoal("run", table / "old.toml", "-o", f"{table}/out/")
    assert ran.code == 0, ran.err
    assert "whose mdav-nn2 is mdav-nn2+ now" in ran.err
    again = load(table / "out.private" / "run.toml")
    assert (again.form, again.protect.method) == (FORM, "mdav-nn2+")
    (table / "new.toml").write_text(OLD.format("mdav-nn2").replace("[input]", "form = 2\n[input]"))
    assert load(table / "new.toml").protect.method == "mdav-nn2"
    (table / "own.toml").write_text(OLD.format("mdav-nn2").replace('shoal = "0.1.0"\n', ""))
    assert load(table / "own.toml").protect.method == "mdav-nn2"


def test_start_and_refinement_of_older_recipes(table):
    """Starts and refinements have their names changed as methods have."""
    text = OLD.format("ilsmc") + 'start = "cbfs-nc3"\n'
    (table / "old.toml").write_text(text)
    assert load(table / "old.toml").protect.start == "cbfs-nc3+"
    text = OLD.format("auto").replace("[protect]", 'group = "g"\n[protect]')
    (table / "old.toml").write_text(text + 'refine = "iterative"\n')
    assert load(table / "old.toml").protect.refine == "iterative+"


def test_searches_of_older_recipes(table):
    """What ilsmc was is ilsmc-near now; with a form, ilsmc is the thesis's own."""
    (table / "old.toml").write_text(OLD.format("ilsmc"))
    assert load(table / "old.toml").protect.method == "ilsmc-near"
    (table / "new.toml").write_text(OLD.format("ilsmc").replace("[input]", "form = 2\n[input]"))
    assert load(table / "new.toml").protect.method == "ilsmc"


def test_alias_is_noted(table):
    """A method by its former name runs under its new one, and a note says so."""
    result = shoal.anonymize(table / "in.csv", k=3, method="centroid+")
    assert result.report.method == "centroid-phase2"
    assert any("centroid+ has been centroid-phase2" in note for note in result.report.notes)


def test_older_reading_is_noted(table, shoal):
    """A recipe of a method that is read anew says that groups may be others."""
    (table / "old.toml").write_text(OLD.format("diameter"))
    ran = shoal("run", table / "old.toml", "-o", f"{table}/out/")
    assert ran.code == 0, ran.err
    assert "diameter is nearer to its paper now" in ran.err


def test_default_refinement_is_what_it_was():
    """Without a name, given groups are refined by our own form, as before."""
    matrix = np.random.default_rng(0).normal(size=(60, 2))
    labels = np.arange(60) % 12
    plain = shoal.refine(matrix, labels, 3)
    assert np.array_equal(plain.labels, shoal.refine(matrix, labels, 3, how="iterative+").labels)
