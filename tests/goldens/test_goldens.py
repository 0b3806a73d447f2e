"""Every case goes in through its doors, and comes out as it was recorded."""

from __future__ import annotations

import pytest

from goldens.cases import all_cases
from goldens.record import differences, records_of, unexplained
from goldens.tables import NotHereError
from goldens.zygote import Zygote


def _marks(case, door):
    marks = [pytest.mark.xdist_group("goldens-desk")] if door == "desk" else []
    marks += [pytest.mark.slow] * case.slow + [pytest.mark.reference] * case.reference
    return marks


EVERY = [
    pytest.param(case, door, id=f"{case.name}-{door}", marks=_marks(case, door))
    for case in all_cases().values()
    for door in case.doors
]


@pytest.fixture(scope="session")
def zygote():
    """A process that has imported everything, and forks itself for each case."""
    made = Zygote()
    yield made
    made.close()


@pytest.mark.parametrize(("case", "door"), EVERY)
def test_a_case_comes_out_as_it_was_recorded(case, door, zygote):
    """What a case brings through a door is what it brought when it was recorded."""
    try:
        found = zygote.carry_out(case.name, door)
    except NotHereError as missing:
        pytest.skip(f"there is no {missing} here")
    recorded = records_of(case.area).get(case.name, {}).get(door)
    assert recorded is not None, "not recorded yet: make goldens"
    assert not differences(recorded, found)


def test_every_change_since_the_first_records_has_its_reason():
    """The records and CHANGES.md agree on what has changed, and each change has a reason."""
    assert not list(unexplained())


def test_records_are_of_cases_that_there_are():
    """Every case is recorded, and nothing else is."""
    areas = {case.area for case in all_cases().values()}
    recorded = {name: set(records_of(area)) for area in areas for name in [area]}
    cases = {area: {c.name for c in all_cases().values() if c.area == area} for area in areas}
    assert recorded == cases
