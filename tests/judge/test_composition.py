"""Two releases that meet: candidate sets against brute force."""

from __future__ import annotations

import random
from functools import partial

import pyarrow as pa
import pytest

import shoal
from naive import judging
from shoal.judge import composition, composition_classes
from shoal.judge.composition_classes import overlap
from shoal.judge.limits import limited

CELLS = ["[0,10)", "[0,10]", "[10,20)", "[5,15)", "10", "10.0", "0", "20", "*", "", "x"]


def number(text):
    """A number, or None."""
    try:
        return float(text)
    except ValueError:
        return None


def holds(cell, point):
    """Whether a cell may stand for a number, or a word."""
    if cell in ("*", "", point):
        return True
    if cell[0] == "[":
        low, high = cell[1:-1].split(",")
        at = number(point)
        if at is None:
            return False
        return float(low) <= at < float(high) or (cell[-1] == "]" and at == float(high))
    return number(cell) is not None and number(cell) == number(point)


POINTS = [*(str(half / 2) for half in range(-2, 50)), "x"]


def compatible(mine, theirs):
    """Whether two keys may stand for the same person: some point is in both cells, in each."""
    return all(
        a == b or any(holds(a, point) and holds(b, point) for point in POINTS)
        for a, b in zip(mine, theirs, strict=True)
    )


def write_release(path, rows):
    """Write two quasi-identifiers and a sensitive column."""
    lines = [f'"{p}","{q}","{s}"\n' for (p, q), s in rows]
    path.write_text("p,q,s\n" + "".join(lines))
    return path


@pytest.mark.parametrize("cells", [CELLS, ["1", "2", "*"], [*CELLS[:3], "*"]])
def test_equals_brute_force(tmp_path, cells, thorough):
    """Smallest candidate set, pairs and pairs below k are those of comparing all classes."""
    rng = random.Random(len(cells))
    for _ in range(150 if thorough else 60):
        releases = [
            [((rng.choice(cells), rng.choice(cells[-4:])), rng.choice("uvw"))
             for _ in range(rng.randint(1, 12))]
            for _ in range(2)
        ]  # fmt: skip
        paths = [write_release(tmp_path / f"{i}.csv", rows) for i, rows in enumerate(releases)]
        found = shoal.verify(
            paths[0], k=2, quasi_identifiers=["p", "q"], sensitive=["s"], against=paths[1]
        )
        sizes = judging.composition(*releases, compatible)
        met = found.against
        assert (met.smallest, met.pairs) == (min(sizes, default=None), len(sizes))
        assert met.below == sum(size < 2 for size in sizes)
        assert any("with the other release" in p for p in found.problems) == bool(met.below)


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("12**", "123*", True), ("12**", "1299", True), ("12**", "13**", False),
        ("12**", "12*", False), ("2026-03", "2026-03-31", True), ("2026-03", "2026-Q2", False),
        ("2026-Q1", "2026-03", True), ("2025-12", "2026-01-01", False), ("<18", "[10,20)", True),
        ("<18", "18", False), (">=65", "65", True), ("Europe", "France", False),
        ("[a,b]", "a", False), ("2026-13", "2026-13", True), ("9999-12", "9999-12-31", False),
        ("[2026-01-01,2026-02-01)", "2026-01-31", True), ("1e999", "[0,1]", False),
        ("2025-11", "2025-11-30", True), ("2025-11", "2025-12-01", False),
        ("2025-12", "2025-12-31", True), ("2025-01", "2025-01-01", True),
        ("2025-Q4", "2025-12", True), ("2025-Q4", "2025-10-01", True),
        ("2025-Q4", "2025-09-30", False), ("2025-Q4", "2026-01-01", False),
        ("2025-Q3", "2025-10", False), (">=65", "64", False), (">=65", "<65", False),
        (">=65", "<66", True), ("[0,10)", "10", False), ("[0,10]", "10", True),
        ("[0,10]", "[10,20)", True), ("[0,10)", "[10,20)", False), ("1e400", "1e400", True),
        ("1e400", ">=5", True), ("12*", "1**", True), ("1*", "2*", False), ("ab*", "abc", True),
    ],
)  # fmt: skip
def test_cells_that_overlap(one, other, wanted):
    """Intervals, masks and parts of the calendar overlap as what they stand for does."""
    first, second = (composition._comparable(cell, True) for cell in (one, other))
    assert overlap(first, second) is wanted
    assert overlap(second, first) is wanted


def test_different_files_compare(tmp_path):
    """A csv file and a dataframe of the same values meet as such."""
    table = pa.table({"a": [1, 1, 2, 2], "b": [True, True, False, False], "f": [0.1] * 4,
                      "s": [1.0, 2.0, 1.0, 2.0]})  # fmt: skip
    text = "a,b,f,s\n1.0,true,0.10,1\n1,true,0.1,2\n2,false,0.1,1\n2,false,0.1,2.0\n"
    (tmp_path / "t.csv").write_text(text)
    found = shoal.verify(
        table, k=2, quasi_identifiers=["a", "b", "f"], sensitive=["s"], against=tmp_path / "t.csv"
    )
    assert found.against.sensitive == ("s",)
    assert found.against.columns == ("a", "b", "f")
    assert found.against.smallest == 1  # the other writes 1.0 and 1: two classes of its own


def test_no_sensitive_column_is_a_bound(write):
    """Without a sensitive column in both, the size of the smaller class is the bound."""
    one = write("1.csv", "a,s\n" + "v1,x\n" * 4)
    other = write("2.csv", "a,r\n" + "v1,x\n" * 3)
    ask = partial(shoal.verify, one, k=4, quasi_identifiers=["a"], sensitive=["s"])
    found = ask(against=other)
    assert (found.against.smallest, found.against.sensitive, found.ok) == (3, (), False)
    assert ask(against=write("2.csv", "b,s\n" + "1,x\n" * 4)).ok
    with pytest.raises(shoal.InputError, match="shares no column"):
        ask(against=write("2.csv", "b,r\n1,x\n"))
    apart = ask(against=write("2.csv", "a,s\nv2,x\n"))
    assert apart.ok
    assert apart.against.smallest is None
    assert "no class of this one meets" in apart.summary()
    assert "warning: two releases" in apart.summary()


def test_too_many(write):
    """Too many classes or pairs are an error that says what to do."""
    text = "a\n" + "".join(f"[{i};{i + 3})\n" for i in range(300))
    path = write("t.csv", text)
    ask = partial(shoal.verify, path, k=1, quasi_identifiers=["a"], against=path, delimiter=",")
    with (
        limited(pairs=989_999),
        pytest.raises(shoal.InputError, match=r"too many pairs of classes.*\(990000, at most"),
    ):
        ask()
    with limited(pairs=990_000):
        assert ask().against.pairs == 300 + 2 * (299 + 298)
    with (
        limited(entries=100),
        pytest.raises(shoal.InputError, match="name fewer quasi-identifiers"),
    ):
        ask()


def test_not_quadratic_in_exact_columns(write):
    """Many classes whose cells are plain are looked up, not compared with each other."""
    text = "a,s\n" + "".join(f"v{i // 2},x\n" for i in range(20_000))
    path = write("t.csv", text)
    found = shoal.verify(path, k=2, quasi_identifiers=["a"], sensitive=["s"], against=path)
    assert (found.against.pairs, found.against.smallest) == (10_000, 2)


def test_many_patterns_of_stars(tmp_path, monkeypatch):
    """Releases with many patterns of stars meet as bits, and as comparing all classes tells."""
    rng = random.Random(7)
    asked = []
    tell = composition_classes._as_bits
    monkeypatch.setattr(
        composition_classes, "_as_bits", lambda *of: asked.append(tell(*of)) or asked[-1]
    )
    columns = [f"q{i}" for i in range(7)]
    files, tables = [], []
    for name in ("1.csv", "2.csv"):
        rows = [
            ([rng.choice(["1", "2", "*"]) for _ in columns], rng.choice("xyz")) for _ in range(60)
        ]
        lines = [",".join([*cells, value]) for cells, value in rows]
        (tmp_path / name).write_text("\n".join([",".join([*columns, "s"]), *lines]) + "\n")
        files.append(tmp_path / name)
        tables.append([(tuple(cells), value) for cells, value in rows])
    with limited(block=16):
        found = shoal.verify(
            files[0], k=1, quasi_identifiers=columns, sensitive=["s"], against=files[1]
        ).against
    pairs, smallest = 0, []
    first, second = ({key for key, _ in table} for table in tables)
    for mine in first:
        for theirs in second:
            if not judging.matches("wildcard", theirs, mine):
                continue
            ours = [value for key, value in tables[0] if key == mine]
            others = [value for key, value in tables[1] if key == theirs]
            left = sum(min(ours.count(v), others.count(v)) for v in set(ours))
            pairs += left > 0
            smallest += [left] if left else []
    assert any(asked)
    assert (found.pairs, found.smallest) == (pairs, min(smallest))
