"""What a limit of memory means for the sizes of steps."""

from __future__ import annotations

import pytest

import shoal
from shoal.pipeline.regions.budget import budget_for
from shoal.pipeline.regions.encoders import Vocabulary
from shoal.table.memory import LEAST, read_memory
from shoal.table.read import read


def test_all_steps_shrink_with_the_memory():
    """Less memory means smaller regions, pieces, files, counts and trees, none of them empty."""
    plans = [budget_for(memory, 7, 50.0) for memory in (LEAST, 2 * LEAST, 20 * LEAST)]
    for name in ("records", "piece", "file", "judge", "values"):
        sizes = [getattr(plan, name) for plan in plans]
        assert 0 < sizes[0] < sizes[1] <= sizes[2], name


def test_two_regions_at_once_need_room_for_two():
    """A region that fills the memory is alone; where two of the largest fit, two are at once."""
    assert budget_for(LEAST, 8, 64.0).beside == 1
    assert budget_for(3 * LEAST, 8, 64.0).beside == 1
    assert budget_for(read_memory("4GB"), 8, 64.0).beside == 2
    assert budget_for(read_memory("400GB"), 8, 64.0).beside == 2


def test_the_floor_is_named():
    """Less memory than the program needs is refused in words that say how much it needs."""
    assert read_memory(f"{LEAST // 10**6}MB") == LEAST
    with pytest.raises(shoal.RequestError, match=f"at least {LEAST // 10**6}MB are needed"):
        read_memory(f"{LEAST // 10**6 - 1}MB")


def test_too_many_values_for_the_memory(tmp_path):
    """More different values than trees may have in the memory given are refused."""
    path = tmp_path / "t.csv"
    path.write_text("a,b\n" + "".join(f"{i},{i}\n" for i in range(30)))
    table = read(path)
    Vocabulary(table.columns, 60).add(table)
    with pytest.raises(shoal.RequestError, match=r"more than 59 different values.*memory"):
        Vocabulary(table.columns, 59).add(table)
