"""Releases with steps: verified, reported, repeated, through every way out."""

from __future__ import annotations

import json
import tomllib

import numpy as np
import pandas as pd
import pytest

import shoal
from naive import stepping
from shoal import steps
from shoal.errors import PrivacyError, RequestError
from shoal.measures.risk.kept_attack import linked_in_class
from shoal.pipeline.anonymize import anonymize_with
from shoal.release.pack.recheck import check_pack
from shoal.settings import load
from shoal.table.steps.step import Context

LIST = [
    "derive age born 2026-01-01",
    "rare job 5",
    "top pay share=5%",
    "round rent -1",
    "noise pay 0.3 how=zero-sum",
]
ROLES = {"quasi_identifiers": ["age", "job"], "sensitive": ["ill"], "keep_unique": ["pay", "rent"]}


@pytest.fixture
def people():
    """Return 150 people with a birth date, a job, an illness, a pay and a rent."""
    rng = np.random.default_rng(2)
    return pd.DataFrame(
        {
            "born": pd.Timestamp("1940-01-01") + pd.to_timedelta(rng.integers(0, 25_000, 150), "D"),
            "job": rng.choice(["clerk", "cook", "smith", "king"], 150, p=[0.5, 0.3, 0.19, 0.01]),
            "ill": rng.choice(["a", "b", "c"], 150),
            "pay": rng.lognormal(8, 1, 150).round().astype(int),
            "rent": rng.integers(200, 2_000, 150),
        }
    )


def release(data, given=LIST, **more):
    """Release with steps, by a method that takes no time."""
    return shoal.anonymize(data, 3, method="mdav", steps=given, **{**ROLES, **more})


@pytest.mark.filterwarnings("ignore::shoal.PrivacyWarning", "ignore::shoal.TypeChangeWarning")
class TestInMemory:
    """Steps of a dataframe."""

    def test_a_release_with_steps(self, people):
        """Columns are derived, merged, coded, rounded and noisy; the judge counts what is left."""
        before = people.copy()
        result = release(people)
        pd.testing.assert_frame_equal(people, before)
        data = result.data
        assert list(data.columns) == ["age", "job", "ill", "pay", "rent"]
        assert (data["rent"] % 10 == 0).all()
        assert (data["pay"] != people["pay"]).mean() > 0.9
        assert shoal.verify(data, 3, quasi_identifiers=["age", "job"], keep=["pay"]).ok
        assert result.report.verification["k"] >= 3

    def test_totals_of_groups_stay(self, people):
        """Zero-sum noise keeps every group's total of what top coding left."""
        result = release(people)
        coded = steps.Top("pay", share="5%").apply(shoal.read(people), Context(3))["pay"]
        labels = result.partition.labels
        before, after = np.asarray(coded.values), result.data["pay"].to_numpy()
        assert np.bincount(labels, before).tolist() == np.bincount(labels, after).tolist()

    def test_the_report_lists_steps(self, people):
        """The report has the steps in their order, what each cost, and what they did to linkage."""
        report = release(people).report
        assert [step["kind"] for step in report.steps] == [
            "derive",
            "rare",
            "top",
            "round",
            "noise",
        ]
        assert [step["when"] for step in report.steps][-2:] == ["before grouping", "after grouping"]
        cost = report.steps[2]["costs"][0]
        assert cost["column"] == "pay"
        assert 7 <= cost["changed"] <= 30
        assert cost["loss"] > 0
        assert report.steps_risk["columns"] == ["pay", "rent"]
        assert report.steps_risk["after"] <= report.steps_risk["before"]
        text = report.summary()
        assert "step 5: pay: noise of 0.3 standard deviations" in text
        assert "other, changed by steps: pay, rent" in text
        assert "Steps beside grouping" in report.to_html()

    def test_a_public_report_tells_no_cost(self, people):
        """What a step does is public, what it cost of the original is not, nor is any secret."""
        result = release(people)
        public = result.report.published()
        assert [step["text"] for step in public.steps] == [s["text"] for s in result.report.steps]
        assert all("costs" not in step for step in public.steps)
        assert not public.steps_risk
        assert result.settings.secret not in public.to_json()

    def test_a_secret_repeats_the_noise(self, people):
        """The same secret gives the same release, another one another, and a new one is noted."""
        first = release(people)
        same = release(people, secret=first.settings.secret)
        other = release(people)
        assert same.data["pay"].tolist() == first.data["pay"].tolist()
        assert other.data["pay"].tolist() != first.data["pay"].tolist()
        assert any("are new in this release" in note for note in first.report.notes)
        assert not any("are new in this release" in note for note in same.report.notes)
        assert release(people, LIST[:4]).settings.secret is None
        assert first.settings.secret not in repr(first.settings)

    def test_no_steps_are_as_ever(self, people):
        """Without steps the recipe has no word of them, and the report an empty list."""
        result = release(people, (), identifiers=["born"], quasi_identifiers=["job"])
        assert "steps" not in result.settings.to_toml()
        assert result.report.steps == []
        assert "secret" not in result.settings.to_toml()

    def test_steps_on_quasi_identifiers_by_chance_are_refused(self, people):
        """Noise is for kept columns."""
        with pytest.raises(RequestError, match="'age' is a quasi-identifier"):
            release(people, [LIST[0], "noise age"])

    def test_weights_are_not_perturbed_where_they_are_averaged(self, people):
        """Noise of survey weights needs weights that are released as they are."""
        with pytest.raises(RequestError, match="survey weights"):
            release(people, ["noise rent"], quasi_identifiers=["job"], identifiers=["born"],
                    weight="rent", keep_unique=["pay"])  # fmt: skip

    def test_what_is_asked_beyond_k_is_judged_after_steps(self, people):
        """A step that breaks l-diversity is a PrivacyError: the judge sees what is released."""
        given = [LIST[0], steps.Noise("pay", 0.1), steps.Recode("ill", dict.fromkeys("abc", "x"))]
        with pytest.raises(PrivacyError):
            release(people, given, l=2, drop=["rent"], keep_unique=["pay"])


@pytest.mark.filterwarnings("ignore::shoal.PrivacyWarning")
def test_a_pack_names_the_steps(people, tmp_path, shoal):
    """The certificate names the steps, the published recipe has no secret, the private one does."""
    people.to_csv(tmp_path / "in.csv", index=False)
    words = [word for step in [*LIST, "recode ill a=x b=y c=y"] for word in ("--step", step)]
    ran = shoal("anonymize", str(tmp_path / "in.csv"), "-k", "3", "--method", "mdav", "--quasi",
              "age,job", "--sensitive", "ill", "--keep-unique", "pay,rent", *words, "--pack",
              str(tmp_path / "out"))  # fmt: skip
    assert ran.code == 0, ran.err
    certificate = json.loads((tmp_path / "out" / "certificate.json").read_text())
    assert certificate["steps"][0] == "age is the age at 2026-01-01 by born, which is left out"
    assert certificate["steps"][-1] == "ill: 3 values become 2"
    assert "the secret of noise, swaps and draws" in certificate["recipe_lacks"]
    private = load(tmp_path / "out.private" / "run.toml")
    assert check_pack(tmp_path / "out").ok
    for path in (tmp_path / "out").iterdir():
        assert private.secret not in path.read_text(encoding="utf-8")
    public = tomllib.loads((tmp_path / "out" / "run.toml").read_text())
    assert public["steps"][-1]["values"] == {"hidden 1": "x", "hidden 2": "y", "hidden 3": "y"}
    again = anonymize_with(tmp_path / "in.csv", private)
    released = pd.read_csv(tmp_path / "out" / "release.csv")
    assert sorted(released["pay"]) == sorted(np.asarray(again.table["pay"].values))


def test_the_nearest_of_a_class(people):
    """Linkage by a kept column is that of the twin, with and without noise."""
    labels = np.arange(150) // 5
    noisy = people["pay"] + np.random.default_rng(1).normal(0, 800, 150)
    known, released = shoal.read({"x": people["pay"]})["x"], shoal.read({"x": noisy})["x"]
    floats = shoal.read({"x": people["pay"].astype(float)})["x"]
    pay = people["pay"].tolist()
    assert linked_in_class([known], [known], labels) == pytest.approx(
        stepping.linked(pay, pay, labels)
    )
    found = linked_in_class([floats], [released], labels)
    assert found == pytest.approx(stepping.linked(pay, noisy.tolist(), labels))
    assert found < 90
