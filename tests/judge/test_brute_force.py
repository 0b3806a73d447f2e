"""The judge against brute force: every reading, every model, every kind of file."""

from __future__ import annotations

import csv
import io
import math
import random
from functools import partial

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import shoal
from naive import judging
from shoal.judge.classes import READINGS

TREE = [
    ("u", "U", "X", "*"), ("v", "U", "X", "*"), ("w", "W", "X", "*"),
    ("x", "x", "Y", "*"), ("y", "Y1", "Y", "*"),
]  # fmt: skip
ORDER = ["w", "u", "y", "v", "x"]
QUASI = ["p", "q"]
KINDS = ["text", "number", "tree", "order"]


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A file with a tree of five values."""
    path = tmp_path_factory.mktemp("tree") / "tree.csv"
    path.write_text("".join(";".join(line) + "\n" for line in TREE))
    return path


def random_table(rng, kind, as_csv):
    """Up to twelve records: quasi-identifiers with stars, and one sensitive cell."""
    stars = ["*", ""] if as_csv else ["*", "", None]
    cells = ["a", "b", "a", "b", *stars]
    sensitive = ["u", "v", "w", "x", "y"][: rng.randint(1, 5)]
    if kind == "number":
        sensitive = [1, 2, 10, 30]
    missing = [None] if kind == "number" else ["", "*", None]
    sensitive = sensitive * 3 + missing
    return [
        (rng.choice(cells), rng.choice(cells), rng.choice(sensitive))
        for _ in range(rng.randint(1, 12))
    ]


def given(rng, records, form, path):
    """The table as a csv file, a Parquet file or a dataframe."""
    if form == "csv":
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["p", "q", "s"])
        for *cells, value in records:
            if isinstance(value, int):
                forms = [f"{value}", f"{value}.0", f"{value}e0", f" +{value}"]
                writer.writerow([*cells, rng.choice(forms)])
            else:
                writer.writerow([*cells, value])
        target = path / "t.csv"
        target.write_text(text.getvalue())
        return target
    table = pa.table({name: [r[i] for r in records] for i, name in enumerate("pqs")})
    if form == "frame":
        return table
    target = path / "t.parquet"
    pq.write_table(table, target)
    return target


def twin(records, reading, k, wanted, l_kind, c, t, alpha, distance, k_of, missing_sensitive):
    """Everything that verify should find, by brute force."""
    keys = [record[:2] for record in records]
    values = [None if judging.is_star(r[2]) else r[2] for r in records]
    both = missing_sensitive == "value"
    sets = judging.candidates(keys, reading)
    groups = judging.classes(keys)
    narrow = judging.candidates([key[:1] for key in keys], reading)
    every = [[values[i] for i in sets[group[0]]] for group in groups]
    there = [[v for v in part if v is not None] for part in every]
    having = every if both else there
    found = {
        "distinct": [len(set(part)) for part in having],
        "entropy": [judging.entropy(part) for part in having],
        "recursive": [judging.recursive(part, wanted) for part in having],
    }[l_kind]
    holds = {
        "distinct": [x >= wanted for x in found],
        "entropy": [judging.has_entropy(part, wanted) for part in having],
        "recursive": [x < (c or 0) for x in found],
    }[l_kind]
    apart = [distance(part, values) for part in every]
    largest = [max((judging.share(part, v) for v in part), default=0) for part in having]
    bad = [
        [len(sets[g[0]]) < k, not l_good, float(a) > t, float(most) > alpha,
         len(narrow[g[0]]) < k_of]
        for g, l_good, a, most in zip(groups, holds, apart, largest, strict=True)
    ]  # fmt: skip
    worst = min if l_kind != "recursive" else max
    return {
        "k": min(map(len, sets)),
        "classes": len(groups),
        "readings": {r: min(map(len, judging.candidates(keys, r))) for r in READINGS},
        "found": [worst(found), max(apart), max(largest), min(map(len, narrow))],
        "certain": sum(
            min(len(g), len(part))
            for g, part in zip(groups, there, strict=True) if len(set(part)) == 1
        ) / len(records),
        "posterior": [
            max(judging.worst_posterior(part, m) for part in having) for m in range(wanted - 1)
        ],
        "offending": [
            (number, len(g), g[0] + 1, sum(b))
            for number, (g, b) in enumerate(zip(groups, bad, strict=True), 1)
            if any(b)
        ],
        "failing": [sum(b[i] for b in bad) for i in range(4)],
        "records": [
            sum(len(g) for g, b in zip(groups, bad, strict=True) if b[i]) for i in range(5)
        ],
    }  # fmt: skip


def compare(found, wanted):
    """Assert that a Verification has what the twin says."""
    assert (found.k, found.classes) == (wanted["k"], wanted["classes"])
    assert found.readings == wanted["readings"]
    seen = [*(model.found for model in found.models), found.k_of[0].found]
    assert seen == pytest.approx([float(x) for x in wanted["found"]], rel=1e-12)
    assert found.models[0].certain == pytest.approx(wanted["certain"])
    assert found.models[0].posterior == pytest.approx([float(x) for x in wanted["posterior"]])
    offending = [(o.number, o.size, o.first_record, len(o.breaks)) for o in found.offending]
    assert offending == wanted["offending"]
    assert found.offending_count == len(offending)
    assert [model.classes for model in found.models] == wanted["failing"][1:]
    records = [model.records for model in found.models]
    assert [*records, found.k_of[0].records] == wanted["records"][1:]
    assert found.ok == (not offending)
    assert [model.ok for model in found.models] == [not n for n in wanted["failing"][1:]]


def question(rng, kind, tree):
    """What is asked, for verify and for the twin."""
    l_kind = rng.choice(["distinct", "entropy", "recursive"])
    c = rng.choice([0.5, 1, 2]) if l_kind == "recursive" else None
    asked = {
        "k": rng.randint(1, 4), "t": rng.choice([0, 0.2, 0.25, 0.5]),
        "alpha": rng.choice([0.3, 0.5, 1]), "l_kind": l_kind, "c": c,
        "missing_sensitive": rng.choice(["ignored", "ignored", "value"]),
    }  # fmt: skip
    wanted, own = rng.randint(1, 4), rng.randint(1, 6)
    options = {**asked, "l": wanted, "k_of": {("p",): own}, "sensitive": ["s"]}
    distance = judging.equal_distance
    if kind == "number":
        distance = judging.ordered_distance
    elif kind == "tree":
        options["hierarchies"] = {"s": tree}
        distance = partial(judging.hierarchical_distance, lines=TREE)
    elif kind == "order":
        options["orders"] = {"s": ORDER}
        distance = _by_order
    return options, {**asked, "wanted": wanted, "k_of": own, "distance": distance}


def _by_order(part, whole):
    ranks = {**{word: i for i, word in enumerate(ORDER)}, None: None}
    return judging.ordered_distance([ranks[v] for v in part], [ranks[v] for v in whole])


@pytest.mark.parametrize("reading", READINGS)
def test_equals_brute_force(tmp_path, tree, reading, thorough):
    """On many random tables all that is found is what brute force finds."""
    rng = random.Random(READINGS.index(reading))
    for trial in range(2000 if thorough else 6):
        form = ("csv", "frame", "parquet")[trial % 3]
        kind = KINDS[trial % 4]
        records = random_table(rng, kind, form == "csv")
        options, asked = question(rng, kind, tree)
        data = given(rng, records, form, tmp_path)
        found = shoal.verify(data, quasi_identifiers=QUASI, missing_as=reading, **options)
        compare(found, twin(records, reading, **asked))


def test_columns_judged_apart_and_together(write):
    """Numbers by column are asked of those columns only; one number is asked of all."""
    path = write("t.csv", "a,s,r\n1,x,p\n1,y,p\n2,x,p\n2,y,q\n")
    ask = partial(shoal.verify, path, k=2, quasi_identifiers=["a"], sensitive=["s", "r"])
    assert ask(l={"s": 2}).ok
    both = ask(l=2)
    assert [(m.column, m.ok) for m in both.models] == [("s", True), ("r", False)]
    assert both.problems == ("1 classes with 2 records break distinct l-diversity of 'r'",)
    with pytest.raises(shoal.RequestError, match="which is no sensitive column"):
        ask(l={"a": 2})


def test_what_cannot_be_met(write):
    """Where even the whole file as one class breaks a rule, the problem says so."""
    path = write("t.csv", "a,s\n1,x\n1,y\n2,x\n2,x\n")
    ask = partial(shoal.verify, path, quasi_identifiers=["a"], sensitive=["s"])
    never = "it cannot be met at all"
    assert never in ask(k=2, l=3).problems[0]
    assert never not in ask(k=2, l=2).problems[0]
    assert never in ask(k=5).problems[0]
    assert never not in ask(k=3).problems[0]
    assert never in ask(k=2, alpha=0.7).problems[0]
    assert never not in ask(k=2, alpha=0.75).problems[0]
    assert never in ask(k=2, k_of={("a",): 5}).problems[0]
    assert never not in ask(k=2, t=0).problems[0]


def test_constant_sensitive_column(write):
    """A sensitive column with one value is l = 1 and t = 0; with none it is l = 0."""
    for value, least in (("x", 1), ("1", 1), ("2026-01-01", 1), ("", 0)):
        path = write("t.csv", "a,s\n" + f"1,{value}\n" * 3 + f"2,{value}\n" * 2)
        found = shoal.verify(path, k=2, quasi_identifiers=["a"], sensitive=["s"], l=2, t=0)
        assert [model.found for model in found.models] == [least, 0]
        assert found.models[0].certain == least
        assert found.models[1].ok


def test_which_distance(write):
    """Numbers and ISO dates are ordered, other texts equally far apart, unless somebody says."""
    cells = {
        "equal": [("x", "y", "z"), ("1", "2", "x"), ("2026-01-01", "2026-01-02", "later"),
                  ("2026-01-01T00:00", "2026-01-01T00:00Z", "2026-01-02")],
        "ordered": [("1", "2.5", "-3e2"), ("", "*", "7"), ("2026-01-01", "2026-01-02 10:00", "")],
    }  # fmt: skip
    for name, every in cells.items():
        for values in every:
            path = write("t.csv", "a,s\n" + "".join(f"1,{value}\n" for value in values))
            found = shoal.verify(path, k=1, quasi_identifiers=["a"], sensitive=["s"], t=0.5)
            assert found.models[0].distance == name
    path = write("t.csv", "a,s\n1,0123\n1,0124\n2,0200\n2,9\n")
    ask = partial(shoal.verify, path, k=1, quasi_identifiers=["a"], sensitive=["s"], t=1)
    found = ask(hierarchies={"s": "prefixes:3,2"})
    assert found.models[0].distance == "hierarchical"
    # half of all moves within 012*, a third of the way up, a quarter each to the root
    assert found.models[0].found == pytest.approx(0.5)
    with pytest.raises(shoal.RequestError, match="say prefixes:3,2"):
        ask(hierarchies={"s": "prefixes:2,3"})
    with pytest.raises(shoal.InputError, match=r"FILE\.csv or prefixes"):
        ask(hierarchies={"s": "widths:5"})


def test_numbers_of_csv_are_one_value(write):
    """1, 1.0 and 1e0 are one sensitive value, and three quasi-identifiers."""
    path = write("t.csv", "a,s\nx,1\nx,1.0\nx,1e0\n")
    found = shoal.verify(path, k=3, quasi_identifiers=["a"], sensitive=["s"], l=2, alpha=0.5)
    assert [model.found for model in found.models] == [1, 1]
    assert shoal.verify(path, k=1, quasi_identifiers=["s"]).classes == 3


@pytest.mark.parametrize("what", ["hierarchies", "orders"])
def test_values_that_are_not_listed(write, what):
    """Values that a tree or an order lacks are counted in an error, not shown."""
    path = write("t.csv", "a,s\n1,u\n1,secret\n1,\n1,hidden\n")
    tree = write("tree.csv", "u;U;*\nv;U;*\n")
    said = {"hierarchies": {"s": tree}, "orders": {"s": ["u", "v"]}}[what]
    with pytest.raises(shoal.InputError, match="lacks 2 of its 3 values") as error:
        shoal.verify(path, k=1, quasi_identifiers=["a"], sensitive=["s"], t=0.5, **{what: said})
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("u;*\nu\n", "every line must be"),
        ("u;U\nv;U\n", "every line must be"),
        ("u;U;*\nu;V;*\n", "path 2 has two parents"),
        (b"\xff;*\n", "UTF-8"),
        ("", "every line must be"),
    ],
)
def test_broken_trees(write, content, message):
    """A file that is no tree is an error in words."""
    path = write("t.csv", "a,s\n1,u\n")
    tree = write("tree.csv", content)
    with pytest.raises(shoal.InputError, match=message):
        shoal.verify(path, k=1, quasi_identifiers=["a"], sensitive=["s"], hierarchies={"s": tree})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"l": 2}, "name at least one"),
        ({"sensitive": ["s"], "c": 2}, "say l too"),
        ({"sensitive": ["s"], "l": 2, "l_kind": "recursive"}, "needs c"),
        ({"sensitive": ["s"], "t": 2}, "between 0 and 1"),
        ({"sensitive": ["a"]}, "quasi-identifier and as sensitive"),
        ({"sensitive": ["s", "s"]}, "named twice"),
        ({"sensitive": ["r"]}, "there is no column 'r'"),
        ({"k_of": {"b": 2}}, "which is no quasi-identifier"),
        ({"k_of": {("a",): 0}}, "k_of must be"),
        ({"orders": {"z": ["1"]}}, "neither a sensitive column nor"),
    ],
)
def test_wrong_questions(write, options, message):
    """A question that makes no sense is an error."""
    path = write("t.csv", "a,s\n1,u\n")
    with pytest.raises(shoal.ShoalError, match=message):
        shoal.verify(path, k=1, quasi_identifiers=["a"], **options)


def test_sizes_and_caps(write):
    """Sizes are summed up in 20 rows; all classes that break something are listed, 10 in words."""
    path = write("t.csv", "a\n" + "".join(f"{i}\n" * (i + 1) for i in range(30)))
    found = shoal.verify(path, k=1, quasi_identifiers=["a"])
    assert (found.sizes.least, found.sizes.median, found.sizes.largest) == (1, 15.5, 30)
    assert found.sizes.table == (*((size, 1) for size in range(1, 20)), ("and more", 11))
    path = write("t.csv", "a\n" + "".join(f"v{i}\n" for i in range(2500)))
    found = shoal.verify(path, k=2, quasi_identifiers=["a"])
    assert len(found.offending) == found.offending_count == 2500
    assert [one.number for one in found.offending] == list(range(1, 2501))
    assert found.summary().count("breaks k") == 10
    assert "and 2490 classes more" in found.summary()


def test_plain_values_only(write):
    """What goes into JSON has no infinite numbers, no tuples and no sets."""
    path = write("t.csv", "a,s\n1,x\n1,x\n")
    found = shoal.verify(
        path, k=1, quasi_identifiers=["a"], sensitive=["s"], l=2, l_kind="recursive", c=2
    )
    assert math.isinf(found.models[0].found)

    def plain(value):
        if isinstance(value, dict):
            return all(isinstance(key, str) and plain(item) for key, item in value.items())
        if isinstance(value, list):
            return all(map(plain, value))
        return value is None or (
            type(value) in (int, str, bool) or (type(value) is float and math.isfinite(value))
        )

    assert plain(found.to_dict())
    assert found.to_dict()["models"][0]["found"] is None


def shuffled(table, seed):
    """The same records in another order."""
    order = list(range(table.num_rows))
    random.Random(seed).shuffle(order)
    return table.take(order)


def said(found):
    """All that is found, except the numbers of classes, and what read a file."""
    plain = found.to_dict()
    plain.pop("reader", None)
    plain["offending"] = sorted((o["size"], o["breaks"]) for o in plain["offending"])
    return plain


def test_what_changes_nothing(tmp_path, thorough):
    """A constant column, the order of rows, unused categories: all is found alike."""
    rng = random.Random(5)
    for trial in range(20 if thorough else 2):
        records = random_table(rng, "text", False)
        table = pa.table({name: [r[i] for r in records] for i, name in enumerate("pqs")})
        options = {"k": 2, "sensitive": ["s"], "l": 2, "t": 0.3, "alpha": 0.7}
        plain = said(shoal.verify(table, quasi_identifiers=QUASI, **options))
        wide = table.append_column("constant", pa.array(["c"] * table.num_rows))
        pandas = table.to_pandas()
        categories = pandas.astype(
            {
                "p": pd.CategoricalDtype(["a", "b", "", "*", "unused"]),
                "s": pd.CategoricalDtype(["unused", *"uvwxy", "", "*"]),
            }
        )
        polars = pl.DataFrame(
            {
                name: pl.Series(
                    table[name].to_pylist(), dtype=pl.Enum(["never", *"abuvwxy", "", "*"])
                )
                for name in "pqs"
            }
        )
        coded = table.set_column(
            2,
            "s",
            pa.DictionaryArray.from_arrays(
                pa.array(
                    [
                        None if r[2] is None else ["no", *"uvwxy", "", "*"].index(r[2])
                        for r in records
                    ],
                    pa.int8(),
                ),
                ["no", *"uvwxy", "", "*"],
            ),
        )
        same = [
            shuffled(table, trial),
            pandas,
            categories,
            polars,
            coded,
        ]
        for other in same:
            assert said(shoal.verify(other, quasi_identifiers=QUASI, **options)) == plain
        constant = shoal.verify(wide, quasi_identifiers=[*QUASI, "constant"], **options)
        assert said(constant) == plain


def test_a_stream_is_read_once(write):
    """What can be read only once is judged, and met with another release, all the same."""
    table = pa.table({"a": ["p", "p", "q", "q"], "s": ["x", "y", "x", "y"]})
    other = write("o.csv", "a,s\np,x\np,y\nq,x\nq,y\n")
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches())
    found = shoal.verify(reader, k=2, quasi_identifiers=["a"], sensitive=["s"], against=other)
    assert found.ok
    assert found.against.smallest == 2
    readers = [pa.RecordBatchReader.from_batches(table.schema, table.to_batches()) for _ in "abc"]
    found = shoal.verify(
        readers[0], k=2, quasi_identifiers=["a"], against=readers[1], original=readers[2]
    )
    assert found.ok
    assert found.against.shared.people == 4


def test_columns_of_several_kinds():
    """A column of texts and numbers is an error in words that show no value."""
    frame = pd.DataFrame({"a": [1, "secret"], "b": [1, 2]})
    with pytest.raises(shoal.InputError, match="several kinds") as error:
        shoal.verify(frame, k=1, quasi_identifiers=["a"])
    assert "secret" not in str(error.value)


def test_what_a_class_breaks_is_named():
    """A class that breaks k, a rule and several own k of columns is said to break each of them."""
    table = pa.table({"a": [1, 1, 2, 2], "b": [1, 1, 2, 2], "s": ["x", "x", "y", "z"]})
    found = shoal.verify(
        table, k=3, quasi_identifiers=["a", "b"], sensitive=["s"], l=2, k_of={"a": 3, "b": 4}
    )
    first, second = found.offending
    assert [one.number for one in found.offending] == [1, 2]
    own = tuple(one.label for one in found.k_of)
    assert len(set(own)) == 2
    assert second.breaks == ("k", *own)
    assert first.breaks == ("k", found.models[0].label, *own)
