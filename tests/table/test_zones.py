"""Times with an offset from UTC: what clocks show is kept, and what was written comes back."""

from __future__ import annotations

from datetime import datetime, timedelta

import pyarrow.parquet as pq
import pytest

import shoal
from shoal.release.write import csv_bytes, row_order
from shoal.table.csv_pieces import CsvPieces
from shoal.table.dialects.dialect import dialect_of
from shoal.table.dialects.notation import offset_of, shared_zone
from shoal.table.roles import Kind
from thorough import spread

QUASI = {"k": 2, "quasi_identifiers": ["a", "w"], "method": "mdav"}


def written(write, cells):
    """Write a file with a column of times."""
    return write("t.csv", "a;w\n" + "".join(f"{i};{cell}\n" for i, cell in enumerate(cells)))


@pytest.mark.parametrize("zone", spread(["Z", "+01:00", "+0100", "-05", "-03:30"], 2))
@pytest.mark.parametrize("form", ["%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%d.%m.%Y %H:%M"])
def test_one_zone_is_kept(write, zone, form):
    """Times of one zone are read as local times, grouped, and written with the zone."""
    moments = [datetime(2026, 3, day, 6 * (day % 4)) for day in range(1, 9)]
    path = written(write, [moment.strftime(form) + zone for moment in moments])
    how = {"date_format": {"w": f"{form}%z"}} if form.startswith("%d") else {}
    table = shoal.read(path, **how)
    assert table["w"].kind is Kind.DATETIME
    assert table["w"].values.to_pylist() == moments
    assert csv_bytes(table, row_order(8, keep=True)) == path.read_bytes()
    release = shoal.anonymize(path, **QUASI, **how).save(path.with_name("r"), report=False)
    for line in release.read_text().splitlines()[1:]:
        cell = line.split(";")[1]
        assert cell.endswith(zone)
        datetime.strptime(cell.removesuffix(zone), form)
    assert shoal.verify(release, k=2).ok


def test_whole_days_of_a_zone_stay_whole_days(write):
    """The mean of midnights is a midnight of the same zone, not an hour that UTC makes of it."""
    path = written(write, [f"2026-03-{day:02d}T00:00:00+01:00" for day in range(1, 8)])
    released = shoal.anonymize(path, **QUASI).data["w"].values.to_pylist()
    assert {moment.hour for moment in released} == {0}


def test_parquet_holds_instants(write):
    """A release of such a column in Parquet has the instants, in UTC, and is measured as such."""
    path = written(write, ["2026-03-01T00:30:00+01:00"] * 4)
    result = shoal.anonymize(path, k=2, quasi_identifiers=["w"], drop=["a"], method="mdav")
    release = result.save(path.with_name("r"), format="parquet")
    (moment,) = set(pq.read_table(release)["w"].to_pylist())
    assert moment.isoformat() == "2026-02-28T23:30:00+00:00"
    lines = result.save(path.with_name("j"), format="jsonl").read_text()
    assert '"2026-03-01T00:30:00+01:00"' in lines
    path = written(write, [f"2026-03-{day:02d}T00:30:00+01:00" for day in range(1, 9)])
    release = shoal.anonymize(path, **QUASI).save(path.with_name("s"), format="parquet")
    assert shoal.measure(path, release).utility["means"].by["w"] == 0


def test_several_zones_take_a_format(write):
    """Times of several zones are in doubt; a format with %z reads them as UTC, in pieces too."""
    cells = ["2026-03-01T12:00:00+01:00", "2026-03-01T12:00:00-01:00", "2026-03-01T12:00:00+01:00"]
    path = written(write, cells)
    assert "date_format={COLUMN: '%Y-%m-%dT%H:%M:%S%z'}" in shoal.read(path)["w"].doubt
    how = {"date_format": "%Y-%m-%dT%H:%M:%S%z"}
    column = shoal.read(path, **how)["w"]
    wanted = [datetime(2026, 3, 1, hour) for hour in (11, 13, 11)]
    assert column.values.to_pylist() == wanted
    assert column.written.zone == "+00:00"
    pieces = CsvPieces(path, dialect=dialect_of(**how), size=40)
    list(pieces.first())
    parts = list(pieces.again())
    assert len(parts) > 1
    assert [value for part in parts for value in part["w"].values.to_pylist()] == wanted


def test_offsets():
    """Offsets are hours and minutes; several zones are written as UTC in the form they have."""
    assert offset_of("Z") == offset_of("+00:00") == timedelta(0)
    assert offset_of("-0330") == -timedelta(hours=3, minutes=30)
    assert offset_of("+24:00") is offset_of("+01:60") is None
    assert shared_zone({"+01:00"}) == "+01:00"
    assert shared_zone({"+01:00", "Z"}) == "Z"
    assert shared_zone({"+0100", "+0200"}) == "+0000"


@pytest.mark.parametrize("form", ["%d.%m.%Y%z", "%z %d.%m.%Y %H:%M", "%d.%m.%Y %H:%M%z%z"])
def test_formats_with_a_zone_out_of_place(write, form):
    """A zone stands after a time of day, once."""
    with pytest.raises(shoal.RequestError):
        shoal.read(written(write, ["x"]), date_format=form)
