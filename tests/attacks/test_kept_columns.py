"""Kept columns that single people out while a report says nothing of it.

The attacker knows the kept values of a person (a bill, a date, a name) and the person's class, and
looks for the one record that fits. An attack learns something if more than 5 % of the records are
found so and whoever publishes was told "safe", with no figure that says otherwise.
"""

from __future__ import annotations

import inspect
import json

import numpy as np
import pandas as pd
import pytest

import shoal as library
from large_files import LITTLE, PADDING, padded
from shoal.errors import RequestError

ROWS = 400


def people(seed=0, rows=ROWS):
    """Two quasi-identifiers; what is kept beside them is for each test to say."""
    rng = np.random.default_rng(seed)
    return pd.DataFrame(
        {"age": rng.integers(18, 90, rows), "income": rng.integers(10, 90, rows) * 1000}
    )


def found(released, quasi, kept):
    """Return the share of records that are alone in their class by some columns, in percent."""
    rows = zip(*(released[name].tolist() for name in (*quasi, *kept)), strict=True)
    keys = pd.Series(["|".join(map(str, row)) for row in rows])
    return 100 * float((keys.map(keys.value_counts()) == 1).mean())


def silent(report, share):
    """Tell whether a report says nothing of a share of records that kept columns single out."""
    told = report if isinstance(report, dict) else report.to_dict()
    risk = told["measures"]["risk"].get("kept_linkage")
    measured = risk is not None and abs(risk["value"] - share) < 1e-9
    return share > 5 and not (told.get("verdict") == "safe, but" and measured)


def attack(data, kept, **more):
    """Release; tell whether records are found that nobody was told of. A refusal gives nothing."""
    known = inspect.signature(library.anonymize).parameters
    more = {name: value for name, value in more.items() if name in known}
    try:
        result = library.anonymize(
            data, k=5, quasi_identifiers=["age", "income"], other=kept, method="mdav", **more
        )
    except RequestError:
        return False
    return silent(result.report, found(result.data, ["age", "income"], kept))


def test_names_as_other():
    """A name that was given the role other finds everybody."""
    data = people().assign(name=[f"person {number}" for number in range(ROWS)])
    assert not attack(data, ["name"])


def test_bills_of_cents():
    """What a stay cost, to the cent, is different for almost everybody."""
    data = people(1).assign(cost=np.random.default_rng(1).uniform(100, 9000, ROWS).round(2))
    assert not attack(data, ["cost"])


def test_bills_of_all_digits():
    """The same as floats with all their digits."""
    data = people(2).assign(cost=np.random.default_rng(2).normal(size=ROWS))
    assert not attack(data, ["cost"])


def test_dates():
    """Days on which people were somewhere, most of them alone."""
    days = np.random.default_rng(3).integers(0, 4000, ROWS)
    data = people(3).assign(seen=pd.Timestamp("2010-01-01") + pd.to_timedelta(days, unit="D"))
    assert not attack(data, ["seen"])


def test_unique_but_for_missing_ones():
    """A third of the cells is missing, the others are all different."""
    cost = np.arange(ROWS, dtype=float)
    cost[::3] = np.nan
    assert not attack(people(4).assign(cost=cost), ["cost"])


def test_two_columns_together():
    """Neither column is unique anywhere, both together are in nearly every class."""
    rng = np.random.default_rng(5)
    data = people(5).assign(ward=rng.integers(0, 20, ROWS), job=rng.integers(0, 20, ROWS))
    assert not attack(data, ["ward", "job"])


def test_ten_in_a_hundred():
    """A rare trait singles out one record in ten, the others all share a value."""
    rng = np.random.default_rng(6)
    data = people(6).assign(trait=np.where(rng.random(ROWS) < 0.15, "rare", "common"))
    assert not attack(data, ["trait"])


def test_allowed_by_name():
    """Whoever allows a unique column by its name is told what it does."""
    data = people(7).assign(cost=np.random.default_rng(7).uniform(100, 9000, ROWS).round(2))
    assert not attack(data, ["cost"], keep_unique=["cost"])


def test_rounded_too_little():
    """Rounded to tens, bills still find people."""
    data = people(8).assign(cost=np.random.default_rng(8).uniform(100, 9000, ROWS).round(2))
    assert not attack(data, ["cost"], round={"cost": 500})


def test_cells_that_look_different(tmp_path):
    """1, 1.0 and 1.00 are one number, but a csv file that keeps its cells tells them apart."""
    rng = np.random.default_rng(9)
    cells = [f"{rng.integers(0, 3)}.{'0' * rng.integers(1, 7)}" for _ in range(ROWS)]
    data = people(9).assign(grade=cells)
    data.to_csv(tmp_path / "t.csv", index=False)
    result = library.anonymize(
        tmp_path / "t.csv", k=5, quasi_identifiers=["age", "income"], other=["grade"], method="mdav"
    )
    result.save(tmp_path / "out", keep_order=True)
    released = pd.read_csv(tmp_path / "out" / "release.csv", dtype=str)
    assert not silent(result.report, found(released, ["age", "income"], ["grade"]))


def csv_of(tmp_path, seed):
    """Write people with bills and wards; return the path."""
    rng = np.random.default_rng(seed)
    data = people(seed).assign(
        cost=rng.uniform(100, 9000, ROWS).round(2), ward=rng.integers(0, 20, ROWS)
    )
    data.to_csv(tmp_path / "t.csv", index=False)
    return tmp_path / "t.csv"


def test_the_command_line(tmp_path, shoal):
    """`--other ward` with exit code 0: the first lines and `--json` say what is left open."""
    ran = shoal(
        "anonymize", csv_of(tmp_path, 10), "-k", "5", "--quasi", "age,income", "--other", "ward",
        "--drop", "cost", "--method", "mdav", "--json", "--progress", "none", "-o",
        tmp_path / "r.csv",
    )  # fmt: skip
    assert ran.code == 0
    released = pd.read_csv(tmp_path / "r.csv", dtype=str)
    share = found(released, ["age", "income"], ["ward"])
    assert not silent(json.loads(ran.out), share)
    assert f"but kept columns single out {share:.1f} %" in "\n".join(ran.err.splitlines()[:5])
    assert "kept columns single out" in (tmp_path / "r.report.html").read_text()


def test_a_unique_column_on_the_command_line(tmp_path, shoal):
    """`--other cost` must not write a file in which everybody is found."""
    ran = shoal(
        "anonymize", csv_of(tmp_path, 11), "-k", "5", "--quasi", "age,income", "--other", "cost",
        "--drop", "ward", "--method", "mdav", "-o", tmp_path / "r.csv",
    )  # fmt: skip
    assert ran.code == 2
    assert "'cost'" in ran.err
    assert not (tmp_path / "r.csv").exists()


@pytest.mark.parametrize("way", [("--memory", LITTLE), ("--engine", "threads")])
def test_files_larger_than_memory(tmp_path, shoal, way):
    """Region by region, or by an engine, unique columns are kept as silently."""
    path = padded(csv_of(tmp_path, 12))
    ran = shoal(
        "anonymize", path, "-k", "5", "--quasi", "age,income", "--other", "cost",
        "--drop", f"ward,{PADDING}", *way, "-o", f"{tmp_path}/out/",
    )  # fmt: skip
    assert ran.code == 2
    assert "unique in it" in ran.err


def test_regions_say_it_too(tmp_path, shoal):
    """Region by region, columns that together single people out are in the verdict."""
    path = padded(csv_of(tmp_path, 13))
    ran = shoal(
        "anonymize", path, "-k", "5", "--quasi", "age,income", "--other", "ward",
        "--drop", f"cost,{PADDING}", "--memory", LITTLE, "--json", "-o", f"{tmp_path}/out/",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    released = pd.read_csv(tmp_path / "out" / "release.csv", dtype=str)
    assert not silent(json.loads(ran.out), found(released, ["age", "income"], ["ward"]))


def test_the_measures_of_two_files(tmp_path, shoal):
    """`shoal measure` has the attack among its risks."""
    path = csv_of(tmp_path, 14)
    shoal("anonymize", path, "-k", "5", "--quasi", "age,income", "--other", "ward", "--drop",
          "cost", "--method", "mdav", "-o", tmp_path / "r.csv")  # fmt: skip
    released = pd.read_csv(tmp_path / "r.csv", dtype=str)
    ran = shoal("measure", path, tmp_path / "r.csv", "--quasi", "age,income", "--json")
    risk = json.loads(ran.out)["risk"]
    assert "kept_linkage" in risk
    assert risk["kept_linkage"]["value"] == pytest.approx(
        found(released, ["age", "income"], ["ward"])
    )


def test_a_comparison(tmp_path, shoal):
    """A comparison of methods shows what kept columns single out, run by run."""
    ran = shoal(
        "compare", csv_of(tmp_path, 15), "-k", "5", "--quasi", "age,income", "--other", "ward",
        "--drop", "cost", "--methods", "mdav", "--json", "--fresh",
    )  # fmt: skip
    (point,) = json.loads(ran.out)["points"]
    assert point.get("kept", 0) > 5


def test_a_pack(tmp_path):
    """A pack says so on its first page, and in its certificate."""
    result = library.anonymize(
        csv_of(tmp_path, 16), k=5, quasi_identifiers=["age", "income"], other=["ward"],
        drop=["cost"], method="mdav",
    )  # fmt: skip
    result.pack(tmp_path / "pack")
    released = pd.read_csv(tmp_path / "pack" / "release.csv", dtype=str)
    assert found(released, ["age", "income"], ["ward"]) > 5
    assert "kept columns single out" in (tmp_path / "pack" / "README.md").read_text()
    made = json.loads((tmp_path / "pack" / "certificate.json").read_text())
    assert made.get("verdict") == "safe, but"


def desk_answer(path, place, roles):
    """Return what the desk answers to a page that asks for a release."""
    from shoal.web.jobs import ProgressWriter
    from shoal.web.tasks import anonymize

    place.mkdir()
    settings = {"roles": roles, "protect": {"k": 5, "method": "mdav"}}
    asked = {"settings": settings, "path": str(path), "trees": {}}
    tell = ProgressWriter(place)
    try:
        return anonymize(asked, place, tell)["report"]
    finally:
        tell._file.close()


def test_the_desk(tmp_path):
    """The desk's page is told that it is no plain yes."""
    roles = {"quasi_identifiers": ["age", "income"], "other": ["ward"], "drop": ["cost"]}
    report = desk_answer(csv_of(tmp_path, 17), tmp_path / "job", roles)
    assert report.get("verdict") == "safe, but"


def test_names_on_the_desk(tmp_path):
    """Names with the role other never come out of the desk under a yes."""
    data = people(18).assign(name=[f"person {number}" for number in range(ROWS)])
    data.to_csv(tmp_path / "t.csv", index=False)
    roles = {"quasi_identifiers": ["age", "income"], "other": ["name"]}
    with pytest.raises(RequestError, match="'name'"):
        desk_answer(tmp_path / "t.csv", tmp_path / "job", roles)


def test_the_sample(tmp_path):
    """The recipe that comes with us releases nothing that singles people out."""
    from shoal.datasets.load import patients_recipe
    from shoal.pipeline.anonymize import anonymize_with
    from shoal.settings import load

    recipe = patients_recipe()
    result = anonymize_with(recipe.with_name("patients.csv"), load(recipe), folder=recipe.parent)
    quasi = result.settings.roles.quasi_identifiers
    released = pd.DataFrame({c.name: c.values.to_pylist() for c in result.table.columns})
    assert found(released, quasi, ["cost"]) < 5
    assert result.report.verdict == "safe"
