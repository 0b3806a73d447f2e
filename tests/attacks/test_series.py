"""Differencing over a series: public reports of releases whose people come and go, one by one.

Whoever has all public reports of a series, and knows who is in which release, subtracts the sums
that they tell. What is left must not be the values of who came or left.
"""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest

from shoal.pipeline.anonymize import anonymize_with
from shoal.report.chunk import Chunk
from shoal.report.figures import figures_of
from shoal.report.figures.ranges import compared
from shoal.settings import build
from shoal.table.assign import with_roles
from shoal.table.read import read
from shoal.table.roles import Role

K = 4
QUASI = ["age", "visits", "pay"]
UNLIKE = {"age": 88, "visits": 38, "pay": 8_765}  # no guess of it is right by chance


def people(seed, count):
    """Return people as a table of lists, the last of whom is unlike the mean."""
    rng = np.random.default_rng(seed)
    table = {
        "id": [f"p{number}" for number in range(count)],
        "age": rng.integers(18, 90, count).tolist(),
        "visits": rng.integers(0, 40, count).tolist(),
        "pay": rng.integers(900, 9_000, count).tolist(),
        "ill": rng.choice(list("abcdef"), count).tolist(),
    }
    for name, value in UNLIKE.items():
        table[name][-1] = value
    return table


def some(table, rows):
    return {name: [values[row] for row in rows] for name, values in table.items()}


def release(table, folder, **series):
    """Release a table under the ledger of a folder, and note it there."""
    settings = build({
        "roles": {"quasi_identifiers": QUASI, "sensitive": ["ill"], "person": "id"},
        "protect": {"k": K, "l": 2, "method": "mdav"},
        "series": {"ledger": str(folder / "s.ledger"), "withhold": 0.5, **series},
    })  # fmt: skip
    result = anonymize_with(table, settings, measured=False)
    number = result.pending.ledger.next_number
    labels = result.partition.labels.tolist()
    entry = result.pending.entry(f"{number}.csv", str(number), QUASI, labels)
    result.pending.ledger.with_entry(entry).write()
    return result


def sums(report):
    """Return the sums of the original's columns that a public report tells."""
    rows = report["release"]["records"]
    return {
        column["name"]: rows * column["mean_before"]
        for column in report["columns"]
        if isinstance(column.get("mean_before"), int | float)
    }


@pytest.mark.parametrize("model", ["sets", "worlds"])
def test_one_comes_and_goes(tmp_path, model):
    """A person is in the second of three releases alone: no difference of sums is her value."""
    table = people(1, 201)
    rows = list(range(200))
    parts = [rows, [*rows, 200], rows[:-1]]
    reports = [
        release(some(table, part), tmp_path, over_series=model, stable=bool(number))
        .report.published()
        .to_dict()
        for number, part in enumerate(parts)
    ]
    told = [sums(report) for report in reports]
    assert any(told)
    found = [
        (name, one, other)
        for (one, first), (other, second) in itertools.combinations(enumerate(told), 2)
        for name in first.keys() & second.keys()
        if abs(abs(second[name] - first[name]) - UNLIKE[name]) < 0.5
    ]
    assert found == []


def test_a_series_tells_no_mean_that_its_reports_do_not(tmp_path):
    """The drift of a stable series holds what the public reports told already, and no more."""
    table = people(2, 220)
    parts = [list(range(200)), list(range(10, 210)), list(range(20, 220))]
    told, drift = {}, []
    for number, part in enumerate(parts, 1):
        result = release(some(table, part), tmp_path, stable=number > 1)
        report = result.report.published().to_dict()
        for column in report["columns"]:
            if column.get("mean_before") is not None:
                told[column["name"], number] = (
                    column["mean_before"],
                    column["steps"]["mean_before"],
                )
        drift = report["series"].get("drift", [])
        assert "withheld" not in report["series"]
    assert drift
    for one in drift:
        for number, mean, step in zip(one["releases"], one["means"], one["steps"], strict=True):
            assert told[one["column"], number] == (mean, step)


def test_figures_of_a_series_are_stable_against_k_people(tmp_path):
    """The same k people replaced in all releases move no public figure by more than a step."""
    table = people(3, 140)
    rng = np.random.default_rng(3)
    parts = [rng.permutation(140)[:110] for _ in range(3)]
    always = sorted(set.intersection(*(set(part.tolist()) for part in parts)))
    who = {f"p{row}" for row in always[:K]}
    moved = 0
    for part in parts:
        own = some(table, sorted(part.tolist()))
        result = release(own, tmp_path)
        names = {result.pending.ledger.key.person(one): one for one in own["id"]}
        ids = [names[one] for one in result.pending.people]
        place = {one: row for row, one in enumerate(own["id"])}
        kept = some(own, [place[one] for one in ids])
        other = {
            name: [
                (min, max)[row % 2](result.table[name].values.to_pylist()) if one in who else value
                for row, (one, value) in enumerate(zip(ids, kept[name], strict=True))
            ]
            for name in QUASI
        }
        before, after = (_figures(one, result) for one in (kept, other))
        for key, figure in before.items():
            change = abs(after[key].value - figure.value)
            assert change <= figure.bound * (1 + 1e-6) + 1e-9, key
            assert figure.bound <= figure.step * (1 + 1e-6)
            moved += change > 0
    assert moved


def _figures(columns, result):
    """Return the public figures of originals under a release."""
    table = read(pa.table({name: columns[name] for name in QUASI}))
    table = with_roles(table, dict.fromkeys(QUASI, Role.QUASI_IDENTIFIER))
    released = result.table.only(lambda column: column.name in QUASI)
    how = dict.fromkeys(QUASI, "mean")
    chunk = Chunk(table, released, result.partition.labels, how, None)
    return figures_of([chunk], K, 0, None)["stable"] | compared(table, released, {}, K)
