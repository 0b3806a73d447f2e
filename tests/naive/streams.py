"""The auditor of a stream: reads all batches and says what is wrong with them.

A column that is kept, and different for every record, tells which record of the input each is.
"""

from __future__ import annotations

import csv
from collections import Counter


def read(path):
    """Return the records of a csv file."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def audit(arrivals, batches, quasi, k, counts, delay=None):
    """Return what is wrong: arrivals are (person, tag) in order, batches are (records, come).

    `come` is how many records had come when a batch was made; a record may wait for `delay` later
    ones. `counts` is what the stream says of itself.
    """
    problems, place, first, again = [], {}, {}, 0
    for number, (person, tag) in enumerate(arrivals):
        place[tag] = number
        if person in first:
            again += 1
        else:
            first[person] = tag
    own, seen = {tag: person for person, tag in first.items()}, Counter()
    for number, (records, come) in enumerate(batches):
        classes = Counter(tuple(one[name] for name in quasi) for one in records)
        if records and min(classes.values()) < k:
            problems.append(f"batch {number}: a class of fewer than {k}")
        for one in records:
            tag = one["tag"]
            if tag not in own:
                problems.append(f"batch {number}: a record that is nobody's first")
                continue
            seen[own[tag]] += 1
            if delay is not None and come - 1 - place[tag] > delay:
                problems.append(f"batch {number}: a record waited too long")
    if any(times > 1 for times in seen.values()):
        problems.append("somebody was released twice")
    released = sum(seen.values())
    wanted = {"come": len(arrivals), "released": released, "again": again}
    for name, number in wanted.items():
        if counts[name] != number:
            problems.append(f"{counts[name]} {name}, and there are {number}")
    rest = counts["waiting"] + counts["withheld"] + counts["left"]
    if released + again + rest != len(arrivals):
        problems.append("somebody was lost")
    return problems
