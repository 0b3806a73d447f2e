"""The judge of a series: what it proves, and what it notices."""

from __future__ import annotations

import json

import pytest

import shoal
from series_tables import random_series
from shoal.errors import InputError, PrivacyError, RequestError
from shoal.judge.series import verify_series
from shoal.judge.series_proof import prove
from shoal.ledger.ledger import Ledger

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


def roll(people, classes, values, signatures=(), signature=None, bound=None):
    """Return an entry of the ledger that promises l = 2."""
    own = [-1] * len(people) if signature is None else signature
    return {
        "people": people, "classes": classes, "values": list(values), "signature": own,
        "signatures": signatures, "bound": bound or {},
    }  # fmt: skip


def entries(*rolls):
    promise = {"k": 2, "l": 2, "sensitive": "ill", "quasi_identifiers": ["age"], "kept": []}
    return [
        {"number": number, "made": True, "promise": promise, "roll": one}
        for number, one in enumerate(rolls, 1)
    ]


def test_company_is_a_proof():
    """People who are always together, with two values, have two values left."""
    alone = roll(["A", "B", "C"], [0, 0, 0], "xxy")
    assert prove(entries(alone, alone)).below == 0


def test_a_single_leaver_is_not_proven():
    """Who leaves her company alone is given away, and so is who takes her place alone."""
    before, after = roll(["A", "B", "C"], [0, 0, 0], "xyz"), roll(["A", "B", "D"], [0] * 3, "xyw")
    assert prove(entries(before, after)).below == 2


def test_a_signature_is_a_proof():
    """Who leaves alone is safe where somebody of her value takes the place in a signature."""
    before = roll(["A", "B", "C"], [0, 0, 0], "xyz")
    after = roll(["A", "B", "D"], [0, 0, 0], "xyz", [["x", "z"]], [0, -1, 0], {"C": 0})
    assert prove(entries(before, after)).below == 0
    assert prove(entries(before, roll(["A", "B"], [0, 0], "xy"))).below == 1


def test_a_signature_that_is_not_balanced_proves_nothing():
    """A signature counts only where each of its values is equally frequent in every class."""
    before = roll(["A", "B"], [0, 0], "xy", [["x", "y"]], [0, 0])
    after = roll(["A", "D"], [0, 0], "xz", [["x", "y"]], [0, -1])
    assert prove(entries(before, after)).below > 0


def test_a_value_that_changes_is_noticed():
    """A person whose value changes is counted."""
    one, other = roll(["A", "B"], [0, 0], "xy"), roll(["A", "B"], [0, 0], "yx")
    assert prove(entries(one, other)).changed == 2


def test_an_unsafe_release_is_not_kept(tmp_path):
    """The judge stops a release whose entry would give somebody away, and nothing is written."""
    table = random_series(3)[0]
    result = shoal.anonymize(table, 3, ledger=tmp_path / "s.ledger", **ASKED)
    people = result.pending.people
    forged = type(result.pending)(
        result.pending.ledger, result.pending.promise, people,
        (result.pending.values[0],) * len(people),
        result.pending.dealt, {}, {}, 0,
    )  # fmt: skip
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
