"""Sets of possible values that a release makes smaller: of how many people, and why."""

from __future__ import annotations

from shoal.kernels.arrays import Integers
from shoal.partition import rows_of_groups
from shoal.run.membership import Membership


def shrunk_notes(who: Membership, labels: Integers) -> list[str]:
    """Return for how many people fewer values are left by their classes than before.

    Companions are those who were in one class of the last release with somebody who is not in this
    one.
    """
    rule, left = who.rule, who.history.left
    if rule is None or not left:
        return []
    gone = set(who.history.homes) - set(who.people)
    emptied = {who.history.homes[one] for one in gone}
    shrunk, companions, fewest = 0, 0, len(who.values)
    for rows in rows_of_groups(labels):
        there = {who.values[value] for value in rule.own[rows].tolist()}
        for row in rows.tolist():
            before = left.get(who.people[row])
            if before is None:
                continue
            fewest = min(fewest, len(before & there))
            if not before <= there:
                shrunk += 1
                companions += int(who.homes[row]) in emptied
    if not shrunk:
        return []
    return [
        f"of {shrunk:,} people fewer values are left than by earlier classes, {companions:,} of "
        f"them companions of people who did not come again; the fewest are {fewest}"
    ]
