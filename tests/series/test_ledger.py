"""The file of a ledger: its chain, its key, its lock, and who may read it."""

from __future__ import annotations

import stat

import pytest

from shoal.errors import InputError, RequestError
from shoal.series.keeping import check_ledger, forget_people, withdraw_release
from shoal.series.key import key_path
from shoal.series.ledger import Ledger, Promise, Release, Roll, check_unchanged, locked
from shoal.storage import system


def entry(ledger, people, number=1):
    """Return a release of people who are all in one class."""
    numbers = tuple(ledger.key.person(one) for one in people)
    value = ledger.key.value("ill", "flu")
    roll = Roll(numbers, (0,) * len(people), (value,) * len(people), (-1,) * len(people))
    return Release(number, f"{number}.csv", "0" * 64, Promise(2, 2, "ill", ("age",)), roll)


@pytest.fixture
def path(tmp_path):
    """A ledger of two releases."""
    place = tmp_path / "series.ledger"
    ledger = Ledger.open(place)
    ledger = ledger.with_entry(entry(ledger, ["Ann", "Bob", "Cid"]))
    ledger.with_entry(entry(ledger, ["Ann", "Dan"], 2)).write()
    return place


def test_it_reads_what_was_written(path):
    """A ledger is the same after it was written and read."""
    ledger = Ledger.load(path)
    assert [one.number for one in ledger.releases] == [1, 2]
    assert ledger.next_number == 3
    assert ledger.key.person("Dan") in ledger.releases[1].roll.people
    before = path.read_text()
    ledger.with_entry(entry(ledger, ["Eve"], 3)).write()
    assert path.read_text().startswith(before)


def test_only_the_owner_reads_it(path):
    """Ledger and key are for their owner alone, and neither holds a name or a value."""
    for file in (path, key_path(path)):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        text = file.read_text()
        assert all(word not in text for word in ("Ann", "Bob", "flu"))
    assert "Ann" not in repr(Ledger.load(path))


@pytest.mark.parametrize("change", ["value", "line", "order", "key"])
def test_a_change_is_noticed(path, change):
    """No line can be changed, taken out or moved without the key."""
    lines = path.read_text().splitlines(keepends=True)
    if change == "value":
        lines[1] = lines[1].replace('"withheld":0', '"withheld":1')
    elif change == "line":
        del lines[1]
    elif change == "order":
        lines[1], lines[2] = lines[2], lines[1]
    else:
        other = Ledger.new(path)
        key_path(path).write_bytes(other.key.to_bytes())
    path.write_text("".join(lines))
    with pytest.raises(InputError, match="message code is wrong"):
        Ledger.load(path)


def test_a_lost_key_is_a_clear_word(path):
    """Without the key the message says what that means and what to do."""
    key_path(path).unlink()
    with pytest.raises(InputError, match="cannot be continued; bring the key back"):
        Ledger.load(path)


def test_a_key_without_its_ledger_begins_nothing(path):
    """A ledger that is gone is not begun anew under its old key."""
    path.unlink()
    with pytest.raises(InputError, match="there is a key, and no ledger"):
        Ledger.open(path)


def test_a_withdrawn_release_no_longer_counts(path):
    """What was not published is as if it had not been made; its number is not used again."""
    assert [one.number for one in withdraw_release(path, 2).releases] == [1]
    assert Ledger.load(path).next_number == 3
    with pytest.raises(RequestError, match="there is no release 2"):
        withdraw_release(path, 2)
    assert "withdrawn" in check_ledger(path)


def test_people_leave_and_are_forgotten(path):
    """Who left is in no class of the ledger, and is noted; the others are as they were."""
    number = Ledger.load(path).key.person("Ann")
    left = forget_people(path, ["Ann", "Nobody"])
    ledger = Ledger.load(path)
    assert (left.people, left.unknown, left.companions) == (2, 1, 1)
    assert number in ledger.left
    assert all(number not in one.roll.people for one in ledger.releases)
    assert [len(one.roll.people) for one in ledger.releases] == [3, 2]
    assert "Ann" not in left.summary()


def test_one_run_at_a_time(path):
    """A ledger that another run works with is refused, and is free again afterwards."""
    lock = path.with_name(f".{path.name}.lock")
    lock.mkdir()
    held = system.lock_folder(lock)
    with pytest.raises(RequestError, match="another run"), locked(path):
        raise AssertionError
    held.release()
    with locked(path):
        pass
    assert not lock.exists()


def test_a_ledger_that_went_on_is_noticed(path):
    """A release made of an older ledger is refused."""
    ledger = Ledger.load(path)
    withdraw_release(path, 1)
    with pytest.raises(RequestError, match="was continued since"):
        check_unchanged(ledger)


def test_a_ledger_that_was_begun_meanwhile_is_noticed(path):
    """Of two runs that both begin a ledger the second is refused; the entry of the first stays."""
    with pytest.raises(RequestError, match="was continued since"):
        check_unchanged(Ledger.new(path))
