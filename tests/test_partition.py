"""Labels, sizes and the lines that tell of them."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from shoal.partition import Partition, SearchLog, canonical_labels


def log(**changed):
    """How a search of three iterations went."""
    told = {
        "iterations": 3, "runs": 2, "schedule": 5, "stopped_by": "iterations", "seconds": 1.25,
        "loss_start": 10.0, "loss_first_optimum": 9.0, "loss_end": 8.5, "curve": [(0, 10.0)],
        "gains": {"shift": {"share": 1.0}}, "pairs_examined": 7, "pairs_by_pass": [1.0],
    }  # fmt: skip
    return SearchLog(**{**told, **changed})


UNREPEATABLE = ", before the first local optimum: not repeatable"
UNFINISHED = ", before its last local optimum"


@pytest.mark.parametrize(
    ("changed", "ending"),
    [
        ({}, "by iterations"),
        ({"iterations": 1, "stopped_by": "seconds"}, "by seconds"),
        ({"iterations": 0}, "by iterations"),
        ({"iterations": 0, "stopped_by": "seconds"}, f"by seconds{UNREPEATABLE}"),
        ({"iterations": 0, "stopped_by": "seconds", "complete": False}, UNREPEATABLE),
        ({"complete": False}, f"by iterations{UNFINISHED}"),
        ({"complete": False, "stopped_by": "looks", "iterations": 0, "gains": {"regroup": {}}},
         f"by looks{UNFINISHED}"),
        ({"stopped_by": "looks", "iterations": 0, "gains": {"regroup": {}}}, "by looks"),
    ],
)  # fmt: skip
def test_a_search_says_how_it_ended(changed, ending):
    """A search that no one can repeat, or that ended early, says so; others do not."""
    line = log(**changed).summary()
    assert line.endswith(ending)
    assert "loss 10.0000 % → 8.5000 % in " in line
    assert "1.2 s, ended by" in line


def test_a_search_as_plain_values():
    """JSON gets all fields of a search; without a word to the contrary it ended whole."""
    told = log().to_dict()
    assert set(told) == {field.name for field in dataclasses.fields(SearchLog)}
    assert told["complete"] is True
    assert told["looks"] is None
    assert told["gains"] == {"shift": {"share": 1.0}}


def test_labels_by_first_row():
    """Labels are counted from 0 in the order in which they first appear."""
    found = canonical_labels(np.array([7, 2, 7, 9, 2]))
    assert found.tolist() == [0, 1, 0, 2, 1]
    assert found.dtype == np.int64
    assert canonical_labels(np.array(["b", "a", "b"])).tolist() == [0, 1, 0]


def test_what_a_partition_says():
    """Groups, their sizes and members, and a line of all of them."""
    partition = Partition([1, 0, 1, 0, 1], 2, "mdav", 12.5)
    assert partition.groups == 2
    assert partition.sizes.tolist() == [2, 3]
    assert [rows.tolist() for rows in partition.members()] == [[1, 3], [0, 2, 4]]
    line = (
        "5 records in 2 groups of 2 to 3, k = 2, mdav: information loss 12.5000 (SSE/SST, percent)"
    )
    assert partition.summary() == str(partition) == line
    assert partition.labels.dtype == np.int64
    for array in (partition.labels, partition.sizes):
        assert not array.flags.writeable


def test_members_of_many_groups():
    """Every group has its own rows, however many there are, and one record may be all there is."""
    rows = [rows.tolist() for rows in Partition([0, 1, 2, 3, 2, 0], 1).members()]
    assert rows == [[0, 5], [1], [2, 4], [3]]
    assert Partition([0], 1).sizes.tolist() == [1]


@pytest.mark.parametrize(
    ("labels", "k", "message"),
    [
        ([], 1, "labels must be a vector, one label a record"),
        ([[0, 0]], 1, "labels must be a vector, one label a record"),
        ([0, -1], 1, "a record has no group"),
        ([0, 0, 0, 1, 1], 3, "group 1 has 2 records, k is 3"),
        ([0, 0, 2, 2], 1, "group 1 has 0 records, k is 1"),
    ],
)
def test_what_is_no_partition(labels, k, message):
    """A record without a group, or a group with fewer than k records, is refused."""
    with pytest.raises(ValueError, match=f"^{message}$"):
        Partition(labels, k)


def test_labels_are_a_copy():
    """Who changes the array that a partition was made of does not change the partition."""
    labels = np.array([0, 0, 1, 1], dtype=np.int64)
    partition = Partition(labels, 2)
    labels[:] = 0
    assert partition.labels.tolist() == [0, 0, 1, 1]
    assert labels.flags.writeable


def test_groups_as_lists():
    """Lists of rows become labels in their order; every record must be in exactly one."""
    partition = Partition.from_groups([[2, 0], [1, 3]], 4, 2, "by hand")
    assert partition.labels.tolist() == [0, 1, 0, 1]
    assert (partition.k, partition.method) == (2, "by hand")
    for groups in ([[0, 1]], [[0, 1], [1, 2]], [[0], [1], [2], [0]]):
        with pytest.raises(ValueError, match="every record once"):
            Partition.from_groups(groups, 3, 1, "by hand")
    with pytest.raises(ValueError, match="no group"):
        Partition.from_groups([[0, 1], [1]], 3, 1, "by hand")


def test_equal_partitions():
    """Partitions are equal where k and all labels are; they have no hash."""
    one = Partition([0, 0, 1, 1], 2, "mdav")
    assert one == Partition([0, 0, 1, 1], 2, "tfrp")
    assert one != Partition([0, 0, 1, 1], 1)
    assert one != Partition([0, 1, 1, 0], 2)
    assert one.__eq__([0, 0, 1, 1]) is NotImplemented
    with pytest.raises(TypeError):
        hash(one)
