"""Group column: the number of each record's group, as one more column of the release.

What may a number tell? Records of one group agree in every quasi-identifier, so their number says
no more than these do, unless several groups release the same values: then numbers part what would
be one equivalence class. A class with its number is still a group, of at least k records and with
all that is asked beyond k, and the judge is made to see it so: it counts classes by the
quasi-identifiers and the number, in memory and in the written file (`Settings.class_columns`).
The numbers themselves are 1 to the count of groups in an order drawn from the operating system's
randomness, at every run anew: labels are numbered by the first record of each group, and a seed is
in the recipe, so any order that can be computed again would tell how the input was sorted.
"""

from __future__ import annotations

import pyarrow as pa

from shoal.partition import Partition
from shoal.release.write import row_order
from shoal.table.roles import Column, Kind, Role
from shoal.table.table import Table


def with_group_column(released: Table, partition: Partition, name: str | None) -> Table:
    """Return the release with the number of each record's group as its last column, if named."""
    if name is None:
        return released
    numbers = row_order(partition.groups) + 1
    values = pa.array(numbers[partition.labels], type=pa.int64())
    column = Column(name, Kind.INTEGER, values, Role.OTHER, protected=True)
    columns = (*released.columns, column)
    return Table(columns, released.source, released.roles_given)
