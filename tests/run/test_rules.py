"""What is asked beyond k, from recipes and the command line to files: all see the same values."""

from __future__ import annotations

import datetime as dt
import tomllib
from collections import Counter
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import shoal as library
from naive import judging, spelling
from rules_tables import as_decimal, write_tree
from shoal.settings import build, joined_key, load, split_key
from thorough import is_thorough, spread

WAYS = ("slices", "swap", "merge")
ROWS = 40
T = 0.2


def numbers(seed=0):
    """Two quasi-identifiers."""
    rng = np.random.default_rng(seed)
    return {"a": rng.integers(0, 99, ROWS), "b": rng.integers(0, 99, ROWS)}


def drawn(words, seed=0):
    """So many values, some more frequent than others."""
    rng = np.random.default_rng(seed)
    weights = rng.random(len(words)) + 0.2
    return [words[i] for i in rng.choice(len(words), ROWS, p=weights / weights.sum())]


def written(path, cells, seed=0):
    """A csv file of two quasi-identifiers and a sensitive column."""
    rows = zip(*numbers(seed).values(), cells, strict=True)
    path.write_text("a,b,s\n" + "".join(f"{a},{b},{s}\n" for a, b, s in rows))
    return path


ROLES = {"k": 3, "quasi_identifiers": ["a", "b"], "sensitive": ["s"], "method": "mdav"}


def classes(path):
    """The sensitive cells of every released class, as they are written."""
    rows = [line.split(",", 2) for line in path.read_text().splitlines()[1:]]
    groups = judging.classes([(a, b) for a, b, _ in rows])
    return [[rows[i][2] for i in group] for group in groups], [row[2] for row in rows]


def in_order(part, whole, value):
    """The distance of what cells mean, missing ones None."""
    return judging.ordered_distance(*([value(cell) for cell in some] for some in (part, whole)))


def as_words(part, whole, value):
    """The distance of words, missing ones None."""
    return judging.equal_distance(*([value(cell) for cell in some] for some in (part, whole)))


def counted(values):
    """What l and alpha count: forms of texts, and other values, that are not missing."""
    return spelling.known(values)


def or_none(value, gone=("",)):
    return lambda cell: None if cell in gone else value(cell)


FORMS = {
    "numbers": (["1", "1.0", "2", "3.5", ""], {}, in_order, or_none(as_decimal)),
    "padded numbers": (["1", " 1", "2 ", "+5"], {}, in_order, as_decimal),
    "exponents": (["1e00001", "2e0", "3e0", "4.5e-1"], {}, in_order, as_decimal),
    "numbers as text": (["1", "1.0", "01", "2", ""], {"types": {"s": "text"}}, as_words, str),
    "declared numbers": (["007", "7", "8", "10"], {"types": {"s": "number"}}, in_order, int),
    "codes": (["007", "7", "08", "10"], {}, as_words, str),
    "NA": (["1", "2", "7", "NA"], {"missing": ["NA"]}, in_order, or_none(int, ("NA",))),
    "NA and more": (["x", "y", "", "*", "NA"], {"missing": ["NA"]}, as_words,
                    or_none(str, ("", "*", "NA"))),
    "dates": (["2020-01-01", "2020-01-05", "2021-03-04", ""], {}, in_order,
              or_none(dt.date.fromisoformat)),
    "declared dates": (["2020-01-01", "2020-01-05", "2021-03-04"], {"types": {"s": "date"}},
                       in_order, dt.date.fromisoformat),
    "padded dates": (["2020-01-01", " 2020-01-01", "2021-03-04 ", "2022-01-01"], {}, in_order,
                     lambda cell: dt.date.fromisoformat(cell.strip())),
    "moments": (["2020-01-01T10:00", "2020-01-01T10:05", "2021-03-04T00:00", ""], {}, in_order,
                or_none(dt.datetime.fromisoformat)),
    "truth": (["true", "false", ""], {}, as_words, or_none(str)),
    "TRUTH": (["TRUE", "FALSE", ""], {"types": {"s": "boolean"}}, as_words, or_none(str)),
    "padded truth": ([" true", "false", ""], {}, as_words, or_none(str.strip)),
    "words of truth": (["true", " true", "false", "FALSE"], {}, as_words, str),
    "ranks": (["lo", "mid", "hi", ""], {"orders": {"s": ["lo", "mid", "x", "hi"]}}, in_order,
              or_none(["lo", "mid", "x", "hi"].index)),
    "ranked empty": (["", "lo", "hi", "NA"],
                     {"orders": {"s": ["", "lo", "hi"]}, "missing": ["NA"]}, in_order,
                     or_none(["lo", "hi"].index, ("", "NA"))),
}  # fmt: skip


@pytest.mark.parametrize(("form", "way"), [
    pytest.param(form, way, marks=[] if (f + w) % 15 == 0 else pytest.mark.slow)
    for f, form in enumerate(FORMS) for w, way in enumerate(WAYS)
])  # fmt: skip
def test_csv_columns_of_every_form(form, way, tmp_path, thorough):
    """The written file is verified with the values that groups were made by, and by hand."""
    words, said, distance, value = FORMS[form]
    for seed in range(4 if thorough else 1):
        source = written(tmp_path / "in.csv", drawn(words, seed), seed)
        for asked in ({"t": T}, {"l": 2, "alpha": 0.8}):
            options = said if "t" in asked else {**said, "orders": {}}
            counts = Counter(counted(map(value, classes(source)[1])))
            if "l" in asked and max(counts.values()) > 0.8 * sum(counts.values()):
                with pytest.raises(library.PrivacyError, match="cannot be met"):
                    library.anonymize(source, **ROLES, **options, **asked, enforce=way)
                continue
            found = library.anonymize(source, **ROLES, **options, **asked, enforce=way)
            folder = tmp_path / f"{seed}{len(asked)}"
            path = found.save(folder, report=False, force=True)
            found.save(folder, format="parquet", report=False, force=True)
            parts, whole = classes(path)
            for part in parts:
                if "t" in asked:
                    assert float(distance(part, whole, value)) <= T
                else:
                    counts = Counter(counted(map(value, part)))
                    assert len(counts) >= 2
                    assert max(counts.values()) / sum(counts.values()) <= 0.8


def holed(values, seed=0):
    """The values, a fifth of them missing."""
    rng = np.random.default_rng(seed)
    return [None if rng.random() < 0.2 else value for value in values]


def frames(values):
    """The table by three libraries."""
    table = pa.table({**{name: pa.array(v) for name, v in numbers().items()}, "s": values})
    return {"arrow": table, "pandas": table.to_pandas(), "polars": pl.from_arrow(table)}


TYPED = {
    "truth": pa.array(holed(drawn([True, False]))),
    "integers": pa.array(holed(drawn([1, 2, 5]))),
    "floats": pa.array(holed(drawn([1.5, 2.25, float("nan"), -0.0, 0.0]))),
    "short floats": pa.array(holed(drawn([1.5, 0.1, -0.0, 0.0])), pa.float32()),
    "texts": pa.array(holed(drawn(["a", "", "*", "b"]))),
    "categories": pa.array(holed(drawn(["a", "", "*", "b"]))).dictionary_encode(),
    "numbers as text": pa.array(holed(drawn(["1", "1.0", "01", "2"]))),
    "dates": pa.array(holed(drawn([dt.date(2020, 1, 1), dt.date(2021, 1, 1)]))),
    "moments": pa.array(holed(drawn([dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1, 3)]))),
    "nanoseconds": pa.array(holed(drawn([1, 2, 3, 1000, 5000])), pa.timestamp("ns")),
    "zoned": pa.array(holed(drawn([1, 2, 3, 10**9])), pa.timestamp("s", tz="Europe/Vienna")),
}  # fmt: skip


@pytest.mark.parametrize("way", spread(WAYS, 1))
@pytest.mark.parametrize("kind", spread(TYPED, 1))
def test_dataframes_of_every_type(kind, way, tmp_path, thorough):
    """What was made of a dataframe is verified as it is, as csv and as Parquet."""
    wishes = [{"t": T}, {"l": 2, "alpha": 0.9}]
    for number, (library_name, frame) in enumerate(frames(TYPED[kind]).items()):
        for asked in wishes if thorough else [wishes[(number + list(TYPED).index(kind)) % 2]]:
            found = library.anonymize(frame, **ROLES, **asked, enforce=way)
            said = {name: value for name, value in ROLES.items() if name != "method"}
            if kind != "categories" or library_name != "pandas":
                assert library.verify(found.data, **said, **asked).ok
            for form in ("csv", "parquet"):
                found.save(tmp_path / library_name, format=form, report=False, force=True)


def test_ordered_categories(tmp_path):
    """The order that a dataframe's categories have is the order of t-closeness, by brute force."""
    order = ["lo", "mid", "hi", "top"]
    cells = drawn(order, 3)
    frame = pd.DataFrame({**numbers(), "s": pd.Categorical(cells, order, ordered=True)})
    for way in WAYS:
        found = library.anonymize(frame, **ROLES, t=T, enforce=way)
        found.save(tmp_path, report=False, force=True)
        whole = [order.index(cell) for cell in cells]
        for group in found.partition.members():
            part = [whole[i] for i in group]
            assert float(judging.ordered_distance(part, whole)) <= T


@pytest.mark.parametrize("way", spread(WAYS, 1))
@pytest.mark.parametrize(
    "kind", spread(["file", "numbers", "stars", "truth", "prefixes", "integers"], 2)
)
def test_trees_of_sensitive_columns(kind, way, tmp_path):
    """Groups are near by the tree, as the judge reads it from the same file or the same words."""
    (tmp_path / "n.csv").write_text("1.0;A;*\n2;A;*\n3;B;*\n")
    (tmp_path / "b.csv").write_text("true;A;*\nfalse;B;*\n")
    said, words = {
        "file": (write_tree(tmp_path), ["a1", "a2", "b1", "c1", ""]),
        "numbers": (str(tmp_path / "n.csv"), ["1", "1.00", "2", "3", ""]),
        "stars": (write_tree(tmp_path), ["a1", "b1", "c1", "", "*"]),
        "truth": (str(tmp_path / "b.csv"), ["true", "false", ""]),
        "prefixes": ("prefixes:2,1", ["x12", "x13", "xx", "y", ""]),
        "integers": ("prefixes:2,1", ["123", "124", "13", "2", ""]),
    }[kind]
    lines = {
        "file": None,
        "stars": None,
        "numbers": [["1", "A", "*"], ["2", "A", "*"], ["3", "B", "*"]],
        "truth": [["true", "A", "*"], ["false", "B", "*"]],
    }.get(kind, [[w, w[:2].ljust(len(w), "*"), w[:1].ljust(len(w), "*"), "*"] for w in words if w])
    if lines is None:
        lines = [line.split(";") for line in (tmp_path / "tree.csv").read_text().split()]
    for seed in range(3 if is_thorough() else 1):
        source = written(tmp_path / "in.csv", drawn(words, seed), seed)
        found = library.anonymize(source, **ROLES, t=T, hierarchies={"s": said}, enforce=way)
        path = found.save(tmp_path / "out", report=False, force=True)
        found.save(tmp_path / "out", format="parquet", report=False, force=True)
        parts, whole = classes(path)

        def value(cell):
            return None if cell in ("", "*") else "1" if cell == "1.00" else cell

        every = [value(cell) for cell in whole]
        for part in parts:
            some = [value(cell) for cell in part]
            assert float(judging.hierarchical_distance(some, every, lines)) <= T


@pytest.mark.parametrize(
    ("said", "words", "message"),
    [
        ("widths:5", ["1", "2", "3"], "must be FILE.csv or prefixes:3,2"),
        ("dates", ["2020-01-01", "2021-01-01"], "must be FILE.csv or prefixes:3,2"),
        ("flat", ["x", "y"], "must be FILE.csv or prefixes:3,2"),
        ("prefixes", ["xy", "yz"], "must be FILE.csv or prefixes:3,2"),
        ("prefixes:1", ["1.5", "2.5"], "prefixes are not for decimal"),
        ("prefixes:4", ["2020-01-01T10:00", "2021-01-01T10:00"], "prefixes are not for datetime"),
        ("spans.csv", ["1", "2", "3"], "must list its values, not intervals"),
        ("lacks.csv", ["1", "2", "3"], "its hierarchy lacks 2 of its values"),
        ("none.csv", ["1", "2"], "none.csv"),
    ],
)
def test_trees_that_are_refused(said, words, message, tmp_path):
    """What the judge could not read the same way is refused before anything is grouped."""
    (tmp_path / "spans.csv").write_text('"[0,2)";A;*\n"[2,9)";B;*\n')
    (tmp_path / "lacks.csv").write_text("1;A;*\n7;B;*\n")
    source = written(tmp_path / "in.csv", drawn(words))
    said = str(tmp_path / said) if said.endswith(".csv") else said
    with pytest.raises(library.ShoalError, match=message):
        library.anonymize(source, **ROLES, t=T, hierarchies={"s": said})


@pytest.mark.parametrize("way", spread(WAYS, 1))
def test_the_last_digit_of_t_and_alpha(tmp_path, way):
    """A t or an alpha a little below what groups could have is met, or refused as impossible."""
    cells = ["x", "y", "z"] * 12 + ["x"] * 4
    source = written(tmp_path / "in.csv", cells)
    for alpha in (0.4, 0.5, 0.4999999999999):
        library.anonymize(source, **ROLES, alpha=alpha, enforce=way)
    for alpha in (0.3999999999999, 0.399):
        with pytest.raises(library.PrivacyError, match="cannot be met"):
            library.anonymize(source, **ROLES, alpha=alpha, enforce=way)
    for t in (0.0, 1e-15, 0.0666666666666, 0.06666666666666667, 0.1666666666666, 1 / 6):
        library.anonymize(source, **ROLES, t=t, enforce=way)


def test_numbers_of_any_type(tmp_path):
    """Numbers of numpy are taken as Python's own, and written to recipes."""
    source = written(tmp_path / "in.csv", drawn(["x", "y", "z"]))
    asked = {"l": np.int64(2), "t": {"s": np.float32(0.5)}, "alpha": np.float64(0.9)}
    found = library.anonymize(source, **ROLES, **asked)
    plain = library.anonymize(source, **ROLES, l=2, t={"s": 0.5}, alpha=0.9)
    assert np.array_equal(found.partition.labels, plain.partition.labels)
    found.save(tmp_path / "out", report=False)
    assert load(tmp_path / "out.private/run.toml").protect.l == 2


@pytest.mark.parametrize("names", [
    ("a",), ("a", "b"), ("a,b", "c"), ('say "x"', "y"), (" a ", "b=c"), ("x\ny", "'"), ("é", "[k]"),
])  # fmt: skip
def test_names_of_subsets(names):
    """Names of any letters come back from a recipe."""
    assert split_key(joined_key(names)) == names
    tree = {"protect": {"k": 2, "k_of": {joined_key(names): 7}, "l": {names[0]: 2}}}
    again = build(tomllib.loads(build(tree).to_toml()))
    assert again.requirement.k_of == {names: 7}
    assert again.requirement.l == {names[0]: 2}


@pytest.mark.parametrize("key", ["a\nb", '"a', '"a"b'])
def test_keys_that_are_no_line_of_csv(key):
    """A recipe whose k_of has such a key is refused in words."""
    with pytest.raises(library.RequestError, match="is no line of csv"):
        build({"protect": {"k": 2, "k_of": {key: 3}}})


RECIPES = [
    {"l": 2, "t": 0.3},
    {"l": {"s": 2.5}, "l_kind": "entropy", "enforce": "slices"},
    {"l": 2, "l_kind": "recursive", "c": 3.5, "enforce": "merge"},
    {"alpha": {"s": 0.75}, "t": {"s,2": 0.25}, "enforce": "swap"},
    {"dominance": {"a": 5.0}, "k_of": {("a", "b,c"): 7, ("a",): 9}},
    {"dominance": 0.1, "k_of": {"b,c": 5}},
]


@pytest.mark.parametrize(
    ("asked", "method"),
    spread(product(RECIPES, ("mdav", "auto", "ilsmc+", "kaim+")), 2, several=True),
)
def test_a_recipe_repeats_the_run(asked, method, shoal, tmp_path):
    """`shoal run run.toml` gives the same groups, on what the settings say of rules."""
    if method == "kaim+" and "dominance" in asked:
        asked = {name: said for name, said in asked.items() if name != "dominance"}
    rng = np.random.default_rng(1)
    a, b = rng.integers(1, 99, ROWS), rng.integers(1, 99, ROWS)
    s, more = drawn(["x", "y", "z", "u"]), drawn([3, 7, 9, 11], 4)
    rows = zip(a, b, s, more, strict=True)
    source = tmp_path / "in.csv"
    source.write_text('a,"b,c",s,"s,2"\n' + "".join(f"{','.join(map(str, r))}\n" for r in rows))
    effort = {} if method != "auto" else {"effort": "quick"}
    if method.endswith("+"):
        effort["max_iterations"] = 20
    found = library.anonymize(
        source, k=3, quasi_identifiers=["a", "b,c"], sensitive=["s", "s,2"], method=method,
        **effort, **asked,
    )  # fmt: skip
    found.save(tmp_path / "out", report=False)
    ran = shoal(
        "run", tmp_path / "out.private/run.toml", "-o", tmp_path / "again.csv", "--no-report"
    )
    assert ran.code == 0, ran.err
    first, again = (sorted(path.read_text().splitlines())
                    for path in (tmp_path / "out/release.csv", tmp_path / "again.csv"))  # fmt: skip
    assert first == again
    said = load(tmp_path / "out.private/run.toml").protect
    before = found.settings.protect
    for name in ("l", "l_kind", "c", "t", "alpha", "dominance", "k_of", "enforce"):
        assert getattr(said, name) == getattr(before, name)


WRONG = [
    ({"l": {"s": True}}, "l"),
    ({"l": {"x": 3}}, "l is given for 'x'"),
    ({"t": "0.2"}, "t must be a number"),
    ({"t": True}, "t must be a number"),
    ({"alpha": {"q": 0.5}}, "alpha is given for 'q'"),
    ({"dominance": {"s": 5}}, "dominance is given for 's'"),
    ({"l": 2, "l_kind": "recursive", "c": "2"}, "c must be a number"),
    ({"k_of": {("a", "q"): 6}}, "k_of is given for 'q'"),
    ({"k_of": {"s": 6}}, "k_of is given for 's'"),
    ({"k_of": ["a"]}, "k_of must be"),
    ({"k_of": {"a": ROWS + 1}}, "k_of: 40 records < 41"),
    ({"enforce": "magic"}, "enforce must be"),
    ({"enforce": None}, "enforce must be"),
]


@pytest.mark.parametrize(("asked", "message"), WRONG)
def test_wrong_wishes(asked, message, tmp_path):
    """What cannot be asked is a RequestError that names the option."""
    source = written(tmp_path / "in.csv", drawn(["x", "y"]))
    with pytest.raises(library.RequestError, match=message):
        library.anonymize(source, **ROLES, **asked)


@pytest.mark.parametrize("asked", [{"l": 2}, {"t": 0.5}, {"alpha": 0.5}])
def test_sensitive_columns_must_be_named(asked, tmp_path):
    """l, t and alpha without a sensitive column are refused."""
    source = written(tmp_path / "in.csv", drawn(["x", "y"]))
    with pytest.raises(library.RequestError, match="sensitive columns; name at least one"):
        library.anonymize(source, k=3, quasi_identifiers=["a", "b"], **asked)


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (("--l", "0"), 2, "l must be"),
        (("--l", "x"), 2, "--l must be one number"),
        (("--k-of", "a"), 2, "--k-of"),
        (("--l", "9"), 3, "cannot be met"),
        (("--alpha", "0.1"), 3, "cannot be met"),
        (("--l", "4.5", "--l-kind", "entropy"), 3, "cannot be met"),
        (("--dominance", "100000"), 3, "cannot be met"),
    ],
)
def test_exit_codes(options, code, message, shoal, tmp_path):
    """Wrong wishes end with 2, what cannot be met with 3, in one line; nothing is written."""
    source = written(tmp_path / "in.csv", drawn(["x", "y", "z"]))
    out = tmp_path / "out.csv"
    ran = shoal("anonymize", source, "-k", 3, "--quasi", "a,b", "--sensitive", "s",
                "--method", "mdav", *options, "-o", out)  # fmt: skip
    assert (ran.code, ran.out) == (code, "")
    assert message in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert not out.exists()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_the_whole_command(form, shoal, tmp_path):
    """All options together work, and `shoal verify` with the same ones finds them kept."""
    source = written(tmp_path / "in.csv", drawn(["x", "y", "z", "u"]))
    out = tmp_path / f"out.{form}"
    roles = ("-k", 3, "--quasi", "a,b", "--sensitive", "s")
    both = ("--l", "3", "--l-kind", "entropy", "--t", "0.2", "--alpha", "0.5", "--k-of", "a,b=6",
            "--k-of", "b=9")  # fmt: skip
    ran = shoal("anonymize", source, *roles, *both, "--dominance", "10", "--enforce", "merge",
                "-o", out, "--no-report")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "did not keep what is asked: merged" in ran.err
    ran = shoal("verify", out, *roles, *both)
    assert (ran.code, ran.err) == (0, "")
    stricter = shoal("verify", out, *roles, "--k-of", "b=41")
    assert stricter.code == 3


def test_refine_on_the_command_line(shoal, tmp_path):
    """`shoal refine` keeps what is asked, and its recipe repeats it."""
    cells = drawn(["x", "y", "z"])
    rows = zip(np.arange(ROWS) // 4, *numbers().values(), cells, strict=True)
    source = tmp_path / "in.csv"
    source.write_text("g,a,b,s\n" + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    out = tmp_path / "out.csv"
    asked = ("--l", 3, "--t", 0.2)
    roles = ("-k", 3, "--quasi", "a,b", "--sensitive", "s")
    for how in ("iterative", "ilsmc+", "kaim+") if is_thorough() else ("ilsmc+",):
        ran = shoal("refine", source, "--group", "g", *roles, *asked, "--how", how, "-o", out,
                    "--no-report", "--force")  # fmt: skip
        assert ran.code == 0, ran.err
        assert shoal("verify", out, *roles, *asked).code == 0
        again = ("-o", tmp_path / "again.csv", "--no-report", "--force")
        ran = shoal("run", tmp_path / "out.private/run.toml", *again)
        assert ran.code == 0, ran.err
        first, again = (sorted((tmp_path / name).read_text().splitlines())
                        for name in ("out.csv", "again.csv"))  # fmt: skip
        assert first == again


def test_no_value_is_shown(shoal, tmp_path):
    """Whatever is refused, no sensitive value is printed."""
    source = written(tmp_path / "in.csv", drawn(["canary1", "canary2", "canary3"]))
    tree = tmp_path / "tree.csv"
    tree.write_text("canary1;A;*\nx;B;*\n")
    for options in (("--l", 9), ("--t", 0.1, "--hierarchy", f"s={tree}"), ("--order", "s=x,y")):
        ran = shoal("anonymize", source, "-k", 3, "--quasi", "a,b", "--sensitive", "s", *options,
                    "-o", tmp_path / "out.csv")  # fmt: skip
        assert ran.code in (2, 3)
        assert "canary" not in ran.err + ran.out
