"""Attacks of the literature, each as a test: what must be seen, refused or said."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from fractions import Fraction

import pyarrow as pa
import pytest

import shoal as library
from naive import judging
from shoal.judge.classes import READINGS


def csv_text(rows):
    """Lines of cells as csv."""
    return "".join(",".join(map(str, row)) + "\n" for row in rows)


# --- homogeneity: a whole class shares the sensitive value (Machanavajjhala and others 2006)


def test_homogeneity(shoal, write):
    """A 5-anonymous file with a class of one diagnosis fails --l 2; certain people are counted."""
    rng = random.Random(1)
    rows = [(group, f"z{group % 3}", "cancer" if group < 2 else rng.choice(["flu", "cold", "flu"]))
            for group in range(8) for _ in range(5 + group % 2)]  # fmt: skip
    rng.shuffle(rows)
    path = write("r.csv", "age,zip,diagnosis\n" + csv_text(rows))
    asked = ("verify", path, "-k", 5, "--quasi", "age,zip", "--sensitive", "diagnosis")
    assert shoal(*asked).code == 0
    ran = shoal(*asked, "--l", 2, "--json")
    assert ran.code == 3
    having = {}
    for age, zip_, value in rows:
        having.setdefault((age, zip_), []).append(value)
    certain = sum(len(values) for values in having.values() if len(set(values)) == 1)
    (judged,) = json.loads(ran.out)["models"]
    assert judged["found"] == 1
    assert judged["certain"] == pytest.approx(certain / len(rows))
    assert judged["records"] == certain > 0
    text = shoal(*asked, "--l", 2).err
    share = f"{100 * certain / len(rows):.4g} %"
    assert f"records whose class has a single known value: {share}" in text


# --- background knowledge: somebody rules out values (the same)


def test_background_knowledge(thorough):
    """For all sets of values that are ruled out, the worst posterior is that of enumeration."""
    for width in (1, 2, 4, 6) if thorough else (1, 3):
        for counts in itertools.combinations_with_replacement((1, 2, 5), width):
            values = [i for i, count in enumerate(counts) for _ in range(count)]
            table = {"a": [0] * len(values), "s": values}
            found = library.verify(table, 1, quasi_identifiers=["a"], sensitive=["s"], l=8)
            for excluded in (0, 1, width):
                wanted = judging.worst_posterior(values, excluded)
                got = found.models[0].posterior[excluded]
                assert got == pytest.approx(float(wanted), rel=1e-15)


def test_background_knowledge_is_reported(shoal, write):
    """The report says how sure somebody gets who rules out 0 to l - 2 values."""
    rows = [(1, s) for s in "aaabbc"] + [(2, s) for s in "abcabc"]
    path = write("r.csv", "q,s\n" + csv_text(rows))
    ran = shoal("verify", path, "-k", 5, "--quasi", "q", "--sensitive", "s", "--l", 3, "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["models"][0]["posterior"] == [0.5, 0.75]
    words = ("--l", 3, "--l-kind", "recursive", "--c", 2)
    assert shoal("verify", path, "-k", 5, "--quasi", "q", "--sensitive", "s", *words).code == 3


# --- skewness: a class's distribution is far from the table's (Li and others 2007)


def test_skewness(shoal, write):
    """Two values in every class, but 50 % against 5 % of a rare one: l = 2 holds, t = 0.2 not."""
    rows = [(1, "yes"), (1, "no")] * 5
    rows += [(group, value) for group in range(2, 20) for value in ["no"] * 9 + ["yes"]][:170]
    rows += [(30, "no")] * 29 + [(30, "yes")]
    path = write("r.csv", "q,s\n" + csv_text(rows))
    asked = ("verify", path, "-k", 5, "--quasi", "q", "--sensitive", "s")
    assert shoal(*asked, "--l", 2).code == 0
    ran = shoal(*asked, "--t", 0.2, "--json")
    assert ran.code == 3
    (judged,) = json.loads(ran.out)["models"]
    share = Fraction(sum(value == "yes" for _, value in rows), len(rows))
    assert judged["found"] == pytest.approx(float(Fraction(1, 2) - share))
    assert (judged["classes"], judged["distance"]) == (1, "equal")


# --- composition: two releases of the same people (Ganta and others 2008)


def test_composition(shoal, write):
    """Two 3-anonymous releases whose intersection is one person: 1 is printed, and exit is 3."""
    one = write("1.csv", 'age,s\n"[20,30)",flu\n"[20,30)",cancer\n"[20,30)",cold\n')
    two = write("2.csv", 'age,s\n"[25,35)",cancer\n"[25,35)",gout\n"[25,35)",asthma\n')
    asked = ("-k", 3, "--quasi", "age", "--sensitive", "s")
    for path in (one, two):
        assert shoal("verify", path, *asked).code == 0
    ran = shoal("verify", one, *asked, "--against", two)
    assert ran.code == 3
    assert "smallest candidate set 1" in ran.err
    assert "1 records of this file" in ran.err
    assert "two releases of the same people" in ran.err
    found = json.loads(shoal("verify", one, *asked, "--against", two, "--json").out)
    assert found["against"]["smallest"] == 1
    assert shoal("verify", one, *asked, "--against", one).code == 0


# --- what a missing cell matches (Ciglic and others 2016)


def test_three_readings_of_seven_rows(shoal, write):
    """One release of seven rows has three values of k; the strictest is the verdict."""
    rows = [("*", "*"), ("*", "a"), ("b", "b"), ("*", "*"), ("a", "*"), ("*", "b"), ("*", "a")]
    path = write("r.csv", "p,q\n" + csv_text(rows))
    brute = {r: min(map(len, judging.candidates(rows, r))) for r in READINGS}
    assert brute == {"own": 1, "root": 2, "wildcard": 4}
    asked = ("verify", path, "-k", 2, "--quasi", "p,q")
    ran = shoal(*asked, "--json")
    assert (ran.code, json.loads(ran.out)["readings"]) == (3, brute)
    assert shoal(*asked, "--missing-as", "wildcard").code == 0
    assert shoal(*asked, "--missing-as", "root").code == 0
    four = write("r.csv", "p,q\na,x\na,x\na,x\n,x\n")
    assert json.loads(shoal("verify", four, "-k", 2, "--quasi", "p,q", "--json").out)["k"] == 1


def test_readings_equal_three_matchers(thorough):
    """On random tables the three readings are those of three brute-force matchers."""
    rng = random.Random(2)
    for _ in range(300 if thorough else 8):
        rows = [tuple(rng.choice(["a", "b", "*", None]) for _ in range(3))
                for _ in range(rng.randint(1, 12))]  # fmt: skip
        table = pa.table({name: [row[i] for row in rows] for i, name in enumerate("pqr")})
        found = library.verify(table, k=2, quasi_identifiers=["p", "q", "r"])
        assert found.readings == {r: min(map(len, judging.candidates(rows, r))) for r in READINGS}
        wide = table.append_column("same", pa.array(["same"] * len(rows)))
        wider = library.verify(wide, k=2, quasi_identifiers=["p", "q", "r", "same"])
        assert wider.readings == found.readings
        assert found.k == min(Counter(rows).values())


# --- a row of stars (ARX calls the same file 2-anonymous, and not)


def test_a_row_of_stars(shoal, write):
    """One row of stars is a class of one: exit code 3, and these very words."""
    path = write("r.csv", "p,q\na,x\na,x\na,x\n*,*\n")
    ran = shoal("verify", path, "-k", 2, "--quasi", "p,q")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == (
        "NOT SAFE: 4 records in 2 classes, the smallest of 1; required: 2\n"
        "  1 classes with 1 records are smaller than 2\n"
        "  class sizes: least 1, median 2, largest 3\n"
        "  smallest candidate set by what a missing cell or * matches: own 1, root 1, wildcard 4\n"
        "  class 2 of 1 records, from record 4, breaks k\n"
    )
    ran = shoal("verify", path, "-k", 2, "--quasi", "p,q", "--missing-as", "wildcard")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == (
        "verified: 4 records in 2 classes, the smallest of 4; required: 2; missing cells and * "
        "read as wildcard\n"
        "  candidates of a class: least 4, median 4, largest 4\n"
        "  smallest candidate set by what a missing cell or * matches: own 1, root 1, wildcard 4\n"
    )


def test_a_second_release_of_the_same_input_is_warned_of(shoal, tmp_path):
    """A7: whoever writes another release of an input beside the first is told that two compose."""
    source = tmp_path / "in.csv"
    source.write_text("a,b\n" + "".join(f"{i},{i * i % 7}\n" for i in range(24)), encoding="utf-8")

    def said(k, name):
        ran = shoal("anonymize", source, "--quasi", "a,b", "--method", "mdav", "--no-report",
                    "-k", k, "-o", tmp_path / name)  # fmt: skip
        assert ran.code == 0
        return ran.err

    assert "another release" not in said(3, "one.csv")
    again = said(4, "two.csv")
    assert "another release of the same input lies beside it: 'one.csv'" in again
    source.write_text("a,b\n" + "".join(f"{i},{i % 5}\n" for i in range(24)), encoding="utf-8")
    assert "another release" not in said(3, "new.csv")
