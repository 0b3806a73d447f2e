"""What larger groups cost now and save then; whose sets become smaller."""

from __future__ import annotations

import itertools

import pytest

from series_tables import random_series, settings_for
from shoal.pipeline.anonymize import anonymize_with
from shoal.pipeline.series_groups import short_share


def enumerated(sizes, k, share):
    """The same share by all ways in which people of each class come again."""
    short = every = 0.0
    for size in sizes:
        for comes in itertools.product((0, 1), repeat=size):
            chance = share ** sum(comes) * (1 - share) ** (size - sum(comes))
            every += chance * sum(comes)
            short += chance * sum(comes) * (sum(comes) < k)
    return short / every


@pytest.mark.parametrize("share", [0.3, 0.8, 1.0])
def test_the_share_of_people_in_short_classes(share):
    """It is that of all ways to come again, each with its chance."""
    sizes = [3, 4, 4, 7]
    assert short_share(sizes, 4, share) == pytest.approx(enumerated(sizes, 4, share))


def test_the_report_says_what_an_overlap_costs_and_saves(tmp_path):
    """Larger groups lose more now, and leave fewer people in classes below k then."""
    first = random_series(7, people=60, each=50)[0]
    settings = settings_for(tmp_path / "s.ledger").replace(series={"expect_overlap": 0.6})
    result = anonymize_with(first, settings, measured=False)
    (note,) = [one for one in result.report.notes if "expect_overlap" in one]
    assert "groups of at least 5 people instead of 3 lose" in note
    assert not any("expect_overlap" in one for one in result.report.public_notes)
    assert result.report.k == 3
    words = note.split("come again, ")[1].split(" %")
    assert float(words[0]) < float(words[1].removeprefix(" instead of "))


def test_companions_whose_sets_shrink_are_counted(tmp_path):
    """The private report counts people with fewer values than before, and companions of leavers."""
    tables = random_series(8, people=60, each=45)
    shrunk, homes, left = 0, {}, {}
    for number, table in enumerate(tables):
        settings = settings_for(tmp_path / "s.ledger", model="sets")
        result = anonymize_with(table, settings, measured=False)
        pending, labels = result.pending, result.partition.labels.tolist()
        classes = {}
        for label, value in zip(labels, pending.values, strict=True):
            classes.setdefault(label, set()).add(value)
        gone = {homes[one] for one in homes if one not in pending.people}
        fewer = [
            (one, left[one] & classes[label])
            for one, label in zip(pending.people, labels, strict=True)
            if one in left and not left[one] <= classes[label]
        ]
        beside = sum(1 for one, _ in fewer if homes.get(one) in gone)
        if fewer:
            said = f"of {len(fewer)} people fewer values are left than by earlier classes, {beside}"
            assert any(note.startswith(said) for note in result.report.notes)
        shrunk += len(fewer)
        entry = pending.entry(f"{number}.csv", str(number), ["age", "pay"], labels)
        pending.ledger.with_entry(entry).write()
        homes = dict(zip(pending.people, labels, strict=True))
        for one, label in homes.items():
            left[one] = left.get(one, classes[label]) & classes[label]
    assert shrunk
