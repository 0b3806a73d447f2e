"""Two releases and their original: roles from beside, who is placed where, who shares classes."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.csv as pcsv
import pytest

import shoal as library
from meeting_tables import QUASI, alone, people_table, released, two_of_means, write
from shoal.judge import composition, composition_people
from shoal.judge.declared import beside
from shoal.judge.readers.reading import opened
from shoal.judge.readers.written import Written
from thorough import spread


@pytest.fixture(name="table")
def _table():
    return people_table()


@pytest.fixture(name="means")
def _means():
    return two_of_means()


ASKED = {"k": 5, "quasi_identifiers": QUASI}


@pytest.mark.parametrize("kind", ["median", "medoid", "mode"])
def test_two_releases_of_other_single_values(table, tmp_path, kind):
    """Medians, modes and medoids say as little about whom they stand for."""
    paths = [
        write(tmp_path, released(table, aggregate=kind, column_weights={name: 50.0}), name, False)
        for name in ("age", "pay")
    ]
    found = library.verify(paths[0], **ASKED, sensitive=["ill"], against=paths[1])
    assert not found.ok
    assert not found.against.judged


def test_what_one_groups_and_the_other_keeps(table, tmp_path):
    """One release keeps pay, which the other groups: whom it narrows down is not seen."""
    one = write(tmp_path, released(table, quasi_identifiers=["age"], other=["pay", "kids"],
                                   keep_unique=["pay"], aggregate="range"), "a", False)  # fmt: skip
    other = write(tmp_path, released(table, quasi_identifiers=["age", "pay"], other=["kids"],
                                     aggregate="range"), "b", False)  # fmt: skip
    found = library.verify(one, k=5, quasi_identifiers=["age"], sensitive=["ill"], against=other)
    assert not found.ok


def people_by(table, result, path, key):
    """Write a release with the column that names people, as only a steward has it."""
    data = result.data.append_column(key, table[key])
    pcsv.write_csv(data.take(np.random.default_rng(3).permutation(len(data))), path)
    return path


def test_the_original_tells_exactly(table, means, tmp_path, shoal):
    """With the original the figure is the brute force's: by a key, by rows in order, in memory."""
    pcsv.write_csv(table, tmp_path / "in.csv")
    wanted = alone(*means)
    pairs = Counter(zip(*(r.partition.labels.tolist() for r in means), strict=True))
    keyed = [
        people_by(table, r, tmp_path / f"{n}.csv", "id") for r, n in zip(means, "ab", strict=True)
    ]
    found = library.verify(
        keyed[0], **ASKED, against=keyed[1], original=tmp_path / "in.csv", key=["id"]
    ).against.shared
    assert (found.people, found.below, found.unknown) == (600, wanted, 0)
    assert found.smallest == min(pairs.values())
    in_order = [r.save(tmp_path / n, keep_order=True) for r, n in zip(means, "ab", strict=True)]
    found = library.verify(
        in_order[0], **ASKED, against=in_order[1], original=tmp_path / "in.csv"
    ).against.shared
    assert (found.below, found.unknown) == (wanted, 0)
    found = library.verify(means[0].data, **ASKED, against=means[1].data, original=table)
    assert (found.against.shared.below, found.against.shared.unknown) == (wanted, 0)
    assert not found.ok
    ran = shoal("verify", keyed[0], "-k", 5, "--quasi", ",".join(QUASI), "--against", keyed[1],
                "--original", tmp_path / "in.csv", "--key", "id", "--json")  # fmt: skip
    assert ran.code == 3
    told = json.loads(ran.out)["against"]
    assert (told["judged"], told["shared"]["below"]) == (True, wanted)


def test_who_cannot_be_placed_is_not_safe(table, means, tmp_path):
    """Shuffled files of means and few kept values: nobody can be placed, and nobody is safe."""
    pcsv.write_csv(table, tmp_path / "in.csv")
    paths = [write(tmp_path, r, n, False) for r, n in zip(means, "ab", strict=True)]
    found = library.verify(paths[0], **ASKED, against=paths[1], original=tmp_path / "in.csv")
    assert not found.ok
    assert found.against.shared.unknown == 600


@pytest.mark.parametrize("seed", spread(range(12), 5))
def test_nobody_is_placed_wrongly(tmp_path, seed):
    """Of shuffled releases, generalized or means, everybody who is placed is placed rightly."""
    rng = np.random.default_rng(seed)
    rows = int(rng.integers(20, 120))
    table = pa.table(
        {
            "age": rng.integers(18, 60, rows),
            "zip": [f"{one:04}" for one in rng.integers(0, 300, rows)],
            "ill": [f"w{one}" for one in rng.integers(0, 8, rows)],
            "cost": rng.integers(0, int(rng.choice([20, 1000])), rows),
        }
    )
    kind = ["generalize", "mean", "range"][seed % 3]
    more = {"aggregate": {"age": kind}} if kind != "generalize" else {"method": "kaim"}
    if seed % 2:
        more["hierarchies"] = {"zip": "prefixes:3,2"}
    result = library.anonymize(
        table,
        k=3,
        quasi_identifiers=["age", "zip"],
        sensitive=["ill"],
        other=["cost"],
        keep_unique=["cost"],
        **more,
    )
    path = result.save(tmp_path / "out", format=["csv", "parquet"][seed % 2])
    pcsv.write_csv(table, tmp_path / "in.csv")
    with opened(tmp_path / "in.csv", None, Written()) as source:
        _, cells = composition_people.read_all(source, composition._comparable)
    known = None if seed % 4 == 3 else beside(path)
    side = composition._side(opened(path, None, Written()), ["age", "zip"], known, cells, False)
    placed, _ = composition_people._placed(cells, rows, side, (), composition._may_cover)
    keys = list(zip(*(result.data[n].to_pylist() for n in ("age", "zip")), strict=True))
    for one in range(rows):
        for other in range(rows):
            if composition_people.UNKNOWN not in (placed[one], placed[other]):
                assert (placed[one] == placed[other]) == (keys[one] == keys[other])
    if kind != "mean":
        assert sum(place != composition_people.UNKNOWN for place in placed) > rows / 3


def test_generalized_releases_are_judged_exactly(tmp_path):
    """Intervals place people by what they cover; the figure is that of brute force."""
    rows = ["age,zip,n"] + [f"{20 + row},{1000 + (7 * row) % 60},c{row}" for row in range(60)]
    (tmp_path / "in.csv").write_text("\n".join(rows) + "\n")
    one = [f'"[{20 + row // 10 * 10},{30 + row // 10 * 10})",z' for row in range(60)]
    other = [f'a,"[{1000 + (7 * row) % 60 // 6 * 6},{1006 + (7 * row) % 60 // 6 * 6})"'
             for row in range(60)]  # fmt: skip
    for name, cells in (("a", one), ("b", other)):
        shuffled = np.random.default_rng(1).permutation(cells).tolist()
        (tmp_path / f"{name}.csv").write_text("age,zip\n" + "\n".join(shuffled) + "\n")
    found = library.verify(
        tmp_path / "a.csv", k=3, quasi_identifiers=["age", "zip"], against=tmp_path / "b.csv",
        original=tmp_path / "in.csv",
    ).against.shared  # fmt: skip
    pairs = [(row // 10, (7 * row) % 60 // 6) for row in range(60)]
    counts = Counter(pairs)
    assert found.unknown == 0
    assert (found.people, found.smallest) == (60, min(counts.values()))
    assert found.below == sum(counts[pair] < 3 for pair in pairs)


def test_people_who_are_in_one_release_only(tmp_path):
    """Whoever is not in both shares nothing; a kept column that was changed makes nobody absent."""
    (tmp_path / "in.csv").write_text("age,n\n" + "".join(f"{20 + i},c{i}\n" for i in range(12)))
    lines = [f'"[{20 + i // 6 * 6},{26 + i // 6 * 6})",c{i}\n' for i in range(12)]
    (tmp_path / "a.csv").write_text("age,n\n" + "".join(lines))
    (tmp_path / "b.csv").write_text("age,n\n" + "".join(lines[:6]))
    ask = {"k": 6, "quasi_identifiers": ["age"], "original": tmp_path / "in.csv"}
    found = library.verify(tmp_path / "a.csv", **ask, against=tmp_path / "b.csv")
    assert found.ok
    shared = found.against.shared
    assert (shared.people, shared.smallest, shared.unknown) == (6, 6, 0)
    assert "6 people are in both, at least 6 people share both classes" in found.summary()
    changed = [line.replace(",c", ",d") for line in lines]
    (tmp_path / "b.csv").write_text("age,n\n" + "".join(changed[:6]))
    found = library.verify(tmp_path / "a.csv", **ask, against=tmp_path / "b.csv")
    assert not found.ok


def test_what_a_key_must_be(table, means, tmp_path):
    """A key is in all three files and names everybody once; it goes with an original."""
    pcsv.write_csv(table, tmp_path / "in.csv")
    keyed = [
        people_by(table, result, tmp_path / f"{name}.csv", "id")
        for result, name in zip(means, "ab", strict=True)
    ]
    ask = {**ASKED, "against": keyed[1], "original": tmp_path / "in.csv"}
    for key, words in (("ill", "does not name people"), ("nobody", "there is no column")):
        with pytest.raises(library.InputError, match=words):
            library.verify(keyed[0], **ask, key=[key])
    with pytest.raises(library.RequestError, match="original goes with against"):
        library.verify(keyed[0], **ASKED, original=tmp_path / "in.csv")
    with pytest.raises(library.RequestError, match="key goes with original"):
        library.verify(keyed[0], **ASKED, against=keyed[1], key=["id"])


@pytest.mark.parametrize("layout", ["folder", "file", "pack"])
def test_roles_from_beside(table, tmp_path, shoal, layout):
    """Quasi-identifiers are those of the papers beside a release, and it says which."""
    ranges = released(table, aggregate="range")
    if layout == "folder":
        path, paper = ranges.save(tmp_path / "out"), "report.json"
    elif layout == "pack":
        ranges.pack(tmp_path / "out")
        path, paper = tmp_path / "out" / "release.csv", "report.json"
    else:
        pcsv.write_csv(table, tmp_path / "in.csv")
        ran = shoal(
            "anonymize", tmp_path / "in.csv", "-k", 5, "--quasi", ",".join(QUASI), "--sensitive",
            "ill", "--identifier", "id", "--method", "mdav", "-o", tmp_path / "a.csv",
        )  # fmt: skip
        assert ran.code == 0, ran.err
        path, paper = tmp_path / "a.csv", "a.report.json"
    ran = shoal("verify", path, "-k", 5)
    assert ran.code == 0, ran.err
    assert f"from '{paper}' beside it" in ran.err
    known = beside(path)
    assert set(known.quasi_identifiers) == set(QUASI)
    assert set(known.released_as.values()) == {"mean" if layout == "file" else "range"}
    path.write_bytes(path.read_bytes() + b"\n")  # the report is of another file now
    changed = beside(path)
    assert changed is None or changed.where != paper


def test_roles_of_nothing(tmp_path, shoal):
    """Without quasi-identifiers and without a paper nothing is verified."""
    (tmp_path / "a.csv").write_text("age\n1\n1\n")
    ran = shoal("verify", tmp_path / "a.csv", "-k", 2)
    assert ran.code == 2
    assert "no report beside tells them" in ran.err
    for text in ("[" * 100_000, "{", '{"release": 3}', "[]"):
        (tmp_path / "a.report.json").write_text(text)
        assert shoal("verify", tmp_path / "a.csv", "-k", 2).code == 2


def test_sensitive_none(tmp_path, shoal):
    """Whoever says that no column is sensitive gets the bound by sizes."""
    for name, low in (("a", 20), ("b", 25)):
        (tmp_path / f"{name}.csv").write_text(
            "age,ill\n" + "".join(f'"[{low},{low + 10})",{name}{i}\n' for i in range(3))
        )
    asked = ("verify", tmp_path / "a.csv", "-k", 3, "--quasi", "age", "--against",
             tmp_path / "b.csv", "--sensitive", "none")  # fmt: skip
    ran = shoal(*asked)
    assert (ran.code, "smallest candidate set 3" in ran.out) == (0, True)
    assert "roles of the other release: nothing lies beside it" in ran.out
