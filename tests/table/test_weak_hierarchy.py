"""Damaged hierarchies (A21): refused in words, or every released cell covers its original.

What covers what is read off the file by ten lines of this test and the csv module.
"""

from __future__ import annotations

import csv
import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import shoal
from thorough import examples, spread

METHODS = ("kaim", "k-member", "kaim-paper", "kaim+", "mdav", "v-mdav")


def covers(file, released, original):
    """Whether a released text is the original, the root, or on every line of the original."""
    if released == "*":
        return True
    if original is None:
        return False
    if released == original:
        return True
    with file.open(newline="", encoding="utf-8") as stream:
        lines = [row for row in csv.reader(stream, delimiter=";") if row and row[0] == original]
    return bool(lines) and all(released in row for row in lines)


def release(file, cells, k, method, **options):
    """The released cells of one column of texts."""
    if method == "kaim+":
        options = {"max_iterations": 10, **options}
    if method in ("mdav", "v-mdav"):
        options = {"aggregate": "generalize", **options}
    found = shoal.anonymize(
        pa.table({"a": pa.array(cells, pa.string())}), k=k, quasi_identifiers=["a"], method=method,
        hierarchies={"a": str(file)}, **options,
    )  # fmt: skip
    return found.data["a"].to_pylist()


def write_lines(file, paths):
    with file.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, delimiter=";", lineterminator="\n").writerows(paths)
    return file


# --- one kind of damage at a time; those that `test_hierarchy.py` has are not told again


WHOLE = [["a", "A", "X", "*"], ["b", "A", "X", "*"], ["c", "B", "X", "*"], ["d", "C", "Y", "*"],
         ["e", "C", "Y", "*"]]  # fmt: skip
DAMAGED = {
    "a grandparent in two roots": (3, ["d", "B", "Y", "*"], "two parents"),
    "a level too few": (4, ["e", "Y", "*"], "levels"),
    "a level too many": (4, ["e", "C", "Y", "Y2", "*"], "levels"),
    "no root": (4, ["e", "C", "Y", "Y"], "root"),
    "another root": (0, ["a", "A", "X", "all"], "root"),
    "the root in the middle": (2, ["c", "*", "X", "*"], "above itself|two parents|cycle"),
    "a level left out by a repeated label": (4, ["e", "Y", "Y", "*"], None),
    "a value that is a parent of another": (4, ["C", "C", "Y", "*"], None),
    "a value below itself": (4, ["e", "e", "Y", "*"], None),
    "a cycle over three lines": (2, ["X", "B", "A", "*"], "cycle|two parents|above itself"),
    "a parent that is a value elsewhere": (2, ["A", "B", "X", "*"], "two parents"),
    "the same line twice": (1, ["a", "A", "X", "*"], None),
    "a label of spaces": (2, ["c", " ", "X", "*"], None),
    "labels that differ in case": (2, ["c", "x", "X", "*"], None),
}


@pytest.mark.parametrize("method", spread(METHODS, 2))
@pytest.mark.parametrize("kind", DAMAGED)
def test_one_damage(tmp_path, kind, method):
    """A damaged line is refused by its kind and on one line, or the tree it leaves is kept to."""
    line, damaged, message = DAMAGED[kind]
    paths = [*WHOLE[:line], damaged, *WHOLE[line + 1 :]]
    file = write_lines(tmp_path / "h.csv", paths)
    cells = [path[0] for path in paths for _ in range(2)] + [paths[0][0]]
    if message is not None:
        with pytest.raises(shoal.InputError, match=message) as caught:
            release(file, cells, 3, method)
        assert "\n" not in str(caught.value)
        return
    found = release(file, cells, 3, method)
    assert all(covers(file, cell, text) for cell, text in zip(found, cells, strict=True))


def test_values_without_a_line_are_refused(tmp_path):
    """A value that no line begins with has no place, and the release is not made."""
    file = write_lines(tmp_path / "h.csv", WHOLE)
    for stranger in ("f", "A", "X", "", "a "):
        with pytest.raises(shoal.ShoalError):
            release(file, ["a", "b", "c", stranger], 2, "kaim")


def test_the_judge_can_fail(tmp_path):
    """The ten lines see a label of another branch, of one line of two, and a missing cell."""
    file = write_lines(tmp_path / "h.csv", [*WHOLE, ["a", "B", "X", "*"]])
    assert covers(file, "X", "a")
    assert covers(file, "A", "b")
    assert not covers(file, "A", "a")
    assert not covers(file, "B", "a")
    assert not covers(file, "C", "b")
    assert not covers(file, "A", None)
    assert not covers(file, "A", "unknown")


# --- random trees, some of them damaged


def damage(rng, paths):
    """One of the ways in which a file is spoiled by hand."""
    paths = [list(path) for path in paths]
    one, two = rng.randrange(len(paths)), rng.randrange(len(paths))
    path = paths[one]
    level = rng.randrange(len(path))
    way = rng.choice(["swap", "drop", "twice", "another", "root", "delete", "copy", "up", "value"])
    if way == "swap":
        other = rng.randrange(len(paths[two]))
        path[level], paths[two][other] = paths[two][other], path[level]
    elif way == "drop" and len(path) > 1:
        del path[level]
    elif way == "twice":
        path.insert(level, path[level])
    elif way == "another":
        path[level] = rng.choice([label for other in paths for label in other])
    elif way == "root":
        path[-1] = rng.choice(["all", "*", path[0]])
    elif way == "delete" and len(paths) > 1:
        del paths[one]
    elif way == "copy":
        paths.insert(two, list(path))
    elif way == "up":
        path.reverse()
    else:
        path[0] = rng.choice(paths)[0]
    return paths


@examples(150)
@given(seed=st.integers(0, 10**9), damages=st.integers(0, 3), method=st.sampled_from(METHODS))
def test_random_trees_and_damages(tmp_path_factory, seed, damages, method):
    """Whatever is done to a file, a release that is made covers cell by cell what it stands for."""
    rng = random.Random(seed)
    depth = rng.randint(1, 3)
    paths = [["*"]]
    for level in range(depth):
        paths = [
            [f"{path[0] if level else ''}{sign}", *path]
            for path in paths for sign in "pqr"[: rng.randint(1 if level else 2, 3)]
        ]  # fmt: skip
    leaves = [path[0] for path in paths]
    for _ in range(damages):
        paths = damage(rng, paths)
    file = write_lines(tmp_path_factory.getbasetemp() / "damaged.csv", paths)
    cells = [rng.choice([*leaves, *leaves, None]) for _ in range(rng.randint(4, 20))]
    cells[0] = leaves[0]
    try:
        found = release(file, cells, rng.randint(2, 4), method)
    except shoal.PrivacyError:
        raise  # the last look saw what the checks of the tree should have
    except shoal.ShoalError as error:
        told = str(error)
    else:
        told = ""
        assert all(covers(file, cell, text) for cell, text in zip(found, cells, strict=True))
    assert not (told and damages == 0), told
    assert "\n" not in told
