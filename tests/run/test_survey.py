"""Weights, strata and households: what is kept, what never mixes, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal as library
from shoal.errors import InputError, PrivacyError, RequestError
from thorough import examples, spread

QUASI = ["age", "income", "ward"]


def people(seed=0, rows=120, regions=4, homes=40):
    """A survey: numbers, a text, strata, households within them, weights, something sensitive."""
    rng = np.random.default_rng(seed)
    home = rng.integers(0, homes, rows)
    return pd.DataFrame(
        {
            "age": rng.integers(18, 90, rows),
            "income": rng.normal(3e4, 9e3, rows).round(2),
            "ward": rng.choice(["north", "south", "west"], rows),
            "region": (home % regions).astype(str),
            "home": [f"h{number}" for number in home],
            "w": rng.uniform(0.5, 40.0, rows).round(3),
            "illness": rng.choice(["flu", "gout", "cold", "none"], rows),
        }
    )


ROLES = {"quasi_identifiers": ["age", "income"], "sensitive": ["illness"], "drop": ["ward"]}


def classes(data, columns):
    """Return the class of every released record, as a text."""
    return data[columns].astype(str).agg("|".join, axis=1)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.sampled_from(["auto", "mdav", "ilsmc+"]))
@examples(15)
def test_weighted_totals_stay(seed, k, method):
    """Up to rounding, the weighted total of every column of numbers is what it was.

    By the weights that are released: half a step of the column, and six digits of the weights.
    """
    data = people(seed, rows=60)
    result = library.anonymize(
        data, k=k, weight="w", method=method, **ROLES, other=["region"],
        identifiers=["home"], count="records", effort="quick",
    )  # fmt: skip
    released = result.data
    for name, step in (("age", 1.0), ("income", 0.01)):
        before, after = (data[name] * data.w).sum(), (released[name] * released.w).sum()
        room = 0.5 * step * data.w.sum() + 6e-6 * (data[name].abs() * data.w).sum()
        assert after == pytest.approx(before, abs=room)
    means = data.w.groupby(result.partition.labels).transform("mean")
    assert released.w.to_numpy() == pytest.approx(means.to_numpy(), rel=6e-6)
    assert released.age.dtype == data.age.dtype


def test_totals_in_the_file_and_the_drift(tmp_path, shoal):
    """The report states the drift of totals by the weights in the file; all digits are refused."""
    data = people(1)
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False)
    common = ("anonymize", path, "-k", "4", "--weight", "w", "--quasi", "age,income",
              "--sensitive", "illness", "--drop", "ward,home,region", "--keep-order")  # fmt: skip
    refused = shoal(*common, "-o", tmp_path / "exact.csv", "--decimals", "none")
    assert refused.code == 2
    assert "precision of the data" in refused.err
    assert not (tmp_path / "exact.csv").exists()
    assert shoal(*common, "-o", tmp_path / "r.csv").code == 0
    rounded = pd.read_csv(tmp_path / "r.csv")
    report = pd.read_json(tmp_path / "r.private/report.json", typ="series")
    assert {one["column"] for one in report.totals} == {"age", "income"}
    for one in report.totals:
        name = one["column"]
        before = (data[name] * data.w).sum()
        assert one["before"] == pytest.approx(before, rel=1e-12)
        assert one["after"] == pytest.approx((rounded[name] * rounded.w).sum(), rel=1e-12)
        assert one["drift_percent"] == pytest.approx(
            100 * (one["after"] - one["before"]) / (data[name] * data.w).sum(), abs=1e-12
        )
    assert any(one["drift_percent"] != 0 for one in report.totals)
    page = (tmp_path / "r.private" / "report.html").read_text()
    assert "weighted total" in page


def test_weight_two_is_the_record_twice():
    """Means, medians and modes of a group with weights are those of its records repeated."""
    data = people(2, rows=40)
    data["w"] = np.random.default_rng(0).integers(1, 4, 40)
    levels = ["none", "mild", "severe", "worst"]
    pain = np.random.default_rng(1).choice(levels, 40)
    data["pain"] = pd.Categorical(pain, categories=levels, ordered=True)
    twice = data.loc[np.repeat(data.index, data.w)].reset_index(drop=True)
    rows = np.repeat(np.arange(40), data.w)
    data["g"] = np.arange(40) // 8
    twice["g"] = data.g.to_numpy()[rows]
    ways = {"age": "median", "income": "mean", "ward": "mode", "pain": "median"}
    from shoal.partition import Partition
    from shoal.release.aggregate import Aggregators, aggregate
    from shoal.table.encode_nodes import code
    from shoal.table.survey import Survey

    def released(frame, weights):
        table = library.read(frame[[*QUASI, "pain"]])
        made = Partition(frame.g.to_numpy(), 5, "given")
        return aggregate(table, made, Aggregators(ways), code(table), survey=weights).to_native()

    own = released(data, Survey(data.w.to_numpy(float)))
    other = released(twice, Survey())
    assert own.age.to_numpy()[rows] == pytest.approx(other.age.to_numpy())
    assert own.income.to_numpy()[rows] == pytest.approx(other.income.round(2).to_numpy())
    assert (own.ward.to_numpy()[rows] == other.ward.to_numpy()).all()
    assert (own.pain.to_numpy()[rows] == other.pain.to_numpy()).all()


@pytest.mark.parametrize("method", ["auto", "mdav", "k-member"])
def test_weights_and_ordinal_columns(method):
    """A table with survey weights and an ordinal column is released by every family of methods."""
    data = people(3, rows=60)
    data["pain"] = np.random.default_rng(0).choice(["mild", "severe"], 60)
    result = library.anonymize(
        data, k=4, quasi_identifiers=["age", "pain"], weight="w", method=method, effort="quick",
        orders={"pain": ["mild", "severe"]}, drop=["home", "region", "income", "ward", "illness"],
    )  # fmt: skip
    assert result.report.verification["ok"]
    allowed = {"mild", "severe"} if method != "k-member" else {"mild", "severe", "[mild,severe]"}
    assert set(result.data.pain.astype(str)) <= allowed


@pytest.mark.slow
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 4),
    st.sampled_from(["auto", "mdav", "kaim", "kaim+", "fast"]), st.booleans(),
)  # fmt: skip
@examples(20)
def test_strata_never_mix(seed, k, method, by_two):
    """Every released class lies in one stratum, whose value is as it was."""
    data = people(seed, rows=90, regions=3)
    data["sex"] = np.where(np.arange(90) % 2, "f", "m")
    by = ["region", "sex"] if by_two else ["region"]
    result = library.anonymize(
        data, k=k, by=by, method=method, quasi_identifiers=QUASI, sensitive=["illness"],
        drop=["home", "w"], effort="quick", other=[] if by_two else ["sex"], intervals="text",
    )  # fmt: skip
    released = result.data
    assert (released[by] == data[by]).all(axis=None)
    groups = pd.Series(result.partition.labels)
    strata = data[by].astype(str).agg("|".join, axis=1)
    assert strata.groupby(groups).nunique().max() == 1
    assert released.groupby([*QUASI, *by]).size().min() >= k
    assert set(result.settings.roles.quasi_identifiers) == {*QUASI, *by}


@given(
    st.integers(0, 2**32 - 1), st.integers(2, 4), st.sampled_from(["auto", "mdav", "hilbert"]),
    st.booleans(), st.booleans(),
)  # fmt: skip
@examples(20)
def test_households_stay_whole(seed, k, method, weighted, within):
    """Every household is in one group, every released class holds at least k of them."""
    data = people(seed, rows=90, regions=2, homes=30)
    result = library.anonymize(
        data, k=k, household="home", method=method, quasi_identifiers=QUASI, drop=["illness"],
        weight="w" if weighted else None, by="region" if within else None, effort="quick",
        other=[*([] if within else ["region"]), *([] if weighted else ["w"])],
        round={} if weighted else {"w": 10},
    )  # fmt: skip
    groups = pd.Series(result.partition.labels)
    assert groups.groupby(data.home).nunique().max() == 1
    keys = classes(result.data, QUASI)
    assert data.home.groupby(keys).nunique().min() >= k
    assert "home" not in result.data
    assert "households" in " ".join(result.report.guarantee["covers"])


def test_households_with_rules():
    """What is asked beyond k is kept by groups of whole households."""
    data = people(4, rows=150, homes=50)
    result = library.anonymize(
        data, k=2, l=3, household="home", drop=["w", "region"], quasi_identifiers=QUASI,
        sensitive=["illness"], effort="quick",
    )  # fmt: skip
    assert data.illness.groupby(pd.Series(result.partition.labels)).nunique().min() >= 3
    assert pd.Series(result.partition.labels).groupby(data.home).nunique().max() == 1


@pytest.mark.parametrize("asked", spread([{"l": 3}, {"t": 0.35}, {"k_of": {("age",): 9}}], 3))
@pytest.mark.parametrize("method", ["auto", "mdav", "kaim"])
def test_strata_with_rules(asked, method):
    """What is asked beyond k is kept within strata."""
    data = people(5, rows=160, regions=2)
    result = library.anonymize(
        data, k=3, by="region", drop=["w", "home"], quasi_identifiers=QUASI, method=method,
        sensitive=["illness"], effort="quick", intervals="text", **asked,
    )  # fmt: skip
    assert data.region.groupby(pd.Series(result.partition.labels)).nunique().max() == 1
    assert result.report.verification["ok"]
    if "l" in asked:
        assert data.illness.groupby(pd.Series(result.partition.labels)).nunique().min() >= 3
    if "k_of" in asked:
        assert result.data.groupby("age").size().min() >= 9


def test_a_stratum_that_cannot_keep_a_rule():
    """One stratum without enough values is a PrivacyError, whatever the others have."""
    data = people(6, regions=2)
    data.loc[data.region == "1", "illness"] = "flu"
    with pytest.raises(PrivacyError, match="of a stratum"):
        library.anonymize(
            data, k=3, l=2, by="region", drop=["w", "home"], quasi_identifiers=QUASI,
            sensitive=["illness"],
        )  # fmt: skip


def test_small_strata_are_named_or_merged(tmp_path, shoal):
    """Strata below k are an error, named for who asks; merged, their cells name all of them."""
    data = people(7)
    data["region"] = "r" + data.region
    data.loc[:1, "region"] = "tiny"
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False)
    common = ("anonymize", path, "-k", "5", "--quasi", "age,income", "--by", "region",
              "--drop", "ward,home,w,illness", "-o", tmp_path / "r.csv")  # fmt: skip
    ran = shoal(*common)
    assert ran.code == 2
    assert "tiny" not in ran.err
    assert "--small-strata merge" in ran.err
    assert "'tiny'" in shoal(*common, "--show-values").err
    assert not (tmp_path / "r.csv").exists()
    ran = shoal(*common, "--small-strata", "merge")
    assert ran.code == 0, ran.err
    released = pd.read_csv(tmp_path / "r.csv", dtype=str)
    joined = [value for value in released.region.unique() if "tiny" in value]
    assert len(joined) == 1
    assert " + " in joined[0]
    assert released.groupby("region").size().min() >= 5
    assert shoal("verify", tmp_path / "r.csv", "-k", "5", "--quasi", "age,income,region").code == 0


def test_strata_are_told_apart_by_value(tmp_path, shoal):
    """1 and 1.0 are one stratum; two columns merge; constant columns; medoids; folders of trees."""
    path = tmp_path / "t.csv"
    cells = ["1"] * 12 + ["1.0"] * 2 + ["2.5"] * 2 + ["3.5"] * 24
    rows = "".join(f"{i},{cell},{'ab'[i % 2]}\n" for i, cell in enumerate(cells))
    path.write_text("a,s,t\n" + rows)
    common = ("anonymize", path, "-k", "3", "--quasi", "a", "--by", "s", "--small-strata", "merge",
              "--force", "-o", tmp_path / "r.csv")  # fmt: skip
    ran = shoal(*common, "--drop", "t")
    assert ran.code == 0, ran.err
    released = pd.read_csv(tmp_path / "r.csv", dtype=str)
    assert released.groupby("s").size().min() >= 3
    assert released.s.nunique() == 2
    ran = shoal(*common, "--by", "t", "--aggregate", "medoid")
    assert ran.code == 0, ran.err
    (tmp_path / "trees").mkdir()
    for name, values in (("s", ["1", "2.5", "3.5"]), ("a", map(str, range(40)))):
        lines = "".join(f"{value},*\n" for value in values)
        (tmp_path / f"trees/{name}.csv").write_text(lines)
    ran = shoal(*common, "--drop", "t", "--hierarchies", tmp_path / "trees", "--method", "kaim")
    assert ran.code == 0, ran.err
    same = pd.DataFrame({"a": [1] * 40, "s": ["x"] + ["y"] * 39})
    made = library.anonymize(same, k=3, by="s", quasi_identifiers=["a"], small_strata="merge")
    assert set(made.data.s) == {"x + y"}


def test_strata_alone():
    """Where every quasi-identifier makes the strata, nothing is left to group."""
    data = people(7)
    rest = [name for name in data.columns if name not in ("region", "illness")]
    with pytest.raises(RequestError, match="no quasi-identifier is left to group in strata"):
        library.anonymize(data, k=3, by="region", sensitive=["illness"], drop=rest)


def test_names_of_strata_differ():
    """Two strata whose parts read alike when joined are told apart in the risks."""
    data = people(16).assign(s="p / q", u="r")
    data.loc[60:, ["s", "u"]] = ["p", "q / r"]
    result = library.anonymize(
        data, k=3, by=["s", "u"], quasi_identifiers=["age"], effort="quick",
        drop=["ward", "home", "illness", "w", "region", "income"],
    )  # fmt: skip
    assert len(result.report.measures["risk"]["stratum_marketer"]["by"]) == 2


def test_a_release_that_mixes_never_leaves(monkeypatch):
    """What the groups were made of is counted again in the release itself."""
    from shoal.release import claims as checked

    data = people(17, regions=2)
    for units, said in ((lambda *_: (1, 1), "households"), (lambda *_: (9, 2), "several strata")):
        monkeypatch.setattr(checked, "units_a_class", units)
        with pytest.raises(PrivacyError, match=said):
            library.anonymize(
                data, k=3, by="region", household="home", quasi_identifiers=["age"],
                drop=["ward", "w", "illness", "income"], effort="quick",
            )  # fmt: skip


@pytest.mark.parametrize("method", ["auto", "tfrp"])
def test_a_recipe_repeats_it(tmp_path, shoal, method):
    """The recipe of a run with weights, strata and households gives the same groups."""
    data = people(8, regions=2)
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False)
    ran = shoal(
        "anonymize", path, "-k", "3", "--quasi", "age,income", "--by", "region", "--weight", "w",
        "--household", "home", "--drop", "ward,illness", "--method", method, "--effort", "quick",
        "-o", tmp_path / "r.csv", "--no-report",
    )  # fmt: skip
    assert ran.code == 0, ran.err
    again = shoal(
        "run", tmp_path / "r.private/run.toml", "-o", tmp_path / "again.csv", "--no-report"
    )
    assert again.code == 0, again.err
    first, second = (
        sorted((tmp_path / name).read_text().splitlines()) for name in ("r.csv", "again.csv")
    )
    assert first == second


def test_the_order_of_the_rows_does_not_matter():
    """Records in another order get the same values."""
    data = people(9, regions=2)
    shuffled = data.sample(frac=1.0, random_state=3)
    both = [
        library.anonymize(
            one.reset_index(drop=True),
            k=3,
            weight="w",
            by="region",
            household="home",
            quasi_identifiers=["age", "income"],
            drop=["ward", "illness"],
            effort="quick",
        ).data.assign(row=one.index)
        for one in (data, shuffled)
    ]
    first, second = (one.sort_values("row").reset_index(drop=True) for one in both)
    assert first.age.to_numpy() == pytest.approx(second.age.to_numpy())


@pytest.mark.parametrize(
    ("cell", "said"),
    [("0", "above 0"), ("-2", "above 0"), ("", "missing"), ("much", "text"), ("nan", "missing")],
)
def test_bad_weights_say_where(tmp_path, shoal, cell, said):
    """A weight that is none is an error that says in which line."""
    data = people(10, rows=20).astype({"w": str})
    data.loc[4, "w"] = cell
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False)
    ran = shoal("anonymize", path, "-k", "3", "--quasi", "age", "--weight", "w", "-o", "-",
                "--drop", "income,ward,region,home,illness", "--missing", "nan", "--missing",
                "")  # fmt: skip
    assert ran.code == 2
    assert said in ran.err
    if said != "text":
        assert "line 6" in ran.err


def test_bad_requests():
    """Columns that cannot be what they are said to be, and what nothing can be done with."""
    data = people(11)
    rest = {"quasi_identifiers": ["age", "income"], "drop": ["ward"], "other": ["w"],
            "keep_unique": ["w"]}  # fmt: skip
    for asked, said in [
        ({"weight": "age", "other": [], "keep_unique": []}, "cannot be"),
        ({"by": ["illness"], "sensitive": ["illness"]}, "cannot be"),
        ({"household": "age"}, "cannot be"),
        ({"weight": "w", "by": ["w"]}, "different columns"),
        ({"weight": "ww", "other": []}, "has no column"),
        ({"weight": "w", "decimals": "none"}, "precision of the data"),
        ({"weight": "w", "decimals": {"age": "none"}}, "precision of the data"),
        ({"weights_as": "exact"}, "say weight"),
        ({"weight": "w", "weights_as": "halves"}, "mean, rounded:N"),
        ({"weight": "w", "weights_as": "rounded:0"}, "mean, rounded:N"),
        ({"weight": "w", "weights_as": "exact", "keep_unique": []}, "unique in it"),
        ({"weight": "w", "round": {"w": 10}}, "weights_as='rounded:N'"),
        ({"household": "home", "method": "kaim"}, "one by one"),
        ({"household": "home", "k": 50}, "households < k"),
        ({"small_strata": "drop"}, "small_strata"),
        ({"household": "home", "k_of": {("age",): 9}}, "take one"),
    ]:
        with pytest.raises(RequestError, match=said):
            library.anonymize(data, **{"k": 3, **rest, **asked})
    data.loc[3, "home"] = None
    with pytest.raises(InputError, match="every record needs one"):
        library.anonymize(data, k=3, household="home", **rest, sensitive=["illness"])
    data = people(11)
    data.loc[0, "region"] = "elsewhere"
    with pytest.raises(InputError, match="more than one stratum"):
        library.anonymize(data, k=2, household="home", by="region", quasi_identifiers=["age"],
                          drop=["ward", "w", "illness", "income"])  # fmt: skip


CELLS = {
    "list": [[number % 7] for number in range(60)],
    "struct": [{"a": number % 7} for number in range(60)],
    "map": pa.array(
        [[("a", number % 7)] for number in range(60)], pa.map_(pa.string(), pa.int64())
    ),
}


@pytest.mark.parametrize("family", CELLS)
@pytest.mark.parametrize("role", ["household", "person", "by", "weight", "group"])
def test_columns_of_lists_are_refused_by_name(tmp_path, shoal, role, family):
    """A column of lists, structs or maps that is to say whose a record is: an error that names it.

    From a dataframe and from a Parquet file alike.
    """
    table = pa.table({"age": [number % 9 for number in range(60)], "home ids": CELLS[family]})
    asked = {"k": 3, "quasi_identifiers": ["age"], role: "home ids"}
    with pytest.raises((InputError, RequestError), match="'home ids'"):
        library.anonymize(table, **asked)
    pq.write_table(table, tmp_path / "t.parquet")
    verb = ["refine", "--k", "3"] if role == "group" else ["anonymize", "--k", "3"]
    end = shoal(*verb, tmp_path / "t.parquet", "--quasi", "age", f"--{role}", "home ids",
                "-o", tmp_path / "out.csv")  # fmt: skip
    assert end.code == 2
    assert "'home ids'" in end.err
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("family", CELLS)
def test_lists_are_refused_by_name_elsewhere(family):
    """Measures, checks and hierarchies of a column of lists: an error that names the column."""
    table = pa.table({"age": [30] * 60, "home ids": CELLS[family]})
    for refused in (
        lambda: library.measure(table, table, quasi_identifiers=["age"], by=["home ids"]),
        lambda: library.verify(table, k=2, quasi_identifiers=["age", "home ids"]),
        lambda: library.verify(table, k=2, quasi_identifiers=["age"], sensitive=["home ids"], l=2),
        lambda: library.hierarchy(table, "home ids"),
    ):
        with pytest.raises(InputError, match="'home ids'"):
            refused()


def test_a_household_of_bytes_may_not_miss():
    """Households that are no text or number are counted, and a missing one is refused."""
    homes = [bytes([number % 20]) for number in range(60)]
    data = {"age": [number % 9 for number in range(60)], "home": homes}
    asked = {"k": 3, "quasi_identifiers": ["age"], "household": "home"}
    assert "20 households" in library.anonymize(pa.table(data), **asked).report.notes[0]
    data["home"] = [None, *homes[1:]]
    with pytest.raises(InputError, match="every record needs one"):
        library.anonymize(pa.table(data), **asked)


def test_with_no_roles_the_rest_is_grouped():
    """With only a weight and a household said, all other columns are quasi-identifiers."""
    data = people(12)[["age", "income", "home", "w"]]
    result = library.anonymize(data, k=3, weight="w", household="home", effort="quick")
    assert set(result.settings.roles.quasi_identifiers) == {"age", "income"}
    assert list(result.data.columns) == ["age", "income", "w"]


def test_the_refine_command(tmp_path, shoal):
    """`shoal refine` takes weights and strata; `anonymize_file` all of a survey."""
    data = people(18, regions=2)
    data["g"] = data.region + "-" + (np.arange(120) % 3).astype(str)
    path = tmp_path / "t.csv"
    data.to_csv(path, index=False)
    ran = shoal("refine", path, "--group", "g", "-k", "3", "--quasi", "age,income", "--weight", "w",
                "--by", "region", "--drop", "ward,home,illness", "-o", tmp_path / "r.csv",
                "--no-report")  # fmt: skip
    assert ran.code == 0, ran.err
    assert pd.read_csv(tmp_path / "r.csv").groupby(["age", "income", "region"]).size().min() >= 3
    library.anonymize_file(
        path, tmp_path / "f.csv", k=3, weight="w", by="region", household="home",
        quasi_identifiers=["age", "income"], drop=["ward", "illness", "g"], effort="quick",
        report=False,
    )  # fmt: skip
    assert "home" not in pd.read_csv(tmp_path / "f.csv")


def test_given_groups_keep_to_strata():
    """Groups that are given are refined within strata, and refused where they cross them."""
    data = people(13, regions=2)
    data["g"] = data.region + "-" + (np.arange(120) % 3).astype(str)
    result = library.anonymize(
        data, k=3, group="g", by="region", weight="w", quasi_identifiers=["age", "income"],
        drop=["ward", "home", "illness"],
    )  # fmt: skip
    assert data.region.groupby(pd.Series(result.partition.labels)).nunique().max() == 1
    data["g"] = np.arange(120) % 4
    with pytest.raises(RequestError, match="several strata"):
        library.anonymize(
            data, k=3, group="g", by="region", quasi_identifiers=["age", "income"],
            drop=["ward", "home", "illness", "w"],
        )  # fmt: skip


@pytest.mark.parametrize("asked", [("--weight", "w"), ("--by", "region"), ("--household", "home")])
def test_only_in_memory(tmp_path, shoal, asked):
    """Files that are grouped region by region have no such things: that is said."""
    path = tmp_path / "t.csv"
    people(14).to_csv(path, index=False)
    ran = shoal("anonymize", path, "-k", "3", "--quasi", "age,income", "--other",
                "ward,illness", *asked, "--engine", "threads",
                "-o", f"{tmp_path}/out/")  # fmt: skip
    assert ran.code == 2
    assert "weights, strata or households" in ran.err


def test_risks_by_stratum_and_weight(tmp_path, shoal):
    """The report and `measure` tell risks of the population and stratum by stratum."""
    data = people(15)
    result = library.anonymize(
        data, k=3, weight="w", by="region", quasi_identifiers=["age", "income"],
        drop=["ward", "home", "illness"], effort="quick",
    )  # fmt: skip
    risk = result.report.measures["risk"]
    assert set(risk["stratum_marketer"]["by"]) == set(data.region)
    assert risk["stratum_marketer"]["value"] == max(risk["stratum_marketer"]["by"].values())
    assert risk["journalist"]["value"] < risk["prosecutor"]["value"]
    sizes = result.data.groupby(["age", "income", "region"]).size()
    plain = library.measure(
        data[["age", "income", "region"]], result.data[["age", "income", "region"]],
        quasi_identifiers=["age", "income", "region"], by="region",
    )  # fmt: skip
    told = plain.to_dict()["risk"]["stratum_marketer"]["by"]
    for region, found in told.items():
        own = sizes[sizes.index.get_level_values("region") == region]
        assert found == pytest.approx(100 * len(own) / own.sum())
