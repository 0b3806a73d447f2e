"""The judge of a series: what it proves, and what it notices; forged ledgers against a twin."""

from __future__ import annotations

import csv
import hashlib
import hmac
import json
import random
from dataclasses import replace

import pytest

import shoal
from series_tables import random_series
from shoal.errors import InputError, PrivacyError, RequestError
from shoal.judge.engine import Engine
from shoal.judge.series import TOGETHER, check_entry, value_number, verify_series
from shoal.judge.series_proof import load_roll, of_promise, prove, shared
from shoal.series.ledger import Ledger

ASKED = {
    "quasi_identifiers": ["age", "pay"], "sensitive": ["ill"], "l": 2, "person": "id",
    "method": "mdav", "withhold": 0.9,
}  # fmt: skip


@pytest.fixture(scope="module")
def series(tmp_path_factory):
    """A folder with three releases and their ledger."""
    folder = tmp_path_factory.mktemp("series")
    for number, table in enumerate(random_series(1, people=40, each=30)):
        result = shoal.anonymize(table, 3, ledger=folder / "s.ledger", **ASKED)
        result.save(folder / str(number))
    return folder


def files(series, *numbers):
    return [series / str(number) / "release.csv" for number in numbers or range(3)]


def test_a_series_made_under_its_ledger_is_safe(series):
    """Releases that were made under the ledger keep l over the series, and k in each."""
    judged = verify_series(files(series), series / "s.ledger")
    assert judged.ok, judged.summary()
    assert judged.releases == judged.known == 3
    assert judged.fewest >= 2
    assert judged.repeated > 0
    assert judged.to_dict()["problems"] == ()
    assert "keeps its promises" in str(judged)


def test_a_release_that_is_not_given_is_named(series):
    """What was not read is not judged, and the verdict says so."""
    judged = verify_series(files(series, 0, 2), series / "s.ledger")
    assert judged.ok
    assert judged.absent == (2,)
    assert "release 2" in judged.summary()


def test_another_file_is_no_release_of_the_ledger(series, tmp_path):
    """A release with one cell changed is not the one that the ledger knows."""
    changed = tmp_path / "release.csv"
    changed.write_text(files(series)[0].read_text().replace(",a\n", ",b\n", 1))
    judged = verify_series([changed], series / "s.ledger")
    assert not judged.ok
    assert "no release of the ledger has this content" in judged.summary()


def test_a_release_given_twice_is_named(series):
    """The same release counts once."""
    assert not verify_series(files(series, 0, 0), series / "s.ledger").ok


def test_no_release_is_no_series(series):
    """There must be something to judge."""
    with pytest.raises(RequestError, match="at least one release"):
        verify_series([], series / "s.ledger")


def test_a_changed_ledger_is_not_believed(series, tmp_path):
    """The judge recomputes every message code itself."""
    for name in ("s.ledger", "s.ledger.key"):
        (tmp_path / name).write_bytes((series / name).read_bytes())
    text = (tmp_path / "s.ledger").read_text()
    (tmp_path / "s.ledger").write_text(text.replace('"made":true', '"made":false', 1))
    with pytest.raises(InputError, match="message code is wrong"):
        verify_series(files(series), tmp_path / "s.ledger")


# --- forged ledgers: the judge's own, with a key that it knows

SECRET = bytes(range(32))
PLAIN = {"x": "x", "Y ": "y", "1.50": "1.5", "": ""}


def code(before, body):
    return hmac.new(SECRET, f"line\0{before}\0{body}".encode(), "sha256").hexdigest()


def write_ledger(folder, entries):
    """Write a ledger of entries, every line with its code; return its path."""
    lines, before = [], ""
    for tree in ({"form": "shoal ledger 1"}, *entries):
        body = json.dumps(tree)
        before = code(before, body)
        lines.append(f"{body} {before}\n")
    (folder / "s.ledger.key").write_text(f"a key: {SECRET.hex()}\n")
    path = folder / "s.ledger"
    path.write_text("".join(lines))
    return path


def entry_of(folder, number, rows, k=2, least=2, kept=(), nobody=(), over="sets"):
    """Write a release of rows (person, class, value, kept values), and return its entry."""
    path = folder / f"{number}.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["age", "ill", *kept])
        writer.writerows([f"[{at},{at + 1})", *values] for _, at, *values in rows)
    places = {at: place for place, at in enumerate(dict.fromkeys(row[1] for row in rows))}
    groups = [[name] for name in kept] + ([list(kept)] if len(kept) > 1 else [])
    joined = {
        TOGETHER.join(some): [
            value_number(
                SECRET, TOGETHER.join(some),
                "\0".join(row[3 + list(kept).index(name)] for name in some),
            )
            for row in rows
        ]
        for some in groups
    }  # fmt: skip
    roll = {
        "people": [row[0] for row in rows], "classes": [places[row[1]] for row in rows],
        "values": [value_number(SECRET, "ill", PLAIN[row[2]]) for row in rows],
        "signature": [-1] * len(rows), "signatures": [], "bound": {}, "joined": joined,
        "counterfeits": list(nobody),
    }  # fmt: skip
    promise = {
        "k": k, "l": least, "sensitive": "ill", "quasi_identifiers": ["age"], "kept": list(kept),
        "over_series": over,
    }  # fmt: skip
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    return {
        "kind": "release", "number": number, "file": path.name, "sha256": digest, "made": True,
        "promise": promise, "roll": roll,
    }  # fmt: skip


def random_rows(rng, people):
    """Return the rows of a release in which some people are, in classes of two or three."""
    there = rng.sample(sorted(people), rng.randint(2, len(people)))
    size = rng.choice([2, 3])
    return [(one, at // size * 3, *people[one]) for at, one in enumerate(there)]


def twin(releases):
    """Return what is left for people in releases of rows, by looking at everybody's records."""
    homes, few, below = {}, 0, 0
    for number, rows in enumerate(releases):
        for row in rows:
            homes.setdefault(row[0], []).append((number, row[1]))
    smallest = []
    for places in homes.values():
        classes = [[row for row in releases[n] if row[1] == at] for n, at in places]
        below += len(set.intersection(*({row[2] for row in some} for some in classes))) < 2
        left = []
        for of in (lambda row: row[3], lambda row: row[4], lambda row: row[3:]):
            earlier = [{of(row) for row in some} for some in classes[:-1]]
            own = [row for row in classes[-1] if earlier and of(row) in set.intersection(*earlier)]
            left += [own] if own else []
        smallest += map(len, left)
        few += any(len(own) < 2 or len({row[2] for row in own}) < 2 for own in left)
    several = sum(len(places) > 1 for places in homes.values())
    return len(homes), several, min(smallest, default=None), below, few


def test_equals_a_twin(tmp_path, thorough):
    """People, values and records that are left are those of looking at everybody's records."""
    rng = random.Random(4)
    joined = 0
    for _ in range(60 if thorough else 6):
        people = {
            f"p{at}": (rng.choice(list(PLAIN)), rng.choice("ab"), rng.choice("uv"))
            for at in range(rng.randint(4, 14))
        }
        releases = [random_rows(rng, people) for _ in range(rng.randint(1, 3))]
        trees = [
            entry_of(tmp_path, number, rows, kept=["town", "job"])
            for number, rows in enumerate(releases, 1)
        ]
        ledger = write_ledger(tmp_path, trees)
        found = verify_series([tmp_path / tree["file"] for tree in reversed(trees)], ledger)
        many, several, smallest, below, few = twin(releases)
        assert (found.people, found.repeated, found.smallest) == (many, several, smallest)
        problems = "; ".join(found.problems)
        for many, words in (
            (below, f"the classes of {below} people share fewer than l values"),
            (few, f"kept columns leave {few} people fewer than k records or l values"),
        ):
            assert (words in problems) == bool(many), (words, problems)
        joined += few > 0
    assert joined > (5 if thorough else 1)


def test_a_file_is_compared_with_its_entry(tmp_path):
    """Classes, their people and their values in the file must be those of the ledger."""
    rows = [("A", 0, "x"), ("B", 0, "Y "), ("C", 5, "1.50"), ("D", 5, "x")]
    entry = entry_of(tmp_path, 1, rows)
    ask = [tmp_path / "1.csv", "csv", entry, SECRET]
    assert check_entry(*ask) == []
    entry["roll"]["values"][0] = entry["roll"]["values"][2]
    assert check_entry(*ask) == ["release 1: 1 classes have other values than the ledger has"]
    entry["roll"]["counterfeits"] = ["D", "E"]
    assert check_entry(*ask)[:2] == [
        "release 1: 1 classes have fewer than k = 2 people",
        "release 1: the counterfeits are not those of the ledger",
    ]
    for classes in ([0, 0, 0, 1], [0, 0, 1, 2], [1, 1, 0, 0, 0]):
        entry["roll"]["classes"] = classes[:4]
        wrong = check_entry(*ask)
        if classes[:4] != [1, 1, 0, 0]:
            assert wrong == ["release 1: the classes of the file are not those of the ledger"]
    entry["promise"]["kept"] = ["town"]
    with pytest.raises(InputError, match="it lacks 'town', which the ledger names"):
        check_entry(*ask)


def test_more_people_than_records_are_noticed(tmp_path):
    """A class that the ledger has and the file lacks is noticed, also if it is the last one."""
    entry = entry_of(tmp_path, 1, [("A", 0, "x"), ("B", 0, "Y ")])
    entry["roll"] |= {
        "people": ["A", "B", "C", "D"], "classes": [0, 0, 1, 1], "signature": [-1] * 4,
        "values": entry["roll"]["values"] * 2,
    }  # fmt: skip
    wrong = check_entry(tmp_path / "1.csv", None, entry, SECRET)
    assert wrong == ["release 1: the classes of the file are not those of the ledger"]


def test_counterfeits_are_nobody(tmp_path):
    """What kept columns leave for somebody is counted without the records of nobody."""
    first = [("A", 0, "x", "a"), ("B", 0, "Y ", "b")]
    second = [("A", 3, "x", "a"), ("N", 3, "Y ", "a"), ("B", 3, "Y ", "b")]
    trees = [
        entry_of(tmp_path, 1, first, kept=["town"]),
        entry_of(tmp_path, 2, second, kept=["town"], nobody=["N"]),
    ]
    found = verify_series([tmp_path / "1.csv", tmp_path / "2.csv"], write_ledger(tmp_path, trees))
    assert (found.smallest, found.people, found.counterfeits) == (2, 2, 1)
    assert "1 records are counterfeits" in found.summary()
    trees[1]["roll"]["counterfeits"] = []
    found = verify_series([tmp_path / "1.csv", tmp_path / "2.csv"], write_ledger(tmp_path, trees))
    assert (found.smallest, found.people, found.repeated) == (3, 3, 2)


def test_withdrawn_and_absent_releases(tmp_path):
    """A release that was withdrawn is none; what was not given is named, and its promise counts."""
    rows = [("A", 0, "x"), ("B", 0, "Y "), ("C", 5, "1.50"), ("D", 5, "x")]
    trees = [entry_of(tmp_path, number, rows, over="worlds") for number in (1, 2, 3)]
    for tree in trees[1:]:  # files of one content would be one release
        tree["sha256"] = str(tree["number"])
    ledger = write_ledger(tmp_path, [*trees, {"kind": "withdrawal", "release": 2}])
    found = verify_series([tmp_path / "1.csv"], ledger)
    assert (found.known, found.absent, found.ok, found.fewest) == (2, (3,), True, 2)
    assert found.over_series == "worlds"
    assert "against whoever knows all releases" in found.summary()


# --- what is proven


def roll(people, classes, values, signatures=(), signature=None, bound=None):
    """Return an entry of the ledger that promises l = 2."""
    own = [-1] * len(people) if signature is None else signature
    return {
        "people": people, "classes": classes, "values": list(values), "signature": own,
        "signatures": signatures, "bound": bound or {}, "joined": {},
    }  # fmt: skip


def entries(*rolls, over="worlds"):
    promise = {
        "k": 2, "l": 2, "sensitive": "ill", "quasi_identifiers": ["age"], "kept": [],
        "over_series": over,
    }  # fmt: skip
    return [
        {"number": number, "made": True, "promise": promise, "roll": one}
        for number, one in enumerate(rolls, 1)
    ]


def proof(*rolls):
    """Return what is proven of rolls."""
    with Engine() as engine:
        load_roll(engine, entries(*rolls))
        return prove(engine)


def test_company_is_a_proof():
    """People who are always together, with two values, have two values left."""
    alone = roll(["A", "B", "C"], [0, 0, 0], "xxy")
    assert proof(alone, alone).below == 0


def test_a_single_leaver_is_not_proven():
    """Who leaves her company alone is given away, and so is who takes her place alone."""
    before, after = roll(["A", "B", "C"], [0, 0, 0], "xyz"), roll(["A", "B", "D"], [0] * 3, "xyw")
    assert proof(before, after).below == 2


def test_a_signature_is_a_proof():
    """Who leaves alone is safe where somebody of her value takes the place in a signature."""
    before = roll(["A", "B", "C"], [0, 0, 0], "xyz")
    after = roll(["A", "B", "D"], [0, 0, 0], "xyz", [["x", "z"]], [0, -1, 0], {"C": 0})
    assert proof(before, after).below == 0
    assert proof(before, roll(["A", "B"], [0, 0], "xy")).below == 1


def test_a_signature_that_is_not_balanced_proves_nothing():
    """A signature counts only where each of its values is equally frequent in every class."""
    before = roll(["A", "B"], [0, 0], "xy", [["x", "y"]], [0, 0])
    after = roll(["A", "D"], [0, 0], "xz", [["x", "y"]], [0, -1])
    assert proof(before, after).below > 0


def test_a_value_that_changes_is_noticed():
    """A person whose value changes is counted."""
    one, other = roll(["A", "B"], [0, 0], "xy"), roll(["A", "B"], [0, 0], "yx")
    assert proof(one, other).changed == 2


def test_what_was_promised_is_proven():
    """Over sets values that classes share count, over worlds those that nobody can rule out."""
    before, after = roll(["A", "B", "C"], [0, 0, 0], "xyz"), roll(["A", "B", "D"], [0] * 3, "xyw")
    assert of_promise(entries(before, after, over="sets")).below == 0
    assert of_promise(entries(before, after)).below == 2
    weak = of_promise(entries(before, after, over="sets"))
    assert (weak.common, weak.fewest) == (2, 1)  # C left alone, and whoever subtracts has her value
    with Engine() as engine:
        load_roll(engine, entries(before, after))
        assert shared(engine).fewest == 2
    assert of_promise([]).fewest is None


def test_an_unsafe_release_is_not_kept(tmp_path):
    """The judge stops a release whose entry would give somebody away, and nothing is written."""
    table = random_series(3)[0]
    result = shoal.anonymize(table, 3, ledger=tmp_path / "s.ledger", **ASKED)
    numbers = result.pending.numbers
    forged = replace(result.pending, numbers=numbers[:1] * len(numbers))
    object.__setattr__(result, "pending", forged)
    with pytest.raises(PrivacyError, match="nothing was kept"):
        result.save(tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_entry_and_release_are_of_one_number(series):
    """The ledger has an entry for every release, with the hash of its file."""
    ledger = Ledger.load(series / "s.ledger")
    assert [one.number for one in ledger.releases] == [1, 2, 3]
    report = json.loads((series / "0" / "report.json").read_text())
    assert report["release"]["sha256"] == ledger.releases[0].sha256
