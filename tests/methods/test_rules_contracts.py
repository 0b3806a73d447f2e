"""Every method with every model: what is released keeps what is asked, by counting it anew."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import shoal as library
from naive import judging
from rules_tables import all_keep, dominated, draw_asked, options_for, random_release
from thorough import composed_once, is_thorough, spread

TABLES = 200
METHODS = ["auto", *(method.name for method in library.methods())]
SEARCHES = [method.name for method in library.methods() if method.is_search]
MIXED = [method.name for method in library.methods() if method.on_nodes]
ONE_COLUMN = [method.name for method in library.methods() if method.columns == 1]
KINDS_OF_T = {"t-equal": "category", "t-ordered": "number", "t-ranked": "ordinal",
              "t-tree": "tree"}  # fmt: skip
MODELS = ["distinct", "entropy", "recursive", *KINDS_OF_T, "alpha", "dominance", "k_of", "all"]
WAYS = ("auto", "slices", "swap", "merge")


def drawn(seed, method, model, folder):
    """A random table and what is asked of it."""
    mixed = seed % 2 == 1 and method not in ONE_COLUMN and model != "dominance"
    kinds = [KINDS_OF_T[model]] if model in KINDS_OF_T else None
    made = random_release(seed, folder, mixed=mixed, kinds=kinds)
    if method in ONE_COLUMN:
        made.quasi = made.roles["quasi_identifiers"] = ["x"]
        made.table = made.table.drop_columns(["y"])
    rng, k = made.rng, int(made.rng.integers(2, 5))
    kind, values = made.sensitive["s0"]
    asked = {}
    if model in KINDS_OF_T:
        asked = draw_asked(rng, "t", kind, values)
    elif model == "all":
        asked = draw_asked(rng, str(rng.choice(["distinct", "entropy", "recursive"])), kind, values)
        asked["l"] = {"s0": asked["l"]}
        asked |= {"t": dict.fromkeys(made.sensitive, 0.4)} if seed % 3 else {}
        asked |= {"alpha": {"s0": 0.9}} if seed % 5 else {}
    elif model not in ("dominance", "k_of"):
        asked = draw_asked(rng, model, kind, values)
        if len(made.sensitive) > 1:  # of the first column alone
            what = "alpha" if model == "alpha" else "l"
            asked[what] = {"s0": asked[what]}
    numbers = {}
    if model == "dominance" or (model == "all" and not mixed and method not in (*MIXED, "auto")):
        asked["dominance"] = {"x": float(rng.choice([1, 10, 50, 120]))}
        numbers = {"x": made.table["x"].to_pylist()}
    if model in ("k_of", "all"):
        own = [("x",), tuple(made.quasi), tuple(made.quasi[-2:]), tuple(made.quasi[:2])]
        asked["k_of"] = {names: int(rng.integers(1, made.rows + 1)) for names in dict.fromkeys(own)}
    if model == "dominance" and method in MIXED:
        return None
    return made, k, asked, numbers


def judged(asked):
    """What `verify` can be asked too."""
    return {name: said for name, said in asked.items() if name != "dominance"}


def asked_of(method, thorough):
    """The models and their places: all of auto, every eighth of others, in turn."""
    first = METHODS.index(method)
    whole = thorough or method == "auto"
    return [(m, model) for m, model in enumerate(MODELS) if whole or (first + m) % 8 == 0]


@pytest.mark.parametrize("method", composed_once(METHODS))
def test_every_model_is_kept(method, tmp_path, thorough):
    """Of 200 tables, released classes keep k and all that is asked, or nothing could keep it."""
    met, refused = Counter(), Counter()
    for m, model in asked_of(method, thorough):
        for turn in range(3):
            if met[model] and not thorough:
                break
            seed = (METHODS.index(method) * 13 + m * 7 + turn * 67) % TABLES
            case = drawn(seed, method, model, tmp_path)
            if case is None:
                continue
            made, k, asked, numbers = case
            rows = [range(made.rows)]
            able = all_keep(made, asked, rows) and not (
                numbers and dominated(numbers["x"], asked["dominance"]["x"])
            )
            options = {"k": k, "method": method, "enforce": WAYS[(seed + m) % 4], "seed": seed,
                       "intervals": "text", **options_for(made, asked)}  # fmt: skip
            if method in SEARCHES:
                options["max_iterations"] = 1 if method == "best" else 10
            if method == "auto":
                options["effort"] = "quick"
            if not able:
                with pytest.raises(library.PrivacyError, match="cannot be met"):
                    library.anonymize(made.table, **options)
                refused[model] += 1
                continue
            found = library.anonymize(made.table, **options)
            check(made, k, asked, numbers, found)
            met[model] += 1
    models = {model for _, model in asked_of(method, thorough)}
    assert set(met) >= models - ({"dominance"} if method in MIXED else set())


def check(made, k, asked, numbers, found):
    """Count the released classes anew, and let the judge do so."""
    data = found.data
    for name, (_, values) in made.sensitive.items():
        assert data[name].to_pylist() == values  # as it was, row by row
    keys = list(zip(*(data[name].to_pylist() for name in made.quasi), strict=True))
    classes = judging.classes(keys)
    assert min(map(len, classes)) >= k
    assert all_keep(made, asked, classes)
    for group in classes if numbers else ():
        assert not dominated([numbers["x"][i] for i in group], asked["dominance"]["x"])
    for columns, own in asked.get("k_of", {}).items():
        part = Counter(tuple(key[made.quasi.index(name)] for name in columns) for key in keys)
        assert min(part.values()) >= own
    said = options_for(made, judged(asked))
    assert library.verify(data, k=k, **said).ok
    assert found.report.verification["ok"]


def test_every_table_is_used():
    """The tables of all methods and models are all two hundred."""
    used = {
        (i * 13 + m * 7 + turn * 67) % TABLES
        for i in range(len(METHODS)) for m in range(len(MODELS)) for turn in range(3)
    }  # fmt: skip
    assert used == set(range(TABLES))


def test_subsets_with_an_own_k():
    """Overlapping subsets with several k are all kept, and other columns keep small groups."""
    rng = np.random.default_rng(0)
    table = pa.table({name: rng.normal(size=60).round(3) for name in "abcd"})
    own = {("a", "b"): 6, ("b", "c"): 13, ("c",): 20, ("a", "b", "c", "d"): 2, ("d",): 1}
    found = library.anonymize(table, k=3, k_of=own, method="mdav", decimals=6)
    rows = list(zip(*(found.data[name].to_pylist() for name in "abcd"), strict=True))
    assert min(Counter(rows).values()) >= 3
    for columns, k in own.items():
        part = Counter(tuple(row["abcd".index(name)] for name in columns) for row in rows)
        assert min(part.values()) >= k
    assert len({row[3] for row in rows}) == 20  # groups of three
    assert len({row[2] for row in rows}) <= 3
    plain = library.anonymize(table, k=3, method="mdav", decimals=6)
    assert found.data["d"].to_pylist() == plain.data["d"].to_pylist()
    assert np.array_equal(found.partition.labels, plain.partition.labels)


def test_a_k_of_more_than_there_are():
    """An own k above the number of records is refused."""
    table = pa.table({"a": [1, 2, 3, 4]})
    with pytest.raises(library.RequestError, match="k_of: 4 records < 5"):
        library.anonymize(table, k=2, k_of={"a": 5})
    found = library.anonymize(table, k=2, k_of={"a": 4}, method="mdav")
    assert len(set(found.data["a"].to_pylist())) == 1


@pytest.mark.parametrize(
    "how", spread(["iterative", "phase2", "decompose", "ilsmc+", "ls", "kaim+"], 1)
)
def test_refined_groups_keep_the_rules(how, tmp_path):
    """Groups of a column, refined, keep what is asked, whether they did before or not."""
    refined, tables = 0, 30 if is_thorough() else 8
    for seed in range(tables):
        made = random_release(seed, tmp_path, mixed=seed % 2 == 1)
        kind, values = made.sensitive["s0"]
        model = ["distinct", "entropy", "recursive", "alpha", "t"][seed % 5]
        asked = draw_asked(made.rng, model, kind, values)
        if model != "t":
            what = "alpha" if model == "alpha" else "l"
            asked[what] = {"s0": asked[what]}
        k = 2
        groups = made.rng.permutation(np.arange(made.rows) // 3 % (made.rows // 3))
        table = made.table.append_column("g", pa.array(groups))
        options = {**options_for(made, asked), "k": k, "group": "g", "refine": how,
                   "intervals": "text"}  # fmt: skip
        if how in SEARCHES:
            options["max_iterations"] = 10
        if not all_keep(made, asked, [range(made.rows)]):
            with pytest.raises(library.PrivacyError, match="cannot be met"):
                library.anonymize(table, **options)
            continue
        found = library.anonymize(table, **options)
        assert "g" not in found.data.column_names
        check(made, k, asked, {}, found)
        refined += 1
    assert refined > tables / 2
