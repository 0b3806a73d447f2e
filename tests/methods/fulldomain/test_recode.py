"""Full-domain recoding beside brute force over all combinations of levels."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import shoal as library
from mixed_tables import random_table
from naive import domain
from shoal.errors import RequestError
from shoal.methods.fulldomain.recode import MOST, Lattice, least
from shoal.methods.problem import Nodes, Problem
from shoal.methods.solve import solve
from shoal.progress import Reporter
from shoal.table.encode_nodes import code
from shoal.table.levels import level_nodes
from shoal.table.read import read
from thorough import is_thorough

TABLES = 400 if is_thorough() else 60


def columns_of(made):
    """The columns of a random table as the twin takes them."""
    columns = []
    for j, name in enumerate(made.table.column_names):
        if name in made.rules:
            lines = Path(made.rules[name]).read_text(encoding="utf-8").split()
            columns.append(domain.of_paths([line.split(";") for line in lines]))
        else:
            columns.append(domain.of_numbers([record[j] for record in made.records]))
    return columns


def solved(table, k, rules=None, **options):
    """What the method makes of a table of quasi-identifiers."""
    weights, survey = options.pop("weights", None), options.pop("survey", None)
    nodes = Nodes(code(read(table), rules or {}), weights, weights=survey)
    return solve(Problem(nodes, k, **options), "full-domain", Reporter(None))


@pytest.mark.parametrize("ranges", [False, True])
def test_no_combination_of_levels_loses_less(ranges, tmp_path):
    """Loss, classes and records left out are those of brute force, with weights and limits too."""
    suppressed = 0
    for seed in range(TABLES):
        rng = np.random.default_rng(1000 * ranges + seed)
        made = random_table(rng, tmp_path, ranges=ranges, inner=True)
        columns, rows = columns_of(made), len(made.records)
        k = int(rng.integers(1, min(5, rows) + 1))
        share = 0.0 if ranges else float(rng.choice([0.0, 0.1, 0.3, 0.6]))
        own = {name: int(rng.integers(1, 4)) for name in made.table.column_names}
        weights = own if rng.random() < 0.5 else None
        survey = rng.choice([1, 2, 30], rows).tolist() if rng.random() < 0.5 else [1] * rows
        found = solved(made.table, k, made.rules, suppress=share, weights=weights,
                       survey=np.array(survey, dtype=float))  # fmt: skip
        levels = tuple(found.recoding.levels.values())
        factors = [Fraction(weight) for weight in (weights or dict.fromkeys(own, 1)).values()]
        best, _ = domain.full_domain(
            columns, made.records, k, int(share * rows), factors, survey=survey
        )
        keys = domain.recoded(columns, made.records, levels)
        sizes = Counter(keys)
        kept = [sizes[key] >= k for key in keys]
        assert domain.loss(columns, made.records, levels, factors, kept, survey) == best, seed
        assert found.recoding.suppressed.tolist() == [i for i in range(rows) if not kept[i]]
        classes = [key for key, stays in zip(keys, kept, strict=True) if stays]
        assert len(set(zip(classes, found.labels.tolist(), strict=True))) == len(set(classes))
        assert found.groups == len(set(classes))
        plain = [Fraction(1)] * len(columns)
        lost = domain.loss(columns, made.records, levels, plain, kept, survey)
        rate = float(100 * lost / (sum(survey) * len(columns)))
        assert found.information_loss == pytest.approx(rate, abs=1e-9)
        suppressed += rows - sum(kept)
    assert ranges or suppressed > 0


def test_releases_show_one_level_of_every_column(tmp_path):
    """The released words are those of the level, also where a class could have said more."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        made = random_table(rng, tmp_path, ranges=False, rows=20)
        asked = {"hierarchies": made.rules, "method": "full-domain", "suppress": 0.2}
        found = library.anonymize(made.table, 3, **asked)
        levels = [column.level for column in found.report.columns]
        keys = domain.recoded(columns_of(made), made.records, levels)
        sizes = Counter(keys)
        expected = [key for key in keys if sizes[key] >= 3]
        data = found.data.to_pydict().values()
        assert list(zip(*data, strict=True)) == expected
        gone = len(keys) - len(expected)
        assert found.report.costs["deleted"] == found.report.missing["deleted"] == gone
        rate = domain.loss_rate(columns_of(made), made.records, levels, 3)
        for said in (found.report.costs["iloss_rate"], found.report.exact_loss,
                     found.report.information_loss):  # fmt: skip
            assert said == pytest.approx(rate, abs=1e-9)
        assert found.report.verification["k"] >= 3
        assert library.verify(found.data, k=3, quasi_identifiers=list(made.table.column_names)).ok


def test_a_level_is_uniform_where_a_class_has_one_value():
    """A class of one zip code releases its prefix, as all others do."""
    table = pa.table({"zip": ["11", "11", "21", "22", "31", "32"]})
    found = library.anonymize(table, 2, method="full-domain", hierarchies={"zip": "prefixes:1"})
    assert found.data["zip"].to_pylist() == ["1*", "1*", "2*", "2*", "3*", "3*"]
    assert found.partition.recoding.levels == {"zip": 1}


def test_levels_of_short_branches(write):
    """A label that is repeated waits there; one that lines repeat differently is refused."""
    table = pa.table({"place": ["Berlin", "Berlin", "Ulm", "Bonn"]})
    path = write("place.csv", "Berlin;Berlin;DE;*\nUlm;South;DE;*\nBonn;West;DE;*\n")
    coded = code(read(table), {"place": str(path)})
    (column,) = coded.columns
    nodes = level_nodes(column)
    words = [[column.tree.labels[node] for node in level] for level in nodes]
    assert words == [["Berlin", "Bonn", "Ulm", "*"], ["Berlin", "West", "South", "*"],
                     ["DE", "DE", "DE", "*"], ["*"] * 4]  # fmt: skip
    path = write("bad.csv", "Berlin;North;North;*\nUlm;North;*;*\nBonn;West;DE;*\n")
    with pytest.raises(RequestError, match=r"bad.csv of column 'place' has a label that some"):
        library.anonymize(table, 2, method="full-domain", hierarchies={"place": str(path)})


def test_levels_of_automatic_trees():
    """The levels of halves of numbers and dates are those of their paths."""
    rng = np.random.default_rng(4)
    numbers = rng.integers(0, 40, 60).tolist()
    table = pa.table({
        "x": [None if number == 7 else number for number in numbers],
        "one": [3.5] * 60,
        "y": rng.normal(size=60).round(2),
        "born": pa.array(np.datetime64("2000-01-01") + rng.integers(0, 90, 60)),
    })  # fmt: skip
    for column in code(read(table)).columns:
        paths, _ = column.rule.paths(column.values)
        known = [[column.tree.nodes[label] for label in path] for path in paths]
        assert level_nodes(column)[:, :-1].T.tolist() == known
        assert set(level_nodes(column)[:, -1].tolist()) == {0}


def test_what_is_asked_beyond_k_chooses_the_levels():
    """The levels are the best of those whose classes keep l, and an own k of a column."""
    rng = np.random.default_rng(5)
    for seed in range(6):
        zips = [f"{a}{b}" for a, b in rng.integers(0, 4, (24, 2))]
        sex, ill = rng.choice(list("fm"), 24).tolist(), rng.choice(list("xyz"), 24).tolist()
        table = pa.table({"zip": zips, "sex": sex, "ill": ill})
        paths = [(f"{a}{b}", f"{a}*", "*") for a in range(4) for b in range(4)]
        columns = [domain.of_paths([p for p in paths if p[0] in zips]),
                   domain.of_paths([(one, "*") for one in set(sex)])]  # fmt: skip
        records = list(zip(zips, sex, strict=True))

        def diverse(keys, ill=ill):
            pairs = set(zip(keys, ill, strict=True))
            return min(Counter(key for key, _ in pairs).values()) >= 2

        def by_zip(keys):
            return min(Counter(key[0] for key in keys).values()) >= 5

        asked = {"quasi_identifiers": ["zip", "sex"], "sensitive": ["ill"],
                 "method": "full-domain", "hierarchies": {"zip": "prefixes:1"}}  # fmt: skip
        for more, keeps in (({"l": 2}, diverse), ({"k_of": {("zip",): 5}}, by_zip)):
            found = library.anonymize(table, 2, **asked, **more)
            best, _ = domain.full_domain(columns, records, 2, keeps=keeps)
            assert found.report.exact_loss == pytest.approx(float(100 * best / 48)), (seed, more)


def test_contradictions_are_refused_in_one_line():
    """What one level for all records cannot be is an error that says what to leave out."""
    table = pa.table({"age": [1, 2, 3, 4, 5, 6], "sex": list("ffmmfm"), "s": list("abcabc")})
    quasi = {"quasi_identifiers": ["age", "sex"], "sensitive": ["s"]}
    own = {**quasi, "method": "full-domain"}
    for asked, line in (
        ({**own, "by": ["sex"]}, "not one by stratum; leave out by"),
        ({**own, "aggregate": "mode"}, "'age' is to be released as mode"),
        ({**own, "numbers": "mean"}, "'age' is to be released as mean"),
        ({**own, "suppress": 0.1, "l": 2}, "suppress is for k alone"),
        ({**own, "suppress": 0.4}, r"the intervals of column 'age' \(balanced\) end in values"),
        ({**own, "start": "random"}, "start is for methods that search; full-domain does not"),
        ({**quasi, "method": "kaim+", "start": "full-domain"}, "start of kaim. must be one of"),
        ({**own, "suppress": 1.0}, "suppress"),
        ({**own, "suppress": "many"}, "suppress must be a share: 1%, or 0.01"),
    ):
        with pytest.raises(RequestError, match=line) as raised:
            library.anonymize(table, 2, **asked)
        assert "\n" not in str(raised.value)


def test_too_many_combinations_are_refused():
    """More combinations than memory holds are an error that says what to do."""
    levels = [np.arange(12.0)] * 7
    with pytest.raises(RequestError, match=f"35,831,808 combinations .* up to {MOST:,}; give col"):
        Lattice(levels, [np.arange(12, 0, -1)] * 7)


def test_few_combinations_are_looked_at():
    """Of a lattice of thousands, most combinations are decided without looking at them."""
    shape = (5, 4, 4, 3, 3, 2, 4)
    sums = [np.arange(size) * (j + 1.0) for j, size in enumerate(shape)]
    kinds = [np.arange(size, 0, -1) for size in shape]
    seen = []

    def judge(node):
        seen.append(node)
        return 0.0 if sum(node) >= 9 and node[0] >= 2 else None

    found = least(Lattice(sums, kinds), judge, lambda done, of: None)
    every = [node for node in np.ndindex(shape) if sum(node) >= 9 and node[0] >= 2]
    assert sum(s[at] for s, at in zip(sums, found, strict=True)) == min(
        sum(s[at] for s, at in zip(sums, node, strict=True)) for node in every
    )
    assert len(seen) == len(set(seen)) < np.prod(shape) / 4


def test_every_door(shoal, write, tmp_path):
    """The command line takes a share in percent, its recipe repeats the run, files are verified."""
    rng = np.random.default_rng(2)
    rows = "".join(f"{a},{z},{i}\n" for a, z, i in zip(
        rng.integers(18, 60, 80), rng.choice(["11", "12", "21"], 80), rng.choice(list("xy"), 80),
        strict=True))  # fmt: skip
    table = write("t.csv", f"age,zip,ill\n{rows}")
    ran = shoal("anonymize", table, "-k", 3, "--quasi", "age,zip", "--sensitive", "ill",
                "--method", "full-domain", "--suppress", "5%", "--hierarchy", "age=widths:5,20",
                "--hierarchy", "zip=prefixes:1", "-o", f"{tmp_path}/out/")  # fmt: skip
    assert ran.code == 0, ran.err
    assert "one level for all records, 0 as it was: 'age'" in ran.err
    assert "suppress = 0.05" in (tmp_path / "out.private/run.toml").read_text()
    released = next((tmp_path / "out").glob("*.csv")).read_text().splitlines()
    classes = Counter(line.rpartition(",")[0] for line in released[1:])
    assert min(classes.values()) >= 3
    assert 76 <= sum(classes.values()) <= 80
    again = shoal("run", tmp_path / "out.private/run.toml", "-o", f"{tmp_path}/again/")
    assert again.code == 0, again.err
    lines = next((tmp_path / "again").glob("*.csv")).read_text().splitlines()
    assert sorted(lines) == sorted(released)
    public = (tmp_path / "out/report.json").read_text()
    assert '"level": ' not in public.replace('"level": null', "")
