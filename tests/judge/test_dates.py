"""Dates in the format of a release: the judge orders them as dates, by code of its own."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest

import shoal
from shoal.judge.csv_text import as_iso

DAYS = [date(1950, 1, 1) + timedelta(days=331 * i % 9973) for i in range(24)]


def table(write, form):
    """Write numbers, and dates in a format."""
    return write(
        "t.csv", "a;d\n" + "".join(f"{i};{d.strftime(form)}\n" for i, d in enumerate(DAYS))
    )


@pytest.mark.slow
@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y"])
def test_t_closeness_of_dates_is_that_of_iso(write, tmp_path, form):
    """Dates have the order of the calendar when a release is saved, packed and verified again."""
    asked = {"k": 3, "t": 0.4, "quasi_identifiers": ["a"], "sensitive": ["d"], "method": "mdav"}
    made = shoal.anonymize(table(write, form), **asked, date_format=form)
    release = made.save(tmp_path / "r", report=False)
    text = json.loads((tmp_path / "r" / "report.json").read_text())["release"]["text"]
    assert text["date_format"] == {"d": form}
    found = shoal.verify(release, k=3, t=0.4)
    assert found.ok
    iso = shoal.anonymize(table(write, "%Y-%m-%d"), **asked).save(tmp_path / "i", report=False)
    same = shoal.verify(iso, k=3, t=0.4)
    assert found.models[0].found == same.models[0].found
    alone = write("alone.csv", release.read_bytes())
    roles = {"k": 3, "t": 0.4, "quasi_identifiers": ["a"], "sensitive": ["d"]}
    assert not shoal.verify(alone, **roles).ok  # texts are all equally far apart
    for said in (form, {"d": form}):
        again = shoal.verify(alone, **roles, date_format=said)
        assert again.models[0].found == same.models[0].found
    pack = made.pack(tmp_path / "pack")
    assert shoal.check_pack(pack).ok


def test_formats():
    """A text of the format is the date that it names, any other is none."""
    assert as_iso(" 3.2.2001 ", "%d.%m.%Y") == "2001-02-03"
    assert as_iso("03.02.2001 04:05+0100", "%d.%m.%Y %H:%M%z") == "2001-02-03T04:05:00+01:00"
    assert as_iso("31.02.2001", "%d.%m.%Y") is None
    assert as_iso("unknown", "%d.%m.%Y") is None


@pytest.mark.parametrize("wrong", ["%d.%m", "%Q", 5, {"d": 5}, {"d": "%Y"}])
def test_formats_that_name_no_date_are_refused(write, wrong):
    """What is no format of a date is an error of the request."""
    with pytest.raises(shoal.RequestError):
        shoal.verify(table(write, "%d.%m.%Y"), k=1, quasi_identifiers=["a"], date_format=wrong)
