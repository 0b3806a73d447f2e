"""Left-over records (A19): whatever the frequencies, the file has no class below k, or is not made.

Classes are counted in the written file by the csv module and a dict, which share nothing with
Shoal.
"""

from __future__ import annotations

import csv
import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from thorough import examples, is_thorough, spread

# one method of every kind there is, the search on trees, and auto; proofs would take minutes
KINDS = {method.kind: method.name for method in reversed(shoal.methods())}
del KINDS["by distance, optimal"]
METHODS = [*KINDS.values(), "kaim+", "auto"]
SEARCHES = {method.name: {"max_iterations": 10} for method in shoal.methods() if method.search}
SEARCHES["auto"] = {"effort": "quick"}
ONE_COLUMN = {method.name for method in shoal.methods() if method.columns == 1}
TEXTS = ["Other", "*", "NA", "a,b", "7", "x", "X", ""]
NUMBERS = ["0", "-3", "7", "7.5", "1000000", "0.1", "8", ""]
NUMBER = re.compile(r"-?[0-9.]+")


def release(folder, columns, k, method, **options):
    """Write columns of cells to a file, release it, and return the cells of the written release."""
    here = Path(tempfile.mkdtemp(dir=folder))
    with (here / "data.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow([*columns, "kept"])
        writer.writerows((*row, i) for i, row in enumerate(zip(*columns.values(), strict=True)))
    words = {name: {cell for cell in cells if cell} for name, cells in columns.items()}
    texts = [name for name, cells in words.items() if not all(map(NUMBER.fullmatch, cells))]
    try:
        made = shoal.anonymize(
            here / "data.csv", k=k, quasi_identifiers=list(columns), keep_unique=["kept"],
            method=method,
            types=dict.fromkeys(texts, "text"), **SEARCHES.get(method, {}), **options,
        )  # fmt: skip
        path = made.save(here / "out", report=False)
    except shoal.ShoalError:
        assert not (here / "out").exists(), "a refusal left files behind"
        raise
    with path.open(newline="", encoding="utf-8") as file:
        head, *rows = csv.reader(file)
    places = [head.index(name) for name in columns]
    return [tuple(row[place] for place in places) for row in rows]


def smallest_class(rows):
    classes: dict[tuple[str, ...], int] = {}
    for row in rows:
        classes[row] = classes.get(row, 0) + 1
    return min(classes.values())


@st.composite
def frequencies(draw, method):
    """Cells of one or two columns by how often each occurs; the empty ones are missing."""
    pool = NUMBERS[:-1] if method in ONE_COLUMN else draw(st.sampled_from([TEXTS, NUMBERS]))
    counts = draw(st.lists(st.integers(0, 9), min_size=len(pool), max_size=len(pool)).filter(any))
    cells = [cell for cell, count in zip(pool, counts, strict=True) for _ in range(count)]
    columns = {"a": draw(st.permutations(cells))}
    if method not in ONE_COLUMN and draw(st.booleans()):
        other = draw(st.sampled_from([TEXTS, NUMBERS]))
        columns["b"] = [draw(st.sampled_from(other)) for _ in cells]
    return columns


@pytest.mark.parametrize("method", spread(METHODS, 1))
@given(data=st.data(), k=st.integers(2, 5), incomplete=st.sampled_from(["keep", "delete"]))
@examples(18)
def test_no_class_below_k(tmp_path_factory, method, data, k, incomplete):
    """Any frequencies of texts, numbers and gaps end in classes of k, or in a refusal."""
    columns = data.draw(frequencies(method))
    records = list(zip(*columns.values(), strict=True))
    kept = [record for record in records if incomplete == "keep" or "" not in record]
    by_column = (*columns.values(), *zip(*kept, strict=True)) if kept else ()
    folder = tmp_path_factory.getbasetemp()
    if len(kept) < k or not all(map(any, by_column)):  # too few, or a column without a value
        with pytest.raises(shoal.ShoalError):
            release(folder, columns, k, method, incomplete=incomplete)
        return
    rows = release(folder, columns, k, method, incomplete=incomplete)
    assert len(rows) == len(kept)
    assert smallest_class(rows) >= k


@pytest.mark.parametrize("method", spread(METHODS, 3))
@pytest.mark.parametrize("k", [3, *(pytest.param(k, marks=pytest.mark.slow) for k in (2, 4, 5))])
def test_every_number_of_left_overs(tmp_path, method, k):
    """All numbers of left-overs, records all different or in twos: no class below k."""
    for rows in range(k, 3 * k + 1 if is_thorough() else 2 * k + 1):
        for width in (1, 2) if is_thorough() else (1 + rows % 2,):
            cells = [str(7 * (i // width) % 50) for i in range(rows)]
            found = release(tmp_path, {"a": cells}, k, method)
            assert len(found) == rows
            assert smallest_class(found) >= k, (rows, width)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in ONE_COLUMN])
@pytest.mark.parametrize("rest", spread([1, 2, 3], 1))
def test_left_overs_of_deletion(tmp_path, method, rest):
    """Where deleting incomplete records leaves some over, they join a class, or are refused."""
    columns = {"a": list("ppppqqqq") + ["r"] * rest + [""] * 5, "b": ["1"] * (13 + rest)}
    found = release(tmp_path, columns, 4, method, incomplete="delete")
    assert len(found) == 8 + rest
    assert smallest_class(found) >= 4
    with pytest.raises(shoal.ShoalError):
        release(tmp_path, {"a": ["p"] * rest + [""] * 5}, 4, method, incomplete="delete")


def test_the_count_can_fail():
    """The counting sees a class of one among larger ones."""
    assert smallest_class([("a", "1")] * 3 + [("a", "2")]) == 1
