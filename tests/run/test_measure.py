"""The door: files and frames, who is who, roles, weights, recipes, the command and its page."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pytest

import shoal as library
from shoal.measures.definitions import DEFINITIONS
from shoal.measures.risk.definitions import RISK
from shoal.measures.utility.definitions import UTILITY

DRAWS = True  # charts

QUASI = ["a", "b"]

ON_REQUEST = {"assignment_linkage", "partial_linkage", "nearest_inference"}  # reports lack them


@pytest.fixture(scope="module")
def table():
    """Numbers, words, and columns that are kept."""
    rng = np.random.default_rng(0)
    a = rng.integers(20, 80, 120)
    return pa.table({
        "a": a,
        "b": np.round(rng.normal(size=120) + a / 20, 2),
        "c": rng.choice(["x", "y", "z"], 120),
        "s": np.where(a > 50, "ill", "well"),
        "id": np.arange(120),
    })  # fmt: skip


@pytest.fixture(scope="module")
def result(table):
    """A release of means."""
    return library.anonymize(
        table,
        k=4,
        method="mdav",
        quasi_identifiers=QUASI,
        sensitive=["s"],
        other=["c", "id"],
        keep_unique=["id"],
    )


@pytest.fixture(scope="module")
def measures(table, result):
    """Its measures."""
    return library.measure(table, result.data, quasi_identifiers=QUASI, sensitive=["s"])


def values(measures):
    """All figures by key."""
    return {key: one.value for key, one in {**measures.utility, **measures.risk}.items()}


def test_every_measure_has_words(measures):
    """Each has a sentence with its figure in it, and the definitions are whole."""
    for one in (*measures.utility.values(), *measures.risk.values()):
        assert one.text in one.sentence
        assert "{" not in one.sentence
    for definition in (*UTILITY, *RISK):
        assert definition.side in ("utility", "risk")
        assert definition.unit in ("percent", "number", "count")
        assert definition.better in ("lower", "higher")
        assert definition.formula
        assert definition.source
        assert "{value}" in definition.sentence
    assert len(DEFINITIONS) == len(UTILITY) + len(RISK)


def test_in_every_report(table, result, measures):
    """A report holds the very figures that measure gives."""
    told = result.report.measures
    assert told["schema"] == "shoal-measures/1"
    for key, one in {**measures.utility, **measures.risk}.items():
        if key in ON_REQUEST:
            continue
        part = told["utility"] if key in told["utility"] else told["risk"]
        assert part[key]["value"] == pytest.approx(one.value), key
    assert told["paired"] == table.num_rows
    assert measures["sse_sst"].value == pytest.approx(result.report.information_loss_released)


def test_frames_of_all_kinds(table, result, measures):
    """Dataframes of any library and files give the same figures, and are not changed."""
    frame, released = table.to_pandas(), result.data.to_pandas()
    copies = frame.copy(), released.copy()
    again = library.measure(frame, released, quasi_identifiers=QUASI, sensitive=["s"])
    assert values(again) == pytest.approx(values(measures))
    pd.testing.assert_frame_equal(frame, copies[0])
    pd.testing.assert_frame_equal(released, copies[1])
    polars = library.measure(
        pl.from_arrow(table), pl.from_arrow(result.data), quasi_identifiers=QUASI, sensitive=["s"]
    )
    assert values(polars) == pytest.approx(values(measures))


@pytest.fixture
def files(table, result, tmp_path):
    """The original and its shuffled release as csv files, with a recipe."""
    pc.write_csv(table, tmp_path / "in.csv")
    made = library.anonymize(
        tmp_path / "in.csv", k=4, method="mdav", quasi_identifiers=QUASI, sensitive=["s"],
        other=["c", "id"], keep_unique=["id"],
    )  # fmt: skip
    return tmp_path / "in.csv", made.save(tmp_path / "out")


def test_shuffled_rows_are_paired_by_what_was_kept(files):
    """A column that tells records apart pairs them, and nothing need be said."""
    found = library.measure(*files)
    assert found.paired == 120
    assert any("paired by what was kept" in note for note in found.notes)
    told = json.loads((files[0].parent / "out.private" / "report.json").read_text())["measures"]
    for key, one in {**told["utility"], **told["risk"]}.items():
        if key not in ("model_inference", "regression", "classification"):  # other halves
            assert found[key].value == pytest.approx(one["value"]), key
    assert found.quasi_identifiers == tuple(QUASI)
    assert found.sensitive == ("s",)


def test_key(files):
    """A named column pairs the records; one that names nobody is refused."""
    found = library.measure(*files, quasi_identifiers=QUASI, key="id")
    told = json.loads((files[0].parent / "out.private" / "report.json").read_text())["measures"][
        "risk"
    ]
    for key in ("distance_linkage", "rank_linkage", "block_linkage", "known_members"):
        assert found[key].value == pytest.approx(told[key]["value"])
    with pytest.raises(library.InputError, match="does not name records"):
        library.measure(*files, quasi_identifiers=QUASI, key=["c"])
    with pytest.raises(library.RequestError, match="not both"):
        library.measure(*files, key="id", rows="same")


def test_shuffled(files):
    """Where nobody knows who is who, what needs pairs is left out, and that is said."""
    found = library.measure(*files, rows="shuffled")
    assert found.paired == 0
    assert any("nobody said which released record is whose" in note for note in found.notes)
    for key in ("sse_sst", "il1s", "distance_linkage", "known_members", "interval_disclosure"):
        assert key not in {**found.utility, **found.risk}
    for key in ("prosecutor", "means", "correlations", "propensity", "certain_inference"):
        assert found[key].value >= 0
    with pytest.raises(KeyError):
        found["sse_sst"]


def test_rows_that_are_not_the_same(table, result):
    """Tables of different lengths cannot be the same rows; a part can be paired by a key."""
    some = result.data.slice(0, 100)
    with pytest.raises(library.InputError, match="120 and 100"):
        library.measure(table, some, quasi_identifiers=QUASI, rows="same")
    found = library.measure(table, some, quasi_identifiers=QUASI, key="id")
    assert found.paired == 100
    assert any("100 of 120 originals" in note for note in found.notes)
    assert found["discernibility"].value > 20 * 120, "who was left out counts as all"


def test_files_without_anything_kept(table, result, tmp_path):
    """Rows in the same order are recognized by their values, shuffled ones are not taken for it."""
    before, after = table.select(QUASI), result.data.select(QUASI)
    pc.write_csv(before, tmp_path / "a.csv")
    pc.write_csv(after, tmp_path / "b.csv")
    pc.write_csv(after.take(np.random.default_rng(1).permutation(120)), tmp_path / "c.csv")
    assert library.measure(tmp_path / "a.csv", tmp_path / "b.csv").paired == 120
    assert library.measure(tmp_path / "a.csv", tmp_path / "c.csv").paired == 0
    words = pa.table({"a": ["p", "q", "r"] * 40})
    pc.write_csv(words, tmp_path / "d.csv")
    pc.write_csv(pa.table({"a": ["p", "q", "q"] * 40}), tmp_path / "e.csv")
    assert library.measure(tmp_path / "d.csv", tmp_path / "e.csv").paired == 120


def test_quasi_identifiers_are_what_changed(table, result):
    """Columns whose values changed are measured; where none did, they must be named."""
    assert library.measure(table, result.data).quasi_identifiers == tuple(QUASI)
    with pytest.raises(library.RequestError, match="name the quasi-identifiers"):
        library.measure(table, table)
    same = library.measure(table, table, quasi_identifiers=[*QUASI, "c"])
    assert same["sse_sst"].value == 0
    assert same["contingency"].value == 0
    assert "iloss" not in same.utility, "nothing is generalized"


def test_wrong_names(table, result):
    """A column that is not there, or has two roles, is an error with a hint."""
    with pytest.raises(library.RequestError, match="has no column 'aa'"):
        library.measure(table, result.data, quasi_identifiers=["aa"])
    with pytest.raises(library.RequestError, match="as quasi-identifier and as sensitive"):
        library.measure(table, result.data, quasi_identifiers=["a"], sensitive=["a"])
    with pytest.raises(library.InputError, match="no column in common"):
        library.measure(table.select(["a"]), result.data.select(["b"]))
    with pytest.raises(library.RequestError, match="rows must be"):
        library.measure(table, result.data, rows="maybe")
    with pytest.raises(library.RequestError, match="sample"):
        library.measure(table, result.data, sample=0)


def test_weights(table, result):
    """Survey weights make a population of the sample; wrong ones are refused."""
    heavy = table.append_column("w", pa.array([10.0] * 120))
    found = library.measure(heavy, result.data, quasi_identifiers=QUASI, weight="w")
    plain = library.measure(table, result.data, quasi_identifiers=QUASI)
    assert "journalist" not in plain.risk
    assert found["journalist"].value < plain["prosecutor"].value / 5
    assert found["marketer"].value < plain["marketer"].value / 5
    assert found["population_uniques"].value == 0
    assert found["means"].value == pytest.approx(plain["means"].value)
    uneven = table.append_column("w", pa.array(np.arange(1.0, 121.0)))
    other = library.measure(uneven, result.data, quasi_identifiers=QUASI, weight="w")
    w, x = np.arange(1.0, 121.0), np.asarray(table["a"])
    assert other.columns[0].mean_before == pytest.approx(np.average(x, weights=w))
    for bad, words in ((-1.0, "above 0"), (float("nan"), "missing cells")):
        wrong = table.append_column("w", pa.array([bad] * 120))
        with pytest.raises(library.InputError, match=words):
            library.measure(wrong, result.data, quasi_identifiers=QUASI, weight="w")
    with pytest.raises(library.InputError, match="weights are unknown"):
        library.measure(heavy, result.data, quasi_identifiers=QUASI, weight="w", rows="shuffled")


def test_a_weight_of_two_is_the_record_twice():
    """Weighted means and variances of whole weights are those of repeated records."""
    from shoal.measures.utility.distributions import moments, weighted_moments

    x, w = np.array([1.0, 5.0, 7.0, 2.0]), np.array([2.0, 1.0, 3.0, 2.0])
    one = weighted_moments(x, w, 1)
    many = moments(np.sort(np.repeat(x, w.astype(int))), 1)
    assert one.mean == pytest.approx(many.mean)
    assert one.quantiles[2] == 2.0, "the least value with half of the weight up to it"
    assert weighted_moments(x, w * 0 + 1, 1).variance == pytest.approx(x.var(ddof=1))
    assert weighted_moments(np.array([np.nan]), np.ones(1), 1) is None
    assert moments(np.empty(0), 1) is None


def test_samples_say_so(table, result, measures):
    """A sample has an interval that holds the figure of all, and the same seed the same sample."""
    found = library.measure(table, result.data, quasi_identifiers=QUASI, sample=60, seed=3)
    for key in ("distance_linkage", "rank_linkage", "block_linkage", "propensity"):
        one = found[key]
        assert one.sampled in (60, 120)
        low, high = one.interval
        assert low <= one.value <= high
        assert "from a sample of" in one.spread
    assert found["distance_linkage"].interval[0] <= measures["distance_linkage"].value
    assert found["distance_linkage"].interval[1] >= measures["distance_linkage"].value
    again = library.measure(table, result.data, quasi_identifiers=QUASI, sample=60, seed=3)
    assert values(again) == values(found)
    assert measures["distance_linkage"].interval is None


def test_intervals_hold_what_they_should(table, result, measures, thorough):
    """Of a hundred samples about 95 intervals hold the figure of all records."""
    truth = measures["distance_linkage"].value
    held, samples = 0, 100 if thorough else 40
    for seed in range(samples):
        low, high = library.measure(
            table, result.data, quasi_identifiers=QUASI, sample=40, seed=seed
        )["distance_linkage"].interval
        held += low <= truth <= high
    assert held >= 0.9 * samples


def test_json_and_texts(measures):
    """JSON is plain and whole, the texts name every figure."""
    tree = json.loads(measures.to_json())
    assert tree["risk"]["prosecutor"]["value"] == 25.0
    assert set(tree["utility"]) == set(measures.utility)
    text = str(measures)
    for one in (*measures.utility.values(), *measures.risk.values()):
        assert one.title in text
        assert one.sentence in text
    assert "smallest class 4" in measures.summary()
    assert repr(measures) == "<Measures of 'a', 'b': 120 records, smallest class 4>"


def test_command(shoal, files, tmp_path):
    """The command prints tables, words or JSON, and writes a page."""
    ran = shoal("measure", *files)
    assert ran.code == 0
    assert "linked by distance" in ran.out
    ran = shoal("measure", *files, "--words", "--html", tmp_path / "m.html")
    assert "Whoever holds all original quasi-identifiers" in ran.out
    page = (tmp_path / "m.html").read_text()
    assert "Measures of a release" in page
    assert "<svg" in page
    assert "<script" not in page
    ran = shoal("measure", *files, "--html", tmp_path / "m.html")
    assert ran.code == 2, "files that exist are kept"
    ran = shoal("measure", *files, "--json", "--quasi", "a,b", "--rows", "shuffled")
    assert json.loads(ran.out)["paired"] == 0
    assert shoal("measure", *files, "--quasi", "nope").code == 2
    assert shoal("measure", files[0], tmp_path / "none.csv").code == 2
    assert shoal("measure", *files, "--hierarchies", tmp_path, "--hierarchy", "a=x").code == 2


def test_recipe_with_hierarchies(tmp_path):
    """The recipe beside a release says its hierarchies: ILoss and NCP are the report's."""
    from shoal.datasets.load import patients_recipe
    from shoal.pipeline.anonymize import anonymize_with
    from shoal.settings import load

    recipe = patients_recipe()
    made = anonymize_with(recipe.with_name("patients.csv"), load(recipe), folder=recipe.parent)
    made.save(tmp_path / "out", keep_order=True)
    told = json.loads((tmp_path / "out.private" / "report.json").read_text())
    found = library.measure(
        recipe.with_name("patients.csv"), tmp_path / "out" / "release.csv", rows="same"
    )
    assert found["iloss"].value == pytest.approx(told["costs"]["iloss_rate"])
    assert found["ncp"].value == pytest.approx(told["measures"]["utility"]["ncp"]["value"])
    assert found["discernibility"].value == told["costs"]["discernibility"]
    for part in ("utility", "risk"):
        mine = {key: one.value for key, one in getattr(found, part).items()}
        theirs = {key: one["value"] for key, one in told["measures"][part].items()}
        assert set(mine) - ON_REQUEST == set(theirs)
        for key in set(theirs) - {"model_inference", "regression", "classification"}:
            assert mine[key] == pytest.approx(theirs[key], rel=1e-6), key
    unpaired = library.measure(
        recipe.with_name("patients.csv"), tmp_path / "out" / "release.csv", rows="shuffled"
    )
    assert unpaired["iloss"].value == pytest.approx(told["costs"]["iloss_rate"])
    assert "ncp" not in unpaired.utility  # what a mean leaves open takes pairs


def test_figures_do_not_give_suppressed_cells_away():
    """Of cells that are suppressed nothing can be told from means, quantiles or correlations."""
    a = [1, 2, 3, None, 100, 5, 6, 7]
    found = []
    for secret in (100, 90_000):
        values_ = [secret if v == 100 else v for v in a]
        table = pa.table({"a": pa.array(values_, type=pa.int64()), "b": list("ppppqqqq")})
        group = pa.array([0, 0, 0, 1, 1, 2, 2, 2])
        release = pa.table({"a": ["2", "2", "2", "*", "*", "6", "6", "6"], "b": group})
        measures = library.measure(table, release, quasi_identifiers=["a"], rows="same")
        found.append([column.mean_before for column in measures.columns]
                     + [column.variance_before for column in measures.columns]
                     + [q for column in measures.columns for q in column.quantiles_before]
                     + [measures["distributions"].value])  # fmt: skip
    assert found[0] == found[1]


def part_of(ids, rows=60):
    """Numbers in classes of their tens, and a release of which some records have other names."""
    values = np.random.default_rng(0).integers(0, 100, rows)
    before = pa.table({"id": np.arange(rows), "q": values})
    after = pa.table({"id": ids(np.arange(rows), values), "q": values // 20 * 20 + 10})
    return before, after


def test_released_records_of_nobody_known():
    """A class of which nobody is known is there still: who looks for others may take it."""
    before, after = part_of(lambda ids, values: np.where(values // 20 == 1, ids + 1000, ids))
    found = library.measure(before, after, quasi_identifiers=["q"], key="id")
    values, released = (t["q"].to_numpy() for t in (before, after))
    apart = np.abs(values[:, None] - released[None, :])
    near = apart == apart.min(axis=1, keepdims=True)
    chances = np.where(near.diagonal(), 1 / near.sum(axis=1), 0)[values // 20 != 1]
    assert found["distance_linkage"].value == pytest.approx(100 * chances.mean())
    assert found.paired == chances.size


def test_more_released_records_than_originals():
    """With a second record like each, half as many are linked."""
    before, after = part_of(lambda ids, _: ids)
    twice = pa.concat_tables([after, after.set_column(0, "id", pa.array(np.arange(60) + 1000))])
    once = library.measure(before, after, quasi_identifiers=["q"], key="id")
    found = library.measure(before, twice, quasi_identifiers=["q"], key="id")
    for key in ("distance_linkage", "block_linkage"):
        assert found[key].value == pytest.approx(once[key].value / 2)
    assert "dominance" not in found.risk, "of no class all members are known"


def written(folder, *tables):
    """Tables as csv files."""
    files = [folder / f"{number}.csv" for number in range(len(tables))]
    for table, file in zip(tables, files, strict=True):
        pc.write_csv(table, file)
    return files


def test_few_shuffled_records():
    """Kept columns that contradict the order of the rows are believed, in the smallest tables."""
    before = pa.table({"id": [1, 2, 3, 4], "q": [10, 20, 30, 40]})
    after = pa.table({"id": [3, 1, 4, 2], "q": [35, 15, 35, 15]})
    found = library.measure(before, after, quasi_identifiers=["q"])
    assert "paired by what was kept" in found.notes[0]
    assert found["sse_sst"].value == pytest.approx(100 * 4 * 25 / 500)
    alike = pa.table({"id": [1, 1, 2, 2], "q": [10, 20, 30, 40]})
    assert library.measure(alike, alike.take([2, 3, 0, 1]), quasi_identifiers=["q"]).paired == 0


def test_long_numbers_name_records():
    """Numbers beyond what a float holds are compared exactly, unsigned ones too."""
    for first in (2**60, np.uint64(2**63)):
        ids = np.arange(60).astype(np.array(first).dtype) + first
        before, after = part_of(lambda *_, ids=ids: ids)
        before = before.set_column(0, "id", pa.array(ids))
        assert library.measure(before, after, quasi_identifiers=["q"], key="id").paired == 60
        moved = after.set_column(0, "id", pa.array(ids + ids.dtype.type(1)))
        assert library.measure(before, moved).quasi_identifiers == ("id", "q")


def test_times_in_other_units_are_the_same():
    """A column of times that is kept is kept, in whatever unit a file holds it."""
    before, after = part_of(lambda ids, _: ids)
    times = pa.array(np.arange(60) * 86_401, pa.timestamp("s"))
    before, after = (
        before.append_column("t", times),
        after.append_column("t", times.cast(pa.timestamp("us"))),
    )
    assert library.measure(before, after).quasi_identifiers == ("q",)


def test_missing_keys_name_nobody():
    """Two records whose key is missing are not the same person's."""
    before, after = part_of(lambda ids, _: ids)
    gone = [pa.array([None if i == at else i for i in range(60)]) for at in (5, 7)]
    before, after = before.set_column(0, "id", gone[0]), after.set_column(0, "id", gone[1])
    assert library.measure(before, after, quasi_identifiers=["q"], key="id").paired == 58


def test_files_that_are_sorted_each_for_itself(tmp_path):
    """Rows that agree because both files were sorted are nobody's pairs, whatever goes with it."""
    rng = np.random.default_rng(0)
    tables = []
    for _ in range(2):
        x = np.sort(rng.normal(size=300))
        word = np.where(x > 0, "high", "low")
        tables.append(pa.table({"x": x, "y": x + rng.normal(size=300), "w": word}))
    assert library.measure(*written(tmp_path, *tables)).paired == 0
    noise = rng.normal(size=300) / 10
    kept = [pa.table({"y": tables[0]["y"].to_numpy() + part}) for part in (0, noise)]
    assert library.measure(*written(tmp_path, *kept)).paired == 300, "beyond the sorting"


def test_swapped_values_pair_nobody():
    """A column whose values were swapped among the records looks kept, but tells nobody."""
    rng = np.random.default_rng(0)
    age, income = rng.integers(0, 90, 200), rng.normal(size=200)
    before = pa.table({"age": age, "income": income})
    after = pa.table({"age": age + rng.integers(-3, 4, 200), "income": rng.permutation(income)})
    assert library.measure(before, after).paired == 0
    order = rng.permutation(200)
    shuffled = pa.table({"age": age + 1, "income": income}).take(order)
    assert library.measure(before, shuffled)["sse_sst"].by["age"] < 1, "these are pairs"


def test_words_that_nobody_explained_are_seen_in_pairs():
    """What an unknown word covers is known from the pairs, however the rows are ordered."""
    rng = np.random.default_rng(0)
    words = rng.choice(list("abcdef"), 60)
    before = pa.table({"id": np.arange(60), "w": words})
    after = pa.table({"id": np.arange(60), "w": np.where(words < "d", "A", "D")})
    options = {"quasi_identifiers": ["w"]}
    same = library.measure(before, after, rows="same", **options)
    assert same["iloss"].value == pytest.approx(50)
    found = library.measure(before, after.take(rng.permutation(60)), key="id", **options)
    for key in ("iloss", "ncp", "distance_linkage", "contingency", "propensity"):
        assert found[key].value == pytest.approx(same[key].value), key
    part = library.measure(before, after.slice(0, 59), key="id", **options)
    assert part["iloss"].value == pytest.approx((50 * 59 + 100) / 60), "who is left out lost all"
    more = pa.concat_tables([after, pa.table({"id": [99], "w": ["A"]})])
    assert any("nobody knows" in note for note in library.measure(
        before, more, key="id", **options).notes)  # fmt: skip


def test_pairs_of_columns_that_read_alike():
    """Names that hold the sign between two names hide no figure."""
    rng = np.random.default_rng(0)
    x, y, z, w = rng.normal(size=(4, 50))
    before = pa.table({"a": x, "b × c": x + z / 9, "a × b": y, "c": w})
    after = pa.table({"a": x, "b × c": z, "a × b": y, "c": w + z / 9})
    found = library.measure(before, after, rows="same", quasi_identifiers=before.column_names)
    worst = max(abs(pair["after"] - pair["before"]) for pair in found.pairs)
    assert found["correlations"].value == worst


def test_a_sample_is_one_of_both_sides():
    """Models of the release and of the original learn from as many records, whatever is sampled."""
    rng = np.random.default_rng(0)
    a = rng.normal(size=2000)
    before = pa.table({"a": a, "b": a + rng.normal(size=2000) / 2})
    after = before.take(rng.permutation(2000))
    for sample in (20, 40):
        found = library.measure(before, after, rows="shuffled", sample=sample,
                                quasi_identifiers=["a", "b"])  # fmt: skip
        assert found["regression"].value == pytest.approx(100, abs=15)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"seed": -1}, "seed must not be negative"), ({"sample": -1}, "at least 1"),
        ({"key": []}, "key names no column"), ({"quasi_identifiers": ["q", "q"]}, "named twice"),
        ({"sensitive": ["id", "id"]}, "named twice"), ({"key": "n"}, "not supported"),
        ({"weight": 3}, "weight must be"), ({"hierarchies": 3}, "hierarchies must be"),
    ],
)  # fmt: skip
def test_requests_that_mean_nothing(options, reason):
    """What makes no sense is refused in words."""
    before, after = (t.append_column("n", pa.array([[1]] * 60)) for t in part_of(lambda i, _: i))
    with pytest.raises(library.ShoalError, match=reason):
        library.measure(before, after, **{"quasi_identifiers": ["q"], **options})


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
@pytest.mark.parametrize("size", [1e-320, 1e-160, 1e-80, 1.0, 1e80, 1e170, 1e307])
@pytest.mark.parametrize("other", [1e-320, 1e-80, 1e80, 1e307])
@pytest.mark.parametrize("ranges", [False, True])
def test_numbers_of_any_size(size, other, ranges):
    """Whatever floats hold, before and after, JSON can hold the figures."""
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=20) * size, rng.normal(size=20) * other
    texts = [f"[{value!r},{value + abs(value) / 2!r}]" for value in y.tolist()]
    before = pa.table({"x": x, "z": rng.normal(size=20)})
    after = pa.table({"x": texts if ranges else y, "z": rng.normal(size=20)})
    found = library.measure(before, after, quasi_identifiers=["x", "z"], rows="same")
    assert json.loads(found.to_json())["risk"]["prosecutor"]["value"] == 100


@pytest.mark.parametrize("size", [1e-200, 1.0, 1e200])
def test_ranges_do_not_depend_on_the_unit(size):
    """Ranges of numbers of any size have the same figures."""
    before = pa.table({"x": np.array([1, 2, 5, 8]) * size})
    ends = [(1, 2), (1, 2), (5, 8), (5, 8)]
    after = pa.table({"x": [f"[{low * size!r},{high * size!r}]" for low, high in ends]})
    found = library.measure(before, after, quasi_identifiers=["x"], rows="same")
    assert found["ncp"].value == pytest.approx(100 * (1 + 3) / 2 / 7)
    assert found["sse_sst"].value == pytest.approx(100 * (2 * 0.25 + 2 * 2.25) / 30)
    assert found["known_members"].value == 100


@pytest.mark.parametrize("seed", range(5))
def test_ranges_and_quantiles_tell_no_third_value(seed):
    """Where a range names two of three values, no figure is the mean of these three."""
    x = np.round(np.random.default_rng(seed).normal(50, 10, 31), 2)
    made = library.anonymize(pa.table({"x": x}), k=3, aggregate="range", seed=seed,
                             intervals="text")  # fmt: skip
    (told,) = made.report.measures["columns"]
    labels = made.data["x"].to_pylist()
    for label in {one for one in labels if labels.count(one) == 3}:
        low, high = map(float, label[1:-1].split(","))
        for figure in (told["mean_before"], *told["quantiles_before"]):
            assert not np.isclose(x, 3 * figure - low - high, atol=1e-9).any()


def test_reports_have_no_moments_of_few_ranges():
    """Of a single class of three the mean would tell the value between the ends of its range."""
    table = pa.table({"x": [1.5, 2.25, 4.0], "y": [3.0, 1.0, 2.0]})
    made = library.anonymize(table, k=3, aggregate="range").report.measures
    assert made["columns"] == made["pairs"] == []
    assert not {"means", "variances", "quantiles", "correlations"} & set(made["utility"])
    means = library.anonymize(table, k=3, aggregate="mean").report.measures
    assert len(means["columns"]) == 2, "these are released"
    assert "sse_sst" not in made["utility"], "it would tell the value, too"


@pytest.mark.parametrize("sample", [50, 200, 1000])
def test_propensity_of_a_sample(sample):
    """What chance alone shows in a small sample is inside its interval's reach."""
    rng = np.random.default_rng(0)
    tables = [pa.table({name: rng.normal(size=3000) for name in "abcd"}) for _ in range(2)]
    options = {"rows": "shuffled", "quasi_identifiers": list("abcd")}
    whole = library.measure(*tables, **options)["propensity"].value
    low, high = library.measure(*tables, sample=sample, **options)["propensity"].interval
    assert low <= whole <= high


def test_unsigned_numbers_that_are_all_missing():
    """A column of unsigned numbers without any is measured and released as any empty one."""
    table = pa.table({"u": pa.array([None] * 20, pa.uint64()), "q": np.arange(20)})
    made = library.anonymize(table, k=5, quasi_identifiers=["u", "q"], allow_empty=True)
    assert made.data["u"].null_count == 20 or set(made.data["u"].to_pylist()) == {"*"}
    for asked in (["q"], ["u", "q"]):
        after = pa.table({"u": table["u"], "q": np.arange(20) // 5})
        assert library.measure(table, after, quasi_identifiers=asked).k == 5
